import pytest

from answerable_bench.facts import measure, page_facts
from answerable_bench.grammar import sentences
from answerable_bench.names import ORGANISATION, PERSON, PLACE, WORK
from bench_tests.world import PAGES

OTHERS = {
    "Gannet Point": "Gannet Point is a town located in Finnmark, Norway. It had a population of 2,934 and its "
    "church was designed "
    "by Olav Bruun. The school was founded in 1850.",
    "Winter Line": "Winter Line is a novel first published in 1931. It was written by Karen Holt and won the "
    "Gull Prize.",
}


@pytest.mark.parametrize(
    ("title", "sort", "question", "answer"),
    [
        ("Ilse Morgan", PERSON, "Where was {} born?", "Aarhus"),
        ("Ilse Morgan", PERSON, "When did {} die?", "9 June 1999"),
        ("Halvorsen Shipyard", ORGANISATION, "Where is {} based?", "Mandal, Norway"),
        ("Halvorsen Shipyard", ORGANISATION, "When was {} founded?", "1921"),
        ("The Quiet Tide", WORK, "Who directed {}?", "Ilse Morgan"),
        ("Gannet Point", PLACE, "Where is {} located?", "Finnmark, Norway"),
        ("Gannet Point", PLACE, "Where is {}?", "Finnmark, Norway"),
        ("Gannet Point", PLACE, "What is the population of {}?", "2,934"),
        ("Winter Line", WORK, "Who wrote {}?", "Karen Holt"),
        ("Winter Line", WORK, "When was {} published?", "1931"),
    ],
)
def test_a_page_tells(title: str, sort: str, question: str, answer: str):
    text = {**PAGES, **OTHERS}[title]
    told = {fact.question: fact for fact in page_facts(text, sort)}
    fact = told[question]
    assert fact.answer == answer == text[fact.start : fact.end]
    sentence = sentences(text)[fact.sentence]
    assert sentence.start <= fact.start < fact.end <= sentence.end


def test_sentences_on_something_else_tell_nothing():
    told = {fact.question for fact in page_facts(OTHERS["Gannet Point"], PLACE)}
    assert told == {"Where is {} located?", "Where is {}?", "What is the population of {}?"}


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [("1921", "1922"), ("May 1921", "June 1921"), ("3 May 1921", "12 May 1921"), ("2,934", "3,000"),
     ("$8.2 million", "$1 billion")],
)  # fmt: skip
def test_measures_order_as_what_they_measure(smaller: str, larger: str):
    one, other = measure(smaller), measure(larger)
    assert one is not None and other is not None and one < other


def test_words_measure_nothing():
    assert measure("Mandal, Norway") is None
