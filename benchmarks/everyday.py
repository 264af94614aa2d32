"""The everyday set: questions as people type them, over their own mail, notes, papers and tables, and an encyclopaedia.

    python benchmarks/everyday.py check [--data DIR]
    python benchmarks/everyday.py prepare --data DIR --into DIR [--half develop] [--only NAME ...]
    python benchmarks/everyday.py ask --half develop --into DIR --out FILE [--only NAME ...] [--perfect]
    python benchmarks/everyday.py score FILE [--into DIR] [--against OTHER] [--json FILE]

check: whether all questions keep to the format and, with the data, whether each quote stands in its source; how many of
each kind. prepare: makes each workspace in a folder of --into, from the files people would have, and brings one that is
there up to date. ask: asks what has no line in FILE yet, in one process, all settings as they ship; a follow-up is put
after the questions before it. With --perfect a language model takes the reader's place that answers from the gold
passages where it is sent them all, and else does not: the ceiling, as what retrieval and the rules leave possible.
score: right: an accepted answer was given; rightly none: nothing answers it and none was given; missed: none was given
though something answers it. guess right: of the answerable, the best answer found, given or not. shown: of the
answerable, all quotes stand in the passages that `ask` shows; in chains: in those of the best chains; in one chain: in
those of one of them. Without --into, where it is told which document is which, a quote counts only where it stands
whole. area: under the curve of risk against coverage of all best guesses by confidence, and by the softmax of PAIR
(lower is better).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import answerable
import common
from answerable.chains.beam import foremost
from answerable.serialize import answer_record
from everyday_check import faults, shares, sound, unfound
from everyday_corpora import HALVES, HERE, KINDS, MAIL, Enclave, Question, enclaves, half_of, questions
from everyday_perfect import SETTINGS, put_in
from everyday_scores import Outcome, against, figures, outcome, sliced

NAMES, SPACE = "documents.json", "workspace"
CHAINS = 12
"""Chains whose passages are kept, the best of each label and length in turn: as many as are read."""
SAYING = ("answer", "reason", "confidence", "via", "guesses")


def check(place: Path, data: Path | None) -> int:
    """Print what is wrong with the questions and how many of each kind there are; 1 where something is wrong."""
    rows = questions(place)
    wrong = list(faults(rows))
    rows = [row for row in rows if sound(row)]
    if data is not None:
        for workspace in _workspaces(rows):
            pieces = [piece for one in enclaves(data, workspace, rows, place) for piece in one.pieces]
            held = {(piece.source, piece.id): piece for piece in pieces}
            wrong += [fault for row in rows if row["workspace"] == workspace for fault in unfound(row, held)]
    print("\n".join(wrong) or "nothing is wrong")
    counted = shares(rows)
    print(f"\n{'':16}{'':>6}{''.join(f'{kind[:9]:>10}' for kind in KINDS)}")
    for name, counts in counted.items():
        print(f"{name:16}{sum(counts.values()):6}{''.join(f'{counts[kind]:10}' for kind in KINDS)}")
    total = max(1, len(rows))
    print(f"{'%':22}{''.join(f'{100 * counts / total:10.1f}' for counts in counted['all'].values())}")
    print(f"{'% wanted':22}{''.join(f'{wanted:10}' for wanted in KINDS.values())}")
    return int(bool(wrong))


def prepare(place: Path, data: Path, into: Path, chosen: Sequence[str]) -> None:
    """Make each workspace, or bring it up to date with its files and questions."""
    rows = questions(place)
    for workspace in chosen:
        folder, held = into / workspace, enclaves(data, workspace, rows, place)
        slice_ = into / f"encyclopaedia-{'ab'[HALVES.index(half_of(workspace))]}"
        if workspace in MAIL and (slice_ / SPACE).is_dir() and not folder.exists():
            beside = folder.with_name(f".{workspace}.new")
            shutil.copytree(slice_ / SPACE, beside / SPACE, dirs_exist_ok=True)  # the same articles, read once
            beside.replace(folder)
        with answerable.open(folder / SPACE, create=True) as opened:
            for one in held:
                shared = workspace in MAIL and (slice_ / "files" / one.name).is_dir()  # where they were read from
                if paths := _written((slice_ if shared else folder) / "files", one):
                    done = opened.index(paths, one.name, one.kind)
                    print(
                        f"{workspace}: {one.name} {done.documents:,} documents, {done.passages:,} passages", flush=True
                    )
        names = {piece.name: [piece.source, piece.id] for one in held for piece in one.pieces}
        common.save(folder / NAMES, names)


def _written(folder: Path, enclave: Enclave) -> list[Path]:
    """The files of an enclave, written where they differ: what there is to index, nothing where there is no text."""
    if enclave.there is not None:
        return [enclave.there]
    place = folder / enclave.name
    for name, text in enclave.files.items():
        file = place / name
        if not file.is_file() or file.read_text("utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    single = [name for name in enclave.files if name.endswith((".jsonl", ".mbox"))]
    return [place / name for name in single] or ([place] if enclave.files else [])


def ask(rows: list[Question], into: Path, out: Path, chosen: Sequence[str], perfect: bool = False) -> None:
    """Ask every question of these workspaces that has no record yet, and keep what came of it."""
    done, commit = {record["id"] for record in common.kept(out)}, common.commit()
    with open(os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8") as file:
        for workspace in chosen:
            own = [row for row in rows if row["workspace"] == workspace and row["id"] not in done]
            if not own:
                continue
            with answerable.open(into / workspace / SPACE, settings=SETTINGS if perfect else None) as opened:
                model = put_in(opened, json.loads((into / workspace / NAMES).read_text("utf-8"))) if perfect else None
                opened.engine()
                for row in own:
                    if model is not None:
                        model.row, model.sent = row, []
                    record = asked(opened, row)
                    file.write(json.dumps({**record, "commit": commit}, ensure_ascii=False) + "\n")
                    file.flush()
                    print(f"{row['id']}  {record['confidence']:.2f}  {record['answer']}", file=sys.stderr, flush=True)


def asked(opened: answerable.Workspace, row: Question) -> dict[str, Any]:
    """One question asked, and all that is scored of its answer. A follow-up is put after those before it."""
    talk = opened.chat()
    for before in row.get("before", ()):
        talk.ask(before)
    started = time.process_time()
    answer = talk.ask(row["question"])
    processor = time.process_time() - started
    record = answer_record(answer, opened.asker(None), opened.enclaves())
    chains = foremost(answer.evidence.chains, CHAINS)
    return {
        "id": row["id"],
        **{name: record[name] for name in SAYING},
        "confidences": dict(answer.confidences),
        "passages": [{name: one[name] for name in ("document", "text")} for one in record["passages"]],
        "chains": [[{"document": h.passage.document_id, "text": h.passage.text} for h in c.hits] for c in chains],
        "seconds": round(answer.seconds, 3),
        "processor": round(processor, 3),
    }


def outcomes(asked: list[Question], path: Path, into: Path | None) -> list[Outcome]:
    """What came of the questions that a file has records of; `into`: where the workspaces are."""
    rows, found = {row["id"]: row for row in asked}, []
    names: dict[str, dict[str, list[str]]] = {}
    for record in common.kept(path):
        if (row := rows.get(record["id"])) is None:
            continue
        workspace, known = row["workspace"], (into or Path()) / row["workspace"] / NAMES
        if workspace not in names:
            names[workspace] = json.loads(known.read_text("utf-8")) if known.is_file() else {}
        found.append(outcome(row, record, names[workspace]))
    return found


def score(rows: list[Question], path: Path, into: Path | None, other: Path | None, file: Path | None) -> None:
    """Print the table of a run, and write its record."""
    ours = outcomes(rows, path, into)
    if not ours:
        raise SystemExit(f"{path} has no record of a question of the set")
    found = {name: figures(held, name in ("all", *HALVES)) for name, held in sliced(ours).items()}
    heads = list(found["all"])
    print(f"{'':16}{''.join(f'{name:>{max(8, len(name) + 2)}}' for name in heads)}")
    for name, row in found.items():
        print(f"{name:16}{''.join(f'{_cell(row[head]):>{max(8, len(head) + 2)}}' for head in heads)}")
    print("95 % of all: " + "; ".join(
        f"{name} {value.low:.3g} to {value.high:.3g}" for name, value in found["all"].items()
        if isinstance(value, common.Mean)))  # fmt: skip
    if other is not None:
        paired = against(ours, outcomes(rows, other, into))
        print(f"against {other.name}: " + ", ".join(f"{name} {_cell(value)}" for name, value in paired.items()))
        found = {**found, "against": paired}
    common.write(file, found, len(ours))


def _cell(value: Any) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.3g}"


def _workspaces(rows: Iterable[Question], half: str | None = None, only: Sequence[str] = ()) -> list[str]:
    """The workspaces of a half in which something is asked, encyclopaedias first: the others share their slices."""
    found = {row["workspace"] for row in rows if half in (None, half_of(row["workspace"]))}
    chosen = [name for name in found if not only or name in only]
    return sorted(chosen, key=lambda name: (not name.startswith("encyclopaedia"), name))


def main(argv: list[str] | None = None) -> int:
    """Run one of the four."""
    parser = common.parser(__doc__, record=False)
    parts = parser.add_subparsers(dest="part", required=True)
    made = {name: parts.add_parser(name) for name in ("check", "prepare", "ask", "score")}
    made["check"].add_argument("--data", type=Path, help="the folder of data sets")
    made["prepare"].add_argument("--data", type=Path, required=True, help="the folder of data sets")
    made["score"].add_argument("file", type=Path, help="what `ask` wrote")
    made["score"].add_argument("--against", type=Path, metavar="OTHER", help="compare with this run, by question")
    made["score"].add_argument("--json", type=Path, metavar="FILE", help="write the record there")
    made["ask"].add_argument("--perfect", action="store_true", help="a model that never errs in the reader's place")
    made["ask"].add_argument("--out", type=Path, required=True, help="where answers are kept, to go on with")
    for one in made.values():
        one.add_argument("--set", type=Path, default=HERE, metavar="DIR", help="the folder of questions and notes")
    for name in ("prepare", "ask", "score"):
        made[name].add_argument("--into", type=Path, required=name != "score", help="where the workspaces are")
    for name in ("prepare", "ask"):
        made[name].add_argument("--half", choices=HALVES, help="only these workspaces (both)")
        made[name].add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these workspaces")
    told = parser.parse_args(argv)
    rows = questions(told.set)
    if told.part == "check":
        return check(told.set, told.data)
    if told.part == "score":
        score(rows, told.file, told.into, told.against, told.json)
    elif told.part == "prepare":
        prepare(told.set, told.data, told.into, _workspaces(rows, told.half, told.only))
    else:
        ask(rows, told.into, told.out, _workspaces(rows, told.half, told.only), told.perfect)
    return 0


if __name__ == "__main__":
    sys.exit(main())
