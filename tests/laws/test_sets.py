"""The two-run law for finds: private text differs, and nothing said to or of what is public does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from answerable.indexes.enclave import EnclaveIndex
from answerable.privacy.trace import records
from answerable.readers.overlap import OverlapReader
from answerable.sets.find import Finder
from answerable.sets.find_settings import FindSettings
from answerable.sets.overlap import OverlapJudge
from answerable.types import Asker
from answerable.workspace.workspace import Workspace
from tests.laws.test_workspace import CLERK, GUEST, NAMES, SETTINGS, WORKS, Sent, _opened

FINDING = SETTINGS | {"models.judge": "overlap", "find.whole": 4, "find.each": 4, "find.candidates": 6}
Read = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Workspace]]:
    """Two workspaces that differ in nothing but the text of `clinic`."""
    yield from _opened(tmp_path_factory, FINDING)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> tuple[list[Sent], list[Read]]:
    """What every index is sent, and what the judge and the reader read, in order. The stand-in of a reader says yes
    where all words of a question stand, a little surer than is needed here."""
    sent: list[Sent] = []
    read: list[Read] = []
    search, judge = EnclaveIndex.search, OverlapJudge.judge
    reads = OverlapReader.read

    def listening(self: EnclaveIndex, text: str, vector: Any, mode: Any, k: int) -> Any:
        sent.append((self.enclave, text, None if vector is None else vector.tobytes(), mode, k))
        return search(self, text, vector, mode, k)

    def reading(self: OverlapJudge, constraints: Any, texts: Any) -> Any:
        read.append((tuple(constraints), tuple(texts)))
        return judge(self, constraints, texts)

    def asked(self: OverlapReader, question: str, chains: Any) -> Any:
        texts = [(hit.passage.title, hit.passage.text) for chain in chains for hit in chain.hits]
        found = reads(self, question.partition(" one of the ")[2], chains)
        read.append(((question,), tuple(texts)))
        return [replace(one, text="yes", start=0, end=0) for one in found]

    monkeypatch.setattr("answerable.sets.against.SAID", 0.6)
    monkeypatch.setattr(OverlapReader, "read", asked)
    monkeypatch.setattr(EnclaveIndex, "search", listening)
    monkeypatch.setattr(OverlapJudge, "judge", reading)
    return sent, read


def _expressions(rng: random.Random, count: int) -> list[str]:
    made = []
    for _ in range(count):
        work, name, other = rng.choice(WORKS), rng.choice(NAMES), rng.choice(NAMES)
        made.append(
            rng.choice(
                [
                    f'"{work}"',
                    f'"{work}" and "{name}"',
                    f'"{name}" or "{other}"',
                    f'"{name}" minus "{other}"',
                    f'("{work}" or "{name}") minus "{other}"',
                ]
            )
        )
    return made


def _find(opened: Workspace, log: tuple[list[Sent], list[Read]], expression: str, asker: Asker, **given: Any) -> Any:
    """What `wiki` was sent, what is said of its documents, the whole set without its times, and the clerk's trace."""
    sent, read = log
    sent.clear()
    read.clear()
    finding = opened.find(None, expression, asker=asker, **given)
    stream = [member for member in finding if not member.label]
    found = finding.found
    ours = [member for member in (*found.members, *found.left_out) if member.enclave == "wiki"]
    hops = records(found.hops, CLERK, opened.enclaves())
    trace = [{key: value for key, value in hop.items() if key != "seconds"} for hop in hops]
    seen = [one for one in sent if one[0] == "wiki"]
    return seen, (stream, ours, _of_wiki(read)), replace(found, seconds=0.0, hops=()), trace


def _of_wiki(read: list[Read]) -> list[Read]:
    """The batches of public text alone; its documents are titled w0, w1 and so on."""
    return [batch for batch in read if all(title.startswith("w") for title, _ in batch[1])]


def _mixed(read: list[Read]) -> bool:
    """Whether public and private text were read together."""
    return any(len({title.startswith("w") for title, _ in texts}) > 1 for _, texts in read)


@pytest.mark.parametrize("privacy", ["document", "query", "none"])
def test_an_asker_who_may_not_read_it_is_given_the_same(pair, log, privacy) -> None:
    """Members, evidence, what was left out, counts, labels and the trace: under every mode, whoever asked before."""
    members = 0
    for number, expression in enumerate(_expressions(random.Random(3), 8)):
        asker = (GUEST, CLERK)[number % 2]
        first, second = (_find(opened, log, expression, asker, privacy=privacy) for opened in pair)
        assert first == second
        members += first[2].count
    assert members > 10 or privacy == "query"


def test_what_is_said_of_public_documents_does_not_depend_on_private_text(pair, log) -> None:
    """For the owner, who reads it: wiki is sent the same, and its members, their order, probabilities and evidence, and
    what the judge reads of them at once are the same. The sets as a whole do differ."""
    searches = differing = given = read = against = 0
    for expression in _expressions(random.Random(4), 12):
        first, second = (_find(opened, log, expression, Asker(), privacy="document") for opened in pair)
        assert first[0] == second[0] and first[1] == second[1] and first[3] == second[3]
        assert not _mixed(log[1])
        read += len(log[1])  # none where all of it was judged before
        against += sum(words[0].startswith("Is ") for words, _ in log[1])
        searches += len(first[0])
        given += len(first[1][0])
        differing += first[2] != second[2]
    assert searches >= 20 and given >= 12 and differing >= 6 and read >= 12 and against >= 3


def test_a_limit_changes_nothing_that_is_sent_or_read(pair, log) -> None:
    """Which members are shown tells of all that was found; what is said of a public one that is shown does not."""
    shown = 0
    for expression in _expressions(random.Random(5), 8):
        first, second = (_find(opened, log, expression, Asker(), limit=3) for opened in pair)
        assert first[0] == second[0] and first[1][2] == second[1][2] and first[3] == second[3]
        ours, theirs = ({member.document: member for member in run[1][1]} for run in (first, second))
        assert all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
        shown += len(ours.keys() & theirs.keys())
    assert shown >= 8


def test_the_law_catches_candidates_cut_together(pair, log, monkeypatch) -> None:
    """The control: where private prospects compete with public ones for places, public members tell of them."""
    monkeypatch.setattr("answerable.sets.candidates._labels", lambda query, door: [None])
    for opened in pair:
        finder: Finder = opened._scout_now().finder
        monkeypatch.setattr(opened._scout, "finder", replace(finder, settings=FindSettings(4, 4, candidates=3)))
    runs = [[_find(opened, log, one, Asker())[1][1] for one in _expressions(random.Random(4), 12)] for opened in pair]
    assert runs[0] != runs[1]
