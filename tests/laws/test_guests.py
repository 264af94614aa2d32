"""Whoever may not read an enclave is told the same whether it is empty, full or damaged, by every command with `--as`.

Commands and options are those that there are: a new one is held to the law as soon as it is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from answerable.cli.main import app
from answerable.workspace.opening import open_workspace
from tests.cli.conftest import STAND_INS

WORLDS = ("empty", "full", "damaged")
PUBLIC = {
    "kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse was completed in 1531.\n",
    "hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built Hook Lighthouse.\n",
}
PRIVATE = {
    "birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL. The crate weighs 412 kilos.\n",
    "kopu.md": "# Kõpu Lighthouse\n\nKõpu Lighthouse was completed in 1845, says the keeper.\n",
}
ASKED = "When was Kõpu Lighthouse completed?"
GIVEN = {
    "again": "towers",
    "csv": "found.csv",
    "delete": "harbour",
    "document": "hook.md",
    "enclave": "mail",
    "forget": "0123456789ab",
    "expression": '"lighthouses" minus "in Ireland"',
    "grant": "wiki=mail",
    "hops": "2",
    "k": "2",
    "after": "2001",
    "before": "2099",
    "beside": "birds.txt",
    "folder": "notes",
    "kind": "text",
    "last": "3",
    "lift": "mail",
    "limit": "3",
    "name": "harbour",
    "noted": "0" * 64,
    "part": "wiki=Hook Lighthouse",
    "privacy": "query",
    "query": "lighthouses",
    "question": ASKED,
    "questions": "asked.txt",
    "reason": "an audit",
    "risk": "0.3",
    "save": "towers",
    "scenario": "I keep a lighthouse.",
    "sender": "maria",
    "text": "Kõpu Lighthouse",
    "to": "wiki",
    "until": "2099-01-01",
    "xlsx": "found.xlsx",
}
"""What an argument or an option of that name is given."""
ALONE = {"questions", "verify", "chat", "again"}
"""Options that stand in the place of an argument that may be left out."""
SERVING = {"mcp"}
"""Commands that answer until they are told to stop: what guests are told there is compared in tests/web."""
_OWN = (
    (r'"(seconds|at|ask|id|until|since)": ("[^"]*"|[0-9.e-]+)', r'"\1": 0'),
    (r"\b[0-9.,]+ (m?s|seconds)\b", "0 s"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[0-9.+:]+)?", "now"),
    (r"\b[a-z][0-9a-f]{6}\b", "a grant"),
)
"""What two runs of the same command differ in: times, and ids that are drawn."""


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        elif any("--as" in one.opts for one in command.params) and name not in SERVING:
            yield (*path, name), command


COMMANDS = dict(_commands(get_command(app)))


def _lines(path: tuple[str, ...]) -> Iterator[list[str]]:
    """Every way to run a command: plain, for JSON, and with each of its options; a document of either enclave."""
    params = COMMANDS[path].params
    arguments = {one.name: GIVEN[one.name] for one in params if one.param_type_name == "argument"}
    must = [word for one in params if one.required and one.opts[0][0] == "-" for word in (one.opts[0], GIVEN[one.name])]
    base = [*path, *arguments.values(), *must, "--as", "guest"]
    yield from (base, [*base, "--json"])
    if "document" in arguments:
        for name in ("birds.txt", "kopu.md"):
            yield [*path, *(arguments | {"document": name}).values(), "--as", "guest"]
    for one in params:
        if (
            one.param_type_name == "argument"
            or one.required
            or {"--as", "--workspace", "--json", "--help"} & {*one.opts}
        ):
            continue
        line = base
        if one.name in ALONE:
            optional = {GIVEN[other.name] for other in params if other.name in arguments and not other.required}
            line = [word for word in base if word not in optional]
        yield [*line, one.opts[-1] if one.is_flag else one.opts[0], *([] if one.is_flag else [GIVEN[one.name]])]


def _write(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf8")
    return folder


def _world(place: Path, world: str, paired: bool) -> None:
    """A workspace in which `mail` is what the world says, and `wiki` has pairs or not."""
    lines = [{"question": question, "answer": answer} for question, answer in ((ASKED, "1531"), ("Who?", "William"))]
    (place / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (place / "asked.txt").write_text(f"{ASKED}\nWho?\n", encoding="utf8")
    with open_workspace(place / ".answerable", create=True) as opened:
        opened.index([_write(place / "wiki", PUBLIC)], "wiki", "public", as_if_elsewhere=True)
        opened.index([_write(place / "mail", {} if world == "empty" else PRIVATE)], "mail")
        for name in ("wiki",) * paired + ("mail",) * (world != "empty"):
            opened.pairs.import_(place / "pairs.jsonl", name)
            opened.pairs.index(name)
    with open(place / ".answerable" / "answerable.toml", "a", encoding="utf8") as file:
        file.write('[askers.guest]\nclearance = ["wiki"]\n')
    for path in (place / ".answerable" / "indexes" / "mail").rglob("*") if world == "damaged" else ():
        if path.is_file():
            path.write_bytes(path.read_bytes()[:20] + b"damaged")


Run = Callable[[list[str]], list[tuple[int, str, str]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Run a command in each world, whose `wiki` has no pairs."""
    yield from _running(tmp_path_factory, paired=False)


@pytest.fixture(scope="module")
def run_paired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The same, with pairs of `wiki`."""
    yield from _running(tmp_path_factory, paired=True)


def _running(tmp_path_factory: pytest.TempPathFactory, paired: bool) -> Iterator[Run]:
    """What runs a command in each world: exit code, output and errors, without what differs by itself."""
    runner, places = CliRunner(), {world: tmp_path_factory.mktemp(world) for world in WORLDS}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (STAND_INS | {"ANSWERABLE_SEARCH_LINKING": "true"}).items():
            patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
        patch.setattr("typer.testing._get_command", cache(get_command))  # built once, as for the tests of commands
        for world, place in places.items():
            _world(place, world, paired)

        def each(line: list[str]) -> list[tuple[int, str, str]]:
            told = []
            for place in places.values():
                patch.chdir(place)
                ran = runner.invoke(app, line, input=f"{ASKED}\n\n")
                told.append((ran.exit_code, _plain(ran.stdout), _plain(ran.stderr)))
            return told

        yield each


def _plain(text: str) -> str:
    for pattern, said in _OWN:
        text = re.sub(pattern, said, text)
    return text


def test_there_are_commands_for_others_and_each_can_be_run(run: Run) -> None:
    """Their arguments are known here, and what they print does tell the owner apart."""
    assert len(COMMANDS) >= 8 and sum(len([*_lines(path)]) for path in COMMANDS) > 40
    for line in (
        ["ask", "What is the job at Kõpu Lighthouse called?"],
        ["pairs", "ask", ASKED],
        ["find", "lighthouses"],
    ):
        assert len({*run(line)}) > 1


def _hold(run: Run, lines: Iterable[list[str]]) -> None:
    for line in lines:
        empty, *others = run(line)
        assert "internal error" not in empty[2] and "Traceback" not in empty[1] + empty[2], line
        for world, told in zip(WORLDS[1:], others, strict=True):
            assert told == empty, (world, line)
    journals = run(["journal", "--as", "guest", "--last", "0", "--json"])
    assert len({*journals}) == 1


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_guest_is_told_the_same_in_every_world(run: Run, path: tuple[str, ...]) -> None:
    _hold(run, _lines(path))


def test_a_guest_is_told_the_same_beside_pairs_that_they_may_read(run_paired: Run) -> None:
    _hold(run_paired, [next(_lines(path)) for path in COMMANDS])
