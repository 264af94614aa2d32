"""Questions on real documents, written before they were asked, and what was said judged by reading.

    python benchmarks/by_hand.py --data DATA --workspace DIR [--of long_things --root /] [--json FILE] [--show]

Sixty on ten documents, or with `--of long_things` fifty on four: a book (EPUB, of Debian's package debian-policy), a
manual of more than a thousand pages (PDF, of octave-doc), a licence with cross-references, and a sheet of 1,000 rows.
`--root` is where the packages are unpacked, if they are not installed.

`by_hand/documents.json` says where each document is, `by_hand/questions.jsonl` what is asked and what is right in a
few words (null: the document does not say it), `by_hand/verdicts.jsonl` how what was ever said was judged, by the
digest of its words: `right`, `part` (true, but short of what was asked) or `wrong`. Something said for the first time
counts as `unjudged`. `before` is what was said when they were first asked (`by_hand/before.json`). What is not
answered counts as `declined`, or as `right` where nothing stands to be said.
"""

from __future__ import annotations

import csv
import json
import os
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.long.load import load
from answerable.types import Document, Reading
from answerable.workspace.documents import DocumentReader
from answerable.workspace.settings import load as load_settings

HERE = common.ROOT / "benchmarks" / "by_hand"


class Once(DocumentReader):
    """Reads a file once for all questions."""

    @cache  # noqa: B019
    def _outside(self, path: Path) -> Document:
        return super()._outside(path)


def written(about: dict[str, Any], data: Path, folder: Path, root: Path) -> dict[str, Path]:
    """Where each document is; those of data sets are written as plain text, or as a sheet."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, one in about.items():
        if "sheet" in one:
            found[name] = folder / f"{name}.csv"
            films(data / one["sheet"], found[name])
        if "file" in one:
            here = root / one["file"]
            read = here.suffix in (".html", ".pdf", ".epub")
            found[name] = here if read else folder / f"{name}.txt"
            if not read:
                found[name].write_text(here.read_text("utf-8"), "utf-8")
    for source in {one["set"] for one in about.values() if "set" in one}:
        texts = {one.document.id: one.document.text for one in load(data, source, "report")}
        for name, one in about.items():
            if one.get("set") == source:
                found[name] = folder / f"{name}.txt"
                found[name].write_text(texts[one["id"]], "utf-8")
    return found


def films(source: Path, sheet: Path) -> None:
    """A sheet of 1,000 films with their years, genres and five of the cast."""
    every = [one for one in common.rows(source) if one["cast"] and one["genres"]]
    some = [one for one in every if 1975 <= int(one["year"]) <= 2015][::9][:1000]
    with sheet.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["Film", "Year", "Genres", "Cast"])
        table.writerows(
            [one["title"], one["year"], ", ".join(one["genres"]), ", ".join(one["cast"][:5])] for one in some
        )


def said(reading: Reading) -> str:
    """What a reading answers, as people read it: its words, with the conditions they are under in them."""
    return " ".join((reading.text or "").split())


def digest(document: str, question: str, words: str) -> str:
    """By what a verdict is found again."""
    return blake2b("\0".join((document, question, words)).encode(), digest_size=6).hexdigest()


def judged(row: dict[str, Any], about: str | None, verdicts: dict[str, str]) -> str:
    """The verdict on what was said, by its digest; None where nothing was."""
    if about is None:
        return "right" if row["answer"] is None else "declined"
    return verdicts.get(about, "unjudged")


def told(found: list[str]) -> dict[str, Any]:
    """The shares of some verdicts."""
    right, wrong = (common.mean([one == kind for one in found], 100) for kind in ("right", "wrong"))
    rest = {kind: 100 * found.count(kind) / len(found) for kind in ("part", "declined", "unjudged")}
    return {"questions": len(found), "right": right, "wrong": wrong, **rest}


def main(given_words: list[str] | None = None) -> None:
    """Ask, and print the shares."""
    parser = common.parser(__doc__, "data", "workspace")
    parser.add_argument("--of", default="", help="the folder of by_hand that the questions are in")
    parser.add_argument("--root", type=Path, default=Path("/"), help="where the packages are unpacked")
    parser.add_argument("--show", action="store_true", help="print what is said, with its digest, to judge it")
    given = parser.parse_args(given_words)
    here = HERE / given.of
    about_all = json.loads((here / "documents.json").read_text("utf-8"))
    places = written(about_all, given.data, given.workspace / "by-hand", given.root)
    verdicts = {one["digest"]: one["verdict"] for one in common.kept(here / "verdicts.jsonl")}
    desk = Once(load_settings(None, os.environ))
    asked, kept = common.kept(here / "questions.jsonl"), []
    for row in asked:
        reading = desk.converse(places[row["document"]]).say(row["question"])
        words = said(reading)
        about = digest(row["document"], row["question"], words) if words else None
        kept.append({"document": row["document"], "question": row["question"], "verdict": judged(row, about, verdicts),
                     "confidence": round(reading.confidence, 3), "seconds": round(reading.seconds, 3)})  # fmt: skip
        if given.show:
            print(f"{about} [{kept[-1]['verdict']}] {row['document']}: {row['question']}\n   wanted: {row['answer']}")
            print(f"   said ({reading.confidence:.2f}): {words or reading.reason}  guesses: {reading.others[:2]}")
            for one in reading.citations[:1]:
                print(f"   cited: {one.place}: {' '.join(one.text.split())[:160]}")
    first = json.loads((here / "before.json").read_text("utf-8"))
    now = told([one["verdict"] for one in kept])
    before = told([judged(row, about, verdicts) for row, about in zip(asked, first, strict=True)])
    print("\n".join(f"{name}: {shares}" for name, shares in (("now", now), ("before", before))))
    common.write(given.json, {"now": now, "before": before, "each": kept})


if __name__ == "__main__":
    main()
