"""Many who ask at once: is everybody answered, does memory stay flat, and is anything lost where the server is killed?

    python benchmarks/many_askers.py [--seconds 600] [--askers 200] [--kills 5] [--stand-ins]
        [--json FILE]

`answerable serve` as a process of its own on loopback, over the sample workspace with the models that ship (with
`--stand-ins`, with those that need no weights), and with its limits as they are by default but for the rate. Each asker
has a connection and asks a question of the sample over HTTP, then the next as soon as it is answered; one who is
refused with 429 waits as long as the answer says. Told are the answers by status, the seconds that answers took, what a
single ask takes of a processor where nobody else asks, and how many times that, for each ask of the queue and shared by
the processors that the server got, the median answer took. And the memory of the server after a tenth of the time and
at the end, and the load of the machine (runnable processes, averaged over the last minute) before and at the end, so
that it shows what else ran.

Then a server with stand-ins is killed (SIGKILL) `--kills` times, after some uploads, while four clients upload and
four ask, and started again: each upload that was answered with 200 must be there, word for word, no uploaded file left
lying, asks and the next upload be answered, after which `doctor` must find no fault. Exit code 1 where a status is
neither 200 nor 429, the median answer took more than 1.5 times what is expected, memory grew by more than a tenth, or
something was lost.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import common
from answerable.errors import AnswerableError
from answerable.serving.access import ServeSettings
from answerable.workspace.opening import open_workspace
from served import STAND_INS, Process, questions, sample

GROWS = 1.1
"""Times as much memory at the end as after a tenth of the time: more is no longer flat."""
SLOWER = 1.5
"""Times the expected: what the median answer may take."""
LONGEST = 120.0
"""Seconds after which a server is killed though it has kept few uploads."""
BOUNDARY = "between"


async def asked(port: int, question: str) -> tuple[int, Mapping[str, str]]:
    """The status and the headers of one ask; 0 where the connection broke."""
    body = json.dumps({"question": question}).encode()
    head = (
        f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    )
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + b"Connection: close\r\n\r\n" + body)
        await writer.drain()
        said = await reader.read()
        writer.close()
    except OSError:
        return 0, {}
    lines = said.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    named = dict(line.lower().split(": ", 1) for line in lines[1:])
    return (int(lines[0].split()[1]) if lines[0] else 0), named


async def asking(server: Process, askers: int, seconds: float) -> tuple[Counter[int], list[float], list[float]]:
    """Answers by status, the seconds that each 200 took, and the server's memory each second."""
    statuses, took, held, every = Counter[int](), list[float](), list[float](), questions()
    until = time.monotonic() + seconds

    async def one(number: int) -> None:
        rng = random.Random(number)
        while time.monotonic() < until:
            began = time.monotonic()
            status, headers = await asked(server.port, rng.choice(every))
            statuses[status] += 1
            if status == 200:
                took.append(time.monotonic() - began)
            else:
                await asyncio.sleep(min(float(headers.get("retry-after", 1)), max(0.1, until - time.monotonic())))

    async def watch() -> None:
        while time.monotonic() < until:
            held.append(server.memory())
            await asyncio.sleep(1)

    await asyncio.gather(watch(), *(one(number) for number in range(askers)))
    return statuses, took, held


def crowd(folder: Path, settings: Mapping[str, Any], askers: int, seconds: float) -> dict[str, Any]:
    """Many askers at once."""
    before = os.getloadavg()[0]
    server = Process(folder, settings)
    try:
        asyncio.run(asking(server, 1, 5))  # models are warm
        spent = server.seconds()
        alone, _, _ = asyncio.run(asking(server, 1, 20))
        single = (server.seconds() - spent) / alone[200]
        spent, began = server.seconds(), time.monotonic()
        statuses, took, held = asyncio.run(asking(server, askers, seconds))
        lasted, spent = time.monotonic() - began, server.seconds() - spent
    finally:
        said = server.ended()
    tenth, cores = max(1, len(held) // 10), spent / lasted
    early, late = statistics.median(held[tenth : 2 * tenth] or held), statistics.median(held[-tenth:])
    limits = ServeSettings()
    queue = min(askers, limits.concurrent + limits.waiting)
    expected = single * queue / cores
    return {
        "askers": askers,
        "seconds": round(lasted),
        "asks": statuses.total(),
        "answered": statuses[200],
        "refused": statuses[429],
        "other": statuses.total() - statuses[200] - statuses[429],
        "statuses": {str(one): count for one, count in sorted(statuses.items())},
        "s median": statistics.median(took),
        "s longest": max(took),
        "processor s of one alone": single,
        "processors it got": cores,
        "asks in its queue": queue,
        "s expected": expected,
        "times the expected": statistics.median(took) / expected,
        "MB early": early,
        "MB late": late,
        "MB most": max(held),
        "grew": late / early,
        "load before": before,
        "load at the end": os.getloadavg()[0],
        "lines of its log": len(said.splitlines()),
    }


def uploaded(port: int, name: str, text: str) -> int:
    """The status of one upload; 0 where the server was gone."""
    part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="'
    body = f'{part}enclave"\r\n\r\nnotes\r\n{part}file"; filename="{name}"\r\n\r\n{text}\r\n--{BOUNDARY}--\r\n'.encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request("POST", "/v1/documents", body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"})
        reply = connection.getresponse()
        reply.read()
        return reply.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def killed(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    """Kill the server amid uploads and asks, so many times; what was lost."""
    rng, kept, lost, faults, left, unanswered = random.Random(seed), dict[str, str](), 0, 0, 0, 0
    for round_ in range(kills):
        server, over = Process(folder, STAND_INS), threading.Event()

        def upload(worker: int, port: int, number_of: int, over: threading.Event = over) -> None:
            number = 0
            while not over.is_set():
                name, number = f"note-{number_of}-{worker}-{number}.txt", number + 1
                text = f"Note {name}: the crate of job {worker * 1000 + number} weighs {number} kilos."
                if uploaded(port, name, text) == 200:
                    kept[name] = text

        def ask(port: int, over: threading.Event = over) -> None:
            while not over.is_set():
                asyncio.run(asked(port, "How much does the crate weigh?"))

        threads = [threading.Thread(target=upload, args=(one, server.port, round_)) for one in range(4)]
        threads += [threading.Thread(target=ask, args=(server.port,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        enough, began = len(kept) + rng.randint(2, 12), time.monotonic()
        while len(kept) < enough and time.monotonic() - began < LONGEST:
            time.sleep(0.05)
        time.sleep(rng.uniform(0.0, 1.0))
        server.ended(kill=True)
        over.set()
        for thread in threads:
            thread.join()
        again = Process(folder, STAND_INS)
        status, _ = asyncio.run(asked(again.port, "How much does the crate weigh?"))
        unanswered += status != 200
        unanswered += uploaded(again.port, "afterwards.txt", f"After kill {round_}.") != 200
        again.ended()
        left += len([*folder.glob(".upload-*")])
        with open_workspace(folder, settings=STAND_INS) as opened:
            owner = opened.asker(None)
            for name, text in kept.items():
                try:
                    lost += opened.library.document(owner, "notes", name).text != text
                except AnswerableError:
                    lost += 1
            faults += sum(len(opened.faults(one)) for one in opened.enclaves())
    figures = {"kills": kills, "uploads kept": len(kept), "lost": lost, "faults": faults, "left lying": left}
    return {**figures, "not answered afterwards": unanswered}


def main(words: Sequence[str] | None = None) -> int:
    """Run both, and print them."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--askers", type=int, default=200)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--stand-ins", action="store_true", help="models that need no weights")
    given = parser.parse_args(words)
    settings = STAND_INS if given.stand_ins else {}
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="many-askers-") as place:
        for name, models in {"killed": STAND_INS, "crowd": settings}.items():
            with sample(Path(place, name), models) as opened:
                if name == "killed":
                    first = Path(place, "first.txt")
                    first.write_text("The first note.")
                    opened.index([first], "notes")
        if given.kills:
            figures["killed"] = killed(Path(place, "killed"), given.kills, given.seed)
        figures["crowd"] = crowd(Path(place, "crowd"), settings, given.askers, given.seconds)
    figures["crowd"]["models"] = "stand-ins" if given.stand_ins else "shipped"
    common.tell(given.json, figures, figures["crowd"]["asks"])
    crowd_, killed_ = figures["crowd"], figures.get("killed", {})
    wrong = crowd_["other"] or crowd_["grew"] > GROWS or crowd_["times the expected"] > SLOWER
    lost = any(killed_.get(name) for name in ("lost", "faults", "left lying", "not answered afterwards"))
    return 1 if wrong or lost else 0


if __name__ == "__main__":
    sys.exit(main())
