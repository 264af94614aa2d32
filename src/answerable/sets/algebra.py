"""How likely documents are to belong to a set, from how likely they are to fit each of its constraints.

"and" takes the least, "or" the greatest, "minus" the complement (Zadeh 1965), which asks for no independence: a judge
that errs about a text errs about several constraints at once. Products made worse sets of development queries.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from answerable.sets.expression import Expression, asked_for, folded, signed

Floats = NDArray[np.float64]
_LEAST = 1e-9
_HEAD = 20.0
"""Places by which the log-odds of the first ones fall but little."""


def belonging(expression: Expression, fits: Mapping[str, Floats]) -> Floats:
    """(n,) float64 probabilities of n documents to be in the set; `fits` has (n,) of them, 0 to 1, for each atom.

    0 and 1 give what `expression.members` gives. More of an atom never gives less, and less of one that is taken away
    never gives less. Raises `KeyError` for an atom that has none.
    """
    return folded(
        expression,
        lambda text: np.asarray(fits[text], np.float64),
        np.minimum.reduce,
        np.maximum.reduce,
        lambda left, right: np.minimum(left, 1.0 - right),
    )


def given_the_rest(expression: Expression, fits: Mapping[str, Floats]) -> dict[str, Floats]:
    """The same, with what is taken away as likely as it is given that the rest of the expression holds.

    A judge that is not sure that a text is of an album is no surer that it is of an American one: of texts that are to
    be albums, all that it can tell is how likely the second is beside the first.
    """
    rest = belonging(asked_for(expression), fits)
    taken = {text for text, negated in signed(expression) if negated}
    found = {text: np.asarray(one, np.float64) for text, one in fits.items()}
    return found | {text: np.minimum(1.0, found[text] / np.maximum(rest, _LEAST)) for text in taken}


def together(likely: Floats, whole: Floats, weight: float) -> Floats:
    """(n,) float64: probabilities to belong, with those of fitting the query as it was asked, (n,), whose log-odds
    weigh `weight` of all. 0 and 1, which are known and not judged, stay what they are.

    A judge that is asked all at once sees what belongs to what; one that is asked a part at a time forgets nothing.
    """
    odds = (1.0 - weight) * _odds(likely) + weight * _odds(whole)
    return np.where((likely > 0.0) & (likely < 1.0), 1.0 / (1.0 + np.exp(-odds)), likely)


def _odds(likely: Floats) -> Floats:
    sure = np.clip(np.asarray(likely, np.float64), _LEAST, 1.0 - _LEAST)
    found: Floats = np.log(sure / (1.0 - sure))
    return found


def where_known(known: Floats, judged: Floats) -> Floats:
    """(n,) float64: what fields say of documents, and where they say nothing (NaN) what was judged."""
    return np.where(np.isnan(known), judged, known)


def placed(likely: Floats, first: int, weight: float) -> Floats:
    """(n,) float64: probabilities of documents at the places `first` (0: the best), first + 1, ... of a ranking.

    A judge errs more often about what was found further down: of what it takes to fit as likely as not, far more does
    among the first twenty than among the hundredth. So log-odds fall with the logarithm of the place, by `weight`; the
    first keeps its own, and 0 and 1 stay what they are.
    """
    places = np.arange(first, first + len(likely))
    odds = ((_HEAD + places) / _HEAD) ** weight
    found: Floats = likely / (likely + (1.0 - likely) * odds)
    return found
