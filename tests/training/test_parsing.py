"""Learning to rank readings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from answerable.evaluation.metrics.trees import agree
from answerable.sets.expression import Atom, read_expression
from answerable.sets.parsing.parser import expression
from answerable.training.parsing import Choices, choices, fit, readings
from answerable.training.trees import HELD, Pool, Said, drawn, marks, pools
from tests.training.files import write_lines

POOL = Pool(
    tuple(f"{noun} of {place}" for noun in ("birds", "trees", "moths") for place in ("Peru", "Chile", "Iran", "Fiji")),
    ("for children", "built with Qt", "that use OpenGL", "found in Asia"),
)


def test_the_weights_make_right_readings_likely_and_leave_out_rare_features():
    right, wrong, once = Counter({"good": 1, "both": 2}), Counter({"bad": 1, "both": 2}), Counter({"rare": 1})
    examples = [Choices((right, wrong), (True, False), 1.0)] * 6 + [Choices((once, wrong), (True, False), 1.0)]
    found = fit(examples, {})
    assert found["good"] > 0.5 and found["bad"] < -0.5 and "rare" not in found
    assert found == fit(examples, {})


def test_learning_reads_phrasings_of_other_atoms_right():
    taught = [one for one in (choices(said, {}, 8) for said in drawn([POOL], 90, 1)) if one]
    weights = fit(taught, {})
    swapped = str.maketrans("bBtmPCI", "cCwdBGO")
    other = Pool(tuple(text.translate(swapped) for text in POOL.nouns), ("for adults", "written with care"))
    asked = drawn([other], 30, 2)
    best = [max(readings(said.query, weights), key=lambda one: one.score) for said in asked]
    right = sum(agree(expression(item.node), said.tree) for item, said in zip(best, asked, strict=True))
    start = sum(
        agree(expression(max(readings(said.query, {}), key=lambda one: one.score).node), said.tree) for said in asked
    )
    assert right > start and right >= 0.7 * len(asked)


def test_a_query_none_of_whose_readings_is_right_teaches_nothing():
    assert choices(Said("cats or dogs", read_expression('"cows" minus "pigs"')), {}, 8) is None
    assert choices(Said("cats", Atom("cats")), {}, 8) is None


def test_a_marked_query_is_aligned_with_its_tree_of_other_words():
    said = Said(
        "Trees of Peru that aren't also in Chile", read_expression('"Trees of Peru" minus "Flora of Chile"'), True
    )
    found = choices(said, {}, 8)
    assert found is not None and any(found.right) and found.weight > 1


def test_atoms_and_patterns_are_kept_apart():
    kept, taught = POOL.part(True), POOL.part(False)
    assert sorted(kept.nouns + taught.nouns) == sorted(POOL.nouns) and not {*kept.nouns} & {*taught.nouns}
    assert 0 < HELD < 1
    assert drawn([POOL], 5, 4) == drawn([POOL], 5, 4) != drawn([POOL], 5, 5)


def test_marks_are_trees_of_their_template(tmp_path: Path):
    original = "<mark>A</mark> that are <mark>B</mark> but not <mark>C</mark>"
    row = {"query": "q", "original_query": original, "template": "_ that are also _ but not _", "docs": []}
    tree = read_expression('("A" and "B") minus "C"')
    assert list(marks(write_lines(tmp_path / "q.jsonl", [row]))) == [Said("q", tree, True)]


def test_nothing_that_is_taught_is_held_out(tmp_path: Path):
    kinds = {"a": {"kind": "noun", "name": "browsers"}, "b": {"kind": "modifier", "name": "for children"}}
    rows = [{"year": 1901, "title": "Hide and Seek", "genres": ["Comedy"], "cast": ["Ann Lee"]}] * 40
    write_lines(tmp_path / "debian/categories.json", [kinds])
    for name, texts in (("train", "AB"), ("val", "BC")):
        said = [{"domain": "books", "original_query": f"<mark>novels by {text}</mark>"} for text in texts]
        write_lines(tmp_path / f"quest/{name}.jsonl", said)
    write_lines(tmp_path / "quest/films.jsonl.gz", rows)
    taught, kept = pools(tmp_path, held=False), pools(tmp_path, held=True)
    words = [{text for pool in some for text in (*pool.nouns, *pool.modifiers)} for some in (taught, kept)]
    assert words[0] and words[1] and not words[0] & words[1]
    assert "novels by C" in words[1] and "novels by B" not in words[1]
