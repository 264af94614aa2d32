"""What was deleted is in no byte of any file of the workspace, pairs and their indexes included."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from answerable.workspace.opening import open_workspace
from answerable.workspace.pair_stages import Wanted
from answerable.workspace.workspace import Workspace
from tests.qapairs.generation.plain import BeforeIt, Numbers

SETTINGS = {"models.encoder": "hashed", "models.reader": "overlap", "models.matcher": "hashed"}
DOCUMENTS, GONE = 60, 20


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts without models, which a real build opens by their names."""
    import answerable.workspace.pair_stages as parts

    monkeypatch.setattr(parts, "open_extractors", lambda names, threads: [Numbers()])
    monkeypatch.setattr(parts, "open_generator", lambda settings, name, per_answer, threads: BeforeIt())
    monkeypatch.setattr(parts, "SELECTION", Path("nowhere"))


def _word(chance: random.Random, letters: int) -> str:
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(letters))


def _records(chance: random.Random) -> dict[str, dict[str, str]]:
    """Documents by id, none of whose words stand in another: long ids, which fill the pages of the store's indexes."""
    made = {}
    for _ in range(DOCUMENTS):
        words = [_word(chance, 12) for _ in range(chance.randint(3, 60))]
        text = f"{' '.join(words)} stood in {chance.randint(10**20, 10**21)} by {_word(chance, 12)}."
        id = _word(chance, chance.randint(40, 300))
        made[id] = {"_id": id, "title": _word(chance, 20), "text": text}
    return made


def _imported(chance: random.Random, records: Mapping[str, dict[str, str]]) -> dict[str, dict[str, object]]:
    """A pair for every document by its id, in turn at its place, elsewhere in it, and by the document's name alone."""
    made = {}
    for number, (id, record) in enumerate(records.items()):
        answer = record["text"].split()[0] if number % 3 == 0 else f"{_word(chance, 14)} itself"
        where = f"d.jsonl#{id}@0-{len(record['text'])}" if number % 3 < 2 else f"d.jsonl#{id}@7-9"
        span = {"passage_id": where, "offset": 0 if number % 3 < 2 else None, "text": answer}
        made[id] = {"question": f"what did {_word(chance, 14)} do", "answer": answer, "answers": [span]}
    return made


def _bytes(folder: Path) -> bytes:
    """Each stretch of printed characters that its files hold, once: all that what is looked for could stand in."""
    files = (path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return b"\n".join({one for held in files for one in re.findall(rb"[!-~]{6,}", held)})


def _needles(*texts: str) -> Iterator[bytes]:
    """Of every word of some length a piece of the middle: where the word stands, it does."""
    for word in (word for text in texts for word in text.replace("@", " ").split() if len(word) > 8):
        yield word[len(word) // 3 : len(word) // 3 + 10].encode()


def _filled(folder: Path, chance: random.Random, **settings: str) -> tuple[Workspace, dict[str, list[bytes]]]:
    """A workspace with documents and pairs of both kinds, indexed and asked; what each document may be known by."""
    records = _records(chance)
    pairs = _imported(chance, records)
    (folder / "d.jsonl").write_text("\n".join(map(json.dumps, records.values())))
    (folder / "p.jsonl").write_text("\n".join(map(json.dumps, pairs.values())))
    opened = open_workspace(folder / "work", create=True, settings={**SETTINGS, **settings})
    opened.index([folder / "d.jsonl"], "notes")
    opened.pairs.build("notes", Wanted(filter="none"), processes=1, keep=True)
    assert opened.pairs.import_(folder / "p.jsonl", "notes").placed == DOCUMENTS / 3
    opened.pairs.index("notes")
    for one in list(pairs.values())[:5]:
        opened.ask(str(one["question"]))
    said = {id: f"{record['title']} {record['text']} {id}" for id, record in records.items()}
    return opened, {
        id: [*_needles(text, str(pairs[id]["question"]), str(pairs[id]["answer"]))] for id, text in said.items()
    }


@pytest.mark.parametrize("engine", ["lance", "postgres"])
def test_nothing_of_what_another_deleted_stays_in_ones_own_folder(
    tmp_path: Path, quick: None, engine: str, request: pytest.FixtureRequest
) -> None:
    """Where documents lie in a store that others share, an ask is enough."""
    if engine == "lance":
        pytest.importorskip("lancedb")
    url = f"lance://{tmp_path}/shared" if engine == "lance" else str(request.getfixturevalue("database"))
    chance = random.Random(5)
    opened, known = _filled(tmp_path, chance, **{"store.url": url})
    gone = chance.sample(sorted(known), GONE)
    with opened:
        before = _bytes(tmp_path / "work")
        held = {id: [one for one in needles if one in before] for id, needles in known.items()}
        assert sum(map(bool, held.values())) > DOCUMENTS / 2
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "answerable.toml").write_text('[enclaves.notes]\nkind = "private"\n')
        with open_workspace(tmp_path / "other", settings={**SETTINGS, "store.url": url}) as other:
            assert other.delete([f"d.jsonl#{id}" for id in gone], "notes") == GONE
            assert opened.reopen()
            opened.ask("what did it do?")
            left = _bytes(tmp_path / "work")
            assert [one for id in gone for one in held[id] if one in left] == []
            kept = [one for id in known.keys() - {*gone} for one in held[id]]
            assert sum(one in left for one in kept) > 0.9 * len(kept)
            other.delete(None, "notes")
            opened.pairs.stats()
        left = _bytes(tmp_path / "work")
        assert [one for needles in known.values() for one in needles if one in left] == []


@pytest.mark.parametrize("seed", range(2))
def test_nothing_of_what_was_deleted_is_in_any_file(tmp_path: Path, quick: None, seed: int) -> None:
    chance = random.Random(seed)
    opened, known = _filled(tmp_path, chance)
    with opened:
        before = _bytes(tmp_path / "work")
        assert all(sum(one in before for one in needles) > len(needles) / 2 for needles in known.values())
        gone = chance.sample(sorted(known), GONE)
        assert opened.delete([f"d.jsonl#{id}" for id in gone], "notes") == GONE
        left = _bytes(tmp_path / "work")
        assert [one for id in gone for one in known[id] if one in left] == []
        opened.pairs.index("notes")
        left = _bytes(tmp_path / "work")
        assert [one for id in gone for one in known[id] if one in left] == []
        kept = [one for id in known.keys() - {*gone} for one in known[id]]
        assert sum(one in left for one in kept) > len(kept) / 2
        opened.delete(None, "notes")
    left = _bytes(tmp_path / "work")
    assert [one for needles in known.values() for one in needles if one in left] == []
