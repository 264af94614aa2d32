"""Whether both of two things are something, each read by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from answerable.readers.resting import telling
from answerable.readers.two import LEANING, halves, of_both
from answerable.testing.reader import chain
from answerable.types import Candidate, Chain

ASKED = "Are Emma and Persuasion both novels?"


class Knows:
    """Says by how much a yes is likelier than a no, by a word of the passage and of the question."""

    name = "knows"

    def __init__(self, **leaning: float) -> None:
        self.leaning, self.asked = leaning, list[str]()

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        found = []
        for one in chains:
            self.asked.append(question)
            passage = one.hits[0].passage
            for word, leaning in self.leaning.items():
                if word in passage.text and word in question:
                    yes = Candidate("yes", max(leaning, 0.0), one, 0, passage.start, passage.end)
                    other = Candidate("no", max(-leaning, 0.0), one, 0, passage.start, passage.end)
                    found += [yes, other]
        return sorted(found, key=lambda one: -one.score)


@pytest.mark.parametrize(
    ("question", "two"),
    [
        (ASKED, ("Is Emma novels?", "Is Persuasion novels?")),
        ("Were both the Battle of Saipan and Cardillac lost in 1944?",
         ("Was the Battle of Saipan lost in 1944?", "Was Cardillac lost in 1944?")),
        ("Do Kim and Ole both work in the shop?", ("Does Kim work in the shop?", "Does Ole work in the shop?")),
        ("Are both movies Emma and Persuasion long?", ("Is Emma long?", "Is Persuasion long?")),
        ("have kim and ole both paid", ("Has kim paid?", "Has ole paid?")),
    ],
)  # fmt: skip
def test_a_question_of_both_is_one_of_each(question: str, two: tuple[str, str]) -> None:
    assert tuple(asked for _, asked in halves(question)) == two


@pytest.mark.parametrize(
    "question",
    [
        "Are Emma and Persuasion by the same author?",
        "Are Emma and Persuasion both from the same year?",
        "Are Kim and Ole both married to each other?",
        "Is Emma a novel?",
        "Which novels are both long and good?",
        "Who wrote both Emma and Persuasion?",
        "both",
    ],
)
def test_no_other_question_is(question: str) -> None:
    assert halves(question) == ()


@pytest.mark.parametrize(
    ("emma", "persuasion", "said"),
    [(2.0, 3.0, "yes"), (2.0, -3.0, "no"), (-3.0, 2.0, "no"), (-4.0, -3.0, "no"), (2.0, -LEANING / 2, "yes")],
)
def test_both_are_if_each_is(emma: float, persuasion: float, said: str) -> None:
    chains = [chain("Emma is a novel.", "Persuasion is another."), chain("Of Kim.")]
    found = of_both(Knows(Emma=emma, Persuasion=persuasion), ASKED, chains)
    assert [one.text for one in found] == [said, "no" if said == "yes" else "yes"]
    assert found[0].score == min(abs(emma), abs(persuasion)) and found[0].score > found[1].score
    assert [hit.passage.text for hit in found[0].chain.hits] == ["Emma is a novel.", "Persuasion is another."]
    least = "Emma" if emma < persuasion else "Persuasion"
    assert least in found[0].chain.hits[found[0].hit].passage.text, "it stands where it is decided"


def test_only_passages_that_name_a_thing_are_read_for_it() -> None:
    reader = Knows(Emma=1.0, Persuasion=1.0)
    assert of_both(reader, ASKED, [chain("Emma is a novel."), chain("Of Kim.")]) == []
    assert reader.asked == ["Is Emma novels?"]
    assert of_both(reader, "Is Emma a novel?", [chain("Emma is a novel.")]) == []


def test_what_was_read_of_each_stands_for_the_whole() -> None:
    chains = [chain("Emma is a novel.", "Persuasion is another.")]
    assert [one.text for one in telling(Knows(Emma=2.0, Persuasion=-3.0), ASKED, chains)] == ["no", "yes"]
    assert telling(Knows(Emma=2.0), ASKED, chains)[0].text == "yes", "as a whole where nothing tells of one of them"
