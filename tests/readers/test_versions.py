"""Of two versions of a document the newer one counts."""

from __future__ import annotations

import pytest

from answerable.corpora.markdown import read_markdown
from answerable.readers.versions import newest, of_version
from answerable.types import PUBLIC, Candidate, Chain, Document, Hit, Passage, Skill

OLD, NEW = "Insurer: Cambrian.\n\nThe excess is £250.", "Insurer: Cambrian.\n\nThe excess is £350."
EXCESS = "What is the excess?"


def _left(
    question: str, *answers: tuple[str, str, str, float], kind: str = "text"
) -> tuple[list[str], tuple[str, ...]]:
    """What is left of answers, each of a source, its text, the answer and its score."""
    documents = {source: Document(source, "home", source, text, source, kind) for source, text, *_ in answers}
    found = []
    for source, text, said, score in answers:
        passage = Passage(source, source, "home", source, text, 0, len(text))
        chain = Chain((Hit(passage, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC)
        start = 0 if said in ("yes", "no") else text.index(said)
        end = len(text) if said in ("yes", "no") else start + len(said)
        found.append(Candidate(said, score, chain, 0, start, end))
    kept, notes = newest(question, found, lambda passage: documents[passage.document_id])
    return [f"{one.text} {one.score}" for one in kept], notes


def test_the_newer_version_is_as_likely_as_the_older_was() -> None:
    old, new = ("home/cover-2024.txt", OLD, "£250", 3.0), ("home/cover-2025.txt", NEW, "£350", 1.0)
    kept, notes = _left(EXCESS, old, new)
    assert kept == ["£350 3.0"]
    assert notes == ('an older version, home/cover-2024.txt, says "£250"',)
    assert _left(EXCESS, (*new[:3], 4.0), old) == (["£350 4.0"], ())
    assert _left(EXCESS, new, ("home/cover-2023.txt", OLD, "£250", 0.5)) == (["£350 1.0"], ())
    third = ("home/cover-2026.txt", NEW.replace("350", "400"), "£400", 0.5)
    assert _left(EXCESS, old, new, third)[0] == ["£400 3.0"]


@pytest.mark.parametrize(
    "question",
    [
        "What was the excess?",
        "What is the excess by the cover of 2024?",
        "What is the old excess?",
        "The March excess?",
    ],
)
def test_a_question_may_mean_the_older_one(question: str) -> None:
    old, new = ("home/cover-2024.txt", OLD, "£250", 3.0), ("home/cover-2025.txt", NEW, "£350", 1.0)
    assert _left(question, old, new) == (["£250 3.0", "£350 1.0"], ())


@pytest.mark.parametrize(
    ("source", "text", "answer"),
    [
        ("work/cover-2025.txt", NEW, "£350"),  # another folder
        ("home/cover of the car-2025.txt", NEW, "£350"),  # another name
        ("home/cover-2025.txt", OLD, "£250"),  # the same
        ("home/cover-2025.txt", "In May Kim paid £350 for a window that had been broken.", "£350"),  # of another thing
    ],
)
def test_what_is_no_newer_version_leaves_all_as_it_is(source: str, text: str, answer: str) -> None:
    kept, notes = _left(EXCESS, ("home/cover-2024.txt", OLD, "£250", 3.0), (source, text, answer, 1.0))
    assert (kept, notes) == (["£250 3.0", f"{answer} 1.0"], ())


def test_what_only_the_older_one_says_is_asked_of_it() -> None:
    texts = [f"To: {name}.\n\nThe bill is due on {day} May." for name, day in (("Kim", 4), ("Bo", 9))]
    old, new = ("bills/014.txt", texts[0], "4 May", 3.0), ("bills/019.txt", texts[1], "9 May", 1.0)
    assert _left("When is the bill due?", old, new)[0] == ["9 May 3.0"]
    assert _left("When is the bill of Kim due?", old, new) == (["4 May 3.0", "9 May 1.0"], ())
    assert len(_left("Do dogs bark?", (*old[:2], "no", 3.0), (*new[:2], "yes", 1.0))[0]) == 2


def test_servers_are_no_files() -> None:
    old, new = ("https://one:8001", OLD, "£250", 3.0), ("https://one:8002", NEW, "£350", 1.0)
    assert len(_left(EXCESS, old, new)[0]) == 2


def test_mails_are_no_versions_and_days_are_read_in_their_order() -> None:
    old, new = ("a/2024.eml", OLD, "£250", 3.0), ("a/2025.eml", NEW, "£350", 1.0)
    assert len(_left(EXCESS, old, new, kind="mail")[0]) == 2
    old, new = ("a/rules 30-01-2024.txt", OLD, "£250", 3.0), ("a/rules 02-03-2024.txt", NEW, "£350", 1.0)
    assert _left(EXCESS, old, new)[0] == ["£350 3.0"]


def test_a_verdict_of_a_whole_passage_counts_too() -> None:
    old = ("rules-1.txt", "Guests may bring dogs into the hall.", "yes", 2.0)
    new = ("rules-2.txt", "Guests may not bring dogs into the hall.", "no", 1.0)
    assert _left("May guests bring dogs?", old, new)[0] == ["no 2.0"]


def _meant(question: str, *answers: tuple[str, str, str], kind: str = "markdown") -> list[str]:
    """What a question can mean of answers, each of a source, its text and the answer."""
    documents, found = {}, []
    for source, written, said in answers:
        text, sections, _ = read_markdown(written)
        documents[source] = Document(
            source, "home", sections[0].title if sections else source, text, source, kind, sections
        )
        start = text.index(said)
        passage = Passage(source, source, "home", source, text, 0, len(text))
        chain = Chain((Hit(passage, 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC)
        found.append(Candidate(said, 1.0, chain, 0, start, start + len(said)))
    return [one.text for one in of_version(question, found, lambda passage: documents[passage.document_id])]


HOUSE = "# House rules\n## {} edition\n\nIt takes the place of the others, first and second.\n\nQuiet from {} on.\n"
FIRST, SECOND = (
    ("rules 2021.md", HOUSE.format("First", "ten"), "ten"),
    ("rules 2024.md", HOUSE.format("Second", "nine"), "nine"),
)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("From when on is it quiet by the rules of 2021?", ["ten"]),
        ("From when on is it quiet, by the second edition?", ["nine"]),
        ("From when on is it quiet?", ["ten", "nine"]),
        ("Is it quieter than in 2021, in 2024?", ["ten", "nine"]),
        ("From when on was it quiet before 2024?", ["ten", "nine"]),
        ("From when on will it be quiet in 2030?", []),
    ],
)
def test_a_question_names_the_version_it_means(question: str, left: list[str]) -> None:
    assert _meant(question, FIRST, SECOND) == left


def test_what_a_passage_says_of_another_year_stays() -> None:
    told = ("rules 2024.md", HOUSE.format("Second", "nine; from 2030 on from eight"), "eight")
    assert _meant("From when on will it be quiet in 2030?", FIRST, told) == ["eight"]
    assert _meant("From when on is it quiet in 2030?", SECOND) == ["nine"]  # one file alone is no version of others


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("When does Ann's end?", ["May"]),
        ("When do those of Ann and Bo end?", ["May", "June"]),
        ("When?", ["May", "June"]),
    ],
)
def test_a_question_names_the_document_it_means_of_those_from_one_form(question: str, left: list[str]) -> None:
    documents, found = {}, []
    for name, month in (("Ann March", "May"), ("Bo April", "June")):
        text = f"It ends in {month}."
        documents[name] = Document(name, "home", f"Contract, {name}", text, name, "docx", (), {"form": "Contract"})
        chain = Chain(
            (Hit(Passage(name, name, "home", name, text, 0, len(text)), 1.0, PUBLIC, Skill.SINGLE),), 1.0, PUBLIC
        )
        found.append(Candidate(month, 1.0, chain, 0, 11, 11 + len(month)))
    for asked in (question, f"{question} In April?"):  # a month may be meant otherwise
        assert [one.text for one in of_version(asked, found, lambda one: documents[one.document_id])] == left


def test_a_question_names_the_section_it_means() -> None:
    log = "# Changes\n\n## 1.10.0 (May)\n\nFaster.\n\n## 1.9.0 (March)\n\nSmaller.\n\n## Thanks\n\nTo all."
    every = [("CHANGES.md", log, said) for said in ("Faster", "Smaller", "May", "all")]
    assert _meant("What is new in 1.10.0?", *every) == ["Faster", "May"]
    assert _meant("Who is thanked in May?", *every) == ["Faster", "Smaller", "May", "all"]  # by figures alone
    assert _meant("What is new in 1.9.0?", *every, kind="mail") == ["Faster", "Smaller", "May", "all"]
