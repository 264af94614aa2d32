"""What a remote enclave on loopback costs, and what it does when requests go wrong.

    python benchmarks/remote.py [--workspace DIR --enclave NAME] [--encoder minilm|hashed] [--searches 2000]
                                [--askers 1 50] [--pause 0.5] [--requests 100000] [--faults 0.01] [--timeout 2]
                                [--threads 8] [--json FILE]

Latency: an enclave (the sample's public one, or that of a workspace) is searched in this process, and through the
shipped server, a process of its own, by 1 and by 50 askers at once: as fast as they can, and with a pause between
searches. A search is the ranking and its ten passages, by words and by vector; vectors are made beforehand.

Faults: the sample's questions are asked of its public enclave, through a proxy that spoils a share of the answers
(late, dropped, garbage, of the wrong shape, cut off, status 500, twice, that of another request), and of its private
one, here. A planted word stands in every private passage where an expanded query would take it up. Counted: hits that
differ from a search of the same index here (wrong), searches that were given up (unanswered), and requests that hold
the word (private). With privacy switched off the word must be found, which shows that it can be.
Exit code 1 when an answer is wrong, a private word was sent, or the word is not found without privacy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answerable
from answerable.chains.beam import BeamSettings, gather
from answerable.encoders.encoder import Vectors
from answerable.errors import RemoteError
from answerable.indexes.index import Ranking, SearchMode
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.privacy.flow import first_query
from answerable.remote.client import RemoteEnclave
from answerable.remote.place import Place, RemoteSettings
from answerable.retriever import Retriever, SearchableEnclave
from answerable.types import Asker, Passage, Privacy, Skill
from answerable.workspace import Workspace, open_workspace
from tests.server.proxy import FAULTS, Fault, Proxy

SAMPLE = Path(answerable.__file__).parent / "sample"
K = 10
WORD = "Zanzibarquux"
Asked = tuple[str, Vectors]


def questions() -> list[str]:
    """The sample's."""
    return [json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text("utf8").splitlines()]


class Process:
    """`answerable serve` as a process of its own."""

    def __init__(self, folder: Path, enclave: str, encoder: str) -> None:
        command = [
            sys.executable,
            "-m",
            "answerable",
            "-w",
            str(folder),
            "--json",
            "serve",
            "-e",
            enclave,
            "--port",
            "0",
        ]
        environment = {**os.environ, "ANSWERABLE_MODELS_ENCODER": encoder, "ANSWERABLE_SERVE_RATE": "0"}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        assert self._process.stdout
        self.url: str = json.loads(self._process.stdout.readline())["url"]

    def stop(self) -> None:
        """End it as a service manager would."""
        self._process.terminate()
        self._process.wait()


def timed(enclave: SearchableEnclave, asked: Sequence[Asked], askers: int, each: int, pause: float) -> list[float]:
    """Seconds of each search when `askers` threads search at once, each as often as said."""
    seconds: list[float] = []
    gate = threading.Barrier(askers)

    def one(number: int) -> None:
        chance = random.Random(number)
        gate.wait()
        time.sleep(chance.uniform(0, pause))
        for text, vector in itertools.islice(itertools.cycle(asked), number, number + each):
            began = time.perf_counter()
            ranking = enclave.search(text, vector, "hybrid", K)
            enclave.passages([id for id, _ in ranking])
            seconds.append(time.perf_counter() - began)
            time.sleep(chance.uniform(0, 2 * pause)) if pause else None

    threads = [threading.Thread(target=one, args=(number,)) for number in range(askers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(seconds)


def latency(
    here: SearchableEnclave, there: SearchableEnclave, asked: Sequence[Asked], given: argparse.Namespace
) -> dict:
    """Milliseconds of a search here and there, and what there adds, for every number of askers."""
    figures = {}
    for askers, pause in [*((askers, 0.0) for askers in given.askers), (max(given.askers), given.pause)]:
        each = max(5, given.searches // askers) if not pause else max(5, int(10 / given.pause))
        timed(there, asked, askers, 3, 0.0)
        rows = {}
        for name, enclave in (("here", here), ("there", there)):
            seconds = timed(enclave, asked, askers, each, pause)
            rows |= {f"{name}.median": 1000 * statistics.median(seconds)}
            rows |= {f"{name}.95": 1000 * seconds[int(0.95 * len(seconds))]}
        rows |= {f"added.{which}": rows[f"there.{which}"] - rows[f"here.{which}"] for which in ("median", "95")}
        figures[f"{askers} askers{f', a pause of {pause:g} s' if pause else ''}"] = rows
    return figures


class Checked:
    """A remote enclave whose every answer is held against the same index here."""

    def __init__(self, there: RemoteEnclave, here: SearchableEnclave, counts: Counter[str]) -> None:
        self.there, self.here, self.counts = there, here, counts

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As there; counts what differs from here."""
        self.counts["searches"] += 1
        try:
            ranking = self.there.search(query_text, vector, mode, k)
        except RemoteError:
            self.counts["unanswered"] += 1
            raise
        ids = [id for id, _ in ranking]
        same = ranking == self.here.search(query_text, vector, mode, k)
        self.counts["wrong"] += not (same and self.there.passages(ids) == self.here.passages(ids))
        return ranking

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """As there."""
        return self.there.passages(ids)


class Planted:
    """A private enclave with the word in every passage, as a name."""

    def __init__(self, enclave: SearchableEnclave) -> None:
        self.enclave = enclave

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As the enclave."""
        return self.enclave.search(query_text, vector, mode, k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Those of the enclave, with the word in title and text."""
        return [
            replace(p, title=f"{WORD} {p.title}", text=f"{WORD} {p.text}", end=p.end + len(WORD) + 1)
            for p in self.enclave.passages(ids)
        ]


def faults(workspace: Workspace, url: str, given: argparse.Namespace) -> dict[str, float]:
    """Ask until enough requests were sent; what went wrong."""
    counts: Counter[str] = Counter()
    retriever = workspace.engine().retriever
    chance = random.Random(given.seed)
    lock = threading.Lock()

    def choose(number: int, request: bytes) -> Fault | None:
        with lock:
            counts["private"] += WORD.encode() in request
            spoilt = chance.random() < given.faults
            counts["faults"] += spoilt
            return chance.choice(FAULTS) if spoilt else None

    proxy = Proxy(int(url.rsplit(":", 1)[1]), choose, delay=given.timeout + 0.5, keep=False)
    here = retriever.indexes["wiki"]
    there = RemoteEnclave("wiki", Place(proxy.url), retriever.encoder, RemoteSettings(given.timeout, tries=3))
    indexes = {"wiki": Checked(there, here, counts), "mail": Planted(retriever.indexes["mail"])}
    table = EnclaveTable([public("wiki"), private("mail")])
    asked = questions()
    numbers = itertools.count()

    def ask(privacy: Privacy) -> None:
        text = asked[next(numbers) % len(asked)]
        door = Retriever(table, indexes, retriever.encoder, privacy, retriever.settings)
        gather(first_query(text, Asker(), privacy, table), door, BeamSettings())

    def until(done: Callable[[], bool]) -> None:
        while not done():
            ask(Privacy.DOCUMENT)
            counts["asks"] += 1

    began = time.perf_counter()
    threads = [
        threading.Thread(target=until, args=(lambda: proxy.count >= given.requests,)) for _ in range(given.threads)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures = {"requests": proxy.count, "seconds": time.perf_counter() - began}
    figures |= {name: counts[name] for name in ("faults", "asks", "searches", "wrong", "unanswered", "private")}
    for _ in range(5):
        ask(Privacy.NONE)
    figures["private without privacy"] = counts["private"] - figures["private"]
    proxy.close()
    return figures


def sample(folder: Path) -> Workspace:
    """The sample, public and private."""
    made = open_workspace(folder, create=True)
    made.index([SAMPLE / "public"], "wiki", "public")
    made.index([SAMPLE / "private"], "mail")
    return made


def main() -> int:
    """Run and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path, help="search an enclave of this workspace for the latency")
    parser.add_argument("--enclave", default="wiki")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--searches", type=int, default=2000, help="for each latency; 0: measure none")
    parser.add_argument("--askers", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--pause", type=float, default=0.5, help="seconds, on average, in the run with pauses")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--faults", type=float, default=0.01)
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds for one try in the run with faults")
    parser.add_argument("--threads", type=int, default=8, help="asks at once in the run with faults")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    os.environ["ANSWERABLE_MODELS_ENCODER"] = given.encoder
    with tempfile.TemporaryDirectory() as place, sample(Path(place)) as small:
        folder = given.workspace or Path(place)
        with open_workspace(folder) as opened:
            retriever = opened.engine().retriever
            asked = [(text, retriever.encoder.encode_query(text, Skill.SINGLE)) for text in questions()[:100]]
            process = Process(folder, given.enclave, given.encoder)
            there = RemoteEnclave(given.enclave, Place(process.url), retriever.encoder, RemoteSettings(60.0, 1))
            here = retriever.indexes[given.enclave]
            figures: dict = {"latency": latency(here, there, asked, given) if given.searches else {}}
            there.close()
            process.stop()
        process = Process(Path(place), "wiki", given.encoder)
        figures["faults"] = found = faults(small, process.url, given)
        process.stop()
    for name, row in figures["latency"].items():
        print(name, *(f"{key} {value:.2f} ms" for key, value in row.items()), sep="  ")
    print("faults", *(f"{key} {value:,.0f}" for key, value in found.items()), sep="  ")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n")
    return 1 if found["wrong"] or found["private"] or not found["private without privacy"] else 0


if __name__ == "__main__":
    sys.exit(main())
