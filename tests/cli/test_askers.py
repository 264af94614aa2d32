"""`answerable askers`, and when `serve` serves the workspace."""

from pathlib import Path

from tests.cli.conftest import Command


def test_a_token_is_printed_once(indexed: Command) -> None:
    assert indexed("askers", "list").code == 3
    ran = indexed("askers", "add", "maria", "--reads", "wiki, mail", "--days", "7", "--json")
    token = ran.record["token"]
    assert ran.code == 0 and ran.record["reads"] == ["mail", "wiki"] and len(token) == 43
    plain = indexed("askers", "add", "olga", "--owner")
    assert len(plain.out.strip()) == 43 and "everything" in plain.err
    listed = indexed("askers", "list", "--json").record["askers"]
    assert [(one["name"], one["state"], one["owner"]) for one in listed] == [
        ("maria", "in force", False),
        ("olga", "in force", True),
    ]
    assert indexed("askers", "revoke", "maria").code == 0
    told = indexed("askers", "list")
    assert "revoked" in told.out and token not in told.out + str(listed)


def test_what_is_wrong_is_said_with_the_way_out(indexed: Command) -> None:
    for words in (
        ("add", "maria"),
        ("add", "maria", "--reads", "nowhere"),
        ("revoke", "maria"),
        ("add", "a b", "--owner"),
    ):
        ran = indexed("askers", *words)
        assert ran.code == 2 and "error: " in ran.err and "try: " in ran.err, words


def test_a_workspace_is_trusted_with_the_askers_that_were_added_by_hand(indexed: Command, tmp_path: Path) -> None:
    """And asked about with those that came with it."""
    indexed("askers", "add", "maria", "--reads", "wiki")
    assert indexed("status").code == 0
    path = tmp_path / ".answerable" / "askers.json"
    path.write_text(path.read_text().replace('"digest": "', '"digest": "beef'))
    ran = indexed("status")
    assert ran.code == 2 and "answerable serve lets maria (beef" in ran.err


def test_serve_says_why_it_will_not_serve_a_workspace(indexed: Command, tmp_path: Path) -> None:
    for options, said in (
        (("--host", "0.0.0.0"), "serving on 0.0.0.0 without askers would let nobody ask"),
        (("--token-file", tmp_path / "tokens"), "--token-file is for --enclave"),
    ):
        ran = indexed("serve", *options, "--port", "0")
        assert ran.code == 2 and said in ran.err and "answerable askers add" in ran.err
