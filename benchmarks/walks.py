"""The walk that ships, trained on without a part or with another, and asked what no part of it learned from.

    python benchmarks/walks.py --data DATA --workspace DIR [--lessons 400] [--limit 60] [--part report]
        [--sets NAME ...] [--variant NAME ...] [--json FILE]

Every variant begins with the weights that ship and sees the same lessons in the same order, drawn anew. What learns is
all that a question goes through: its own copy of the expert that encodes it, the mixture, where to stop, the decisions.
Documents keep the vectors that ship, which are made once for all. `soft` is the control and learns as the shipped walk
did. `no update`: queries stay as they were asked. `straight-through`: a query takes the best entry while it learns.
`sentence only`: no step goes to a paragraph. Each is asked as it learned. `shipped` learned no more. BM25 has the share
in all of them that was tuned for the shipped walk.

They are asked about lessons of another part, of some 2,000 tokens: paragraphs of a document, or of several, with what
is evidence among them. `evidence`: with as many pieces as there are, the best sentence is one, of two pieces the best
pair, as the walk orders them; nothing is read. `stop`: it would take as many pieces as there are. `decided`: turns of
ShARC. Differences are from the control on the same questions, by paired bootstrap and McNemar's test. What is
interrupted resumes.
"""

from __future__ import annotations

import argparse
import json
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

import common
from answerable.documents.encoded import Book
from answerable.documents.reader import Guide
from answerable.documents.sparse import Wording
from answerable.documents.walk import converse, walk
from answerable.documents.weights import open_weights
from answerable.encoders.choose import SKILLS, encoder_folder
from answerable.encoders.encoder import Vectors
from answerable.encoders.sentences import GRAPH, WALK, Laid, SentenceEncoder, SentenceLayout
from answerable.encoders.shipped import open_shipped
from answerable.evaluation.long.load import LOADERS
from answerable.evaluation.long.open import open_guide
from answerable.training.documents.draw import DrawSettings, Lesson, Task, lessons
from answerable.training.documents.model import (
    ONCE,
    WALKING,
    Attention,
    Level,
    Table,
    Walker,
    read_together,
    weights_of,
)
from answerable.training.documents.train import (
    STOPPING,
    NavigationRecipe,
    asked,
    attention_loss,
    collate,
    decision_loss,
    drawn,
    encode,
    stop_loss,
)
from answerable.training.experts import begin_expert, open_expert
from answerable.training.loop import Parts, begun, fit
from answerable.training.restore import expert_state
from answerable.training.start import TOKENIZER, keep
from answerable.types import Document
from steps import MULTIHOP, difference

SHIPPED, CONTROL = "shipped", "soft"
VARIANTS: dict[str, dict[str, Any]] = {
    SHIPPED: {},
    CONTROL: {},
    "no update": {"update": False},
    "straight-through": {"attention": "straight-through"},
    "sentence only": {"paragraphs": False},
}
"""How each learns and walks, beside the others."""
MEASURES = ("evidence", "stop", "decided")
TUNED = ("paragraph", "sparse", "trust", "confidence")
SOURCES = {"hotpotqa": 1.0, "2wikimultihopqa": 1.0, "musique": 2.0, "hybridqa": 0.3, "ottqa": 0.35, "squad": 0.1,
           "covidqa": 0.3, "sharc": 2.0, "conditionalqa": 1.0}  # fmt: skip
"""How often each is seen, of which `--lessons` are drawn."""
SEED, TOKENS, ASKED, THREADS = 31, 2048, 8, 1
EMPTY = Document("", "", "", "", "")
Learnable = tuple[Lesson, Table]


def kept(path: Path, guide: Guide, some: Sequence[Lesson]) -> list[Learnable]:
    """Lessons with the vectors of their paragraphs, which are made once."""
    if not path.exists():
        made = [table_of(guide, one) for one in some]
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save([(one.sentences, one.there, one.wholes) for one in made], path.with_suffix(".part"))
        path.with_suffix(".part").replace(path)
    return [(one, Table(*held)) for one, held in zip(some, torch.load(path, weights_only=True), strict=True)]


def read(given: argparse.Namespace) -> NavigationRecipe:
    """The recipe that the walk was last trained by."""
    return NavigationRecipe.of(tomllib.loads(Path("recipes/navigation-more.toml").read_text("utf8")))


def drawing(given: argparse.Namespace) -> DrawSettings:
    """How lessons are drawn."""
    return replace(read(given).draw, tokens=TOKENS)


def learnable(given: argparse.Namespace, guide: Guide) -> list[Learnable]:
    """The lessons that all see."""
    recipe = read(given)
    loop = replace(recipe.loop, seed=SEED)
    some = drawn(replace(recipe, draw=drawing(given), loop=loop, sources=SOURCES), given.data)[: given.lessons]
    return kept(given.workspace / "lessons.pt", guide, some)


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


def restore_walk(folder: Path) -> tuple[Walker, Path]:
    """The walk that was exported to `folder`, no finer than its int8 weights, and its tokenizer.

    Raises `ModelError` when the folder holds no encoder of skills, or one without a walk.
    """
    shipped = open_shipped(folder)
    learned = open_weights(shipped.file(WALK))
    walker, tokenizer = begin_expert(WALKING, str(folder), 0.0)
    state = {
        f"encoder.model.{name}" if name.startswith("trunk.") else name: value
        for name, value in expert_state(shipped.file(GRAPH), WALKING.part).items()
    }
    state |= {
        "scale": torch.from_numpy(learned.scale).log().squeeze(),
        "mix_query.weight": torch.from_numpy(learned.mix_query.T),
        "mix_sentence.weight": torch.from_numpy(learned.mix_sentence.T),
        "chosen": torch.from_numpy(learned.chosen),
        "classed": torch.from_numpy(learned.classed),
        "classes.weight": torch.from_numpy(learned.classes.T),
        "classes.bias": torch.from_numpy(learned.classes_bias),
        "stop.weight": torch.from_numpy(learned.stop)[None],
        "stop.bias": torch.from_numpy(learned.stop_bias),
    }
    walker.load_state_dict(walker.state_dict() | state)
    return walker, tokenizer


def trained(name: str, given: argparse.Namespace, learn: Callable[[], list[Learnable]]) -> tuple[Walker, Path]:
    """A variant and its tokenizer, trained if it is not there yet."""
    start, folder = given.workspace / SHIPPED, given.workspace / name.replace(" ", "-")
    if not (start / "best.pt").exists():
        walker, tokenizer = restore_walk(encoder_folder(SKILLS))
        keep(walker.model, tokenizer, start)
        torch.save({"model": walker.state_dict()}, start / "best.pt")
    if name != SHIPPED and not (folder / "done").exists():
        recipe = read(given)
        loop = replace(recipe.loop, most=0, seed=SEED)
        begun(THREADS, loop.seed)
        walker, tokenizer = begin_expert(WALKING, str(start), recipe.dropout)
        keep(walker.model, tokenizer, folder)
        layout = SentenceLayout(tokenizer, read_together(walker))
        every = learn()
        order = [[number] for number in range(len(every))]

        def made(numbers: list[int]) -> torch.Tensor:
            lesson, held = every[numbers[0]]
            return loss(walker, layout, lesson, held, VARIANTS[name])

        fit(loop, Parts(walker, order, made, [every[n][0].source for (n,) in order], None, walker.quick()), folder)
        (folder / "done").touch()
    return open_expert(WALKING, folder).eval(), folder / TOKENIZER


class TrainedNavigator(SentenceEncoder):
    """The encoder of a walk in training, as it would be exported, in bf16."""

    def __init__(self, walker: Walker, layout: SentenceLayout) -> None:
        self._walker, self._layout = walker, layout
        self.name, self.dimension = "in training", walker.model.trunk.shape.width

    @torch.no_grad()
    def _run(self, rows: Sequence[Laid]) -> list[Vectors]:
        return [one.cpu().numpy() for one in encode(self._walker.encoder, rows, self._walker.scale.device)]


class Asking(TrainedNavigator):
    """Questions by the variant, documents by the encoder that ships."""

    def __init__(self, guide: Guide, walker: Walker, tokenizer: Path) -> None:
        super().__init__(walker, SentenceLayout(tokenizer, read_together(walker)))
        self.encode_paragraphs = guide.navigator.encode_paragraphs  # type: ignore[method-assign]


def guided(name: str, given: argparse.Namespace, guide: Guide, learn: Callable[[], list[Learnable]]) -> Guide:
    """A variant as it reads, walking as it learned."""
    walker, tokenizer = trained(name, given, learn)
    weights = replace(weights_of(walker), **{key: getattr(guide.weights, key) for key in TUNED})
    changes = {key: value for key, value in VARIANTS[name].items() if key != "attention"}
    walking = replace(guide.walking, **changes)
    return replace(guide, navigator=Asking(guide, walker, tokenizer), weights=weights, walking=walking)


def held_out(given: argparse.Namespace, base: Guide, source: str) -> list[Learnable]:
    """Lessons of a part that nothing was learned from."""
    some: list[Lesson] = []
    documents = list(LOADERS[source](given.data, given.part))
    for one in lessons(source, documents, replace(drawing(given), questions=ASKED), random.Random(SEED)):
        if sum(len(lesson.tasks) for lesson in some) < given.limit:
            some.append(one)
    return kept(given.workspace / f"{given.part}-{source}.pt", base, some)


def ask(guides: dict[str, Guide], every: list[Learnable], path: Path) -> None:
    """Ask all variants what they were not asked yet, a line of JSON a question."""
    done = {row["id"] for row in common.kept(path)}
    with path.open("a", encoding="utf-8") as out:
        counts: Counter[str] = Counter()
        for lesson, table in every:
            counts[lesson.source] += 1
            book = Book(EMPTY, cast(Any, lesson.paragraphs), table.sentences[table.there].numpy(), table.wholes.numpy(),
                        np.cumsum([0, *table.there.sum(1).tolist()]))  # fmt: skip
            wording = Wording([f"{heading} {' '.join(said)}" for heading, said in lesson.paragraphs])
            for place, task in enumerate(lesson.tasks):
                if (told := f"{lesson.source}-{counts[lesson.source]}-{place}") not in done:
                    row = {name: answered(guide, book, wording, task) for name, guide in guides.items()}
                    print(json.dumps({"set": lesson.source, "id": told, "systems": row}), file=out, flush=True)


def answered(guide: Guide, book: Book, wording: Wording, task: Task) -> dict[str, float]:
    """What a variant makes of a question."""
    vectors = guide.navigator.encode_asked(task.sentences, task.nulls)
    if task.decision is not None:
        turned = converse(book, vectors, guide.weights, guide.walking.update)
        return {"decided": float(np.argmax(turned.probabilities) == task.decision)}
    right = [{int(book.firsts[p]) + s for p, s in some} for _, some in task.right[1 :: len(ONCE)]]
    sparse = wording.features(task.sentences[0])
    found = walk(book, vectors, guide.weights, sparse, guide.walking, len(right))
    if len(right) == 1:
        met = found.first.best(1)[0][0] in right[0]
    else:
        one, other, _ = found.pairs[0]
        met = (one in right[0] and other in right[-1]) or (other in right[0] and one in right[-1])
    return {"evidence": float(met), "stop": float((found.enough >= 0.5) == task.over)}


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of each variant, and its differences from the control, by set and over sets together."""
    groups: dict[str, tuple[str, ...]] = {name: (name,) for name in dict.fromkeys(row["set"] for row in rows)}
    groups |= {"several hops": MULTIHOP, "all": tuple(SOURCES)}
    found: dict[str, Any] = {}
    for group, sets in groups.items():
        some = [row for row in rows if row["set"] in sets]
        found[group] = {"questions": len(some)}
        for name in some[0]["systems"]:
            held = {m: [row["systems"][name][m] for row in some if m in row["systems"][name]] for m in MEASURES}
            means: dict[str, Any] = {m: common.mean(values, 100) for m, values in held.items() if values}
            if name != CONTROL:
                means["apart"] = {m: difference(some, name, CONTROL, m) for m in means}
            found[group][name] = means
    return found


def main(words: list[str] | None = None) -> None:
    """Train and ask what is not there yet, and print a line for each set and variant."""
    parser = common.parser(__doc__, "data", "workspace", limit=60)
    parser.add_argument("--lessons", type=int, default=400)
    parser.add_argument("--sets", nargs="*", default=tuple(SOURCES), choices=tuple(SOURCES))
    parser.add_argument("--variant", action="append", choices=list(VARIANTS))
    parser.add_argument("--part", default="report", choices=("development", "report"))
    given = parser.parse_args(words)
    given.workspace.mkdir(parents=True, exist_ok=True)
    base = open_guide(SKILLS, "span", THREADS)[0]
    path = given.workspace / f"{given.part}.jsonl"
    every = [one for source in given.sets for one in held_out(given, base, source)]
    learn = cache(partial(learnable, given, base))
    ask({name: guided(name, given, base, learn) for name in given.variant or VARIANTS}, every, path)
    rows = common.kept(path)
    common.tell(given.json, figures(rows), len(rows))


if __name__ == "__main__":
    main()
