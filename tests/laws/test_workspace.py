"""The two-run law for whole asks on a real workspace: indexes, journal, reader, calibration, citations and grants."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answerable.chains.plan import records as planned
from answerable.corpora.fields import Filter
from answerable.indexes.enclave import EnclaveIndex
from answerable.privacy.trace import records
from answerable.types import Asker
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

NAMES = ("Kopu", "Ristna", "Tahkuna", "Bell Rock", "Skerryvore", "Hook", "Fanad", "Muckle")
WORKS = ("a lamp", "the tower", "a stone pier", "the keeper", "a brass bell", "the foghorn")
SETTINGS = {"models.encoder": "hashed", "models.reader": "overlap", "beam.k": 3, "beam.width": 2}
GUEST = Asker("guest", frozenset({"wiki"}))
CLERK = Asker("clerk", frozenset({"wiki", "mail"}))
Sent = tuple[str, str, bytes | None, str, int]


def _texts(rng: random.Random, count: int, of: str) -> dict[str, str]:
    """Files of two sentences that name two places, so that passages lead to one another."""
    made = {}
    for number in range(count):
        one, other = rng.sample(NAMES, 2)
        first = f"{one} had {rng.choice(WORKS)} completed in {rng.randint(1500, 1999)}."
        made[f"{of}{number}.txt"] = f"{first} From {one} one sees {other}, where {rng.choice(WORKS)} was sold.\n"
    return made


def _write(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf8")
    return folder


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Workspace]]:
    """Two workspaces that differ in nothing but the text of `clinic`."""
    yield from _opened(tmp_path_factory, SETTINGS)


def _opened(places: pytest.TempPathFactory, settings: Mapping[str, Any]) -> Iterator[tuple[Workspace, Workspace]]:
    rng = random.Random(2)
    common = {"wiki": _texts(rng, 10, "w"), "mail": _texts(rng, 5, "m")}
    opened = []
    for which in range(2):
        place = places.mktemp(f"run{which}")
        made = open_workspace(place / "work", create=True, settings=settings)
        for name, texts in {**common, "clinic": _texts(rng, 5, "c")}.items():
            kind, elsewhere = ("public", True) if name == "wiki" else ("private", False)
            made.index([_write(place / name, texts)], name, kind, as_if_elsewhere=elsewhere)
        opened.append(made)
    yield opened[0], opened[1]
    for one in opened:
        one.close()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """What every index is sent, in order."""
    log: list[Sent] = []
    search = EnclaveIndex.search

    def listening(self: EnclaveIndex, text: str, vector: Any, mode: Any, k: int) -> Any:
        log.append((self.enclave, text, None if vector is None else vector.tobytes(), mode, k))
        return search(self, text, vector, mode, k)

    monkeypatch.setattr(EnclaveIndex, "search", listening)
    return log


def _questions(rng: random.Random, count: int) -> list[str]:
    return [f"When was {rng.choice(WORKS)} of {rng.choice(NAMES)} completed?" for _ in range(count)]


def _ask(opened: Workspace, sent: list[Sent], question: str, asker: Asker, **given: Any) -> tuple[list[Sent], Any, Any]:
    """What `wiki` was sent, the answer without its times, and the trace as the clerk is shown it."""
    sent.clear()
    answer = opened.ask(question, asker=asker, **given)
    hops = records(answer.evidence.hops, CLERK, opened.enclaves())
    trace = [{key: value for key, value in hop.items() if key != "seconds"} for hop in hops]
    evidence = replace(answer.evidence, hops=())
    return [one for one in sent if one[0] == "wiki"], replace(answer, seconds=0.0, evidence=evidence), trace


@pytest.mark.parametrize("privacy", ["document", "query", "none"])
def test_an_asker_who_may_not_read_it_is_answered_the_same(pair, sent, privacy) -> None:
    """Text, reason, confidence, label, citations, chains, others: under every mode, whoever asked before."""
    answered = abstained = 0
    for number, question in enumerate(_questions(random.Random(3), 6)):
        asker = (GUEST, CLERK)[number % 2]
        if number == 3:
            [opened.ask(question, privacy="document") for opened in pair]  # the owner, who reads it
        first, second = (_ask(opened, sent, question, asker, privacy=privacy) for opened in pair)
        assert first == second
        answered += first[1].text is not None
        abstained += first[1].text is None
    assert answered and (abstained or privacy != "query")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"grant": {"wiki": ["mail"]}},
        {"parts": [("wiki", "Bell Rock")], "hops": 3},
        {"filter": Filter(after="2001")},  # by the days of the private files
    ],
)
def test_wiki_is_sent_the_same_whatever_the_owner_reads(pair, sent, given) -> None:
    """With grants of other text, and with parts of a question; the owner's own answers do differ."""
    searches = differing = 0
    privacy = "query" if "parts" in given else "document"
    for question in _questions(random.Random(4), 6):
        first, second = (_ask(opened, sent, question, Asker(), privacy=privacy, **given) for opened in pair)
        assert first[0] == second[0] and _ungranted(first[2]) == _ungranted(second[2])
        searches += len(first[0])
        differing += first[1] != second[1]
    assert searches >= 6 and differing >= 3


def test_without_privacy_wiki_can_tell(pair, sent) -> None:
    """The control: the same questions, and what is read in the clinic goes out."""
    questions = _questions(random.Random(4), 6)
    runs = [[_ask(opened, sent, one, Asker(), privacy="none")[0] for one in questions] for opened in pair]
    assert runs[0] != runs[1]


def _ungranted(trace: Any) -> Any:
    """Without the ids of grants, which tell the moment they were given at."""
    return [{key: value for key, value in hop.items() if key not in ("reason", "refused")} for hop in trace]


def test_what_is_read_fits_and_an_asker_who_may_not_read_what_does_not_fit_is_told_the_same(pair, sent) -> None:
    """At every hop; a public enclave whose files have no days is read all the same, unless it is not wanted."""
    for wanted in (
        Filter(before="2001"),
        Filter(enclaves=("mail", "wiki")),
        Filter(enclaves=("clinic",), after="2001"),
    ):
        for question in _questions(random.Random(7), 2):
            answers = [opened.ask(question, filter=wanted) for opened in pair]
            read = {hit.passage.enclave for one in answers for hop in one.evidence.hops for hit in hop.hits}
            assert read == ({"wiki"} if wanted.before else set(wanted.enclaves))
            first, second = (_ask(opened, sent, question, CLERK, filter=wanted) for opened in pair)
            assert first == second


def test_a_plan_tells_nothing_and_holds_what_is_asked_first(pair, sent) -> None:
    for question in _questions(random.Random(5), 3):
        sent.clear()
        plans = [opened.plan(question, privacy="document") for opened in pair]
        assert plans[0] == plans[1] and not sent
        told = [planned(plan, CLERK, pair[0].enclaves()) for plan in plans]
        assert told[0] == told[1] and all(row["enclave"] != "clinic" for row in told[0])
        first, *_ = _ask(pair[0], sent, question, Asker(), privacy="document")
        assert first[0][1] in {one.text for one in plans[0] if one.enclave == "wiki" and one.hop == 1}


def test_the_journal_shows_a_clerk_the_same(pair, sent) -> None:
    shown = []
    for opened in pair:
        before = len(opened.journal.shown(CLERK, opened.enclaves()))
        for question in _questions(random.Random(6), 3):
            opened.ask(question, privacy="document")
        lines = opened.journal.shown(CLERK, opened.enclaves())[before:]
        shown.append([{key: value for key, value in line.items() if key not in ("at", "ask")} for line in lines])
    assert shown[0] == shown[1] and len(shown[0]) > 15
