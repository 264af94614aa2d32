"""Two things that a question compares, each read by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from answerable.readers.compared import Compared
from answerable.readers.comparing import LIKELY, SURE, UNSURE, ComparingReader
from answerable.selective.beside import Case, Decided
from answerable.selective.decide import Decision
from answerable.types import Candidate, Chain, Citation, Document, Hit, Passage, Skill


class Told:
    """Reads what it was told to each question, where a passage says it."""

    name = "told"

    def __init__(self, told: dict[str, tuple[str, float]]) -> None:
        self.told = told
        self.asked = Counter[str]()

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.asked[question] += len(chains)
        text, score = self.told.get(question, ("nowhere", 0.0))
        found = []
        for one in chains:
            passage = one.hits[0].passage
            for said in text.split("|"):
                if (at := passage.text.find(said)) >= 0:
                    at += passage.start
                    found.append(Candidate(said, score, one, 0, at, at + len(said)))
        return sorted(found, key=lambda one: -one.score)


def _case(question: str, texts: dict[str, str], least: float = 0.5, allowed: bool = True) -> Case:
    def find(passage: Passage) -> Document:
        return Document(passage.document_id, passage.enclave, passage.title, texts[passage.document_id], "told.txt")

    chains = list[Chain]()
    for name, text in texts.items():
        label = frozenset({name.casefold()})
        passage = Passage(f"{name}#0", name, name.casefold(), name, text, 0, len(text))
        chains.append(Chain((Hit(passage, 1.0, label, Skill.SINGLE),), 1.0, label))
    return Case(question, chains, find, lambda _: least, lambda _: allowed, "; rest")


PASSAGE = Passage("x#0", "x", "x", "x", "Ann and Bo.", 0, 11)
ANN, BO = (
    Candidate(name, 1.0, Chain((Hit(PASSAGE, 1.0, frozenset(), Skill.SINGLE),), 1.0, frozenset()), 0, start, stop)
    for name, start, stop in (("Ann", 0, 3), ("Bo", 8, 10))
)
GUESS = Decided(Decision("Ann", None, 0.8, ANN, (("Bo", 0.6),), None, (ANN, BO)), notes=("before",))
LIVES = {"Ann": "Ann was born on 2 May 1956. Died 1990.", "Bo": "Bo was born in 1945. Died 3 June 2001."}
BIRTHS = {"When was Ann born?": ("2 May 1956", 4.0), "When was Bo born?": ("1945", 3.0)}
SIZES = ("What is the area of", "How much is")
DEATHS = {"When did Ann die?": ("1990", 4.0), "When did Bo die?": ("3 June 2001", 4.0)}


def _settled(
    question: str,
    told: dict[str, tuple[str, float]],
    texts: dict[str, str] | None = None,
    least: float = 0.5,
    allowed: bool = True,
) -> Decided:
    return ComparingReader(Told(told)).weigh(_case(question, texts or LIVES, least, allowed), GUESS)


def test_the_one_that_comes_first_is_said_with_what_tells_of_both() -> None:
    found = _settled("Who is older, Ann or Bo?", BIRTHS)
    decision = found.decision
    assert (decision.text, decision.confidence, decision.reason) == ("Bo", SURE, None)
    assert [text for text, _ in decision.others] == ["Ann"] and decision.others[0][1] == pytest.approx(1 - SURE)
    assert found.notes == ("before", "1945 (Bo) against 2 May 1956 (Ann)")
    assert [one.text for one in found.citations] == ["Bo was born in 1945.", "Ann was born on 2 May 1956."]
    assert decision.candidate is not None and decision.candidate.chain.label == {"ann", "bo"}
    assert [one.text for one in decision.read] == ["Bo", "Ann"] and found.via == "search"
    assert _settled("Who is younger, Ann or Bo?", BIRTHS).decision.text == "Ann"


def test_how_long_somebody_lived_is_worked_out() -> None:
    found = _settled("Who lived longer, Ann or Bo?", BIRTHS | DEATHS)
    assert (
        found.decision.text == "Bo" and found.notes[-1] == "1945 to 3 June 2001 (Bo) against 2 May 1956 to 1990 (Ann)"
    )
    assert len(found.citations) == 4


def test_a_passage_that_is_called_so_is_asked_before_those_that_name_it() -> None:
    texts = LIVES | {"Notes": "Ann was born in 1930."}
    told = {"When was Ann born?": ("2 May 1956|1930", 4.0), "When was Bo born?": ("1945", 4.0)}
    assert _settled("Who is older, Ann or Bo?", told, texts).decision.text == "Bo"
    texts = {"Notes": texts["Notes"], "Bo": texts["Bo"]}
    assert _settled("Who is older, Ann or Bo?", told, texts).decision.text == "Ann"
    texts |= {"Diary": "Ann was born on 2 May 1956."}
    assert not _settled("Who is older, Ann or Bo?", told, texts).citations


def test_somebody_of_each_is_asked_for_first() -> None:
    told = BIRTHS | {"Who is the director of Ash?": ("Ann", 4.0), "Who is the director of Elm?": ("Bo", 4.0)}
    texts = LIVES | {"Ash": "Ash is a film by Ann.", "Elm": "Elm is a film by Bo."}
    question = "Which film has the director who was born first, Ash or Elm?"
    found = _settled(question, told, texts)
    assert found.decision.text == "Elm" and found.notes[-1] == "1945 (Bo) against 2 May 1956 (Ann)"
    assert [one.text for one in found.citations][:2] == ["Elm is a film by Bo.", "Bo was born in 1945."]
    assert found.decision.candidate is not None and found.decision.candidate.chain.label == {"ann", "ash", "bo", "elm"}
    assert not _settled(question, BIRTHS, texts).citations


@pytest.mark.parametrize(
    ("one", "other", "taller"),
    [
        ("1,046 feet", "1,250 ft", "Elm"),
        ("400 m", "1,250 feet", "Ash"),
        ("2 km", "1 mile", "Ash"),
        ("180 cm", "1.79 metres", "Ash"),
        ("300 metres", "984 feet", None),
        ("58 stories", "50 stories", None),
        ("tall", "50 m", None),
        ("50 km2", "40 m", None),
        ("$50", "60 m", None),
    ],
)
def test_lengths_are_compared_in_one_unit(one: str, other: str, taller: str | None) -> None:
    told = {"What is the height of Ash?": (one, 4.0), "What is the height of Elm?": (other, 4.0)}
    found = _settled("Is Ash or Elm taller?", told, {"Ash": f"Ash is {one}.", "Elm": f"Elm is {other}."})
    assert (found.decision.text if found.citations else None) == taller


@pytest.mark.parametrize(
    ("one", "other", "bigger"),
    [
        ("1,243 km2", "194.9 sq mi", "Ash"),
        ("3 hectares", "2 acres", "Ash"),
        ("300 square feet", "40 m²", "Elm"),
        ("$11,240", "$2,910", "Ash"),
        ("$40", "€50", None),
        ("$40 a day", "$200 per week", None),
        ("$40 a day", "$55 per day", "Elm"),
        ("40", "$50", None),
        ("35", "36", "Elm"),
        ("2 bags", "3 boxes", None),
        ("1,243 km2", "$2,910", None),
    ],
)
def test_areas_and_amounts_are_compared_in_one_unit(one: str, other: str, bigger: str | None) -> None:
    told = {f"{ask} {name}?": (said, 4.0) for name, said in (("Ash", one), ("Elm", other)) for ask in SIZES}
    found = _settled("Is Ash or Elm bigger?", told, {"Ash": f"Ash is {one}.", "Elm": f"Elm is {other}."})
    assert (found.decision.text if found.citations else None) == bigger


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1945", "1945"),
        ("1945", "2 May 1945"),
        ("2 May", "1945"),
        ("1980s", "1945"),
        ("200 BC", "1945"),
        ("1945|1950", "1990"),
        ("nowhere", "1945"),
    ],
)
def test_what_is_not_told_of_both_for_certain_makes_a_guess(one: str, other: str) -> None:
    told = {"When was Ann born?": (one, 4.0), "When was Bo born?": (other, 4.0)}
    texts = {"Diary": f"Ann: {one.split('|')[0]}", "Notes": f"Ann: {one.split('|')[-1]}", "Bo": f"Bo: {other}"}
    found = _settled("Was Ann or Bo born first?", told, texts if one != "nowhere" else {"Bo": other})
    decision = found.decision
    assert (decision.text, decision.confidence, found.citations, found.notes) == (None, UNSURE, (), ("before",))
    assert decision.others == (("Ann", UNSURE), ("Bo", UNSURE))
    assert decision.reason == "the best answer found has confidence 0.49, below the threshold 0.50; rest"
    assert decision.read == (ANN, BO)


def test_a_guess_that_is_sure_enough_is_given() -> None:
    decision = _settled("Was Ann or Bo born first?", {}, least=0.2).decision
    assert (decision.text, decision.confidence, decision.others) == ("Ann", UNSURE, (("Bo", UNSURE),))


def test_what_is_read_less_surely_is_likely_and_what_is_read_unsurely_counts_nothing() -> None:
    told = BIRTHS | {"When was Bo born?": ("1945", 1.9)}
    assert _settled("Was Ann or Bo born first?", told).decision.confidence == LIKELY
    told = BIRTHS | {"When was Bo born?": ("1945", -0.1)}
    assert not _settled("Was Ann or Bo born first?", told).citations


def test_passages_that_tell_it_differently_and_less_surely_are_no_matter() -> None:
    told = BIRTHS | {"When was Ann born?": ("2 May 1956|1930", 1.0)}
    assert _settled("Who is older, Ann or Bo?", told, LIVES | {"Diary": "Ann: 1930"}).decision.text == "Bo"


def test_whether_one_is_more_is_said_with_what_tells_of_both() -> None:
    for question, said, other in (("Is Bo older than Ann?", "yes", "no"), ("Is Ann older than Bo?", "no", "yes")):
        found = _settled(question, BIRTHS)
        assert (found.decision.text, found.decision.confidence, found.decision.others[0][0]) == (said, SURE, other)
        assert found.notes[-1] == "1945 (Bo) against 2 May 1956 (Ann)" and len(found.citations) == 2


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        ("8 to 11", "four or five", "Ash"),
        ("three", "7,500", "Elm"),
        ("over 500", "75 kinds", "Ash"),
        ("over 40", "75", None),
        ("10-20", "15", None),
        ("five", "5", None),
        ("seventy seven", "5", None),
        ("2.5 million", "900,000", "Ash"),
        ("a few", "5", None),
    ],
)
def test_counts_are_compared_in_digits_and_words(one: str, other: str, more: str | None) -> None:
    told = {"How many huts does Ash have?": (one, 4.0), "How many huts does Elm have?": (other, 4.0)}
    found = _settled("Which has more huts, Ash or Elm?", told, {"Ash": f"Ash has {one}.", "Elm": f"Elm has {other}."})
    assert (found.decision.text if found.citations else None) == more
    assert not found.citations or found.decision.confidence == LIKELY


def test_a_passage_that_two_chains_have_is_read_once() -> None:
    case = _case("Who is older, Ann or Bo?", LIVES)
    again = [Chain((replace(one.hits[0], score=0.5),), 0.5, one.label) for one in case.chains]
    reader = Told(BIRTHS)
    ComparingReader(reader).weigh(replace(case, chains=[*case.chains, *again]), GUESS)
    assert reader.asked == {"When was Ann born?": 1, "When was Bo born?": 1}


def test_what_is_not_allowed_or_sure_enough_is_not_given() -> None:
    assert _settled("Who is older, Ann or Bo?", BIRTHS, allowed=False) is GUESS
    found = _settled("Who is older, Ann or Bo?", BIRTHS, least=0.99).decision
    assert found.text is None and found.reason is not None and found.reason.endswith("0.99; rest")
    assert found.others[0] == ("Bo", SURE)


def test_what_brings_its_own_citations_stays() -> None:
    reader, case = ComparingReader(Told(BIRTHS)), _case("Who is older, Ann or Bo?", LIVES)
    stated = Decided(GUESS.decision, (Citation("Bo.", "Bo", "bo", 0, 3, "Bo", "told.txt"),))
    nothing = Decided(Decision(None, "nothing was found", 0.0, None, ()))
    assert reader.weigh(case, stated) is stated and reader.weigh(case, nothing) is nothing


@pytest.mark.parametrize(
    "question",
    [
        "Who is older than Bo Day?",
        "Was Ann older or younger than Bo?",
        "Who was the first president, Ann Lee or Bo Day?",
        "What is the year of what happened first, Ash or Elm?",
        "Which is a port, Ash or Elm?",
        "Did Ann or Bo write one of the first novels?",
        "Was Ash a book or a film first?",
        "Who won last year, Ann or Bo?",
        "How old is Ann or Bo?",
        "Does Ann stay longer than two days?",
        "Does Ann like films other than Bo?",
        "first, or",
        "",
    ],
)
def test_what_compares_nothing_is_left_alone(question: str) -> None:
    assert Compared.of(question) is None
    assert ComparingReader(Told({})).weigh(_case(question, {"Ann": "Ann.", "Bo": "Bo."}), GUESS) is GUESS


@pytest.mark.parametrize(
    "question",
    [
        "Which is busier, Ash or Elm?",
        "Does Ann earn more money than Bo?",
        "Is Ash worse than Elm?",
    ],
)
def test_what_is_compared_by_no_value_is_a_guess(question: str) -> None:
    assert Compared.of(question) is None
    found = ComparingReader(Told({})).weigh(_case(question, {"Ann": "Ann.", "Bo": "Bo."}), GUESS).decision
    assert (found.text, found.confidence, found.others[0]) == (None, UNSURE, ("Ann", UNSURE))
