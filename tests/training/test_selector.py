from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from answerable.errors import FormatError, UsageError
from answerable.selective.calibrate import Calibration
from answerable.selective.features import NAMES
from answerable.selective.missing import Predictor
from answerable.training import selector
from answerable.training.selector import (
    EVEN,
    Asked,
    Judged,
    SelectorRecipe,
    fit_selector,
    judged_in,
    load_questions,
    train_selector,
)
from answerable.workspace.opening import open_workspace
from tests.training.files import write_lines


def test_questions_of_every_form_are_read(tmp_path: Path) -> None:
    rows = [
        {"question": "a", "answer": "x", "aliases": ["y"]},
        {"question": "b", "answers": ["z"], "covered": True},
        {"question": "c", "answer": "gone", "covered": False},
    ]
    path = write_lines(tmp_path / "q.jsonl", rows)
    assert list(load_questions(path)) == [Asked("a", ("x", "y")), Asked("b", ("z",)), Asked("c", ())]


@pytest.mark.parametrize(
    ("name", "held", "told"),
    [
        ("q.jsonl", b'{"question": "a"}', r"line 1 of q\.jsonl is not a question"),
        ("q.jsonl", b"[1]", r"q\.jsonl: record 1 is not a JSON object"),
        ("q.jsonl", b"\xff", r"q\.jsonl is not UTF-8 text"),
        ("q.jsonl", b"[" * 100_000, "record 1 is not JSON"),
        ("q.json", b"[1]", r"q\.json is not JSON of the form expected"),
        ("q.json", b'{"data": [{}]}', r"q\.json is not in the format of SQuAD"),
        ("none/q.jsonl", None, "cannot open .*: No such file"),
    ],
)
def test_what_holds_no_questions_is_named(tmp_path: Path, name: str, held: bytes | None, told: str) -> None:
    if held is not None:
        (tmp_path / name).write_bytes(held)
    with pytest.raises((FormatError, UsageError), match=told):
        list(load_questions(tmp_path / name))


def test_the_fit_prefers_what_goes_with_being_right() -> None:
    low, high = (0.1,) * len(NAMES), (0.9,) * len(NAMES)
    judged = [Judged(high, True)] * 40 + [Judged(high, False)] * 4 + [Judged(low, False)] * 40 + [Judged(low, True)] * 4
    made = fit_selector(judged, risk=0.1, fitted_on="made up")
    assert made.confidence(high) == pytest.approx(40 / 44, abs=0.05)
    assert made.confidence(low) == pytest.approx(4 / 44, abs=0.05)
    assert made.confidence(low) < made.threshold <= made.confidence(high)
    assert made.paths == {} and made.least(0.1) == made.threshold and made.least(0.5) <= made.confidence(low)
    assert fit_selector([*judged, Judged((), False)], 0.1, "made up") == made
    with pytest.raises(FormatError, match="rightly"):
        fit_selector([Judged(low, True)], 0.1, "")


def test_yes_and_no_are_fitted_by_themselves() -> None:
    def polar(score: float) -> tuple[float, ...]:
        return tuple({"score": score, "polar": 1.0}.get(name, 0.9) for name in NAMES)

    low, high = (0.1,) * len(NAMES), (0.9,) * len(NAMES)
    spans = [Judged(high, at < 36) for at in range(40)] + [Judged(low, at < 4) for at in range(40)]
    asked = [Judged(polar(0.7), at < 32) for at in range(40)] + [Judged(polar(0.3), at < 4) for at in range(40)]
    made, alone = fit_selector([*spans, *asked], 0.25, "made up"), fit_selector(spans, 0.25, "made up")
    assert (made.weights, made.bias, made.paths) == (alone.weights, alone.bias, alone.paths) and alone.polar == ()
    assert made.confidence(polar(0.7)) == pytest.approx(0.8, abs=0.02)
    assert made.confidence(polar(0.3)) == pytest.approx(0.1, abs=0.02)
    assert fit_selector([*spans, *asked[:20]], 0.25, "made up").polar == ()  # all of them right: nothing to learn


def test_the_fit_learns_what_a_path_says() -> None:
    even = (0.5,) * len(NAMES)
    judged = [Judged(even, i % 2 == 0, "public") for i in range(80)] + [
        Judged(even, i % 8 == 0, "falling") for i in range(80)
    ]
    made = fit_selector(judged, 0.5, "made up")
    assert made.confidence(even, "falling") < made.confidence(even) - 0.05 < made.confidence(even, "public") - 0.1
    assert made.least(0.5) == pytest.approx(made.confidence(even, "public"))
    assert made.least(0.5) < made.threshold == EVEN  # nothing that is likelier wrong is given unless it is asked for


WIKI = [
    {"_id": "tuskar", "title": "Tuskar Rock", "text": "Tuskar Rock Lighthouse was built by William Marshal in 1207."},
    {"_id": "marshal", "title": "William Marshal", "text": "William Marshal was born in 1146 in England."},
    {"_id": "kopu", "title": "Kopu Lighthouse", "text": "Kopu Lighthouse was completed in 1531 on Hiiumaa."},
    {"_id": "rock", "title": "Bell Rock", "text": "Bell Rock Lighthouse was built by Robert Stevenson in 1810."},
    {"_id": "robert", "title": "Robert Stevenson", "text": "Robert Stevenson was born in 1772 in Scotland."},
]
NOTHING = {"supporting": [], "context": [], "covered": True}


def test_a_recipe_over_two_enclaves_fits_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ENCODER": "hashed", "READER": "overlap"}.items():
        monkeypatch.setenv(f"ANSWERABLE_MODELS_{name}", value)
    monkeypatch.setattr(selector, "FITTED", 1.0)
    data, out = tmp_path / "data" / "pool", tmp_path / "out"
    write_lines(data / "passages.jsonl", WIKI)
    rows = [
        {"_id": f"q{i}", "question": question, "answer": answer, "type": kind, "gold": gold, **NOTHING}
        for i, (question, answer, kind, gold) in enumerate([
            ("When was the man born who built Tuskar Rock?", "1146", "2hop", ["tuskar", "marshal"]),
            ("When was the man born who built Bell Rock?", "1772", "2hop", ["rock", "robert"]),
            ("When was Kopu Lighthouse completed?", "1531", "1hop", ["kopu"]),
            ("Who built Bell Rock Lighthouse?", "Robert Stevenson", "1hop", ["rock"]),
            ("In which year did William Marshal go to Rome?", "1190", "1hop", ["marshal"]),
        ])
    ]  # fmt: skip
    write_lines(data / "dev.jsonl", rows)
    one = {"corpus": "pool/passages.jsonl", "private": 0.5, "questions": {"pool/dev.jsonl": 9}}
    modes = ["none", "document", "query"]
    made = train_selector(SelectorRecipe.of({"sets": [{**one, "privacy": modes}]}), tmp_path / "data", out)
    assert made == Calibration.load(out / "calibration.json")
    assert made.fitted_on == "5 of pool/dev.jsonl over two enclaves" and len(made.paths) > 1
    predictor = Predictor.load(out / "barred.json")
    assert predictor.step != predictor.question


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ([], "no sets"),
        ([{"corpus": "c"}], "sets.questions"),
        ([{"corpus": "c", "questions": {}, "private": 0.5}], "what each privacy refuses"),
        ([{"corpus": "c", "questions": {}, "private": 0.5, "privacy": ["document"]}], "what each privacy refuses"),
        ([{"corpus": "c", "questions": {}, "private": 0.5, "privacy": ["secret"]}], "secret"),
    ],
)
def test_a_recipe_that_could_not_be_fitted_is_refused_before_anything_is_asked(
    sets: list[dict[str, object]], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        SelectorRecipe.of({"sets": sets})


def test_workspaces_that_are_there_are_asked_their_own_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_ins: None
) -> None:
    monkeypatch.chdir(tmp_path)
    lamp = "Alan Stevenson designed the lamp of Skerryvore in 1844."
    Path("lamp.txt").write_text(lamp, encoding="utf8")
    with open_workspace(tmp_path / "made/lamps/workspace", create=True) as opened:
        opened.index(["lamp.txt"], "notes")
        question = "Who designed the lamp of Skerryvore?"
        asked = [Asked(question, ("Alan Stevenson",)), Asked(question, ())]
        judged = judged_in(opened, asked, opened.settings.ask.privacy)
        assert [one.right for one in judged] == [True, False]
        assert judged[0].features == judged[1].features != () and judged[0].shown is None
    rows = [
        {"question": question, "answers": ["Alan Stevenson"], "workspace": "lamps"},
        {"question": "Who sold the lamp of Skerryvore?", "answers": [], "workspace": "lamps"},
        {"question": "Who?", "answers": ["x"], "workspace": "elsewhere"},
    ]
    write_lines(Path("asked.jsonl"), rows)
    recipe = SelectorRecipe.of({"risk": 0.6, "sets": [{"workspaces": "made", "questions": {"asked.jsonl": 9}}]})
    Path("out").mkdir()
    made = train_selector(recipe, tmp_path, Path("out"))
    assert made.fitted_on == "2 of lamps" and Calibration.load(Path("out/calibration.json")) == made


def test_the_threshold_is_of_the_answers_that_would_be_given() -> None:
    high, low = (3.0,) * len(NAMES), (-3.0,) * len(NAMES)
    told = [Judged(high, True)] * 40 + [Judged(low, False)] * 40
    alone = fit_selector(told, 0.1, "made up")
    surer = [*told, *[Judged(low, False, others=(Judged(high, False),))] * 40]
    assert alone.threshold == pytest.approx(alone.confidence(high))
    assert fit_selector(surer, 0.1, "made up").threshold == 1.0  # half of what would be given is wrong


def test_questions_that_follow_on_others_are_left_out(tmp_path: Path) -> None:
    rows = [{"question": "Who leads it?", "answers": ["Ana"]}, {"question": "And who?", "before": ["Who leads it?"]}]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    assert [one.question for one in load_questions(path)] == ["Who leads it?"]


def test_how_sure_the_surest_of_several_is_is_how_often_it_is_right() -> None:
    drawn = random.Random(4)

    def answer() -> Judged:
        score = drawn.gauss(0.0, 1.0)
        return Judged((score, *[0.0] * (len(NAMES) - 1)), drawn.random() < 1 / (1 + math.exp(2 - score)))

    judged = [replace(answer(), others=tuple(answer() for _ in range(5))) for _ in range(1500)]
    made = fit_selector(judged, 0.5, "made up")
    surest = [max((one, *one.others), key=lambda each: made.confidence(each.features)) for one in judged]
    assert fmean(made.confidence(one.features) for one in surest) == pytest.approx(
        fmean(one.right for one in surest), abs=0.005
    )
