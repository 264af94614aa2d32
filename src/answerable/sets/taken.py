"""What is taken away, in the words that it is judged by: with the noun of what it is taken from.

"in Hindi" alone fits a page on the language as well as a film. Said of the noun, it asks what the query asks.
"""

from __future__ import annotations

from answerable.sets.expression import And, Atom, Expression, Minus, Or, asked_for, atoms
from answerable.sets.parsing.features import Words, is_modifier, many
from answerable.sets.parsing.words import text, tokens

_BEFORE = frozenset(("adjective", "cap", "number"))


def judged_as(expression: Expression, noun: Words = ()) -> dict[str, str]:
    """The words that each atom is judged by; of one that is said twice the first words.

    "films" minus "in Hindi" is judged by "films" and "films in Hindi", "albums" minus "American" by "American albums".
    What is asked for, and what has a noun of its own, is judged as it stands. `noun`: what it is all taken from.
    """
    match expression:
        case Atom(said):
            return {said: _under(noun, said)}
        case Minus(left, right):
            return judged_as(right, _noun(left)) | judged_as(left, noun)
        case And(parts) | Or(parts):
            return {said: words for part in reversed(parts) for said, words in judged_as(part, noun).items()}


def _under(noun: Words, said: str) -> str:
    """A modifier after the noun, names and adjectives before it; what may have a noun of its own as it stands."""
    words = tuple(tokens(said))
    if noun and words and is_modifier(words):
        return text((*noun, *words))
    if noun and words and not many(words[-1]) and all(one.kind in _BEFORE for one in words):
        return text((*words, *noun))
    return said


def _noun(left: Expression) -> Words:
    """The noun of the first constraint, with what stands before it; where any of several may hold, the noun alone."""
    asked = asked_for(left)
    words = tuple(tokens(atoms(asked)[0]))
    if not words or is_modifier(words):
        return ()
    end = next((at for at in range(1, len(words)) if is_modifier(words[at:])), len(words))
    return words[end - 1 : end] if isinstance(asked, Or) else words[:end]
