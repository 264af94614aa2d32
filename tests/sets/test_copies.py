from __future__ import annotations

from answerable.sets.candidates import Gathered, Prospect
from answerable.sets.copies import without_copies
from answerable.types import PUBLIC, Document, Passage

SAME = "Lunch is at noon. Bring the plan of the pump."
TEXTS = {"inbox/1": SAME, "sent/1": SAME, "inbox/2": "Lunch is at noon. Bring nothing."}
DOCUMENTS = {name: Document(name, "mail", "Lunch", text, name) for name, text in TEXTS.items()}


def prospect(name: str) -> Prospect:
    passage = Passage(f"{name}#0", name, "mail", "Lunch", "Lunch is at noon.", 0, 17)
    return Prospect("mail", name, PUBLIC, (passage,), 1.0)


def test_of_documents_that_say_the_same_the_first_is_kept() -> None:
    looked: list[str] = []

    def find(passage: Passage) -> Document | None:
        looked.append(passage.document_id)
        return DOCUMENTS.get(passage.document_id)

    made = without_copies(Gathered(tuple(map(prospect, TEXTS)), ()), find)
    assert [one.document for one in made.prospects] == ["inbox/1", "inbox/2"]
    assert len(looked) == len(TEXTS), "each is looked up once"
    made = without_copies(Gathered((prospect("sent/1"),), (), settled=(prospect("inbox/1"),)), find)
    assert ([*made.prospects], [one.document for one in made.settled]) == ([], ["inbox/1"])


def test_what_lies_elsewhere_is_no_copy() -> None:
    every = Gathered(tuple(map(prospect, TEXTS)), ())
    assert without_copies(every, lambda _: None) == every
