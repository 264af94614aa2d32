"""Asking for what modifies a noun: how many of it, whose it is, which or what kind of it."""

from __future__ import annotations

from collections.abc import Iterator

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.answers import Answer
from answerable.qapairs.generation.syntactic.saying import kept, say
from answerable.qapairs.generation.syntactic.subjects import Topic
from answerable.qapairs.generation.syntactic.wh import FRONT, STRAND, Wh


def asking_modifier(sentence: Sentence, answer: Answer, modifier: int, head: int, about: Topic) -> Iterator[Wh]:
    """Ways to ask for a modifier with its noun: "how many bridges", "whose bridge", "what kind of bridge"."""
    words = sentence.words
    preposition = STRAND if words[head].role != "pobj" else FRONT
    plural = words[head].tag in ("NNS", "NNPS")
    gone = set(range(sentence.left[modifier], sentence.last[modifier])) | set(range(answer.first, answer.last))
    rest = [one for one in kept(sentence, head, True) if one not in gone]
    rest = [one for one in rest if not (words[one].tag in ("DT", "PRP$") and words[one].head == head)]
    noun = say(sentence, rest, about, False)
    if not noun or head not in rest:
        return
    role, kind = words[modifier].role, answer.kind
    if words[head].tag[:3] == "NNP" and role != "poss":
        return
    if role == "nummod" and (kind in ("CARDINAL", "", "QUANTITY", "MONEY", "PERCENT") or (plural and kind != "DATE")):
        yield Wh(f"how many {noun}", "how many", preposition, True)
        if preposition == FRONT:
            yield Wh(f"how many {noun}", "how many", STRAND, True)
        return
    if role == "poss":
        if kind in ("PERSON", "person", "ORG"):
            yield Wh(f"whose {noun}", "whose", preposition, plural)
        elif kind == "GPE":
            yield Wh(f"which country's {noun}", "which noun", preposition, plural)
        return
    if kind in ("NORP", "ORDINAL", "DATE", "CARDINAL", "PERSON", "WORK_OF_ART") or words[modifier].tag[:2] in (
        "CD",
        "VB",
    ):
        return
    if kind in ("GPE", "ORG", "LOC", "FAC", "EVENT", "GROUP", "PLACE"):
        yield Wh(f"which {noun}", "which modified", preposition, plural)
        return
    yield Wh(f"what kind of {noun}", "what kind", preposition, plural)
    yield Wh(f"what type of {noun}", "what kind", preposition, plural)
