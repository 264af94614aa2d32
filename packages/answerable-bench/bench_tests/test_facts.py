import pytest

from answerable_bench.asked import Asker
from answerable_bench.facts import Fact, measure, page_facts
from answerable_bench.grammar import sentences
from answerable_bench.mail_facts import mail_facts
from answerable_bench.names import ORGANISATION, PERSON, PLACE, WORK
from bench_tests.world import HEADER, PAGES, mail

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
        ("Gannet Point", PLACE, "Where is {} located?", "Finnmark, Norway"),
        ("Gannet Point", PLACE, "What is the population of {}?", "2,934"),
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
    assert told == {"Where is {} located?", "What is the population of {}?"}


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


def told(text: str, name: str, sort: str) -> list[Fact]:
    start = text.index(name)
    facts = list(mail_facts(mail(text), sort, (start, start + len(name))))
    assert all(text[fact.start : fact.end] == fact.answer for fact in facts)
    return facts


@pytest.mark.parametrize(
    ("text", "name", "sort", "question", "answer"),
    [
        ("The call went to Agnete Voll, head of rigging at Fulmar Ropes, who was out.", "Agnete Voll", PERSON,
         "What is the position of {}?", "head of rigging at Fulmar Ropes"),
        ("It was said by Fulmar spokesman Ola Dahl last week.", "Ola Dahl", PERSON,
         "What is the position of {}?", "Fulmar spokesman"),
        ("See you.\nAgnete Voll\nVice President\n713-555-0147", "Agnete Voll", PERSON,
         "What is the telephone number of {}?", "713-555-0147"),
    ],
)  # fmt: skip
def test_a_mail_tells(text: str, name: str, sort: str, question: str, answer: str):
    assert (question, answer) in [(fact.question, fact.answer) for fact in told(text, name, sort)]


def test_the_header_of_a_mail_tells():
    facts = told(HEADER.format("Late news") + "The rope of Fulmar Ropes is here.", "Fulmar Ropes", ORGANISATION)
    assert [(fact.question, fact.answer) for fact in facts] == [
        ("Who sent the mail of June 2019 that speaks of {}?", "Maud Ekker"),
        ("Who sent the mail of 17 June 2019 that speaks of {}?", "Maud Ekker"),
        ("On which day did Maud Ekker send a mail that speaks of {}?", "17 June 2019"),
        ("What is the subject of the mail that Maud Ekker sent in June 2019 and that speaks of {}?", "Late news"),
    ]


def test_the_generator_of_pairs_asks_about_an_entity():
    text = HEADER.format("Ropes") + "Tobias Renn founded Fulmar Ropes in 1921. It snows."
    found = {fact.answer: fact for fact in Asker().facts(mail(text), "Fulmar Ropes")}
    assert {"1921", "Tobias Renn"} <= set(found)
    for answer, fact in found.items():
        assert text[fact.start : fact.end] == answer and fact.question.count("{}") == 1
        assert "Fulmar" not in fact.question
    assert not any("Maud" in answer for answer in found)  # who sent it is what the header tells


def test_nothing_is_asked_about_what_a_passage_does_not_name():
    assert list(Asker().facts(mail("Tobias Renn founded Fulmar Ropes in 1921."), "Gannet Yard")) == []
