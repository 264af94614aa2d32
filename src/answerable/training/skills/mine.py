"""Hard negatives: what words find (BM25), then what the model itself finds and should not (appendix B.1).

Both go on where they were interrupted: what was found stands in a file, a line for each example.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from answerable.encoders.modular import SkillModel
from answerable.encoders.segments import Row, Segments
from answerable.encoders.wordpieces import plan_batches
from answerable.training.corpora import Corpora, Lexical
from answerable.training.skills.cache import encode_rows
from answerable.training.skills.example import SkillExample, Text
from answerable.types import Skill

logger = logging.getLogger(__name__)
SKIPPED = (Skill.PROPOSE,)
_STEP = 512
_DEEP = 4
"""How many times more passages are looked at than are kept: some are positives or hold the answer."""
_TOKENS = 16384


class Search(Protocol):
    """A way to find passages for examples, all of one corpus and skill."""

    def __call__(self, examples: Sequence[SkillExample], k: int) -> list[list[str]]:
        """Ids of the k best passages for each example, best first."""
        ...


class Searches(Protocol):
    """Makes the search of one corpus with one skill's queries."""

    def __call__(self, corpus: str, skill: Skill) -> Search:
        """The search; what it needs is made when it is first wanted."""
        ...


def with_negatives(
    examples: Sequence[SkillExample], corpora: Corpora, file: Path, searches: Searches, most: int
) -> list[SkillExample]:
    """The examples with up to `most` negatives found before those they had.

    An example without a corpus, or of span proposal, stays as it is. `file` is read first and what is missing added.
    """
    found = _read(file)
    missing: dict[tuple[str, Skill], list[SkillExample]] = defaultdict(list)
    for one in examples:
        if one.corpus and one.skill not in SKIPPED and one.key not in found:
            missing[one.corpus, one.skill].append(one)
    file.parent.mkdir(parents=True, exist_ok=True)
    for (corpus, skill), group in sorted(missing.items()):
        search, passages = searches(corpus, skill), candidates(corpora, corpus)
        logger.info("looking for negatives of %d %s queries in %s", len(group), skill.value, corpus)
        for begin in range(0, len(group), _STEP):
            part = group[begin : begin + _STEP]
            lines = []
            for one, ids in zip(part, search(part, _DEEP * most), strict=True):
                found[one.key] = [id_ for id_ in ids if one.wrong(passages[id_])][:most]
                lines.append(json.dumps({"key": one.key, "ids": found[one.key]}) + "\n")
            with file.open("a", encoding="utf8") as out:
                out.writelines(lines)
    return [_joined(one, corpora, found.get(one.key, ())) for one in examples]


def candidates(corpora: Corpora, corpus: str) -> dict[str, Text]:
    """The passages of a corpus that may be learned from."""
    held = corpora.withheld if corpus == "wiki" else frozenset()
    return {id_: text for id_, text in corpora.corpus(corpus).items() if id_ not in held}


def _joined(one: SkillExample, corpora: Corpora, ids: Sequence[str]) -> SkillExample:
    if not ids:
        return one
    passages = corpora.corpus(one.corpus)
    return replace(one, negatives=tuple(dict.fromkeys([*(passages[id_] for id_ in ids), *one.negatives])))


def _read(file: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if file.exists():
        whole = file.read_bytes()
        kept = whole[: whole.rfind(b"\n") + 1]  # a line that was being written when the run ended is written again
        if len(kept) < len(whole):
            file.write_bytes(kept)
        for line in kept.decode().splitlines():
            row = json.loads(line)
            found[row["key"]] = row["ids"]
    return found


class LexicalSearches:
    """BM25 by the engine's own index. A mention is looked for by its words, an expanded query with its passages."""

    def __init__(self, corpora: Corpora, folder: Path) -> None:
        self._corpora, self._folder = corpora, folder

    def __call__(self, corpus: str, skill: Skill) -> Search:
        """The search of one corpus; its index is built once."""
        found = Lexical(candidates(self._corpora, corpus), self._folder / f"bm25-{corpus}")

        def search(examples: Sequence[SkillExample], k: int) -> list[list[str]]:
            return [found.best(_words(one), k) for one in examples]

        return search


def _words(one: SkillExample) -> str:
    if one.span:
        return one.query[slice(*one.span)]
    return " ".join([one.query, *(f"{title} {text}" for title, text in one.evidence)])


class ModelSearches:
    """The nearest passages by a model's own vectors, exactly. Vectors of a corpus are kept in files, part by part."""

    def __init__(self, model: SkillModel, segments: Segments, corpora: Corpora, folder: Path, length: int) -> None:
        self._model, self._segments, self._corpora = model.eval(), segments, corpora
        self._folder, self._length = folder, length

    def __call__(self, corpus: str, skill: Skill) -> Search:
        """The search of one corpus by the queries of `skill`; reranked pairs have none and are found as questions."""
        ids = list(candidates(self._corpora, corpus))
        side = Skill.ENTITY if skill is Skill.MENTION else Skill.PASSAGE
        vectors = torch.cat(list(self._encoded(corpus, side)))

        def search(examples: Sequence[SkillExample], k: int) -> list[list[str]]:
            queries = self._vectors(*self._queries(examples, skill))
            best = (queries.cpu() @ vectors.T).topk(min(k, len(ids)), dim=1).indices
            return [[ids[i] for i in row] for row in best.tolist()]

        return search

    def _queries(self, examples: Sequence[SkillExample], skill: Skill) -> tuple[Skill, list[Row]]:
        if skill is Skill.MENTION:
            texts = [(one.query, [one.span or (0, 0)]) for one in examples]
            return skill, self._segments.spans(texts, self._length)
        rows = self._segments.joined([(one.query, one.evidence) for one in examples], self._length)
        return Skill.SINGLE if skill is Skill.RERANK else skill, [Row(row.ids) for row in rows]

    def _encoded(self, corpus: str, side: Skill, size: int = 16384) -> Iterator[Tensor]:
        passages = list(candidates(self._corpora, corpus).values())
        self._folder.mkdir(parents=True, exist_ok=True)
        for number, begin in enumerate(range(0, len(passages), size)):
            path = self._folder / f"{corpus}-{side.value}-{number}.npy"
            if not path.exists():
                rows = self._segments.passages(passages[begin : begin + size], self._length)
                part = path.with_suffix(".tmp")
                with part.open("wb") as file:
                    np.save(file, self._vectors(side, rows).cpu().numpy())
                part.replace(path)
                logger.info("%d of %d passages of %s encoded", begin + len(rows), len(passages), corpus)
            yield torch.from_numpy(np.load(path))

    @torch.inference_mode()
    def _vectors(self, skill: Skill, rows: Sequence[Row]) -> Tensor:
        plan = plan_batches([len(row.ids) for row in rows], _TOKENS)
        found = torch.cat([encode_rows(self._model, skill, [rows[i] for i in piece]) for piece in plan])
        order = torch.tensor([i for piece in plan for i in piece], device=found.device)
        return found[order.argsort()]
