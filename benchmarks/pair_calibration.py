"""Fit how sure an answer from a pair is, and what is read early, on questions that no report is made on.

    python benchmarks/pair_calibration.py --data DATA --workspace DIR [--out FILE] [--early FILE] [--several FILE]
        [--accuracy 0.9] [--people] [--pairs]

DIR is that of pairs_sets.py, in which squad-tune and nq-tune were made. Five collections are asked: the pairs made of
each of these sets, by its questions; questions that people asked of SQuAD articles that are not reported on, by
paraphrases of them and by other questions of the same articles, which have no pair of their own; the questions of
the groups in `benchmarks/same` that the test of two questions did not learn from, by ways to ask the same and by near
misses; and each of these as the only pair there is, as the first answer that is called good. Half of the
records, every second question or group, choose weights and a threshold that are checked on the other half; what is
written is fitted to all. With `--people` the first two are left out, and nothing is made beforehand; with this or
`--pairs` what is read early stays as it is.

What is read early (`qapairs.early_exit`) is fitted after that, to the questions of squad-tune, nq-tune and hops-dev,
asked beside the pairs of their own set, and beside those of the others, which know nothing of them, as pairs of one
enclave know nothing of what another has. The reader and what asks learned from squad-dev and nq-dev: they would look
better there than they are. The engine is asked these too, each of its own corpus, since no group may lose by it. What
tells questions of several hops comes first: it is fitted to the training questions of HotpotQA, 2WikiMultihopQA and
MuSiQue, and to as many of SQuAD and NQ.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import common
from answerable.datasets.load import load
from answerable.datasets.parts import squad_part
from answerable.datasets.records import lines
from answerable.encoders.hashed import HashedEncoder
from answerable.evaluation.qapairs.matching import evenly
from answerable.evaluation.qapairs.systems import ByEngine, by_pairs
from answerable.privacy.enclaves import EnclaveTable, public
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import FILE, PairCalibration, write_calibration
from answerable.qapairs.early_exit import FILE as EARLY_FILE
from answerable.qapairs.early_exit import NAMES as EARLY
from answerable.qapairs.early_exit import SEVERAL as SEVERAL_FILE
from answerable.qapairs.early_exit import EarlyReader, Several, write_several
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.verify import Verifier
from answerable.retriever import Retriever
from answerable.training.reading import NONE, squad
from answerable.training.same.lessons import read_groups
from answerable.training.selector import Asked
from answerable.types import QAPair
from answerable.workspace.models import open_matcher, open_verifier
from making import pairs
from pair_fits import (
    EarlyRecord,
    Record,
    early_records,
    fitted,
    fitted_early,
    fitted_several,
    gain,
    how_sure,
    records,
    shares,
)
from pairs_opened import ALL, Set, exactly, opened

SETS = ("squad-tune", "nq-tune")
EARLY_SETS = ("squad-tune", "nq-tune", "hops-dev")
HOPS = ("hotpotqa", "2wikimultihopqa", "musique")
KNOWN = "people"
WRITTEN = common.ROOT / "benchmarks" / "same" / "groups.jsonl.gz"
Halves = tuple[list[Record], list[Record]]
UNKNOWN = PairCalibration((0.0,) * len(EARLY), 0.0, 1.0, weighed=EARLY)
SHOWN = 500
"""Questions of each other file that are told to be of several hops or not."""
EVERY = 5
"""Of the questions of the articles so many, every so manieth, has no pair of its own, and is asked."""


def engine(
    door: Retriever, ones: Sequence[QAPair], matcher: Matcher, reranker: PairReranker | None, verify: Verifier
) -> PairEngine:
    """What answers from these pairs alone; `door` knows their passages."""
    found = replace(door, pairs=exactly(ones, matcher), matcher=matcher, journal=None)
    return PairEngine(found, reranker, verify, settings=PairSettings() if reranker else PairSettings(rerank=0))


def of_people(data: Path) -> tuple[list[QAPair], list[Asked]]:
    """Questions of SQuAD articles as pairs, and those that are asked of them."""
    rows = [
        one
        for title, one in squad(data / "squad/squad1.1.json.gz", "squad")
        if squad_part(title) != "report" and one.kind != NONE
    ]
    kept = [one for number, one in enumerate(rows) if number % EVERY]
    asked = [Asked(one.question, one.answers) for number, one in enumerate(rows) if not number % EVERY]
    answers = {one.question.lower(): one.answers for one in kept}
    for row in lines(data / "paraphrases/squad.jsonl"):
        known = answers.get(row.text("original").strip().lower())
        if known and row.text("kind") == "plain":
            asked.append(Asked(row.text("paraphrase"), known))
    return [QAPair(one.id, one.question, one.answers, "", KNOWN, 1.0) for one in kept], asked


def of_groups() -> list[tuple[QAPair, list[Asked]]]:
    """The questions of groups that were written for the test of two questions, each with an answer of its own, and what
    is asked beside it: the same, or something else that nothing answers."""
    made = []
    for n, group in enumerate(one for one in read_groups(WRITTEN) if one.development):
        pair = QAPair(str(n), group.question, (f"answer {n}",), "", KNOWN, 1.0)
        same = [Asked(one, pair.answers) for one in group.same]
        made.append((pair, [*same, *(Asked(one, ()) for _, one in group.other)]))
    return made


def halves(by: PairEngine, asked: Sequence[Asked]) -> Halves:
    """The records of every second question, and of the others."""
    return records(by, asked[::2]), records(by, asked[1::2])


def of_written(data: Path, made: Callable[[Sequence[QAPair]], PairEngine]) -> dict[str, Halves]:
    """What needs no sets that were made, with an engine `made` of some pairs: by collection."""
    ones, asked = of_people(data)
    groups = of_groups()
    every = made([one for one, _ in groups])
    both = groups[::2], groups[1::2]
    pooled = [[each for _, own in half for each in own] for half in both]
    alone = [[each for one, own in half for each in records(made([one]), own)] for half in both]
    return {
        "people": halves(made(ones), asked),
        "groups": (records(every, pooled[0]), records(every, pooled[1])),
        "alone": (alone[0], alone[1]),
    }


def shown(calibration: PairCalibration, found: Sequence[Record]) -> dict[str, float]:
    """How many of these records are answered, and how many of the answers are right."""
    given = [one for one in found if calibration.confidence(one.features) >= calibration.threshold]
    right = sum(one.right for one in given) / max(1, len(given))
    told = {"records": len(found), "answered": len(given) / max(1, len(found)), "right": right}
    near = [one for one in found if one.near]
    return told | ({"near misses answered": sum(one.near for one in given) / len(near)} if near else {})


def main(words: list[str] | None = None) -> None:
    """The command of this file."""
    parser = common.parser(__doc__, "data", record=False)
    parser.add_argument("--workspace", type=Path, help=common.FOLDERS["workspace"])
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument("--early", type=Path, default=EARLY_FILE)
    parser.add_argument("--several", type=Path, default=SEVERAL_FILE)
    parser.add_argument("--accuracy", type=float, default=0.9)
    parser.add_argument("--people", action="store_true", help="fit pairs alone, without the sets that were made")
    parser.add_argument("--pairs", action="store_true", help="fit pairs alone")
    given = parser.parse_args(words)
    matcher, both = open_matcher("skills")
    readers: tuple[PairReranker | None, ...] = (None, both)
    verify = cache(open_verifier())
    nowhere = Retriever(EnclaveTable([public(KNOWN)]), {}, HashedEncoder())
    found = [
        of_written(given.data, partial(engine, nowhere, matcher=matcher, reranker=each, verify=verify))
        for each in readers
    ]
    for name in () if given.people else SETS:
        with opened(given.workspace, name, None) as one:
            made, door = pairs(one.made, ALL), one.workspace.engine().retriever
            questions = [Asked(each.question, each.answers) for each in one.asked.ones]
            for own, each in zip(found, readers, strict=True):
                own[name] = halves(engine(door, made, matcher, each, verify), questions)
    for own, each in zip(found, readers, strict=True):
        _write_pairs(given, (matcher.name, each.name if each else ""), own)
    if not (given.people or given.pairs):
        several = _write_several(given, matcher)
        _write_early(given, matcher, both, several)


def _write_pairs(given: argparse.Namespace, names: tuple[str, str], found: Mapping[str, Halves]) -> None:
    """A calibration for a matcher and a reranker of these names, whose records are `found` by collection."""
    first, second = ([one for part in found.values() for one in part[half]] for half in (0, 1))
    on = f"{len(first) + len(second)} questions of {', '.join(found)}"
    whole = fitted(first + second, given.accuracy, *names, on + "; not of squad-tune or nq-tune" * given.people)
    told = {}
    for half, other in ((first, 1), (second, 0)):
        made = fitted(half, given.accuracy, *names)
        told[f"half {other + 1}, by the other"] = {name: shown(made, part[other]) for name, part in found.items()} | {
            "all": shown(made, (first, second)[other])
        }
    weights = {name: round(weight, 2) for name, weight in zip(whole.weighed, whole.weights, strict=True)}
    print(json.dumps({"reranker": names[1], "threshold": whole.threshold, "weights": weights, **told}, indent=1))
    write_calibration(whole, given.out)


def _write_several(given: argparse.Namespace, matcher: Matcher) -> Several:
    """What tells questions of several hops, from training questions that no other part of this is fitted to."""
    files = [given.workspace / name / "questions.jsonl" for name in EARLY_SETS]
    mine = {each.question for path in files for each in load(path, "nq-open")}
    several, single = (
        [one for one in dict.fromkeys(found) if one not in mine] for found in (_hops(given.data), _single(given.data))
    )
    single = evenly(single, len(several))
    rows = matcher.encode_questions(several), matcher.encode_questions(single)
    made = fitted_several(*rows, matcher.name, f"{len(several)} questions of {', '.join(HOPS)}; as many of squad, nq")
    write_several(made, given.several)
    told = {name: shares(made, matcher.encode_questions(evenly(ones, SHOWN))) for name, ones in _others(given.data)}
    print(json.dumps({"taken for several hops": told}, indent=1))
    return made


def _others(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Questions of development and test files, by the data's name."""
    for name in (*HOPS, "ottqa"):
        path = data / name / ("questions.jsonl" if name == "ottqa" else "dev.jsonl")
        yield name, [row.text("question") for row in lines(path)]
    for place in ("squad/squad1.1.json.gz", "nq/nq-dev.json.gz", "covidqa/covidqa.json.gz", "policyqa/dev.json.gz"):
        yield place.partition("/")[0], [one.question for _, one in squad(data / place, place.partition("/")[0])]


def _hops(data: Path) -> list[str]:
    return [row.text("question") for name in HOPS for row in lines(data / name / "train.jsonl")]


def _single(data: Path) -> list[str]:
    files = data / "squad/squad-train-part.json.gz", data / "nq/nq-train.json.gz"
    return [one.question for path in files for _, one in squad(path, path.parent.name)]


def _write_early(given: argparse.Namespace, matcher: Matcher, reranker: PairReranker | None, several: Several) -> None:
    """How sure what is read early is: beside the pairs of each set, asked its questions and the others'."""
    found: list[EarlyRecord] = []
    verify = open_verifier()
    with ExitStack() as stack:
        sets = [stack.enter_context(opened(given.workspace, name, None)) for name in EARLY_SETS]
        said = [_said(one) for one in sets]
        for one in sets:
            own, engine = pairs(one.made, ALL), one.workspace.engine()
            by = by_pairs(
                engine.retriever, exactly(own, matcher), matcher, reranker, PairSettings(), given.out, verify
            ).engine
            early = EarlyReader(engine.reader, UNKNOWN, PairSettings().early, several, verify=verify)
            for asked, answers in zip(sets, said, strict=True):
                group = asked.folder.name if asked is one else "elsewhere"
                questions = [Asked(each.question, each.answers) for each in asked.asked.ones]
                found += early_records(by, early, questions, answers.__getitem__, group, engine.beam)
    made = fitted_early(found, matcher.name, early.reader.name, f"{len(found)} questions of {', '.join(EARLY_SETS)}")
    ones = how_sure(found, made)
    for group in dict.fromkeys(one.group for one in found):
        own_group = [one for one in ones if one[0] == group]
        told = {"questions": len(own_group), "gain": gain(own_group, made.threshold),
                "answered": sum(any(sure >= made.threshold for sure, _ in one[2]) for one in own_group)}  # fmt: skip
        print(json.dumps({"early": group, **told}, indent=1))
    print(json.dumps({"early threshold": made.threshold}))
    write_calibration(made, given.early)


def _said(one: Set) -> dict[str, str]:
    """The engine's best answer to each question of a set, from its own corpus."""
    engine = ByEngine(one.workspace)
    return {each.question: engine.say([each.question])[0].answer for each in one.asked.ones}


if __name__ == "__main__":
    main()
