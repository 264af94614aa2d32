"""What was found, named as the data names it, and measured."""

from answerable.datasets.examples import Example
from answerable.evaluation.tasks.passages import answer_scores, found, leaks, name_of, path_scores
from answerable.privacy.enclaves import EnclaveTable, mirror, private, public
from answerable.types import PUBLIC, Chain, Hit, Hop, Label, Passage, Query, Skill


def chain(*documents: str, text: str = "") -> Chain:
    hits = tuple(
        Hit(Passage(f"{id}/0", f"pool.jsonl#{id}", "wiki", id, f"{id} {text}", 0, 1), 0.5, PUBLIC, Skill.SINGLE)
        for id in documents
    )
    return Chain(hits, 1.0, PUBLIC)


def test_names_are_those_of_the_data():
    assert name_of("pool.jsonl#Q42", {"Q42"}) == "Q42"
    assert name_of("notes/kopu.md", {"notes/kopu.md"}) == "notes/kopu.md"
    assert name_of("a#b.jsonl#C#1", {"C#1"}) == "C#1"
    assert name_of("box.mbox#m1", {"box.mbox#m1"}) == "box.mbox#m1"
    assert name_of("pool.jsonl#C#1", {"D"}) == "C#1"
    assert name_of("kopu.md", set()) == "kopu.md"


def test_a_record_holds_ids_and_the_rank_of_the_answer():
    example = Example("q", "?", ("Mart",), ("b", "c"))
    kept = found(example, [chain("a", "b"), chain("a", "c", text="by mart."), chain("a")])
    assert kept == {"ranking": [["a", 0.5], ["b", 0.5], ["c", 0.5]], "chains": [["a", "b"], ["a", "c"], ["a"]],
                    "answer_rank": 3}  # fmt: skip
    assert answer_scores(kept, (2, 3)) == {"answer recall@2": 0.0, "answer recall@3": 1.0}
    assert answer_scores({"answer_rank": None}, (5,)) == {"answer recall@5": 0.0}


def test_yes_and_no_have_no_rank():
    for answers in (("yes",), ("No",), ()):
        kept = found(Example("q", "?", answers, ("b",)), [chain("b")])
        assert "answer_rank" not in kept and answer_scores(kept, (1,)) == {}


def test_paths_are_measured_over_the_longest_chains():
    example = Example("q", "?", ("x",), ("a", "b"))
    record = {"chains": [["a", "c"], ["b", "a"], ["a"], ["b"]]}
    assert path_scores(example, record, (1, 2)) == {
        "passage EM": 0.0,
        "path recall@1": 0.0,
        "path recall@2": 1.0,
        "passage recall@1": 0.5,
        "passage recall@2": 1.0,
    }
    singles = {"chains": [["b"], ["a"], ["c"]]}
    assert path_scores(example, singles, (1,)) == {"passage EM": 1.0, "passage recall@1": 0.5}
    assert path_scores(example, {"chains": []}, (1,)) == {"passage EM": 0.0, "passage recall@1": 0.0}
    assert path_scores(Example("q", "?", ("x",)), record, (1,)) == {}


def test_leaks_are_counted_from_what_was_sent():
    table = EnclaveTable([public("wiki"), mirror("copy"), private("mail"), private("safe", admits=["mail"])])

    def hop(enclave: str, label: Label, refused: str | None = None) -> Hop:
        return Hop(Query("?", label=label), Skill.SINGLE, enclave, refused, (), 0.0)

    mail = frozenset({"mail"})
    fine = [hop("wiki", PUBLIC), hop("wiki", mail, "no"), hop("copy", mail), hop("mail", mail), hop("safe", mail)]
    assert leaks(fine, table) == 0
    assert leaks([*fine, hop("wiki", mail), hop("safe", frozenset({"question"}))], table) == 2
