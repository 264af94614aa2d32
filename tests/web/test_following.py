"""A workspace that another process writes to while it is served."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from answerable.web import following
from answerable.web.following import Follower
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.web.conftest import STAND_INS, made, served

INDEX = """
import sys
from answerable.workspace.opening import open_workspace
with open_workspace(sys.argv[1], settings=%r) as opened:
    opened.index(sys.argv[3:], sys.argv[2])
"""


def _index(work: Path, enclave: str, *paths: Path) -> None:
    words = [sys.executable, "-c", INDEX % STAND_INS, str(work), enclave, *map(str, paths)]
    subprocess.run(words, check=True, timeout=120)


def _rested(follower: Follower) -> None:
    for _ in range(3):  # it is noticed, it has rested, and nothing more is done
        follower._next = 0.0
        follower.look()


def test_what_another_process_indexes_is_found_and_what_it_deletes_is_not(tmp_path: Path) -> None:
    with made(tmp_path) as workspace, served(workspace) as web:
        ask = {"question": "What does the ladder weigh?"}
        assert "19 kilos" not in str(web.ask("POST", "/v1/ask", ask).record)
        (tmp_path / "mail" / "ladder.txt").write_text("The ladder weighs 19 kilos.\n", "utf8")
        (tmp_path / "tools.txt").write_text("The saw weighs 3 kilos.\n", "utf8")
        (tmp_path / "mail" / "birds.txt").unlink()
        _index(workspace.folder, "mail", tmp_path / "mail")
        _index(workspace.folder, "shed", tmp_path / "tools.txt")
        _rested(web.app._follower)
        assert web.ask("POST", "/v1/ask", ask).record["answer"] == "19"
        told = web.ask("POST", "/v1/search", {"question": "The job is called KESTREL"}).record["passages"]
        assert told and not any("KESTREL" in one["text"] for one in told)
        found = web.ask("POST", "/v1/search", {"question": "What does the saw weigh?"}).record["passages"]
        assert found[0]["enclave"] == "shed"


def test_what_it_is_still_at_changes_nothing_and_is_seen_once_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made(tmp_path) as workspace:
        engine, follower = workspace.engine(), Follower(workspace)
        with open_workspace(workspace.folder, settings=STAND_INS) as other:
            (tmp_path / "mail" / "birds.txt").unlink()
            builds = "answerable.indexes.build.IndexBuilder.lexical"
            monkeypatch.setattr(builds, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                other.index([tmp_path / "mail"], "mail")
            _rested(follower)
            assert workspace.engine() is engine  # its index of words is of another text
            monkeypatch.undo()
            other.index([tmp_path / "mail"], "mail")
        _rested(follower)
        assert workspace.engine() is not engine


def test_nothing_is_made_anew_where_nothing_was_written_or_by_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made(tmp_path) as workspace:
        opened: list[Workspace] = []
        monkeypatch.setattr(Workspace, "reopen", lambda own: opened.append(own) or True)
        follower = Follower(workspace)
        _rested(follower)
        (tmp_path / "tools.txt").write_text("The saw weighs 3 kilos.\n", "utf8")
        workspace.index([tmp_path / "tools.txt"], "mail")
        _rested(follower)
        assert opened == []
        looks = iter(range(100))
        monkeypatch.setattr(type(workspace.library), "changes", lambda _: next(looks))
        monkeypatch.setattr(following, "CHECK", 60.0)
        follower._next = 0.0
        for _ in range(5):
            follower.look()
        assert next(looks) == 1  # no more than one look a minute
