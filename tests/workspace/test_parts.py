"""Parts of one's own in the place of those that the settings name: used, named, labelled, refused where need be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answerable
from answerable.encoders.hashed import HashedEncoder, HashedMatcher
from answerable.errors import EnclaveError, IndexMismatch, UsageError
from answerable.evaluation.tasks.asking import models_of
from answerable.privacy.enclaves import private, public
from answerable.protocols import Generator, Judge, Passage, Ranking, SearchableEnclave, SearchMode, Vectors
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.readers.overlap import OverlapReader
from answerable.selective.calibrate import Calibration
from answerable.selective.features import NAMES
from answerable.testing import GeneratorContract, MatcherContract, PairRerankerContract
from answerable.text import words
from answerable.types import Privacy
from answerable.workspace.models import finders_provenance, matcher_of, model_folders, provenance_of
from answerable.workspace.pair_stages import Wanted, open_generator, recipe_of
from answerable.workspace.parts import AT_ITS_WORD, Parts
from answerable.workspace.settings import load
from answerable.workspace.workspace import Workspace

QUESTION = "When was the tower of Kõpu Lighthouse completed?"
STAND_INS = {
    "models.encoder": "hashed",
    "models.reader": "overlap",
    "models.judge": "overlap",
    "models.matcher": "hashed",
}


class Mine(HashedEncoder):
    """Words again, under another name."""

    def __init__(self) -> None:
        super().__init__(64)
        self.name = "mine-64"


class Sure(OverlapReader):
    name = "sure"


class Strict(Judge):
    name = "strict"

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Vectors:
        rows = [[float({*words(c)} <= {*words(" ".join(text))}) for c in constraints] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), len(constraints))


class Asks(Generator):
    name = "asks"

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        return [[Generated(f"what is {a.text}?", a, a.score, self.name) for a in row] for row in answers]


class Shelf(SearchableEnclave):
    """Texts in memory, by shared words; remembers what it was asked."""

    def __init__(self, enclave: str, texts: Mapping[str, str]) -> None:
        self.enclave, self.texts, self.asked = enclave, texts, list[str]()

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        self.asked.append(query_text)
        shared = {id: 100.0 * len({*words(query_text)} & {*words(text)}) for id, text in self.texts.items()}
        return sorted(shared.items(), key=lambda one: (-one[1], one[0]))[:k]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [Passage(one, one, self.enclave, one, self.texts[one], 0, len(self.texts[one])) for one in ids]


TEXT = Passage("p", "d", "wiki", "Kopu", "Kopu was finished in 1531. It stands in Estonia.", 0, 48)
OTHER = Passage("q", "e", "wiki", "Hook", "Hook was finished in 1245.", 0, 26)


class TestAsks(GeneratorContract):
    generator = Asks()
    passages = (TEXT, OTHER)
    answers = ((Extracted(21, 25, "1531", 0.5, "told"),), (Extracted(21, 25, "1245", 0.5, "told"),))


class TestHashedMatcher(MatcherContract, PairRerankerContract):
    def matcher(self) -> HashedMatcher:
        return HashedMatcher()

    reranker = matcher


def opened(files: Path, **parts: Any) -> Workspace:
    return answerable.open(files / "own", create=True, settings=STAND_INS, **parts)


@pytest.fixture
def indexed(files: Path) -> Iterator[Workspace]:
    with opened(files, encoder=Mine(), reader=Sure()) as made:
        made.index([files / "wiki"], "wiki", "public")
        made.index([files / "mail"], "mail")
        yield made


def test_parts_are_used_where_the_settings_name_others(indexed: Workspace) -> None:
    engine = indexed.engine()
    assert (engine.retriever.encoder.name, engine.reader.name, engine.predictor) == ("mine-64", "sure", None)
    assert indexed.status().encoder == "mine-64" and indexed.ask(QUESTION).text == "1531"
    assert models_of(indexed) == {"encoder": "mine-64", "reader": "sure"}
    folders = model_folders(load(None, {}))
    assert folders["encoder"] and folders["reader"] and model_folders(indexed.settings)["encoder"] is None


def test_vectors_of_another_encoder_are_refused(indexed: Workspace, files: Path) -> None:
    with opened(files) as other:
        (wiki, mail) = other.status().enclaves
        assert "made by mine-64, not by hashed-256" in str(wiki.problem) and mail.problem
    with opened(files, encoder=Mine()) as same:
        assert same.ask(QUESTION).text == "1531"


def test_a_reader_is_taken_at_its_word_or_by_a_calibration(indexed: Workspace, files: Path) -> None:
    asked = indexed.ask(QUESTION)
    assert indexed.engine().calibration is AT_ITS_WORD and 0.5 < asked.confidence < 0.7  # log-odds of at most one half
    never = Calibration((0.0,) * len(NAMES), -9.0, 0.9)
    for reader in (Sure(), None):
        with opened(files, encoder=Mine(), reader=reader, calibration=never) as strict:
            assert strict.ask(QUESTION).text is None


@pytest.mark.parametrize("odds", [-3.0, 0.0, 1.0, 2.5])
def test_at_its_word_is_nearly_the_log_odds(odds: float) -> None:
    squashed = 1 / (1 + np.exp(-odds / 4))
    assert AT_ITS_WORD.log_odds([squashed, *[0.3] * (len(NAMES) - 1)]) == pytest.approx(odds, abs=0.15)


def test_a_judge_finds_sets(files: Path) -> None:
    with opened(files, judge=Strict()) as made:
        made.index([files / "wiki"], "wiki", "public")
        assert [one.title for one in made.find(expression='"lighthouse" and "hiiumaa"')] == ["Kõpu Lighthouse"]


def test_a_matcher_and_a_generator_make_pairs(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Years:
        name = "years"

        def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
            return [[Extracted(one.text.index("1531"), one.text.index("1531") + 4, "1531", 0.9, self.name)]
                    if "1531" in one.text else [] for one in passages]  # fmt: skip

    monkeypatch.setattr("answerable.workspace.pair_stages.open_extractors", lambda names, threads: [Years()])
    monkeypatch.setattr("answerable.workspace.pair_stages.SELECTION", Path("nowhere"))
    matcher = HashedMatcher(64)
    matcher.name = "my-matcher"
    with opened(files, matcher=matcher, generator=Asks()) as made:
        made.index([files / "wiki"], "wiki", "public")
        made.pairs.build("wiki", Wanted(filter="none"))
        assert made.pairs.engine().door.matcher is matcher
        assert made.pairs.ask("what is 1531?").text == "1531"


def test_a_matcher_reranks_if_it_can() -> None:
    class Plain:
        name, dimension = "plain", 8

        def encode_questions(self, questions: Sequence[str]) -> Vectors:
            return np.ones((len(questions), 8), np.float32) / np.sqrt(np.float32(8))

    both, plain = HashedMatcher(), Plain()
    assert matcher_of(own(matcher=both)) == (both, both) and matcher_of(own(matcher=plain)) == (plain, None)


def own(**parts: Any) -> Any:
    from dataclasses import replace

    return replace(load(None, {}, STAND_INS), own=Parts(**parts))


def that(part: Any, **says: Any) -> Any:
    for name, value in says.items():
        setattr(part, name, value)
    return part


def test_what_a_part_says_it_was_taught_counts_as_a_manifest_does() -> None:
    taught = provenance_of(own(encoder=that(Mine(), taught={"mail"}), reader=that(Sure(), taught=["clinic"])))
    assert (taught.encoder, taught.reader) == ({"mail"}, {"clinic"})
    found = finders_provenance(own(encoder=Mine(), judge=that(Strict(), taught={"mail"})))
    assert (found.encoder, found.reader) == (frozenset(), {"mail"})
    with pytest.raises(UsageError, match="taught of the reader is a text"):
        own(reader=that(Sure(), taught="mail"))


def test_queries_of_a_taught_encoder_stay_at_home(files: Path) -> None:
    with opened(files, encoder=that(Mine(), taught={"mail"})) as made:
        made.index([files / "wiki"], "wiki", "public", as_if_elsewhere=True)
        made.index([files / "mail"], "mail")
        answer = made.ask(QUESTION)
        assert answer.label == {"mail"} and all(hop.refused for hop in answer.evidence.hops if hop.enclave == "wiki")


def test_a_taught_generator_makes_no_pairs_of_other_text() -> None:
    settings = own(generator=that(Asks(), taught={"mail"}))
    recipe = recipe_of(settings, private("mail"), Wanted(filter="none"))
    assert recipe.generator == recipe.weights["generator"] == "asks"
    assert open_generator(settings, "asks", 2, 1) is settings.own.generator
    with pytest.raises(UsageError, match="the generator was trained on text of mail"):
        recipe_of(settings, public("wiki"), Wanted(filter="none"))


def test_what_hands_text_elsewhere_is_shown_no_private_text(files: Path) -> None:
    with opened(files, encoder=that(Mine(), elsewhere="api.example.org")) as made:
        made.index([files / "wiki"], "wiki", "public")
        assert made.ask(QUESTION).text == "1531"
        says = "the encoder hands what it is shown to api.example.org, and may not be shown "
        with pytest.raises(UsageError, match=f"{says}question"):
            made.ask(QUESTION, privacy=Privacy.QUERY)
        with pytest.raises(UsageError, match=f"{says}mail"):
            made.index([files / "mail"], "mail")
        assert not made._store.holdings("mail").passages
        for asked in (made.ask, made.plan, made.find):
            with pytest.raises(UsageError, match=f"{says}mail"):
                asked(QUESTION)
        with pytest.raises(UsageError, match=f"{says}mail"):
            made.served("mail")
    with pytest.raises(UsageError, match="the generator hands"):
        recipe_of(own(generator=that(Asks(), elsewhere="there")), private("mail"), Wanted(filter="none"))


@pytest.mark.parametrize("part", ["encoder", "reader", "judge", "matcher", "generator"])
def test_an_object_that_lacks_something_is_refused_before_anything_is_made(part: str, files: Path) -> None:
    for wrong in (object(), HashedEncoder if part == "encoder" else OverlapReader):
        with pytest.raises(
            UsageError, match=rf"the {part} that was handed in .* {part.title()}.*{part.title()}Contract"
        ):
            opened(files, **{part: wrong})
    assert not (files / "own").exists()


# ---------------------------------------------------------------- an index


TEXTS = {"kopu": "The tower of Kõpu Lighthouse was completed in 1531.", "hook": "William Marshal built Hook."}


def test_an_index_is_searched_through_the_door_and_cited(files: Path) -> None:
    shelf = Shelf("wiki", TEXTS)
    with opened(files) as made:
        made.attach("wiki", shelf, "public")
        made.index([files / "mail"], "mail")
        answer = made.ask(QUESTION)
        (cited, *_) = answer.citations
        assert (answer.text, cited.enclave, cited.text, cited.source) == ("1531", "wiki", TEXTS["kopu"], "kopu")
        assert shelf.asked and all("KESTREL" not in text for text in shelf.asked)  # nothing private was sent
        assert any(hop.refused for hop in answer.evidence.hops if hop.enclave == "wiki" and hop.query.label == {"mail"})
        scores = [hit.score for hop in answer.evidence.hops for hit in hop.hits]
        assert max(scores) < 0.1  # by place, in every enclave: its own scores compare with nobody's
        with pytest.raises(EnclaveError, match="held by an index of your own"):
            made.index([files / "wiki"], "wiki")
        assert "wiki" in {one.name for one in made.status().enclaves}
    with opened(files) as again:  # the declaration stays, the object does not
        assert not [hop.hits for hop in again.ask(QUESTION).evidence.hops if hop.enclave == "wiki" and hop.hits]
        again.attach("wiki", shelf)
        assert again.ask(QUESTION).text == "1531"


def test_an_index_may_be_private_and_elsewhere(files: Path) -> None:
    with opened(files) as made:
        made.attach("crm", Shelf("crm", TEXTS), admits=[])
        made.index([files / "mail"], "mail")
        assert made.enclaves()["crm"].label == {"crm"} and made.enclaves()["crm"].admits == {"crm"}
        assert made.ask(QUESTION).label >= {"crm"}
        refused = [
            hop for hop in made.ask(QUESTION).evidence.hops if hop.enclave == "crm" and "mail" in hop.query.label
        ]
        assert all(hop.refused for hop in refused)
    with opened(files) as again:
        with pytest.raises(EnclaveError, match="declared to admit other text than mail"):
            again.attach("crm", Shelf("crm", TEXTS), admits=["mail"])
        with pytest.raises(EnclaveError, match="declared private, not public"):
            again.attach("crm", Shelf("crm", TEXTS), "public")


def test_what_cannot_be_attached(indexed: Workspace) -> None:
    with pytest.raises(EnclaveError, match="wiki holds documents here"):
        indexed.attach("wiki", Shelf("wiki", TEXTS), "public")
    with pytest.raises(UsageError, match="the index that was handed in"):
        indexed.attach("books", object())  # type: ignore[arg-type]
    indexed.attach("books", Shelf("other", TEXTS), "public")
    with pytest.raises(EnclaveError, match="held by an index of your own"):
        indexed.attach("books", Shelf("books", TEXTS))
    answer = indexed.ask(QUESTION)
    assert answer.text is None and "holds passages of another enclave" in str(answer.reason)


def test_an_index_that_breaks_its_word_is_found_out(files: Path) -> None:
    class Wild(Shelf):
        def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
            return [("kopu", float("nan"))]

    with opened(files) as made:
        made.attach("wiki", Wild("wiki", TEXTS), "public")
        assert "scores that are not numbers" in str(made.ask(QUESTION).reason)
        with pytest.raises(IndexMismatch, match="scores that are not numbers"):
            made.engine().retriever.search(answerable.Query(QUESTION), answerable.types.Skill.SINGLE, 3)
