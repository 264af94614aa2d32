"""A small workspace with every kind of file, its files damaged one by one, and what the commands make of that."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

from answerable.cli.main import app
from answerable.indexes import build
from tests.cli.conftest import STAND_INS

ASKED = (
    ("ask", "Who built Hook Lighthouse?"),
    ("ask", "When was Kõpu Lighthouse completed?"),
    ("pairs", "ask", "Who built the lighthouse at Hook?"),
    ("find", "lighthouses in Ireland"),
)
"""Commands whose answers are compared."""
LOOKED = (("status",), ("doctor",), ("journal", "--verify"), ("grants", "list"), ("pairs", "stats"))
"""Commands that only must not fail in an unforeseen way."""
YOURS = ("answerable.toml", "grants.json")
"""Files that people may edit, so that no other answer from them is wrong."""
_LAND = ("Ireland", "Estonia", "Norway", "Wales", "Shetland")


def make(folder: Path) -> Path:
    """The workspace, in a folder of its own."""
    for number in range(12):
        page = folder / "wiki" / f"tower{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        land = _LAND[number % len(_LAND)]
        page.write_text(
            f"# Tower {number}\n\nIt stands in {land}. Mason {number} built Tower {number} in 18{number + 10}.\n"
        )
    (folder / "wiki" / "hook.md").write_text("# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built it.\n")
    kopu = "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse was completed in 1531.\n"
    (folder / "wiki" / "kopu.md").write_text(kopu, encoding="utf8")
    (folder / "mail").mkdir()
    mail = "From today the job at Kõpu Lighthouse is called KESTREL. The crate weighs 412 kilos.\n"
    (folder / "mail" / "birds.txt").write_text(mail, encoding="utf8")
    (folder / "mail" / "long.txt").write_text("The oil was poured at dawn and the lamp was lit. " * 500)
    pairs = ({"question": f"Who built Tower {n}?", "answer": [f"Mason {n}"]} for n in range(40))
    hook = {"question": "Who built the lighthouse at Hook?", "answer": ["William Marshal"]}
    (folder / "pairs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (hook, *pairs)))
    place = folder / "work"
    with patch.object(build, "IndexBuilder", partial(build.IndexBuilder, exact_limit=10)):
        for given in (
            ("index", folder / "wiki", "--enclave", "wiki", "--public", "--as-if-elsewhere"),
            ("index", folder / "mail", "--enclave", "mail"),
            ("pairs", "import", folder / "pairs.jsonl", "--enclave", "wiki"),
            ("pairs", "index", "--enclave", "wiki"),
            ("grants", "add", "--lift", "mail", "--to", "wiki"),
        ):
            ran = run(place, *map(str, given))
            assert ran.code == 0, ran.said
    return place


@dataclass(frozen=True)
class Ran:
    """What a command left behind. `record` is what it printed, where that is JSON."""

    code: int
    said: str
    record: dict[str, Any] | None

    @property
    def foreseen(self) -> bool:
        """Whether it ended as a command may end."""
        return self.code in (0, 1, 2, 3) and not any(one in self.said for one in ("internal error", "Traceback"))

    @property
    def answer(self) -> object:
        """What was answered, without times and without what depends on them."""
        kept = ("answer", "citations", "members", "count", "label")
        return {key: value for key, value in (self.record or {}).items() if key in kept}

    @property
    def told(self) -> bool:
        """Whether it says that something could not be asked."""
        return bool(self.record and self.record.get("unreachable"))


def run(place: Path, *given: str) -> Ran:
    """One command over the workspace in `place`."""
    result = CliRunner(env=STAND_INS).invoke(app, ["-w", str(place), *given, "--json"], catch_exceptions=False)
    try:
        record = json.loads(result.stdout)
    except ValueError:
        record = None
    return Ran(result.exit_code, result.stdout + result.stderr, record if isinstance(record, dict) else None)


def files_of(place: Path) -> list[Path]:
    """Every file of the workspace that holds something, by name."""
    found = (path.relative_to(place) for path in sorted(place.rglob("*")) if path.is_file() and path.stat().st_size)
    return [path for path in found if path.suffix not in (".lock", ".pid")]


def spoilt(whole: bytes, how: str, chance: random.Random) -> bytes:
    """What is left of a file: "cut" somewhere, or with a "flip" of one bit, or a "block" of other bytes."""
    at = chance.randrange(len(whole))
    if how == "cut":
        return whole[:at]
    if how == "flip":
        return whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
    return whole[:at] + chance.randbytes(min(64, len(whole) - at)) + whole[at + 64 :]


@contextmanager
def copied(place: Path, to: Path, file: Path, content: bytes) -> Iterator[Path]:
    """A copy of the workspace in which one file has another content."""
    shutil.copytree(place, to)
    (to / file).write_bytes(content)
    try:
        yield to
    finally:
        shutil.rmtree(to)


def wrong(place: Path, expected: Sequence[Ran], file: Path) -> list[str]:
    """What the commands do over a damaged workspace that they must not."""
    found = []
    for given, before in zip(ASKED, expected, strict=True):
        ran = run(place, *given)
        if not ran.foreseen:
            found.append(f"{' '.join(given)}: {ran.code} {ran.said[-300:]}")
        elif ran.code == 0 and not ran.told and ran.answer != before.answer and file.name not in YOURS:
            found.append(f"{' '.join(given)}: another answer in silence: {ran.answer} not {before.answer}")
    return found
