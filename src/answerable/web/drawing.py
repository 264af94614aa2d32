"""The way a question travelled: the hops of an ask in lines, and the picture of them: enclaves as places, arrows
between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from answerable.printing import counted
from answerable.types import LEFT_OUT
from answerable.web.table import Record

NAMED = 2  # passages that are named in a line
ASKS, LEFT, WIDE, HIGH, GAP = 88, 152, 142, 66, 34
"""Of the picture: the width of the question; where places begin, how wide and high they are, and the gap between."""
ROOM = 16  # characters of a name in its place
Kind = tuple[str, str, bool]
"""Of an arrow: where from, where to, and whether it went."""


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
        why = (hop["refused"], hop["reason"], hop["held"] is None)
        kind = (hop["enclave"], tuple(hop["label"]), len(hop["because"]), hop["skill"] in ("match", "mention"), why)
        groups.setdefault(kind[:1] if _left_out(hop) else kind, []).append(hop)
    return [_line(group) for group in groups.values()]


def _left_out(hop: Record) -> bool:
    """Whether an enclave was not asked since whoever asked wanted it so, which is no arrow of the picture."""
    return (hop["refused"] or "").endswith(LEFT_OUT)


def _line(group: Sequence[Record]) -> Line:
    first, asked = group[0], group[0]["refused"] is None
    if _left_out(first):
        return Line(first["enclave"], False, "anything", 1, first["refused"], "", ())
    because = [passage for hop in group for passage in hop["because"]]
    what = {"match": "for pairs that ask the same", "mention": "for pages by name"}.get(first["skill"], "the question")
    if because and first["skill"] != "mention":
        what += f" with {_titles(because)}"
    if first["label"]:
        what += f", carrying {', '.join(first['label'])}"
    if most := max(hop["ahead"] for hop in group):
        what += f"; {counted(most, 'passage is', 'passages are')} held here"
    why = first["reason"] if asked else first["refused"]
    hits = sorted((hit for hop in group for hit in hop["hits"]), key=lambda hit: -hit["score"])
    held = "" if asked or first["held"] is None else "searched here among what was fetched ahead: "
    found = held + (_titles(hits) if hits else "nothing") if asked or held else ""
    sources = dict.fromkeys(passage["enclave"] for passage in because) or {"": None}
    edges = tuple(Edge(source, first["enclave"], asked, why, len(group)) for source in sources)
    return Line(first["enclave"], asked, what, len(group), why, found, edges)


def _titles(passages: Iterable[Record]) -> str:
    names = [*dict.fromkeys(one["title"] or one["document"] or "what has no title" for one in passages)]
    said = ", ".join(f"“{name if len(name) <= 60 else name[:59] + '…'}”" for name in names[:NAMED])
    return said + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def picture(places: Sequence[Record], edges: Iterable[Edge]) -> Record:
    """Where each place, arrow and cross stands, in units of an SVG. Arrows of one kind are one, with their number."""
    row = {one["name"]: 3 + number * (HIGH + GAP) for number, one in enumerate(places)}
    together: dict[tuple[str, str, bool], list[Edge]] = {}
    for edge in edges:
        if edge.to in row and (not edge.source or edge.source in row):
            together.setdefault((edge.source, edge.to, edge.sent), []).append(edge)
    high = max(1, len(places)) * (HIGH + GAP) - GAP + 6
    ports = _ports(together, row)
    drawn, bend, right = list[Record](), 0.0, LEFT + WIDE
    for kind, group in together.items():
        source, to, sent = kind
        began, ended = ports[kind]
        if not source:
            path = f"M{ASKS + 3} {high / 2} C{LEFT - 30} {high / 2} {ASKS + 20} {ended} {LEFT - 9} {ended}"
            head, x, y = f"M{LEFT - 10} {ended - 5} l9 5 l-9 5 z", LEFT - 24.0, ended
        else:
            out = 26 + (0.0 if sent else 30.0) + (0.2 if source == to else 0.5) * abs(ended - began)
            bend = max(bend, out)
            path = f"M{right + 2} {began} C{right + out} {began} {right + out} {ended} {right + 9} {ended}"
            head = f"M{right + 10} {ended - 5} l-9 5 l9 5 z"
            x, y = right + 3 + 0.75 * out, (began + ended) / 2
        told = {"path": path, "head": head, "x": x, "y": y, "sent": sent, "times": sum(one.times for one in group)}
        reasons = [*dict.fromkeys(one.reason for one in group)]
        said = f"{source or 'the question'} to {to}"
        drawn.append({**told, "said": said, "reasons": reasons, "from": source, "to": to})
    reached = {one["to"] for one in drawn if one["sent"]}
    boxes = [
        {"name": one["name"], "short": one["name"][:ROOM] + "…" * (len(one["name"]) > ROOM), "kind": one["kind"]}
        | {"y": row[one["name"]], "private": bool(one["label"]), "reached": one["name"] in reached}
        for one in places
    ]
    size = {"width": right + 0.75 * bend + 34, "height": high, "asks": ASKS, "left": LEFT, "wide": WIDE, "high": HIGH}
    return {"boxes": boxes, "edges": drawn, **size}


def _ports(kinds: Iterable[Kind], row: Mapping[str, float]) -> dict[Kind, tuple[float, float]]:
    """Where each arrow begins and ends, from top to bottom: those of one side of a place stand apart, and in the order
    in which their other ends lie; what was refused goes around what was not."""
    met: dict[tuple[str, bool], list[tuple[float, bool, Kind, bool]]] = {}
    for kind in kinds:
        source, to, sent = kind
        other = row.get(source, 0.0)
        met.setdefault((to, not source), []).append((other, sent == (other > row[to]), kind, True))
        if source:
            met.setdefault((source, False), []).append((row[to], sent == (row[to] > other), kind, False))
    at: dict[tuple[Kind, bool], float] = {}
    for (place, _), several in met.items():
        for number, (_, _, kind, ends) in enumerate(sorted(several), 1):
            at[kind, ends] = row[place] + HIGH * number / (len(several) + 1)
    return {kind: (at.get((kind, False), 0.0), ended) for (kind, ends), ended in at.items() if ends}
