"""The way a question travelled: the hops of an ask in lines, and the picture of them: enclaves as places, arrows
between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from answerable.web.table import Record

NAMED = 2  # passages that are named in a line
BOX = (96, 190, 168, 54, 22)
"""The picture: the width of the question, where places begin, how wide and high they are, and the gap between."""
ROOM = 20  # characters of a name in its place


@dataclass(frozen=True, slots=True)
class Edge:
    """Something that went to an enclave, or did not and why. `source`: where it was read; empty: the question."""

    source: str
    to: str
    sent: bool
    reason: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """Hops of one kind: of one enclave, asked the same with passages that carry the same."""

    enclave: str
    asked: bool
    what: str
    times: int
    why: str
    found: str
    edges: tuple[Edge, ...]


def lines(hops: Iterable[Record]) -> list[Line]:
    """Hops as `serialize` gives them, those of one kind together, as the first came."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for hop in hops:
        why = (hop["refused"], hop["reason"], hop["held"] is None, hop["ahead"])
        kind = (hop["enclave"], tuple(hop["label"]), len(hop["because"]), hop["skill"] in ("match", "mention"), why)
        groups.setdefault(kind, []).append(hop)
    return [_line(group) for group in groups.values()]


def _line(group: Sequence[Record]) -> Line:
    first, asked = group[0], group[0]["refused"] is None
    because = [passage for hop in group for passage in hop["because"]]
    what = {"match": "for pairs that ask the same", "mention": "for pages by name"}.get(first["skill"], "the question")
    if because and first["skill"] != "mention":
        what += f" with {_titles(because)}"
    if first["label"]:
        what += f", carrying {', '.join(first['label'])}"
    if first["ahead"]:
        what = f"ahead {what}"
    why = first["reason"] if asked else first["refused"]
    hits = sorted((hit for hop in group for hit in hop["hits"]), key=lambda hit: -hit["score"])
    held = "" if asked or first["held"] is None else "searched here among what was fetched ahead: "
    found = held + (_titles(hits) if hits else "nothing") if asked or held else ""
    sources = dict.fromkeys(passage["enclave"] for passage in because) or {"": None}
    edges = tuple(Edge(source, first["enclave"], asked, why, len(group)) for source in sources)
    return Line(first["enclave"], asked, what, len(group), why, found, edges)


def _titles(passages: Iterable[Record]) -> str:
    names = [*dict.fromkeys(one["title"] or one["document"] for one in passages)]
    said = ", ".join(f"“{name if len(name) <= 60 else name[:59] + '…'}”" for name in names[:NAMED])
    return said + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def picture(places: Sequence[Record], edges: Iterable[Edge]) -> Record:
    """Where each place, arrow and cross stands, in units of an SVG. Arrows of one kind are one, with their number."""
    wide, left, width, height, gap = BOX
    row = {one["name"]: height // 2 + 2 + number * (height + gap) for number, one in enumerate(places)}
    whole, right = max(1, len(places)) * (height + gap) - gap + 4, left + width
    together: dict[tuple[str, str, bool], list[Edge]] = {}
    for edge in edges:
        if edge.to in row and (not edge.source or edge.source in row):
            together.setdefault((edge.source, edge.to, edge.sent), []).append(edge)
    drawn, bend = list[Record](), 0
    for (source, to, sent), group in together.items():
        shift = -9 if sent else 9  # what went and what was refused on one way stand side by side
        y = row[to] + shift
        if not source:
            began, middle = whole / 2, left - 40
            path, at = f"M{wide + 3} {began} C{middle - 14} {began} {wide + 26} {y} {left - 9} {y}", (left - 28, y)
            head = f"M{left - 10} {y - 5} l9 5 l-9 5 z"
        else:
            bend += 1
            out = right + 34 + 11 * bend
            began = row[source] - shift if source == to else row[source] + shift / 2
            path = f"M{right + 3} {began} C{out} {began} {out} {y} {right + 9} {y}"
            at = (right + 3 + 0.75 * (out - right - 6), (began + y) / 2)
            head = f"M{right + 10} {y - 5} l-9 5 l9 5 z"
        said = f"{source or 'the question'} to {to}"
        reasons = [*dict.fromkeys(one.reason for one in group)]
        times = sum(one.times for one in group)
        told = {"path": path, "head": head, "x": at[0], "y": at[1], "sent": sent, "times": times}
        drawn.append({**told, "said": said, "reasons": reasons, "from": source, "to": to})
    reached = {one["to"] for one in drawn if one["sent"]}
    boxes = [
        {"name": one["name"], "short": one["name"][:ROOM] + "…" * (len(one["name"]) > ROOM), "kind": one["kind"]}
        | {"y": row[one["name"]] - height / 2, "private": bool(one["label"]), "reached": one["name"] in reached}
        for one in places
    ]
    return {"boxes": boxes, "edges": drawn, "width": right + 46 + 9 * bend + 12, "height": whole}
