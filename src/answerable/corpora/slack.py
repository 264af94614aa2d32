"""A Slack export: each thread a document, and of each channel what was said in a day besides, with people's names."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from html import unescape
from itertools import groupby
from typing import Any

from answerable.corpora.archives import Members
from answerable.corpora.sources import Faults, Report, clean
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

LISTS = ("users.json", "channels.json", "groups.json", "mpims.json", "dms.json")
"""Files that such an export has beside the folders of its channels: the first, and some of the others."""
_DAY = re.compile(r"(.+)/(\d{4}-\d\d-\d\d)\.json")
_MARK = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")
_WRITTEN = frozenset({"", "bot_message", "file_share", "me_message", "thread_broadcast", "file_comment"})
"""Subtypes of messages that somebody wrote: others say who joined, or what a channel is called now."""

Message = Mapping[str, Any]
Said = tuple[datetime, str, str]
"""When, by whom, what."""


def slack_root(names: Collection[str]) -> str | None:
    """What the names of such an export's files begin with; None where they are of none."""
    root = next((name.removesuffix("users.json") for name in names if re.fullmatch(r"([^/]+/)?users\.json", name)), "")
    listed = f"{root}users.json" in names and any(root + name in names for name in LISTS[1:])
    return root if listed else None


def read_slack(members: Members, source: str, enclave: str, report: Report) -> Iterator[Document]:
    """Its conversations, by channel and time. Times are in UTC.

    Ids are `source#channel/` and the moment at which a thread began, or the day. `meta` has who began as `from`, who
    else spoke as `to`, the `date`, and the channel as `folder`.
    """
    root, number = slack_root(members.names) or "", 0
    people = {str(one.get("id")): _name(one) for one in _listed(members, f"{root}users.json")}
    named = dict(people)
    for one in (one for name in LISTS[1:] if root + name in members.names for one in _listed(members, root + name)):
        talking = ", ".join(people.get(str(who), str(who)) for who in one.get("members") or ())
        called = talking if str(one.get("name", "mpdm-")).startswith("mpdm-") else f"#{one['name']}"
        named |= {str(one[key]): called for key in ("id", "name") if key in one}
    days = [match for name in sorted(members.names) if (match := _DAY.fullmatch(name.removeprefix(root)))]
    with Faults(source, report) as faults:
        for folder, files in groupby(days, lambda match: match[1]):
            threads: dict[str, list[Said]] = defaultdict(list)
            for day in files:
                try:
                    for one in _listed(members, root + day[0]):
                        if str(one.get("subtype") or "") in _WRITTEN and (said := _said(one, named)):
                            threads[str(one.get("thread_ts") or one["ts"])].append(said)
                except FormatError:
                    faults.add(f"the day {day[2]}", "it is damaged or too large")
            for id, talk in _talks(threads):
                channel = named.get(folder, f"#{folder}")
                yield _document(f"{source}#{folder}/{id}", source, enclave, channel, talk, number)
                number += 1


def _talks(threads: Mapping[str, list[Said]]) -> list[tuple[str, list[Said]]]:
    """Threads by the moment of their first message, and what nobody replied to, a day together; in order of time."""
    talks: dict[str, list[Said]] = defaultdict(list)
    for moment, said in threads.items():
        talks[moment if len(said) > 1 else f"{said[0][0]:%Y-%m-%d}"] += said
    ordered = {id: sorted(said, key=lambda one: one[0]) for id, said in talks.items()}
    return sorted(ordered.items(), key=lambda item: (item[1][0][0], item[0]))


def by_day(
    talk: Iterable[Said], id: str, source: str, enclave: str, channel: str, first: int = 0
) -> Iterator[Document]:
    """What was said in a channel, a day a document: ids are `id#` and the day, numbers count from the first."""
    ordered = sorted(talk, key=lambda one: one[0])
    for number, (day, said) in enumerate(groupby(ordered, key=lambda one: f"{one[0]:%Y-%m-%d}"), first):
        yield _document(f"{id}{'/' if '#' in id else '#'}{day}", source, enclave, channel, [*said], number)


def _document(id: str, source: str, enclave: str, channel: str, talk: list[Said], number: int) -> Document:
    """A conversation as a document."""
    began, first, _ = talk[0]
    text = "\n\n".join(f"{who}, {at.day} {at:%B %Y, %H:%M}: {said}" for at, who, said in talk)
    others = [who for who in dict.fromkeys(who for _, who, _ in talk) if who != first]
    meta = {"record": number, "from": first, "to": others, "date": began.isoformat(), "folder": channel}
    return Document(id, enclave, f"{channel}, {began.day} {began:%B %Y}", text, source, "chat", (), meta)


def _said(one: Message, named: Mapping[str, str]) -> Said | None:
    """A message; None where nothing was said."""
    files = [file.get("title") or file.get("name") for file in one.get("files") or () if isinstance(file, dict)]
    shown = [
        part.get("text") or part.get("fallback") for part in one.get("attachments") or () if isinstance(part, dict)
    ]
    text = "\n".join(str(part) for part in (one.get("text"), *shown, *files) if part)

    def mark(match: re.Match[str]) -> str:
        kind, what, label = match.groups()
        if kind == "@":
            return f"@{named.get(what) or label or what}"
        return named.get(what) or f"#{label or what}" if kind == "#" else label or what.partition("^")[0]

    said = clean(unescape(_MARK.sub(mark, text))).strip()
    profile = {"profile": one.get("user_profile"), "name": one.get("username") or one.get("user")}
    try:
        at = datetime.fromtimestamp(float(one["ts"]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return None
    return (at, named.get(str(one.get("user"))) or _name(profile), said) if said else None


def _name(one: Message) -> str:
    """What somebody is called: as they show themselves, else by their name."""
    profile = next(iter(_objects([one.get("profile")])), {})
    names = (profile.get("real_name"), one.get("real_name"), profile.get("display_name"), one.get("name"))
    return next((one_line(clean(name)) for name in names if isinstance(name, str) and name.strip()), "somebody")


def _listed(members: Members, name: str) -> list[Message]:
    """The objects of a JSON list. Raises `FormatError`."""
    try:
        found = json.loads(members.read(name))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is no JSON") from error
    return _objects(found)


def _objects(found: object) -> list[Message]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
