from __future__ import annotations

import itertools
import time
from functools import cache
from pathlib import Path

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.errors import ModelError
from answerable.readers.span import SpanReader, _foremost, row_by_row, whole
from answerable.testing.reader import LIGHT, OTHER, ReaderContract, chain
from answerable.types import Candidate, Chain

MODEL, TOKENIZER = SHIPPED / "reader" / "model.onnx", SHIPPED / "tokenizer.json"


@cache
def shipped() -> SpanReader:
    """Opened for the first test that reads, not for whoever lists the tests."""
    return SpanReader(MODEL, TOKENIZER)


class TestSpanReader(ReaderContract):
    reader = property(lambda _: shipped())

    def test_points_at_the_answer_wherever_it_stands(self) -> None:
        for chains in ([chain(LIGHT)], [chain(OTHER, LIGHT)], [chain(LIGHT, OTHER)], [chain(OTHER), chain(LIGHT)]):
            best = self.reader.read("Who designed Skerryvore Lighthouse?", chains)[0]
            assert best.text == "Alan Stevenson"

    def test_reads_a_passage_longer_than_its_window(self) -> None:
        filler = "The keeper wrote the weather into the book every morning. " * 80
        best = self.reader.read("Who designed Skerryvore Lighthouse?", [chain(filler + LIGHT)])[0]
        assert best.text == "Alan Stevenson"

    def test_the_right_passage_scores_above_a_wrong_one(self) -> None:
        right, wrong = chain(LIGHT), chain(OTHER)
        scores = {
            c.chain.key: c.score for c in reversed(self.reader.read("When was Skerryvore first lit?", [right, wrong]))
        }
        assert scores[right.key] > scores[wrong.key]

    def test_no_two_answers_of_a_chain_overlap(self) -> None:
        for question in ("Who designed Skerryvore Lighthouse?", "When was Skerryvore first lit?"):
            spans = sorted((one.start, one.end) for one in self.reader.read(question, [chain(LIGHT)]))
            assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def said(chain: Chain, best: Candidate) -> str:
    passage = chain.hits[best.hit].passage
    return passage.text[best.start - passage.start : best.end - passage.start]


ROWS = (
    "Name: Skerryvore; Lit: 1844; Height: 48 m\nName: Bell Rock; Lit: 1811; Height: 35 m\n"
    "Name: Muckle Flugga; Lit: 1854; Height: 20 m\nName: Dhu Heartach; Lit: 1872; Height: 44 m"
)


class TestTables:
    reader = property(lambda _: shipped())

    def test_no_answer_crosses_a_cell(self) -> None:
        for question in ("How tall is Bell Rock?", "When was Muckle Flugga lit?", "What is Dhu Heartach?"):
            found = self.reader.read(question, [chain(LIGHT, ROWS)])
            told = [one for one in found if one.hit == 1]
            assert told and not any("; " in one.text or ": " in one.text for one in told)

    def test_the_answer_stands_in_the_row_that_is_asked_for(self) -> None:
        for name, year in (("Skerryvore", "1844"), ("Bell Rock", "1811"), ("Dhu Heartach", "1872")):
            given = chain(ROWS)
            best = self.reader.read(f"When was {name} lit?", [given])[0]
            assert best.text == year and best.chain == given
            assert said(given, best) == year

    def test_a_yes_or_no_is_told_of_a_row(self) -> None:
        given = chain(ROWS)
        best = self.reader.read("Was Bell Rock lit in 1811?", [given])[0]
        assert best.text == "yes" and said(given, best) == ROWS.split("\n")[1]

    def test_rows_alone_are_those_that_the_question_or_the_title_of_another_passage_is_of(self) -> None:
        def alone(question: str, *texts: str, title: str = "A place") -> list[str]:
            table = max(number for number, text in enumerate(texts) if "; " in text)
            return [one.hits[table].passage.text for one in row_by_row(chain(*texts, title=title), question)]

        rows = ROWS.split("\n")
        assert alone("When was the Bell Rock lit?", LIGHT, ROWS) == [rows[1]]
        assert alone("When was it lit?", LIGHT, ROWS, title="Muckle Flugga") == [rows[2]]
        assert alone("When was it lit?", ROWS, LIGHT, title="Muckle Flugga") == [rows[2]]
        assert alone("When was it lit?", ROWS, title="Muckle Flugga") == []  # of the table itself
        assert alone("Bell Rock or Muckle Flugga?", ROWS) == rows[1:3]
        assert alone("What is the height of each?", LIGHT, ROWS) == []
        assert alone("Bell Rock?", ROWS, LIGHT) == [rows[1]]
        assert alone("Bell Rock?", rows[1]) == []
        many = "\n".join(f"Name: Light {number}; Lit: {number}" for number in range(1800, 1850))
        assert alone("Which light?", many) == many.split("\n")[:6]
        (one,) = row_by_row(chain(LIGHT, ROWS), "Bell Rock?")
        cut, whole = one.hits[1].passage, chain(LIGHT, ROWS).hits[1].passage
        assert ROWS[cut.start - whole.start : cut.end - whole.start] == cut.text


KEYS = """what it has said, and go on:        compose logs -f
   of the last hour alone:          compose logs --since 1h
throw it away with its data:        compose down -v
stop it, the data stays:            compose stop
into a running one, with a shell:   compose exec NAME sh"""


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How can I see what it has said?", "compose logs -f"),
        ("How do I throw it away with all its data?", "compose down -v"),
    ],
)
def test_lines_that_stand_under_each_other_are_read_alone(question: str, best: str) -> None:
    given = chain(KEYS)
    found = shipped().read(question, [given])
    assert (found[0].text, found[0].chain, said(given, found[0])) == (best, given, best)
    assert not any("   " in one.text for one in found)


def test_the_foremost_of_many_answers_are_found_at_once() -> None:
    """A passage that another machine sends may be of thousands of rows."""
    given = chain("w" * 100_000)
    many = [Candidate(f"a{n}", 1.0, given, 0, 5 * n, 5 * n + 5) for n in range(20_000)]
    began = time.process_time()
    assert _foremost(many, whole=False) == sorted(many, key=lambda one: one.text)[:3]
    assert time.process_time() - began < 1


@pytest.mark.parametrize("unit", ["x", "_", "a.", "-", "a@", "1", "1.", "x_", "a://"])
def test_a_word_without_end_is_made_whole_in_time_that_grows_with_it(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    began = time.process_time()
    begin, stop = whole(text, 100_000, 100_010)
    assert begin <= 100_000 < 100_010 <= stop and time.process_time() - began < 1


def test_missing_and_damaged_models_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.onnx is missing"):
        SpanReader(tmp_path / "model.onnx", TOKENIZER)
    (tmp_path / "model.onnx").write_bytes(MODEL.read_bytes()[:5000])
    with pytest.raises(ModelError, match="damaged"):
        SpanReader(tmp_path / "model.onnx", TOKENIZER)


@pytest.mark.parametrize(
    ("text", "cut", "meant"),
    [
        ("It is £89.60 a week.", "£89", "£89.60"),
        ("at 12.5.", "5", "12.5"),
        ("It pays .16 for each.", "16", ".16"),
        ("The time was 2:29:28, a record", "29:28", "2:29:28"),
        ("No. 7 of 1,500.", "7", "7"),
        ("in 1999.Then", "1999", "1999"),
        ("Write to iva.dvorsky@posteo.net.", "dvorsky@posteo", "iva.dvorsky@posteo.net"),
        ("Bugs go to <bug-wget@gnu.org>.", "<bug-wget@gnu", "bug-wget@gnu.org"),
        ("See https://a.example/b/c, too.", "a.example/b", "https://a.example/b/c"),
        ("Send it with --no-wait now.", "no-wait", "--no-wait"),
        ("-k    Do not halt", "k", "-k"),
        ("of plan-B, well", "B", "B"),
        ("Raise work_mem to 4MB.", "mem", "work_mem"),
        ("It is in os.path there.", "os", "os.path"),
        ("The end.The next", "end", "end"),
        ("as twenty-one", "one", "one"),
        ("1. 60001 to 60513\n2. others", "1. 60001 to 60513", "60001 to 60513"),
        ("of 7. 5 are", "7. 5", "7. 5"),
        ("(Ann Lee) wrote", "(Ann Lee", "Ann Lee"),
        ("He (Lee) wrote", "He (Lee)", "He (Lee)"),
        ("by Lee)", "Lee)", "Lee"),
    ],
)
def test_nothing_is_cut_in_two(text: str, cut: str, meant: str) -> None:
    begin = text.index(cut)
    begin, stop = whole(text, begin, begin + len(cut))
    assert text[begin:stop] == meant
