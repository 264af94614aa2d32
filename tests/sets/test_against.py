"""What a set takes away, read for: by a reader that says yes where it was told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from answerable.sets.against import SAID, as_read, asks, called, read_against, said_of, shown, speaking
from answerable.sets.evidence import judged_as
from answerable.sets.expression import read_expression
from answerable.sets.finding import Finding
from answerable.sets.members import Support
from answerable.types import Candidate, Chain, Document, Passage
from tests.sets.world import SOFTWARE, World, sought

LIT = "The tower is old. Its lamp was automated in 1976. Keepers stay."
QUERY = read_expression('"lighthouses" minus "automated"')
SURE, UNSURE = 3.0, -1.0


class Saying:
    """Says yes as surely as it is told where the words stand, and no a little, and remembers what it was asked."""

    name = "saying"

    def __init__(self, words: str, score: float = SURE) -> None:
        self._words, self._score = words, score
        self.asked: list[str] = []

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.asked.append(question)
        found = []
        for chain in chains:
            passage = chain.hits[0].passage
            score = self._score if self._words in passage.text else UNSURE
            found += [
                Candidate(text, own, chain, 0, passage.start, passage.end)
                for text, own in (("yes", score), ("no", UNSURE))
            ]
        return sorted(found, key=lambda one: -one.score)


def passage(text: str, name: str = "p", start: int = 100) -> Passage:
    return Passage(name, "hook", "wiki", "Hook", text, start, start + len(text))


@pytest.mark.parametrize(
    ("words", "questions"),
    [
        ("lighthouses automated", ["Is Hook one of the lighthouses automated?", "Is Hook automated?"]),
        ("old lighthouses", ["Is Hook one of the old lighthouses?"]),
        ("I did light", ["Is Hook one of those I did light?"]),
        ("in Scotland", ["Is Hook one of those in Scotland?"]),
        ("that burn oil", ["Is Hook one of those that burn oil?", "Does Hook burn oil?"]),
        ("lights that were lit", ["Is Hook one of the lights that were lit?", "Was Hook lit?"]),
        ("that have burned", ["Is Hook one of those that have burned?"]),
    ],
)
def test_it_is_asked_under_its_title(words: str, questions: list[str]) -> None:
    assert asks(words, "Hook") == questions


def test_only_passages_with_a_word_of_it_are_read() -> None:
    texts = [
        passage(LIT),
        passage("A lighthouse of stone.", "q"),
        passage("The lights were automatically dimmed.", "r"),
    ]
    assert [one.id for one in speaking("automated lighthouses", "lighthouses", texts)] == ["p"]
    assert [one.id for one in speaking("lighthouses", "lighthouses", texts)] == ["q"]  # it has no words of its own


def test_the_surest_passage_says_it_or_none() -> None:
    own = [passage("The lamp was automated, they say.", "a"), passage(LIT, "b")]
    yes, sure = said_of(Saying("in 1976"), "automated lighthouses", own) or (None, 0.0)
    assert yes is not None and yes.chain.hits[0].passage.id == "b" and SAID <= sure < 1.0
    assert said_of(Saying("in 1976", 0.2), "automated lighthouses", own) is None
    assert said_of(Saying("in 1976"), "automated lighthouses", []) is None


class Denying(Saying):
    """Says no as surely."""

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        turned = {"yes": "no", "no": "yes"}
        return [replace(one, text=turned[one.text]) for one in super().read(question, chains)]


def test_what_says_that_it_is_not_is_a_member_by_that_sentence() -> None:
    text = "The tower is old. The lamp was never automated. Keepers stay."
    document, reader = Document("hook", "wiki", "Hook", text, "hook.txt"), Denying("never automated")
    told = read_against(reader, QUERY, judged_as(QUERY), [passage(text, start=0)], {}, [])
    assert as_read({"lighthouses": 0.9, "automated": 0.4}, told) == {
        "lighthouses": 0.9,
        "automated": told["automated"][1],
    }
    assert told["automated"][1] < 0.2
    support = Support("automated", True, told["automated"][1], ())
    (own,) = shown(reader, QUERY, [support], told, lambda _: document)
    assert [one.text for one in own.citations] == ["The lamp was never automated."]
    assert said_of(Denying("never", 0.5), "automated lighthouses", [passage(text)]) is None


def test_what_is_known_is_not_read_for() -> None:
    reader, said = Saying("automated"), judged_as(QUERY)
    more = {"automated": passage(LIT)}
    assert read_against(reader, QUERY, said, [passage("Stone.", "q")], more, ["automated"]) == {}
    assert reader.asked == []
    told = read_against(reader, QUERY, said, [passage("Stone.", "q")], more, [])
    assert [*told] == ["automated"] and reader.asked == ["Is Hook one of the lighthouses automated?"]


class Short(Saying):
    """Is sure only of what stands alone."""

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        alone = [chain for chain in chains if len(chain.hits[0].passage.text) < 40]
        return super().read(question, alone)


@pytest.mark.parametrize(("taken", "read"), [("that burn oil", True), ("lamps of oil", False), ("in Wexford", False)])
def test_a_sentence_that_says_all_of_it_is_read_by_itself(taken: str, read: bool) -> None:
    query = read_expression(f'"lighthouses" minus "{taken}"')
    text = "The tower is old, and was built in 1850. It burns oil in its lamps. Oil was dear."
    told = read_against(Short("burns"), query, judged_as(query), [passage(text)], {}, [])
    assert [one.chain.hits[0].passage.text for one, _ in told.values()] == ["It burns oil in its lamps."] * read
    assert all(text[one.start - 100 : one.end - 100] == "It burns oil in its lamps." for one, _ in told.values())


def test_the_sentence_that_says_it_is_shown_as_it_is_stored() -> None:
    whole = passage(LIT, start=0)
    document = Document("hook", "wiki", "Hook", LIT, "hook.txt")
    reader = Saying("automated")
    told = read_against(reader, QUERY, judged_as(QUERY), [whole], {}, [])
    supports = (Support("lighthouses", False, 0.9, ()), Support("automated", True, 0.8, ()))
    first, second = shown(reader, QUERY, supports, told, lambda _: document)
    assert first == supports[0]
    assert [one.text for one in second.citations] == ["Its lamp was automated in 1976."]
    assert shown(reader, QUERY, supports, told, lambda _: replace(document, text="Changed since.")) == supports


def test_a_member_that_says_it_is_left_out_and_one_that_could_not_be_is_not_read() -> None:
    reader = Saying("reads mail")
    finder = replace(World({"wiki": SOFTWARE, "mail": {}}).finder(), reader=lambda: reader)
    asked = sought('"web browser" minus "for letters and mail"')
    plain = Finding(asked, World({"wiki": SOFTWARE, "mail": {}}).finder().find(asked)).found
    got = Finding(asked, finder.find(asked)).found
    assert {one.document for one in plain.members} - {one.document for one in got.members} == {"konqueror"}
    assert [one.document for one in got.left_out] == ["konqueror"]
    against = next(one for one in got.left_out[0].supports if one.negated)
    assert against.probability >= SAID and [one.text for one in against.citations] == ["Konqueror reads mail too."]
    assert not any("gzip" in question for question in reader.asked)


def test_only_a_sentence_that_has_all_words_of_it_denies_it() -> None:
    query, text = read_expression('"lighthouses" minus "that burn oil"'), "It burns no oil. It burns now."
    for words, told in (("burns no oil", ["that burn oil"]), ("burns now", [])):
        assert [*read_against(Denying(words), query, judged_as(query), [passage(text)], {}, [])] == told


def test_a_member_that_denies_it_is_given_where_the_judge_takes_it_for_having_it(monkeypatch) -> None:
    monkeypatch.setattr("answerable.sets.find.BEYOND", 1.1)
    texts = {"netsurf": "NetSurf is a web browser. It does not read mail.", **SOFTWARE}
    plain = World({"wiki": texts, "mail": {}}).finder()
    asked = sought('"web browser" minus "that read mail"')
    assert "netsurf" in [one.document for one in Finding(asked, plain.find(asked)).found.left_out]
    got = Finding(asked, replace(plain, reader=lambda: Denying("read mail")).find(asked)).found
    own = next(one for one in got.members if one.document == "netsurf")
    assert [one.text for told in own.supports if told.negated for one in told.citations] == ["It does not read mail."]
    assert "konqueror" in [one.document for one in got.left_out]  # which denies nothing


def test_what_a_text_says_first_is_what_it_is() -> None:
    texts = [("Hook", "An old lighthouse in Wexford. It is white."), ("Hook", "It is white. A lighthouse in Wexford.")]
    assert called("lighthouses in Wexford", texts).tolist() == [True, False]
