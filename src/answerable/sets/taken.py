"""What is taken away, in the words that it is judged by: with the noun of what it is taken from.

"in Hindi" alone fits a page on the language as well as a film. Said of the noun, it asks what the query asks.
"""

from __future__ import annotations

from answerable.sets.expression import And, Atom, Expression, Minus, Or, asked_for, atoms
from answerable.sets.parsing.features import Words, is_modifier, many
from answerable.sets.parsing.words import text, tokens

_BEFORE = frozenset(("adjective", "cap", "number"))


def judged_as(expression: Expression) -> dict[str, str]:
    """The words that each atom is judged by, in the order they are written.

    "films" minus "in Hindi" is judged by "films" and "films in Hindi", "albums" minus "American" by "American albums".
    What is asked for, and what has a noun of its own, is judged as it stands.
    """
    found: dict[str, str] = {}

    def walk(one: Expression, noun: Words) -> None:
        match one:
            case Atom(said):
                found.setdefault(said, _under(noun, said))
            case And(parts) | Or(parts):
                for part in parts:
                    walk(part, noun)
            case Minus(left, right):
                walk(left, noun)
                walk(right, _noun(left))

    walk(expression, ())
    return found


def _under(noun: Words, said: str) -> str:
    """A modifier after the noun, names and adjectives before it; what may have a noun of its own as it stands."""
    words = tuple(tokens(said))
    if noun and words and is_modifier(words):
        return text((*noun, *words))
    if noun and words and not many(words[-1]) and all(one.kind in _BEFORE for one in words):
        return text((*words, *noun))
    return said


def _noun(left: Expression) -> Words:
    """The noun that the first constraint of a part is about, with what stands before it; of alternatives the noun alone."""
    words = tuple(tokens(atoms(asked_for(left))[0]))
    if not words or is_modifier(words):
        return ()
    end = next((at for at in range(1, len(words)) if is_modifier(words[at:])), len(words))
    return words[end - 1 : end] if isinstance(asked_for(left), Or) else words[:end]
