import pytest

from answerable_bench.clues import Clue, clues, shares_name
from answerable_bench.names import ORGANISATION, PERSON
from bench_tests.world import HEADER, PAGES, mail, page


def said(text: str, name: str, noun: str, sort: str) -> list[str]:
    start = text.index(name)
    return [clue.text for clue in clues(mail(text), name, noun, sort, (start, start + len(name)))]


@pytest.mark.parametrize(
    ("text", "name", "clue"),
    [
        (
            "Hello. Fulmar Ropes signed a contract for the Petrel in Bodø, and I am glad.",
            "Fulmar Ropes",
            "the company that signed a contract for the Petrel in Bodø, and I am glad",
        ),
        ("Halvorsen Shipyard sold the ferry to Fulmar Ropes.", "Fulmar Ropes",
             "the company to which Halvorsen Shipyard sold the ferry"),
        ("Halvorsen Shipyard bought Fulmar Ropes in May 2019.", "Fulmar Ropes",
             "the company that Halvorsen Shipyard bought in May 2019"),
        ("Fulmar Ropes, the oldest line maker of Bodø, has closed.", "Fulmar Ropes", "the oldest line maker of Bodø"),
    ],
)  # fmt: skip
def test_a_sentence_becomes_a_phrase_that_does_not_name(text: str, name: str, clue: str):
    found = said(text, name, "company", ORGANISATION)
    if " I " in clue:  # what only its writer could place is cut off or left out
        assert found == [clue.partition(", and")[0]]
    else:
        assert clue in found


@pytest.mark.parametrize(
    "text",
    [
        "Fulmar Ropes signed our contract with Bodø yesterday.",
        "We bought Fulmar Ropes.",
        "Fulmar Ropes and others.",
        "Fulmar Ropes said it would open a yard in Bodø.",
    ],
)
def test_what_only_its_writer_could_place_is_no_clue(text: str):
    assert said(text, "Fulmar Ropes", "company", ORGANISATION) == []


def test_a_page_describes_itself():
    found = clues(page("The Quiet Tide", PAGES["The Quiet Tide"]), "The Quiet Tide", "film", "work", (0, 0))
    assert found[0] == Clue("the 1962 drama film directed by Ilse Morgan", 0, "page")


def test_a_page_that_says_what_made_it_names_its_maker():
    text = PAGES["The Quiet Tide"]
    start = text.index("Ilse")
    found = clues(page("The Quiet Tide", text), "Ilse Morgan", "director", PERSON, (start, start + 11))
    assert [clue.text for clue in found] == ["the director by whom The Quiet Tide was directed"]


def test_headers_tell_who_sent_a_mail_and_what_it_was_about():
    text = HEADER.format("Re: Sale of Fulmar Ropes") + "All is well with the sale."
    sender = clues(mail(text), "Maud Ekker", "person", PERSON, (6, 16))
    assert [clue.text for clue in sender] == [
        "the person who sent the mail “Sale of Fulmar Ropes” on Monday, 17 June 2019, 08:15"
    ]
    start = text.index("Fulmar")
    named = clues(mail(text), "Fulmar Ropes", "company", ORGANISATION, (start, start + 12))
    assert [clue.form for clue in named] == ["header"] and "Fulmar" not in named[0].text


def test_part_of_a_name_names():
    assert shares_name("the yard of Halvorsen", "Halvorsen Shipyard")
    assert not shares_name("the oldest yard of Mandal", "Halvorsen Shipyard")
    assert shares_name("what BBC says", "BBC")
    assert shares_name("a halvorsen shipyard", "Halvorsen Shipyard")


def test_what_a_thing_is_names_it_only_as_a_name():
    assert not shares_name("the shipyard of Mandal", "Halvorsen Shipyard")
    assert shares_name("the Shipyard of Mandal", "Halvorsen Shipyard")


def test_what_a_mail_names_alone_of_its_kind_is_known_by_the_mail():
    text = HEADER.format("RE: Rigging") + "We saw Fulmar Ropes again."
    start = text.index("Fulmar")
    (clue,) = clues(mail(text), "Fulmar Ropes", "company", ORGANISATION, (start, start + 12), alone=True)
    assert clue.text == "the company that Maud Ekker's mail “Rigging” of 17 June 2019 speaks of"
    assert clues(mail(text), "Fulmar Ropes", "company", ORGANISATION, (start, start + 12)) == []
