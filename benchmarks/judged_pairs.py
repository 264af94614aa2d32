"""How surely a made question must be read to be right: fitted to pairs that were judged one by one, and measured.

    python benchmarks/judged_pairs.py --data DATA [--write] [--json FILE]

`benchmarks/judged/pairs.jsonl.gz` has questions that the generator asked of mails, notes, rules and an encyclopaedia,
each called right and well put (g), right but faulty (f), one of many (a) or wrong (w) by one who had read its passage.
Each is read in its passage by the reader that ships, as the local filter does. A logistic regression on the reader's
score tells how probable it is that a question is right (g or f); it is fitted to the texts of two titles in three, and
measured on the others. `--write` puts it where filters look for it. `benchmarks/judged/nq.jsonl.gz` has pairs that
passed the global filter over NQ's corpus, judged the same way: of the model that ships, and of rules over sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from answerable.datasets.parts import share
from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped
from answerable.qapairs.calibration import PairCalibration, write_calibration
from answerable.qapairs.generation.filtering import FILE, WEIGHED, LocalFilter
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.selective.calibrate import fit
from answerable.training.reading import lines_of
from answerable.training.written import texts_of
from answerable.types import Passage
from answerable.workspace.models import READER, reader_of
from answerable.workspace.settings import load

JUDGED, KEPT = (Path(__file__).parent / "judged" / name for name in ("pairs.jsonl.gz", "nq.jsonl.gz"))
RIGHT, VERDICTS = "gf", "gfaw"
FITTED = 2 / 3
"""The share of titles that the regression is fitted to."""


@dataclass(frozen=True, slots=True)
class Read:
    """A judged question whose answer the reader finds, or not (`score` None), in its passage; and by which verdict."""

    title: str
    score: float | None
    verdict: str

    @property
    def held(self) -> bool:
        """Whether it is measured on."""
        return share(self.title) >= FITTED


def read(data: Path) -> list[Read]:
    """All that was judged, as it is read."""
    lines = list(lines_of(JUDGED))
    reader, _ = reader_of(load(None, {}))
    filter, found = LocalFilter(reader), list[Read]()
    for line, text in zip(lines, texts_of(lines, data), strict=True):
        passage = Passage("judged", "judged", "judged", line["title"], text, 0, len(text))
        spans = [Extracted(start, end, text[start:end], 1.0, "judged") for _, start, end, _ in line["judged"]]
        made = [Generated(one[0], span, 1.0, "judged") for one, span in zip(line["judged"], spans, strict=True)]
        scores = filter.scores([passage], [made])[0]
        found += [Read(line["title"], score, one[3]) for one, score in zip(line["judged"], scores, strict=True)]
    return found


def fitted(ones: Sequence[Read], reader: str) -> PairCalibration:
    """How probable it is that a question is right whose answer is read with a score."""
    kept = [(one.score, one.verdict in RIGHT) for one in ones if one.score is not None]
    weights, bias = fit([[score] for score, _ in kept], [right for _, right in kept])
    return PairCalibration(weights, bias, 0.5, reader, fitted_on=f"{len(kept)} judged questions", weighed=WEIGHED)


def shares(ones: Sequence[Read]) -> dict[str, Any]:
    """How many there are, and the per cent of each verdict."""
    told: dict[str, Any] = {"questions": len(ones)}
    for name in VERDICTS:
        told[name] = common.percent(sum(one.verdict == name for one in ones), len(ones))
    right = sum(one.verdict in RIGHT for one in ones)
    low, high = common.wilson(right, len(ones))
    return told | {"right": {"share": common.percent(right, len(ones)), "low": 100 * low, "high": 100 * high}}


def main(words: list[str] | None = None) -> None:
    """Fit, measure, and write what was asked for."""
    parser = common.parser(__doc__, "data")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(words)
    ones = read(given.data)
    by = fitted([one for one in ones if not one.held], open_shipped(SHIPPED / READER).name)
    if given.write:
        write_calibration(by, FILE)
    held = [one for one in ones if one.held]
    scored = [(by.confidence((one.score,)), one) for one in held if one.score is not None]
    found = {
        "made": shares(held),
        "found": shares([one for _, one in scored]),
        "kept": shares([one for sure, one in scored if sure >= by.threshold]),
        "believed": common.believed((sure, one.verdict in RIGHT) for sure, one in scored),
    }
    passed = [(row["by"], Read(row["title"], None, row["verdict"])) for row in common.rows(KEPT)]
    found |= {f"nq, {by}": shares([one for who, one in passed if who == by]) for by in dict(passed)}
    common.write(given.json, found, len(held))
    for name, told in found.items():
        print(name, told)


if __name__ == "__main__":
    main()
