"""The two-run law for rows of tables: what private tables say shows in no row of a public one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from answerable.sets.rows import rows_of
from answerable.types import Asker, Document
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.laws.test_set_fields import Asked, _find, log  # noqa: F401
from tests.laws.test_sets import FINDING
from tests.laws.test_workspace import CLERK, GUEST

KINDS, PORTS = ("tanker", "ferry", "tug"), ("Oslo", "Kiel", "Riga")


def _ships(rng: random.Random, kinds: tuple[str, ...], of: str) -> str:
    """A table of ships whose names begin with `of`."""
    rows = (f"{of}{at},{rng.choice(kinds)},{rng.randint(1960, 2010)},{rng.choice(PORTS)}" for at in range(12))
    return "\n".join(["Name,Type,Built,Port", *rows, ""])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Workspace]]:
    """Two workspaces that differ in nothing but the ships of `clinic`, of other kinds in each."""
    opened = []
    for kinds in (KINDS[:2], KINDS[1:]):
        place = tmp_path_factory.mktemp("run")
        made = open_workspace(place / "work", create=True, settings=FINDING)
        tables = {"wiki": _ships(random.Random(1), KINDS, "w"), "mail": _ships(random.Random(2), KINDS, "m")}
        for name, text in {**tables, "clinic": _ships(random.Random(3), kinds, "c")}.items():
            (place / name).mkdir()
            (place / name / ("w ships.csv" if name == "wiki" else "ships.csv")).write_text(text, encoding="utf8")
            made.index([place / name], name, "public" if name == "wiki" else "private", as_if_elsewhere=True)
        opened.append(made)
    yield opened[0], opened[1]
    for one in opened:
        one.close()


def _expressions(rng: random.Random, count: int) -> list[str]:
    forms = ('"ships" minus "{0}"', '"ships built after {2}" and "in {1}"', '"{0}" or "ships in {1}"', '"{0} of {1}"')
    return [
        rng.choice(forms).format(
            rng.choice(("tankers", "ferries", "tugs")), rng.choice(PORTS), rng.choice((1970, 1990))
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("privacy", ["document", "query", "none"])
def test_an_asker_who_may_not_read_it_is_given_the_same(pair: Any, log: tuple[Asked, Asked], privacy: str) -> None:  # noqa: F811
    rows = 0
    for number, expression in enumerate(_expressions(random.Random(3), 10)):
        first, second = (_find(opened, log, expression, (GUEST, CLERK)[number % 2], privacy=privacy) for opened in pair)
        assert first == second
        rows += sum(one.row is not None for one in first[2].members)
    assert rows > 10 or privacy == "query"


def _of_the_owner(pair: Any, log: tuple[Asked, Asked]) -> list[tuple[Any, Any]]:  # noqa: F811
    asked = _expressions(random.Random(4), 16)
    return [tuple(_find(opened, log, one, Asker(), privacy="document") for opened in pair) for one in asked]  # type: ignore[misc]


def test_what_is_said_of_public_rows_does_not_depend_on_private_tables(pair: Any, log: tuple[Asked, Asked]) -> None:  # noqa: F811
    """For the owner, who reads both: wiki is asked the same, and its rows, their order and their cells are the same."""
    differing = rows = 0
    for first, second in _of_the_owner(pair, log):
        assert first[0] == second[0] and first[1] == second[1] and first[3] == second[3]
        differing += first[2] != second[2]
        rows += any(one.row for one in first[1][1])
    assert differing >= 8 and rows >= 10


def test_the_law_catches_words_told_by_any_table(
    pair: Any,
    log: tuple[Asked, Asked],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control: where a table answers what the cells of any table say, public rows tell of private ones."""
    there: list[Document] = []

    def everywhere(document: Document, expression: Any, left_out: int) -> Any:
        own = rows_of(document, expression, left_out)
        return own if rows_of(there[0], expression, 0) else []

    monkeypatch.setattr("answerable.sets.rows.rows_of", everywhere)

    def told(opened: Workspace, expression: str) -> Any:
        ids = [id for id, _, _ in opened.library._store.documents("clinic")]
        there[:] = [opened.library.document(Asker(), "clinic", ids[0])]
        return _find(opened, log, expression, Asker(), privacy="document")[:2]

    assert any(told(pair[0], one) != told(pair[1], one) for one in _expressions(random.Random(0), 16))  # soon
