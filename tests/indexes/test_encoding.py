"""What an ask makes of texts, through the door: each once, one query at a time, names where the encoder links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from answerable.encoders.encoder import Span, Vectors
from answerable.encoders.expansion import search_text
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import UsageError
from answerable.indexes.index import Mode, Ranking, SearchMode
from answerable.privacy.enclaves import EnclaveTable, private, public
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import PUBLIC, Passage, Privacy, Query, Skill
from tests.laws.worlds import MODES, TinyEncoder
from tests.test_retriever import MAIL, _door

SOLD = "In 1909 the lamp was sold. AGA sold it, and The Gustaf Dalén Museum shows it."
READ = Passage("p", "d", "wiki", "Dalén light", SOLD, 0, len(SOLD))


def test_the_texts_of_a_query() -> None:
    query = Query("Who made it?", because=(READ,))
    assert search_text(query, Skill.SINGLE) == "Who made it?"
    assert search_text(query, Skill.EXPANDED) == "Who made it? Dalén light 1909 AGA Gustaf Dalén Museum"

    told = Query("What do you know about Dalén lights?", because=(READ,))
    assert search_text(told, Skill.SINGLE) == "Dalén lights?"
    assert search_text(told, Skill.EXPANDED).startswith("Dalén lights? Dalén light 1909")


def test_what_asks_to_be_told_is_searched_as_what_it_is_about() -> None:
    door, _, _ = _door()
    told, plain = (door.search(Query(text), Skill.SINGLE, 2) for text in ("Tell me about beta", "beta"))
    assert [[hit.passage.id for hit in hop.hits] for hop in told] == [[hit.passage.id for hit in h.hits] for h in plain]
    assert [[hit.score for hit in hop.hits] for hop in told] == [[hit.score for hit in hop.hits] for hop in plain]


class Shelf:
    """Finds every passage of its own by whatever mention, and writes down what it is sent."""

    def __init__(self, stored: Sequence[Passage]) -> None:
        self.stored, self.sent = stored, []

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        self.sent.append((query_text, None if vector is None else vector.tobytes(), mode, k))
        return [(each.id, 1.0) for each in self.stored][:k]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [each for each in self.stored if each.id in ids]


class CountingEncoder(HashedEncoder):
    """Writes down the texts it reads for spans and for mentions."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[object] = []

    def propose(self, text: str) -> list[tuple[Span, float]]:
        self.read.append(text)
        return super().propose(text)

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        self.read.append((text, tuple(spans)))
        return super().encode_mentions(text, spans)


MAILED = Passage("m", "m", "mail", "Note", "Dalén met Ada.", 0, 14)


def _linking(mode: Mode = "hybrid") -> tuple[Retriever, Shelf, Shelf, CountingEncoder]:
    wiki, mail, encoder = Shelf([READ]), Shelf([MAILED]), CountingEncoder()
    table = EnclaveTable([public("wiki"), private("mail")])
    door = Retriever(table, {"wiki": wiki, "mail": mail}, encoder, Privacy.DOCUMENT, RetrieverSettings(mode))
    return door, wiki, mail, encoder


@pytest.mark.parametrize("mode", MODES)
def test_a_mention_is_sent_with_its_own_words_and_vector(mode: Mode) -> None:
    door, wiki, mail, encoder = _linking(mode)
    question = "Who made the lamp of Bell Rock?"
    hops = door.remembering().search(Query(question).naming(21, 30), Skill.MENTION, 2)
    vector = HashedEncoder().encode_mentions(question, [(21, 30)])[0].tobytes()
    assert wiki.sent == mail.sent == [("Bell Rock", vector, "entity", 2)]
    assert encoder.read == [(question, ((21, 30),))]  # alone, and once
    assert [(hop.skill, hop.enclave, hop.query.text) for hop in hops] == [
        (Skill.MENTION, "wiki", question),
        (Skill.MENTION, "mail", question),
    ]


def test_all_names_of_a_text_are_read_at_once() -> None:
    door, wiki, _, encoder = _linking()
    once, question = door.remembering(), "Did Ada sell AGA in 1909?"
    for named in once.mentions(Query(question)):
        once.search(named, Skill.MENTION, 1)
    spans = tuple(span for span, _ in HashedEncoder().propose(question))
    assert len(spans) > 2 and encoder.read == [question, (question, spans)]
    vectors = HashedEncoder().encode_mentions(question, spans)
    assert [sent[1] for sent in wiki.sent] == [row.tobytes() for row in vectors]


def test_names_are_found_in_one_way_whatever_the_modes() -> None:
    door, *_ = _linking()
    mixed = replace(door, modes={"mail": "lexical"})
    named = Query("Who made the lamp of Bell Rock?").naming(21, 30)
    assert [hit.score for hop in mixed.search(named, Skill.MENTION, 2) for hit in hop.hits] == [1.0, 1.0]
    assert {hit.score for hop in mixed.search(named, Skill.SINGLE, 2) for hit in hop.hits} == {2 / 61}


def test_a_name_in_private_text_is_not_sent_to_a_public_enclave() -> None:
    door, wiki, mail, _ = _linking()
    (hop,) = door.search(Query("Whom did they meet?"), Skill.SINGLE, 1, into=MAIL)
    named = door.mentions(Query("Whom did they meet?").follow(hop.hits))
    assert [one.text[slice(*one.span)] for one in named] == ["Dalén", "Ada"]
    assert {one.label for one in named} == {MAIL} and {one.because for one in named} == {(MAILED,)}
    hops = door.search(named[0], Skill.MENTION, 1)
    assert wiki.sent == [] and mail.sent[-1][0] == "Dalén"
    assert [hop.refused for hop in hops] == ["carries mail; wiki admits only public text", None]


def test_the_names_in_the_question_or_in_what_was_read_last() -> None:
    door, _, _, encoder = _linking()
    query = Query("Did Ada sell AGA in 1909?")
    once = door.remembering()
    assert [(one.span, one.text) for one in once.mentions(query)][1:] == [
        ((13, 16), query.text),
        ((20, 24), query.text),
    ]
    read = Query(query.text, because=(MAILED, READ))
    assert [READ.text[slice(*one.span)] for one in once.mentions(read)] == ["1909", "AGA", "Gustaf Dalén Museum"]
    once.under(Privacy.QUERY).mentions(query)
    assert encoder.read == [query.text, READ.text]  # remembered
    assert door.mentions(Query("who?")) == ()


class Plain:
    """An encoder that does not link."""

    name, dimension = "plain", 16
    encode_query, encode_queries = TinyEncoder.encode_query, TinyEncoder.encode_queries
    encode_passages = TinyEncoder.encode_passages


def test_an_encoder_that_does_not_link_names_nothing() -> None:
    door = replace(_door()[0], encoder=Plain())  # type: ignore[arg-type]
    assert door.mentions(Query("Who met Ada?")) == ()
    with pytest.raises(UsageError, match="the encoder plain names nothing"):
        door.search(Query("Who met Ada?").naming(8, 11), Skill.MENTION, 1)
    with pytest.raises(UsageError, match="this query names nothing"):
        _linking()[0].search(Query("Who met Ada?"), Skill.MENTION, 1)


def test_what_is_prepared_is_encoded_once_and_only_if_it_will_be_asked() -> None:
    door, log, encoder = _door()
    plain, remembering = door, door.remembering()
    expected = plain.search(Query("beta"), Skill.SINGLE, 2)
    encoder.texts.clear()
    for _ in range(2):
        remembering.prepare([Query("beta"), Query("beta")], Skill.SINGLE)
    assert encoder.texts == ["beta"] and len(log) == len(expected)  # nothing was sent
    hops = remembering.search(Query("beta"), Skill.SINGLE, 2)
    assert encoder.texts == ["beta"] and [hop.hits for hop in hops] == [hop.hits for hop in expected]
    remembering.prepare([Query("gamma", label=MAIL)], Skill.SINGLE, into=PUBLIC)
    plain.prepare([Query("delta")], Skill.SINGLE)
    replace(remembering, settings=RetrieverSettings("lexical")).prepare([Query("delta")], Skill.SINGLE)
    assert encoder.texts == ["beta"]
