"""Every data set as long documents: what holds of all, and what each promises besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.datasets.parts import PARTS
from answerable.errors import UsageError
from answerable.evaluation.long.articles import merged
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.load import LOADERS, load

from . import worlds


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return worlds.write(tmp_path_factory.mktemp("data"))


def read(data: Path, name: str, part: str = "report") -> list[LongDocument]:
    return list(load(data, name, part))


def hops(document: LongDocument, question: LongQuestion) -> list[list[str]]:
    return [[document.document.text[start:end] for start, end in hop] for hop in question.hops]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", LOADERS)
def test_evidence_and_sentences_stand_in_the_document(data: Path, name: str, part: str) -> None:
    documents = read(data, name, part)
    assert documents
    assert documents == read(data, name, part)
    for one in documents:
        text = one.document.text
        assert one.questions
        assert one.paragraphs
        last = 0
        for paragraph in one.paragraphs:
            cursor = paragraph.start
            assert last <= cursor < paragraph.end <= len(text)
            last = paragraph.end
            assert paragraph.sentences
            for start, end in paragraph.sentences:
                assert cursor <= start < end <= paragraph.end
                cursor = end
        sentences = [span for paragraph in one.paragraphs for span in paragraph.sentences]
        for question in one.questions:
            assert question.text
            for hop in question.hops:
                assert hop
                assert all(0 <= start < end <= len(text) for start, end in hop)
                assert any(a < end and start < b for start, end in hop for a, b in sentences)
            if question.kind == "extractive" and question.hops:
                held = " ".join(text[start:end] for hop in question.hops for start, end in hop)
                assert any(answer.rstrip() in held for answer in question.answers)


@pytest.mark.parametrize("name", LOADERS)
def test_parts_share_no_document_and_no_question(data: Path, name: str) -> None:
    seen = [(one.document.id, [q.id for q in one.questions]) for part in PARTS for one in read(data, name, part)]
    assert len({id_ for id_, _ in seen}) == len(seen)
    if name not in ("squad", "policyqa", "covidqa", "nq"):  # whose questions have one id in all parts of this world
        asked = [question for _, questions in seen for question in questions]
        assert len(set(asked)) == len(asked)


@pytest.mark.parametrize("name", ["squad", "policyqa"])
def test_an_article_is_whole_and_answers_stand_where_they_are_marked(data: Path, name: str) -> None:
    (one,) = read(data, name)
    assert one.document.text == f"{worlds.HARBOUR}\n\n{worlds.TIDE}"
    assert [(q.answers, hops(one, q)) for q in one.questions] == [
        (("Ada Moor",), [["Ada Moor"]]),
        (("four metres",), [["four metres"]]),
    ]


def test_questions_of_the_same_words_in_one_policy_are_one() -> None:
    asked = [LongQuestion(str(n), text, (said,), (((n, n + 1),),)) for n, (text, said) in enumerate(
        [("Who pays?", "the host"), ("who  pays?", "the guest"), ("When?", "now")])]  # fmt: skip
    first, second = merged(asked)
    assert (first.id, first.answers, first.hops) == ("0", ("the host", "the guest"), (((0, 1), (1, 2)),))
    assert second == asked[2]


def test_the_other_articles_of_squad_are_for_training(data: Path) -> None:
    assert [len(read(data, "squad", part)) for part in PARTS] == [2, 1, 1]


def test_a_paper_keeps_its_text_and_its_headings_are_in_paths_alone(data: Path) -> None:
    (one,) = read(data, "covidqa")
    assert one.document.title == "On the rust of gates"
    assert [s.title for s in one.document.sections] == ["Materials and methods", "Results"]
    assert one.paragraphs[-1].path == ("Results",)
    said = [one.document.text[a:b] for paragraph in one.paragraphs for a, b in paragraph.sentences]
    assert "Results" not in said
    assert "All of them rusted within a year." in said
    assert hops(one, one.questions[0]) == [["within a year"]]


def test_a_paper_of_the_report_is_whole_with_evidence_where_its_answer_stands(data: Path) -> None:
    (one,) = read(data, "qasper")
    tallest, cold = one.questions
    assert hops(one, tallest) == [["The tallest was Old Tom."]]
    assert (cold.kind, cold.hops) == ("yes", ())
    assert [p.path for p in one.paragraphs] == [(), ("Measurements",), ("Measurements",)]


def test_evidence_stands_once_below_its_headings_and_the_hop_is_to_the_likest_sentence(data: Path) -> None:
    (one,) = read(data, "qasper", "train")
    title = one.paragraphs[0].path[0]
    assert [p.path for p in one.paragraphs] == [(title, "Model", "Lift"), (title, "Trials", "Lift")]
    string, flew = one.questions
    assert (string.kind, hops(one, string)) == ("abstractive", [["The string is of waxed hemp."]])
    assert (flew.kind, hops(one, flew)) == ("extractive", [["On Monday nine kites flew."]])


def test_paragraphs_of_nq_are_packed_with_others_that_are_gold_for_nothing(data: Path) -> None:
    (one,) = read(data, "nq")
    assert len(one.paragraphs) == 30
    assert one.document.text.count(worlds.HARBOUR) == 1
    assert hops(one, one.questions[0]) == [["Ada Moor"]]
    held = next(p for p in one.paragraphs if p.start <= one.questions[0].hops[0][0][0] < p.end)
    assert held.path == ("Moors",)


@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa"])
def test_the_page_with_the_answer_is_the_last_hop(data: Path, name: str) -> None:
    bridge, polar = read(data, name)
    assert hops(bridge, bridge.questions[0]) == [[worlds.BRIDGE[0]], [worlds.DIRECTOR[1]]]
    assert polar.questions[0].kind == "no"
    assert hops(polar, polar.questions[0]) == [[*worlds.BRIDGE], [*worlds.DIRECTOR]]
    titles = [p.path for p in bridge.paragraphs]
    assert titles.count(("Ida Grey",)) == 2  # another paragraph of a page that is given
    (learned,) = read(data, name, "train")
    assert len(learned.paragraphs) == 24


def test_the_hops_of_musique_are_in_its_order_each_with_its_own_answer(data: Path) -> None:
    one = read(data, "musique")[0]
    assert hops(one, one.questions[0]) == [
        ["The film Low Sun was made by Ida Grey."],
        ["She was born in Aster."],
        ["It lies on the river Wend."],
    ]
    assert one.questions[0].answers == ("Wend", "the Wend")


@pytest.mark.parametrize("name", ["hybridqa", "ottqa"])
def test_a_row_is_a_paragraph_of_cells_and_what_they_link_to(data: Path, name: str) -> None:
    (one,) = read(data, name)
    first, second = one.paragraphs
    said = [one.document.text[a:b] for a, b in first.sentences]
    assert said == [
        "Name: Rolf Ek.",
        "Rolf Ek was a wrestler .",
        "His nickname was Strong Rolf .",
        "Sport: Wrestling.",
        "Wrestling is a sport .",
        "It is old .",
    ]
    assert first.path[1:] == ("Medals", "Gold", "Name: Rolf Ek. Sport: Wrestling.")
    assert second.path[1:3] == ("Medals", "Gold")
    called, too = one.questions
    assert hops(one, called) == [said, ["His nickname was Strong Rolf ."]]
    assert hops(one, too)[1] == ["Name: Ann Dahl."]
    assert called.hops[0] == first.sentences
    assert too.hops[0] == second.sentences


def test_a_passage_that_is_evidence_in_the_report_is_nowhere_else(data: Path) -> None:
    for part in PARTS[:2]:
        (one,) = read(data, "hybridqa", part)
        assert "Strong Rolf" not in one.document.text
        assert [bool(q.hops) for q in one.questions] == [False, True]


def test_a_turn_knows_what_was_said_before_and_where_its_reply_stands(data: Path) -> None:
    (one,) = read(data, "doc2dial")
    assert one.document.text == worlds.OFFICE
    fee, heading = one.questions
    assert hops(one, fee) == [["The fee is six crowns."]]
    assert hops(one, heading) == [["Fees", "The fee is six crowns."]]
    assert fee.history == (
        ("", "I want to fish"),
        ("Do you have a permit? It is needed.", "No"),
        ("Then ask for one.", ""),
    )
    assert [p.path for p in one.paragraphs] == [("When you need a permit",), ("Fees",)]


def test_a_conversation_has_a_hop_for_each_question_of_it(data: Path) -> None:
    (one,) = read(data, "sharc")
    assert len(one.paragraphs) == 13
    more, yes = one.questions
    whole = ["You can rent an allotment if:", "you live in the town", "you are over 18 years old"]
    assert (more.kind, hops(one, more)) == ("More", [whole, ["you live in the town"]])
    assert (yes.kind, yes.scenario, yes.history) == ("Yes", "I am 40.", (("Do you live in the town?", "Yes"),))
    assert hops(one, yes) == [whole, ["you live in the town"], ["you are over 18 years old"]]
    held = next(p for p in one.paragraphs if p.sentences == more.hops[0])
    assert held.path == ("Allotments",)


def test_the_snippets_around_one_are_of_its_page_and_then_its_neighbours(data: Path) -> None:
    (one,) = read(data, "sharc")
    text = one.document.text
    ids = worlds.snippet_ids("report", 15)
    own = ids[7]
    of_page = [id_ for id_ in ids if int(id_) % 5 == int(own) % 5 and id_ != own]
    assert ids[0] in of_page and all(f"Rule {id_} says" in text for id_ in of_page)
    assert f"Rule {ids[1]} says" not in text
    assert all(f"Rule {id_} says" not in text for id_ in worlds.snippet_ids("train", 15))


def test_elements_of_a_page_are_sentences_and_evidence_is_found_among_them(data: Path) -> None:
    (one,) = read(data, "conditionalqa")
    assert [p.path for p in one.paragraphs] == [("Grants",), ("Grants", "How much")]
    much, can, when = one.questions
    rows = ["The grant is:", "ten crowns for one", "Two people | twelve crowns"]
    assert hops(one, much) == [["Two people | twelve crowns"], ["How much", *rows]]
    assert (much.scenario, much.conditions) == ("We are two.", (("twelve crowns", ("You can get a grant.",)),))
    assert (can.kind, hops(one, can)) == ("yes", [["You can get a grant."]])
    assert (when.kind, when.answers, when.hops) == ("unanswerable", (), ())


def test_a_name_or_part_that_is_not_known_is_refused_at_once(data: Path) -> None:
    with pytest.raises(UsageError, match="novels"):
        load(data, "novels", "train")
    with pytest.raises(UsageError, match="dev"):
        load(data, "squad", "dev")
