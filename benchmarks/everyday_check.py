"""Whether questions of the everyday set keep to its format, and whether each quote stands in its source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from answerable.text import words
from everyday_corpora import KINDS, Piece, Question, grouped, half_of, one_space

KEYS = frozenset({"id", "workspace", "kind", "question", "before", "answers", "gold", "note"})
NEEDED = frozenset({"id", "workspace", "kind", "question", "answers", "gold"})
POLAR = (["yes"], ["no"])
PAIRED = frozenset({"two-hop", "compare"})
COUNTED = frozenset({"how-many", "latest"})
"""Kinds whose answer may be counted or worked out, where a note says how; of all others it stands in a quote."""
SHORTEST, LONGEST = 3, 25
"""Words of a quote; of a row of a table, its cells."""
_REPLY = re.compile(r"^[> ]+", re.MULTILINE)


def faults(rows: Sequence[Question]) -> Iterator[str]:
    """What is wrong with questions as they stand, a sentence each, without looking at any source."""
    for id_, times in Counter(row.get("id") for row in rows).items():
        if times > 1:
            yield f"{id_}: the id stands {times} times"
    texts = Counter((row.get("workspace"), row.get("question"), str(row.get("before"))) for row in rows)
    yield from (
        f"{asked!r} is asked {times} times in {where}" for (where, asked, _), times in texts.items() if times > 1
    )
    for row in rows:
        yield from (f"{row.get('id')}: {fault}" for fault in _faults(row))


def sound(row: Question) -> bool:
    """Whether a question has all that it needs to be looked up."""
    return not any(_faults(row))


def unfound(row: Question, held: Mapping[tuple[str, str], Piece]) -> Iterator[str]:
    """Which documents of a question are not in its workspace, and which quotes not in their documents.

    `held`: the documents of the workspace by source and id.
    """
    for gold in row["gold"]:
        piece = held.get((gold["source"], gold["id"]))
        if piece is None:
            yield f"{row['id']}: {gold['source']} {gold['id']} is not in {row['workspace']}"
        elif one_space(gold["quote"]) not in one_space(_REPLY.sub("", piece.text)):
            yield f"{row['id']}: not in {gold['source']} {gold['id']}: {gold['quote']!r}"


def shares(rows: Sequence[Question]) -> dict[str, dict[str, int]]:
    """How many questions of each kind, in all and by workspace."""
    found: dict[str, dict[str, int]] = {"all": dict.fromkeys(KINDS, 0)}
    for row in rows:
        own = found.setdefault(grouped(row["workspace"]), dict.fromkeys(KINDS, 0))
        for counts in (found["all"], own):
            counts[row["kind"]] += 1
    return found


def _faults(row: Question) -> Iterator[str]:
    if missing := NEEDED - row.keys() or row.keys() - KEYS:
        yield f"keys are missing or unknown: {', '.join(sorted(missing))}"
        return
    kind, answers, gold = row["kind"], row["answers"], row["gold"]
    try:
        half_of(row["workspace"])
    except ValueError as error:
        yield str(error)
    nothing = kind.startswith("none-")
    texts = [one.get("quote", "") for one in gold]
    quotes = [" ".join(words(text)) for text in texts]
    stands = any(f" {' '.join(words(text))} " in f" {quote} " for text in answers for quote in quotes)
    for wrong, why in (
        (kind not in KINDS, f"{kind!r} is no kind"),
        (not row["id"].startswith(f"{row['workspace']}-"), "the id does not begin with its workspace"),
        (not row["question"].strip(), "the question is empty"),
        ((kind == "follow-up") != bool(row.get("before")), "`before` is for follow-ups, and these need it"),
        (nothing != (not answers) or nothing != (not gold), "answers and gold are empty for the `none` kinds alone"),
        (any(set(one) != {"source", "id", "quote"} for one in gold), "a row of gold is source, id and quote"),
        (kind in PAIRED and len(gold) < 2, f"a {kind} question has two rows of gold"),
        (kind == "yes-no" and answers not in POLAR, 'the answer is ["yes"] or ["no"]'),
        (any(len(words(text)) < SHORTEST or len(text.split()) > LONGEST for text in texts),
         f"a quote has {SHORTEST} to {LONGEST} words"),
        (not nothing and answers not in POLAR and not stands and not (kind in COUNTED and row.get("note")),
         "no answer stands in a quote"),
    ):  # fmt: skip
        if wrong:
            yield why
