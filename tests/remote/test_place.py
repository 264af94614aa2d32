"""Addresses and tokens of servers elsewhere."""

import pytest

from answerable.errors import SettingsError
from answerable.remote.place import Place, read_tokens

LONG = "x" * 32


@pytest.mark.parametrize(
    "url",
    ["", "wiki", "ftp://wiki", "https://", "https://u:p@wiki", "https://wiki/path", "https://wiki?q", "https://wiki:x",
     "https://wiki:0", "https://wi ki", "https://wïki", "http://wiki.example", "http://10.0.0.7:8642"],
)  # fmt: skip
def test_addresses_that_are_refused(url):
    with pytest.raises(SettingsError) as caught:
        Place(url)
    assert "u:p" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "host", "port", "secure"),
    [
        ("https://wiki.example.org", "wiki.example.org", 443, True),
        ("https://wiki.example.org:8642/", "wiki.example.org", 8642, True),
        ("http://127.0.0.1:9", "127.0.0.1", 9, False),
        ("http://localhost:9", "localhost", 9, False),
        ("http://[::1]:9", "::1", 9, False),
    ],
)
def test_addresses(url, host, port, secure):
    place = Place(url)
    assert (place.host, place.port, place.secure) == (host, port, secure)


def test_plain_http_to_another_machine_must_be_asked_for():
    assert Place("http://10.0.0.7:8642", plain=True).host == "10.0.0.7"


def test_tokens_are_read_by_name(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# who may ask\nalice: {LONG}a\n\n{LONG}b\n", encoding="utf8")
    assert read_tokens(path) == {"alice": f"{LONG}a", "token-4": f"{LONG}b"}
    with pytest.raises(SettingsError, match="2 tokens"):
        Place("https://wiki", path).token()
    path.write_text(f"{LONG}\n", encoding="utf8")
    assert Place("https://wiki", path).token() == LONG
    assert Place("https://wiki").token() is None


@pytest.mark.parametrize(
    "text", ["short-hidden", "two hidden words", f"a: {LONG}\nb: {LONG}", f"a: {LONG}\na: {LONG}y"]
)
def test_token_files_that_are_refused_are_not_quoted(tmp_path, text):
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf8")
    with pytest.raises(SettingsError) as caught:
        read_tokens(path)
    assert "hidden" not in str(caught.value) and LONG not in str(caught.value)


def test_a_token_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(SettingsError, match="nowhere"):
        Place("https://wiki", tmp_path / "nowhere").token()
