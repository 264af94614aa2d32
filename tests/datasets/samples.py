"""Invented records in the official forms, and how they are laid out in files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

SECRET = "Which lighthouse did Marta Kvist paint?"
"""Stands in every sample as text of the data, which no error may show."""


def jsonl(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def whole(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def packed(path: Path) -> Path:
    gz = path.with_name(path.name + ".gz")
    gz.write_bytes(gzip.compress(path.read_bytes()))
    return gz


HOTPOT = {
    "_id": "h1", "question": SECRET, "answer": "Skerry Light", "type": "bridge", "level": "hard",
    "supporting_facts": [["Marta Kvist", 1], ["Skerry Light", 0], ["Marta Kvist", 0]],
    "context": [["Skerry Light", ["A light.", " It is red."]], ["Marta Kvist", ["A painter.", " She lived in Oban."]]],
}  # fmt: skip
POOLED = {
    "_id": "p1", "question": SECRET, "answer": "Skerry Light", "type": "bridge", "level": None,
    "supporting": [["Marta Kvist", 0], ["Skerry Light", 2]], "context": ["a", "b", "c"], "gold": ["b", "a"],
    "covered": True,
}  # fmt: skip
MUSIQUE = {
    "id": "2hop__7_9", "question": SECRET, "answer": "Skerry Light", "answer_aliases": ["Skerry", "Skerry Light"],
    "answerable": True,
    "question_decomposition": [
        {"id": 9, "question": "Who painted it?", "answer": "Marta Kvist", "paragraph_support_idx": 2},
        {"id": 7, "question": "What did #1 paint?", "answer": "Skerry Light", "paragraph_support_idx": 0},
    ],
    "paragraphs": [
        {"idx": 0, "title": "Skerry Light", "paragraph_text": "A light.", "is_supporting": True},
        {"idx": 1, "title": "Oban", "paragraph_text": "A town.", "is_supporting": False},
        {"idx": 2, "title": "Marta Kvist", "paragraph_text": "A painter.", "is_supporting": True},
    ],
}  # fmt: skip
CONCURRENT = {
    "_id": "c1", "question": SECRET, "answer": "30 minutes", "type": "bridge", "domain": [0, 0],
    "sp": [
        {"title": "e12_p3", "sents": ["One.", "Two."], "sp_sent_idx": [1]},
        {"title": "Skerry Light", "sents": ["Three."], "sp_sent_idx": [0]},
    ],
}  # fmt: skip
RETRIEVER = {
    "_id": "c1", "question": SECRET, "answers": ["30 minutes"], "type": "bridge", "bridge": "e12_p3", "neg_paras": [],
    "pos_paras": [{"title": "e12_p3", "text": "Two."}, {"title": "Skerry Light", "text": "Three."}],
}  # fmt: skip
ARTICLE = {
    "title": "Skerry_Light",
    "paragraphs": [
        {
            "context": "It was lit in 1851 and again in 1901.",
            "qas": [
                {"id": "q1", "question": SECRET, "answers": [{"text": "1851", "answer_start": 14}] * 2},
                {"id": "q2", "question": "By whom?", "answers": [], "is_impossible": True},
                {"id": "q1", "question": "Again?", "answers": [{"text": "1901", "answer_start": 32}], "passage": "z"},
            ],
        }
    ],
}  # fmt: skip
BOOLQ = {"question": SECRET, "title": "Skerry Light", "passage": "It is red.", "answer": True}
HYBRID = {
    "question_id": "t1", "question": SECRET, "table_id": "Lights_0", "answer-text": "red", "where": "passage",
    "question_postag": "WDT",
    "answer-node": [["Skerry", [2, 0], "/wiki/Skerry_Light", "passage"], ["red", [2, 1], None, "table"]],
}  # fmt: skip
TABLED = {
    "_id": "t2", "question": SECRET, "answer": "red", "table": "Lights_0",
    "evidence": [{"cell": "red", "row": 2, "column": 1, "passage": None, "where": "table"}],
}  # fmt: skip
SHARC = {
    "utterance_id": "u1", "tree_id": "tree", "source_url": "https://rules.example/light", "snippet": "You may paint.",
    "question": SECRET, "scenario": "I am a painter.", "answer": "Are you over 16?",
    "history": [{"follow_up_question": "Is it yours?", "follow_up_answer": "Yes"}],
    "evidence": [{"followup_question": "Do you paint?", "followup_answer": "Yes"}],
}  # fmt: skip
CONDITIONAL = {
    "id": "dev-1", "url": "https://rules.example/light", "scenario": "I am a painter.", "question": SECRET,
    "not_answerable": False, "answers": [["yes", ["<p>if dry</p>"]], ["no", []]], "evidences": ["<p>You may.</p>"],
}  # fmt: skip
QUEST = {
    "query": SECRET, "docs": ["Lamp", "Oil", "Lamp"], "original_query": "<mark>x</mark>", "scores": None,
    "metadata": {"template": "_ that are also _", "domain": "films", "attributions": {"Lamp": [{"a": "b"}]}},
}  # fmt: skip
