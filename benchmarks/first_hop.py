"""How long is it from the start of a server to the first search of the first question?

    python benchmarks/first_hop.py [--starts 10] [--json FILE]

`answerable serve` over the sample workspace with the models that ship, started anew each time. Told are the seconds
until it says where it serves, and the milliseconds until the page came, and until the first event of the first ask (a
search that was made or refused) and of the next; of each also what the server took of a processor until then, which
says more where other programs run. Where there are chromium and chromedriver, also until the page can be used in it:
its style, its script and what that sets up are there. Medians, and the longest.
"""

from __future__ import annotations

import http.client
import os
import shutil
import statistics
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import common
from served import Process, sample, streamed

ASKED = "When was Bell Rock lighthouse first lit?"


def page(server: Process) -> tuple[float, float]:
    """Milliseconds until the page is there, and of a processor that the server took until then."""
    connection, spent = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60), server.seconds()
    began = time.perf_counter()
    connection.request("GET", "/", headers={"Accept": "text/html"})
    connection.getresponse().read()
    connection.close()
    return 1000 * (time.perf_counter() - began), 1000 * (server.seconds() - spent)


def usable(browser: Any, server: Process) -> float:
    """Milliseconds until the page can be used in a browser that has nothing of it yet."""
    browser.driver.get(f"http://127.0.0.1:{server.port}/")
    return float(browser.run("return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"))


def hop(server: Process, question: str) -> tuple[float, float]:
    """Milliseconds until the first event of an ask, and of a processor that the server took until then."""
    spent = server.seconds()
    first, taken, _ = streamed(server.port, question, server.seconds)
    return first, 1000 * (taken - spent)


def driven() -> Any:
    """A browser, or None where there is none."""
    if not find_spec("selenium"):
        return None
    from tests.web.driving import Chromium

    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return Chromium(binary, driver) if binary and driver else None


def main(words: list[str] | None = None) -> int:
    """Start and ask."""
    parser = common.parser(__doc__)
    parser.add_argument("--starts", type=int, default=10)
    given = parser.parse_args(words)
    rows: list[dict[str, float]] = []
    before = os.getloadavg()[0]
    browser = driven()
    with tempfile.TemporaryDirectory(prefix="first-hop-") as place:
        sample(work := Path(place, "work")).close()
        for _ in range(given.starts):
            began = time.perf_counter()
            server = Process(work, {})
            row = {"s to be ready": time.perf_counter() - began}
            row["ms to the page"], row["processor ms to the page"] = page(server)
            if browser:
                row["ms to the page in Chromium"] = usable(browser, server)
            for name, question in (("first hop", ASKED), ("next first hop", "Who built Skerryvore?")):
                row[f"ms to the {name}"], row[f"processor ms to the {name}"] = hop(server, question)
            server.ended()
            rows.append(row)
    if browser:
        browser.driver.quit()
    figures: dict[str, Any] = {"starts": given.starts, "load before": before, "load at the end": os.getloadavg()[0]}
    for name in rows[0]:
        values = [row[name] for row in rows]
        figures[name] = {"median": statistics.median(values), "longest": max(values)}
    common.tell(given.json, figures, given.starts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
