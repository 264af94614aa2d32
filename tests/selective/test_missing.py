"""What was refused, how likely it was needed, and what is said of it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import ModelError
from answerable.privacy.enclaves import QUESTION, EnclaveTable, mirror, private, public
from answerable.selective import missing_features as signs
from answerable.selective.features import squash
from answerable.selective.missing import NAMES, Predictor, Regression, kept_back, refused_steps, sentence
from answerable.types import NO_INDEX, UNREACHABLE, Asker, Barred, Hit, Hop, Label, Passage, Query, Skill

TABLE = EnclaveTable(
    [public("wiki"), mirror("copy"), private("mail"), private("clinic"), private("crm", admits=["mail"])]
)
EVEN = Regression((0.0,) * len(NAMES), 0.0, 0.5)
SECRET = "xyzzy"


def hop(
    enclave: str, refused: str | None, label: Label = frozenset(), read: bool = True, asker: Asker = Asker()
) -> Hop:
    passage = Passage("p", "d", "mail", SECRET, f"{SECRET} {SECRET}", 0, 11)
    query = Query("Who?", asker, label, (passage,) if read else ())
    hits = () if refused else (Hit(passage, 1.0, frozenset({"mail"}), Skill.SINGLE),)
    return Hop(query, Skill.EXPANDED, enclave, refused, hits, 0.0)


MAIL, BOTH = frozenset({"mail"}), frozenset({"mail", "clinic"})


def test_the_steps_that_were_refused() -> None:
    hops = [hop("mail", None), hop("wiki", "no", MAIL), hop("wiki", "no", MAIL), hop("crm", "no", BOTH)]
    assert refused_steps("Who?", hops, TABLE) == (("clinic", "crm"), ("mail", "wiki"))  # crm admits mail
    assert not kept_back(hops, TABLE)


def test_refusals_that_are_not_for_privacy_do_not_count() -> None:
    cleared = Asker("guest", frozenset({"mail"}))
    others = [hop("mail", f"mail {NO_INDEX}"), hop("wiki", f"wiki {UNREACHABLE}: it is down", MAIL)]
    assert refused_steps("Who?", [*others, hop("wiki", "guest is not cleared", MAIL, asker=cleared)], TABLE) == ()
    assert Predictor(EVEN, EVEN).predict("Who?", others, [], 0.1, TABLE) is None


def test_a_question_that_was_kept_back_is_all_that_is_said_of_its_enclave() -> None:
    asked = frozenset({QUESTION})
    hops = [hop("wiki", "no", asked, read=False), hop("mail", None, asked, read=False), hop("wiki", "no", MAIL | asked)]
    assert refused_steps("Who?", hops, TABLE) == ((QUESTION, "wiki"),)
    assert kept_back(hops, TABLE)
    granted = [hop("wiki", None, asked, read=False), hop("wiki", "no", MAIL | asked)]
    assert refused_steps("Who?", granted, TABLE) == (("mail", "wiki"),)
    part = [replace(granted[0], query=replace(granted[0].query, text="a part")), *granted[1:]]
    assert refused_steps("Who?", part, TABLE) == ((QUESTION, "wiki"),)


def test_what_is_said() -> None:
    assert sentence((("mail", "wiki"),)) == (
        "it may need a step from mail to wiki, which this privacy refuses; a mirror of wiki or a grant would allow it"
    )
    assert sentence(((QUESTION, "wiki"),)).startswith("it may need wiki itself, which")
    assert "a step from clinic or mail to news or a step from mail to wiki" in sentence(
        (("clinic", "news"), ("mail", "news"), ("mail", "wiki"))
    )


def test_the_question_itself_has_weights_of_its_own() -> None:
    predictor = Predictor(replace(EVEN, bias=-2.0), replace(EVEN, bias=2.0))
    step = predictor.predict("Who?", [hop("wiki", "no", MAIL)], [], 0.0, TABLE)
    whole = predictor.predict("Who?", [hop("wiki", "no", frozenset({QUESTION}), read=False)], [], 0.0, TABLE)
    assert step is not None and not step.likely and step.probability == pytest.approx(0.1192, abs=1e-4)
    assert whole is not None and whole.likely and whole.steps == ((QUESTION, "wiki"),)


def test_a_probability_equal_to_the_threshold_is_likely_and_all_signs_are_weighed() -> None:
    hops = [hop("wiki", None, frozenset({QUESTION}), read=False), hop("wiki", "no", MAIL | {QUESTION})]
    weights = tuple(0.1 * (n + 1) for n in range(len(NAMES)))
    found = signs.signs("Who?", hops, [], MAIL)
    probability = squash(-1.0 + sum(w * f for w, f in zip(weights, (0.5, *found), strict=True)))
    exact = Regression(weights, -1.0, probability)
    told = Predictor(exact, EVEN).predict("Who?", hops, [], 0.5, TABLE)
    assert told == Barred((("mail", "wiki"),), probability, True)
    above = replace(exact, threshold=math.nextafter(probability, 1.0))
    doubted = Predictor(above, EVEN).predict("Who?", hops, [], 0.5, TABLE)
    assert doubted is not None and not doubted.likely


NUMBERS = st.lists(st.floats(-50, 50), min_size=len(NAMES), max_size=len(NAMES)).map(tuple)
SIGNS = st.lists(st.floats(0, 1), min_size=len(NAMES), max_size=len(NAMES))


@given(NUMBERS, st.floats(-50, 50), SIGNS, st.integers(0, len(NAMES) - 1), st.floats(0, 1))
def test_the_probability_is_one_and_follows_the_sign_of_each_weight(
    weights: tuple[float, ...], bias: float, found: list[float], at: int, value: float
) -> None:
    regression = Regression(weights, bias, 0.5)
    moved = [*found[:at], value, *found[at + 1 :]]
    before, after = regression.probability(found), regression.probability(moved)
    assert 0.0 <= before <= 1.0
    assert (after - before) * (value - found[at]) * weights[at] >= -1e-9


WORDS = st.sampled_from(["mail", "clinic", "crm", QUESTION])


@given(st.lists(st.tuples(WORDS, st.sampled_from(["wiki", "crm", "copy"])), min_size=1, max_size=6, unique=True))
def test_the_sentence_holds_names_of_enclaves_and_nothing_else(pairs: list[tuple[str, str]]) -> None:
    said = sentence(tuple(sorted(pairs)))
    ours = set(sentence((("mail", "wiki"),)).replace(",", "").replace(";", "").split()) - {"mail", "wiki"}
    assert set(said.replace(",", "").replace(";", "").split()) - ours <= {*TABLE, "itself"}


def test_it_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    made = Predictor(Regression(tuple(map(float, range(len(NAMES)))), -1.0, 0.4), EVEN, "made up")
    made.save(tmp_path / "barred.json")
    assert Predictor.load(tmp_path / "barred.json") == made
    raw = json.loads((tmp_path / "barred.json").read_text())
    for damaged in (
        {**raw, "weighed": ["luck"]},
        {**raw, "step": {}},
        [],
        {**raw, "step": {**raw["step"], "weights": [1]}},
    ):
        (tmp_path / "barred.json").write_text(json.dumps(damaged))
        with pytest.raises(ModelError, match="predictor"):
            Predictor.load(tmp_path / "barred.json")


def test_one_weight_for_each_sign() -> None:
    assert len(NAMES) == len(signs.NAMES) + 1
    with pytest.raises(ModelError, match="not finite"):
        replace(EVEN, bias=float("nan"))
