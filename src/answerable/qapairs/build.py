"""From the passages of an enclave to its pairs in the store, in steps that resume (PAQ, section 3)."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b

from answerable.corpora.pair_joins import join_answers, pairs_folder
from answerable.corpora.store import Store
from answerable.errors import BusyError
from answerable.indexes.index import Progress, silent
from answerable.qapairs.generation.stages import SELECT, Block, Parts, Stages, Work, blocks
from answerable.qapairs.generation.stated import stated_in
from answerable.text import normalise_question
from answerable.types import Label, Passage, QAPair
from answerable.work.spread import HERE, Workers

KEEP = "keep"
"""The last step, after the stages: pairs into the store."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What pairs are made by: the names of the parts, with their weights under `weights`, and the settings.

    `share` (0 to 1): of the passages, the best by the selector. `filter`: none, local or global.
    """

    selector: str
    extractors: tuple[str, ...]
    generator: str
    filter: str
    share: float = 1.0
    per_answer: int = 4
    weights: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Tells recipes apart."""
        return blake2b(json.dumps(asdict(self), sort_keys=True).encode(), digest_size=6).hexdigest()

    @property
    def made_by(self) -> str:
        """The name under which the store knows what was worked on."""
        return f"{self.generator} from {'+'.join(self.extractors)}, filter {self.filter} ({self.digest})"


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did. `passages`: worked on now; `chosen`: those of them that questions were made of.

    `counts`: of each stage. `pairs`: all that the enclave has now; `joined`: those that were given answers of others.
    """

    enclave: str
    made_by: str
    passages: int
    chosen: int
    counts: Mapping[str, Mapping[str, int]]
    pairs: int
    joined: int
    seconds: float


def build_pairs(
    store: Store,
    enclave: str,
    recipe: Recipe,
    parts: Parts,
    workers: Workers = HERE,
    label: Label | None = None,
    keep: bool = False,
    progress: Progress = silent,
) -> Built:
    """Make pairs of the passages that this recipe has not worked on yet, and put them into the store.

    Run by the one writer of the store. Stopped at any moment, the same call goes on: blocks that a stage finished are
    not done again, and a passage's pairs are put in place of those it had. `label`: what `workers` must be cleared for,
    None: the enclave's name. With `keep` the files of the stages stay, for whoever wants to see what each gave; where
    only a share is chosen, the scores stay in any case. Raises `WorkspaceError` where files cannot be written, as
    `Workers.map` does, and what the parts raise.
    """
    started = time.perf_counter()
    due = store.unpurged()
    todo = blocks(_passages(store, enclave, recipe.made_by))
    work = Work(pairs_folder(store) / enclave / recipe.digest, {"made_by": recipe.made_by, **asdict(recipe)})
    # The threshold is that of the corpus as it is now, so that what was added later is held to the same.
    within = todo if recipe.share >= 1 or not todo else blocks(_passages(store, enclave, ""))
    whose = frozenset({enclave}) if label is None else label
    stages = Stages(store, enclave, work, parts, workers, whose, progress)
    selected = stages.select(within, recipe.share)
    chosen = [block for one in todo if (block := one.only(selected)).keys]
    stages.make(chosen)
    counts = stages.counts(chosen)
    _keep(store, enclave, recipe.made_by, stages, todo, chosen, progress)
    joined = join_answers(store, enclave)
    if enclave not in due and enclave in store.unpurged():  # pairs that others took the place of, nothing deleted
        with suppress(BusyError):
            store.purge(enclave)
    if not keep:  # scores hold no text, and all of them are needed again when passages are added
        work.discard(SELECT if recipe.share < 1 else "")
    return Built(
        enclave=enclave,
        made_by=recipe.made_by,
        passages=sum(len(block.keys) for block in todo),
        chosen=sum(len(block.keys) for block in chosen),
        counts=counts,
        pairs=store.pair_count(enclave),
        joined=joined,
        seconds=time.perf_counter() - started,
    )


def _passages(store: Store, enclave: str, made_by: str) -> list[tuple[int, str]]:
    """(key, id) of the passages that were not worked on by that; by nothing: all of them."""
    found: list[tuple[int, str]] = []
    while rows := store.unpaired(enclave, made_by, found[-1][0] if found else 0):
        found += [(row.key, row.id) for row in rows]
    return found


def _keep(
    store: Store,
    enclave: str,
    made_by: str,
    stages: Stages,
    todo: Sequence[Block],
    chosen: Sequence[Block],
    progress: Progress,
) -> None:
    """Put each block into the store, all of it or nothing; passages that were not chosen are worked on too."""
    with_questions = {block.number: block for block in chosen}
    total, done = sum(len(block.keys) for block in todo), 0
    for block in todo:
        made = stages.pairs(with_questions[block.number]) if block.number in with_questions else {}
        said = _stated(store, enclave, block)
        with store.write(enclave) as transaction:
            for id in block.ids:
                own = {normalise_question(pair.question): pair for pair in (*made.get(id, ()), *said.get(id, ()))}
                transaction.put_pairs(enclave, id, made_by, list(own.values()))
        done += len(block.keys)
        progress(KEEP, done, total)


def _stated(store: Store, enclave: str, block: Block) -> dict[str, list[QAPair]]:
    """What the documents of a block's passages state themselves, by passage id."""
    found, owned = dict[str, list[QAPair]](), dict[str, list[Passage]]()
    for passage in store.passages(enclave, block.ids):
        owned.setdefault(passage.document_id, []).append(passage)
    for id, passages in owned.items():
        if document := store.document(enclave, id):
            found |= stated_in(document, passages)
    return found
