from pathlib import Path

from answerable_bench.entities import Entity, read_entities, write_entities
from answerable_bench.gather import gather_private, gather_public, read_passages
from answerable_bench.linking import Links
from answerable_bench.plan import PRIVATE, PUBLIC, Plan
from bench_tests.conftest import quiet
from bench_tests.world import MAILS, PAGES, write_mails, write_pages

PLAN = Plan(least=2)


def entities(folder: Path, mails: tuple[tuple[str, str, str, str], ...], plan: Plan = PLAN) -> dict[str, Entity]:
    gather_private([write_mails(folder / "box.mbox", mails)], folder, lambda line: None, quiet)
    gather_public([write_pages(folder / "pages.jsonl")], folder, lambda line: None, quiet)
    write_entities(folder, plan, Links(), quiet)
    return {entity.name: entity for entity in read_entities(folder)}


def test_titles_are_public_and_the_mails_own_names_private(built: Path):
    found = {entity.name: entity for entity in read_entities(built)}
    assert found["Halvorsen Shipyard"].domain == PUBLIC and found["Halvorsen Shipyard"].page == "Q0"
    assert found["Agnete Voll"].domain == PRIVATE and found["Agnete Voll"].noun == "person"
    mails = read_passages(built, PRIVATE)
    for entity in found.values():
        for id, (start, end) in entity.at.items():
            assert mails[id].text[start:end] == entity.name


def test_a_private_name_stands_often_enough(tmp_path: Path):
    assert "Tobias Renn" in entities(tmp_path, MAILS)
    assert "Tobias Renn" not in entities(tmp_path, MAILS, Plan(least=4))


def test_a_name_that_public_text_knows_is_not_private(tmp_path: Path, monkeypatch):
    before = entities(tmp_path, MAILS)
    assert "Agnete Voll" in before
    monkeypatch.setitem(PAGES, "The Last Signal", f"{PAGES['The Last Signal']} The guard was played by Agnete Voll.")
    assert "Agnete Voll" not in entities(tmp_path, MAILS)


def test_a_page_that_shares_nothing_with_the_mail_is_not_meant(tmp_path: Path):
    body = "Halvorsen Shipyard is what Tobias Renn calls his cat, says Agnete Voll, and it purrs under Kvaløya Dock."
    assert "Halvorsen Shipyard" not in entities(tmp_path, (("Maud Ekker", "Cat", "2 Apr 2019 09:00", body),))


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
    assert entities(tmp_path, (("Maud Ekker", "Ferry", "2 Apr 2019 09:00", body),)) == {}


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
