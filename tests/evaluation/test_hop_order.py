from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.datasets.examples import Example
from answerable.evaluation.hop_order import ORDERED, Gold, Hops, bare, hop_order, slice_of

MILL = Gold("m", "Otter Mill", "Otter Mill is a paper mill on the Lenn, founded by Ada Brandt.", "P")
BRANDT = Gold("b", "Ada Brandt (engineer)", "Ada Brandt was an engineer, born in Selwick in 1871.", "G")
GOLDS = {gold.id: gold for gold in (MILL, BRANDT)}
BORN = Example("q", "Where was the founder of Otter Mill born?", ("Selwick",), ("m", "b"), kind="bridge")


def test_the_passage_with_the_answer_comes_last() -> None:
    assert hop_order(BORN, GOLDS) == Hops((("m",), ("b",)), "answer")
    back = replace(BORN, question="Which mill did an engineer from Selwick found?", answers=("Otter  mill",))
    assert hop_order(back, GOLDS) == Hops((("b",), ("m",)), "answer")


def test_any_of_the_answers_tells() -> None:
    assert hop_order(replace(BORN, answers=("Selwick-on-Sea", "selwick")), GOLDS).known == "answer"


def test_an_answer_in_both_passages_does_not_tell_but_the_question_may() -> None:
    both = replace(BORN, answers=("Ada Brandt",))
    assert hop_order(both, GOLDS) == Hops((("m",), ("b",)), "question")


def test_titles_are_compared_without_brackets() -> None:
    named = replace(BORN, question="What did Ada Brandt found?", answers=("x",))
    assert hop_order(named, GOLDS) == Hops((("b",), ("m",)), "question")
    assert bare("Lenn (river) (north)") == "Lenn (river)"
    assert bare("(untitled)") == "(untitled)"


def test_the_passage_that_names_the_other_comes_first() -> None:
    vague = replace(BORN, question="Where was the founder of a mill on the Lenn born?", answers=("not there",))
    assert hop_order(vague, GOLDS) == Hops((("m",), ("b",)), "names")


def test_yes_stands_in_a_text_without_answering() -> None:
    golds = GOLDS | {"m": replace(MILL, text="There is no mill like it, said Ada Brandt.")}
    asked = replace(BORN, question="Did they like it?", answers=("no",))
    assert hop_order(asked, golds) == Hops((("m",), ("b",)), "names")


def test_what_does_not_tell_is_left_open() -> None:
    golds = {"m": replace(MILL, text="A mill."), "b": replace(BRANDT, text="An engineer.")}
    assert hop_order(replace(BORN, question="Where?"), golds) == Hops((("m",), ("b",)), "unknown")


def test_a_comparison_has_no_order() -> None:
    assert hop_order(replace(BORN, kind="comparison"), GOLDS).known == "free"


def test_orders_of_the_data_sets() -> None:
    golds = GOLDS | {"c": replace(MILL, id="c", title="Selwick", text="A town.")}
    three = replace(BORN, supporting=("c", "b", "m"))
    assert hop_order(replace(three, kind="3hop2"), golds) == Hops((("c",), ("b",), ("m",)), "given")
    assert hop_order(three, golds).known == "unknown"
    mails = replace(BORN, supporting=("b", "m"), meta={"domains": ("public", "private")})
    assert hop_order(mails, GOLDS).steps == (("b",), ("m",))


@pytest.mark.parametrize(
    ("kind", "steps"),
    [("passage", (("t",), ("m", "b"))), ("table", (("m", "b"), ("t",)))],
)
def test_a_table_comes_first_unless_it_holds_the_answer(kind: str, steps: tuple[tuple[str, ...], ...]) -> None:
    golds = GOLDS | {"t": Gold("t", "Mills", "Mill: Otter Mill; Founder: Ada Brandt", "P")}
    asked = replace(BORN, supporting=("t", "m", "b"), kind=kind, meta={"table": "t"})
    assert hop_order(asked, golds) == Hops(steps, "given")


def test_one_document_twice_is_one_hop() -> None:
    assert hop_order(replace(BORN, supporting=("m", "m")), GOLDS) == Hops((("m",),), "single")


@given(st.permutations(["m", "b"]), st.sampled_from(["Selwick", "Ada Brandt", "paper mill", "nothing of it", "no"]))
def test_how_the_data_lists_them_does_not_matter_when_an_order_is_found(ids: list[str], answer: str) -> None:
    found = hop_order(replace(BORN, supporting=tuple(ids), answers=(answer,)), GOLDS)
    assert found == hop_order(replace(BORN, answers=(answer,)), GOLDS)
    assert found.known in ORDERED


@given(
    st.lists(st.sampled_from("PG"), min_size=1, max_size=4),
    st.sampled_from(["given", "free", "unknown"]),
)
def test_slices_say_the_domains_in_order_or_that_there_is_none(domains: list[str], known: str) -> None:
    golds = {str(i): replace(MILL, id=str(i), domain=domain) for i, domain in enumerate(domains)}
    named = slice_of(Hops(tuple((id,) for id in golds), known), golds)
    if known == "given" or len(set(domains)) == 1:
        assert named == "".join(domains)
    else:
        assert named == "G+P"


def test_passages_to_choose_from_give_one_letter_when_they_agree() -> None:
    golds = {id: replace(MILL, id=id, domain=domain) for id, domain in zip("tab", "PGG", strict=True)}
    hops = Hops((("t",), ("a", "b")), "given")
    assert slice_of(hops, golds) == "PG"
    assert slice_of(hops, golds | {"b": replace(golds["b"], domain="P")}) == "G+P"
    assert slice_of(hops, {id: replace(gold, domain="P") for id, gold in golds.items()}) == "PP"
