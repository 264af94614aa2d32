"""Clauses taken apart, so that they can be asked and said: subject, verb and the rest, with whoever asks as "you"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from answerable.documents.english import (
    ADVERBS,
    BE,
    DEONTIC,
    DETERMINERS,
    DO,
    FINITE,
    HAVE,
    MODAL,
    PREPOSITIONS,
    PRONOUNS,
    a,
    expand,
    is_participle,
    is_past,
    is_person,
    is_plain,
    is_shifted,
    is_state,
    plain,
    singular,
    without_s,
)

_OPENING = re.compile(r"^(?:(?:also|and|or|but|then|that|either|both|if|when|in addition),? )+", re.IGNORECASE)
_ASIDE = re.compile(r"\s+[-–—]\s+.*$|;.*$|\. .*$|,? (?:for example|such as|including)\b.*$", re.DOTALL)
_NEITHER = re.compile(r"\bneither(?: of)?\b ?", re.IGNORECASE)
_NO = re.compile(r"\b(have|has|had|get|gets|receive|earn) no\b")
_TO_BE = [[word] for word in sorted(BE | HAVE | MODAL)]
_LEFT_OUT = frozenset(("not", "never", "also", "both", "either", "each"))


@dataclass(frozen=True, slots=True)
class Said:
    """A clause: subject, the verb that its question opens with, adverbs, the plain verb after "do", and the rest.

    `verb` is empty where the first is all there is ("are", "have"); `stated` is the verb as it is said without "do".
    Whether the clause denied this is `negative`; the other parts are without its "not".
    """

    subject: str
    auxiliary: str
    adverbs: str
    verb: str
    rest: str
    stated: str
    negative: bool


def _tidy(text: str) -> str:
    """Without conjunctions before it, asides after it, and marks at its end."""
    text = _OPENING.sub("", text.strip(" .,;:?!*"))
    return (_ASIDE.sub("", text) or text).strip(" .,;:?!*")


def joined(stem: str, words: str) -> str:
    """The words of a condition with what they go on from, contractions written out, without asides."""
    text = _lowered(_tidy(expand(words)))
    stem = expand(stem)
    first = text.split()[0].lower() if text else ""
    if not stem or _own_subject(text):
        return text
    if stem.lower().endswith(("you are", "they are")) and (one := _one_person(text)):
        return f"{stem} {one}"
    if (first in ("be", "have", "not", "been") or is_plain(first)) and stem.split()[-1].lower() not in MODAL | {"to"}:
        if must := re.match(r".*?\bmust\b", stem, re.IGNORECASE):
            stem = must[0]
        elif first not in ("not", "been") and not stem.lower().startswith("it "):
            stem = re.sub(r"\s*\b(?:be|is|are)$", "", stem)
    return f"{stem} {text}"


def analysed(said: str, other: bool = False) -> Said:
    """A clause, or what is left of one, taken apart; with `other`, "they" are not whoever asks."""
    whole = expand(said)
    said = _NEITHER.sub("", whole, count=1)
    said = _NO.sub(r"\1 any", said.replace(" nor ", " or ") if said != whole else said)
    negative = said != whole
    words = said.split() or ["applies"]
    at = _verb_at(words)
    subject, rest = " ".join(words[:at]), words[at:]
    if at == 0:
        subject, rest = _without_subject(words)
        negative ^= words[0].lower() == "not"
    person = _you(subject, other)
    if person != subject and person == "you":
        rest = re.sub(r"\b(?:their|his or her|his|her)\b", "your", _plural(" ".join(rest))).split()
    found = _verbal(person, rest)
    return replace(found, negative=found.negative != negative)


def _plural(rest: str) -> str:
    """The verbs after "and" or "or" in the form that goes with "you"."""
    many = {"is": "are", "was": "were", "has": "have", "does": "do"}

    def form(match: re.Match[str]) -> str:
        verb = match[2]
        base = plain(verb) if verb.endswith("s") else None
        return match[1] + many.get(verb, base or verb)

    return re.sub(r"(\b(?:and|or) )(\w+)\b", form, rest)


def _lowered(text: str) -> str:
    """The text without the capital that an item begins with, where its first word is none that has its own."""
    first, _, rest = text.partition(" ")
    low = first.lower()
    function = low in FINITE | DETERMINERS | PRONOUNS | {"be", "not"}
    known = function or is_plain(low) or is_state(low) or is_participle(low)
    return f"{low} {rest}".strip() if known and first[1:] == low[1:] and not rest[:1].isupper() else text


def _you(subject: str, other: bool) -> str:
    """The subject as whoever asks would be spoken to."""
    words = subject.lower().split()
    if other:
        return subject[0].lower() + subject[1:] if words and words[0] in DETERMINERS | PRONOUNS else subject
    own = [w for w in words if w not in DETERMINERS]
    if subject.lower() in ("they", "he or she", "he/she", "i", "we"):
        return "you"
    head = re.split(r" (?:who|in|with|of|from|for)\b", " ".join(own))[0].split()
    if head and is_shifted(head[-1]) and not {"your", "their", "other", "another"} & set(words) and len(head) < 3:
        return "you"
    return subject[0].lower() + subject[1:] if words and words[0] in DETERMINERS | PRONOUNS else subject


def _verb_at(words: list[str]) -> int:
    """Where the finite verb of a clause is; 0 where it has no subject."""
    low = [w.lower().strip(",") for w in words]
    start = 1
    if not low or low[0] not in PRONOUNS | DETERMINERS | {"i"}:
        if not low or is_plain(low[0]) or low[0] in FINITE | {"be", "not", "been", "to"} or is_state(low[0]):
            return 0
    elif low[0] in PRONOUNS - DETERMINERS and len(low) > 1 and low[1] not in ("or", "and", "both"):
        return 1
    relative = 0
    for i in range(start, len(low)):
        word, before = low[i], low[i - 1]
        if word in ("who", "which") or (word == "that" and before not in DETERMINERS | PREPOSITIONS):
            relative += 1
        elif word in FINITE or (i > (low[0] in DETERMINERS) and _is_finite(word, before, low[0], low[i + 1 :][:1])):
            if not relative:
                return i
            relative -= 1
    return 0


def _is_finite(word: str, before: str, first: str, after: list[str]) -> bool:
    """Whether a word within a clause is its verb: a form of one we know, not where a noun or a participle would be."""
    base = plain(word)
    if (
        base is None
        or after in _TO_BE
        or before in DETERMINERS | PREPOSITIONS | {"or", "and", "not", "be", "been", "being"}
    ):
        return False
    if word != base or is_plain(word):
        return first in DETERMINERS | PRONOUNS or word != base
    return before.endswith("s") or before in PRONOUNS


def _own_subject(text: str) -> bool:
    words = text.split()
    return bool(words) and words[0].lower() in PRONOUNS | DETERMINERS - {"no"} and _verb_at(words) > 0


def _without_subject(words: list[str]) -> tuple[str, list[str]]:
    """The subject that a clause leaves out, and its words with their verb."""
    first = words[0].lower()
    if first == "not" and len(words) > 1:
        subject, rest = _without_subject(words[1:])
        return subject, rest
    if first in ("be", "been"):
        return "you", ["are" if first == "be" else "have been", *words[1:]]
    if first in FINITE or is_plain(first) or plain(first):
        return ("it" if first in ("is", "was", "has", "does") else "you"), words
    if re.match(r"[£$€]", first):
        return "it", ["is", *words]
    if is_state(first):
        return "you", ["are", *words]
    phrase = " ".join(words)
    person = _one_person(phrase)
    if person is None and is_person(_head(words)):
        person = phrase
    return ("you", ["are", person]) if person else ("it", ["is", phrase])


def _head(words: list[str]) -> str:
    for i, word in enumerate(words):
        if i and (word.lower() in PREPOSITIONS | {"who", "aged", "that"} or word.lower().endswith("ing")):
            return words[i - 1]
    return words[-1]


def _one_person(phrase: str) -> str | None:
    """A class of persons as one of them: "drivers under 18" is "a driver under 18"; None for any other phrase."""
    words = phrase.split()
    if not words or words[0].lower() in DETERMINERS | PRONOUNS | FINITE | PREPOSITIONS or words[0].endswith("ing"):
        return None
    head = _head(words)
    one = singular(head.lower())
    at = words.index(head)
    if not is_person(head) or any("," in w for w in words[:at]) or (is_state(words[0].lower()) and one == head.lower()):
        return None
    if at > 1 and words[at - 1] in ("and", "or") and is_person(words[at - 2]):
        words[at - 2 : at] = [singular(words[at - 2]), "or"]
    if one == head.lower():
        return a(phrase)
    if one == "person" and at + 1 < len(words) and (is_state(words[at + 1].lower())):
        return " ".join(words[at + 1 :])
    kept = [w[0].lower() + w[1:] if i == 0 and w[1:].islower() else w for i, w in enumerate(words[:at])]
    last = one if head.islower() or at == 0 else singular(head)
    tail = re.sub(r"^who (?:are|have|live)\b", lambda m: f"who {_third(m[0][4:])}", " ".join(words[at + 1 :]))
    return a(" ".join([*kept, last, tail]).strip())


def _third(verb: str) -> str:
    """The form of a verb that goes with one person."""
    irregular = {"have": "has", "are": "is", "do": "does", "go": "goes"}
    if verb in irregular:
        return irregular[verb]
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|ch|sh)$", verb) else "s")


def _verbal(subject: str, rest: list[str]) -> Said:
    """A clause of a subject and the rest, taken apart."""
    words = " ".join(rest).split()
    adverbs = _taken(words)
    verb = words.pop(0).lower() if words else "are"
    auxiliary = ""
    while words and (verb in DEONTIC or (verb in DO and _helps(words))):
        auxiliary = verb if verb in DO else "must"
        adverbs += _taken(words)
        verb = words.pop(0).lower() if words else "be"
    adverbs += _taken(words)
    kept = " ".join(w for w in adverbs if w.lower() not in _LEFT_OUT)
    rest_of = " ".join(words)
    negative = sum(w.lower() in ("not", "never") for w in adverbs) % 2 == 1

    def said(opening: str, base: str = "", stated: str = "", rest: str = rest_of) -> Said:
        return Said(subject, opening, kept, base, rest, stated, negative)

    if auxiliary in DO:
        do = _do(subject, auxiliary)
        return said(do, plain(verb) or verb, {"do": verb, "does": _third(verb)}.get(do, f"{do} {verb}"))
    if verb in BE or verb == "be":
        many, one = ("were", "was") if verb in ("was", "were") else ("are", "is")
        return said(_agreeing(subject, many, one))
    if verb in HAVE and words and (is_participle(words[0].lower()) or words[0].lower() == "got"):
        return said("had" if verb == "had" else _agreeing(subject, "have", "has"))
    if verb in MODAL:
        return said("can" if verb == "cannot" else verb)
    if verb.endswith("ed") and plain(verb) is None:
        return said(_agreeing(subject, "have", "has"), rest=f"{verb} {rest_of}")
    base = "have" if verb in HAVE else "do" if verb in DO else plain(verb) or without_s(verb)
    if verb in ("had", "did") or (base != verb and is_past(verb)):
        return said("did", base, verb)
    do = _agreeing(subject, "do", "does")
    return said(do, base, base if do == "do" else _third(base))


def _helps(after: list[str]) -> bool:
    """Whether "do" goes with the verb after it, and is none of its own: "did not go", but "did business"."""
    verb = next((w.lower() for w in after if w.lower() not in ADVERBS), "")
    return after[0].lower() in ("not", "never") or plain(verb) == verb


def _do(subject: str, verb: str) -> str:
    return "did" if verb == "did" else _agreeing(subject, "do", "does")


def _taken(words: list[str]) -> list[str]:
    """The adverbs and the negation at the beginning, taken off."""
    taken = []
    while words and words[0].lower() in ADVERBS - {"each", "all", "first", "simply"}:
        taken.append(words.pop(0))
    return taken


def _agreeing(subject: str, many: str, one: str) -> str:
    """The form that agrees with a subject: a pronoun, or the noun before anything that tells which."""
    low = subject.lower()
    if low in ("you", "they", "we", "i", "these", "those") or low.startswith("you "):
        return many
    if re.search(r"\band\b", low) and " or " not in low:
        return many
    head = _head(low.split()) if low else "you"
    if head in ("people", "children", "men", "women") or (singular(head) != head and not head.endswith(("'s", "us"))):
        return many
    return one if head != "you" else many
