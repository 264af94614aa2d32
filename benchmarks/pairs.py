"""Question-answer pairs over the sets of pairs_sets.py: what PAQ's tables 1, 3, 4, 5 and 7 and figures 2, 3 and 6 ask.

    python benchmarks/pairs.py tables  --workspace DIR --set squad [--limit 300]                       tables 1 and 4
    python benchmarks/pairs.py answers --workspace DIR --set squad --tune squad-tune [--limit 300]     tables 3 and 7,
                                                                                                       figures 3 and 6
    python benchmarks/pairs.py made    --workspace DIR --set squad [--limit 300]                       as they ship
    python benchmarks/pairs.py speed   --workspace DIR --set squad [--limit 300]                       table 5
    python benchmarks/pairs.py sizes   --workspace DIR --set squad [--limit 300] [--engine 1 0.25]     figure 2

Each prints its figures and writes them with --json FILE. Questions are evenly drawn; every answer is kept in a run
under DIR/SET/runs, so that the same command goes on where it was stopped. EM and F1 are of the best answer of a system,
given or not. Rates are questions a second on this machine, the median of three times; the engine's is that of its run.
Thresholds are chosen on the set named by --tune.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import common
from answerable.datasets.examples import Example
from answerable.encoders.choose import MINILM, open_encoder
from answerable.errors import UsageError
from answerable.evaluation.qapairs.outcomes import (
    Backoff,
    Outcomes,
    backed_off,
    backoff_record,
    coverage,
    differences,
    selective,
)
from answerable.evaluation.qapairs.systems import (
    AsPassages,
    ByEngine,
    ByVectors,
    ByWords,
    Nearest,
    PairSystem,
    by_pairs,
)
from answerable.evaluation.runs import records
from answerable.qapairs.index.budget import OVERHEAD
from answerable.qapairs.pair_settings import PairSettings
from answerable.types import QAPair
from answerable.workspace.models import model_folders
from answerable.workspace.opening import open_workspace
from answerable.workspace.pair_stages import matcher_bytes
from answerable.workspace.workspace import Workspace
from backoff import as_accurate, tuned
from making import Variant, counts, pairs
from overlap import CUT, overlaps
from pairs_opened import ALL, MOST, Set, opened
from pairs_sets import ENCLAVE
from same_question import share as per_cent

THRESHOLDS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
"""Tried of what is read early, the lowest first."""
SHARES = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02)


def variants() -> dict[str, Variant]:
    """The rows of table 4, and the filtered ones of table 1."""
    found = {f"1 {filter or 'none'}": Variant(1, filter) for filter in ("", "local", "global")}
    found |= {f"{most} found": Variant(most, "global", surely=False) for most in (1, MOST)}
    return found | {f"{MOST} global": ALL}


def header_parts(made: Path) -> Mapping[str, Any]:
    """The names of the parts that made a run."""
    from answerable.evaluation.runs import header_of

    return header_of(made).settings


def tables(one: Set, given: argparse.Namespace) -> dict[str, Any]:
    """Table 1 and table 4."""
    found: dict[str, Any] = {"made by": header_parts(one.made), "variants": {}}
    for name, variant in variants().items():
        ones, counted = pairs(one.made, variant), counts(one.made, variant)
        told = {**coverage(one.asked.ones, ones), **asdict(counted), "ratio": counted.ratio}
        found["variants"][name] = told | _both(one, ones, {"variant": name})
    found["variants"]["training"] = {"kept": len(one.training), **_both(one, _in_enclave(one), {"variant": "training"})}
    return found


def _both(one: Set, ones: Sequence[QAPair], about: Mapping[str, Any]) -> dict[str, float]:
    told = {**about, "pairs": len(ones)}
    found = {"retrieve": _em(one.run(one.answering(ones, False), told))}
    return found | ({"rerank": _em(one.run(one.answering(ones, True), told))} if one.reranker else {})


def _in_enclave(one: Set) -> list[QAPair]:
    """The training questions as pairs of the corpus's enclave."""
    return [replace(pair, enclave=ENCLAVE) for pair in one.training]


def _em(found: Outcomes) -> float:
    return common.mean(found.right)


def systems(one: Set) -> dict[str, PairSystem]:
    """Those of table 3."""
    ones = pairs(one.made, ALL)
    plain = AsPassages(open_encoder(MINILM, one.workspace.settings.models.threads))
    found: dict[str, PairSystem] = {
        "words": Nearest(ByWords(ones)),
        "vectors": Nearest(ByVectors(ones, plain)),
        "training": Nearest(ByVectors(one.training, one.matcher, "training")),
        "retrieve": one.answering(ones, False),
    }
    if one.reranker:
        found["rerank"] = one.answering(ones, True)
        found["with training"] = one.answering([*ones, *_in_enclave(one)], True)
        found |= {"early": one.early(ones)} if one.reads_early else {}
    return found | {"one hop": ByEngine(one.workspace, hops=1), "engine": ByEngine(one.workspace)}


def asked_all(one: Set) -> tuple[dict[str, Outcomes], dict[str, float]]:
    """Every system of table 3 over the set's questions, and their rates."""
    found, rates = {}, {}
    for name, system in systems(one).items():
        found[name] = one.run(system, {"variant": name})
        rates[name] = found[name].rate if system.at_once == 1 else one.timed(system)
    return found, rates


def answers(one: Set, given: argparse.Namespace) -> dict[str, Any]:
    """Tables 3 and 7, figures 3 and 6."""
    found, rates = asked_all(one)
    first = "rerank" if "rerank" in found else "retrieve"
    both = _by_pairs(one, given, first, found, rates) | _by_reading(one, given, found)
    right = {name: one.right for name, one in found.items()} | {f"backoff {n}": b.right for n, b in both.items()}
    return {
        "questions": one.asked.questions,
        "systems": {
            name: {"EM": _em(ones), "F1": common.mean(ones.f1), "questions per second": rates[name]}
            for name, ones in found.items()
        },
        "backoff": {name: backoff_record(ones) for name, ones in both.items()},
        "differences": {name: differences(right, name) for name in ("engine", first)},
        "selective": {name: _points(one) for name, one in selective(found, [("engine", first)]).items()},
        "splits": by_overlap(one, found),
    }


def _points(one: Mapping[str, Any]) -> dict[str, Any]:
    """What is drawn of a curve, without each of its points."""
    return {key: value for key, value in one.items() if key != "curve"}


def _by_pairs(
    one: Set, given: argparse.Namespace, first: str, found: Mapping[str, Outcomes], rates: Mapping[str, float]
) -> dict[str, Backoff]:
    """Pairs and else the engine: at the threshold that ships, and at those that the other set has."""
    least: dict[str, float | None] = {"as calibrated": None}
    if given.tune:
        with opened(given.workspace, given.tune, given.limit) as other:
            ours = other.answering(pairs(other.made, ALL), first == "rerank")
            two = other.run(ours, {"variant": first}), other.run(ByEngine(other.workspace), {"variant": "engine"})
        least |= {"best": tuned(*two), "as accurate": as_accurate(*two)}
    return {way: backed_off(found[first], found["engine"], t, rates[first]) for way, t in least.items()}


def _by_reading(one: Set, given: argparse.Namespace, found: Mapping[str, Outcomes]) -> dict[str, Backoff]:
    """The same with what is read early between them. Where reading stops hangs on the threshold, so each is a run."""
    if "early" not in found:
        return {}
    both = {"early, as calibrated": backed_off(found["early"], found["engine"], None)}
    if given.tune:
        with opened(given.workspace, given.tune, given.limit) as other:
            engine, ones = other.run(ByEngine(other.workspace), {"variant": "engine"}), pairs(other.made, ALL)
            runs = {t: other.run(other.early(ones, t), {"variant": "early"}) for t in THRESHOLDS}
            tried = {t: backed_off(run, engine, None) for t, run in runs.items()}
        alone = sum(engine.right) / len(engine.right)
        ways = {
            "best": max(tried, key=lambda t: (tried[t].em, -t)),
            "as accurate": next((t for t in THRESHOLDS if tried[t].em >= alone), THRESHOLDS[-1]),
        }
        for way, least in ways.items():
            run = one.run(one.early(pairs(one.made, ALL), least), {"variant": "early"})
            both[f"early, {way}"] = replace(backed_off(run, found["engine"], None), threshold=least)
    return both


def by_overlap(one: Set, found: Mapping[str, Outcomes]) -> dict[str, Any]:
    """Table 7: EM by what the training questions have of a question."""
    trained = [Example(pair.id, pair.question, pair.answers) for pair in one.training]
    splits = [split.value for split in overlaps(one.asked.ones, trained, one.matcher.encode_questions)]
    told: dict[str, Any] = {"cut": CUT, "questions": {split: splits.count(split) for split in dict.fromkeys(splits)}}
    for name, ones in found.items():
        by: dict[str, list[float]] = {}
        for split, right in zip(splits, ones.right, strict=True):
            by.setdefault(split, []).append(right)
        told[name] = {split: common.mean(marks) for split, marks in by.items()} | {"total": _em(ones)}
    return told


def speed(one: Set, given: argparse.Namespace) -> dict[str, Any]:
    """Table 5: kinds of indexes, and how many pairs are read again."""
    kept(one)
    found = {}
    for kind, numbers in (("flat", "f16"), ("flat", "i8"), ("graph", "f16")):
        settings = PairSettings(index=kind, numbers=numbers)  # type: ignore[arg-type]
        with indexed(one, settings) as (index, size):
            for read in (0, 10, 50) if (kind, numbers) == ("flat", "f16") and one.reranker else (0,):
                system = by_pairs(
                    one.workspace.engine().retriever, {ENCLAVE: index}, one.matcher,
                    one.reranker if read else None, replace(settings, rerank=read), verify=one.verify,
                )  # fmt: skip
                name = f"{kind} {numbers}" + (f", {read} read again" if read else "")
                result = one.run(system, {"index": name, "pairs": index.count})
                found[name] = {"EM": _em(result), "questions per second": one.timed(system), "bytes": size}
    engine = one.run(ByEngine(one.workspace), {"variant": "engine"})
    found["engine"] = {"EM": _em(engine), "questions per second": engine.rate}
    return found


def kept(one: Set) -> None:
    """Put the pairs of the largest variant into the set's workspace, where they are not there yet."""
    store, ones = one.workspace._store, pairs(one.made, ALL)
    if store.pair_count(ENCLAVE) != len(ones):
        with store.write() as transaction:
            transaction.remove_pairs(ENCLAVE, "made")
            transaction.put_imported(ENCLAVE, "made", ones)


@contextmanager
def indexed(one: Set, settings: PairSettings, budget: int | None = None, model: int = 0) -> Iterator[tuple[Any, int]]:
    """An index of the set's pairs in a folder of its own, and its bytes on disk."""
    from answerable.qapairs.index.build import build_pair_index
    from answerable.qapairs.index.opened import open_pair_index

    folder = one.folder / "indexes"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    store = one.workspace._store
    built = build_pair_index(store, folder, ENCLAVE, one.matcher, settings, budget=budget, model=model)
    yield open_pair_index(store, folder, ENCLAVE, one.matcher.name), built.bytes


def sizes(one: Set, given: argparse.Namespace) -> dict[str, Any]:
    """Figure 2: EM by the bytes of models, index and text, as pairs or passages are left out."""
    kept(one)
    model = matcher_bytes(one.workspace.settings)
    whole = PairSettings(index="flat")
    with indexed(one, whole) as (_, most):
        pass
    found: dict[str, Any] = {"model": model, "pairs": [], "engine": []}
    for share in SHARES:
        budget = model + int(most * share) + OVERHEAD
        try:
            with indexed(one, whole, budget=budget, model=model) as (index, size):
                door = one.workspace.engine().retriever
                system = by_pairs(door, {ENCLAVE: index}, one.matcher, one.reranker, verify=one.verify)
                em = _em(one.run(system, {"budget": share}))
                found["pairs"].append({"share": share, "pairs": index.count, "bytes": size + model, "EM": em})
        except UsageError as error:  # nothing so small can hold a pair
            print(f"a share of {share:g}: {error}", file=sys.stderr)
    for share in given.engine:
        found["engine"].append(engine_of(one, share))
    return found


def engine_of(one: Set, share: float) -> dict[str, Any]:
    """The engine over the passages that are likeliest asked about, by the best of the pairs made of each."""
    likely = {r["id"]: max((made["score"] for made in r["made"]), default=0.0) for r in records(one.made)}
    ranked = sorted(likely, key=lambda id: (-likely[id], id))[: max(1, int(share * len(likely)))]
    folder = one.folder / f"ws-{share:g}"
    wanted = {id.rpartition("@")[0].partition("#")[2] for id in ranked}
    chosen = [row for row in common.rows(one.corpus / "passages.jsonl") if row["_id"] in wanted]
    if not folder.is_dir():
        common.write_rows(folder / "passages.jsonl", chosen)
        with open_workspace(folder, create=True, settings={"pairs.answer": False}) as made:
            made.index([folder / "passages.jsonl"], ENCLAVE, "public")
    with open_workspace(folder, settings={"pairs.answer": False}) as smaller:
        em = _em(replace(one, workspace=smaller).run(ByEngine(smaller), {"passages": share}))
        indexes = sum(path.stat().st_size for path in (folder / "indexes").rglob("*") if path.is_file())
        models = engine_bytes(smaller)
    packed = len(lzma.compress("\n".join(row["text"] for row in chosen).encode()))
    return {"share": share, "passages": len(chosen), "bytes": models + indexes + packed, "EM": em}


def engine_bytes(workspace: Workspace) -> int:
    """Bytes of the weights that an ask reads: the encoder's and the reader's."""
    folders = model_folders(workspace.settings)
    paths = {path for part in ("encoder", "reader") if (folder := folders[part]) for path in folder.iterdir()}
    return sum(path.stat().st_size for path in paths if path.suffix in (".onnx", ".bin", ".npz"))


def made(one: Set, given: argparse.Namespace) -> dict[str, Any]:
    """What pairs are worth as they ship: whether the best answers each question, and how much of it is given."""
    ones = pairs(one.made, ALL)
    told = {"variant": "as shipped", "pairs": len(ones)}
    found = one.run(one.answering(ones, True), told)
    sure = [right for right, is_given in zip(found.right, found.given, strict=True) if is_given]
    return {
        **asdict(counts(one.made, ALL)),
        "made by": header_parts(one.made),
        "coverage": coverage(one.asked.ones, ones)["coverage"],
        "first": per_cent([right == 1 for right in one.run(one.answering(ones, False), told).right]),
        "read again": per_cent([right == 1 for right in found.right]),
        "given": per_cent(list(found.given)),
        "right of given": per_cent([right == 1 for right in sure]),
    }


WORK: Mapping[str, Callable[[Set, argparse.Namespace], dict[str, Any]]] = {
    "tables": tables,
    "answers": answers,
    "speed": speed,
    "sizes": sizes,
    "made": made,
}


def main(words: list[str] | None = None) -> None:
    """Measure one thing on one set."""
    parser = common.parser(__doc__, "workspace")
    parser.add_argument("what", choices=list(WORK))
    parser.add_argument("--set", required=True)
    parser.add_argument("--tune")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--engine", type=float, nargs="*", default=[1.0, 0.5, 0.25])
    given = parser.parse_args(words)
    with opened(given.workspace, given.set, given.limit) as one:
        found = WORK[given.what](one, given)
        common.write(given.json, found, one.asked.questions)
    shown = {**found, "selective": None} if "selective" in found else found
    print(json.dumps(shown, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
