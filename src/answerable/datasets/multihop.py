"""Questions of several hops: HotpotQA, 2WikiMultihopQA, MuSiQue and ConcurrentQA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.records import Record, any_objects, check, content_id, joined, unique

_EMAIL = re.compile(r"e\d+_p\d+")
_KEPT = ("level", "evidences", "evidences_id", "answer_id", "entity_ids", "decomposition", "question_decomposition")


def hotpotqa(path: Path) -> Iterator[Example]:
    """HotpotQA (Yang et al. 2018) and 2WikiMultihopQA (Ho et al. 2020), a JSON array, distractor or fullwiki; or JSONL.

    https://hotpotqa.github.io/, CC BY-SA 4.0; https://github.com/Alab-NII/2wikimultihop, Apache 2.0. `supporting` are
    the titles of the supporting facts, in order, which are the ids of the passages; `passages` the paragraphs given,
    and meta `sentences` their sentences, by title; `kind` the type. The same questions over a pool of passages
    (`gold`, `covered`) are read as `pooled` says.
    """
    check(path)
    for row in any_objects(path):
        if "gold" in row:
            yield pooled(row)
            continue
        facts = row.pairs("supporting_facts", str, int)
        given = [(title, _sentences(row, texts)) for title, texts in row.pairs("context", str, list)]
        yield Example(
            id=row.name("_id", "id"),
            question=row.text("question"),
            answers=(row.text("answer"),),
            supporting=unique([title for title, _ in facts]),
            facts=facts,
            kind=row.words("type"),
            passages=tuple((title, joined(texts)) for title, texts in given),
            meta=_kept(row) | {"sentences": dict(given)},
        )


def musique(path: Path) -> Iterator[Example]:
    """MuSiQue-Ans and MuSiQue-Full (Trivedi et al. 2022), JSONL.

    https://github.com/StonyBrookNLP/musique, CC BY 4.0. A question that is not `answerable` has no answers and no
    `supporting`; else `supporting` are the ids of the paragraphs in the order of the hops, made of their content
    (`records.content_id`); `kind` is the shape of the question (`2hop`, `3hop1`, ...). Over a pool of passages
    (`gold`, `covered`) they are read as `pooled` says.
    """
    for row in any_objects(path):
        if "gold" in row:
            yield pooled(row)
            continue
        answerable = row.field("answerable", bool)
        given = list(row.records("paragraphs"))
        passages = [(paragraph.text("title"), paragraph.text("paragraph_text")) for paragraph in given]
        gold = [index for index, paragraph in enumerate(given) if paragraph.field("is_supporting", bool)]
        order = [step.fields.get("paragraph_support_idx") for step in row.records("question_decomposition")]
        places = {paragraph.field("idx", int): index for index, paragraph in enumerate(given)}
        hops = [places[idx] for idx in order if idx in places]
        name = row.name("id")
        yield Example(
            id=name,
            question=row.text("question"),
            answers=unique((row.text("answer"), *row.texts("answer_aliases"))) if answerable else (),
            supporting=tuple(content_id(*passages[i]) for i in unique(hops + gold) if i in gold) if answerable else (),
            kind=name.split("__")[0],
            passages=tuple(passages),
            meta=_kept(row),
        )


def pooled(row: Record) -> Example:
    """A question whose passages stand in one pool: `gold` and `context` are ids in it.

    `supporting` are the gold passages where all of them are in the pool (`covered`), else none, so that nobody
    measures retrieval by half of the gold; so are `facts` where each has its sentence's number. meta: `covered`,
    `context`.
    """
    covered = row.field("covered", bool)
    facts = row.pairs("supporting", str, object)
    if not all(number is None or isinstance(number, int) for _, number in facts):
        raise row.broken("supporting", "has a sentence number that is not a whole number")
    aliases = row.texts("aliases") if "aliases" in row else ()
    return Example(
        id=row.name("_id"),
        question=row.text("question"),
        answers=unique((row.text("answer"), *aliases)),
        supporting=unique(row.texts("gold")) if covered else (),
        facts=facts if all(number is not None for _, number in facts) else (),
        kind=row.words("type"),
        meta=_kept(row) | {"covered": covered, "context": row.texts("context")},
    )


def concurrentqa(path: Path) -> Iterator[Example]:
    """ConcurrentQA (Arora et al. 2023), JSONL: `CQA_*_all.json`, or `Retriever_CQA_*_all_original.json`.

    https://github.com/facebookresearch/concurrentqa, scripts/download_cqa.sh, MIT. `supporting` are the two passages
    by title, first hop first, as `corpora.concurrentqa` names them; meta `domains` says for each whether it is an
    e-mail (`private`) or of Wikipedia (`public`), by its title as the official evaluation does: the file's own
    `domain` is not reliable.
    """
    for row in any_objects(path):
        if "pos_paras" in row:
            facts: list[tuple[str, int]] = []
            titles = [paragraph.text("title") for paragraph in row.records("pos_paras")]
            titles.sort(key=lambda title: title == row.words("bridge"))  # the bridge is the second hop
        else:
            found = [(fact.text("title"), fact.field("sp_sent_idx", list)) for fact in row.records("sp")]
            titles = [title for title, _ in found]
            facts = [(title, number) for title, numbers in found for number in numbers]
        name = row.one_of("answers", "answer")
        given = row.fields[name]
        yield Example(
            id=row.name("_id"),
            question=row.text("question"),
            answers=(given,) if isinstance(given, str) else unique(row.texts(name)),
            supporting=unique(titles),
            facts=tuple(facts),
            kind=row.words("type"),
            meta={"domains": tuple("private" if _EMAIL.fullmatch(title) else "public" for title in titles)},
        )


def _sentences(row: Record, texts: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(text, str) for text in texts):
        raise row.broken("context", "has a sentence that is not text")
    return tuple(texts)


def _kept(row: Record) -> dict[str, Any]:
    return {name: row.fields[name] for name in _KEPT if name in row}
