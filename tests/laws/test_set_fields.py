"""The two-run law for finds that fields answer: who is named in private mail shows in nothing that is public."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answerable.corpora.fields import FieldRow, Filter
from answerable.indexes.enclave import EnclaveIndex
from answerable.privacy.trace import records
from answerable.sets.by_fields import Known, known
from answerable.sets.overlap import OverlapJudge
from answerable.types import Asker
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.laws.test_sets import FINDING
from tests.laws.test_workspace import CLERK, GUEST, NAMES, WORKS

PEOPLE = ("Kim", "Lee", "Ann", "Joe")
Asked = list[tuple[Any, ...]]


def _mailbox(rng: random.Random, people: Sequence[str], of: str, count: int = 8) -> str:
    """Mails between some people, of some days; their subjects begin with `of`."""
    made = []
    for number in range(count):
        one, other = rng.choice(people), rng.choice(people)
        day, month = rng.randint(1, 28), rng.choice(("May", "Jun"))
        made.append(
            f"From {one}@x.example Fri {month} {day} 10:00:00 {rng.choice((2000, 2001))}\n"
            f"Message-ID: <{of}{number}{rng.random()}@x.example>\nFrom: {one} <{one}@x.example>\n"
            f"To: {other} <{other}@x.example>\nDate: {day} {month} {rng.choice((2000, 2001))} 10:00:00 +0000\n"
            f"Subject: {of}{number}\n\n{rng.choice(NAMES)} had {rng.choice(WORKS)} for {rng.choice(PEOPLE)}.\n\n"
        )
    return "".join(made)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Workspace]]:
    """Two workspaces that differ in nothing but the mails of `clinic`, where other people write in each."""
    opened = []
    for people in (PEOPLE[1:3], PEOPLE[2:]):
        place, rng = tmp_path_factory.mktemp("run"), random.Random(7)
        made = open_workspace(place / "work", create=True, settings=FINDING)
        boxes = {"wiki": _mailbox(rng, PEOPLE[:2], "w", 14), "mail": _mailbox(rng, PEOPLE[:2], "m")}
        for name, text in {**boxes, "clinic": _mailbox(random.Random(people[0]), people, "c")}.items():
            (place / name).mkdir()
            (place / name / "box.mbox").write_text(text, encoding="utf8")
            made.index([Path(place / name)], name, "public" if name == "wiki" else "private", as_if_elsewhere=True)
        opened.append(made)
    yield opened[0], opened[1]
    for one in opened:
        one.close()


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> tuple[Asked, Asked]:
    """All that every index is asked, and what the judge reads, in order."""
    asked: Asked = []
    read: Asked = []
    judge = OverlapJudge.judge
    for name in ("search", "fields", "openings", "among"):
        monkeypatch.setattr(EnclaveIndex, name, _listening(asked, name, getattr(EnclaveIndex, name)))

    def reading(self: OverlapJudge, constraints: Any, texts: Any) -> Any:
        read.append((tuple(constraints), tuple(texts)))
        return judge(self, constraints, texts)

    monkeypatch.setattr(OverlapJudge, "judge", reading)
    return asked, read


def _listening(asked: Asked, name: str, method: Any) -> Any:
    def listening(self: EnclaveIndex, *given: Any) -> Any:
        told = (one.tobytes() if isinstance(one, np.ndarray) else repr(one) for one in given)
        asked.append((self.enclave, name, *told))
        return method(self, *given)

    return listening


def _expressions(rng: random.Random, count: int) -> list[str]:
    made = []
    for _ in range(count):
        person, work, year = rng.choice(PEOPLE), rng.choice(WORKS), rng.choice((2000, 2001))
        made.append(
            rng.choice(
                [
                    f'"mails from {person}"',
                    f'"mails to {person}" and "{work}"',
                    f'"mails" minus "from {person}"',
                    f'("{work}" or "in {year}") minus "to {person}"',
                    f'"{work}" minus "from {person} in {year}"',
                    f'"from {person}" or "{work}"',
                ]
            )
        )
    return made


def _find(opened: Workspace, log: tuple[Asked, Asked], expression: str, asker: Asker, **given: Any) -> Any:
    """What `wiki` was asked, what is said of its mails, the whole set without its times, and the clerk's trace."""
    asked, read = log
    asked.clear()
    read.clear()
    finding = opened.find(None, expression, asker=asker, **given)
    stream = [member for member in finding if not member.label]
    found = finding.found
    ours = [member for member in (*found.members, *found.left_out) if member.enclave == "wiki"]
    batches = [batch for batch in read if all(title.startswith("w") for title, _ in batch[1])]
    hops = records(found.hops, CLERK, opened.enclaves())
    trace = [{key: value for key, value in hop.items() if key != "seconds"} for hop in hops]
    seen = [one for one in asked if one[0] == "wiki"]
    return seen, (stream, ours, batches), replace(found, seconds=0.0, hops=()), trace


@pytest.mark.parametrize("privacy", ["document", "query", "none"])
def test_an_asker_who_may_not_read_it_is_given_the_same(pair, log, privacy) -> None:
    members = 0
    for number, expression in enumerate(_expressions(random.Random(3), 10)):
        asker = (GUEST, CLERK)[number % 2]
        first, second = (_find(opened, log, expression, asker, privacy=privacy) for opened in pair)
        assert first == second
        members += first[2].count
    assert members > 10 or privacy == "query"


def _of_the_owner(pair: Any, log: Any) -> Iterator[tuple[Any, Any]]:
    for expression in _expressions(random.Random(4), 24):
        first, second = (_find(opened, log, expression, Asker(), privacy="document") for opened in pair)
        yield first, second


def test_what_is_said_of_public_mail_does_not_depend_on_who_is_named_in_private_mail(pair, log) -> None:
    """For the owner, who reads both: wiki is asked the same, and what is said of it, by fields too, is the same."""
    differing = by_fields = by_text = 0
    for first, second in _of_the_owner(pair, log):
        assert first[0] == second[0] and first[1] == second[1] and first[3] == second[3]
        differing += first[2] != second[2]
        told = [own for member in first[1][1] for own in member.supports]
        by_fields += any(own.field for own in told)
        by_text += any("from " in own.constraint and not own.field for own in told)
    assert differing >= 12 and by_fields >= 8 and by_text >= 1


def test_the_law_catches_people_looked_up_everywhere(pair, log, monkeypatch) -> None:
    """The control: where somebody counts as named wherever they are, public mail tells who is in private mail."""
    rows: list[FieldRow] = []

    def everywhere(wanted: dict[str, Filter], own: Sequence[FieldRow]) -> Known:
        here, there = known(wanted, own), known(wanted, rows)
        return replace(here, fits={text: here.fits.get(text, frozenset()) for text in there.fits})

    monkeypatch.setattr("answerable.sets.listing.known", everywhere)
    there = [[row for name in opened.enclaves() for row in opened.library._store.fields(name)] for opened in pair]

    def told(which: int, expression: str) -> Any:
        rows[:] = there[which]
        return _find(pair[which], log, expression, Asker(), privacy="document")[:2]

    assert any(told(0, one) != told(1, one) for one in _expressions(random.Random(4), 24))
