"""A workspace on a store that others share, from its first file to the last deletion."""

import json
from pathlib import Path

import pytest

from answerable.workspace.opening import open_workspace
from tests.cli.conftest import Command


@pytest.fixture(params=["database", "lance"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "lance":
        pytest.importorskip("lancedb")
        return f"lance://{tmp_path}/shared"
    return str(request.getfixturevalue("database"))


def test_index_ask_find_and_delete(command: Command, notes: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSWERABLE_STORE_URL", url)
    ran = command("index", notes / "wiki", "-e", "wiki", "--public")
    assert ran.code == 0 and "wiki (public): 2 documents in 2 passages" in ran.out
    assert command("index", notes / "mail", "-e", "mail").code == 0
    assert not (notes / ".answerable" / "store.sqlite").exists()

    asked = command("ask", "Who built Hook Lighthouse?", "--json").record
    assert "William Marshal" in str(asked["citations"]) + str(asked["passages"])
    assert {one["enclave"] for one in asked["passages"]} <= {"wiki", "mail"}
    found = command("find", "lighthouses", "--json")
    assert "Hook Lighthouse" in found.out
    status = command("status", "--json").record
    assert [(one["name"], one["passages"], one["state"]) for one in status["enclaves"]] == [
        ("wiki", 2, "ready"),
        ("mail", 1, "ready"),
    ]
    assert command("export", notes / "out", "-e", "wiki").code == 0
    where = "in the shared folder" if url.startswith("lance") else "in the database"
    ran = command("doctor")
    assert ran.code == 0 and where in ran.out

    ran = command("ask", "Who built Hook Lighthouse?", "-w", "mine")
    assert ran.code == 2 and "each user has their own" in ran.err and "[enclaves.NAME]" in ran.err
    (notes / "mine").mkdir()
    (notes / "mine" / "answerable.toml").write_text('[enclaves.wiki]\nkind = "public"\n', encoding="utf8")
    assert "William Marshal" in command("ask", "Who built Hook Lighthouse?", "-w", "mine").out

    span = {"passage_id": "mail/birds.txt@0-85", "offset": 51, "text": "The crate"}
    pair = {"question": "What weighs 412 kilos?", "answer": "The crate", "answers": [span]}
    (notes / "pairs.jsonl").write_text(json.dumps(pair) + "\n", encoding="utf8")
    assert "Kept 1 pair" in command("pairs", "import", notes / "pairs.jsonl", "-e", "mail").out
    assert command("pairs", "index").code == 0
    assert "The crate" in command("pairs", "ask", "What weighs 412 kilos?").out
    assert "Deleted 1 document" in command("delete", "mail/birds.txt", "-e", "mail").out
    assert "mail: 1 pair" not in command("pairs", "stats").out
    assert "412" not in command("pairs", "ask", "What weighs 412 kilos?").out
    assert command("index", notes / "wiki", "-e", "wiki").code == 0
    with open_workspace(notes / "other", create=True, settings={"models.encoder": "hashed"}) as other:
        held = {one.name: (one.documents, one.problem) for one in other.status().enclaves}
    assert held["wiki"] == (2, "not declared in answerable.toml: nobody may read it")


def test_a_database_out_of_reach_is_said_in_a_line(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("ANSWERABLE_STORE_URL", f"postgresql:///base?host={notes}")
    ran = command("index", notes / "wiki", "-e", "wiki")
    assert ran.code == 1 and "cannot be reached" in ran.err and "Traceback" not in ran.err
