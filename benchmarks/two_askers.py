"""Can an asker tell what lies in an enclave that they may not read? Every route and page, asked in two runs.

    python benchmarks/two_askers.py [--trials 2000] [--seed 1] [--json FILE]

Two workspaces, with stand-ins for models, differ in nothing but one private enclave (`clinic`): other files in it,
none, or a damaged index. Each is served on loopback to a guest, who may read `wiki`, and a clerk, who may read `wiki`
and `mail`. A trial draws one of the two, a route of the table or a page, and a request: a sample of the tests with
words, names and numbers changed, or one drawn from the server's own description. It fails where the two servers answer
differently: by status, headers, class of error, counts or any byte of the body, but for times, ids that are drawn, and
the address of the server. Every tenth trial the owner asks and reads the enclave in between, so that what was asked
before is a part of it. Expected: 0. Leaks that are planted in a route run beside it, and show that a trial can fail.
Exit code 1 where a trial fails, or a planted leak is not caught.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import common
import http_requests
from answerable.errors import EnclaveError
from answerable.web.app import OPENAPI, ROUTES
from answerable.web.pages import PAGES
from answerable.web.table import Call, Endpoint, Record
from tests.web import test_pages, test_table
from tests.web.conftest import ASKED, MAIL, Web, made, served
from tests.web.visiting import Visitor

READS = {"guest": ["wiki"], "clerk": ["wiki", "mail"]}
NAMES = ("Kõpu Lighthouse", "Hook Lighthouse", "Skerryvore", "Bell Rock", "KESTREL", "HERON")
WORKS = ("completed in", "painted in", "sold in", "closed in", "lit in")
QUESTIONS = (
    ASKED,
    "What is the job at Kõpu Lighthouse called?",
    "Who built Hook Lighthouse?",
    "lighthouses",
    "And who?",
)
ENCLAVES = ("wiki", "mail", "clinic", "nothing")
IDS = ("wiki/kopu.md", "mail/birds.txt", "clinic/c0.txt", "clinic/c1.txt", "clinic", "nothing.txt")
WORLDS = ("other files", "no files", "a damaged index")
TRIALS_OF_A_WORLD = 250


def clinic(rng: random.Random) -> dict[str, str]:
    """Files that answer what is asked, each time otherwise."""
    said = (
        f"{one} was {rng.choice(WORKS)} {rng.randint(1500, 1999)}. The file says {rng.random()}.\n" for one in NAMES
    )
    return {f"c{number}.txt": text for number, text in enumerate(said)}


@dataclass
class Run:
    """One of the two: the server, and who asks it."""

    web: Web
    tokens: Mapping[str, str]
    visitors: Mapping[str, Visitor]

    def told(self, who: str, name: str, request: tuple[Any, ...]) -> Any:
        """What somebody is told, without what differs by itself."""
        if name.startswith("page "):
            page, path, fields, headers = request
            visitor = self.visitors[who]
            return test_pages._plain(test_pages._visit(visitor, page, path, fields, **headers))
        method, path, body, headers = request
        given = {key.replace("-", "_"): value for key, value in headers.items()}
        return test_table._plain(self.web.ask(method, path, body, self.tokens[who], **given))


@contextmanager
def pair(rng: random.Random, world: str, table: Sequence[Endpoint] = ROUTES) -> Iterator[tuple[Run, Run]]:
    """Two servers over workspaces that differ in the clinic alone."""
    with ExitStack() as stack:
        runs = []
        for second in (False, True):
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="two-askers-")))
            opened = stack.enter_context(made(place, MAIL))
            files = {} if second and world == "no files" else clinic(rng)
            (place / "clinic").mkdir()
            for name, text in files.items():
                (place / "clinic" / name).write_text(text, encoding="utf8")
            opened.index([place / "clinic"], "clinic")
            if second and world == "a damaged index":
                for path in (place / "work" / "indexes" / "clinic").rglob("*"):
                    if path.is_file():
                        path.write_bytes(path.read_bytes()[:20] + b"damaged")
            tokens = {who: opened.askers.add(opened.settings, who, reads)[1] for who, reads in READS.items()}
            tokens["owner"] = opened.askers.add(opened.settings, "owner", owner=True)[1]
            web = stack.enter_context(served(opened, table))
            visitors = {who: Visitor(web) for who in READS}
            for who, visitor in visitors.items():
                visitor.signed_in(tokens[who])
            runs.append(Run(web, tokens, visitors))
        yield runs[0], runs[1]


def changed(value: Any, rng: random.Random, share: float) -> Any:
    """A sample's value with some of its words, names and numbers in the place of others."""
    if isinstance(value, dict):
        return {changed(key, rng, share / 3): changed(one, rng, share) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [changed(one, rng, share) for one in value]
    if isinstance(value, bool) or value is None or isinstance(value, bytes) or rng.random() >= share:
        return value
    if isinstance(value, int):
        return rng.choice((0, 1, 2, 50))
    pools: tuple[Sequence[str], ...] = (QUESTIONS, ENCLAVES, IDS, NAMES)
    return rng.choice(next((pool for pool in pools if value in pool), rng.choice(pools)))


def names() -> list[str]:
    """Every route by its name, every page as `page NAME`."""
    return [*test_table.SAMPLES, *(f"page {one.name}" for one in PAGES)]


def drawn(name: str, described: Mapping[str, Any], rng: random.Random) -> tuple[Any, ...]:
    """A request to a route or a page."""
    share = rng.choice((0.0, 0.3, 0.6))
    if name.startswith("page "):
        page = next(one for one in PAGES if f"page {one.name}" == name)
        path, fields = rng.choice(test_pages.FORMS[page.name])
        streamed = page.streams and not page.changes and rng.random() < 0.5
        return (
            page,
            _path(path, rng, share),
            changed(fields, rng, share),
            {"Accept": "text/event-stream"} if streamed else {},
        )
    method, _, place = name.partition(" ") if " " in name else ("GET", "", name)
    if rng.random() < 0.25 and place in described["paths"]:
        alone = {**described, "paths": {place: {method.lower(): described["paths"][place][method.lower()]}}}
        return http_requests.request(alone, rng)
    sample = rng.choice(test_table.SAMPLES[name])
    return method, _path(sample.path, rng, share), changed(sample.body, rng, share), dict(sample.headers)


def _path(path: str, rng: random.Random, share: float) -> str:
    for known in (*IDS, *ENCLAVES):
        if known in path and rng.random() < share:
            others = IDS if known in IDS else ENCLAVES
            path = path.replace(known, quote(rng.choice(others)), 1)
    return path


def run(trials: int, seed: int) -> dict[str, Any]:
    """The shipped table: how many trials fail, of which routes, and how they were answered."""
    rng, started, failed = random.Random(seed), time.perf_counter(), Counter[str]()
    statuses: Counter[int] = Counter()
    every, done, differing = names(), 0, 0
    while done < trials:
        with pair(rng, WORLDS[done // TRIALS_OF_A_WORLD % len(WORLDS)]) as runs:
            described = runs[0].web.ask("GET", OPENAPI, token=runs[0].tokens["owner"]).record
            for _ in range(min(TRIALS_OF_A_WORLD, trials - done)):
                if done % 10 == 0:
                    asked = {"question": rng.choice(QUESTIONS), "filter": {"enclaves": ["clinic"]}}
                    told = [one.told("owner", "", ("POST", "/v1/ask", asked, {})) for one in runs]
                    differing += told[0] != told[1]
                name, who = every[done % len(every)], rng.choice([*READS])
                request = drawn(name, described, rng)
                first, second = (one.told(who, name, request) for one in runs)
                statuses[first[0]] += 1
                if first != second:
                    failed[name] += 1
                    print(f"{who} can tell by {name}: {request}", flush=True)
                done += 1
        print(f"{done:,} of {trials:,}, {failed.total()} failed", flush=True)
    seconds = round(time.perf_counter() - started, 1)
    told_of = {
        "routes": len(every),
        "owner told apart": differing,
        "statuses": {str(k): statuses[k] for k in sorted(statuses)},
    }
    return {"trials": trials, "failed": failed.total(), **told_of, "seconds": seconds}


def counting(call: Call, sent: Any) -> Record:
    """Counts what may not be read."""
    return {
        **_plain("GET /v1/status")(call, sent),
        "all": sum(one.passages for one in call.workspace.status().enclaves),
    }


def failing(call: Call, sent: Any) -> Record:
    """Another class of error for a document that is there."""
    if call.workspace._store.document("clinic", "clinic/c0.txt"):
        raise EnclaveError("this may not be read")
    return _plain("GET /v1/documents/{enclave}/{id:path}")(call, sent)


def unredacted(call: Call, sent: Any) -> Record:
    """Searches everything, and tells how much was found."""
    told, hops = _plain("POST /v1/ask")(call, sent), call.workspace.ask(sent.question).evidence.hops
    return {**told, "found": sum(len(hop.hits) for hop in hops)}


def recording(call: Call, sent: Any) -> Record:
    """Tells of all searches that were made how much they found, of the owner's too."""
    shown = call.workspace.journal.shown(call.workspace.asker(None), call.workspace.enclaves())
    return {**_plain("GET /v1/journal")(call, sent), "all": sum(one.get("hits") or 0 for one in shown)}


def _plain(name: str) -> Callable[[Call, Any], Record]:
    return next(one.handle for one in ROUTES if one.name == name)


PLANTED = {
    "counts all": ("GET /v1/status", counting),
    "another error": ("GET /v1/documents/{enclave}/{id:path}", failing),
    "searches all": ("POST /v1/ask", unredacted),
    "shows all records": ("GET /v1/journal", recording),
}


def planted(label: str, trials: int, seed: int) -> dict[str, Any]:
    """The same, of one route into which a leak was put."""
    name, handle = PLANTED[label]
    table = [replace(one, handle=handle) if one.name == name else one for one in ROUTES]
    rng, failed = random.Random(seed), 0
    with pair(rng, WORLDS[1], table) as runs:
        for one in runs:
            one.told("owner", "", ("POST", "/v1/ask", {"question": QUESTIONS[1]}, {}))  # which no pair answers
        for _ in range(trials):
            request = drawn(name, {"paths": {}}, rng)
            first, second = (one.told(rng_who, name, request) for rng_who in [rng.choice([*READS])] for one in runs)
            failed += first != second
    return {"trials": trials, "failed": failed}


def main(words: list[str] | None = None) -> int:
    """Run all, and print it."""
    parser = common.parser(__doc__, seed=1)
    parser.add_argument("--trials", type=int, default=2000)
    given = parser.parse_args(words)
    figures: dict[str, Any] = {"shipped": run(given.trials, given.seed)}
    for label in PLANTED:
        figures[label] = planted(label, max(10, given.trials // 50), given.seed)
    common.tell(given.json, figures, given.trials)
    missed = [label for label in PLANTED if not figures[label]["failed"]]
    return 1 if figures["shipped"]["failed"] or missed else 0


if __name__ == "__main__":
    sys.exit(main())
