"""Words of a sentence as text again: what is kept, what pronouns mean, which words are lower-cased."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from answerable.qapairs.generation.parsing import Sentence
from answerable.qapairs.generation.syntactic.subjects import POSSESSIVES, Topic, meant

_CLAUSAL = frozenset(("relcl", "acl", "advcl", "parataxis"))
_PRONOUNS = frozenset("he she it they him them his her its their i we me us my our you your this these those".split())


def kept(sentence: Sentence, head: int, short: bool) -> list[int]:
    """The words of what `head` governs: without non-restrictive clauses and appositions; `short`: nor any clause."""
    out: list[int] = []
    _keep(sentence, head, short, out, True)
    return sorted(out)


def _keep(sentence: Sentence, head: int, short: bool, out: list[int], top: bool) -> None:
    words = sentence.words
    out.append(head)
    nominal = words[head].tag[:2] == "NN" or words[head].tag == "CD"
    for one in sentence.children[head]:
        role = words[one].role
        first = sentence.left[one]
        comma = one > head and first > 0 and words[first - 1].text in (",", ";", ":", "–", "-")
        if nominal and role in _CLAUSAL and one > head:
            comma = comma or any(words[place].text == "," for place in range(head + 1, first))
        if role == "punct":
            continue
        if (
            nominal
            and role in ("relcl", "acl", "appos", "advcl", "parataxis")
            and (comma or (short and role != "appos"))
        ):
            continue
        if role in ("parataxis", "advcl") and comma:
            continue
        if role == "appos" and (comma or (words[head].tag[:2] == "NN" and one > head + 1)):
            continue
        if role == "prep" and comma:
            continue
        _keep(sentence, one, short, out, False)


def say(sentence: Sentence, places: Iterable[int], about: Topic, owner: bool) -> str | None:
    """Words as text, with what pronouns mean; None where one means something that is not known.

    `owner`: whether possessives may stay, since the subject before them is known.
    """
    said: list[str] = []
    held = set(places)
    inner = {place + 1 for place in held if place + 2 in held and _joins(sentence, place + 1)}
    ordered = sorted(held | inner)
    for number, place in enumerate(ordered):
        word = sentence.words[place]
        text = word.text
        if word.tag in ("PRP", "PRP$") or (word.lower in _PRONOUNS and word.tag in ("DT", "PRP", "PRP$")):
            resolved = _resolved(sentence, place, about, owner, ordered)
            if resolved is None:
                return None
            text = resolved
        elif place == 0 and lowers(sentence, 0):
            text = text[0].lower() + text[1:]
        said.append(text)
        follows = ordered[number + 1] if number + 1 < len(ordered) else None
        apart = follows is not None and (word.spaced or follows != place + 1)
        if apart and sentence.words[follows or 0].text not in (",", "'s", "’s", "'"):
            said.append(" ")
    return tidy("".join(said))


def _joins(sentence: Sentence, place: int) -> bool:
    """Whether a mark between two words that are kept is kept too."""
    word = sentence.words[place]
    return word.role == "punct" or word.text in ("-", "–", "/") or word.tag in (",", "HYPH", ":", "``", "''")


def _resolved(sentence: Sentence, place: int, about: Topic, owner: bool, ordered: Sequence[int]) -> str | None:
    word = sentence.words[place]
    if word.tag == "PRP$":
        if owner and word.lower in POSSESSIVES:
            return word.text.lower()
        name = _owner(sentence, place, about)
        return None if name is None else f"{name}'" if name.endswith("s") else f"{name}'s"
    if word.tag == "DT":
        return "the" if word.role == "det" and word.head in ordered else None
    if word.lower in ("himself", "herself", "itself", "themselves", "there"):
        return word.text
    return meant(sentence, place, about)


def _owner(sentence: Sentence, place: int, about: Topic) -> str | None:
    return meant(sentence, place, about)


def lowers(sentence: Sentence, place: int) -> bool:
    """Whether a word that begins a sentence is written small elsewhere: it is no name."""
    word = sentence.words[place]
    if word.tag == "NNS" and word.text[1:].islower() and sentence.kinds[place] not in ("NORP", "LANGUAGE"):
        return True
    if word.tag in ("NNP", "NNPS") or word.text == "I" or (sentence.kinds[place] in (
        "PERSON", "GPE", "ORG", "NORP", "LOC", "FAC", "WORK_OF_ART", "EVENT", "PRODUCT", "LANGUAGE", "LAW",
    ) and word.tag != "DT"):  # fmt: skip
        return False
    return word.text[1:].islower() or len(word.text) == 1


def tidy(text: str) -> str:
    """Text without doubled spaces, and without punctuation that what was left out leaves behind."""
    text = " ".join(text.split()).replace(" ,", ",").replace(",,", ",")
    return text.strip(" ,;:–-")
