"""Notes of a vault, and the same files elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.obsidian import note_of, with_properties
from tests.corpora.reading import read, write

NOTE = """---
aliases: [The Bell, "Inchcape"]
tags:
  - lighthouse
  - area/scotland
created: 2001-05-04
up: "[[Towers|All towers]]"
rating:
---

# The light

See [[Robert Stevenson]], [[Towers#Stone towers|stone ones]] and [[#Its lamp]] #stone, not issue #12 or a#b.
![[bell.png]]![[Lamp.v2]]%%to do: [[Nobody]]%%

| Year | What |
|---|---|
| 1811 | lit by [[Robert Stevenson\\|Robert]] |

```
[[code]] #code
```
`[[also]]` remains.
"""


def test_a_note_is_read_as_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    (document,), _ = read(write(tmp_path / "vault" / "Places" / "Bell-Rock.md", NOTE))
    assert document.title == "Bell-Rock" and document.kind == "markdown"
    assert document.text == (
        "aliases: The Bell, Inchcape\ntags: lighthouse, area/scotland\ncreated: 2001-05-04\nup: All towers\n\n"
        "# The light\n\n"
        "See Robert Stevenson, stone ones and Its lamp #stone, not issue #12 or a#b.\nLamp.v2\n\n"
        "Year: 1811; What: lit by Robert\n\n"
        "[[code]] #code\n\n[[also]] remains."
    )
    assert [one.title for one in document.sections] == ["The light"]
    assert document.meta["tags"] == ["lighthouse", "area/scotland", "stone"]
    assert document.meta["date"] == "2001-05-04" and document.meta["properties"]["aliases"] == ["The Bell", "Inchcape"]
    assert document.meta["links"] == ["Robert Stevenson", "Towers", "Lamp.v2", "Robert Stevenson"]


def test_outside_a_vault_the_same_is_plain_markdown(tmp_path: Path) -> None:
    (document,), _ = read(write(tmp_path / "notes" / "bell.md", NOTE))
    assert document.title == "The light" and "[[Robert Stevenson]]" in document.text and "tags" not in document.meta
    assert document.text.startswith("aliases: The Bell, Inchcape\n") and document.meta["date"] == "2001-05-04"


@pytest.mark.parametrize(
    ("front", "lines"),
    [
        ("title: Returns", "title: Returns"),
        ("author:\n  name: Jo\n  mail: jo@example.org", "name: Jo\nmail: jo@example.org"),
        ("summary: >\n  Of two\n  lines.\n# a remark", "summary: Of two, lines."),
    ],
)
def test_what_stands_in_front_is_text(front: str, lines: str) -> None:
    assert with_properties(f"---\n{front}\n---\n\nBelow.")[0] == f"{lines}\n\nBelow."


def test_a_rule_at_the_top_is_no_property() -> None:
    assert with_properties("---\nOnce upon a time\n---\n") == ("---\nOnce upon a time\n---\n", {})


@pytest.mark.parametrize(
    "text",
    ["", "---", "---\n", "---\na: [\n---\n", "[[" * 50_000, "%%" * 49_999, "```\n" * 9_999, "---\n- x\n: y\n---\n#"],
)
def test_what_is_odd_does_no_harm(text: str) -> None:
    said, known = note_of(text)
    assert len(said) <= len(text) and known["links"] == []
