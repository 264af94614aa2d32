import pytest

from answerable_bench.names import ORGANISATION, OTHER, PERSON, WORK, kind_of, sort_of


@pytest.mark.parametrize(
    ("title", "text", "noun", "sort"),
    [
        ("Ilse Morgan", "Ilse Morgan (3 May 1921 – 9 June 1999) was a Danish film director. She", "director", PERSON),
        ("Fulmar (firm)", "Fulmar is a rope-making company based in Bodø.", "company", ORGANISATION),
        ("Gannet Bank", "Gannet Bank is one of the largest banks in Norway.", "bank", ORGANISATION),
        ("The Quiet Tide", "The Quiet Tide is a 1962 drama film directed by Ilse Morgan.", "film", WORK),
        ("Kvaløya", "Kvaløya is an archipelago of sorts.", "archipelago", OTHER),
    ],
)
def test_the_first_sentence_says_the_kind(title: str, text: str, noun: str, sort: str):
    kind = kind_of(title, text)
    assert kind is not None and (kind.noun, kind.sort) == (noun, sort)


@pytest.mark.parametrize(
    "text", ["It was sold in 1962.", "Ilse Morgan went to sea.", "The harbour is a place near Ilse Morgan.", ""]
)
def test_a_passage_that_does_not_say_what_its_page_is_about_has_no_kind(text: str):
    assert kind_of("Ilse Morgan", text) is None


def test_a_description_says_who_of_many():
    kind = kind_of("Gannet Bank", "Gannet Bank is one of the largest banks in Norway.")
    assert kind is not None and kind.description == "one of the largest banks in Norway"
    assert sort_of("bank") == ORGANISATION
