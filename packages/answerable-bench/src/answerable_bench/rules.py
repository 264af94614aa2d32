"""What a question must be to be in the benchmark (Arora et al. 2022, sections 4.3 and 4.5, figure 9), a rule each: it
takes a question with its passages and gives the reason to reject it, or None. Where the paper gives no number the
limits here were chosen on its example questions.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from answerable.evaluation.hop_order import holds
from answerable.text import words
from answerable.types import Passage
from answerable_bench.grammar import balanced, sentences
from answerable_bench.names import key
from answerable_bench.pairs import BRIDGE, Proposal

_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(
    "a an the of in on at by to from for with and or but as is are was were be been has had have will would that which "
    "who whom whose it its he she his her they their this these those what when where how did does do not into than "
    "also s mail person company".split()
)


def content_words(text: str) -> list[str]:
    """The words of a text that tell something, small, each once, in order."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in _SMALL))


def shares_name(text: str, name: str) -> bool:
    """Whether a text has a telling word of a name (of four letters or more) as a name, or all of them.

    A word with a capital is written as a name; "the university" or "a bank" in small letters says what a thing is.
    """
    telling = [word for word in re.findall(r"\w+", name.lower()) if len(word) > 3] or key(name).split(" ")
    own = re.findall(r"\w+", text)
    held, named = {word.lower() for word in own}, {word.lower() for word in own if not word.islower()}
    return any({word, word.removesuffix("s")} & named for word in telling) or all(
        {word, word.removesuffix("s")} & held for word in telling
    )


class Occurrences:
    """The passages of both corpora by the words they hold."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        """Read every passage once; a number for each word and passage, 4 bytes, is held."""
        self.ids: list[str] = []
        self.counts: Counter[str] = Counter()
        self._held: dict[str, array[int]] = {}
        for number, passage in enumerate(passages):
            self.ids.append(passage.id)
            for word in set(_WORD.findall(f"{passage.title} {passage.text}".lower())):
                if word not in _SMALL:
                    self._held.setdefault(word, array("I")).append(number)
        for word, held in self._held.items():
            self.counts[word] = len(held)

    def holding(self, words: Sequence[str]) -> list[str]:
        """The ids of the passages that hold all of these words (of `content_words`), in order; none for no words."""
        if not words:
            return []
        rare = sorted(words, key=lambda word: self.counts[word])
        found: set[int] | None = None
        for word in rare:
            held = self._held.get(word)
            if held is None:
                return []
            found = set(held) if found is None else found.intersection(held)
            if not found:
                return []
        return [self.ids[number] for number in sorted(found or ())]


POLAR = frozenset({"yes", "no"})
QUESTION_WORDS = (6, 50)
"""The paper's questions have 28 words on average."""
ANSWER_WORDS = (1, 10)
"""The paper's answers have 2 words on average."""
COPIED_WORDS = 15
"""Words in a row that a question may share with a passage."""
ALIKE = 0.6
"""Passages that share more of their words than this are one."""


@dataclass(frozen=True, slots=True)
class World:
    """What rules look at beyond the two passages: all passages, and where words stand."""

    passages: Mapping[str, Passage]
    occurrences: Occurrences


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its two passages."""

    proposal: Proposal
    passages: tuple[Passage, Passage]


Rule = Callable[[Case, World], str | None]


def question_is_clear(case: Case, world: World) -> str | None:
    """One sentence that ends in a question mark, without addresses, placeholders or half of a pair of brackets."""
    text = case.proposal.question
    shaped = text[:1].isupper() and text.endswith("?") and text.count("?") == 1 and "\n" not in text
    odd = re.search(r"[{}<>]|@|https?:|\.\.\.|_{2,}|[?!,;:]{2}", text)
    return None if shaped and not odd and balanced(text) else "the question is not one clear sentence"


def question_has_its_length(case: Case, world: World) -> str | None:
    """Neither a word or two nor a paragraph."""
    low, high = QUESTION_WORDS
    return (
        None if low <= len(case.proposal.question.split()) <= high else f"the question is not of {low} to {high} words"
    )


def answer_has_its_length(case: Case, world: World) -> str | None:
    """A short span, as a factoid question wants."""
    low, high = ANSWER_WORDS
    return None if low <= len(case.proposal.answer.split()) <= high else f"the answer is not of {low} to {high} words"


def answer_is_a_span(case: Case, world: World) -> str | None:
    """The answer stands in the second passage, word for word; a comparison may be answered by yes, no, or a name."""
    proposal = case.proposal
    if proposal.kind != BRIDGE and proposal.answer in (*POLAR, *proposal.names):
        return None
    answer, text = (" ".join(one.split()) for one in (proposal.answer, case.passages[1].text))
    return None if answer in text and proposal.answer else "the answer is no span of the second passage"


def answer_is_not_asked(case: Case, world: World) -> str | None:
    """A bridge question does not hold its own answer."""
    proposal = case.proposal
    if proposal.kind != BRIDGE or not holds(proposal.question, proposal.answer):
        return None
    return "the question gives the answer away"


def bridge_is_hidden(case: Case, world: World) -> str | None:
    """A bridge question does not name the entity that the passages share."""
    proposal = case.proposal
    if proposal.kind != BRIDGE or not shares_name(proposal.question, proposal.names[0]):
        return None
    return "the question names the bridge"


def second_passage_is_needed(case: Case, world: World) -> str | None:
    """The first passage does not hold the answer of a bridge question."""
    proposal = case.proposal
    if proposal.kind != BRIDGE or not holds(case.passages[0].text, proposal.answer):
        return None
    return "the first passage answers alone"


def answer_has_one_home(case: Case, world: World) -> str | None:
    """No passage outside the second's domain has the answer beside the bridge: the slice would not be true.

    Beside it: in one sentence, or where the passage is the bridge's page. Within the domain others may say the same.
    """
    proposal = case.proposal
    if proposal.kind != BRIDGE:
        return None
    name, answer, here = proposal.names[1], proposal.answer, case.passages[1].enclave
    holding = (world.passages[id] for id in world.occurrences.holding(content_words(f"{name} {answer}")))
    for one in holding:
        if one.enclave == here or one.id in proposal.passages:
            continue
        own = key(one.title) == key(name)
        if any(holds(it.text, answer) and (own or holds(it.text, name)) for it in sentences(one.text)):
            return "a passage of another enclave answers it"
    return None


def little_is_copied(case: Case, world: World) -> str | None:
    """The question does not repeat a long run of words of a passage (section 4.5)."""
    asked = words(case.proposal.question)
    runs = {" ".join(asked[i : i + COPIED_WORDS + 1]) for i in range(len(asked) - COPIED_WORDS)}
    for passage in case.passages:
        text = f" {' '.join(words(passage.text))} "
        if any(f" {run} " in text for run in runs):
            return f"more than {COPIED_WORDS} words in a row are copied"
    return None


def passages_differ(case: Case, world: World) -> str | None:
    """The two passages are not one text twice."""
    first, second = (set(words(passage.text)) for passage in case.passages)
    return "the passages are alike" if len(first & second) > ALIKE * min(len(first), len(second)) else None


def sentences_support(case: Case, world: World) -> str | None:
    """Each passage has a supporting sentence, and it is there."""
    for numbers, passage in zip(case.proposal.sentences, case.passages, strict=True):
        count = len(sentences(passage.text))
        if not numbers or not all(0 <= number < count for number in numbers):
            return "a passage has no supporting sentence"
    return None


def names_are_two(case: Case, world: World) -> str | None:
    """A comparison names both things it compares, and they are two."""
    proposal = case.proposal
    if proposal.kind == BRIDGE:
        return None
    one, other = (key(name) for name in proposal.names)
    named = all(holds(proposal.question, name) for name in proposal.names)
    return None if named and one != other and not (one in other or other in one) else "the names compared are not two"


RULES: tuple[Rule, ...] = (
    question_is_clear,
    question_has_its_length,
    answer_has_its_length,
    answer_is_a_span,
    answer_is_not_asked,
    bridge_is_hidden,
    second_passage_is_needed,
    names_are_two,
    sentences_support,
    passages_differ,
    little_is_copied,
    answer_has_one_home,
)
"""Cheap ones first; the first that objects is the one that is told."""


def objection(case: Case, world: World) -> tuple[str, str] | None:
    """(name, reason) of the first rule that objects; None where none does."""
    for rule in RULES:
        if reason := rule(case, world):
            return rule.__name__, reason
    return None
