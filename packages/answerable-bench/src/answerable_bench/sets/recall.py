"""How good a difference of incomplete sets is (Malaviya et al. 2023, appendix B).

Categories miss members. A found set  holds the share `recall_first` of A, and B̂ the share `recall_second` of B. The
share `overlap` of A is in B as well, and  ∩ B̂ is taken to be recall_first · recall_second of A ∩ B. Then  \\ B̂ has,
against A \\ B, the recall of Â, since what B̂ misses takes nothing away, and the `precision` below.
"""

from __future__ import annotations

from answerable.errors import UsageError

OVERLAPS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
RECALLS = (0.8, 0.9, 0.95, 0.99)


def precision(recall_second: float, overlap: float) -> float:
    """The share of  \\ B̂ that is in A \\ B: p = (1 - r_∩) / (1 - r_B · r_∩).

    Of a first set that lies wholly in a second one that is wholly known nothing is left, and all of it is right: 1.
    """
    _share("recall of the second set", recall_second)
    _share("overlap", overlap)
    left = 1 - recall_second * overlap
    return (1 - overlap) / left if left else 1.0


def largest_overlap(recall_second: float, wanted: float) -> float:
    """The overlap at which precision falls to `wanted`: below it precision is higher. 1 where it never falls so low.

    From p = (1 - r) / (1 - r_B · r): r = (1 - p) / (1 - p · r_B), the same formula. With r_B = 0.95, r = 0.8 gives
    p = 0.83.
    """
    _share("wanted precision", wanted)
    return precision(recall_second, wanted)


def seen(recall_second: float, overlap: float) -> float:
    """The overlap that the found sets show, | ∩ B̂| / |Â| = r_B · r_∩: less than the true one, since B̂ misses some."""
    return recall_second * overlap


def precision_seen(recall_second: float, shown: float) -> float:
    """The precision of a difference of found sets that show this overlap; 0 where B would then hold all of A."""
    _share("overlap", shown)
    overlap = min(1.0, shown / recall_second) if recall_second else 1.0
    return precision(recall_second, overlap) if shown < 1 else 0.0


def table(recalls: tuple[float, ...] = RECALLS) -> dict[float, tuple[float, ...]]:
    """By overlap, the precision of a difference for each recall of what is taken away."""
    return {overlap: tuple(precision(known, overlap) for known in recalls) for overlap in OVERLAPS}


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise UsageError(f"the {name} is {value}", hint="give a share from 0 to 1")
