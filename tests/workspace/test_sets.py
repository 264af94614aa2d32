"""A workspace's finds: what is begun, with which reading, and what cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.errors import IndexMismatch, SettingsError, UsageError
from answerable.sets.expression import And, Atom, read_expression
from answerable.types import Asker
from answerable.workspace.opening import open_workspace
from answerable.workspace.sets import MOST_CONSTRAINTS, wording
from answerable.workspace.workspace import Workspace

SETTINGS = {"models.encoder": "hashed", "models.reader": "overlap", "models.judge": "overlap", "find.least": 0.2}
WIKI = {
    "kopu.md": "# Kõpu\n\nA lighthouse on Hiiumaa.\n\nIt was completed in 1531 and is still lit.\n",
    "hook.md": "# Hook\n\nA lighthouse in Ireland.\n\nIt is still lit.\n",
    "bell.md": "# Bell Rock\n\nA lighthouse off Angus.\n",
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("finding")
    for name, texts in {"wiki": WIKI, "mail": {"note.txt": "The lighthouse at Fanad is still lit."}}.items():
        (place / name).mkdir()
        for file, text in texts.items():
            (place / name / file).write_text(text, encoding="utf8")
    with open_workspace(place / "work", create=True, settings=SETTINGS) as made:
        made.index([place / "wiki"], "wiki", "public", as_if_elsewhere=True)
        made.index([place / "mail"], "mail")
        yield made


def test_finds_what_is_stored_and_cites_it(opened: Workspace) -> None:
    finding = opened.find("lighthouses still lit", '"lighthouse" and "still lit"')
    assert {member.title for member in finding} == {"Kõpu", "Hook", "note"}
    assert len(finding) == 3 and finding.found.label == {"mail"}
    for member in finding:
        document = opened._store.document(member.enclave, member.document)
        assert document is not None and document.source == member.source
        for told in member.supports:
            assert told.citations
            for citation in told.citations:
                assert document.text[citation.start : citation.end] == citation.text


def test_every_search_is_in_the_journal(opened: Workspace) -> None:
    before = len(opened.journal.shown(Asker(), opened.enclaves()))
    found = opened.find(None, '"lighthouse" minus "lit"', privacy="query").found
    entries = opened.journal.shown(Asker(), opened.enclaves())[before:]
    assert len(entries) == len(found.hops) == 6  # the query, what is asked for and what is taken away, in two enclaves
    assert sum(hop.refused is not None for hop in found.hops) == 3
    assert [member.title for member in found.members] == []


def test_an_asker_is_given_what_they_may_read(opened: Workspace) -> None:
    found = opened.find(None, '"still lit"', asker=Asker("guest", frozenset({"wiki"}))).found
    assert {member.enclave for member in found.members} == {"wiki"} and found.label == frozenset()


def test_an_enclave_is_meant_by_its_name_by_those_who_may_read_it(opened: Workspace) -> None:
    found = opened.find("wikis that mention lit").found
    assert found.enclaves == ("wiki",) and {member.enclave for member in found.members} == {"wiki"}
    others = opened.find("wikis that mention lit", asker=Asker("guest", frozenset({"mail"})))
    assert others.found.enclaves == () and others.found.members == ()


def test_folders_are_gone_by_where_what_is_asked_may_tell_of_them_everywhere(tmp_path: Path) -> None:
    for name in ("papers/a.md", "wiki/b.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("The lamp is lit.", "utf-8")
    with open_workspace(tmp_path / "work", create=True, settings=SETTINGS) as made:
        made.index([tmp_path / "papers"], "home", "private")
        found = made.find("papers that mention lit").found
        assert found.folders == ("papers",) and found.count == 1
        made.index([tmp_path / "wiki"], "wiki", "public", as_if_elsewhere=True)
        assert made.find("papers that mention lit").found.folders == ()  # the wiki would be told of a private folder
        assert made.find("papers that mention lit", privacy="none").found.folders == ("papers",)


def test_an_expression_may_stand_for_the_query(opened: Workspace) -> None:
    finding = opened.find(expression='("tower" or "lighthouse") minus "Ireland"')
    assert finding.query == "tower or lighthouse but not Ireland"
    given = And((Atom("lighthouse"), Atom("lit")))
    assert opened.find(expression=given).expression == given
    assert wording(read_expression('"a" and "b"')) == "a and b"


def test_counting_looks_for_no_sentences(opened: Workspace) -> None:
    found = opened.find("still lit", evidence=False).found
    assert found.count == 3 and not any(told.citations for member in found.members for told in member.supports)


@pytest.mark.parametrize(
    ("query", "expression", "limit", "why"),
    [
        ("", None, None, "query is empty"),
        (None, None, None, "query is empty"),
        ("x" * 3000, None, None, "3,000 characters"),
        ("x", '"a" and', None, "the expression ends"),
        ("x", '"a"', 0, "limit is 0"),
        ("x", " or ".join(f'"{n}"' for n in range(MOST_CONSTRAINTS + 1)), None, "21 constraints"),
        ("x", f'"{"y" * 3000}"', None, "the constraint has 3,000"),
    ],
)
def test_what_cannot_be_found_with_is_said_before_anything_is_searched(opened, query, expression, limit, why) -> None:
    with pytest.raises(UsageError, match=why):
        opened.find(query, expression, limit)


def test_without_an_index_there_is_nothing_to_find_in(tmp_path: Path) -> None:
    with (
        open_workspace(tmp_path / "work", create=True, settings=SETTINGS) as empty,
        pytest.raises(IndexMismatch, match="nothing is indexed"),
    ):
        empty.find("lighthouses")


def test_a_judge_that_is_not_there_is_named(tmp_path: Path) -> None:
    given = SETTINGS | {"models.judge": "oracle"}
    with (
        open_workspace(tmp_path / "work", create=True, settings=given) as made,
        pytest.raises(UsageError, match="no judge 'oracle'"),
    ):
        made.find("lighthouses")
    with pytest.raises(SettingsError, match=r"find\.whole"):
        open_workspace(tmp_path / "work", settings={"find.whole": "many"})


def test_an_index_made_meanwhile_is_searched(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("A lighthouse that is lit.", encoding="utf8")
    with open_workspace(tmp_path / "work", create=True, settings=SETTINGS) as made:
        made.index([tmp_path / "one.txt"], "wiki", "public", as_if_elsewhere=True)
        assert len(made.find(expression='"lighthouse"')) == 1
        (tmp_path / "two.txt").write_text("Another lighthouse.", encoding="utf8")
        made.index([tmp_path / "two.txt"], "wiki")
        assert len(made.find(expression='"lighthouse"')) == 2
