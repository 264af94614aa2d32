"""When the benchmark of parsing counts trees as the same."""

from answerable.evaluation.metrics.trees import agree
from answerable.sets.expression import read_expression as tree
from answerable.training.trees import Pool
from parsing import agree_in_gist, agree_in_parts, unseen


def test_parts_of_an_intersection_may_be_one():
    one, other = (
        tree('"jazz albums of the 1960s" minus "live"'),
        tree('("jazz albums" and "of the 1960s") minus "live"'),
    )
    assert agree_in_parts(one, other) and not agree(one, other)
    assert not agree_in_parts(one, tree('("jazz albums" or "of the 1960s") minus "live"'))
    assert not agree_in_parts(tree('"trees of Peru and Chile"'), tree('"trees of Peru" and "trees of Chile"'))


def test_atoms_may_be_in_other_words_of_the_same_gist():
    assert agree_in_gist(tree('"1900s historical films"'), tree('"Historical films from the 1900s"'))


def test_unseen_patterns_are_as_many_as_wanted():
    assert len(unseen([Pool(("birds", "trees", "moths", "bees"), ("found in Asia",))], 20, 3)) == 20
