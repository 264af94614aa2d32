"""What a passage is about, which of its words mean that, and words of a sentence as text again.

Pronouns, short descriptions and parts of its title mean it; as text, pronouns stand as what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from answerable.qapairs.generation.parsing import Parsed, Sentence
from answerable.qapairs.generation.syntactic.words import NAMED, personal, singular

_PERSONAL = {"he": "he", "she": "she", "him": "he", "his": "he", "her": "she", "himself": "he", "herself": "she"}
_NEUTRAL = {"it": "it", "its": "it", "itself": "it", "they": "they", "their": "they", "them": "they"}
POSSESSIVES = frozenset(("his", "her", "its", "their"))
_EDITIONS = frozenset("edition season name term word".split())
_TAIL = re.compile(r"\s*\([^()]*\)\s*$")


class Other(NamedTuple):
    """What the sentence before is about if not the topic: "it", "they" or a "person"."""

    name: str
    pronoun: str


class Topic(NamedTuple):
    """The page's subject: `name` as a sentence would say it, what it is (the noun of its definition), person or not.

    `followed`: sentences after one that is about it; `strayed`: sentences after one about another person.
    `sure`: whether the first sentence is about it. `gender`: "he" or "she" where the passage says so, else "".
    """

    name: str
    title: str
    words: frozenset[str]
    noun: str
    person: bool
    plural: bool
    sure: bool
    gender: str
    followed: frozenset[int]
    strayed: frozenset[int]
    others: Mapping[int, Other]


def topic(parsed: Parsed) -> Topic:
    """What a passage is about, by its title and its first sentence."""
    title = _TAIL.sub("", parsed.title).strip() or parsed.title.strip()
    words = frozenset(word for word in re.findall(r"\w+", title.lower()) if len(word) > 1 or word.isdigit())
    noun, sure, name, plural = "", False, title, False
    if parsed.sentences and title:
        first = parsed.sentences[0]
        subject = first.child(first.root, "nsubj", "nsubjpass")
        if subject is not None and _names(first, subject, words):
            sure = True
            noun = _definition(first)
            plural = first.words[subject].tag in ("NNS", "NNPS") and first.words[first.root].lower in ("are", "were")
            opening = first.words[first.left[subject]].lower
            if opening == "the" and not title.lower().startswith("the "):
                name = f"the {title}"
            elif title.lower().startswith(("a ", "an ", "the ")):
                pass
            elif opening in ("a", "an") and first.words[subject].tag == "NN":
                name = f"{opening} {_plain(parsed, title)}"
            elif first.words[subject].tag in ("NN", "NNS"):
                name = _plain(parsed, title)
    if noun:
        person = personal(singular(noun)) or (sure and _born(parsed))
    else:
        person = _named_person(parsed, words) or _like_person(title, _gender(parsed))
    raw = Topic(name, title, words, noun, person, plural, sure, _gender(parsed), frozenset(), frozenset(), {})
    return _followed(parsed, raw)


def _followed(parsed: Parsed, about: Topic) -> Topic:
    followed: set[int] = set()
    strayed: set[int] = set()
    others: dict[int, Other] = {}
    for sentence in parsed.sentences:
        subject = sentence.child(sentence.root, "nsubj", "nsubjpass")
        if subject is None:
            continue
        now = about._replace(followed=frozenset(followed), strayed=frozenset(strayed), others=others)
        named = meant(sentence, subject, now)
        if named == about.name:
            followed.add(sentence.number + 1)
            continue
        person = sentence.kinds[subject] == "PERSON" or personal(singular(sentence.words[subject].lower))
        if person or (named is not None and sentence.words[subject].lower in _PERSONAL):
            strayed.add(sentence.number + 1)
        if named is not None:
            others[sentence.number + 1] = others[sentence.number]
        elif other := _other(sentence, subject, person):
            others[sentence.number + 1] = other
    return about._replace(followed=frozenset(followed), strayed=frozenset(strayed), others=others)


def _other(sentence: Sentence, subject: int, person: bool) -> Other | None:
    """What a sentence's subject may be called in the next; None where it is vague."""
    words = sentence.words
    tag = words[subject].tag
    first = sentence.left[subject]
    if tag[:2] != "NN" or subject - first > 5 or any(words[one].tag[:3] == "PRP" for one in range(first, subject)):
        return None
    joined = sentence.child(subject, "conj") is not None
    if joined or not (tag[:3] == "NNP" or words[first].lower == "the"):
        return None
    last = subject + 1
    for one in sentence.children[subject]:
        if one == last and words[one].lower == "of" and sentence.last[one] - one < 6:
            last = sentence.last[one]
    if any(words[one].tag[:3] == "PRP" or words[one].lower in ("this", "these") for one in range(first, last)):
        return None
    name = "".join(words[one].text + (" " if words[one].spaced else "") for one in range(first, last)).strip()
    if first == 0 and words[0].tag == "DT":
        name = name[0].lower() + name[1:]
    if person and tag == "NNP":
        return Other(name, "person") if sum(one.kind == "PERSON" for one in sentence.names) < 2 else None
    return None if person else Other(name, "they" if tag in ("NNS", "NNPS") else "it")


def _born(parsed: Parsed) -> bool:
    """Whether the first brackets say when somebody was born."""
    aside = parsed.asides[0] if parsed.asides else None
    return aside is not None and re.search(r"\bborn\b", parsed.text[aside.start : aside.end]) is not None


def _plain(parsed: Parsed, title: str) -> str:
    """A title in small letters where the passage writes it so."""
    small = title[:1].lower() + title[1:]
    return small if re.search(rf"(?<!\. )\b{re.escape(small)}", parsed.text[1:]) else title


def _names(sentence: Sentence, subject: int, words: frozenset[str]) -> bool:
    """Whether a subject's words are, in the main, those of the title."""
    head = sentence.words[subject].lower
    before = sentence.words[sentence.left[subject] : subject + 1]
    if words <= {word.lower for word in before} and all(word.tag != "POS" for word in before):
        return True
    if any(word.tag == "POS" for word in before) or (
        head not in words and singular(head) not in NAMED and head not in _EDITIONS
    ):
        return False
    own = {
        sentence.words[one].lower
        for one in range(sentence.left[subject], sentence.last[subject])
        if sentence.words[one].tag not in ("DT", "IN", ",")
    }
    return bool(words & own) and len(words & own) * 2 >= min(len(words), len(own))


def _definition(sentence: Sentence) -> str:
    root = sentence.words[sentence.root]
    if root.base != "be":
        return ""
    attribute = sentence.child(sentence.root, "attr")
    if attribute is None:
        return ""
    noun = sentence.words[attribute].lower
    if noun in ("one", "name", "type", "kind", "species", "part", "member"):
        inner = sentence.child(attribute, "prep")
        deeper = sentence.child(inner, "pobj") if inner is not None else None
        if deeper is not None and noun not in ("member", "part"):
            return sentence.words[deeper].lower
    return noun


def _named_person(parsed: Parsed, words: frozenset[str]) -> bool:
    for sentence in parsed.sentences[:4]:
        for name in sentence.names:
            said = {sentence.words[one].lower for one in range(name.first, name.last)}
            if name.kind == "PERSON" and said & words:
                return True
    return False


def _like_person(title: str, gender: str) -> bool:
    """Whether a title may be a person's name, on a page that speaks of one "he" or "she"."""
    parts = title.split()
    named = all(part[0].isupper() and singular(part.lower()) not in NAMED for part in parts)
    return bool(gender) and 1 < len(parts) < 5 and named


def _gender(parsed: Parsed) -> str:
    counts = {"he": 0, "she": 0}
    for sentence in parsed.sentences:
        for word in sentence.words:
            if word.tag in ("PRP", "PRP$") and word.lower in _PERSONAL:
                counts[_PERSONAL[word.lower]] += 1
    if not any(counts.values()):
        return ""
    return max(counts, key=lambda one: counts[one]) if min(counts.values()) == 0 else ""


def meant(sentence: Sentence, head: int, about: Topic) -> str | None:
    """The topic's name where the noun phrase at `head` safely means the topic; None where it means something else."""
    word = sentence.words[head]
    if not about.title:
        return None
    if word.tag in ("PRP", "PRP$"):
        return about.name if pronoun_means(sentence, head, about) else _previous(sentence, head, about)
    first, last = sentence.left[head], sentence.last[head]
    alone = head + 1 - first
    pointing = last == head + 1 and alone == 2 and word.tag == "NN" and sentence.words[first].lower in ("the", "this")
    if pointing and about.sure and (word.lower == about.noun or about.name.lower().endswith(f" {word.lower}")):
        return about.name
    if about.person and word.tag == "NNP" and alone == 1 and word.lower in about.words and last == head + 1:
        return about.name
    if sentence.number == 0 and about.sure and word.role in ("nsubj", "nsubjpass") and word.head == sentence.root:
        return about.name
    return None


def _previous(sentence: Sentence, place: int, about: Topic) -> str | None:
    """What a pronoun that begins a sentence takes up from the one before."""
    other = about.others.get(sentence.number)
    if other is None or not _opens(sentence, place):
        return None
    pronoun = sentence.words[place].lower
    wanted = "person" if pronoun in _PERSONAL else _NEUTRAL.get(pronoun)
    if wanted == "person" and about.person and sentence.number not in about.strayed:
        return None
    return other.name if wanted == other.pronoun else None


def pronoun_means(sentence: Sentence, place: int, about: Topic) -> bool:
    """Whether a pronoun means the topic: one of a person where no other has come up, "it" where the talk is of it."""
    word = sentence.words[place]
    pronoun = word.lower
    if pronoun in _PERSONAL:
        if not about.person or (about.gender and _PERSONAL[pronoun] != about.gender):
            return False
        return (about.sure or bool(about.gender)) and not _rival(sentence, place, about)
    if not about.sure or about.person or sentence.number not in about.followed:
        return False
    if pronoun in ("it", "its", "itself"):
        return not about.plural and (pronoun == "its" or word.head == sentence.root) and _opens(sentence, place)
    return pronoun in ("they", "their", "them") and about.plural and _opens(sentence, place)


def _opens(sentence: Sentence, place: int) -> bool:
    """Whether nothing that a pronoun could mean comes before it in its sentence."""
    return not any(
        word.tag in ("NN", "NNP", "NNS") and word.role in ("nsubj", "nsubjpass") for word in sentence.words[:place]
    )


def _rival(sentence: Sentence, place: int, about: Topic) -> bool:
    """Whether another person is the subject before a pronoun, in its sentence or the one before."""
    if sentence.number in about.strayed:
        return True
    for word in sentence.words[:place]:
        subject = word.role in ("nsubj", "nsubjpass") and word.tag[:2] == "NN" and word.lower not in about.words
        if subject and (sentence.kinds[word.place] == "PERSON" or personal(singular(word.lower))):
            return True
    return False


_CLAUSAL = frozenset(("relcl", "acl", "advcl", "parataxis"))
_PRONOUNS = frozenset("he she it they him them his her its their i we me us my our you your this these those".split())


def kept(sentence: Sentence, head: int, short: bool) -> list[int]:
    """The words of what `head` governs: without non-restrictive clauses and appositions; `short`: nor any clause."""
    out: list[int] = []
    _keep(sentence, head, short, out)
    return sorted(out)


def _keep(sentence: Sentence, head: int, short: bool, out: list[int]) -> None:
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
        aside = comma or (short and role != "appos")
        if nominal and aside and role in ("relcl", "acl", "appos", "advcl", "parataxis"):
            continue
        if role in ("parataxis", "advcl") and comma:
            continue
        if role == "appos" and (comma or (words[head].tag[:2] == "NN" and one > head + 1)):
            continue
        if role == "prep" and comma:
            continue
        _keep(sentence, one, short, out)


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
        name = meant(sentence, place, about)
        return None if name is None else f"{name}'" if name.endswith("s") else f"{name}'s"
    if word.tag == "DT":
        return "the" if word.role == "det" and word.head in ordered else None
    if word.lower in ("himself", "herself", "itself", "themselves", "there"):
        return word.text
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
