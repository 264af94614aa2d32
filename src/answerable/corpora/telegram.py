"""Chats as Telegram exports them in JSON: what was said in a day is a document, with people's names and the times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from answerable.corpora.slack import Said, by_day
from answerable.corpora.sources import clean, distinct, short_name, title_from
from answerable.text import one_line
from answerable.types import Document

Chat = Mapping[str, Any]


def telegram_chats(value: object) -> Sequence[Chat]:
    """The chats that a value of JSON holds: it is one of them, or an export of all; none where it is neither."""
    every = value.get("chats") if isinstance(value, dict) else None
    listed = every.get("list") if isinstance(every, dict) else [value]
    chats = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    written = all(map(_is_chat, chats)) and any("from_id" in said for one in chats for said in one["messages"])
    return chats if written else ()


def read_telegram(chats: Sequence[Chat], source: str, enclave: str) -> Iterator[Document]:
    """The days of each chat, as `read_slack` has those of a channel."""
    seen, number = dict[str, int](), 0
    for chat in chats:
        called = one_line(clean(str(chat.get("name") or title_from(source))))
        id = source if len(chats) == 1 else f"{source}#{distinct(short_name(called), seen)}"
        for document in by_day(_talk(chat), id, source, enclave, called, number):
            yield document
            number += 1


def _is_chat(one: Chat) -> bool:
    messages = one.get("messages")
    return isinstance(messages, list) and all(
        isinstance(it, dict) and {"id", "type", "date"} <= {*it} for it in messages
    )


def _talk(chat: Chat) -> Iterator[Said]:
    """Who said what and when, without what the program itself tells."""
    for one in chat["messages"]:
        text = clean(_text(one.get("text"))).strip()
        with suppress(ValueError):
            at = datetime.fromisoformat(str(one["date"])).replace(tzinfo=None)
            if text and one["type"] == "message":
                yield at, one_line(clean(str(one.get("from") or "somebody"))), text


def _text(said: object) -> str:
    """What a message says: a text, or pieces of one that are set in some way."""
    if isinstance(said, list):
        return "".join(map(_text, said))
    return _text(said.get("text")) if isinstance(said, dict) else said if isinstance(said, str) else ""
