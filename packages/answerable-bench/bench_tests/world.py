"""A small world to build a benchmark of: pages and mails written for it, with questions of every slice in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from answerable.types import Passage

PAGES = {
    "Halvorsen Shipyard": "Halvorsen Shipyard is a shipbuilding company based in Mandal, Norway. It was founded "
    "in 1921 and "
    "has repaired every ferry of that coast since the war ended.",
    "Orrery Brothers": "Orrery Brothers is a telescope company based in Leeds, England. It was founded in "
    "1874 and its sextants are kept in a museum of the town.",
    "The Quiet Tide": "The Quiet Tide is a 1962 drama film directed by Ilse Morgan. It was filmed on the island "
    "in a single "
    "summer, and critics of the time admired its long shots of the harbour.",
    "Ilse Morgan": "Ilse Morgan (3 May 1921 – 9 June 1999) was a Danish film director. She was born in Aarhus "
    "and made nine "
    "films about sailors and the women who waited for them.",
    "Pavel Grund": "Pavel Grund (12 April 1934 – 2 March 2001) was a Czech film director. He was born in Brno "
    "and made only "
    "two films, both of them about the railways of his youth.",
    "The Last Signal": "The Last Signal is a 1971 drama film directed by Pavel Grund. It tells of a guard who "
    "keeps a light "
    "burning beside the line, and it won no prizes at all when it was new.",
}
MAILS = (
    ("Tobias Renn", "Halvorsen contract", "2 Apr 2019 09:00", "Good news for all of the board. Halvorsen "
    "Shipyard signed a "
     "contract for the overhaul of the ferry Petrel with Agnete Voll in Tromsø. The money comes from Bodin Savings."),
    ("Maud Ekker", "Sextants", "9 May 2019 10:30", "A line for the files of the collection. Tobias Renn hired Orrery "
     "Brothers to clean the sextants of the museum for Bodin Savings. The work is to end before the autumn."),
    ("Maud Ekker", "Crane inspection", "17 Jun 2019 08:15", "The harbour asked how the visit went, so here it "
    "is. Agnete Voll "
     "inspected the travelling crane at Kvaløya Dock for Bodin Savings. Nothing was found to be wrong with it."),
    ("Tobias Renn", "Who is who at the rope works", "3 Jul 2019 12:00",
         "You asked me who to call about the lines. Agnete "
     "Voll, head of rigging at Fulmar Ropes, knows the Petrel and Kvaløya Dock by heart. She likes to be asked early."),
    ("Agnete Voll", "Splices for the winter", "4 Sep 2019 07:45",
         "The new splices hold twice what the old ones did. Maud "
     "Ekker saw the tests at Kvaløya Dock with Bodin Savings. I shall write the figures down when they are final."),
)  # fmt: skip


WRITTEN = {
    ("Halvorsen contract", "Halvorsen Shipyard"): (
        "When was the company that signed a contract for the overhaul of the ferry Petrel with Agnete Voll in Tromsø "
        "founded?", "1921", 5, 1,
    ),
    ("Orrery Brothers", "Sextants"): (
        "Who hired the telescope company based in Leeds, England to clean the sextants of the museum for Bodin "
        "Savings?", "Tobias Renn", 0, 5,
    ),
    ("Crane inspection", "Who is who at the rope works"): (
        "What is the position of the person who inspected the travelling crane at Kvaløya Dock for Bodin Savings?",
        "head of rigging at Fulmar Ropes", 5, 5,
    ),
    ("The Quiet Tide", "Ilse Morgan"): (
        "Where was the director by whom The Quiet Tide was directed born?", "Aarhus", 0, 1,
    ),
    ("Ilse Morgan", "Pavel Grund"): ("Who died first, Ilse Morgan or Pavel Grund?", "Ilse Morgan", 0, 0),
}  # fmt: skip
"""By the titles of two passages, what somebody wrote on them: question, answer, and a sentence of each."""


def write_questions(pairs: Path, path: Path) -> Path:
    """What somebody wrote on the pairs that were given out."""
    rows = []
    for row in map(json.loads, pairs.read_text("utf-8").splitlines()):
        titles = row["passage_1"][0], row["passage_2"][0]
        hints = {"Agnete Voll"} if titles[0] == "Crane inspection" else {*titles, " / ".join(titles)}
        if titles in WRITTEN and row["hint"] in hints:
            question, answer, first, second = WRITTEN[titles]
            said = {"question": question, "answer": answer, "sentences_1": [first], "sentences_2": [second]}
            rows.append(json.dumps(row | said) + "\n")
    path.write_text("".join(rows), "utf-8")
    return path


def write_pages(path: Path) -> Path:
    """The pages as JSONL."""
    rows = [{"_id": f"Q{number}", "title": title, "text": text} for number, (title, text) in enumerate(PAGES.items())]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_mails(path: Path, mails: Sequence[tuple[str, str, str, str]] = MAILS) -> Path:
    """The mails as a mailbox."""
    parts = []
    for number, (sender, subject, date, body) in enumerate(mails):
        address = f"{sender.lower().replace(' ', '.')}@ropes.example"
        parts.append(
            f"From {address} Mon Jan  7 09:00:00 2019\nMessage-ID: <{number}@ropes.example>\nDate: {date} +0000\n"
            f"From: {sender} <{address}>\nTo: Everyone <all@ropes.example>\nSubject: {subject}\n"
            f'Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: 8bit\n\n{body}\n\n'
        )
    path.write_text("".join(parts), "utf-8")
    return path


def page(title: str, text: str, id_: str = "Q1") -> Passage:
    """A public passage."""
    return Passage(id_, id_, "public", title, text, 0, 1)


def mail(text: str, id_: str = "e1_p0", title: str = "A mail") -> Passage:
    """A private passage."""
    return Passage(id_, id_.partition("_")[0], "private", title, text, 0, 1)


HEADER = (
    "From: Maud Ekker <maud.ekker@ropes.example>\nTo: all@ropes.example\nDate: Monday, 17 June 2019, "
    "08:15\nSubject: {}\n\n"
)
