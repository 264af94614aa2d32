import pytest

from answerable_bench.facts import Fact
from answerable_bench.grammar import plain_form
from answerable_bench.mail_facts import mail_facts
from answerable_bench.names import ORGANISATION, PERSON
from bench_tests.world import HEADER, mail

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
