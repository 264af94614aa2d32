"""The engine over two small enclaves, with the stand-ins for encoder and reader."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.chains.beam import BeamSettings
from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.engine import AskSettings, Engine, Terms
from answerable.errors import EnclaveError, IndexMismatch, RemoteError, SettingsError, UsageError
from answerable.indexes.index import Ranking
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.privacy.grants import standing
from answerable.privacy.provenance import TrainingProvenance
from answerable.readers.overlap import OverlapReader
from answerable.retriever import Mode, Retriever
from answerable.selective import missing as barred
from answerable.selective.calibrate import Calibration
from answerable.selective.features import NAMES
from answerable.selective.missing import Predictor, Regression
from answerable.text import LONGEST_QUESTION, checked_question, words
from answerable.types import Asker, Candidate, Chain, Document, Enclave, Evidence, Passage, Privacy

WIKI = {
    "kopu": "Kõpu Lighthouse stands on the island of Hiiumaa. Kõpu Lighthouse had its tower completed in 1531.",
    "hook": "Hook Lighthouse stands in Ireland. William Marshal built the tower.",
}
MAIL = {"birds": "From today the job at Kõpu Lighthouse is called KESTREL on all sheets."}


class Shelf:
    """A searchable enclave ranked by shared words."""

    def __init__(self, enclave: str, texts: dict[str, str]) -> None:
        self.documents = {i: Document(i, enclave, i, text, f"{i}.md") for i, text in texts.items()}
        self.asked: list[str] = []

    def search(self, query_text: str, vector: Vectors | None, mode: Mode, k: int) -> Ranking:
        self.asked.append(query_text)
        asked = set(words(query_text))
        scored = [(i, float(len(asked & set(words(d.text))))) for i, d in self.documents.items()]
        return sorted((pair for pair in scored if pair[1]), key=lambda pair: (-pair[1], pair[0]))[:k]

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: Mode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        return self.search(query_text, vector, mode, k), {}

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        found = [self.documents[i] for i in ids if i in self.documents]
        return [Passage(d.id, d.id, d.enclave, d.title, d.text, 0, len(d.text)) for d in found]


def calibration(threshold: float) -> Calibration:
    return Calibration(tuple(1.0 if name == "score" else 0.0 for name in NAMES), 0.0, threshold)


def engine_of(*enclaves: Enclave, threshold: float = 0.0, **shelves: Shelf) -> Engine:
    retriever = Retriever(EnclaveTable(enclaves), shelves, HashedEncoder())
    return Engine(
        retriever,
        OverlapReader(),
        calibration(threshold),
        lambda p: shelves[p.enclave].documents.get(p.document_id),
        BeamSettings(hops=2, k=3, width=3),
    )


@pytest.fixture
def shelves() -> dict[str, Shelf]:
    return {"wiki": Shelf("wiki", WIKI), "mail": Shelf("mail", MAIL)}


QUESTION = "When was the tower of Kõpu Lighthouse completed, the KESTREL job?"


def test_an_answer_is_cited_word_for_word(shelves):
    answer = engine_of(mirror("wiki"), private("mail"), **shelves).ask(QUESTION)
    assert answer.text == "1531"
    assert 0 <= answer.confidence <= 1 and answer.reason is None and answer.chain is not None
    assert answer.citations[0].text == "Kõpu Lighthouse had its tower completed in 1531."
    for citation in answer.citations:
        text = shelves[citation.enclave].documents[citation.document].text
        assert text[citation.start : citation.end] == citation.text


def test_the_label_joins_every_hit_consulted_not_only_those_cited(shelves):
    engine = engine_of(public("wiki"), private("mail"), **shelves)
    answer = engine.ask("Who built the tower of Hook Lighthouse?", Terms(hops=1))
    assert answer.text is not None
    assert answer.label == {"mail"}  # the mail was searched, and something came back, though the answer is public
    assert (
        engine.ask("Which island is Hiiumaa?", Terms(Asker("guest", frozenset({"wiki"})), hops=1)).label == frozenset()
    )


def test_an_answer_is_as_private_as_what_its_reader_learned_from(shelves):
    """Though nothing private is found, or even held: the reader tells of the text that it was trained on."""
    engine = engine_of(mirror("wiki"), private("mail"), **{"wiki": shelves["wiki"]})
    taught = replace(engine, taught=TrainingProvenance(reader=frozenset({"mail"})))
    for question in (QUESTION, "zzz"):
        assert engine.ask(question).label == frozenset()
        assert taught.ask(question).label == {"mail"}


def test_under_document_privacy_the_public_enclave_never_hears_of_the_mail(shelves):
    engine = engine_of(public("wiki"), private("mail"), **shelves)
    answer = engine.ask(QUESTION, Terms(privacy=Privacy.DOCUMENT))
    assert any(hop.refused for hop in answer.evidence.hops)
    assert not any("sheets" in text for text in shelves["wiki"].asked)
    told = shelves["wiki"].asked.copy()
    engine.ask(QUESTION, Terms(privacy=Privacy.NONE))
    assert len(shelves["wiki"].asked) > 2 * len(told)


class Listening(OverlapReader):
    """Says how many chains it was given, and gives one answer over two lines."""

    def __init__(self) -> None:
        self.given: list[int] = []

    def read(self, question, chains):
        self.given.append(len(chains))  # what an answer rests on is read once more
        return [replace(one, text="15\n 31") for one in super().read(question, chains)[:1]]


def test_what_is_asked_for_reaches_the_search_and_the_reader(shelves):
    """Hops and k from the terms, else from the beam; how many chains are read from the settings."""
    reader, asked = Listening(), []

    class Counted(Shelf):
        def search(self, query_text: str, vector: Vectors | None, mode: Mode, k: int) -> Ranking:
            asked.append(k)
            return super().search(query_text, vector, mode, k)

    engine = replace(engine_of(mirror("wiki"), wiki=Counted("wiki", WIKI)), reader=reader)
    for terms, hops, k in ((Terms(), 2, 3), (Terms(k=1), 2, 1), (Terms(hops=1), 1, 3)):
        asked.clear()
        reader.given.clear()
        answer = engine.ask(QUESTION, terms)
        assert {len(hop.query.because) + 1 for hop in answer.evidence.hops} == set(range(1, hops + 1))
        assert set(asked) == {k} and reader.given[0] == len(answer.evidence.chains)
    reader.given.clear()
    replace(engine, settings=AskSettings(read=1)).ask(QUESTION)
    assert reader.given[0] == 1


def test_an_answer_stands_on_one_line_and_says_all_it_was_decided_by(shelves):
    engine = replace(engine_of(mirror("wiki"), wiki=shelves["wiki"]), reader=Listening())
    given = engine.ask(f"  {QUESTION} \n")
    withheld = replace(engine, settings=AskSettings(threshold=1.0)).ask(QUESTION)
    assert (given.text, withheld.text, given.others) == ("15 31", None, ())
    assert withheld.others == (("15\n 31", given.confidence),)
    assert {"softmax", "grouped", "learned"} == {*given.confidences} and given.confidences == withheld.confidences
    assert given.confidences["learned"] == given.confidence and 0 < given.seconds < 60
    assert engine.ask("zzz").confidences == {} and given.via == "search" and given.barred is None


def test_the_longest_question_is_asked():
    line = "x" * LONGEST_QUESTION
    assert checked_question(f" {line[:-2]}  y ") == f"{line[:-2]} y"
    with pytest.raises(UsageError, match=f"the part has {LONGEST_QUESTION + 1:,} characters"):
        checked_question(line + "x", "part")
    with pytest.raises(UsageError, match="the question is empty"):
        engine_of().ask("Who?", Terms(parts=(" ",)))


def test_parts_of_a_question_are_searched_with_beside_it(shelves):
    engine = engine_of(public("wiki"), private("mail"), **shelves)
    answer = engine.ask(QUESTION, Terms(parts=(" the  tower ",)))
    first = [(hop.enclave, hop.query.text) for hop in answer.evidence.hops if not hop.query.because]
    assert first == [("wiki", QUESTION), ("wiki", "the tower"), ("mail", QUESTION)]
    assert shelves["mail"].asked[0] == QUESTION and "the tower" not in shelves["mail"].asked


def test_a_grant_counts_at_the_moment_of_the_ask(shelves):
    now = datetime(2026, 5, 4, tzinfo=UTC)
    rule = standing(Asker(), ["mail"], "wiki", now)
    engine = engine_of(public("wiki"), private("mail"), **shelves)
    for at, grants, lifted in (
        (now, (rule,), True),
        (now, (), False),
        (rule.until, (rule,), False),
        (None, (rule,), False),
    ):
        hops = engine.ask(QUESTION, Terms(grants=grants, at=at)).evidence.hops
        assert any(hop.enclave == "wiki" and hop.query.label and not hop.refused for hop in hops) is lifted


def test_under_query_privacy_a_public_enclave_hears_nothing(shelves):
    answer = engine_of(public("wiki"), private("mail"), **shelves).ask(QUESTION, Terms(privacy=Privacy.QUERY))
    assert shelves["wiki"].asked == []
    assert all(hop.refused for hop in answer.evidence.hops if hop.enclave == "wiki")


def test_nothing_to_search_abstains_with_a_reason():
    answer = engine_of().ask("Is anybody there?")
    assert answer.text is None and answer.reason and answer.confidence == 0.0 and answer.citations == ()


def test_an_asker_cleared_for_nothing_is_refused_and_told_nothing_of_it(shelves):
    answer = engine_of(public("wiki"), private("mail"), **shelves).ask(QUESTION, Terms(Asker("guest", frozenset())))
    assert answer.text is None and "mail" not in str(answer.reason)
    assert [hop.enclave for hop in answer.evidence.hops] == ["wiki", "mail"]
    assert shelves["mail"].asked == []


def test_a_clearance_for_an_unknown_enclave_is_an_error(shelves):
    with pytest.raises(EnclaveError, match="attic"):
        engine_of(public("wiki"), **{"wiki": shelves["wiki"]}).ask("Who?", Terms(Asker("guest", frozenset({"attic"}))))


SURE = Regression((0.0,) * len(barred.NAMES), 3.0, 0.5)


def test_a_missing_answer_may_lie_behind_what_was_refused(shelves):
    engine = replace(
        engine_of(public("wiki"), private("mail"), threshold=1.0, **shelves), predictor=Predictor(SURE, SURE)
    )
    answer = engine.ask(QUESTION)
    assert answer.text is None and answer.barred is not None and answer.barred.steps == (("mail", "wiki"),)
    assert str(answer.reason).endswith(
        "it may need a step from mail to wiki, which this privacy refuses; a mirror of wiki or a grant would allow it"
    )
    asked = engine.ask(QUESTION, Terms(privacy=Privacy.QUERY))
    assert asked.barred is not None and asked.barred.steps == (("question", "wiki"),)
    assert engine.ask(QUESTION, Terms(privacy=Privacy.NONE)).barred is None
    unlikely = replace(SURE, bias=-3.0)
    silent = replace(engine, predictor=Predictor(unlikely, unlikely)).ask(QUESTION)
    assert silent.barred is not None and not silent.barred.likely and "may need" not in str(silent.reason)


@given(st.lists(st.text("abcdefgh ", min_size=3, max_size=40).map(str.title), min_size=1, max_size=3), st.floats(-3, 3))
def test_why_there_is_no_answer_holds_no_private_text_and_the_label_covers_it(texts, bias):
    shelves = {"wiki": Shelf("wiki", WIKI), "mail": Shelf("mail", {f"m{i}": f"tower {t}" for i, t in enumerate(texts)})}
    engine = engine_of(public("wiki"), private("mail"), threshold=1.0, **shelves)
    answer = replace(engine, predictor=Predictor(replace(SURE, bias=bias), SURE)).ask(QUESTION)
    plain = engine.ask(QUESTION).reason
    told = f"; {barred.sentence((('mail', 'wiki'),))}" if answer.barred and answer.barred.likely else ""
    assert answer.reason == plain + told
    read = {word for text in texts for word in words(text)} - set(words(QUESTION)) - set(words(" ".join(WIKI.values())))
    fixed = "the best answer found has confidence below threshold could not be asked everything under this privacy"
    ours = set(words(f"{fixed} {barred.sentence((('mail', 'wiki'),))}"))
    assert not read & set(words(str(answer.reason))) - ours
    assert answer.barred is None or {word for word, _ in answer.barred.steps} <= answer.label


def test_below_the_threshold_it_abstains_and_keeps_its_best_guess(shelves):
    answer = engine_of(mirror("wiki"), private("mail"), threshold=0.99, **shelves).ask(QUESTION)
    assert answer.text is None and answer.chain is None and answer.citations == ()
    assert "threshold" in str(answer.reason) and answer.others[0][0] == "1531"


def test_settings_override_the_calibrated_threshold(shelves):
    strict = engine_of(mirror("wiki"), private("mail"), threshold=0.99, **shelves)
    lax = Engine(
        strict.retriever, strict.reader, strict.calibration, strict.find, strict.beam, AskSettings(threshold=0.0)
    )
    assert lax.ask(QUESTION).text == "1531"


@pytest.mark.parametrize("question", ["", " \n\t ", "x" * (LONGEST_QUESTION + 1), "what is \udcff?"])
def test_questions_that_cannot_be_asked(question):
    with pytest.raises(UsageError):
        engine_of().ask(question)


def test_hops_and_k_must_be_positive():
    for wrong in ({"hops": 0}, {"k": 0}):
        with pytest.raises(SettingsError):
            engine_of().ask("Who?", Terms(**wrong))


class Broken(Shelf):
    """An index that is found damaged in the middle of a search."""

    def search(self, query_text: str, vector: Vectors | None, mode: Mode, k: int) -> Ranking:
        raise IndexMismatch("the graph of mail is damaged", hint="index it again")


def test_an_index_that_breaks_gives_no_answer_and_says_why(shelves):
    broken = {"wiki": shelves["wiki"], "mail": Broken("mail", MAIL)}
    answer = engine_of(public("wiki"), private("mail"), **broken).ask(QUESTION)
    assert answer.label == {"mail"} and answer.reason == "the graph of mail is damaged (index it again)"
    assert (answer.text, answer.confidence, answer.citations, answer.chain, answer.others) == (None, 0.0, (), None, ())
    assert answer.evidence == Evidence((), ()) and 0 < answer.seconds < 60


class Away(Shelf):
    """On a machine that does not answer."""

    def search(self, query_text: str, vector: Vectors | None, mode: Mode, k: int) -> Ranking:
        self.asked.append(query_text)
        raise RemoteError(f"{self.name} could not be asked: nothing answers")

    def __init__(self, name: str) -> None:
        super().__init__(name, {})
        self.name = name


def test_an_answer_says_who_could_not_be_asked():
    engine = engine_of(public("wiki"), private("mail"), wiki=Away("wiki"), mail=Shelf("mail", MAIL))
    answer = engine.ask("What is the job at Kõpu Lighthouse called?")
    assert answer.text is not None and answer.label == {"mail"}
    assert answer.unreachable == ("wiki could not be asked: nothing answers",)


def test_no_answer_says_who_could_not_be_asked_apart_from_what_was_withheld():
    engine = engine_of(public("wiki"), private("mail"), threshold=1.0, wiki=Away("wiki"), mail=Shelf("mail", MAIL))
    answer = engine.ask("What is the job at Kõpu Lighthouse called?")
    assert answer.text is None
    assert answer.reason.endswith("wiki could not be asked: nothing answers")
    nothing = engine_of(public("wiki"), wiki=Away("wiki")).ask("Who?")
    assert nothing.reason == "nothing was found for this question; wiki could not be asked: nothing answers"


def test_that_a_private_enclave_failed_is_as_private_as_its_text():
    engine = engine_of(mirror("wiki"), private("mail"), wiki=Shelf("wiki", WIKI), mail=Away("mail"))
    answer = engine.ask("When was the tower of Kõpu Lighthouse completed?")
    assert answer.text is not None and answer.label == {"mail"}


def test_one_who_may_not_read_an_enclave_is_not_told_that_it_failed():
    shelves = {"wiki": Shelf("wiki", WIKI), "mail": Away("mail")}
    engine = engine_of(mirror("wiki"), private("mail"), **shelves)
    answer = engine.ask("When was the tower of Kõpu Lighthouse completed?", Terms(Asker("guest", frozenset({"wiki"}))))
    assert answer.unreachable == () and answer.label == frozenset() and not shelves["mail"].asked


class Taken:
    """A shortcut that is not to be taken."""

    def begin(self, *_: object) -> NoReturn:
        raise AssertionError

    plan = begin


class Pointing:
    """Finds two answers, the surer one in the passage that has fewer of the question's words."""

    name = "pointing"

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        found: dict[str, Candidate] = {}
        for chain in (chain for chain in chains if len(chain.hits) == 1):
            passage = chain.hits[0].passage
            for score, text in ((2.0, "KESTREL"), (1.0, "William Marshal")):
                if (at := passage.text.find(text)) >= 0:
                    found[text] = Candidate(text, score, chain, 0, at, at + len(text))
        return sorted(found.values(), key=lambda one: -one.score)


def test_the_passages_where_the_best_answers_stand_are_shown_first(shelves):
    engine = replace(engine_of(mirror("wiki"), private("mail"), **shelves), reader=Pointing())
    answer = replace(engine, settings=AskSettings(show=2)).ask("Kõpu Lighthouse tower completed on the island job")
    assert [one.hit.passage.id for one in answer.passages] == ["birds", "hook"]


def test_what_asks_to_be_told_gets_the_best_passages_and_no_span(shelves):
    engine = engine_of(mirror("wiki"), private("mail"), threshold=0.0, **shelves)
    engine = replace(engine, shortcuts=(Taken(),))
    told = "Tell me about the tower of Kõpu Lighthouse"
    answer = engine.ask(told)
    assert (answer.text, answer.via, answer.others, answer.citations, answer.chain) == (None, "passages", (), (), None)
    assert "Kõpu" in answer.passages[0].hit.passage.text and answer.label == {"mail"} and "passages" in answer.reason
    assert engine.plan(told)
    nothing = engine_of(public("wiki"), wiki=Shelf("wiki", {})).ask(told)
    assert (nothing.via, nothing.passages) == ("search", ()) and "nothing was found" in nothing.reason


def test_how_to_do_a_thing_is_answered_by_the_whole_line_of_code():
    shelf = Shelf("mail", {"birds": "To call the job, run:\n\n  KESTREL --all    # of the island\n"})
    engine = replace(engine_of(private("mail"), mail=shelf), reader=Pointing())
    assert engine.ask("How do I call the job?").text == "KESTREL --all"
    assert engine.ask("Which program calls the job?").text == "KESTREL"
