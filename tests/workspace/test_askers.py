"""Who may ask over HTTP: tokens that are shown once, end, and are kept as digests."""

import stat
from datetime import UTC, datetime, timedelta

import pytest

from answerable.errors import EnclaveError, UsageError, WorkspaceError
from answerable.types import Asker
from answerable.workspace.askers import ASKERS, AskerFile
from answerable.workspace.opening import open_workspace

NOW = datetime.now(UTC)


@pytest.fixture
def place(tmp_path):
    """A workspace with two enclaves and a declared asker."""
    with open_workspace(tmp_path, create=True):
        pass
    with open(tmp_path / "answerable.toml", "a", encoding="utf8") as file:
        file.write('[enclaves.wiki]\nkind = "public"\n[enclaves.mail]\n[askers.jan]\nclearance = ["mail"]\n')
    return tmp_path


@pytest.fixture
def opened(place):
    with open_workspace(place) as workspace:
        yield workspace


def test_a_token_is_of_256_bits_and_kept_as_a_digest_for_its_owner_alone(place, opened):
    tokens = {opened.askers.add(opened.settings, f"maria{n}", ["wiki"])[1] for n in range(20)}
    assert len(tokens) == 20 and all(len(one) == 43 for one in tokens)
    kept = (place / ASKERS).read_text()
    assert not any(one in kept for one in tokens)
    for name in (ASKERS, "askers.lock"):
        assert stat.S_IMODE((place / name).stat().st_mode) == 0o600


def test_who_holds_a_token_reads_what_was_said_until_it_ends(opened):
    made, token = opened.askers.add(opened.settings, "maria", ["wiki", "mail", "wiki"], days=3)
    held = opened.askers.holder(token.encode(), NOW)
    assert held == made and held.asker(opened.settings) == Asker("maria", frozenset({"wiki", "mail"}))
    end = made.until
    assert timedelta(days=3) - timedelta(minutes=1) < end - NOW < timedelta(days=3, minutes=1)
    assert opened.askers.holder(token.encode(), end - timedelta(seconds=1)) is not None
    assert opened.askers.holder(token.encode(), end) is None
    for wrong in (b"", token[:-1].encode(), token.swapcase().encode(), made.digest.encode(), b"\xff"):
        assert opened.askers.holder(wrong, NOW) is None


def test_a_declared_asker_and_an_owner(opened):
    _, token = opened.askers.add(opened.settings, "jan")
    assert opened.askers.holder(token.encode(), NOW).asker(opened.settings) == Asker("jan", frozenset({"mail"}))
    made, _ = opened.askers.add(opened.settings, "olga", owner=True)
    assert made.asker(opened.settings) == Asker("olga", None)


def test_an_enclave_that_is_gone_is_read_no_more(place):
    with open_workspace(place) as workspace:
        made, _ = workspace.askers.add(workspace.settings, "maria", ["wiki", "mail"])
    text = (place / "answerable.toml").read_text().replace("[enclaves.mail]\n", "").replace('["mail"]', "[]")
    (place / "answerable.toml").write_text(text)
    with open_workspace(place) as workspace:
        assert made.asker(workspace.settings).clearance == {"wiki"}


def test_revoked_is_at_once_and_for_good_and_another_process_sees_it(place, opened):
    _, token = opened.askers.add(opened.settings, "maria", ["wiki"])
    assert opened.askers.holder(token.encode(), NOW)
    assert AskerFile(place / ASKERS).revoke("maria").revoked
    assert opened.askers.holder(token.encode(), NOW) is None
    assert [one.name for one in opened.askers.all()] == ["maria"]
    _, second = opened.askers.add(opened.settings, "maria", ["wiki"])
    assert opened.askers.holder(second.encode(), NOW) and opened.askers.holder(token.encode(), NOW) is None


@pytest.mark.parametrize(
    ("name", "how", "error", "said"),
    [
        ("", {"reads": ["wiki"]}, UsageError, "cannot be an asker's name"),
        ("a b", {"reads": ["wiki"]}, UsageError, "cannot be an asker's name"),
        ("maria\n", {"reads": ["wiki"]}, UsageError, "cannot be an asker's name"),
        ("maria", {"reads": ["nothing"]}, EnclaveError, "nothing"),
        ("maria", {}, UsageError, "not said"),
        ("jan", {"reads": ["wiki"]}, UsageError, "declared already"),
        ("jan", {"owner": True}, UsageError, "an owner may read everything"),
        ("maria", {"owner": True, "reads": ["wiki"]}, UsageError, "an owner may read everything"),
    ],
)
def test_what_cannot_be_added(opened, name, how, error, said):
    with pytest.raises(error, match=said):
        opened.askers.add(opened.settings, name, **how)
    assert opened.askers.all() == ()


def test_nobody_has_two_tokens_and_nobody_else_is_revoked(opened):
    opened.askers.add(opened.settings, "maria", ["wiki"])
    with pytest.raises(UsageError, match="maria has a token"):
        opened.askers.add(opened.settings, "maria", ["wiki"])
    with pytest.raises(UsageError, match="no asker is named 'karl'"):
        opened.askers.revoke("karl")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"askers": [{}]}', '{"askers": [{"name": 1}]}', '{"askers": 3}'])
def test_a_file_that_holds_no_askers_lets_nobody_in_and_says_so(place, text):
    (place / ASKERS).write_text(text)
    with pytest.raises(WorkspaceError, match="does not hold askers"):
        AskerFile(place / ASKERS).holder(b"x", NOW)
