"""Hard negatives: what words find (BM25), and should not (appendix B.1).

Looking goes on where it was interrupted: what was found stands in a file, a line for each example.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from answerable.training.corpora import Corpora, Lexical
from answerable.training.skills.example import SkillExample, Text
from answerable.types import Skill

logger = logging.getLogger(__name__)
SKIPPED = (Skill.PROPOSE,)
_STEP = 512
_DEEP = 4
"""How many times more passages are looked at than are kept: some are positives or hold the answer."""


def with_negatives(examples: Sequence[SkillExample], corpora: Corpora, folder: Path, most: int) -> list[SkillExample]:
    """The examples with up to `most` negatives found before those they had.

    A mention is looked for by its words, an expanded query with its passages. An example without a corpus, or of span
    proposal, stays as it is. `bm25.jsonl` in `folder` is read first and what is missing added.
    """
    file = folder / "bm25.jsonl"
    found = _read(file)
    missing: dict[str, list[SkillExample]] = defaultdict(list)
    for one in examples:
        if one.corpus and one.skill not in SKIPPED and one.key not in found:
            missing[one.corpus].append(one)
    folder.mkdir(parents=True, exist_ok=True)
    for corpus, group in sorted(missing.items()):
        passages = candidates(corpora, corpus)
        search = Lexical(passages, folder / f"bm25-{corpus}")
        logger.info("looking for negatives of %d queries in %s", len(group), corpus)
        for begin in range(0, len(group), _STEP):
            lines = []
            for one in group[begin : begin + _STEP]:
                ids = search.best(_words(one), _DEEP * most)
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


def _words(one: SkillExample) -> str:
    if one.span:
        return one.query[slice(*one.span)]
    return " ".join([one.query, *(f"{title} {text}" for title, text in one.evidence)])
