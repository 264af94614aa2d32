"""One door to all data sets: the form is named, or recognised by the first record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from answerable.datasets import multihop, open_questions, retrieval, rules, squad
from answerable.datasets.examples import Example
from answerable.datasets.records import first_fields
from answerable.errors import UsageError

LOADERS: dict[str, Callable[[Path], Iterator[Example]]] = {
    "2wikimultihopqa": multihop.hotpotqa,
    "beir": retrieval.beir,
    "boolq": squad.boolq,
    "concurrentqa": multihop.concurrentqa,
    "conditionalqa": rules.conditionalqa,
    "dpr": open_questions.dpr,
    "hotpotqa": multihop.hotpotqa,
    "hybridqa": squad.tables,
    "musique": multihop.musique,
    "nq-open": open_questions.questions,
    "ottqa": squad.tables,
    "quest": retrieval.quest,
    "sharc": rules.sharc,
    "squad": squad.squad,
}
"""What reads a data set's files, by name. `nq-open` is also EfficientQA's form, EntityQuestions', PAQ's pairs' and open
TriviaQA's."""

_SIGNS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (name, frozenset(fields.split()))
    for name, fields in (
        ("musique", "paragraphs question_decomposition"),
        ("musique", "gold covered question aliases"),
        ("2wikimultihopqa", "supporting_facts evidences"),
        ("2wikimultihopqa", "gold covered question evidences"),
        ("hotpotqa", "supporting_facts context"),
        ("hotpotqa", "gold covered question"),
        ("concurrentqa", "question sp"),
        ("concurrentqa", "question pos_paras"),
        ("hybridqa", "question table_id"),
        ("hybridqa", "question table evidence"),
        ("quest", "query docs"),
        ("sharc", "snippet scenario history"),
        ("conditionalqa", "url scenario question not_answerable"),
        ("boolq", "question passage answer"),
        ("squad", "paragraphs"),
        ("nq-open", "question answer"),
        ("nq-open", "question answers"),
    )
)
"""Fields that give a form away, the more telling first. OTT-QA looks like HybridQA, and is read alike."""


def load(path: Path, name: str | None = None) -> Iterator[Example]:
    """The examples of a data set's file or folder, one at a time, in its order.

    Raises UsageError at once where the path is not there, the name is not one of `LOADERS`, or no name is given and
    the form is not recognised; FormatError while reading where a record is not as the form wants it.
    """
    if not path.exists():
        raise UsageError(f"there is no {path}", hint="check the path")
    if name is None:
        name = recognise(path)
    if name not in LOADERS:
        raise UsageError(f"there is no data set form `{name}`", hint=f"one of {', '.join(LOADERS)}")
    return LOADERS[name](path)


def recognise(path: Path) -> str:
    """The name of the form a file or folder has, by its place and its first record. Raises UsageError where it is none
    that is known."""
    if path.is_dir() or (path.parent.name == "qrels" and path.suffix == ".tsv"):
        folder = path if path.is_dir() else path.parent.parent
        if (folder / "queries.jsonl").is_file() and (folder / "qrels").is_dir():
            return "beir"
    elif not path.stat().st_size:
        raise UsageError(f"{path} is empty")
    else:
        fields = first_fields(path)
        for name, wanted in _SIGNS:
            if wanted <= fields:
                return name
        if not fields and path.suffix in (".csv", ".tsv"):
            return "dpr"
    raise UsageError(f"cannot tell what data set {path} is of", hint=f"name its form: {', '.join(LOADERS)}")
