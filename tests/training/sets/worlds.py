"""A benchmark of sets in our own words, QUEST data of the same form, and a small encoder that can judge."""

from __future__ import annotations

from pathlib import Path

from answerable.encoders.wordpieces import WordPieces
from answerable.training.experts import begin_expert
from answerable.training.sets.model import JUDGING, FitModel
from tests.training.files import write_lines

TOWERS = {
    "Skerryvore": "The tower was built by Alan Stevenson. The lamp was lit in 1844.",
    "Hynish": "The tower is made of stone. The wall is long.",
    "Tiree": "The pier is made of stone. A boat for oil is in the harbour.",
    "Curlew": "The curlew is a bird with a long bent bill.",
    "Gannet": "The gannet is a bird. The bill is long.",
    "Harbour": "A harbour for a boat. The wall is made of stone.",
}
DOCUMENTS = [{"_id": id_, "title": id_, "text": text} for id_, text in TOWERS.items()]
SETS = {
    "tower": ("Skerryvore", "Hynish"),
    "made of stone": ("Hynish", "Tiree", "Harbour"),
    "bird": ("Curlew", "Gannet"),
    "boat": ("Tiree", "Harbour"),
}


def write_benchmark(folder: Path) -> Path:
    """A folder as `answerable benchmark sets build` writes it."""
    write_lines(folder / "documents.jsonl.gz", DOCUMENTS)
    split = {"tower": "train", "made of stone": "train", "bird": "validation", "boat": "train"}
    kinds = {"made of stone": "modifier"}
    rows = (
        {"atom": atom, "split": split[atom], "kind": kinds.get(atom, "noun"), "docs": docs}
        for atom, docs in SETS.items()
    )
    write_lines(folder / "atoms.jsonl", rows)
    write_lines(folder / "train.jsonl", [{"query": "tower made of stone", "docs": ["Hynish"]}])
    write_lines(folder / "val.jsonl", [{"query": "bird with a long bill", "docs": ["Curlew", "Gannet"]}])
    write_lines(folder / "atomic.jsonl", [{"query": "boat", "docs": ["Tiree", "Harbour"]}])
    return folder


def write_quest(data: Path) -> Path:
    """QUEST's files: enough queries that some are for development."""
    write_lines(data / "quest" / "documents.jsonl.gz", DOCUMENTS)
    rows = [
        {
            "_id": f"q-{number}",
            "query": "tower not of stone",
            "original_query": "<mark>tower</mark> that are not <mark>made of stone</mark>",
            "template": "_ that are not _",
            "docs": ["Skerryvore"],
            "attributions": {"Skerryvore": {"the tower": "The tower was built by Alan Stevenson.", "or": "The lamp"}},
        }
        for number in range(40)
    ]
    write_lines(data / "quest" / "train.jsonl", rows)
    return data


def begun(folder: Path) -> tuple[FitModel, WordPieces]:
    """A judge that nothing has trained, and what it reads with."""
    model, tokenizer = begin_expert(JUDGING, str(folder), 0.0)
    return model.eval(), WordPieces(tokenizer)
