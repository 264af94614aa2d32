"""Walks inside the long documents that an ask comes to."""

from __future__ import annotations

from dataclasses import replace

from answerable.documents.reader import MOST, Inside, Shelved
from answerable.types import Chain, Hit, Passage, Skill
from tests.documents.grant import TEXT, guide, shelf

QUESTION = "How many pounds is the grant a year?"
MAIL = frozenset({"mail"})
OFFICE = frozenset({"office"})
SHELF = shelf()
BEFORE = Hit(Passage("m@0-4", "m", "mail", "M", "Mail", 0, 4), 2.0, MAIL, Skill.SINGLE)


def hit(document: str = "grant") -> Hit:
    return Hit(Passage(f"{document}@0-5", document, "office", "", TEXT[:5], 0, 5), 1.0, OFFICE, Skill.SINGLE)


def chain(*hits: Hit) -> Chain:
    return Chain(hits, 3.0, frozenset().union(*(one.label for one in hits)))


def find(passage: Passage) -> Shelved | None:
    if passage.document_id == "short":
        return None
    document = replace(SHELF.book.document, id=passage.document_id)
    return replace(SHELF, book=replace(SHELF.book, document=document))


def test_windows_stand_in_place_of_the_last_hit_under_its_label() -> None:
    given = chain(BEFORE, hit())
    first, *made = Inside(guide(), find).further(QUESTION, [given])
    assert first == given and made
    for one in made:
        assert one.hits[0] == BEFORE and one.label == MAIL | OFFICE and one.score <= given.score
        for found in one.hits[1:]:
            assert (found.label, found.skill, found.passage.enclave) == (OFFICE, Skill.NAVIGATE, "office")
            assert found.passage.text == TEXT[found.passage.start : found.passage.end]
    assert any("1,200 pounds" in one.hits[-1].passage.text for one in made)


def test_each_document_is_walked_once_and_only_the_first_of_them() -> None:
    many = [chain(hit(f"d{n}")) for n in range(MOST + 2)]
    given = [Chain((), 0.0, frozenset()), chain(hit("short")), many[0], chain(BEFORE, hit("d0")), *many[1:]]
    made = Inside(guide(), find).further(QUESTION, given)
    assert [one for one in made if one in given] == given  # none is lost, and their order stays
    walked = [one.hits[-1].passage.document_id for one in made if one not in given]
    assert set(walked) == {f"d{n}" for n in range(MOST)}
    assert all(len(one.hits) == 1 for one in made if one not in given)


def test_without_long_documents_nothing_changes() -> None:
    given = [chain(hit("short")), chain(BEFORE, hit("short"))]
    assert Inside(guide(), find).further(QUESTION, given) == given
