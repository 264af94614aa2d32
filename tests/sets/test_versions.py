"""Versions that constraints bound."""

from __future__ import annotations

import pytest

from answerable.sets.versions import version_bound


@pytest.mark.parametrize(
    ("wanted", "text", "fits"),
    [
        ("programs after version 3.9", "It is at 3.10 now.", True),
        ("programs after version 3.9", "It is at 3.9.", False),
        ("programs before 1.10.2", "1.9.14", True),
        ("programs before 1.10.2", "1.10.11", False),
        ("programs since 2.0", "2.0", True),
        ("programs of at least version 2.0", "It has no number.", False),
    ],
)
def test_versions_are_compared_part_by_part(wanted: str, text: str, fits: bool) -> None:
    found = version_bound(wanted)
    assert found is not None and found.fits("", text) is fits


@pytest.mark.parametrize("wanted", ["towers over 3.5 km", "rated above 4.5", "mails after 3.9.2020", "after 1950"])
def test_what_is_no_version(wanted: str) -> None:
    assert version_bound(wanted) is None
