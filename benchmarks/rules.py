"""Rules read without a model: the follow-up questions asked of ShARC, and the conditions found in ConditionalQA.

    python benchmarks/rules.py --data DATA [--part train|report]

ShARC is split by snippet (`report`: share below 0.3, `train`: from 0.4 on), ConditionalQA by page (below 0.4, and the
rest). Per cent throughout. `follow_up`: BLEU of the question asked, the snippet being given, on the turns whose gold
answer is a question; `first sentence` and `question` ask the snippet's first sentence and the first question again.
`decision`: what a rule decides against the gold Yes, No or More, by the turns of the history, and with the turns that
tell what the scenario says (`evidence`). `conditions`: elements of the evidence in which a condition is found against
those that are conditions of an answer; `all elements` takes each to be one.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import common
from answerable.datasets.examples import Example
from answerable.datasets.parts import share
from answerable.datasets.rules import conditionalqa, sharc
from answerable.documents.rules import rules
from answerable.documents.settle import Turn, follow_up, settle
from answerable.evaluation.metrics.sharc import decision, follow_up_bleu, macro_accuracy, micro_accuracy
from answerable.text import content, sentences


def within(name: str, part: str, bound: float) -> bool:
    """Whether a snippet or a page is in a part."""
    return share(name) < bound if part == "report" else share(name) >= 0.4


def decided(snippet: str, first: str, history: Sequence[Turn]) -> str:
    """What the rule nearest to the question decides; "more" where it is open, and where there is no rule."""
    wanted = content(first)
    found = max(rules(snippet), key=lambda rule: len(wanted & content(rule.consequence)), default=None)
    said = settle(found, history) if found else None
    return said.text if said and not said.conditions else "more"


def sharc_figures(path: Path, part: str) -> dict[str, Any]:
    """Follow-up questions and decisions of one part of ShARC."""
    rows = [row for row in sharc(path) if within(row.supporting[0], part, 0.3)]
    snippets = {row.passages[0][1] for row in rows}
    more = [row for row in rows if row.kind == "More"]
    gold = [row.answers[0] for row in more]
    said = {
        "rules": [follow_up(s, (0, len(s)), r.question, r.meta["history"]) or r.question for s, r in given(more)],
        "first sentence": [first_sentence(snippet) for snippet, _ in given(more)],
        "question": [row.question for row in more],
    }
    three = [row for row in rows if row.kind != "Irrelevant"]
    kinds = [decision(row.answers[0]) for row in three]
    decisions = {
        name: accuracy([decided(s, r.question, [t for w in wanted for t in r.meta[w]]) for s, r in given(three)], kinds)
        for name, wanted in (("history", ("history",)), ("history and evidence", ("evidence", "history")))
    }
    return {
        "snippets": len(snippets),
        "with a rule": common.percent(sum(bool(rules(one)) for one in snippets), len(snippets)),
        "follow_up": {
            name: {"turns": len(gold), **{f"bleu{n}": round(100 * follow_up_bleu(ours, gold, n), 1) for n in (1, 4)}}
            for name, ours in said.items()
        },
        "decision": {
            "turns": len(kinds),
            "gold": dict(Counter(kinds)),
            **decisions,
            "always more": accuracy(["more"] * len(kinds), kinds),
        },
    }


def given(rows: Iterable[Example]) -> list[tuple[str, Example]]:
    """Turns with their snippets."""
    return [(row.passages[0][1], row) for row in rows]


def accuracy(said: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """Micro and macro accuracy, the share that is decided at all, and how many of those are right."""
    certain = [(ours, theirs) for ours, theirs in zip(said, gold, strict=True) if ours != "more"]
    return {
        "micro": round(100 * micro_accuracy(said, gold), 1),
        "macro": round(100 * macro_accuracy(said, gold), 1),
        "decided": common.percent(len(certain), len(gold)),
        "right of these": common.percent(sum(ours == theirs for ours, theirs in certain), len(certain)),
    }


def first_sentence(snippet: str) -> str:
    """The first sentence of a snippet below its heading."""
    body = re.sub(r"^\s*#.*\n", "", snippet).strip() or snippet
    start, end = (sentences(body) or [(0, len(body))])[0]
    return body[start:end]


def page(elements: Iterable[str]) -> tuple[str, list[tuple[int, int]]]:
    """HTML elements as a text of headings, paragraphs and marked items, and the characters of each."""
    text, spans = "", []
    for element in elements:
        tag = (re.match(r"<(\w+)", element) or ["", "p"])[1]
        mark = "# " if tag.startswith("h") else "* " if tag == "li" else ""
        words = html.unescape(re.sub(r"<[^>]+>", " ", element)).strip()
        text += ("\n" if mark == "* " else "\n\n") + mark
        spans.append((len(text), len(text) + len(words)))
        text += words
    return text, spans


def condition_figures(rows: Sequence[Example]) -> dict[str, Any]:
    """Elements of the evidence found to be conditions, against those that are."""
    counts = {name: Counter[str]() for name in ("rules", "all elements")}
    for row in rows:
        elements = row.meta["evidence"]
        gold = {element for _, conditions in row.meta["conditions"] for element in conditions} & set(elements)
        text, spans = page(elements)
        starts = [condition.start for rule in rules(text) for condition in rule.conditions]
        said = {
            "rules": {e for e, (a, b) in zip(elements, spans, strict=True) if any(a <= one < b for one in starts)},
            "all elements": set(elements),
        }
        for name, ours in said.items():
            counts[name] += Counter(right=len(ours & gold), said=len(ours), gold=len(gold))
    return {
        name: {
            "precision": common.percent(count["right"], count["said"]),
            "recall": common.percent(count["right"], count["gold"]),
            "f1": common.percent(2 * count["right"], count["said"] + count["gold"]),
        }
        for name, count in counts.items()
    }


def main(words: list[str] | None = None) -> None:
    """Print the figures of a part."""
    parser = common.parser(__doc__, "data")
    parser.add_argument("--part", choices=("train", "report"), default="report")
    given = parser.parse_args(words)
    rows = [
        row
        for row in conditionalqa(given.data / "conditionalqa/questions.jsonl")
        if within(row.supporting[0], given.part, 0.4) and any(conditions for _, conditions in row.meta["conditions"])
    ]
    figures = {
        "part": given.part,
        "sharc": sharc_figures(given.data / "sharc/questions.jsonl", given.part),
        "conditionalqa": {"all": {"questions": len(rows)} | condition_figures(rows)},
    }
    common.tell(given.json, figures, figures["sharc"]["decision"]["turns"])


if __name__ == "__main__":
    main()
