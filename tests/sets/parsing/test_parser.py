"""Queries in words as trees: what must be right, what mostly is, and that nothing takes long."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.errors import ModelError
from answerable.evaluation.metrics.trees import agree
from answerable.sets.expression import Atom, Expression, atoms, printed, read_expression
from answerable.sets.parsing.parser import LEAST, MOST, Parser, takes_away_alone
from answerable.text import words

HERE, PARSER = Path(__file__).parent, Parser.open()
WORDS = (
    "birds films of Peru Chile and or but not that are both either except , neither nor unless ( ) about the "
    "Dutch war set in 1950s non-fiction Qt-free without games which don't use have common"
).split()


def rows(name: str) -> list[tuple[str, Expression]]:
    lines = [line for line in (HERE / name).read_text("utf8").splitlines() if " => " in line]
    return [(query, read_expression(tree)) for query, tree in (line.split(" => ") for line in lines)]


def right(name: str) -> float:
    found = [agree(PARSER.parse(query)[0].expression, tree) for query, tree in rows(name)]
    return sum(found) / len(found)


@pytest.mark.parametrize(("query", "tree"), rows("must.txt"), ids=lambda value: value if isinstance(value, str) else "")
def test_what_has_to_be_read_right(query: str, tree: Expression):
    found = PARSER.parse(query)[0].expression
    assert agree(found, tree), printed(found)


@pytest.mark.parametrize(
    ("name", "least"),
    [("seen.txt", 0.75), ("by_hand.txt", 0.68), ("typed.txt", 0.5), ("own.txt", 0.7), ("asked.txt", 0.55)],
)
def test_queries_written_by_hand_are_mostly_read_right(name: str, least: float):
    assert len(rows(name)) >= 59
    assert right(name) >= least


@pytest.mark.parametrize("name", ["must.txt", "seen.txt", "by_hand.txt", "typed.txt", "own.txt", "asked.txt"])
def test_none_of_them_is_a_lesson(name: str):
    lessons = gzip.decompress((HERE.parents[2] / "recipes/lessons/queries.jsonl.gz").read_bytes()).splitlines()
    taught = {" ".join(words(json.loads(line)["query"])) for line in lessons}
    assert len(taught) == 4417 and not [query for query, _ in rows(name) if " ".join(words(query)) in taught]


def test_a_pair_of_heads_with_a_modifier_after_them_is_read_both_ways():
    found = [one.expression for one in PARSER.parse("mail readers or web browsers built with Qt")]
    near = read_expression('"mail readers" or ("web browsers" and "built with Qt")')
    wide = [
        read_expression('("mail readers" or "web browsers") and "built with Qt"'),
        read_expression('"mail readers built with Qt" or "web browsers built with Qt"'),
        read_expression('("mail readers" and "built with Qt") or ("web browsers" and "built with Qt")'),
    ]
    assert any(
        agree(one, near) or agree(one, read_expression('"mail readers" or "web browsers built with Qt"'))
        for one in found
    )
    assert any(agree(one, other) for one in found for other in wide)


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("people who are nothing but actors", '"people" and "actors"'),
        ("contacts who have no phone", '"contacts" minus "with phone"'),
        ("who lives in Oslo", '"people that lives in Oslo"'),
        ("Who does not work in Oslo?", '"people" minus "that work in Oslo"'),
        ("books that are nothing other than manuals", '"books" and "manuals"'),
        ("packages that are nothing like games", '"packages" minus "like games"'),
        ("mails that are no longer than a page", '"mails" minus "longer than a page"'),
        ("lamps that are no longer made", '"lamps" and "no longer made"'),
    ],
)
def test_a_word_that_denies_elsewhere_says_only_or_how_long(query: str, tree: str):
    assert printed(PARSER.parse(query)[0].expression) == tree


@pytest.mark.parametrize("denied", "don't doesn't didn't can't couldn't won't haven't hasn't wasn't aren't".split())
def test_what_denies_is_read_alike_without_its_apostrophe(denied: str):
    for query in ("ships that {} sink", "editors that show markdown but {} need electron"):
        whole, typed = (PARSER.parse(query.format(one))[0].expression for one in (denied, denied.replace("'", "")))
        assert agree(whole, typed)


@pytest.mark.parametrize(
    "opening", ["what are the {}?", "Show me all {}, please", "I'm looking for {}", "how many {} are there?"]
)
def test_how_a_query_opens_does_not_matter(opening: str):
    plain = PARSER.parse("Trees of Peru but not Chile")[0].expression
    assert agree(PARSER.parse(opening.format("Trees of Peru but not Chile"))[0].expression, plain)


@pytest.mark.parametrize("query", ["", "   ", "?", "and", "not", "(", ")))", "both", '""', "please", "what are the"])
def test_a_query_of_nothing_is_one_atom(query: str):
    (found,) = PARSER.parse(query)
    assert isinstance(found.expression, Atom) and found.expression.text and found.probability == 1.0


def test_what_stands_in_quotation_marks_is_a_name():
    found = PARSER.parse('songs like "You and Me or Nobody" but not covers')[0].expression
    assert printed(found) == r'"songs like \"You and Me or Nobody\"" minus "covers"'


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
def test_readings_are_likely_and_few_and_can_be_printed_and_read(words: list[str]):
    query = " ".join(words)
    found = PARSER.parse(query)
    assert 1 <= len(found) <= MOST
    probabilities = [one.probability for one in found]
    assert probabilities == sorted(probabilities, reverse=True) and 0 < sum(probabilities) <= 1 + 1e-9
    assert all(one >= LEAST for one in probabilities[1:])
    for one in found:
        assert read_expression(printed(one.expression)) == one.expression
        assert all(text.strip() for text in atoms(one.expression))
    assert PARSER.parse(query) == found


@pytest.mark.parametrize(
    "query", ["games or " * 3000, "a but not b " * 2000, "(" * 3000, "x, " * 4000 + "y", "non-" * 5000, "w " * 9000]
)
def test_a_query_of_any_length_is_read_at_once_and_one_way(query: str):
    start = time.process_time()
    found = PARSER.parse(query)
    assert time.process_time() - start < 2
    assert len(found) == 1 and printed(found[0].expression)


def test_thousands_of_alternatives_are_all_there():
    (found,) = PARSER.parse(" or ".join(f"games{number}" for number in range(2000)))
    assert atoms(found.expression) == tuple(f"games{number}" for number in range(2000))


def test_weights_that_are_none_are_an_error_without_a_path(tmp_path: Path):
    for text in ("", "[]", json.dumps({"weights": {"a": "b"}})):
        (tmp_path / "w.json").write_text(text)
        with pytest.raises(ModelError, match=r"w\.json does not hold a parser"):
            Parser.open(tmp_path / "w.json")


@pytest.mark.parametrize(
    ("query", "alone"),
    [
        ("not about gas", True),
        ("without gas or oil", True),
        ("notes not about gas", False),
        ("things not about gas", False),
        ("not about gas but about oil", False),
        ("Never Let Me Go adaptations", False),
        ("mails", False),
    ],
)
def test_a_query_may_say_only_what_is_left_out(query: str, alone: bool) -> None:
    assert takes_away_alone(query) is alone
