"""Pairs beside a store that others share: what others change or delete is told no more, from that moment on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from answerable.errors import BusyError, EnclaveError, UsageError
from answerable.qapairs.generation import stages
from answerable.types import Asker, QAPair
from answerable.workspace import pair_stages
from answerable.workspace.opening import open_workspace
from answerable.workspace.pair_stages import Wanted
from answerable.workspace.workspace import Workspace
from tests.qapairs.generation.plain import BeforeIt, Numbers

SETTINGS = {
    **{"models.encoder": "hashed", "models.reader": "overlap", "models.matcher": "hashed"},
    **{"ask.threshold": "0.0", "pairs.threshold": "0.5"},
}
DECLARED = '[enclaves.crm]\nkind = "private"\n[enclaves.wiki]\nkind = "public"\n[askers.guest]\nclearance = ["wiki"]\n'
TOWER = "The tower of Fallow Bay was completed in 1731."
SHIP = "The Pelican was launched at Fallow Bay in 1802."
ASKED = "After completed in, what comes?"
PLAIN = Wanted(filter="none")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts without models."""
    monkeypatch.setattr(pair_stages, "open_extractors", lambda names, threads: [Numbers()])
    monkeypatch.setattr(pair_stages, "open_generator", lambda settings, name, per_answer, threads: BeforeIt())
    monkeypatch.setattr(pair_stages, "SELECTION", Path("nowhere"))


@pytest.fixture(params=["lance", "postgres"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Workspace, Workspace]]:
    """Of two people with folders of their own, on one store."""
    if request.param == "lance":
        pytest.importorskip("lancedb")
    url = f"lance://{tmp_path}/shared" if request.param == "lance" else str(request.getfixturevalue("database"))
    for name in ("ana", "ben"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "answerable.toml").write_text(DECLARED)
    given = {**SETTINGS, "store.url": url}
    with open_workspace(tmp_path / "ana", settings=given) as ana, open_workspace(tmp_path / "ben", settings=given) as b:
        put(tmp_path, ana, tower=TOWER, ship=SHIP)
        yield ana, b


def put(folder: Path, by: Workspace, enclave: str = "crm", **texts: str) -> None:
    """Have files of these texts indexed."""
    (folder / enclave).mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / enclave / f"{name}.txt").write_text(text)
    by.index([folder / enclave], enclave)


def pairs_of(workspace: Workspace) -> list[QAPair]:
    return [pair for _, pair in workspace._kept.pairs("crm")]


def test_pairs_are_made_asked_and_each_users_own(two: tuple[Workspace, Workspace]) -> None:
    ana, ben = two
    built, index = ana.pairs.build("crm", PLAIN, processes=1)
    assert (built.passages, built.pairs, index.pairs) == (2, 4, 4)
    assert ana.pairs.ask(ASKED).text == "1731" and ana.ask(ASKED).via in ("pair", "search")
    assert [one.answers for one in ana.library.pairs(Asker(), "crm", "crm/tower.txt", 9)] == [("1731",)] * 2
    assert ana.pairs.build("crm", PLAIN, processes=1)[0].passages == 0
    with open_workspace(ana.folder, settings={**SETTINGS, "store.url": ana.settings.store.url}) as served:
        before = served.library.changes()
        ana.pairs.build("crm", Wanted(filter="none", per_answer=1), processes=1, replacing=True)
        assert served.library.changes() != before
    assert [*ana.faults("crm")] == []
    with pytest.raises(UsageError, match="no pairs"):
        ben.pairs.ask(ASKED)


def test_what_another_deleted_is_told_no_more_from_that_moment_on(
    two: tuple[Workspace, Workspace], tmp_path: Path
) -> None:
    ana, ben = two
    ana.pairs.build("crm", PLAIN, processes=1)
    running = ana.pairs.engine()
    assert running.answer(ASKED).text == "1731"
    ben.delete(["crm/tower.txt"], "crm")
    assert running.answer(ASKED).pair is None
    assert ana.library.pairs(Asker(), "crm", "crm/ship.txt", 9) == []
    assert ana.reopen() and ana.pairs.ask(ASKED).text != "1731"
    assert {pair.passage_id for pair in pairs_of(ana)} == {f"crm/ship.txt@0-{len(SHIP)}"}
    assert len(ana.library.pairs(Asker(), "crm", "crm/ship.txt", 9)) == 2
    ana.pairs.export(tmp_path / "out.jsonl", "crm")
    assert "1731" not in (tmp_path / "out.jsonl").read_text() and "1802" in (tmp_path / "out.jsonl").read_text()


def test_an_edit_of_anothers_takes_the_pairs_of_the_text_before(
    two: tuple[Workspace, Workspace], tmp_path: Path
) -> None:
    """Of the same length, so that its passage has the same id."""
    ana, ben = two
    ana.pairs.build("crm", PLAIN, processes=1)
    put(tmp_path, ben, tower=TOWER.replace("1731", "1741"))
    found = ana.pairs.ask(ASKED)
    assert found.text != "1731" and {pair.answers for pair in pairs_of(ana)} == {("1802",)}
    assert ana.pairs.build("crm", PLAIN, processes=1)[0].passages == 1
    assert ana.pairs.ask(ASKED).text == "1741"


def test_what_is_indexed_besides_keeps_the_others(two: tuple[Workspace, Workspace], tmp_path: Path) -> None:
    ana, ben = two
    ana.pairs.build("crm", PLAIN, processes=1)
    put(tmp_path, ben, mill="The mill of Fallow Bay burned in 1850.")
    assert ana.reopen() and ana.pairs.ask(ASKED).text == "1731" and len(pairs_of(ana)) == 4


def test_a_stopped_build_goes_on_and_what_changes_meanwhile_is_left_out(
    two: tuple[Workspace, Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, ben = two
    monkeypatch.setattr(stages, "BLOCK", 1)

    class Stopping(BeforeIt):
        left = 1

        def generate(self, passages: Sequence, answers: Sequence) -> list:  # type: ignore[type-arg]
            if not Stopping.left:
                raise KeyboardInterrupt
            Stopping.left -= 1
            return super().generate(passages, answers)

    monkeypatch.setattr(pair_stages, "open_generator", lambda settings, name, per_answer, threads: Stopping())
    with pytest.raises(KeyboardInterrupt):
        ana.pairs.build("crm", PLAIN, processes=1)
    Stopping.left = 1  # the block that was finished is not made again
    assert ana.pairs.build("crm", PLAIN, processes=1)[0].pairs == 4

    class Meddling(BeforeIt):
        def generate(self, passages: Sequence, answers: Sequence) -> list:  # type: ignore[type-arg]
            made = super().generate(passages, answers)
            if ben._store.document("crm", "crm/ship.txt"):
                ben.delete(["crm/ship.txt"], "crm")
                put(tmp_path, ben, tower=TOWER.replace("1731", "1741"))
            return made

    put(tmp_path, ben, hall="The hall of Fallow Bay was opened in 1899.")
    monkeypatch.setattr(pair_stages, "open_generator", lambda settings, name, per_answer, threads: Meddling())
    assert ana.pairs.build("crm", PLAIN, processes=1)[0].passages == 1
    assert {pair.answers for pair in pairs_of(ana)} == {("1899",)}


def test_an_asker_gets_no_pair_of_what_they_may_not_read(two: tuple[Workspace, Workspace], tmp_path: Path) -> None:
    ana, _ = two
    put(tmp_path, ana, "wiki", rock="The rock was painted in 1900.")
    for name in ("crm", "wiki"):
        ana.pairs.build(name, PLAIN, processes=1)
    assert ana.pairs.ask(ASKED).text == "1731"
    told = ana.pairs.ask(ASKED, asker="guest")
    assert told.text != "1731" and {pair.enclave for pair, _ in told.matched} == {"wiki"}
    assert "1731" not in repr(ana.ask(ASKED, asker="guest"))
    with pytest.raises(EnclaveError):
        ana.library.pairs(Asker("guest", frozenset({"wiki"})), "crm", "crm/tower.txt", 9)


def test_an_enclave_that_is_out_of_reach_gives_nothing_and_loses_nothing(
    two: tuple[Workspace, Workspace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, _ = two
    ana.pairs.build("crm", PLAIN, processes=1)
    with monkeypatch.context() as away:
        away.setattr(type(ana._store), "names", lambda self: [])
        ana._store._opened.clear()  # type: ignore[attr-defined]
        ana._use()
        with pytest.raises(UsageError, match="no pairs"):
            ana.pairs.ask(ASKED)
        with pytest.raises(BusyError):
            ana.pairs.export(tmp_path / "out.jsonl", "crm")
        ana.pairs.stats()
        ana._kept.follow("crm")
    ana._use()
    assert ana.pairs.ask(ASKED).text == "1731"
