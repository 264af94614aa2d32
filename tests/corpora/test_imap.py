"""Mail from a server on loopback: what is fetched, what is never done, and going on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answerable.corpora.imap import Mailbox
from answerable.corpora.ingest import Ingested, ingest
from answerable.corpora.sources import Limits
from answerable.corpora.store import Store
from answerable.errors import RemoteError, UsageError
from tests.corpora.attaching import with_files
from tests.corpora.imap_server import PASSWORD, TLS, USER, Server, serving

CERTIFICATE = TLS / "certificate.pem"


def mail(number: int, text: str = "") -> bytes:
    head = f"From: Ann Lee <ann@example.org>\r\nTo: {USER}\r\nSubject: Lamp {number}\r\nMessage-ID: <{number}@x>\r\n"
    date = f"Date: Fri, {number % 28 + 1} May 2001 10:00:00 +0000\r\n\r\n"
    return (head + date + (text or f"Lamp {number} is of brass, and burns {number * 7} hours.\r\n")).encode()


MAILS = {uid: mail(uid) for uid in (3, 4, 9, 12)}


def box(server: Server, name: str = "INBOX", password: str = PASSWORD) -> Mailbox:
    return Mailbox(f"{server.url}/{name}", password, CERTIFICATE)


def fetch(path: Path, one: Mailbox, **limits: Any) -> tuple[Ingested, dict[str, str], list[str]]:
    """What became of it, the texts that are stored then by the ends of their ids, and what was reported."""
    told: list[str] = []
    limit = replace(Limits(max_seconds=0), **limits)
    with Store(path / "store.sqlite") as store:
        done = ingest(store, [one], "mail", limit, told.append, lambda _: None)
        ids = [id for id, _, _ in store.documents("mail")]
        documents = [store.document("mail", id) for id in ids]
    return done, {one.id.rpartition("#")[2]: one.text for one in documents if one}, told


def asked_mails(server: Server) -> list[str]:
    return [command.split()[2] for command in server.asked if command.startswith("UID FETCH")]


@pytest.mark.parametrize("begins_plain", [False, True])
@pytest.mark.parametrize("plain", [False, True])
def test_mails_are_fetched_once_over_tls_and_left_as_they_are(tmp_path: Path, begins_plain: bool, plain: bool) -> None:
    password = PASSWORD if plain else "secret"  # LOGIN knows no letters beyond ASCII
    with serving(Server({"INBOX": dict(MAILS)}, plain=plain, begins_plain=begins_plain, password=password)) as server:
        one = box(server, password=password)
        done, texts, told = fetch(tmp_path, one)
        assert done.added == 4 and [*texts] == ["3", "4", "9", "12"] and told == []
        assert "From: Ann Lee" in texts["9"] and "burns 63 hours" in texts["9"]
        again, texts, _ = fetch(tmp_path, one)
        assert again == Ingested(files=1) and len(texts) == 4 and asked_mails(server) == ["3,4,9,12"]
        words = {command.split()[0] for command in server.asked}
        assert words <= {"CAPABILITY", "STARTTLS", "AUTHENTICATE", "LOGIN", "EXAMINE", "FETCH", "UID", "LOGOUT"}
        assert all("BODY.PEEK[]" in command for command in server.asked if command.startswith("UID"))
        assert not [*tmp_path.glob(".mail-*")]
        stored = (tmp_path / "store.sqlite").read_bytes()
        assert password.encode() not in stored and password not in repr(one)


def test_new_mails_are_added_and_those_that_are_gone_forgotten(tmp_path: Path) -> None:
    with serving(Server({"INBOX": dict(MAILS)})) as server:
        fetch(tmp_path, box(server))
        del server.boxes["INBOX"][4]
        server.boxes["INBOX"][13] = mail(13)
        done, texts, _ = fetch(tmp_path, box(server))
        assert (done.added, done.gone) == (1, 1) and [*texts] == ["3", "9", "12", "13"]
        assert asked_mails(server)[1:] == ["13"]


def test_what_is_attached_comes_and_goes_with_its_mail(tmp_path: Path) -> None:
    note = ("note.txt", b"The diver is called Odd Berg.")
    with serving(Server({"INBOX": {**MAILS, 14: with_files(0, note)}})) as server:
        _, texts, _ = fetch(tmp_path, box(server))
        assert "Odd Berg" in texts["14/note.txt"] and "14" in texts
        del server.boxes["INBOX"][14]
        done, texts, _ = fetch(tmp_path, box(server))
        assert done.gone == 2 and not any(name.startswith("14") for name in texts)


def test_uids_that_were_given_anew_are_fetched_anew(tmp_path: Path) -> None:
    with serving(Server({"INBOX": dict(MAILS)})) as server:
        fetch(tmp_path, box(server))
        server.boxes["INBOX"], server.validity = {1: mail(12), 3: mail(50)}, 8
        done, texts, _ = fetch(tmp_path, box(server))
        assert done.removed == 3 and [*texts] == ["1", "3"] and "Lamp 50" in texts["3"]


def test_a_server_that_hangs_up_is_gone_on_with(tmp_path: Path) -> None:
    many = {uid: mail(uid, f"Lamp {uid} hangs in tower {uid * 31}.\r\n") for uid in range(1, 121)}
    with serving(Server({"INBOX": many}, dies_after=70)) as server:
        done, texts, told = fetch(tmp_path, box(server))
        assert done.failed == 1 and len(texts) == 50
        assert told == [f"skipped {server.url}/INBOX: localhost hung up, or said what is no IMAP"]
        server.dies_after = 10**9
        server.asked.clear()
        done, texts, told = fetch(tmp_path, box(server))
        assert (done.added, done.failed, told) == (70, 0, []) and len(texts) == 120
        assert asked_mails(server)[0].startswith("51,")


def test_what_is_too_long_or_broken_is_told_by_its_number(tmp_path: Path) -> None:
    boxes = {"INBOX": {1: mail(1), 2: mail(2, "x" * 5000), 5: b"\r\nno header"}}
    with serving(Server(boxes)) as server:
        _, texts, told = fetch(tmp_path, box(server), max_record=2000)
        assert [*texts] == ["1"] and asked_mails(server) == ["1,5"]
        name = f"{server.url}/INBOX"
        assert told == [
            f"skipped mail 2 of {name}: it is longer than the limit for a record",
            f"skipped mail 5 of {name}: its header or its encoding is broken",
        ]


def test_a_mailbox_is_called_as_people_write_it(tmp_path: Path) -> None:
    with serving(Server({"Entw&APw-rfe &- mehr/a": dict(MAILS)})) as server:
        done, _, _ = fetch(tmp_path, box(server, "Entwürfe%20&%20mehr/a"))
        assert done.added == 4
        with pytest.raises(UsageError, match="no mailbox 'Nothing'"):
            fetch(tmp_path, box(server, "Nothing"))


def test_a_wrong_password_is_said_without_any(tmp_path: Path) -> None:
    with serving(Server({"INBOX": {}})) as server:
        with pytest.raises(UsageError, match="does not let maria") as refused:
            fetch(tmp_path, box(server, password="mistaken"))
        assert "mistaken" not in str(refused.value) and refused.value.__cause__ is None


def test_nothing_is_said_to_a_server_that_is_not_known_or_has_no_tls(tmp_path: Path) -> None:
    with serving(Server({"INBOX": {}})) as server:
        with pytest.raises(RemoteError, match="nobody vouches for the certificate"):
            fetch(tmp_path, Mailbox(server.url, PASSWORD))
        assert server.asked == []
    with serving(Server({"INBOX": {}}, begins_plain=True, offers_tls=False)) as server:
        with pytest.raises(RemoteError, match="does not answer as an IMAP server with TLS"):
            fetch(tmp_path, box(server))
        assert server.asked == ["CAPABILITY"]
    with pytest.raises(RemoteError):
        fetch(tmp_path, box(server))


def test_addresses() -> None:
    one = Mailbox("imap://maria@example.org@imap.example.org", "x")
    assert (one.user, one.host, one.port, one.name) == ("maria@example.org", "imap.example.org", 993, "INBOX")
    assert one.url == "imap://maria@example.org@imap.example.org/INBOX" == replace(one, password="y").url
    odd = Mailbox("imap://a%3Ab@[::1]:1143/x%25%3F", "x")
    assert (odd.user, odd.host, odd.port, odd.name) == ("a:b", "::1", 1143, "x%?") and replace(odd) == odd
    for wrong in ("imap://host/INBOX", "imap://@host", "imap://a@", "imap://a@h:x/", "imap://a@h/?x", "imap://a%0d@h"):
        with pytest.raises(UsageError, match="address of a mailbox"):
            Mailbox(wrong, "x")
    with pytest.raises(UsageError, match="does not belong") as refused:
        Mailbox("imap://maria:hidden@host/INBOX", "x")
    assert "hidden" not in str(refused.value)
