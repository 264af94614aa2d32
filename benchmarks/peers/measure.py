"""One peer, measured in its own environment: `measure.py NAME vectors|sample|index|search JOB` prints a JSON object.

`with_NAME.py` has a class `Peer` with `index(rows)`, `search(question)` for each of its `ways`, and `close()`. Only the
standard library is used here, since a peer's environment has no more than the peer needs.

JOB is a JSON file: `passages` and `questions`, files of JSON lines; `folder`, which the peer keeps what it indexes in;
`weights`, a folder of sentence-transformers; `vectors`, the file of the vectors of all passages; `sample`, of how many
passages it makes the vectors itself, while it is timed: what takes minutes for each peer and is the same for all, the
vectors of the others, is made once.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any, Protocol

K = 20
"""Passages that a search gives, at most."""
WARM = 10
"""Searches that are not counted."""
_END = 200
Row = dict[str, str]
"""`_id`, `title` and `text` of a passage."""


class Peer(Protocol):
    """What is compared. Made anew, from a folder that is empty or that another process filled."""

    ways: tuple[str, ...]
    """Its ways to search; the first is its best with one hop."""
    model: tuple[str, str] | None
    """Module and name of the class whose `encode` makes its vectors; None where it makes all of them itself."""

    def __init__(self, folder: Path, weights: Path) -> None: ...

    def index(self, rows: list[Row]) -> None:
        """Keep passages so that another process finds them."""

    def search(self, question: str, way: str) -> list[str]:
        """Up to `K` ids of passages, best first."""

    def close(self) -> None:
        """Let go of what is open."""


def lines(path: str) -> list[Any]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def peak() -> float:
    """Megabytes that this process held at most; `ru_maxrss` would count what started it."""
    said = Path("/proc/self/status").read_text("ascii")
    return int(said.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    """Index or search, and print what was measured."""
    name, step, job = sys.argv[1], sys.argv[2], json.loads(Path(sys.argv[3]).read_text("utf-8"))
    if step == "vectors":
        return vectors(job)
    began = time.perf_counter()
    made: type[Peer] = importlib.import_module(f"with_{name}").Peer
    peer = made(Path(job["folder"]), Path(job["weights"]))
    told = search(peer, job, began) if step == "search" else index(peer, job, step)
    peer.close()
    print(json.dumps(told | {"peak": peak()}))


def index(peer: Peer, job: dict[str, Any], step: str) -> dict[str, Any]:
    """Seconds, of the clock and of processors, to index a sample, or all passages, whose vectors are known."""
    rows = lines(job["passages"])
    if step == "sample":
        rows = rows[: job["sample"]]
    elif model := getattr(peer, "model", None):
        module, kind = model
        look_up(module, kind, rows, job["vectors"])
    began, worked = time.perf_counter(), processors()
    peer.index(rows)
    return {"passages": len(rows), "seconds": time.perf_counter() - began, "processors": processors() - worked}


def vectors(job: dict[str, Any]) -> None:
    """Make the file of vectors, with this engine's encoder."""
    import numpy as np

    from answerable.encoders.choose import open_encoder

    texts = [(row["title"], row["text"]) for row in lines(job["passages"])]
    np.save(job["vectors"], open_encoder("minilm").encode_passages(texts))


def look_up(module: str, name: str, rows: list[Row], path: str) -> None:
    """Have a class's `encode` give the vectors of passages, however their titles are put before them."""
    import numpy as np

    known, kind = {}, getattr(importlib.import_module(module), name)
    for row, vector in zip(rows, np.load(path), strict=True):
        for shape in ("{title}. {text}", "{title}\n{text}", "title: {title}\n\n{text}"):
            known[shape.format(**row)[-_END:].strip()] = vector
    before = kind.encode

    def encode(self: object, texts: Any, *rest: object, **named: object) -> Any:
        found = [known.get(text[-_END:].strip()) for text in ([texts] if isinstance(texts, str) else texts)]
        return before(self, texts, *rest, **named) if any(one is None for one in found) else np.array(found)

    kind.encode = encode


def search(peer: Peer, job: dict[str, Any], began: float) -> dict[str, Any]:
    """For each way, what was found, and the seconds of each search; and from nothing to the first result."""
    asked = [row["question"] for row in lines(job["questions"])]
    peer.search(asked[0], peer.ways[0])
    told: dict[str, Any] = {"start": time.perf_counter() - began, "ways": {}}
    for way in peer.ways:
        for question in asked[:WARM]:
            peer.search(question, way)
        found, seconds, worked = [], [], []
        for question in asked:
            at, cpu = time.perf_counter(), processors()
            found.append(peer.search(question, way))
            seconds.append(time.perf_counter() - at)
            worked.append(processors() - cpu)
        told["ways"][way] = {"found": found, "seconds": seconds, "processors": worked}
    return told


def processors() -> float:
    """Seconds that this process and its children have computed."""
    own, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + theirs.ru_utime + theirs.ru_stime


if __name__ == "__main__":
    main()
