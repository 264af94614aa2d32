"""Learning from questions: over passages (NQ, SQuAD, FEVER), of several hops (HotpotQA, MuSiQue, 2WikiMultihopQA), and
over tables and the passages their cells link to (OTT-QA, HybridQA).

The files called dev are the report, and nothing is learned from them; the others are parted by `datasets.parts`. A
table is its rows, each a passage under its heading. No evidence for a question of the report is ever a positive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from answerable.datasets.parts import QUESTION_DEVELOPMENT, question_part, share, squad_part
from answerable.evaluation.hop_order import bare
from answerable.text import words
from answerable.training.corpora import Corpora, Table
from answerable.training.reading import MULTI_HOP, NONE, Reading, squad
from answerable.training.skills.example import SkillExample, Text
from answerable.training.skills.titles import spans_of
from answerable.training.skills.unsupervised import linked
from answerable.types import Skill

_FEVER_REPORT = 0.10
"""As for the reader: claims by the title of their first page."""


def questions(source: str, skill: Skill, corpora: Corpora, part: str) -> list[SkillExample]:
    """The examples of one source and skill in one part."""
    made = _SINGLE_HOP[source](corpora, part) if source in _SINGLE_HOP else _multihop(source, skill, corpora, part)
    return [replace(one, source=source, skill=skill) for one in made]


def _asked(reading: Reading, passage: Text, corpus: str) -> SkillExample:
    return SkillExample("", Skill.SINGLE, reading.question, (passage,), answers=reading.answers, corpus=corpus)


def _nq(corpora: Corpora, part: str) -> Iterator[SkillExample]:
    stored = {text[1].strip(): text for text in corpora.corpus("nq").values()}
    name = "nq-dev.json.gz" if part == "report" else "nq-train.json.gz"
    for article, reading in squad(corpora.data / "nq" / name, "nq"):
        if part in ("report", question_part(article)) and reading.kind != NONE:
            passage = reading.passages[0]
            yield _asked(reading, stored.get(passage[1].strip(), passage), "nq")


def _squad(corpora: Corpora, part: str) -> Iterator[SkillExample]:
    for name in ("squad1.1.json.gz", "squad-train-part.json.gz"):
        for article, reading in squad(corpora.data / "squad" / name, "squad"):
            of = squad_part(article) if name == "squad1.1.json.gz" else "train"
            if of == part and reading.kind != NONE:
                yield _asked(reading, reading.passages[0], "squad")


def _fever(corpora: Corpora, part: str) -> Iterator[SkillExample]:
    """Claims to the passages of the pages that decide them, where those hold most words of the evidence."""
    pages: dict[str, list[Text]] = defaultdict(list)
    held = corpora.withheld
    for corpus in ("wiki", "pool"):
        for id_, text in corpora.corpus(corpus).items():
            if id_ not in held:
                pages[text[0].lower()].append(text)
    for row in corpora.lines("fever/claims.jsonl.gz"):
        titles = row.get("titles") or []
        if not titles:
            continue
        number = share(titles[0])
        of = (
            "report"
            if number < _FEVER_REPORT
            else "development"
            if number < _FEVER_REPORT + QUESTION_DEVELOPMENT
            else "train"
        )
        found = tuple(text for title in titles for text in pages[title.lower()] if _holds(text, row["evidence"]))
        if of == part and found:
            yield SkillExample("", Skill.SINGLE, row["claim"], tuple(dict.fromkeys(found)), corpus="wiki")


def _holds(text: Text, sentences: list[str]) -> bool:
    """Whether nearly all words of one of the sentences are in a passage."""
    held = set(words(text[1]))
    return any(len(held & said) >= 0.8 * len(said) for said in (set(words(one)) for one in sentences) if said)


_SINGLE_HOP: dict[str, Callable[[Corpora, str], Iterator[SkillExample]]] = {
    "nq": _nq,
    "squad": _squad,
    "fever": _fever,
}
SOURCES = (*_SINGLE_HOP, *MULTI_HOP)


def _multihop(source: str, skill: Skill, corpora: Corpora, part: str) -> Iterator[SkillExample]:
    """Questions with several gold passages, in the order in which they can be found.

    Single: the question to a passage it names or, where it names none, to the first. Expanded: the question and the
    passages before it to the next. Reranking: the question to each. Linking: the names in the question that are titles
    of gold passages, and those in gold passages that are titles of pages. The passages that came with the question are
    its first negatives.
    """
    pool = corpora.corpus("pool")
    linked: set[Text] = set()
    for row in corpora.lines(f"{source}/{'dev' if part == 'report' else 'train'}.jsonl"):
        if not row.get("covered") or part not in ("report", question_part(row["_id"])):
            continue
        gold = [pool[id_] for id_ in dict.fromkeys(row["gold"]) if id_ in pool]
        if len(gold) < 2:
            continue
        answers = (str(row["answer"]), *map(str, row.get("aliases") or ()))
        others = [pool[id_] for id_ in row["context"] if id_ in pool]
        base = SkillExample(source, skill, row["question"], tuple(gold), answers=answers, corpus="pool")
        base = replace(base, negatives=tuple(dict.fromkeys(text for text in others if base.wrong(text))))
        starts, order = in_order(gold, row)
        if skill is Skill.SINGLE:
            yield from (_first(base, text) for text in starts)
        elif skill is Skill.EXPANDED:
            yield from _chains(base, starts, order)
        elif skill is Skill.RERANK:
            yield from (_first(base, text) for text in gold)
        elif skill is Skill.MENTION:
            yield from _question_links(base, gold, corpora)
            fresh = [text for text in gold if text not in linked]
            linked.update(fresh)
            yield from _passage_links(source, fresh, corpora)


def in_order(gold: list[Text], row: dict[str, Any]) -> tuple[list[Text], list[Text]]:
    """The passages to begin with, and all of them in an order in which they can be found.

    MuSiQue says the order. Elsewhere the passages whose titles the question names come first, then those that an
    earlier one names, the one with the answer last.
    """
    question, answer = row["question"], str(row["answer"]).lower()
    if "decomposition" in row and all(place is None for _, place in row["supporting"]):
        place = {title: number for number, (title, _) in reversed(list(enumerate(row["supporting"])))}
        order = sorted(gold, key=lambda text: place.get(text[0], len(place)))
        return order[:1], order
    left = sorted(gold, key=lambda text: (not spans_of(bare(text[0]), question), answer in text[1].lower()))
    order = [left.pop(0)]
    starts = [order[0], *(text for text in left if spans_of(bare(text[0]), question))]
    while left:
        said = " ".join([question, *(text for _, text in order)])
        named = next((text for text in left if spans_of(bare(text[0]), said)), left[0])
        left.remove(named)
        order.append(named)
    return starts, order


def _first(base: SkillExample, text: Text) -> SkillExample:
    return replace(base, positives=(text, *(other for other in base.positives if other != text)))


def _chains(base: SkillExample, starts: list[Text], order: list[Text]) -> Iterator[SkillExample]:
    for size in range(1, len(order)):
        yield _carrying(base, tuple(order[:size]), order[size])
    if len(order) == 2 and len(starts) == 2:  # either can be found first
        yield _carrying(base, (order[1],), order[0])


def _carrying(base: SkillExample, evidence: tuple[Text, ...], target: Text) -> SkillExample:
    rest = tuple(text for text in base.positives if text != target and text not in evidence)
    return replace(base, evidence=evidence, positives=(target, *rest))


def _question_links(base: SkillExample, gold: list[Text], corpora: Corpora) -> Iterator[SkillExample]:
    found = [(span, text) for text in gold for span in spans_of(bare(text[0]), base.query)[:1]]
    others = [one for one, _ in corpora.titles.find(base.query)]
    apart = (one for one in others if all(one[1] <= start or end <= one[0] for (start, end), _ in found))
    names = (*(span for span, _ in found), *apart)
    for span, text in found:
        yield replace(base, positives=(text,), span=span, names=names, answers=())


def _passage_links(source: str, passages: list[Text], corpora: Corpora) -> Iterator[SkillExample]:
    for passage in passages:
        found = [(span, page) for span, page in corpora.titles.find(passage[1]) if page[0] != passage[0]]
        names = tuple(span for span, _ in found)
        for span, page in found:
            yield SkillExample(source, Skill.MENTION, passage[1], (page,), span=span, names=names, corpus="pool")


OVER_TABLES = ("ottqa", "hybridqa")


def over_tables(source: str, skill: Skill, corpora: Corpora, part: str) -> list[SkillExample]:
    """The examples of one source and skill in one part.

    Single and reranking: the question to a row with evidence; other rows of the table are negatives of reranking
    alone, since they are found together. Expanded: the question and that row to a passage the row links to that holds
    the answer. Linking: the cells of rows with evidence to their pages.
    """
    made: dict[str, SkillExample] = {}
    for question in corpora.questions(source, part):
        table = corpora.tables[question["table"]]
        for one in _of_question(source, skill, corpora, table, question, part):
            made.setdefault(one.key, one)
    return list(made.values())


def _of_question(
    source: str, skill: Skill, corpora: Corpora, table: Table, question: dict[str, Any], part: str
) -> Iterator[SkillExample]:
    numbers = list(dict.fromkeys(item["row"] for item in question["evidence"] if item["row"] < len(table.rows)))
    rows = [table.row(number)[0] for number in numbers]
    asked, answers = question["question"], (str(question["answer"]),)
    if not rows:
        return
    if skill in (Skill.SINGLE, Skill.RERANK):
        others = [table.row(number)[0] for number in range(len(table.rows)) if number not in numbers]
        negatives = tuple(text for text in others if text[1] and text not in rows) if skill is Skill.RERANK else ()
        for row in rows[:3]:  # a cell that recurs down the table would fill the training with one question
            positives = (row, *(text for text in rows if text != row))
            yield SkillExample(source, skill, asked, positives, negatives=negatives, answers=answers, corpus="rows")
    elif skill is Skill.EXPANDED:
        for row, passages in _second_hops(corpora, table, question, part).items():
            yield SkillExample(source, skill, asked, passages, evidence=(row,), answers=answers, corpus="wiki")
    elif skill is Skill.MENTION:
        for number in numbers[:3]:
            yield from _row_links(source, corpora, table, number)


def _second_hops(corpora: Corpora, table: Table, question: dict[str, Any], part: str) -> dict[Text, tuple[Text, ...]]:
    """Rows that link to passages with the answer, and those passages."""
    wiki = corpora.corpus("wiki")
    found: dict[Text, dict[Text, None]] = {}
    for item in question["evidence"]:
        id_ = item["passage"]
        if id_ in wiki and item["row"] < len(table.rows) and (part == "report" or id_ not in corpora.withheld):
            found.setdefault(table.row(item["row"])[0], {}).setdefault(wiki[id_])
    return {row: tuple(passages) for row, passages in list(found.items())[:3]}


def _row_links(source: str, corpora: Corpora, table: Table, number: int) -> Iterator[SkillExample]:
    wiki = corpora.corpus("wiki")
    (_, line), spans = table.row(number)
    cells = [c for c, (_, links) in enumerate(table.rows[number]) if links and spans[c] != (0, 0)]
    names = tuple(spans[c] for c in cells)
    for c in cells:
        target = linked(table, number, c, corpora)
        if target:
            yield SkillExample(source, Skill.MENTION, line, (wiki[target],), span=spans[c], names=names, corpus="wiki")
