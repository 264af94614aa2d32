"""Questions over scientific papers and claims with their evidence: QASPER, BioASQ, FEVER."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.records import Record, lines, objects, unique


def qasper(path: Path) -> Iterator[Example]:
    """QASPER (Dasigi et al. 2021), one JSON object of papers: `qasper-train-v0.3.json`, dev and test.

    https://allenai.org/data/qasper, CC BY 4.0. meta `annotations` holds each annotator's gold: a dict of `answer`,
    `type` (`extractive`, `abstractive`, `boolean` or `none`) and `evidence` (paragraphs as they stand in the paper;
    figures and tables begin with `FLOAT SELECTED`). As in the official script, spans are joined by `, `, a boolean is
    `Yes` or `No`, and `none` is `Unanswerable`. `answers` are those of the annotators who found one; `kind` is the
    first annotation's type; `supporting` the paper's id; `passages` its abstract and sections.
    """
    for id_, paper in objects(path):
        passages = tuple(_sections(paper))
        for item in paper.records("qas"):
            found = [_annotation(annotation.record("answer")) for annotation in item.records("answers")]
            if not found:
                raise item.broken("answers", "is empty")
            yield Example(
                id=item.name("question_id"),
                question=item.text("question"),
                answers=unique([gold["answer"] for gold in found if gold["type"] != "none"]),
                supporting=(id_,),
                kind=found[0]["type"],
                passages=passages,
                meta={"annotations": tuple(found)},
            )


def _annotation(gold: Record) -> dict[str, Any]:
    """Answer, type and evidence of one annotation, decided in the order of the official script."""
    if gold.field("unanswerable", bool):
        answer, kind = "Unanswerable", "none"
    elif gold.texts("extractive_spans"):
        answer, kind = ", ".join(gold.texts("extractive_spans")), "extractive"
    elif gold.words("free_form_answer"):
        answer, kind = gold.text("free_form_answer"), "abstractive"
    else:
        answer, kind = "Yes" if gold.field("yes_no", bool) else "No", "boolean"
    return {"answer": answer, "type": kind, "evidence": gold.texts("evidence")}


def _sections(paper: Record) -> Iterator[tuple[str, str]]:
    yield paper.text("title"), paper.words("abstract")
    for section in paper.records("full_text"):
        yield section.words("section_name"), "\n".join(section.texts("paragraphs"))


def qasper_pairs(path: Path) -> Iterator[Example]:
    """Questions on papers, JSONL in one of two shapes: a paper a line with its `questions` (without evidence), or a
    question a line with one paragraph of `evidence`.

    Made of QASPER, CC BY 4.0. `supporting` is the paper's id in the first shape; meta `annotations` as in `qasper` in
    the second, of the type `unknown`, since the shape does not say it.
    """
    for row in lines(path):
        if "questions" not in row:
            answer, evidence = row.text("answer"), (row.text("evidence"),)
            yield Example(
                id=row.name("_id"),
                question=row.text("question"),
                answers=(answer,),
                passages=((row.words("title"), row.words("abstract")),),
                meta={"annotations": ({"answer": answer, "type": "unknown", "evidence": evidence},)},
            )
            continue
        passages = ((row.text("title"), row.words("abstract")), ("", "\n".join(row.texts("paragraphs"))))
        for number, item in enumerate(row.records("questions"), start=1):
            yield Example(
                id=f"{row.name('_id')}-{number}",
                question=item.text("question"),
                answers=(item.text("answer"),),
                supporting=(row.name("_id"),),
                passages=passages,
            )


def bioasq(path: Path) -> Iterator[Example]:
    """BioASQ (Tsatsaronis et al. 2015), JSONL, a question a line.

    http://bioasq.org/, CC BY 2.5, after registration. `kind` is factoid, list, yesno or summary; the answers are the
    exact ones, or the ideal ones of a summary. Of a list, `answers` is the set (the first name of each member), meta
    `set` is true and `groups` holds all names of each. `supporting` are the documents in the file (`gold`); meta
    `ideal` the ideal answers, `snippets` (document, text).
    """
    for row in lines(path):
        kind = row.text("type")
        ideal = row.texts("ideal_answer")
        meta: dict[str, Any] = {
            "ideal": ideal,
            "snippets": tuple((snippet.name("document"), snippet.text("text")) for snippet in row.records("snippets")),
        }
        if kind == "summary":
            answers = ideal
        elif kind == "yesno":
            answers = (row.text("exact_answer"),)
        else:
            groups = _groups(row)
            answers = unique([name for group in groups for name in (group[:1] if kind == "list" else group)])
            if kind == "list":
                meta |= {"set": True, "groups": groups}
        yield Example(
            row.name("_id"), row.text("question"), answers, supporting=unique(row.texts("gold")), kind=kind, meta=meta
        )


def _groups(row: Record) -> tuple[tuple[str, ...], ...]:
    groups = row.field("exact_answer", list)
    if not all(isinstance(group, list) and group and all(isinstance(name, str) for name in group) for group in groups):
        raise row.broken("exact_answer", "is not a list of lists of names")
    return tuple(tuple(group) for group in groups)


def fever(path: Path) -> Iterator[Example]:
    """FEVER (Thorne et al. 2018), JSONL: the official files, or claims with the text of their evidence.

    https://fever.ai/dataset/fever.html, CC BY-SA 3.0. The question is the claim, the answer its label (`SUPPORTS` or
    `REFUTES`; none for `NOT ENOUGH INFO`), which is also `kind`. `supporting` are the evidence's pages and `facts` its
    sentences, in the official files; `passages` its text, in the other.
    """
    for row in lines(path):
        label = row.text("label")
        evidence = row.field("evidence", list)
        texts = [value for value in evidence if isinstance(value, str)]
        facts: list[tuple[str, int]] = []
        for group in evidence if not texts else ():
            for piece in group if isinstance(group, list) else (None,):
                match piece:
                    case [_, _, str(title), int(number)]:
                        facts.append((title, number))
                    case [_, _, None, None]:
                        pass
                    case _:
                        raise row.broken("evidence", "is not a list of sets of evidence")
        titles = row.texts("titles") if "titles" in row else tuple(title for title, _ in facts)
        yield Example(
            id=row.name("_id", "id"),
            question=row.text("claim"),
            answers=() if label == "NOT ENOUGH INFO" else (label,),
            supporting=unique(titles),
            facts=unique(facts),
            kind=label,
            passages=(("", " ".join(texts)),) if texts else (),
        )
