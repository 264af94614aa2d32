"""What `crash.py` stops: the work itself, whoever asks and writes meanwhile, and what must hold afterwards."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from answerable.corpora.store import Store
from answerable.errors import AnswerableError, BusyError
from answerable.workspace.opening import open_workspace
from answerable.workspace.pair_stages import Wanted
from answerable.workspace.stores import STORE
from answerable.workspace.workspace import Workspace

ENCLAVE = "crash"
SETTINGS = {"models.threads": 1, "journal.keep": False}


def doomed(id: str) -> int:
    """In which of the three steps a document is deleted; 3: in none."""
    number = hashlib.sha256(id.encode()).digest()[0] % 9
    return number if number < 3 else 3


def counts(store: Store) -> dict[str, int]:
    """What only grows: documents that stay, documents gone (below 0) and, until the first is deleted, the rest."""
    ids = [id for id, _, _ in store.documents(ENCLAVE)]
    stay = sum(doomed(id) == 3 for id in ids)
    return {
        "stay": stay,
        "gone": stay - len(ids),
        "vectors": sum(store.vector_counts(ENCLAVE).values()),
        "pairs": store.pair_count(ENCLAVE),
    }


def work(folder: Path, data: list[Path], report: Path) -> None:
    """All of it, from wherever it was stopped; a line for each step with what the store holds. Waits for its turn."""
    with report.open("a") as file:
        while True:
            try:
                with open_workspace(folder / "w", create=True, settings=SETTINGS) as opened:

                    def say(stage: str, *_: int) -> None:
                        file.write(json.dumps({"stage": stage, **counts(opened._store)}) + "\n")
                        file.flush()

                    steps(opened, data, say)
                return
            except BusyError:  # whoever asks finishes a deletion that was killed
                time.sleep(0.05)


def steps(opened: Workspace, data: list[Path], say: Callable[..., None]) -> None:
    """Index, make pairs, delete, index the pairs again."""
    say("opened")
    opened.index(data, ENCLAVE, progress=say)
    opened.pairs.build(ENCLAVE, Wanted(filter="none"), processes=1, progress=say)
    for step in range(3):
        gone = [id for id, _, _ in opened._store.documents(ENCLAVE) if doomed(id) == step]
        if gone:
            say("delete")
            opened.delete(gone, ENCLAVE)
    say("index pairs")
    opened.pairs.index(ENCLAVE)
    say("done")


def questions(folder: Path) -> list[str]:
    """Five questions that pairs have, the same for the same pairs."""
    with Store(folder / "w" / STORE) as store:
        return sorted({pair.question for _, pair in store.pairs(ENCLAVE)})[::7][:5]


def state(folder: Path, asked: list[str]) -> list[str]:
    """All that a search or an ask could show a difference in, as text."""
    with open_workspace(folder / "w", settings=SETTINGS) as opened:
        store, encoder = opened._store, opened._encoder_now()
        _, ids, vectors = store.vectors(ENCLAVE, encoder.name, encoder.dimension)
        answers = [(one.text, one.confidence, one.citations) for one in map(opened.ask, asked)]
        paired = [(one.text, one.confidence, one.matched) for one in opened.pairs.ask_many(asked)]
        digest = hashlib.sha256(vectors.tobytes()).hexdigest()
        told = (store.holdings(ENCLAVE), ids, digest, store.pair_fingerprint(ENCLAVE), answers, paired)
        return [repr(one) for one in told]


def ask(folder: Path, asked: list[str], until: Path, out: Path) -> None:
    """Ask again and again, in a workspace opened anew each time, until a file is there; write down what is wrong."""
    faults, tally = [], Counter[str]()
    while not until.exists():
        try:
            with open_workspace(folder / "w", settings=SETTINGS) as opened:
                before = {id for id, _, _ in opened._store.documents(ENCLAVE)}
                for question in random.Random(tally.total()).sample(asked, 2):
                    answer = opened.ask(question)
                    tally["answered" if answer.text else "not answered"] += 1
                    for one in answer.citations:
                        document = opened._store.document(ENCLAVE, one.document)  # or deleted since
                        text = document.text[one.start : one.end] if document else one.text
                        if text != one.text or not (document or one.document in before):
                            faults.append("an answer cites what is not there")
        except AnswerableError as error:
            tally[type(error).__name__] += 1
        except BaseException as error:  # what no user may see
            faults.append("".join(traceback.format_exception(error))[-2000:])
        time.sleep(1)
    out.write_text(json.dumps({"faults": faults, "asks": tally}))


def write_too(folder: Path, data: list[Path], out: Path) -> None:
    """A second writer, which is refused in a sentence or finds the work of the first."""
    try:
        with open_workspace(folder / "w", settings=SETTINGS) as opened:
            opened.index(data, ENCLAVE)
        out.write_text("wrote")
    except AnswerableError as error:  # BusyError, or a workspace that is not there yet
        out.write_text(type(error).__name__)


def check(folder: Path, report: Path) -> tuple[str, str]:
    """The stage that was stopped, and a fault or an empty string."""
    lines = report.read_text().rpartition("\n")[0].splitlines() if report.exists() else []
    told: dict[str, Any] = json.loads(lines[-1]) if lines else {"stage": "opening"}
    stage = told.pop("stage")
    if not (folder / "w" / STORE).exists():
        return stage, "the store is gone" if lines else ""
    connection = sqlite3.connect(folder / "w" / STORE)
    sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    with Store(folder / "w" / STORE) as store:
        found = counts(store)
    if sound != "ok":
        return stage, f"the store is damaged: {sound}"
    left = {"stay", "gone"} if stage in ("delete", "index pairs", "done") else {"stay", "vectors", "pairs"}
    lost = [name for name in left & told.keys() if found[name] < told[name]]
    return stage, f"lost: reported {told}, found {found}" if lost else ""


def needles_of(folder: Path, data: list[Path]) -> list[str]:
    """Ids, and pieces of text that only documents have which are deleted; from an index of words of its own."""
    with open_workspace(folder / "all", create=True, settings={"models.encoder": "hashed"}) as opened:
        opened.index(data, ENCLAVE)
        texts = {id: opened._store.document(ENCLAVE, id) for id, _, _ in opened._store.documents(ENCLAVE)}
    kept = "\n".join(
        f"{id} {one.title} {one.text} {one.source} {one.meta}" for id, one in texts.items() if one and doomed(id) == 3
    )
    found = {id for id in texts if doomed(id) < 3}
    for id in list(found):
        text = texts[id].text  # type: ignore[union-attr]
        found |= {text[at : at + 30] for at in range(0, max(1, len(text) - 30), 97)}
    return sorted(one for one in found if len(one) > 20 and one not in kept)
