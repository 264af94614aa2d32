"""The walk that ships, trained on without a part or with another, and asked what no part of it learned from.

    python benchmarks/walks.py --data DATA --workspace DIR [--lessons 400] [--passes 1] [--limit 300] [--open]
        [--part report] [--minutes 60] [--json FILE]

Every variant begins with the weights that ship and sees the same lessons in the same order, drawn anew. What learns is
all that a question goes through: its own copy of the expert that encodes it, the mixture, where to stop, the decisions.
Documents keep the vectors that ship, which are made once for all. `soft` is the control and learns as the shipped walk
did. `no update`: queries stay as they were asked. `straight-through`: a query takes the best entry while it learns.
`sentence only`: no step goes to a paragraph. Each is asked as it learned. `shipped` learned no more. What was tuned for
the shipped walk (the share of BM25, the trust in its scores) stays, and so do both readers.

Questions are those of `steps`, of all sets in turn; `F1`, `hits` and `read` are as there. `stop`: as many pieces of
evidence as there are. Of ShARC turns are decided. Differences are from the control on the same questions, by paired
bootstrap. What is interrupted resumes; `--open` makes no more than the vectors of documents.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import pickle
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from tokenizers import Tokenizer

import common
from answerable.documents.encoded import Book, open_book
from answerable.documents.reader import Guide, Shelved
from answerable.documents.walk import converse
from answerable.documents.weights import DECISIONS
from answerable.encoders.choose import SKILLS, encoder_folder
from answerable.encoders.sentences import SentenceLayout
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, pieces
from answerable.evaluation.long.open import open_guide
from answerable.evaluation.tasks import conversing
from answerable.evaluation.tasks.long import survey
from answerable.training.documents.batch import asked, collate
from answerable.training.documents.draw import Lesson
from answerable.training.documents.judge import TrainedNavigator
from answerable.training.documents.model import (
    WALKING,
    Attention,
    Level,
    Table,
    Walker,
    read_together,
    restore_walk,
    weights_of,
)
from answerable.training.documents.train import (
    STOPPING,
    NavigationRecipe,
    attention_loss,
    decision_loss,
    drawn,
    stop_loss,
)
from answerable.training.experts import begin_expert, open_expert
from answerable.training.fit import Parts, begun, fit
from answerable.training.start import TOKENIZER, keep
from answerable.workspace.models import open_reader
from steps import MULTIHOP, asked_in_turn, difference, lines, scores

SHIPPED, CONTROL = "shipped", "soft"
VARIANTS: dict[str, dict[str, Any]] = {
    SHIPPED: {},
    CONTROL: {},
    "no update": {"update": False},
    "straight-through": {"attention": "straight-through"},
    "sentence only": {"paragraphs": False},
}
"""How each learns and walks, beside the others."""
MORE = ("squad", "covidqa")
"""Sets whose questions want one piece of evidence: where to stop is told by both kinds."""
SHARC = "sharc"
MEASURES = ("F1", "hits", "read", "stop", "decided")
TUNED = ("paragraph", "sparse", "trust", "confidence")
SOURCES = {"hotpotqa": 1.0, "2wikimultihopqa": 1.0, "musique": 2.0, "hybridqa": 0.3, "ottqa": 0.35, "squad": 0.1,
           "covidqa": 0.3, "sharc": 2.0, "conditionalqa": 1.0}  # fmt: skip
"""How often each is seen, of which `--lessons` are drawn."""
SEED, TOKENS, THREADS = 31, 2048, 1
Held = TypeVar("Held")


def kept(path: Path, make: Callable[[], Held]) -> Held:
    """What was made before, or is made now and kept."""
    if path.exists():
        found: Held = pickle.loads(path.read_bytes())
        return found
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".part").write_bytes(pickle.dumps(made))
    path.with_suffix(".part").replace(path)
    return made


def learnable(given: argparse.Namespace, guide: Guide) -> list[tuple[Lesson, Table]]:
    """The lessons, each with the vectors of its paragraphs."""

    def make() -> list[tuple[Lesson, Table]]:
        recipe = tomllib.loads(given.recipe.read_text("utf8"))
        changed = {"draw": {**recipe["draw"], "tokens": TOKENS}, "loop": {**recipe["loop"], "seed": SEED}}
        some = drawn(NavigationRecipe.of({**recipe, **changed, "sources": SOURCES}), given.data)[: given.lessons]
        return [(one, table_of(guide, one)) for one in some]

    return kept(given.workspace / "lessons.pkl", make)


def table_of(guide: Guide, lesson: Lesson) -> Table:
    """The vectors of a lesson's paragraphs, by the encoder that ships."""
    rows = guide.navigator.encode_paragraphs(lesson.paragraphs)
    longest = max(len(sentences) for sentences, _ in rows)
    vectors = np.zeros((len(rows), longest, guide.navigator.dimension), np.float32)
    there = np.zeros(vectors.shape[:2], bool)
    for number, (sentences, _) in enumerate(rows):
        vectors[number, : len(sentences)], there[number, : len(sentences)] = sentences, True
    wholes = np.stack([whole for _, whole in rows]).astype(np.float32)
    return Table(torch.from_numpy(vectors), torch.from_numpy(there), torch.from_numpy(wholes))


def loss(walker: Walker, layout: SentenceLayout, lesson: Lesson, held: Table, how: dict[str, Any]) -> torch.Tensor:
    """As `training.documents.train` has it, over vectors that stay as they are."""
    batch, update = collate(layout, lesson), how.get("update", True)
    if not how.get("paragraphs", True):
        batch = replace(batch, levels=tuple(Level.SENTENCE if one is Level.PARAGRAPH else one for one in batch.levels))
    queries = asked(walker.encoder, batch, torch.device("cpu"))
    taken = walker.walk(held, queries, batch.levels, Attention(how.get("attention", "soft")), update)
    attended = attention_loss(batch, held, taken)
    if batch.levels[0] is Level.EITHER:
        return attended + decision_loss(walker.decide(taken), batch.decisions)
    return attended + STOPPING * stop_loss(walker.enough(queries, taken, update), batch.over)


def trained(name: str, given: argparse.Namespace, guide: Guide) -> tuple[Walker, Path]:
    """A variant and its tokenizer, trained if it is not there yet."""
    start, folder = given.workspace / SHIPPED, given.workspace / name.replace(" ", "-")
    if not (start / "best.pt").exists():
        walker, tokenizer = restore_walk(encoder_folder(SKILLS))
        keep(walker.model, tokenizer, start)
        torch.save({"model": walker.state_dict()}, start / "best.pt")
    if name != SHIPPED and not (folder / "done").exists():
        recipe = NavigationRecipe.of(tomllib.loads(given.recipe.read_text("utf8")))
        loop = replace(recipe.loop, most=0, seed=SEED)
        begun(THREADS, loop.seed)
        walker, tokenizer = begin_expert(WALKING, str(start), recipe.dropout)
        keep(walker.model, tokenizer, folder)
        layout = SentenceLayout(Tokenizer.from_file(str(tokenizer)), read_together(walker))
        every = learnable(given, guide)
        order = [[number] for _ in range(given.passes) for number in range(len(every))]
        made = lambda numbers: loss(walker, layout, *every[numbers[0]], VARIANTS[name])  # noqa: E731
        fit(loop, Parts(walker, order, made, [every[n][0].source for (n,) in order], None, walker.quick()), folder)
        (folder / "done").touch()
    return open_expert(WALKING, folder).eval(), folder / TOKENIZER


class Asking(TrainedNavigator):
    """Questions by the variant, documents by the encoder that ships."""

    def __init__(self, guide: Guide, walker: Walker, tokenizer: Path) -> None:
        super().__init__(walker, SentenceLayout(Tokenizer.from_file(str(tokenizer)), read_together(walker)))
        self.encode_paragraphs = guide.navigator.encode_paragraphs  # type: ignore[method-assign]


def guided(name: str, given: argparse.Namespace, guide: Guide) -> Guide:
    """A variant as it reads, walking as it learned."""
    walker, tokenizer = trained(name, given, guide)
    weights = replace(weights_of(walker), **{key: getattr(guide.weights, key) for key in TUNED})
    changes = {key: value for key, value in VARIANTS[name].items() if key != "attention"}
    walking = replace(guide.walking, **changes)
    return replace(guide, navigator=Asking(guide, walker, tokenizer), weights=weights, walking=walking)


def ask(guides: dict[str, Guide], base: Guide, given: argparse.Namespace, path: Path) -> None:
    """Ask all variants what they were not asked yet, a line of JSON a question; without any, open the documents."""
    done = {(row["set"], row["id"]) for row in lines(path)}
    until = time.monotonic() + 60 * given.minutes
    books = given.workspace / "books" / given.part
    with path.open("a", encoding="utf-8") as out:
        rules = survey(given.data, SHARC, given.part, conversing.wanted, given.limit, 25).documents if guides else ()
        for document, turns in rules:
            left = [one for one in turns if (SHARC, one.id) not in done]
            book = open_book(document.document, document.paragraphs, base.navigator) if left else None
            for one in left:
                assert book is not None
                row = {name: {"decided": decided(guide, book, one)} for name, guide in guides.items()}
                print(json.dumps({"set": SHARC, "id": one.id, "systems": row}), file=out, flush=True)
        for source, document, question, _ in asked_in_turn(given.data, (*MULTIHOP, *MORE), given.limit, given.part):
            if (source, question.id) in done or not document.paragraphs:
                continue
            if time.monotonic() > until:
                return
            place = books / f"{hashlib.sha256(f'{source} {document.document.id}'.encode()).hexdigest()[:16]}.pkl"
            shelf = kept(place, partial(base.open, document.document, document.paragraphs))
            row = {name: answered(guide, shelf, document, question) for name, guide in guides.items()}
            if row:
                print(json.dumps({"set": source, "id": question.id, "systems": row}), file=out, flush=True)


def answered(guide: Guide, shelf: Shelved, document: LongDocument, question: LongQuestion) -> dict[str, float]:
    """What a variant's answer is worth."""
    found = guide.read(shelf, asked_of(question)[0])
    assert found.walked is not None
    rows = [second for _, second, _ in found.pairs] or [one for one, _ in found.walked.first.best(8)]
    told = scores(document, question, shelf, (found.candidates, found.chains, rows))
    if gold := len(pieces(document, question)):
        told["stop"] = float((2 if found.walked.second else 1) == min(gold, 2))
    return told


def decided(guide: Guide, book: Book, turn: LongQuestion) -> float:
    """Whether a variant decides a turn as it was."""
    vectors = guide.navigator.encode_asked(asked_of(turn), 0)
    turned = converse(book, vectors, guide.weights, guide.walking.update)
    return float(DECISIONS[int(np.argmax(turned.probabilities))] == turn.kind)


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of each variant, and its differences from the control, by set and over sets together."""
    groups: dict[str, tuple[str, ...]] = {name: (name,) for name in dict.fromkeys(row["set"] for row in rows)}
    groups |= {"multi-hop": MULTIHOP, "all": (*MULTIHOP, *MORE)}
    found: dict[str, Any] = {}
    for group, sets in groups.items():
        some = [row for row in rows if row["set"] in sets]
        found[group] = {"questions": len(some)}
        for name in VARIANTS:
            held = {m: [row["systems"][name][m] for row in some if m in row["systems"][name]] for m in MEASURES}
            means: dict[str, Any] = {m: common.mean(values, 100) for m, values in held.items() if values}
            if name != CONTROL:
                means["apart"] = {m: difference(some, name, CONTROL, m) for m in means}
            found[group][name] = means
    return found


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/navigation-more.toml"))
    parser.add_argument("--lessons", type=int, default=400)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--open", action="store_true", help="only open the documents of questions")
    parser.add_argument("--part", default="report", choices=("development", "report"))
    parser.add_argument("--minutes", type=float, default=math.inf, help="ask no further question after so many")
    return parser


def main(words: list[str] | None = None) -> None:
    """Train and ask what is not there yet, and print a line for each set and variant."""
    given = arguments().parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    ranker: Any = open_reader(SKILLS, THREADS)[0]
    base = replace(open_guide(SKILLS, "span", THREADS)[0], ranker=ranker)
    path = given.workspace / f"{given.part}.jsonl"
    guides = {} if given.open else {name: guided(name, given, base) for name in VARIANTS}
    ask(guides, base, given, path)
    if given.open:
        return
    rows = lines(path)
    table = figures(rows)
    for group, one in table.items():
        for name in VARIANTS:
            cells = "  ".join(f"{m} {one[name][m]:.1f}" for m in MEASURES if m in one[name])
            apart = one[name].get("apart", {}).items()
            more = "  ".join(
                f"{m} {d['by']:+.1f} ({d['low']:+.1f} to {d['high']:+.1f}), p {d['p']:.3f}" for m, d in apart
            )
            print(f"{group:<18}{name:<18}{one['questions']:>5}  {cells}  {more}")
    common.write(given.json, table, len(rows))


if __name__ == "__main__":
    main()
