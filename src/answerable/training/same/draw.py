"""Lessons from questions that people asked: which of them ask the same, as far as their answers and words tell."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from answerable.text import normalise_answer, words
from answerable.training.reading import NONE, lines_of, squad
from answerable.training.same.changes import NAME, keywords, misspelt, named, negated, number, opposite, polite, rebuilt
from answerable.training.same.lessons import Lesson, Slots
from answerable.training.words import WORDS

_COMMON = frozenset(
    "a an the of in on at to for by is are was were be been do does did has have had what which who whom whose when "
    "where how why that this it its s and many much".split()
)
_LONGEST = 160
_ALIKE, _NEAR, _EQUAL = 0.6, 0.4, 0.85
"""The shares of words in common from which questions with one answer ask the same, with two lie near, and above which
answers that are noted differ rather than the questions."""
Asked = tuple[str, tuple[str, ...]]


@cache
def by_passage(data: Path) -> tuple[tuple[Asked, ...], ...]:
    """Questions with their answers, by the passage that they were asked of."""
    held: defaultdict[str, list[Asked]] = defaultdict(list)
    for name in ("squad/squad-train-part.json.gz", "squad/squad-train-more.json.gz", "nq/nq-train.json.gz"):
        for _, one in squad(data / name, name.partition("/")[0]):
            if one.kind != NONE and len(one.question) < _LONGEST:
                held[one.passages[0][1]].append((one.question, one.answers))
    for row in lines_of(data / "qamr/qamr.jsonl.gz"):
        for item in row["qas"]:
            held[row["sentence"]].append((item["question"], tuple(one["text"] for one in item["answers"])))
    return tuple(tuple(dict(ones).items()) for ones in held.values())


@cache
def searched(data: Path) -> tuple[Asked, ...]:
    """Questions typed into search engines, and those of quizzes, with their answers."""
    found: dict[str, tuple[str, ...]] = {}
    for name in ("nq/nq-open-more.jsonl.gz", "webquestions/webquestions.jsonl.gz", "triviaqa/triviaqa.jsonl.gz"):
        for row in lines_of(data / name):
            if len(row["question"]) < _LONGEST:
                found.setdefault(row["question"], tuple(map(str, row["answers"])))
    return tuple(found.items())


def passages(data: Path, rng: random.Random) -> list[Lesson]:
    """For each question of a passage the one most like it with another answer; and where the answer is one and most
    words are, both ask the same."""
    found: list[Lesson] = []
    for ones in by_passage(data):
        bags = [_bag(question) for question, _ in ones]
        for n, (question, answers) in enumerate(ones):
            near = sorted((m for m in range(len(ones)) if m != n), key=lambda m: (-_shared(bags[n], bags[m]), m))
            apart = [m for m in near if _apart(answers, ones[m][1])]
            if apart:
                found.append(Lesson(question, ones[apart[0]][0], False, "passage"))
            found += [Lesson(question, ones[m][0], True, "passage") for m in near if m > n and _same(ones[n], ones[m])]
    rng.shuffle(found)
    return found


def twice(data: Path, rng: random.Random) -> list[Lesson]:
    """Questions that were searched for: near ones, with one answer or with two."""
    asked = searched(data)
    bags = [_bag(question) for question, _ in asked]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for n, bag in enumerate(bags):
        for word in bag:
            holders[word].append(n)
    found: list[Lesson] = []
    for n, bag in enumerate(bags):
        others = {m for word in bag if len(holders[word]) < 400 for m in holders[word] if m > n}
        near = sorted((m for m in others if _shared(bag, bags[m]) >= _NEAR), key=lambda m: (-_shared(bag, bags[m]), m))
        for m in near[:3]:
            if _same(asked[n], asked[m]):
                found.append(Lesson(asked[n][0], asked[m][0], True, "twice"))
            elif _shared(bag, bags[m]) < _EQUAL and _apart(asked[n][1], asked[m][1]):
                found.append(Lesson(asked[n][0], asked[m][0], False, "twice"))
    rng.shuffle(found)
    return found


def dated(data: Path, rng: random.Random) -> list[Lesson]:
    """Questions of one time beside those of another, or of any."""
    held: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in lines_of(data / "situatedqa/situatedqa.jsonl.gz"):
        held[row["question"]].append((row["edited_question"], str(row.get("date") or "")))
    found = []
    for question, ones in sorted(held.items()):
        (edited, date), (other, than) = rng.choice(ones), rng.choice(ones)
        if edited != question:
            found.append(Lesson(question, edited, False, "dated"))
        if date != than and edited != other:
            found.append(Lesson(edited, other, False, "dated"))
    rng.shuffle(found)
    return found


def changed(data: Path, rng: random.Random) -> list[Lesson]:
    """Questions typed by somebody else, and with a name, a number or a word exchanged or a "not" put in."""
    asked = _questions(data)
    names = sorted({match.group() for question in asked for match in NAME.finditer(question)})
    misses: Sequence[tuple[str, Callable[[str], str | None]]] = (
        ("name", lambda one: named(one, names, rng)),
        ("number", lambda one: number(one, rng)),
        ("opposite", lambda one: opposite(one, rng)),
        ("negation", lambda one: negated(one, rng)),
    )
    found: list[Lesson] = []
    for question in rng.sample(asked, len(asked)):
        plain = question.rstrip(" ?")
        ways = (plain.lower(), misspelt(question, rng), polite(plain, rng), keywords(plain.lower(), rng))
        found.append(Lesson(question, rng.choice(ways), True, "typed"))
        made = [(kind, new) for kind, change in misses if (new := change(question)) and new != question]
        if made:
            kind, new = rng.choice(made)
            found.append(Lesson(question, new, False, kind))
    return found


def grammar(data: Path, rng: random.Random) -> list[Lesson]:
    """Questions built anew, and the near misses of that."""
    found: list[Lesson] = []
    for question in _questions(data):
        same, other = rebuilt(question, rng)
        if same:
            ways = [question, *rng.sample(same, min(2, len(same)))]
            found += [Lesson(ways[0], one, True, "rebuilt") for one in ways[1:]]
            found += [Lesson(rng.choice(ways), one, False, "rebuilt") for one in rng.sample(other, min(2, len(other)))]
    rng.shuffle(found)
    return found


def unlike(data: Path, rng: random.Random) -> list[Lesson]:
    """Any two questions."""
    asked = _questions(data)
    return [Lesson(one, rng.choice(asked), False, "unlike") for one in rng.sample(asked, len(asked) // 2)]


SOURCES: dict[str, Callable[[Path, random.Random], list[Lesson]]] = {
    "passages": passages,
    "twice": twice,
    "dated": dated,
    "changed": changed,
    "grammar": grammar,
    "unlike": unlike,
}
"""What gives lessons from the data, by name."""


def slots(data: Path) -> Slots:
    """Names of people, works and places for templates (PopQA), and names of firms made of those."""
    held: defaultdict[str, list[str]] = defaultdict(list)
    for row in lines_of(data / "popqa/popqa.jsonl.gz"):
        for pattern, what in _NAMED:
            if (match := pattern.fullmatch(row["question"])) and len(match[1]) < 40:
                held[what].append(match[1])
    rng, ends = random.Random(1), WORDS["named"]
    last = [name.split()[-1] for name in held["person"] if len(name.split()) > 1 and name.split()[-1][1:].islower()]
    held["org"] = [f"{one} {rng.choice(ends['firms'])}" for one in rng.sample(last, min(400, len(last)))]
    held["year"] = [str(year) for year in range(1890, 2025)]
    held["event"] = [f"{place} {rng.choice(ends['events'])}" for place in held["place"]]
    held["building"] = [f"{place} {rng.choice(ends['buildings'])}" for place in held["place"]]
    held["product"] = [f"{name} {rng.choice(ends['products'])}" for name in last]
    return {what: tuple(dict.fromkeys(names)) for what, names in held.items()}


_NAMED = (
    (re.compile(r"What is (.+)'s occupation\?"), "person"),
    (re.compile(r"Who was the director of (.+)\?"), "work"),
    (re.compile(r"Who is the author of (.+)\?"), "work"),
    (re.compile(r"What is the capital of (.+)\?"), "place"),
    (re.compile(r"What is (.+) the capital of\?"), "place"),
)


def _questions(data: Path) -> list[str]:
    return [question for ones in by_passage(data) for question, _ in ones] + [one for one, _ in searched(data)]


def _bag(question: str) -> frozenset[str]:
    return frozenset(word.rstrip("s") for word in words(question.lower()) if word not in _COMMON)


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _same(one: Asked, other: Asked) -> bool:
    """Whether two questions have an answer in common, and one names all that the other does and hardly more."""
    mine, theirs = _bag(one[0]), _bag(other[0])
    if _shared(mine, theirs) < _ALIKE or _keys(one[1]).isdisjoint(_keys(other[1])):
        return False
    rest = mine ^ theirs
    return len(rest) <= 1 and (mine <= theirs or theirs <= mine) and not any(c.isdigit() for one in rest for c in one)


def _apart(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether no answer of one is part of one of the other."""
    return not any(a in b or b in a for a in _keys(one) for b in _keys(other))


def _keys(answers: Sequence[str]) -> set[str]:
    return {normalise_answer(one) for one in answers} - {""}
