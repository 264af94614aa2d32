"""Workspaces in German, French, Spanish and Chinese: found, answered by a language model, cited, and what is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra `transformers`")
pytest.importorskip("transformers", reason="needs the extra `transformers`")

from answerable.readers.overlap import OverlapReader
from answerable.text import sentences, words
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from tests.encoders.tiny import write_sentences
from tests.remote.openai import Model, answer, asked, serving

CORPORA = {
    "de": {
        "brunsbek": "Der Leuchtturm von Brunsbek wurde im Jahr 1874 gebaut. Seine Lampen brannten mit Petroleum, und "
        "der letzte Wärter hieß Hinrich Ohlsen.",
        "hafen": "Im Hafen von Ellerby liegen Boote, die für die Fischer der Insel Waren bringen. Er ist z. B. im "
        "Januar nicht offen.",
        "turm": "Die Türme der Küste werden von einem Amt verwaltet, das in Husum sitzt und jedes Jahr berichtet.",
    },
    "fr": {
        "kerlouan": "Le phare de Kerlouan a été construit en 1874. Ses lampes étaient allumées par un gardien qui "
        "s'appelait Yann Le Goff.",
        "port": "Dans le port de Lanvel, les bateaux des pêcheurs sont réparés par des charpentiers de l'île.",
        "tour": "Les tours de la côte sont gérées par un bureau de Brest, qui publie un rapport tous les ans.",
    },
    "es": {
        "arnela": "El faro de Arnela fue construido en 1874. Sus lámparas las encendía un farero que se llamaba "
        "Anxo Loureiro.",
        "puerto": "En el puerto de Cabral los barcos de los pescadores son reparados por los carpinteros de la isla.",
        "torre": "Las torres de la costa son administradas por una oficina de Vigo que publica un informe cada año.",
    },
    "zh": {
        "beishan": "北山灯塔建于1874年。最后一位看守人名叫林海生，他每天晚上点灯。",
        "gangkou": "东湾港口停着渔民的船，岛上的木匠在那里修船。",
        "ta": "沿海的塔由青岛的一个办公室管理，每年发表一份报告。",
    },
}
QUESTIONS = {
    "de": ("Wie heißt der Wärter des Leuchtturms in Brunsbek?", "Hinrich Ohlsen", "brunsbek"),
    "fr": ("Comment s'appelle le gardien des phares de Kerlouan ?", "Yann Le Goff", "kerlouan"),
    "es": ("¿Cómo se llamaba el farero de los faros de Arnela?", "Anxo Loureiro", "arnela"),
    "zh": ("北山的灯塔看守人叫什么名字？", "林海生", "beishan"),
}


def knowing(body: dict[str, Any]) -> str:
    """A model that reads every language: it says the keeper's name where a passage has it, and quotes around it."""
    told = asked(body)
    name = next(name for question, name, _ in QUESTIONS.values() if question == told["question"])
    found = [(one["number"], re.search(f".{{0,9}}{name}", one["text"])) for one in told["passages"]]
    return answer(*((name, number, quote[0]) for number, quote in found if quote))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that knows the words of all of them."""
    every = " ".join(text for held in CORPORA.values() for text in held.values())
    return write_sentences(tmp_path_factory.mktemp("multilingual") / "encoder", words(every))


@pytest.fixture
def model() -> Iterator[Model]:
    with serving(Model(knowing)) as made:
        yield made


def indexed(place: Path, settings: dict[str, Any], *names: str) -> Workspace:
    for name in names:
        (place / name).mkdir(parents=True)
        for title, text in CORPORA[name].items():
            (place / name / f"{title}.txt").write_text(text, encoding="utf8")
    made = open_workspace(place / "work", create=True, settings=settings)
    made.index([place / name for name in names], "files")
    return made


def test_each_language_is_found_answered_and_cited(tmp_path: Path, encoder: Path, model: Model) -> None:
    given = {"models.encoder": str(encoder), "models.reader": "llm", "llm.beside": "overlap"}
    given |= {"llm.endpoint": model.address, "llm.model": "m", "search.mode": "lexical"}
    with indexed(tmp_path, given, *CORPORA) as made:
        assert made.engine().retriever.encoder.name.startswith("encoder-")
        for question, keeper, document in QUESTIONS.values():
            got = made.ask(question)
            assert (got.text, got.via, got.notes) == (keeper, "model", ())
            assert keeper in got.citations[0].text and document in got.citations[0].document
            first = next(hop for hop in got.evidence.hops if hop.hits)
            assert document in first.hits[0].passage.document_id  # by words, none of which is as it was asked
        by_both = {"search.mode": "hybrid", **{key: value for key, value in given.items() if key != "search.mode"}}
    with open_workspace(tmp_path / "work", settings=by_both) as made:
        assert [made.ask(one).text for one, _, _ in QUESTIONS.values()] == [name for _, name, _ in QUESTIONS.values()]


def test_an_english_reader_says_that_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"models.encoder": "hashed", "models.reader": "overlap", "search.mode": "lexical", "ask.threshold": 0.0}
    question = "Wann wurde der Leuchtturm von Brunsbek gebaut?"
    with indexed(tmp_path, given, "de") as made:
        plain = made.ask(question)
        assert plain.text and plain.notes == ()  # one that reads no language at all
        monkeypatch.setattr(OverlapReader, "english", True, raising=False)
        said = "not in English, and the reader has learned from English alone"
        assert made.ask(question).notes == (f"the question and the passage are {said}",)
        assert made.ask("Brunsbek 1874?").notes == (f"the passage is {said}",)
        unsure = made.ask(question, risk=0.0)
        assert unsure.text is None and unsure.notes == (f"the question and the passage are {said}",)


def test_sentences_end_as_the_language_has_it() -> None:
    german = "Der Turm wurde von Hr. Müller am 3. Mai 1890 gebaut. Er ist ca. 40 m hoch und steht auf der Insel."
    assert [german[start:end] for start, end in sentences(german)] == [german[:52], german[53:]]
    chinese = CORPORA["zh"]["beishan"]
    assert len(sentences(chinese)) == 2
