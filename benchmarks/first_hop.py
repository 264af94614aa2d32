"""How long is it from the start of a server to the first search of the first question?

    python benchmarks/first_hop.py [--starts 10] [--work FOLDER] [--json FILE]

`answerable serve` over the sample workspace with the models that ship, started anew each time. Told are the seconds
until it says where it serves, and in milliseconds: until the page came, until the first event of the first ask (a
search that was made or refused), until its answer, and until the first event of the next ask; medians, and the longest.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import common
from answerable.workspace.opening import open_workspace
from http_requests import waits
from many_askers import SAMPLE, Process

ASKED = "When was Bell Rock lighthouse first lit?"


def page(port: int) -> float:
    """Milliseconds until the page is there."""
    connection, began = http.client.HTTPConnection("127.0.0.1", port, timeout=60), time.perf_counter()
    connection.request("GET", "/", headers={"Accept": "text/html"})
    connection.getresponse().read()
    connection.close()
    return 1000 * (time.perf_counter() - began)


def arguments() -> Any:
    """The command line."""
    parser = common.parser(__doc__)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--work", type=Path, help="a workspace to serve in place of one that is made of the sample")
    return parser


def main(words: list[str] | None = None) -> int:
    """Start and ask."""
    given = arguments().parse_args(words)
    rows: list[dict[str, float]] = []
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="first-hop-") as place:
        work = given.work or Path(place, "work")
        if not given.work:
            with open_workspace(work, create=True) as opened:
                opened.index([SAMPLE / "public"], "encyclopaedia", "public", as_if_elsewhere=True)
                opened.index([SAMPLE / "private"], "office")
        for _ in range(given.starts):
            began = time.perf_counter()
            server = Process(work, {})
            ready, shown = time.perf_counter() - began, page(server.port)
            first, whole = waits(server.port, ASKED)
            later, _ = waits(server.port, "Who built Skerryvore?")
            server.ended()
            rows.append(
                {"s to be ready": ready, "page": shown, "first hop": first, "answer": whole, "next first hop": later}
            )
    figures: dict[str, Any] = {"starts": given.starts, "load before": before, "load at the end": os.getloadavg()[0]}
    for name in rows[0]:
        values = [row[name] for row in rows]
        figures[name] = {"median": statistics.median(values), "longest": max(values)}
    print(json.dumps(figures, indent=1))
    common.write(given.json, figures, given.starts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
