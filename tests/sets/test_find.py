"""One find, from a query to its members: over documents in memory, with the stand-in judge and others made up."""

from __future__ import annotations

import numpy as np
import pytest

from answerable.privacy.provenance import TrainingProvenance
from answerable.sets.expression import atoms, read_expression
from answerable.sets.find import BATCH, Finder
from answerable.sets.find_settings import FindSettings
from answerable.sets.finding import Finding
from answerable.sets.judge import Floats
from answerable.sets.members import Evidence, Found
from answerable.sets.threshold import best_count
from answerable.types import Asker, Privacy, Query
from tests.sets.world import MIRRORED, NOTES, SOFTWARE, World, sought

BROWSERS = '"web browser" and "for qt"'


class Told:
    """A judge that was told what to say: by title, for every constraint."""

    name = "told"

    def __init__(self, shares: dict[str, float]) -> None:
        self.shares = shares
        self.read: list[list[tuple[str, str]]] = []

    def judge(self, constraints, texts) -> Floats:
        self.read.append(list(texts))
        rows = [[self.shares.get(title, 0.0)] * len(constraints) for title, _ in texts]
        return np.array(rows, np.float32).reshape(len(texts), len(constraints))


def found(world: World, expression: str, **given: object) -> Found:
    asked = sought(expression, **given)
    return Finding(asked, world.finder().find(asked)).found


def names(got: Found) -> list[str]:
    return [member.document for member in got.members]


def test_an_intersection_holds_what_fits_both() -> None:
    got = found(World({"wiki": SOFTWARE, "mail": {}}), BROWSERS)
    assert names(got) == ["falkon", "konqueror"] and got.count == 2
    assert all(member.evidence is Evidence.COMPLETE and member.label == frozenset() for member in got.members)
    first = got.members[1]
    assert first.source == "konqueror.txt" and first.title == "konqueror"
    assert [citation.text for citation in first.supports[0].citations] == ["Konqueror is a web browser for qt."]
    assert got.considered == 4 and got.interval[0] <= got.expected <= got.interval[1] + 1
    assert [hop.query.text for hop in got.hops][:3] == ["web browser and for qt", "web browser", "for qt"]


def test_a_union_holds_what_fits_either() -> None:
    got = found(World({"wiki": SOFTWARE, "mail": {}}), '"web browser" or "packs files"')
    assert set(names(got)) == {"konqueror", "falkon", "dillo", "gzip"}


def test_what_is_taken_away_is_left_out_with_the_sentence_that_says_so() -> None:
    got = found(World({"wiki": SOFTWARE, "mail": {}}), '"web browser" minus "reads mail"')
    assert set(names(got)) == {"falkon", "dillo"}
    assert [one.document for one in got.left_out] == ["konqueror"]
    against = got.left_out[0].supports[1]
    assert against.negated and against.citations[0].text == "Konqueror reads mail too."
    assert (
        found(World({"wiki": SOFTWARE, "mail": {}}, settings=FindSettings(left_out=0)), '"qt" minus "mail"').left_out
        == ()
    )


def test_words_that_are_taken_away_are_looked_for_in_whole_documents() -> None:
    deep = {"one": "web browser for qt. " * 30 + "It came by ferry.", "two": "web browser for qt. " * 30}
    got = found(World({"wiki": deep, "mail": {}}, size=60), '"web browser" minus "that mention ferries"')
    assert set(names(got)) == {"two"}
    assert [one.document for one in got.left_out] == ["one"]
    assert got.left_out[0].supports[1].citations[0].text == "It came by ferry."


def test_every_text_is_a_document_and_the_words_alone_decide() -> None:
    world = World({"wiki": SOFTWARE, "mail": {}})
    assert set(names(found(world, '"documents that mention mail"'))) == {"konqueror", "kmail", "mutt"}
    browsers = '"documents with the word web" minus "that mention mail"'
    assert set(names(found(world, browsers))) == {"falkon", "dillo"}


def test_nothing_fits_is_an_empty_set() -> None:
    got = found(World({"wiki": SOFTWARE, "mail": {}}), '"web browser" and "packs files"')
    assert got.members == () and got.count == 0 and got.interval[0] == 0
    assert found(World({"wiki": {}, "mail": {}}), '"qt"').considered == 0


def test_a_document_is_judged_by_its_best_passage() -> None:
    texts = {"long": "a page of nothing in itself. " * 6 + "it is a browser for qt."}
    got = found(World({"wiki": texts, "mail": {}}, size=29), '"browser"')
    assert names(got) == ["long"]
    short = World({"wiki": texts, "mail": {}}, size=29, settings=FindSettings(passages=1))
    assert names(found(short, '"browser"')) == []  # its first passage alone says nothing of it


def test_members_are_as_many_as_make_the_expected_f1_greatest() -> None:
    shares = {"konqueror": 0.45, "falkon": 0.4, "dillo": 0.35, "kmail": 0.05}
    world = World({"wiki": SOFTWARE, "mail": {}}, judge=Told(shares), settings=FindSettings(place=0.0, least=0.0))
    got = found(world, '"web browser" or "mail"', evidence=False)
    ordered = np.sort([*shares.values(), 0.0])[::-1]
    assert got.count == best_count(ordered) == 3 and got.members[0].probability == pytest.approx(0.45)
    assert got.expected == pytest.approx(ordered.sum(), abs=1e-6)
    fixed = World({"wiki": SOFTWARE, "mail": {}}, judge=Told(shares), settings=FindSettings(threshold=0.4, place=0.0))
    assert names(found(fixed, '"web browser" or "mail"')) == ["konqueror", "falkon"]


def test_many_that_are_unlikely_alike_are_no_set() -> None:
    many = {f"d{number}": "a web browser." for number in range(40)}
    judge = Told(dict.fromkeys(many, 0.15))
    for least, count in ((0.0, 40), (0.2, 0)):
        world = World({"wiki": many, "mail": {}}, judge=judge, settings=FindSettings(least=least, place=0.0))
        assert found(world, '"web browser"', evidence=False).count == count


def test_certain_members_come_before_all_is_judged_and_the_rest_after() -> None:
    many = {f"d{number:03}": "a web browser." for number in range(2 * BATCH)}
    shares = dict.fromkeys(many, 0.9) | {"d000": 0.49}
    judge = Told(shares)
    asked = sought('"web browser"', evidence=False)
    finder = World({"wiki": many, "mail": {}}, judge=judge).finder()
    finding = Finding(asked, finder.find(asked))
    stream = iter(finding)
    assert next(stream).document == "d001" and len(judge.read) == 1
    given = [finding.found.members[0].document, *(member.document for member in stream)]
    assert given[-1] == "d000" and len(finding) == 2 * BATCH
    assert [member.document for member in finding] == ["d001", *given[1:]]  # once more, the same
    assert finding.found.members[-1].document == "d000"  # best first


def test_a_limit_gives_the_best_and_counts_all() -> None:
    shares = {"konqueror": 0.7, "falkon": 0.9, "dillo": 0.8}
    judge = Told(shares)
    got = found(World({"wiki": SOFTWARE, "mail": {}}, judge=judge), '"web browser"', limit=2)
    assert names(got) == ["falkon", "dillo"] and got.count == 3
    assert not any(
        title == "konqueror" for read in judge.read[1:] for title, _ in read
    )  # sentences of those shown alone


def test_candidates_bound_what_is_judged() -> None:
    judge = Told({})
    got = found(
        World({"wiki": SOFTWARE, "mail": {}}, judge=judge, settings=FindSettings(candidates=2)), '"web browser"'
    )
    assert got.considered == 2 and sum(map(len, judge.read)) == 2


def test_members_carry_the_label_of_their_enclave_the_question_and_the_judge() -> None:
    world = World({"wiki": SOFTWARE, "mail": NOTES}, table=MIRRORED)
    got = found(world, BROWSERS)
    labels = {member.document: member.label for member in got.members}
    assert labels == {"falkon": frozenset(), "konqueror": frozenset(), "plan": frozenset({"mail"})}
    assert got.label == {"mail"}
    finder = world.finder()
    taught = Finder(
        finder.retriever,
        finder.judge,
        finder.openings,
        finder.document,
        finder.settings,
        TrainingProvenance(reader=frozenset({"mail"})),
    )
    asked = sought(BROWSERS)
    assert all(member.label == {"mail"} for member in Finding(asked, taught.find(asked)))


def test_private_words_do_not_go_to_a_public_host() -> None:
    world = World({"wiki": SOFTWARE, "mail": NOTES})
    tree = read_expression(BROWSERS)
    asked = sought(BROWSERS, privacy=Privacy.QUERY)
    got = Finding(asked, world.finder().find(asked)).found
    assert {name for name, _ in world.sent} == {"mail"} and names(got) == ["plan"]
    assert [hop.enclave for hop in got.hops if hop.refused] == ["wiki"] * 3
    guest = Query("web browser for qt", Asker("guest", frozenset({"wiki"})))
    world.sent.clear()
    asked = sought(BROWSERS)
    theirs = Finding(asked, world.finder().find(type(asked)(guest, tree)))
    assert {name for name, _ in world.sent} == set() and len(theirs) == 2
    assert {name for name, _ in world.sent} == {"wiki"} and atoms(theirs.expression) == atoms(tree)


def test_what_goes_wrong_is_raised_each_time_somebody_looks() -> None:
    finder = World({"wiki": SOFTWARE, "mail": {}}).finder()
    finder.retriever.indexes["wiki"].fails = True  # type: ignore[attr-defined]
    asked = sought(BROWSERS)
    finding = Finding(asked, finder.find(asked))
    for _ in range(2):
        with pytest.raises(OSError, match="disk"):
            list(finding)
    with pytest.raises(OSError, match="disk"):
        _ = finding.found
    assert finding.query == "web browser and for qt" and finding.alternatives == ()


def test_what_is_as_likely_as_not_excluded_is_no_member_whatever_the_rest_says() -> None:
    class Half(Told):
        def judge(self, constraints, texts) -> Floats:
            said = super().judge(constraints, texts)
            return np.where([[one == "packs files" for one in constraints]], np.float32(0.5), said)

    shares = {"konqueror": 0.9, "falkon": 0.8}
    world = World({"wiki": SOFTWARE, "mail": {}}, judge=Half(shares), settings=FindSettings(least=0.0))
    assert found(world, '"web browser" minus "packs files"').members == ()
    assert names(found(world, '("web browser" minus "packs files") or "mail"'))[:2] == ["konqueror", "falkon"]


def test_what_says_first_that_it_is_excluded_is_no_member_whatever_the_judge_says() -> None:
    texts = {"one": "data files for a game. It is old.", "two": "a game. Its data files are elsewhere."}

    class Blind(Told):
        """A judge that sees no data files."""

        def judge(self, constraints, texts) -> Floats:
            return super().judge(constraints, texts) * ["data" not in one for one in constraints]

    world = World({"wiki": texts, "mail": {}}, judge=Blind({"one": 0.9, "two": 0.9}))
    assert names(found(world, '"game" minus "data files"', evidence=False)) == ["two"]


def test_what_was_taken_apart_is_also_judged_as_it_was_asked() -> None:
    class Whole(Told):
        """A judge that knows only by the whole query which is meant."""

        def judge(self, constraints, texts) -> Floats:
            said = super().judge(constraints, texts)
            at = [one == "browsers for qt" for one in constraints]
            return np.where(at, said, np.float32(0.4))

    world = World({"wiki": SOFTWARE, "mail": {}}, judge=Whole({"konqueror": 0.95, "falkon": 0.05}))
    asked = found(world, '"browsers" and "for qt"', whole="browsers for qt", evidence=False)
    assert names(asked)[0] == "konqueror" and asked.members[0].probability > 0.4
    alone = found(world, '"browsers" and "for qt"', evidence=False)
    assert max(one.probability for one in alone.members) <= 0.41


class Unsure(Told):
    """A judge that is half as sure of "american" as of the rest."""

    def judge(self, constraints, texts) -> Floats:
        shares = super().judge(constraints, texts)
        return shares * [0.6 if "american" in one else 1.0 for one in constraints]


def test_what_is_as_likely_excluded_given_the_rest_is_no_member() -> None:
    texts = {"one": "album one. american.", "two": "album two. english."}
    world = World({"wiki": texts, "mail": {}}, judge=Unsure({"one": 0.4, "two": 0.4}))
    assert not names(found(world, '"album" minus "american"', evidence=False))


def test_it_looks_as_far_as_there_are_members() -> None:
    many = {f"d{number:03}": "a web browser." for number in range(6 * BATCH)}
    for fitting, looked in ((20, 2), (3 * BATCH, 4), (6 * BATCH, 6)):
        judge = Told({name: 0.9 for number, name in enumerate(many) if number < fitting})
        world = World({"wiki": many, "mail": {}}, judge=judge, settings=FindSettings(place=0.0))
        got = found(world, '"web browser"', evidence=False)
        assert got.considered == looked * BATCH and got.possible == len(many) and got.count == fitting
        assert found(world, '"web browser"', evidence=False, exhaustive=True).considered == len(many)


def test_a_member_tells_its_kind() -> None:
    assert {member.kind for member in found(World({"wiki": SOFTWARE, "mail": {}}), BROWSERS).members} == {"text"}


def test_a_year_elsewhere_speaks_against_a_document_and_against_its_exclusion() -> None:
    films = {"a": "one of the films of 1984.", "b": "one of the films of 1979.", "c": "one of the films."}
    world = World({"wiki": films, "mail": {}}, judge=Told(dict.fromkeys(films, 0.8)), settings=FindSettings(place=0.0))
    got = found(world, '"films of the 1980s"')
    assert set(names(got)) == {"a", "c"} and got.expected == pytest.approx(0.8 + 0.8 + 0.16)
    assert names(found(world, '"films" minus "films of the 1980s"')) == ["b"]


def test_where_nothing_is_taken_away_nothing_is_left_out() -> None:
    many = {f"d{number:03}": "a web browser." for number in range(BATCH)}
    got = found(World({"wiki": many, "mail": {}}, judge=Told(dict.fromkeys(many, 0.5))), '"web browser"')
    assert got.left_out == () and got.members[-1].probability < 0.5


def test_what_was_judged_is_not_judged_again() -> None:
    judge = Told({"konqueror": 0.9, "falkon": 0.8})
    finder = World({"wiki": SOFTWARE, "mail": {}}, judge=judge).finder()
    asked = sought('"web browser" and "reads mail"')
    first = Finding(asked, finder.find(asked)).found
    read = len(judge.read)
    again = Finding(asked, finder.find(asked)).found
    narrowed = sought('"reads mail"', query=asked.query.text)
    assert Finding(narrowed, finder.find(narrowed)).found.considered == again.considered
    assert len(judge.read) == read and again.members == first.members
