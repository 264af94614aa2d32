"""One enclave of a workspace behind a server: what is indexed while it serves is found, what is deleted is not."""

from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.units import codes, units
from answerable.errors import EnclaveError, IndexMismatch
from answerable.remote.wire import Search
from answerable.serving import served as room
from answerable.types import Skill
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANSWERABLE_MODELS_ENCODER", "hashed")
    monkeypatch.setenv("ANSWERABLE_MODELS_READER", "overlap")
    monkeypatch.setattr(room, "CHECK", 0.0)
    (tmp_path / "a.txt").write_text("The heron stands in the reeds.", encoding="utf8")
    with open_workspace(tmp_path / "work", create=True) as opened:
        opened.index([tmp_path / "a.txt"], "birds")
        yield opened


def texts(served, mode="hybrid", text="heron kestrel", vector=None, encoder=None):
    return [passage.text for passage, _ in served.search(Search(mode, 5, text, vector, encoder))]


def test_it_follows_the_store(workspace: Workspace, tmp_path: Path):
    served = workspace.served("birds")
    assert texts(served) == ["The heron stands in the reeds."]
    (tmp_path / "b.txt").write_text("A kestrel hovers over the field.", encoding="utf8")
    with open_workspace(tmp_path / "work") as other:  # as another process does
        other.index([tmp_path / "b.txt"], "birds")
        for mode in ("hybrid", "lexical", "dense"):
            assert len(texts(served, mode)) == 2
        assert served.about().passages == 2
        other.delete(["a.txt"], "birds")
        assert texts(served, "lexical") == ["A kestrel hovers over the field."]


def test_it_is_asked_by_text_and_by_vectors_of_its_own_encoder(workspace: Workspace):
    served, encoder = workspace.served("birds"), workspace.engine().retriever.encoder
    vector = encoder.encode_query("heron", Skill.SINGLE)
    assert texts(served, "dense", None, vector, encoder.name) == texts(served, "dense", "heron")
    for name, other in ((encoder.name, vector[:-1]), ("other", vector)):
        with pytest.raises(room.OtherEncoderError):
            texts(served, "dense", None, other, name)


def test_it_gives_the_vectors_that_its_passages_have(workspace: Workspace):
    served, engine = workspace.served("birds"), workspace.engine()
    (passage,) = [one for one, _ in served.search(Search("lexical", 5, "heron", None, None))]
    (found,) = served.vectors([passage.id, "gone"]).values()
    made = engine.retriever.encoder.encode_passages([(passage.heading, passage.text)])[0]
    assert found.dtype == np.float16 and np.array_equal(found, units(codes(made[None]))[0])
    vector = engine.retriever.encoder.encode_query("heron", Skill.SINGLE)
    ranking, vectors = engine.retriever.indexes["birds"].fetch("heron", vector, "hybrid", 5)
    assert [id for id, _ in ranking] == list(vectors) and np.array_equal(vectors[passage.id], found)
    assert engine.retriever.indexes["birds"].fetch("heron", None, "lexical", 5)[1] == {}


def test_only_an_enclave_that_holds_something_here_is_served(workspace: Workspace, tmp_path: Path):
    with pytest.raises(EnclaveError):
        workspace.served("fish")
    workspace.delete(None, "birds")
    with pytest.raises(IndexMismatch, match="'birds' is empty"):
        workspace.served("birds")
