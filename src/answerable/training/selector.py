"""Fit the calibration: ask questions whose answers are known, and learn which features go with being right.

Over a corpus divided into a private and a public enclave, the same asks also teach which of them lacked a step that was
refused. The engine is asked first, then judged by the gold.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from answerable.chains.beam import foremost, gather
from answerable.datasets.load import load
from answerable.datasets.parts import share
from answerable.engine import OWNER, Engine
from answerable.errors import FormatError, UsageError
from answerable.evaluation.enclave_splits import FILES, PRIVATE, PUBLIC, QUESTIONS, Plan, split
from answerable.evaluation.metrics.answers import agrees, exact
from answerable.privacy.flow import first_query
from answerable.selective.calibrate import Calibration, fit, fit_offsets, threshold_for_risk, thresholds_by_risk
from answerable.selective.features import choices, is_polar, reader_log_odds
from answerable.selective.missing import FILE, Predictor, Regression, held_by, kept_back, refused_steps
from answerable.selective.missing_features import signs
from answerable.training.reading import lines_of, squad
from answerable.training.recipe import Kind, Made, Recipe
from answerable.types import Privacy
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

logger = logging.getLogger(__name__)

FITTED = 0.3
"""Share of a development set, by the questions' words, that calibrations are fitted on; the rest is for reports."""
_HINT = '{"question": "...", "answers": ["..."]} on each line of a .jsonl, or else JSON as SQuAD has it'
EVEN = 0.5
"""The least confidence of an answer that is given where nobody asks for a risk: below it a wrong one is likelier."""
TAUGHT = 6
"""How many answers of a question a calibration is fitted to: about as many as are shown."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with gold answers; none means that nothing in the corpus answers it.

    `slice` and `order`: of a split's questions, the domains of the hops and how their order is known. `workspace`: of
    several, which it is asked in.
    """

    question: str
    answers: tuple[str, ...]
    slice: str = ""
    order: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """The features of the answer a reader puts first, the path of its chain, and whether it is right (exact match).

    `features` is empty where there was no answer at all. `shown`: where something was refused, what the ask shows.
    `others`: the answers after it, in the same way; the surest of all is the one that an engine gives.
    """

    features: tuple[float, ...]
    right: bool
    path: str = "public"
    shown: Shown | None = None
    others: tuple[Judged, ...] = ()


def load_questions(path: Path) -> Iterator[Asked]:
    """Questions of a SQuAD-format file, or of a JSONL file: `question`, and `answers` or `answer` with `aliases`.

    A question marked `"covered": false` is one whose evidence is not in the corpus: no answer to it is right. One that
    follows on others (`before`) is none without them, and left out.
    Raises `FormatError` naming the line that is not a question, and as `lines_of`.
    """
    if ".jsonl" not in path.name:
        try:
            yield from (Asked(reading.question, reading.answers) for _, reading in squad(path, path.name))
        except (AttributeError, LookupError, TypeError) as error:
            raise FormatError(f"{path.name} is not in the format of SQuAD", hint=_HINT) from error
        return
    for number, row in enumerate(lines_of(path), 1):
        try:
            if row.get("before"):
                continue
            if not isinstance(row["question"], str):
                raise TypeError("no text")
            answers = row["answers"] if "answers" in row else [row["answer"], *row.get("aliases", ())]
            if row.get("covered") is False:
                answers = []
            told = (str(row.get(name, "")) for name in ("slice", "order", "workspace"))
            yield Asked(row["question"], tuple(map(str, answers)), *told)
        except (AttributeError, LookupError, TypeError) as error:
            raise FormatError(f"line {number} of {path.name} is not a question", hint=_HINT) from error


def judged_in(workspace: Workspace, questions: Iterable[Asked], privacy: Privacy) -> list[Judged]:
    """Ask each question under a privacy mode and judge the answer that the workspace's engine would give."""
    engine: Engine = workspace.engine()
    door, enclaves = engine.retriever.under(privacy), engine.retriever.enclaves
    judged = []
    for number, asked in enumerate(questions, 1):
        evidence = gather(first_query(asked.question, OWNER, privacy, enclaves), door, engine.beam)
        chains = foremost(evidence.chains, engine.settings.read)
        candidates = engine.reader.read(asked.question, chains)
        ranked = choices(asked.question, candidates, chains)
        shown = None
        if steps := refused_steps(asked.question, evidence.hops, enclaves):
            whole = kept_back(evidence.hops, enclaves)
            found = signs(asked.question, evidence.hops, candidates, held_by(steps))
            shown = Shown(found, whole, needed(asked.slice, asked.order, whole))
        agreeing = agrees if asked.workspace else _exactly
        told = [Judged(one.features, agreeing(one.text, asked.answers), one.path) for one in ranked]
        first = told[0] if told else Judged((), False)
        judged.append(replace(first, shown=shown, others=tuple(told[1:])))
        if number % 100 == 0:
            logger.info("%d questions asked, %d right", number, sum(j.right for j in judged))
    return judged


def _exactly(said: str, gold: Sequence[str]) -> bool:
    return bool(gold) and exact(said, gold) == 1.0


def fit_selector(judged: Sequence[Judged], risk: float, fitted_on: str) -> Calibration:
    """Weights and offsets from the first answers of all questions (`TAUGHT` of each), since they are what the engine
    chooses among; their scale, and the threshold that keeps the error to `risk`, from those that it would give. No
    threshold is below `EVEN`.

    Offsets are for the paths met, and for none where all are of one path. Questions for yes and no are fitted by
    themselves, where some are answered rightly and some are not.
    """
    answered = [j for j in judged if j.features]
    polar = [j for j in answered if is_polar(j.features)]
    polar = polar if len({j.right for j in polar}) == 2 else []
    ones = [j for j in answered if not polar or not is_polar(j.features)]
    taught = [one for j in ones for one in (j, *j.others)[:TAUGHT]]
    right = [one.right for one in taught]
    if len({j.right for j in ones}) < 2:
        raise FormatError("a calibration needs questions answered rightly and questions answered wrongly")
    weights, bias = fit([one.features for one in taught], right)
    raw = Calibration(weights, bias, 0.5, fitted_on)
    paths = [one.path for one in taught]
    if len({*paths}) > 1:
        raw = replace(raw, paths=fit_offsets([raw.log_odds(one.features) for one in taught], paths, right))
    surest = [max((j, *j.others), key=lambda one: raw.confidence(one.features, one.path)) for j in ones]
    raw = _scaled(raw, surest)
    if polar:
        (weight,), bias = fit([[reader_log_odds(j.features)] for j in polar], [j.right for j in polar])
        raw = replace(raw, polar=(weight, bias))
    surest += polar
    right = [one.right for one in surest]
    sure = [raw.confidence(one.features, one.path) for one in surest]
    threshold = min(1.0, max(EVEN, threshold_for_risk(sure, right, risk)))
    return replace(raw, threshold=threshold, risks=thresholds_by_risk(sure, right))


def _scaled(raw: Calibration, surest: Sequence[Judged]) -> Calibration:
    """The calibration with its log-odds on the scale on which those of the surest answers are probabilities (Platt
    1999): the surest of several is less often right than it would be alone."""
    (scale,), shift = fit(
        [[raw.log_odds(one.features) + raw.paths.get(one.path, 0.0)] for one in surest], [one.right for one in surest]
    )
    if scale <= 0:  # nothing tells which are right
        return raw
    weights, paths = (scale * one for one in raw.weights), {name: scale * one for name, one in raw.paths.items()}
    return replace(raw, weights=tuple(weights), bias=scale * raw.bias + shift, paths=paths)


@dataclass(frozen=True, slots=True)
class AskedSet:
    """A corpus with how many questions of which files are asked of it; or, without one, `workspaces`: a folder of
    workspaces that are there already, each asked the questions that name it, in files that the recipe names itself
    (`benchmarks/everyday.py prepare` makes such a folder). An answer of theirs is right where it `agrees`.

    `private`: the share of it that is put into a private enclave, to ask under each mode of `privacy`.
    `uncovered_only`: questions whose evidence is not in the corpus.
    """

    questions: Mapping[str, int]
    corpus: str = ""
    workspaces: str = ""
    private: float | None = None
    privacy: tuple[Privacy, ...] = ()
    uncovered_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorRecipe(Recipe):
    """A recipe of the kind `selector`, whose threshold follows from the `risk`."""

    sets: tuple[AskedSet, ...] = ()
    risk: float = 1.0
    seed: int = 1

    def check(self) -> None:
        """As `Recipe.check`."""
        if not self.sets:
            raise UsageError("the recipe has no sets", hint="each of [[sets]] has a corpus and questions")
        divided = [one for one in self.sets if one.private is not None]
        if divided and not {Privacy.DOCUMENT, Privacy.QUERY} <= {mode for one in divided for mode in one.privacy}:
            raise UsageError(
                "sets over two enclaves teach what each privacy refuses", hint='privacy = ["none", "document", "query"]'
            )


def train_selector(recipe: SelectorRecipe, data: Path, folder: Path) -> Calibration:
    """Index the recipe's corpora in workspaces under `folder`, ask its questions, fit, and write `calibration.json`.

    From sets over two enclaves `barred.json` is fitted too, where some questions were refused something. Interrupted,
    the indexing resumes; the questions are asked again.
    """
    judged: list[Judged] = []
    names: list[str] = []
    for one in recipe.sets:
        asks = _prepared if one.workspaces else _whole if one.private is None else _divided
        for workspace, questions, privacy, told in asks(one, data, folder, recipe.seed):
            judged += judged_in(workspace, questions, privacy)
            names += [told] if told not in names[-1:] else []
    fitted_on = ", ".join(names)
    made = fit_selector([j for j in judged if not (j.shown and j.shown.whole)], recipe.risk, fitted_on)
    made.save(folder / "calibration.json")
    shown = [
        (made.confidence(j.features, j.path) if j.features else 0.0, j.shown) for j in judged if j.shown is not None
    ]
    if shown:
        fit_predictor(shown, made.threshold, fitted_on).save(folder / FILE)
    return made


_Asks = Iterator[tuple[Workspace, list[Asked], Privacy, str]]
"""A workspace, questions to ask in it, under which privacy, and how many of which file they are."""


def _whole(one: AskedSet, data: Path, folder: Path, seed: int) -> _Asks:
    """The questions of a set over its corpus as one public enclave."""
    corpus = data / one.corpus
    with open_workspace(folder / corpus.parent.name, create=True) as workspace:
        workspace.index([corpus], "public", "public")
        for name, count in one.questions.items():
            rows = list(load_questions(data / name))
            if one.uncovered_only:
                rows = [row for row in rows if not row.answers]
            else:
                rows = [row for row in rows if share(row.question) < FITTED]
            chosen = _drawn(rows, count, seed)
            yield workspace, chosen, workspace.settings.ask.privacy, f"{len(chosen)} of {name}"


def _divided(one: AskedSet, data: Path, folder: Path, seed: int) -> _Asks:
    """The questions of a set over its corpus as two enclaves, under each mode."""
    corpus = data / one.corpus
    place = folder / f"{corpus.parent.name}-split"
    with open_workspace(folder / f"{corpus.parent.name}-enclaves", create=True) as workspace:
        for name, count in one.questions.items():
            split([corpus], load(data / name), place, Plan(one.private or 0.0))
            workspace.index([place / FILES[PUBLIC]], "public", "public", as_if_elsewhere=True)
            workspace.index([place / FILES[PRIVATE]], "private", "private")
            rows = [row for row in load_questions(place / QUESTIONS) if share(row.question) < FITTED]
            chosen = _drawn(rows, count, seed)
            for mode in one.privacy:
                yield workspace, chosen, mode, f"{len(chosen)} of {name} over two enclaves"


def _prepared(one: AskedSet, data: Path, folder: Path, seed: int) -> _Asks:
    """The questions of a set of workspaces, each in its own; those of workspaces that are not there are left."""
    for name, count in one.questions.items():
        rows = _drawn([*load_questions(Path(name))], count, seed)
        for workspace in sorted({row.workspace for row in rows}):
            place = Path(one.workspaces) / workspace / "workspace"
            if place.is_dir():
                with open_workspace(place) as opened:
                    own = [row for row in rows if row.workspace == workspace]
                    yield opened, own, opened.settings.ask.privacy, f"{len(own)} of {workspace}"


def _drawn(rows: list[Asked], count: int, seed: int) -> list[Asked]:
    return random.Random(seed).sample(rows, min(count, len(rows)))


def _make(recipe: SelectorRecipe, data: Path, out: Path) -> Made:
    fitted = train_selector(recipe, data, out)
    said = f"Fitted on {fitted.fitted_on}; threshold {fitted.threshold:.2f}."
    return Made({"calibration": str(out / "calibration.json")}, (said,))


KINDS = {"selector": Kind(SelectorRecipe, _make, labelled=False)}


FOLDS = 5
_FREE = "free"  # as in `hop_order`: either passage is found from the question alone


@dataclass(frozen=True, slots=True)
class Shown:
    """What an ask shows (`selective.missing_features`), whether the question itself was kept back, and whether that
    mattered.

    `needed`: whether its evidence lies behind what was refused; None where that is not known.
    """

    signs: tuple[float, ...]
    whole: bool
    needed: bool | None


def needed(slice: str, order: str, whole: bool) -> bool | None:
    """Whether a question of this slice (as "PG") has evidence behind what privacy refuses; None: it is not known.

    With `whole`, when the question goes to no public enclave: any public passage is. Else a public passage is that
    comes after a private one (PAIR, section 5); a slice such as "G+P" says that the order is open.
    """
    if not slice:
        return None
    if whole:
        return "G" in slice
    if "+" in slice:
        return False if order == _FREE else None
    return "P" in slice and "G" in slice[slice.index("P") :]


def fit_predictor(shown: Sequence[tuple[float, Shown]], threshold: float, fitted_on: str) -> Predictor:
    """A regression for asks whose question was sent, and one for those where it was not.

    `shown` gives each ask's calibrated confidence too. What is likely enough to be said is chosen among asks below the
    confidence `threshold`, where it would be. Raises `FormatError` where either has not both outcomes.
    """
    step, question = (
        _regression([pair for pair in shown if pair[1].whole is whole], threshold) for whole in (False, True)
    )
    return Predictor(step, question, fitted_on)


def _regression(shown: Sequence[tuple[float, Shown]], threshold: float) -> Regression:
    """Fitted on all asks; likely from where it tells best, on asks below the threshold each judged without itself."""
    ones = [(sure, one) for sure, one in shown if one.needed is not None]
    if len({one.needed for _, one in ones}) < 2:
        raise FormatError(
            "a predictor needs, under each privacy, questions that lack what it refuses and questions that do not",
            hint='a set with private = 0.5 and privacy = ["document", "query"]',
        )
    rows, marks = [(sure, *one.signs) for sure, one in ones], [one.needed is True for _, one in ones]
    x, y = np.asarray(rows, np.float64), np.asarray(marks)
    judged = np.empty(len(y))
    for fold in range(FOLDS):
        here = np.arange(len(y)) % FOLDS == fold
        weights, bias = fit(x[~here], y[~here])
        judged[here] = 1 / (1 + np.exp(-(x[here] @ np.asarray(weights) + bias)))
    unsure = x[:, 0] < threshold
    told = unsure if y[unsure].any() else np.full(len(y), True)
    return Regression(*fit(x, y), likely_from(judged[told].tolist(), y[told].tolist()))


def likely_from(probabilities: Sequence[float], marks: Sequence[bool]) -> float:
    """The probability from which it is said of most that need it, less the share of the others it is said of.

    (Youden 1950: F1 would say it always where most need it.) The highest where several are best; 1.0 when none is
    better than to say nothing.
    """
    needing = sum(marks)
    others = len(marks) - needing
    best, chosen, hit, false = 0.0, 1.0, 0, 0
    order = sorted(zip(probabilities, marks, strict=True), key=lambda pair: -pair[0])
    for said, (probability, mark) in enumerate(order, 1):
        hit, false = hit + mark, false + (not mark)
        tied = said < len(order) and order[said][0] == probability
        gain = hit * others - false * needing  # the difference of the shares, times both numbers
        if not tied and gain > best:
            best, chosen = gain, probability
    return chosen
