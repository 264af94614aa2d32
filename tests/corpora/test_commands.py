"""An answer that stands in a line of code is that line."""

from __future__ import annotations

import pytest

from answerable.corpora.commands import typed
from answerable.corpora.markdown import read_markdown
from answerable.types import PUBLIC, Candidate, Chain, Document, Hit, Passage, Skill

MARKDOWN = """# Stations

If one is silent, run

```
$ stationctl ping --station N --wake    # asks it to answer
stationctl log | tail -n 5
```

The port of `stationctl` is 7070.
"""
TEXT = """To listen on port 22 instead, run:

  systemctl disable --now ssh.service
  systemctl start ssh.socket

    Paragraphs may be set in.
They run on.

There are two ways:

  - Load it early by putting ipv6 into the list.
  2. Wait.
"""


def _markdown() -> Document:
    text, sections, known = read_markdown(MARKDOWN)
    return Document("a", "home", "Stations", text, "a.md", "markdown", sections, known)


def _told(document: Document, answer: str, question: str = "How is it done?") -> str | None:
    """The words of the answer where they are others."""
    start = document.text.index(answer)
    passage = Passage("p", document.id, "home", document.title, document.text, 0, len(document.text))
    chain = Chain((Hit(passage, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC)
    said = typed(question, Candidate(answer, 1.0, chain, 0, start, start + len(answer)), lambda _: document).text
    return None if said == answer else said


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("stationctl ping", "stationctl ping --station N --wake"),
        ("$ stationctl", "stationctl ping --station N --wake"),
        ("--station N --wake", "stationctl ping --station N --wake"),
        ("tail -n 5", "stationctl log | tail -n 5"),
        ("asks it to answer", None),
        ("--wake    # asks", None),
        ("one is silent", None),
        ("7070", None),
    ],
)
def test_what_a_format_says_is_code_is_told_by_lines(answer: str, line: str | None) -> None:
    assert _told(_markdown(), answer) == line


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("systemctl disable", "systemctl disable --now ssh.service"),
        ("start ssh.socket", "systemctl start ssh.socket"),
        ("disable --now ssh.service\n  systemctl start", None),
        ("port 22", None),
        ("Paragraphs", None),
        ("run on", None),
        ("putting ipv6", None),
        ("Wait", None),
    ],
)
def test_in_plain_text_code_is_set_in_below_a_colon(answer: str, line: str | None) -> None:
    assert _told(Document("a", "home", "Ssh", TEXT, "a.txt", "text"), answer) == line


def test_a_document_that_is_gone_says_nothing() -> None:
    document = _markdown()
    passage = Passage("p", "a", "home", "", document.text, 0, len(document.text))
    chain = Chain((Hit(passage, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC)
    answer = Candidate("ping", 1.0, chain, 0, 0, 4)
    assert typed("How is it done?", answer, lambda _: None) is answer


def test_who_does_not_ask_how_is_told_no_more_than_the_answer() -> None:
    assert _told(_markdown(), "stationctl ping", "What asks a station to answer?") is None


def test_a_part_of_lines_in_columns_is_told_whole() -> None:
    text = "see what it says:   compose logs -f\na shell in one:     compose exec NAME sh\n\nAll need compose 2."
    keys = Document("k", "home", "keys", text, "keys.txt")
    assert _told(keys, "exec NAME") == "compose exec NAME sh"
    assert _told(keys, "logs", "Which command shows what it says?") == "compose logs -f"
    assert _told(keys, "logs", "What shows what it says?") is None
    assert _told(keys, "compose 2") is None
    assert _told(keys, "sh\n\nAll") is None
