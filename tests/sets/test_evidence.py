"""The sentences that show why: which, of what, and how much of a membership they show."""

from __future__ import annotations

from functools import partial

from answerable.sets.bounds import judged_within
from answerable.sets.evidence import SENTENCES, completeness, supports, unread
from answerable.sets.expression import read_expression
from answerable.sets.find_settings import FindSettings
from answerable.sets.members import Evidence, Support
from answerable.sets.overlap import OverlapJudge
from answerable.types import Citation, Document, Passage

TEXT = "Alpha reads mail. It is fast. It is made for Qt. Nobody reads mail faster."
CITED = Citation("x", "d", "wiki", 0, 1, "t", "s")


class Counting(OverlapJudge):
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def judge(self, constraints, texts):
        self.calls += 1
        return super().judge(constraints, texts)


def passage(text: str = TEXT, start: int = 0) -> Passage:
    return Passage(f"p{start}", "d", "wiki", "Alpha", text, start, start + len(text))


def stored(text: str = TEXT):
    return lambda one: Document(one.document_id, one.enclave, one.title, text, "d.txt")


def test_cites_the_sentences_that_show_each_constraint_as_they_are_stored() -> None:
    tree = read_expression('("read mail" and "for Qt") minus "slow"')
    judge = Counting()
    [told] = supports(
        tree, [([passage()], {"read mail": 0.9, "for Qt": 0.8, "slow": 0.1})], judge.judge, stored(), FindSettings()
    )
    assert judge.calls == 1
    assert [(one.constraint, one.negated, one.probability) for one in told] == [
        ("read mail", False, 0.9),
        ("for Qt", False, 0.8),
        ("slow", True, 0.1),
    ]
    assert [citation.text for citation in told[0].citations] == ["Alpha reads mail.", "Nobody reads mail faster."]
    assert [citation.text for citation in told[1].citations] == ["It is made for Qt."]
    assert told[2].citations == ()
    for one in told:
        assert all(TEXT[citation.start : citation.end] == citation.text for citation in one.citations)
    assert completeness(tree, told) is Evidence.COMPLETE


def test_takes_as_many_sentences_as_are_wanted_and_only_good_ones() -> None:
    fits = {"read mail": 0.9}
    tree = read_expression('"read mail"')
    [told] = supports(tree, [([passage()], fits)], OverlapJudge().judge, stored(), FindSettings(cited=1))
    assert len(told[0].citations) == 1
    [told] = supports(tree, [([passage()], fits)], OverlapJudge().judge, stored(), FindSettings(shows=0.99))
    assert told[0].citations == () and completeness(tree, told) is Evidence.NONE


def test_a_sentence_that_tells_the_size_shows_what_is_bounded_however_many_there_are() -> None:
    text = "A dam of Turkey. " + "A dam of stone. " * 9 + "It is 235 m high. It is 9 m high."
    tree = read_expression('"dams more than 50 m high"')
    [told] = supports(
        tree,
        [([passage(text)], {"dams more than 50 m high": 0.8})],
        OverlapJudge().judge,
        stored(text),
        FindSettings(cited=1),
    )
    assert [one.text for one in told[0].citations] == ["It is 235 m high."]


def test_what_is_read_is_not_judged() -> None:
    judge, text = Counting(), "A dam of Turkey. It is 235 m high. It is 9 m high."
    asked = partial(judged_within, judge.judge)
    fits = {"dams more than 50 m high": 0.8}
    [told] = supports(
        read_expression('"dams more than 50 m high"'), [([passage(text)], fits)], asked, stored(text), FindSettings()
    )
    assert [one.text for one in told[0].citations] == ["It is 235 m high."] and judge.calls == 0


def test_a_sentence_that_is_no_longer_stored_is_not_cited() -> None:
    [told] = supports(
        read_expression('"read mail"'),
        [([passage()], {"read mail": 0.9})],
        OverlapJudge().judge,
        stored("Changed."),
        FindSettings(),
    )
    assert told[0].citations == ()


def test_documents_are_read_together_and_kept_apart() -> None:
    judge = Counting()
    other = "Beta is made for Qt."
    both = [
        ([passage()], {"for Qt": 0.9}),
        ([Passage("b", "e", "wiki", "Beta", other, 0, len(other))], {"for Qt": 0.7}),
    ]
    told = supports(
        read_expression('"for Qt"'),
        both,
        judge.judge,
        lambda one: stored(other if one.id == "b" else TEXT)(one),
        FindSettings(),
    )
    assert judge.calls == 1
    assert [own[0].citations[0].text for own in told] == ["It is made for Qt.", "Beta is made for Qt."]
    assert supports(read_expression('"for Qt"'), [], judge.judge, stored(), FindSettings()) == []


def test_of_a_long_document_only_the_sentences_that_share_words_are_judged() -> None:
    text = " ".join(["It says nothing of it here."] * 40 + ["It reads mail."])
    seen: list[int] = []

    class Watching(OverlapJudge):
        def judge(self, constraints, texts):
            seen.append(len(texts))
            return super().judge(constraints, texts)

    [told] = supports(
        read_expression('"reads mail"'),
        [([passage(text)], {"reads mail": 0.9})],
        Watching().judge,
        stored(text),
        FindSettings(),
    )
    assert seen == [SENTENCES + 1] and told[0].citations[0].text == "It reads mail."


def test_sentences_are_asked_only_of_what_they_may_show() -> None:
    asked: list[tuple[str, ...]] = []

    class Watching(OverlapJudge):
        def judge(self, constraints, texts):
            asked.append(tuple(constraints))
            return super().judge(constraints, texts)

    fits = [{"read mail": 0.9, "for Qt": 0.05, "slow": 0.3}, dict.fromkeys(("read mail", "for Qt", "slow"), 0.05)]
    told = supports(
        read_expression('("read mail" or "for Qt") minus "slow"'),
        [([passage()], own) for own in (*fits, fits[0])],
        Watching().judge,
        stored(),
        FindSettings(),
    )
    assert asked == [("read mail",)]
    assert [bool(own[0].citations) for own in told] == [True, False, True]


def test_a_heading_shows_nothing() -> None:
    text = "## For Qt\n\nIt is made for Qt."
    [told] = supports(
        read_expression('"for Qt"'),
        [([passage(text)], {"for Qt": 0.9})],
        OverlapJudge().judge,
        stored(text),
        FindSettings(),
    )
    assert [one.text for one in told[0].citations] == ["It is made for Qt."]


def test_overlapping_passages_give_each_sentence_once() -> None:
    again = passage(TEXT[18:], 18)
    [told] = supports(
        read_expression('"for Qt"'),
        [([passage(), again], {"for Qt": 0.9})],
        OverlapJudge().judge,
        stored(),
        FindSettings(),
    )
    assert len(told[0].citations) == 1


def _told(**shown: tuple[float, bool]) -> list[Support]:
    return [Support(name, False, share, (CITED,) if cited else ()) for name, (share, cited) in shown.items()]


def test_only_the_parts_of_a_union_that_hold_count() -> None:
    tree = read_expression('"a" or "b"')
    assert completeness(tree, _told(a=(0.9, True), b=(0.1, False))) is Evidence.COMPLETE
    assert completeness(tree, _told(a=(0.9, False), b=(0.1, True))) is Evidence.NONE
    assert completeness(tree, _told(a=(0.9, False), b=(0.8, True))) is Evidence.COMPLETE
    assert completeness(tree, _told(a=(0.4, True), b=(0.3, False))) is Evidence.COMPLETE  # none holds: the likeliest


def test_an_intersection_is_shown_when_every_part_is() -> None:
    tree = read_expression('("a" and ("b" or "c")) minus "d"')
    rest = {"d": (0.0, False), "c": (0.1, False)}
    assert completeness(tree, _told(a=(0.9, True), b=(0.9, True), **rest)) is Evidence.COMPLETE
    assert completeness(tree, _told(a=(0.9, True), b=(0.9, False), **rest)) is Evidence.PARTIAL
    assert completeness(tree, _told(a=(0.9, False), b=(0.9, False), **rest)) is Evidence.NONE


def test_without_reading_there_are_probabilities_alone() -> None:
    told = unread(read_expression('"a" minus "b"'), {"a": 0.9, "b": 0.2})
    assert [(one.constraint, one.negated, one.citations) for one in told] == [("a", False, ()), ("b", True, ())]


def test_only_what_tells_of_a_bound_shows_it_and_documents_need_no_sentence() -> None:
    text = "It was by train. Then it was 2021."
    asked = partial(judged_within, OverlapJudge().judge)
    tree = read_expression('"before 2022" and "documents"')
    (told,) = supports(
        tree, [([passage(text)], {"before 2022": 1.0, "documents": 1.0})], asked, stored(text), FindSettings()
    )
    assert [[one.text for one in own.citations] for own in told] == [["Then it was 2021."], []]
    assert completeness(tree, told) is Evidence.COMPLETE
