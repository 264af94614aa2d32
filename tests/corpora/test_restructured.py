"""reStructuredText: what is shown of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.restructured import read_restructured
from tests.corpora.reading import read, write

LONG = "It says how long a lamp burns before it is changed, in hours.\n" * 5

PAGE = f"""\
.. _lamps:

=====
Lamps
=====

:orphan:

.. A comment
   of two lines.

A **lamp** has a :term:`wick`, see :doc:`the list </list>` and :func:`~lamps.light`; call ``light(a, *b)``.

Settings
--------

.. py:data:: BURN_HOURS
   :type: ``int``

{"".join(f"   {line}" for line in LONG.splitlines(keepends=True))}
   .. versionadded:: 3.1

   .. deprecated:: 4.0
      Use WICK_HOURS.

.. toctree::

   other

Light it::

    light('a')

    # *not* emphasis

.. note:: Mind the glass.

* One

  .. code-block:: console

     $ lamp --all

Oil
---

Last.
"""


def test_a_text_is_read_as_it_is_shown() -> None:
    text, sections, _ = read_restructured(PAGE)
    assert [(section.title, section.depth) for section in sections] == [
        ("Lamps", 1),
        ("Settings", 2),
        ("BURN_HOURS", 3),
        ("Oil", 2),
    ]
    said = text.replace(LONG.strip(), "LONG")
    assert said == (
        "Lamps\n\nA lamp has a wick, see the list and light; call light(a, *b).\n\nSettings\n\nBURN_HOURS\n\n"
        "type: int\n\nLONG\n\nAdded in version 3.1\n\nDeprecated since version 4.0:\nUse WICK_HOURS.\n\nLight it:\n\n"
        "light('a')\n\n# *not* emphasis\n\nMind the glass.\n\n* One\n\n$ lamp --all\n\nOil\n\nLast."
    )
    burn = sections[2]
    assert text[burn.end :].lstrip().startswith("Light it")


@pytest.mark.parametrize(
    "said",
    ["2 * 3 * 4 and a*b*c", "* an item\n* another *", "a_name_ and snake_case", "======  ====\nOne     Two", "a `b"],
)
def test_what_is_no_mark_stays(said: str) -> None:
    assert read_restructured(said).text == said


def test_a_list_of_versions_is_called_by_its_file(tmp_path: Path) -> None:
    versions = "Version 2\n---------\n\n- A lamp.\n\nVersion 1\n---------\n\n- A wick.\n"
    (document,), _ = read(write(tmp_path / "CHANGES.rst", versions))
    assert document.title == "CHANGES" and [one.title for one in document.sections] == ["Version 2", "Version 1"]
    (document,), _ = read(write(tmp_path / "lamps.rst", f"Lamps\n=====\n\n{versions}"))
    assert document.title == "Lamps" and document.kind == "text"


@given(st.lists(st.sampled_from(["wick", "", "  oil", ".. a::", "..", "=====", "x::", "   .. b:: c", "`", "*"])))
def test_sections_of_any_text_are_at_their_headings(lines: list[str]) -> None:
    text, sections, _ = read_restructured("\n".join(lines))
    assert all(text.startswith(section.title, section.start) for section in sections)
    assert text.count("wick") == lines.count("wick")


@pytest.mark.parametrize("mark", ["`", "``", "*a ", "**a ", ":a:`", ".. a::\n ", "\\", "|a"])
def test_no_marks_make_it_stall(mark: str) -> None:
    text, sections, _ = read_restructured(mark * 20_000 + "\n\nwick")
    assert text.endswith("wick") and sections == ()


def test_directives_too_deep_are_text() -> None:
    deep = "\n".join(f"{' ' * n}.. lamp::\n" for n in range(200)) + f"\n{' ' * 200}wick"
    assert read_restructured(deep).text.endswith("wick")
