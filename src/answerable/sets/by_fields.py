"""Constraints that the fields of mail and chat answer exactly: who sent it, to whom, and when.

"mails from Kim Watson", "sent to Kim", "after May 2001", "messages" and the first word of "mails about a party" are
read as filters. Each enclave answers those that what it holds itself can answer: then every mail and message of it fits
or does not, and what is no mail does not fit "mails". All else is judged by text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

from answerable.corpora.fields import BETWEEN_PEOPLE, UNFILTERED, FieldRow, Filter, day_named, folders_of, span_of
from answerable.errors import UsageError
from answerable.languages import STOP_WORDS
from answerable.sets.expression import And, Atom, Expression, Minus, Or, atoms, every, folded, some
from answerable.sets.mentions import alone
from answerable.sets.parsing.features import is_modifier, many
from answerable.sets.parsing.words import PREPOSITIONS, tokens
from answerable.sets.sizes import bare, bound
from answerable.text import words

ANY = ("everything", "anything", "documents", "document", "files", "texts")
"""What any document is."""
_DOCUMENTS = "documents"
_TABLE = "table"
_RECORD = "record"
"""A kind that nobody who asks calls so: a line of JSON."""
NOUNS = {
    **dict.fromkeys(("mail", "mails", "email", "emails", "e-mail", "e-mails"), ("mail",)),
    **dict.fromkeys(("message", "messages"), BETWEEN_PEOPLE),
    **dict.fromkeys(ANY, ()),
}
"""What mail is called, by its kinds, and what any document is."""
_MAILS = ("mails", "emails", "e-mails")
ABOUT = ("about", "concerning", "regarding", "on")
_TEXT = frozenset((*ABOUT, *"since after before until till during with that which who whose whom where".split()))
"""What is in nobody's name, and begins what text says."""
_FURTHER = PREPOSITIONS | _TEXT
"""What says more of mail after what fields say."""
PARTICIPLES = ("sent", "written", "addressed", "dated", "received")
_SINCE = ("since", "after", "before", "until", "till", "between")
_SENDER, _TO = ("from", "by"), ("to",)
DAYS = {
    **dict.fromkeys(("from", "in", "on", "of", "at", "during", "dated", "between"), (0, 1)),
    **dict.fromkeys(("since",), (0, None)),
    **dict.fromkeys(("after",), (1, None)),
    **dict.fromkeys(("before",), (None, 0)),
    **dict.fromkeys(("until", "till", "to", "by"), (None, 1)),
}
"""Which end of a date (0: its first day, 1: the first after it) is the first day that fits, and the first that does
not any more."""
_LONGEST = 8
"""Words of a date or of a name, at most."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the fields of an enclave say: for each constraint that they answer the mails and messages that fit it.

    `days`: of every mail and message its day, newest first. `others`: documents of other kinds, which do not fit the
    constraints of `never`, since these name a kind.
    """

    fits: Mapping[str, frozenset[str]]
    days: Mapping[str, str]
    others: tuple[str, ...]
    never: frozenset[str] = frozenset()

    def of(self, document: str) -> dict[str, bool]:
        """Whether a document fits each constraint that its fields answer."""
        if document not in self.days:
            return dict.fromkeys(self.never, False)
        return {text: document in fit for text, fit in self.fits.items()}


def parted(expression: Expression) -> Expression:
    """The tree with "mails from Kim about a party sent in May" as constraints each for itself: what fields say, and
    what text does. What is taken away from mails is taken away as mail already, and it is the first that is said after
    "not": in "mails not from Kim about golf" all are about golf. "Documents about" says no more than "about", and
    "golf mails" are mails about golf."""

    def apart(text: str) -> Expression:
        said = text.split()
        if topic := _topic(said):
            return every(apart(" ".join(said[len(topic) :])), Atom(f"about {' '.join(topic)}"))
        kinds = NOUNS.get(said[0].lower())
        if not kinds or read(text):
            idle = kinds == () and said[1:] and is_modifier(tokens(" ".join(said[1:]))) and not read(text)
            return Atom(" ".join(said[1:]) if idle else text)
        if end := _end_of_fields(said):
            return every(Atom(" ".join(said[:end])), _dated(said[end:]))
        return every(Atom(said[0]), Atom(text)) if said[0].lower() in _MAILS else Atom(text)

    def both(parts: Sequence[Expression]) -> Expression:
        whole = every(*_with_of(every(*parts)))
        if not isinstance(whole, And):
            return whole
        wanted = {one: read(one.text) for one in whole.parts if isinstance(one, Atom)}
        if any(fields and fields.kinds for fields in wanted.values()):
            whole = every(
                *(_dated(one.text.split()) if one in wanted and not wanted[one] else one for one in whole.parts)
            )
        return every(*dict.fromkeys(whole.parts)) if isinstance(whole, And) else whole

    def without(left: Expression, right: Expression) -> Expression:
        given = [one.text for one in (left.parts if isinstance(left, And) else (left,)) if isinstance(one, Atom)]
        fields = {text: wanted for text in given if (wanted := read(text))}
        if isinstance(right, Atom) and any(wanted.kinds for wanted in fields.values()):
            said = right.text.split()
            end = _end_of_fields(said)
            parts = (Atom(" ".join(said[:end])), _dated(said[end:])) if end else (_dated(said),)
            right, *more = [one for part in parts for one in (part.parts if isinstance(part, And) else (part,))]
            left = every(left, *more)
        return Minus(left, _less(right, {*fields}))

    return folded(expression, apart, both, lambda parts: some(*parts), without)


def _with_of(whole: Expression) -> list[Expression]:
    """The parts of what must all hold, with what begins with "of" as more of the one before it: "the end of May"."""
    found: list[Expression] = []
    for one in whole.parts if isinstance(whole, And) else (whole,):
        if found and isinstance(one, Atom) and one.text.startswith("of ") and isinstance(last := found[-1], Atom):
            found[-1] = Atom(f"{last.text} {one.text}")
        else:
            found.append(one)
    return found


def within(
    expression: Expression,
    among: Filter,
    enclaves: Sequence[str],
    filed: Callable[[Sequence[str]], Iterable[FieldRow]],
) -> tuple[Expression, Filter]:
    """The tree with what is asked for as just documents, and the filter with where these are: in an enclave, or else in
    folders or of a kind that is called so, or of which that is the plural, as in "notes that mention gas", "vegan
    recipes" and "tables about football". What else is said of them stands alone, as what is joined with them does.
    Where tables are filed it is what their rows are called, and stays. `filed`: the documents of enclaves whose
    folders and kinds may be gone by."""
    heads = {said[_noun_of(said)].lower() for said in map(str.split, _heads(expression))}
    head = heads.pop() if len(heads) == 1 else ""

    def called(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(one for one in names if head in (one.lower(), f"{one.lower()}s"))

    where = among if head in NOUNS else replace(among, enclaves=called(enclaves)[:1])
    if where == among and head not in NOUNS:
        rows = [*filed(enclaves)]
        folders = called({name for row in rows for name in folders_of(row[0])})
        kinds = () if folders else called({row[1] for row in rows} - {_RECORD})
        where = replace(among, folders=folders or among.folders, kinds=kinds or among.kinds)

    def apart(text: str) -> Expression:
        said = text.split()
        at = _noun_of(said)
        if said[at].lower() != head:
            described = where.folders and all(one.kind in ("adjective", "cap", "number") for one in tokens(text))
            return Atom(f"{text} {head}" if described else text)
        kept = at + bool(where.folders)  # a judge tells "five star books" better than "five star"
        own = [[] if STOP_WORDS.issuperset(map(str.lower, said[:at])) else said[:kept], said[at + 1 :]]
        return every(*(Atom(" ".join(one)) for one in own if one)) if any(own) else Atom(_DOCUMENTS)

    def both(parts: Sequence[Expression]) -> Expression:
        return every(*([one for one in parts if one != Atom(_DOCUMENTS)] or parts))

    def dated(text: str) -> Expression:
        said = _modifiers(text.split())
        days = said and said == Filter(after=said.after, before=said.before)
        return Atom(f"{_DOCUMENTS} {text}" if days else text)

    named = not where.folders or any(day_named(row[0]) for row in filed(enclaves) if _lies_in(row[0], where.folders))
    made = expression if where == among else folded(expression, apart, both, lambda parts: some(*parts), Minus)
    if made == expression:
        return expression, among  # "football players" are filed nowhere so
    if where.kinds == among.kinds and any(
        row[1] == _TABLE for row in filed(where.enclaves or enclaves) if _lies_in(row[0], where.folders)
    ):
        return expression, where
    if not named:  # when a trip was, is not when its file was written
        return made, where
    return folded(made, dated, lambda parts: every(*parts), lambda parts: some(*parts), Minus), where


def _heads(expression: Expression) -> list[str]:
    """The constraints that say what is asked for, one of each branch."""
    match expression:
        case Atom(text):
            return [text]
        case Or(parts):
            return [text for part in parts for text in _heads(part)]
        case And(parts):
            return _heads(parts[0])
        case Minus(left, _):
            return _heads(left)


def _lies_in(document: str, folders: Sequence[str]) -> bool:
    return not folders or not {*folders}.isdisjoint(folders_of(document))


def _noun_of(said: Sequence[str]) -> int:
    """Which word is the noun of a constraint: the last before what says more of it."""
    ends = (end for end in range(1, len(said)) if said[end].lower() in _FURTHER or _says_more(said[end:]))
    return next(ends, len(said)) - 1


def _says_more(said: Sequence[str]) -> bool:
    rest = " ".join(said)
    size = bound(rest) or bare(rest)
    bounded = size is not None and size.start == 0
    return bounded or is_modifier(tokens(rest)) or _modifiers(said) is not None or alone(rest) is not None


def _topic(said: Sequence[str]) -> Sequence[str]:
    """The words before "mails" that say what these are about; none where they say who sends or reads mails."""
    end = next((at for at, word in enumerate(said) if word.lower() in _MAILS), 0)
    topic = said[:end]
    plain = not any(one.low in _FURTHER or one.kind == "part" or many(one) for one in tokens(" ".join(topic)))
    return topic if plain and not " ".join(topic).endswith(("'s", "’s")) else ()


def _end_of_fields(said: Sequence[str]) -> int:
    """Where what fields say ends and text says more; 0 where it does not begin with fields or they are all."""
    ends = (end for end in range(1, len(said)) if said[end].lower() in _FURTHER and read(" ".join(said[:end])))
    return max(ends, default=0)


def _dated(said: Sequence[str]) -> Expression:
    """What mail is about, and how or when it was sent where that is said after it."""
    first = 2 if said[0].lower() in _TEXT else 1
    ends = [end for end in range(first, len(said)) if _sent(said[end:])][:1]
    return every(*(Atom(" ".join(said[start:end])) for start, end in pairwise([0, *ends, len(said)])))


def _sent(said: Sequence[str]) -> bool:
    """Whether this says how or when a mail was sent, whatever stands before it. "In 2000" may be of that."""
    first = said[0].lower()
    wanted = _modifiers(said) if first in PARTICIPLES or first in _SINCE else None
    return wanted is not None and (first in PARTICIPLES or bool(wanted.after or wanted.before))


def _less(expression: Expression, given: set[str]) -> Expression:
    """What is left to say where what fields say is given."""
    if isinstance(expression, Or):
        return some(*(_less(part, given) for part in expression.parts))
    parts = expression.parts if isinstance(expression, And) else ()
    left = [one for one in parts if not (isinstance(one, Atom) and one.text in given)]
    return every(*left) if left else expression


def filters(expression: Expression) -> dict[str, Filter]:
    """The constraints of an expression that say nothing but a field, as filters."""
    found = {text: read(text) for text in atoms(expression)}
    return {text: wanted for text, wanted in found.items() if wanted}


def read(constraint: str) -> Filter | None:
    """A constraint as a filter, people by whole words; None where it says anything else."""
    said = constraint.split()
    kinds = NOUNS.get(said[0].lower()) if said else None
    if kinds is None:
        return _modifiers(said)
    rest = _modifiers(said[1:]) if said[1:] else UNFILTERED
    return replace(rest, kinds=kinds) if rest is not None else None


def _modifiers(said: Sequence[str]) -> Filter | None:
    """One modifier after the other, a date as long and a name as short as the rest allows; None where a word is
    left."""
    low = [word.lower() for word in said]
    found: list[Filter | None] = [None] * len(said) + [UNFILTERED]  # of the words from each place on
    for start in reversed(range(len(said))):
        at = start + 1 if low[start] in PARTICIPLES and low[start] not in DAYS else start
        every_end = range(at + 2, min(at + 2 + _LONGEST, len(said) + 1))
        for end, of in (*((end, _days) for end in reversed(every_end)), *((end, _person) for end in every_end)):
            rest = found[end]
            first = of(low[at], " ".join(said[at + 1 : end])) if rest is not None else None
            if first and rest is not None and (both := _both(first, rest)):
                found[start] = both
                break
    return found[0] if said else None


def _days(preposition: str, said: str) -> Filter | None:
    """When mail is of, if that is what is said."""
    if preposition not in DAYS:
        return None
    if preposition == "before" and " end of " in f" {said.lower()}":
        preposition = "by"
    try:
        ends = [span_of(one) for one in (said.split("–") if preposition == "between" else [said])]
        after, before = DAYS[preposition]
        first, last = ends[0], ends[-1]
        return Filter(after="" if after is None else first[after], before="" if before is None else last[before])
    except UsageError:
        return None  # no date, then perhaps a person


def _person(preposition: str, said: str) -> Filter | None:
    """Whom mail is from or to, if that is what is said."""
    name = words(said) if preposition in (*_SENDER, *_TO) else ()
    if name and not name[0].isdecimal() and _TEXT.isdisjoint(name):
        whole = (f'"{said}"',)
        return Filter(to=whole) if preposition in _TO else Filter(sender=whole)
    return None


def _both(one: Filter, other: Filter) -> Filter | None:
    """What fits two filters; None where a single one cannot say so."""
    if (one.sender and other.sender) or (one.to and other.to):
        return None
    after, before = max(one.after, other.after), min(filter(None, (one.before, other.before)), default="")
    return Filter(one.sender or other.sender, one.to or other.to, after, before)


def known(wanted: Mapping[str, Filter], rows: Sequence[FieldRow]) -> Known:
    """What an enclave's fields say of these constraints. Depends on nothing but its own documents. Where just documents
    of some days are asked for, what is no mail and has a day counts as mail does."""
    days = any(text.split()[0].lower() in ANY and (one.after or one.before) for text, one in wanted.items())
    mails = [row for row in rows if _between_people(row) or (days and row[4])]
    kinds, named = {row[1] for row in mails}, frozenset(text for text, one in wanted.items() if one.kinds)
    answered = {
        text: one
        for text, one in wanted.items()
        if (one.kinds and kinds.isdisjoint(one.kinds)) or all(_answers(part, mails) for part in _parts(one))
    }
    fits = {text: frozenset(one.fitting(mails) or ()) for text, one in answered.items()}
    by_day = {row[0]: row[4] for row in sorted(mails, key=lambda row: row[4])[::-1]}
    return Known(fits, by_day, tuple(row[0] for row in rows if row[0] not in by_day), named)


def _between_people(row: FieldRow) -> bool:
    """Whether a document is mail, or came with one."""
    return row[1] in BETWEEN_PEOPLE or bool(row[2])


def _parts(wanted: Filter) -> list[Filter]:
    """A filter by each of its fields."""
    given = {one.name: getattr(wanted, one.name) for one in fields(wanted)}
    return [replace(UNFILTERED, **{name: value}) for name, value in given.items() if value]


def _answers(part: Filter, mails: Sequence[FieldRow]) -> bool:
    """Whether any has the field, and of people and kinds whether any fits."""
    found = part.fitting(mails)
    return bool(found) or (found is not None and bool(part.after or part.before))


def settled(expression: Expression, fits: Mapping[str, bool]) -> bool | None:
    """Whether a document belongs, by the constraints of which it is known; None where that depends on others."""

    def both(parts: Sequence[bool | None]) -> bool | None:
        return False if False in parts else None if None in parts else True

    def either(parts: Sequence[bool | None]) -> bool | None:
        return True if True in parts else None if None in parts else False

    def without(left: bool | None, right: bool | None) -> bool | None:
        return both([left, None if right is None else not right])

    return folded(expression, fits.get, both, either, without)
