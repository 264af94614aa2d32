"""Chats that Telegram exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answerable.corpora.telegram import telegram_chats
from tests.corpora.reading import read, write

CHAT = {
    "name": "Allotment",
    "type": "private_group",
    "messages": [
        {"id": 1, "type": "service", "date": "2026-03-01T09:00:00", "actor": "Ines", "text": ""},
        {"id": 2, "type": "message", "date": "2026-03-01T09:05:40", "from": "Gordon", "from_id": "user2",
         "text": ["who has the key for the ", {"type": "bold", "text": "shed"}, "?"]},
        {"id": 3, "type": "message", "date": "2026-03-01T09:07:02", "from": "Ines", "from_id": "user1",
         "text": "Petra"},
        {"id": 4, "type": "message", "date": "2026-03-08T18:20:00", "from": None, "from_id": "user3", "text": "Hi"},
        {"id": 5, "type": "message", "date": "none", "from": "Ines", "from_id": "user1", "text": "When?"},
    ],
}  # fmt: skip


def test_what_is_said_in_a_day_is_a_document(tmp_path: Path) -> None:
    (first, second), reports = read(write(tmp_path / "result.json", json.dumps(CHAT).encode()))
    assert not reports and first.text == (
        "Gordon, 1 March 2026, 09:05: who has the key for the shed?\n\nInes, 1 March 2026, 09:07: Petra"
    )
    assert (first.title, first.kind, first.id.rpartition("/")[2]) == (
        "Allotment, 1 March 2026", "chat", "result.json#2026-03-01"
    )  # fmt: skip
    assert (first.meta["from"], first.meta["to"], first.meta["record"]) == ("Gordon", ["Ines"], 0)
    assert second.text == "somebody, 8 March 2026, 18:20: Hi" and second.meta["record"] == 1


def test_an_export_of_all_chats_has_each(tmp_path: Path) -> None:
    every = {"chats": {"list": [CHAT, {**CHAT, "name": None}]}}
    documents, _ = read(write(tmp_path / "result.json", json.dumps(every).encode()))
    assert [one.id.rpartition("#")[2] for one in documents] == [
        f"{name}/2026-03-{day}" for name in ("Allotment", "result") for day in ("01", "08")
    ]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"messages": []},
        {"messages": [{"id": 1, "type": "message", "date": "2026"}]},
        {"chats": {"list": 3}},
    ],
)
def test_other_values_are_none(value: object) -> None:
    assert not telegram_chats(value)
