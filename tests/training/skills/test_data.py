from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import FormatError, UsageError
from answerable.training.corpora import Corpora
from answerable.training.skills import own
from answerable.training.skills.example import SkillExample
from answerable.training.skills.supervised import MULTI_HOP, in_order, over_tables, questions
from answerable.training.skills.titles import Titles, sentence, spans_of
from answerable.training.skills.unsupervised import drawn
from answerable.types import Skill
from tests.training.skills.worlds import write_data

LINKING = (Skill.SINGLE, Skill.EXPANDED, Skill.MENTION, Skill.RERANK)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Corpora:
    return Corpora(write_data(tmp_path_factory.mktemp("data")))


def from_tables(corpora: Corpora, part: str) -> list[SkillExample]:
    made = [one for source in ("ottqa", "hybridqa") for s in LINKING for one in over_tables(source, s, corpora, part)]
    for skill in (Skill.EXPANDED, Skill.MENTION):
        made += drawn("tables", skill, corpora, part, random.Random(1), 1.0)
    return made


def test_nothing_of_the_report_over_tables_is_learned(corpora: Corpora) -> None:
    pages = {part: {one.page for one in corpora.tables.values() if one.part == part} for part in ("train", "report")}
    assert pages["train"] and pages["report"] and not pages["train"] & pages["report"]
    kept = {question["question"] for question in corpora.questions("ottqa", "report")}
    held = {corpora.corpus("wiki")[id_] for id_ in corpora.withheld}
    assert kept and held
    learned = from_tables(corpora, "train")
    for skill in (Skill.SINGLE, Skill.EXPANDED, Skill.MENTION):
        learned += drawn("wiki", skill, corpora, "train", random.Random(1), 1.0)
    learned += [one for source in MULTI_HOP for one in questions(source, Skill.MENTION, corpora, "train")]
    headings = {one.heading for one in corpora.tables.values() if one.part == "report"}
    for one in learned:
        assert one.query not in kept
        assert not held & set(one.positives)
        assert not headings & {title for title, _ in (*one.positives, *one.evidence, *one.negatives)}
    assert not headings & {title for title, _ in corpora.corpus("rows").values()}


def test_rows_cells_and_links_of_tables(corpora: Corpora) -> None:
    rows = over_tables("ottqa", Skill.SINGLE, corpora, "train")
    assert rows and all(one.positives[0][1].startswith("Year: ") for one in rows)
    assert not any(one.negatives for one in rows)
    reranked = over_tables("ottqa", Skill.RERANK, corpora, "train")
    assert all(len(one.negatives) == 2 for one in reranked)  # the other rows of its table
    for one in over_tables("ottqa", Skill.EXPANDED, corpora, "train"):
        assert one.evidence[0][1].endswith(one.positives[0][0])  # the row names the passage it leads to
    for one in over_tables("ottqa", Skill.MENTION, corpora, "train"):
        assert one.query[slice(*one.span)] == one.positives[0][0] and one.span in one.names


def test_hops_are_in_the_order_in_which_they_can_be_found(corpora: Corpora) -> None:
    for source in MULTI_HOP:
        for one in questions(source, Skill.SINGLE, corpora, "train"):
            assert one.positives[0][0] in one.query and len(one.positives) == 2
        for one in questions(source, Skill.EXPANDED, corpora, "train"):
            (before,) = one.evidence
            assert before[0] in one.query and one.positives[0][0] not in one.query
            assert before not in one.positives and before not in one.negatives


def test_musique_says_its_order() -> None:
    gold = [("C", "third"), ("A", "first"), ("B", "second")]
    row = {"question": "?", "answer": "x", "decomposition": [], "supporting": [["A", None], ["B", None], ["C", None]]}
    assert in_order(gold, row) == ([("A", "first")], [("A", "first"), ("B", "second"), ("C", "third")])


def test_a_comparison_may_begin_with_either() -> None:
    gold = [("Mull", "An island."), ("Tiree", "A low island.")]
    row = {"question": "Is Tiree or Mull larger?", "answer": "Mull", "supporting": [["Mull", 0], ["Tiree", 0]]}
    starts, order = in_order(gold, row)
    assert sorted(starts) == sorted(order) == gold


def test_parts_of_questions_share_none(corpora: Corpora) -> None:
    for skill in (Skill.SINGLE, Skill.RERANK):
        parts = [
            {one.query for one in questions("hotpotqa", skill, corpora, part)} for part in ("train", "development")
        ]
        assert parts[0] and not parts[0] & parts[1]


def test_crops_are_of_one_passage_and_drawn_anew(corpora: Corpora) -> None:
    made = drawn("pool", Skill.SINGLE, corpora, "train", random.Random(1), 1.0)
    assert len(made) > 20
    for one in made:
        crop, whole = one.positives
        assert one.query in " ".join(whole[1].split()) and crop[1] in " ".join(whole[1].split())
        assert crop[0] in ("", whole[0])
    assert made == drawn("pool", Skill.SINGLE, corpora, "train", random.Random(1), 1.0)
    assert made != drawn("pool", Skill.SINGLE, corpora, "train", random.Random(2), 1.0)
    assert len(drawn("pool", Skill.SINGLE, corpora, "train", random.Random(2), 0.5)) < 0.7 * len(made)


def test_links_lead_from_a_title_in_a_passage_to_its_page(corpora: Corpora) -> None:
    made = drawn("wiki", Skill.MENTION, corpora, "train", random.Random(1), 1.0)
    assert made
    for one in made:
        assert one.query[slice(*one.span)] == one.positives[0][0] != ""
    for one in drawn("wiki", Skill.EXPANDED, corpora, "train", random.Random(1), 1.0):
        assert one.positives[0][0] in one.query and one.query in one.evidence[0][1]


PAGES = [
    ("Bell Rock", "Bell Rock is a rock."),
    ("Bell Rock Light", "The Bell Rock Light is a tower."),
    ("Curlew", "The curlew is a wader."),
    ("Mercury (planet)", "Mercury is a planet."),
    ("1844", "1844 was a year."),
    ("Elsewhere", "A piece from the middle of a page on something other."),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He rowed to Bell Rock Light in May.", ["Bell Rock Light"]),
        ("From Bell  Rock, lit in 1844, to Mercury.", ["Bell  Rock"]),
        ("Curlew calls. It is a Curlew, a curlew.", ["Curlew"]),
        ("The Stone Curlew and Curlew Island stay. Elsewhere too, in Elsewhere.", []),
        ("On bell rock. Bell -- Rock", []),
    ],
)
def test_titles_are_found_where_they_name_a_page(text: str, found: list[str]) -> None:
    spans = Titles(PAGES).find(text)
    assert [text[a:b] for (a, b), _ in spans] == found
    assert all(page[0].split() == text[a:b].split() for (a, b), page in spans)


@given(st.text(max_size=80))
def test_titles_never_overlap_whatever_the_text(text: str) -> None:
    ends = [0, *(x for span, _ in Titles(PAGES).find(text + " In Bell Rock" + text) for x in span)]
    assert ends == sorted(ends)


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_sentence_of_a_span_holds_it(before: str, after: str) -> None:
    text = f"{before} Bell Rock {after}"
    span = (len(before) + 1, len(before) + 10)
    low, high = sentence(text, span)
    assert 0 <= low <= span[0] and span[1] <= high <= len(text)


def test_the_sentence_of_a_span_is_a_sentence() -> None:
    text = "The sea rose. He went to Bell Rock by boat. It rained."
    low, high = sentence(text, (25, 34))
    assert text[low:high] == "He went to Bell Rock by boat."
    assert spans_of("Bell Rock", "the BELL, ROCK and bellrock") == [(4, 14)]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf8")
    return path


def test_questions_of_ones_own(tmp_path: Path) -> None:
    corpus = own.read_corpus(write(tmp_path / "c.csv", "id,title,text\na,Pier,It is old.\nb,,A lamp.\n"))
    assert corpus == {"a": ("Pier", "It is old."), "b": ("", "A lamp.")}
    made = own.read_questions(
        write(tmp_path / "q.csv", "question,positive\nHow old?,a\nWhat is lit?,A lamp.\n"), corpus
    )
    assert [(one.query, one.positives) for one in made] == [
        ("How old?", (corpus["a"],)),
        ("What is lit?", (corpus["b"],)),
    ]
    row = {"question": "How old?", "positive": "a", "negatives": ["b", "a"], "answers": ["old"]}
    (one,) = own.read_questions(write(tmp_path / "q.jsonl", json.dumps(row) + "\n\n"), corpus)
    assert one.negatives == (corpus["b"],) and not one.wrong(("", "an OLD wall")) and one.wrong(corpus["b"])


def test_questions_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    for text, reason in {
        '{"question": "?", "positive": "zzz"}\n': "record 1: a positive is neither",
        '{"question": "?", "positive": "a"}\n{"question": ""}\n': "record 2: needs a question",
        "{\n": "record 1",
        "[1]\n": "record 1",
        "[" * 100_000: "record 1",
        "question,positive\n": "no questions",
    }.items():
        path = write(tmp_path / ("q.csv" if text.startswith("question,") else "q.jsonl"), text)
        with pytest.raises(FormatError, match=reason):
            own.read_questions(path, {"a": ("", "A lamp.")})


def test_a_corpus_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="record 1: a passage needs an id and a text"):
        own.read_corpus(write(tmp_path / "c.jsonl", '{"_id": "a"}\n'))
    with pytest.raises(UsageError, match="cannot open"):
        own.read_corpus(tmp_path / "absent.csv")


def test_few_questions_are_all_for_training() -> None:
    few = [SkillExample("own", Skill.SINGLE, f"question {i}", (("", "x"),)) for i in range(10)]
    assert len(own.part_of(few, Skill.RERANK, "train")) == 10 and not own.part_of(few, Skill.RERANK, "development")
    many = [SkillExample("own", Skill.SINGLE, f"question {i}", (("", "x"),)) for i in range(200)]
    parts = [own.part_of(many, Skill.RERANK, part) for part in ("train", "development")]
    assert sum(map(len, parts)) == 200 and 5 < len(parts[1]) < 40
    assert {one.skill for one in parts[0]} == {Skill.RERANK}


def test_data_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot open .*: No such file"):
        Corpora(tmp_path).corpus("wiki")
    (tmp_path / "ottqa").mkdir()
    write(tmp_path / "ottqa/questions.jsonl", "{}\n{\n")
    with pytest.raises(FormatError, match="record 2"):
        list(Corpora(tmp_path).lines("ottqa/questions.jsonl"))
