from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from answerable.encoders.encoder import Passages, Span, Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import UsageError
from answerable.types import Skill
from answerable_bench.entities import Entity, Links, read_entities, write_entities
from answerable_bench.gather import gather_private, gather_public, read_passages
from answerable_bench.names import ORGANISATION, PERSON
from answerable_bench.plan import PRIVATE, PUBLIC, Plan
from bench_tests.conftest import quiet
from bench_tests.world import MAILS, PAGES, mail, page, write_mails, write_pages

PLAN = Plan(least=2)


def entities(folder: Path, mails: tuple[tuple[str, str, str, str], ...], plan: Plan = PLAN) -> dict[str, Entity]:
    gather_private([write_mails(folder / "box.mbox", mails)], folder, lambda line: None, quiet)
    gather_public([write_pages(folder / "pages.jsonl")], folder, lambda line: None, quiet)
    write_entities(folder, plan, Links(), quiet)
    return {entity.name: entity for entity in read_entities(folder)}


def test_titles_are_public_and_the_mails_own_names_private(built: Path):
    found = {entity.name: entity for entity in read_entities(built)}
    assert found["Halvorsen Shipyard"].domain == PUBLIC and found["Halvorsen Shipyard"].page == "Q0"
    assert found["Agnete Voll"].domain == PRIVATE and found["Agnete Voll"].sort == PERSON
    mails = read_passages(built, PRIVATE)
    for entity in found.values():
        assert entity.at and all(entity.name in mails[id].text for id in entity.at)


def test_a_private_name_stands_often_enough(tmp_path: Path):
    assert "Tobias Renn" in entities(tmp_path, MAILS)
    assert "Tobias Renn" not in entities(tmp_path, MAILS, Plan(least=4))


def test_a_name_that_public_text_knows_is_not_private(tmp_path: Path, monkeypatch):
    before = entities(tmp_path, MAILS)
    assert "Agnete Voll" in before
    monkeypatch.setitem(PAGES, "The Last Signal", f"{PAGES['The Last Signal']} The guard was played by Agnete Voll.")
    assert "Agnete Voll" not in entities(tmp_path, MAILS)


class _Seeing(HashedEncoder):
    """Sees a name as the page's where the text has the word harbour, and speaks of people where it has film."""

    def propose(self, text: str) -> list[tuple[Span, float]]:
        return []

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        return np.array([self._page() * ("harbour" in text)] * len(spans), np.float32)

    def encode_entities(self, texts: Passages) -> Vectors:
        return np.array([self._page()] * len(texts), np.float32)

    def encode_passages(self, texts: Passages) -> Vectors:
        return self.encode_entities(texts)

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        return self._page() * ("film" in text)

    def _page(self) -> Vectors:
        return np.eye(self.dimension, dtype=np.float32)[0]


@pytest.mark.parametrize(
    ("text", "sort", "meant"),
    [
        ("Ilse Morgan was at the harbour.", ORGANISATION, True),
        ("Ilse Morgan was at the yard.", ORGANISATION, False),
        ("Ilse Morgan was at the harbour.", PERSON, False),
        ("Ilse Morgan was at the harbour for her film.", PERSON, True),
    ],
)
def test_a_name_means_a_page_where_the_encoder_sees_it(text: str, sort: str, meant: bool):
    found = Links(_Seeing()).meant(page("Ilse Morgan", "A page."), sort, [("e1_p0", 0, 11)], {"e1_p0": mail(text)})
    assert found == ([("e1_p0", 0, 11)] if meant else [])


def test_an_encoder_that_does_not_link_is_refused():
    with pytest.raises(UsageError, match="links no names"):
        Links(SimpleNamespace(name="plain"))  # type: ignore[arg-type]


def test_a_colleague_who_has_the_name_of_a_page_is_neither(tmp_path: Path):
    body = (
        "The film about sailors and women that Agnete Voll saw in Aarhus was by my director, Ilse Morgan of "
        "Bodin Savings."
    )
    mails = [(sender, "Films", f"{day} Apr 2019 09:00", body.replace("saw", f"saw {day} times")) for sender, day in
             (("Ilse Morgan", 2), ("Maud Ekker", 3))]  # fmt: skip
    assert "Ilse Morgan" not in entities(tmp_path, tuple(mails))
    others = [("Tobias Renn", *rest) for _, *rest in mails]
    assert entities(tmp_path, tuple(others))["Ilse Morgan"].domain == PUBLIC


def test_mail_that_names_little_is_not_used(tmp_path: Path):
    body = "The ferry came late. Halvorsen Shipyard has the ferry now and it will stay for a week or so, they say."
    body = body.replace("Halvorsen Shipyard", "Agnete Voll")
    assert entities(tmp_path, (("Maud Ekker", "Ferry", "2 Apr 2019 09:00", body),), Plan(least=1)) == {}


def test_a_title_that_is_a_common_word_means_nothing(tmp_path: Path, monkeypatch):
    pages = {
        "Ferry": "Ferry is a boat that carries people over the harbour. It leaves on every hour of the day in summer."
    }
    pages["Barge"] = pages["Ferry"].replace("Ferry", "Barge")
    for title, text in pages.items():
        monkeypatch.setitem(PAGES, title, text)
    body = "The harbour saw the Ferry of Tobias Renn and the Barge of Agnete Voll carry people for Kvaløya Dock again."
    rest = "A ferry is a ferry, so the ferry goes where a ferry went, and I like it that way on most days."
    mails = (("Maud Ekker", "Boats", "2 Apr 2019 09:00", body), ("Maud Ekker", "More", "3 Apr 2019 09:00", rest))
    found = entities(tmp_path, mails)
    assert "Barge" in found and "Ferry" not in found
