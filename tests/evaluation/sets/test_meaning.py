"""What a data set says of its queries' meaning."""

import json
from pathlib import Path

import pytest

from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.errors import FormatError
from answerable.evaluation.sets.meaning import TEMPLATES, asked_alone, meant, read_atoms, template
from answerable.sets.expression import And, Atom, Expression, Minus, Or, printed

WORDS = {"_": "A", "_ or _": "A or B", "_ that are also _": "A that are also B", "_ that are not _": "A that are not B"}


@pytest.mark.parametrize("known", TEMPLATES)
def test_marks_in_a_template_make_its_tree(known: str):
    marked = known
    for name in "ABC"[: known.count("_")]:
        marked = marked.replace("_", f"<mark>{name} s</mark>", 1)
    found = meant(Example("1", "?", ("x",), kind=known, meta={"original_query": marked}))
    assert found is not None and template(found) == known


def test_the_data_s_own_expression_comes_first_and_must_be_one():
    example = Example("1", "?", ("x",), kind="_", meta={"original_query": "<mark>A</mark>", "expression": '"b" or "c"'})
    found = meant(example)
    assert found is not None and printed(found) == '"b" or "c"'
    with pytest.raises(FormatError):
        meant(Example("1", "?", ("x",), meta={"expression": "secret"}))
    assert meant(Example("1", "?", ("x",), kind="_ or _", meta={"original_query": "<mark>A</mark>"})) is None
    assert meant(Example("1", "?", ("x",))) is None


def test_queries_of_one_constraint_tell_its_documents(tmp_path: Path):
    rows = [
        {"query": "reds", "docs": ["a", "b"], "original_query": "<mark>Red</mark>", "metadata": {"template": "_"}},
        {"query": "all", "docs": ["c"], "original_query": "<mark>X</mark> or <mark>Y</mark>",
         "metadata": {"template": "_ or _"}, "expression": '"X" or "Y"'},
    ]  # fmt: skip
    path = tmp_path / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    examples = list(load(path))
    assert asked_alone(examples) == {"Red": frozenset({"a", "b"})}
    assert meant(examples[0]) == Atom("Red") and examples[1].meta["expression"] == '"X" or "Y"'


def test_atoms_are_lines(tmp_path: Path):
    path = tmp_path / "atoms.jsonl"
    path.write_text('{"atom": "red", "docs": ["a", "b"], "split": "val", "kind": "colour"}\n')
    assert read_atoms(path) == {"red": frozenset("ab")}
    path.write_text('{"atom": "red"}\n')
    with pytest.raises(FormatError):
        read_atoms(path)


A, B, C = Atom("A"), Atom("B"), Atom("C")


@pytest.mark.parametrize(
    ("tree", "of"),
    [
        (A, "_"),
        (Or((A, B)), "_ or _"),
        (And((A, B)), "_ that are also _"),
        (Minus(A, B), "_ that are not _"),
        (Or((A, B, C)), "_ or _ or _"),
        (And((A, B, C)), "_ that are also both _ and _"),
        (Minus(And((A, B)), C), "_ that are also _ but not _"),
        (Minus(A, Or((B, C))), None),
        (Or((A, And((B, C)))), None),
    ],
)
def test_templates(tree: Expression, of: str | None) -> None:
    assert template(tree) == of
    assert of is None or of in TEMPLATES
