"""What is asked about a workspace before it is used, and what the user agreed to."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from answerable.errors import TrustError, WorkspaceError
from answerable.privacy.grant_file import GRANTS, GrantFile
from answerable.privacy.grants import standing
from answerable.types import Asker
from answerable.workspace.declarations import FILE_NAME
from answerable.workspace.opening import open_workspace
from answerable.workspace.settings import load
from answerable.workspace.trust import admitted, by_hand, remember, told, trusted, trusted_file

WIKI = '[enclaves.wiki]\nkind = "public"\nremote = "https://wiki.example.org"\n'
NOTES = '[enclaves.notes]\nkind = "public"\n'
posix = pytest.mark.skipif(os.name == "nt", reason="Windows tells owners and links otherwise")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a workspace, and a home of its own for what is trusted."""
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def said(folder: Path, text: str, environment: dict[str, str] | None = None) -> set[str]:
    """The lines of a workspace with these settings."""
    (folder / FILE_NAME).write_text(text, encoding="utf8")
    return told(folder, load(folder, environment or {}))


def use(folder: Path, found: bool = False, **more: bool) -> None:
    admitted(folder, load(folder, {}), found=found, **more)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        (NOTES + "[enclaves.mail]\n", ()),
        ('[ask]\nprivacy = "none"\n', ()),
        (
            '[store]\nurl = "postgresql://me@db.example.org/team"\n' + NOTES,
            ("what is indexed here, and what is searched, goes to the database at db.example.org", "text of notes"),
        ),
        ('[work]\ncluster = "head:6379"\n', ("text is sent to the Ray cluster at head:6379",)),
        (WIKI, ("wiki (public) is at https://wiki.example.org, and may be sent questions, public text",)),
        (
            WIKI.replace("public", "mirror"),
            ("wiki (mirror) is at https://wiki.example.org, and may be sent everything",),
        ),
        (
            WIKI.replace("public", "private") + 'admits = ["mail", "question"]\n[enclaves.mail]\n',
            (
                "wiki (private) is at https://wiki.example.org, and may be sent questions, public text, text of mail, "
                "text of wiki, private questions",
            ),
        ),
        (WIKI + NOTES, ("wiki (public)", "text of notes, which is kept here, counts as public")),
        (WIKI + '[ask]\nprivacy = "none"\n', ("wiki (public)", "ask.privacy is none: what is private may be sent")),
        (
            '[llm]\nendpoint = "https://model.example/v1"\nmodel = "m"\nhost = "here"\n',
            ("a language model at https://model.example/v1 may be sent questions and passages, private ones too",),
        ),
        (
            '[llm]\nendpoint = "http://a\\u001b/v1"\nmodel = "m"\n',
            ("a language model at http://a\\u001b/v1 may be sent questions and passages",),
        ),
        ('[serve]\nhost = "0.0.0.0"\n', ("answerable serve answers others, at 0.0.0.0",)),
        ('[serve]\nhost = "127.0.0.1"\n', ()),
    ],
)
def test_what_a_workspace_would_send(folder: Path, text: str, lines: tuple[str, ...]) -> None:
    found = said(folder, text)
    assert len(found) == len(lines) and all(any(one.startswith(line) for one in found) for line in lines), found
    if lines:
        with pytest.raises(TrustError, match="is not trusted"):
            use(folder, found=True)
    use(folder)  # whoever names the folder has looked at it
    assert not trusted_file().exists()


def test_what_the_environment_says_is_the_users_own(folder: Path) -> None:
    environment = {"ANSWERABLE_LLM_ENDPOINT": "https://mine/v1", "ANSWERABLE_SERVE_HOST": "0.0.0.0"}
    environment |= {"ANSWERABLE_LLM_MODEL": "m", "ANSWERABLE_LLM_KEY_FILE": "/etc/passwd"}
    assert said(folder, "", environment) == set()
    (line,) = said(folder, '[llm]\nkey_file = "/etc/passwd"\n', {"ANSWERABLE_LLM_ENDPOINT": "https://mine/v1"})
    assert "https://mine/v1 is sent the key in /etc/passwd" in line or os.name == "nt"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (WIKI + 'token_file = "../secret"\n', "the token in"),
        (WIKI + 'token_file = "TOP/secret"\n', "the token in"),
        ('[llm]\nendpoint = "https://m/v1"\nmodel = "m"\nkey_file = "TOP/secret"\n', "the key in"),
    ],
)
def test_a_file_outside_is_sent_only_where_that_was_agreed_to(folder: Path, text: str, what: str) -> None:
    (folder.parent / "secret").write_text("s" * 40)
    (folder / FILE_NAME).write_text(text.replace("TOP", str(folder.parent)), encoding="utf8")
    with pytest.raises(TrustError, match=what) as caught:
        open_workspace(folder)
    assert str(folder.parent / "secret") in caught.value.args[0] and "s" * 40 not in str(caught.value)
    assert "uses it for once" not in str(caught.value)
    open_workspace(folder, trust=True).close()
    remember(folder, caught.value.told)
    open_workspace(folder, found=True).close()


def test_a_token_that_was_agreed_to_goes_to_no_other_host(folder: Path) -> None:
    remember(folder, said(folder, WIKI + 'token_file = "../secret"\n'))
    use(folder)
    said(folder, WIKI.replace(".org", ".net") + 'token_file = "../secret"\n')
    with pytest.raises(TrustError, match=r"at https://wiki\.example\.net is sent the token in"):
        use(folder)


@posix
def test_a_link_inside_that_leads_outside_is_outside(folder: Path) -> None:
    (folder.parent / "secret").write_text("s" * 40)
    (folder / "token").write_text("t" * 40)
    (folder / FILE_NAME).write_text(WIKI + 'token_file = "token"\n')
    use(folder)
    (folder / "token").unlink()
    (folder / "token").symlink_to("../secret")
    with pytest.raises(TrustError, match="the token in"):
        use(folder)


@posix
def test_what_is_written_through_a_link_is_told(folder: Path) -> None:
    (folder / "journal.jsonl").symlink_to(folder.parent / "diary")
    (line,) = said(folder, "")
    assert line == f"journal.jsonl in it is a link, and what is written goes to {folder.parent / 'diary'}"


def test_only_what_is_new_is_asked_about_and_what_goes_is_not(folder: Path) -> None:
    remember(folder, said(folder, WIKI + NOTES))
    use(folder, found=True)
    said(folder, WIKI)
    use(folder, found=True)
    for more in (
        WIKI.replace(".org", ".net"),
        WIKI + '[ask]\nprivacy = "none"\n',
        WIKI + 'admits = ["m"]\n[enclaves.m]\n',
    ):
        said(folder, more)
        with pytest.raises(TrustError):
            use(folder, found=True)
    said(folder, WIKI)
    grant = standing(Asker("me"), ["notes"], "wiki", datetime.now(UTC), datetime.now(UTC) + timedelta(days=999))
    GrantFile(folder / GRANTS).add(grant)
    with pytest.raises(TrustError, match=f"grant {grant.id}: notes of me may go to wiki until"):
        use(folder, found=True)
    GrantFile(folder / GRANTS).revoke(grant.id, datetime.now(UTC))
    use(folder, found=True)
    remember(folder, ())
    with pytest.raises(TrustError):
        use(folder, found=True)


def test_another_folder_of_the_same_kind_is_asked_about_too(folder: Path) -> None:
    remember(folder, said(folder, WIKI))
    other = folder.parent / "other"
    other.mkdir()
    said(other, WIKI)
    with pytest.raises(TrustError):
        use(other, found=True)
    assert trusted(other) == set() and len(trusted(folder)) == 1


@posix
def test_another_users_folder_is_refused_even_when_it_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(folder, "")
    if os.geteuid() == 0:
        os.chown(folder / FILE_NAME, 4243, -1)
        os.chown(folder, 4243, -1)
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    for found in (True, False):
        with pytest.raises(TrustError, match="belongs to another user") as caught:
            use(folder, found)
        assert len(caught.value.told) == 2 and "uses it for once" not in str(caught.value)
    use(folder, trust=True)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(TrustError):
        use(folder)
    monkeypatch.setenv("SUDO_UID", str(owner))
    use(folder)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(TrustError):
        use(folder)  # anybody could set it
    monkeypatch.setattr(os, "geteuid", lambda: owner)
    use(folder)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    remember(folder, caught.value.told)
    use(folder, found=True)


@posix
def test_what_belongs_to_root_is_everybodys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(folder, "")
    if folder.stat().st_uid:
        pytest.skip("only root can make such a folder")
    monkeypatch.setattr(os, "geteuid", lambda: 4243)
    use(folder, found=True)


def test_what_the_user_does_is_not_asked_about_and_the_rest_still_is(folder: Path) -> None:
    said(folder, WIKI)
    with by_hand(folder, lambda: load(folder, {})) as new:
        said(folder, WIKI + NOTES)
    assert new == trusted(folder) == {"text of notes, which is kept here, counts as public"}
    with pytest.raises(TrustError, match=r"wiki.example.org"):
        use(folder, found=True)
    with by_hand(folder, lambda: load(folder, {})) as new:
        pass
    assert not new


def test_a_list_that_cannot_be_read_is_named(folder: Path) -> None:
    said(folder, WIKI)
    remember(folder, ["x"])
    assert trusted_file().stat().st_mode & 0o077 == 0 or os.name == "nt"
    for text in ("[]", "{", '{"a": 3}', '{"a": [[]]}'):
        trusted_file().write_text(text)
        use(folder)  # nothing of it is needed
        with pytest.raises(WorkspaceError, match="does not hold what you trust"):
            use(folder, found=True)


@posix
def test_the_list_lies_where_the_user_keeps_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert trusted_file().is_relative_to(os.environ["XDG_STATE_HOME"])
    monkeypatch.setenv("HOME", str(tmp_path))
    for relative in ("", "state"):
        monkeypatch.setenv("XDG_STATE_HOME", relative)
        assert trusted_file() == tmp_path / ".local" / "state" / "answerable" / "trusted"
