import pytest

from answerable_bench.facts import Fact, measure, page_facts
from answerable_bench.grammar import plain_form, sentences
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


COUNTS = {"sign": 3, "sell": 9, "raise": 4, "plan": 2}


def told(text: str, name: str, sort: str) -> list[Fact]:
    start = text.index(name)
    facts = list(mail_facts(mail(text), sort, (start, start + len(name)), COUNTS))
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
        ("They met Austin-based Fulmar Ropes at the fair.", "Fulmar Ropes", ORGANISATION, "Where is {} based?",
             "Austin"),
        ("Tobias Renn hired Fulmar Ropes to clean the old lines.", "Fulmar Ropes", ORGANISATION,
         "Who hired {} to clean the old lines?", "Tobias Renn"),
        ("Fulmar Ropes raised $8.2 million in the first round.", "Fulmar Ropes", ORGANISATION,
         "How much did {} raise in the first round?", "$8.2 million"),
        ("Fulmar Ropes sold its yard in Bodø for $3 million.", "Fulmar Ropes", ORGANISATION,
         "For how much did {} sell its yard in Bodø?", "$3 million"),
        ("Fulmar Ropes signed the lease on 3 May 2019.", "Fulmar Ropes", ORGANISATION,
         "When did {} sign the lease?", "3 May 2019"),
        ("Fulmar Ropes was bought by Gannet Holdings.", "Fulmar Ropes", ORGANISATION, "By whom was {} bought?",
             "Gannet Holdings"),
    ],
)  # fmt: skip
def test_a_mail_tells(text: str, name: str, sort: str, question: str, answer: str):
    assert (question, answer) in [(fact.question, fact.answer) for fact in told(text, name, sort)]


def test_the_header_of_a_mail_tells():
    facts = told(HEADER.format("Late news") + "The rope of Fulmar Ropes is here.", "Fulmar Ropes", ORGANISATION)
    assert [(fact.question, fact.answer) for fact in facts] == [
        ("Who sent the mail of June 2019 that speaks of {}?", "Maud Ekker"),
        ("On which day did Maud Ekker send a mail that speaks of {}?", "17 June 2019"),
        ("What is the subject of the mail that Maud Ekker sent in June 2019 and that speaks of {}?", "Late news"),
    ]


@pytest.mark.parametrize(
    "text",
    ["We hired Fulmar Ropes today for it.", "He said Fulmar Ropes is late.", "Fulmar Ropes sold it to us in May."],
)
def test_what_only_its_writer_could_place_is_not_asked(text: str):
    assert told(text, "Fulmar Ropes", ORGANISATION) == []


@pytest.mark.parametrize(
    ("verb", "plain"), [("signed", "sign"), ("raised", "raise"), ("planned", "plan"), ("sold", "sell")]
)
def test_verbs_have_the_plain_form_the_corpus_knows(verb: str, plain: str):
    assert plain_form(verb, COUNTS) == plain


def test_a_verb_the_corpus_does_not_know_has_none():
    assert plain_form("zorbed", COUNTS) is None
