"""A calibration for the reader of a workspace, from questions of its own or from the sample's.

Where a language model answers, for that one: it is asked each question as it would be, and what can be measured of its
answer is fitted to whether it is right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from answerable.chains.beam import foremost, gather
from answerable.engine import OWNER
from answerable.errors import FormatError
from answerable.evaluation.metrics.answers import agrees
from answerable.privacy.flow import first_query, reachable
from answerable.selective.quoted import measured
from answerable.training.selector import Asked, Judged, fit_selector, judged_in, load_questions
from answerable.types import PUBLIC, Label
from answerable.workspace.fitted import FITTED, keep_fitted
from answerable.workspace.models import called
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

SAMPLE = Path(__file__).parent.parent / "sample"


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was fitted: `right` of `count` questions are answered rightly, `answered` from the `threshold` on."""

    reader: str
    count: int
    right: int
    answered: int
    threshold: float
    label: Label
    file: Path


def fit_own(workspace: Workspace, questions: Path, risk: float) -> Fitted:
    """Ask a workspace the questions of a file and keep what follows; its label is that of all that was searched.

    Raises `FormatError` for a file that cannot be read, or that teaches nothing.
    """
    rows = list(load_questions(questions))
    engine = workspace.engine()
    query = first_query("?", OWNER, engine.settings.privacy, engine.retriever.enclaves)
    return _fit(workspace, workspace, rows, risk, questions.name, reachable(query, engine.retriever.enclaves))


def fit_sample(workspace: Workspace, risk: float) -> Fitted:
    """The same with the shipped sample and its questions, which are public: indexed for the time being."""
    models = workspace.settings.models
    given = {f"models.{one.name}": getattr(models, one.name) for one in fields(models)}
    llm = workspace.settings.llm
    given |= {f"llm.{one.name}": getattr(llm, one.name) for one in fields(llm)}
    with tempfile.TemporaryDirectory() as place, open_workspace(Path(place) / "work", True, given) as sample:
        for part, name, kind in (("public", "wiki", "mirror"), ("private", "office", "private")):
            sample.index([SAMPLE / part], name, kind)
        rows = list(load_questions(SAMPLE / "questions.jsonl"))
        return _fit(workspace, sample, rows, risk, "the sample", PUBLIC)


def forget_fitted(workspace: Workspace) -> int:
    """Take back all that was fitted in a workspace; how many that were."""
    files = sorted((workspace.folder / FITTED).glob("*.json"))
    for path in files:
        path.unlink()
    return len(files)


def _fit(workspace: Workspace, asked: Workspace, rows: Sequence[Asked], risk: float, of: str, label: Label) -> Fitted:
    rows, settings = [replace(row, workspace="here") for row in rows], asked.settings
    judged = judged_by_model(asked, rows) if settings.asks else judged_in(asked, rows, settings.ask.privacy)
    made = fit_selector(judged, risk, f"{len(rows)} questions of {of}")
    reader = called(settings) if settings.asks else asked.engine().reader.name
    sure = [one for one in judged if one.features and made.confidence(one.features, one.path) >= made.threshold]
    file = keep_fitted(workspace.folder, reader, made, label)
    return Fitted(reader, len(rows), sum(one.right for one in judged), len(sure), made.threshold, label, file)


def judged_by_model(workspace: Workspace, questions: Sequence[Asked]) -> list[Judged]:
    """The questions judged as the language model of a workspace answers them; it is sent what an ask would send it.

    Raises `FormatError` where it does not answer any.
    """
    engine, privacy, judged = workspace.engine(), workspace.settings.ask.privacy, []
    for row in questions:
        assert engine.asked is not None
        door = engine.retriever.under(privacy).remembering()
        query = first_query(row.question, OWNER, privacy, door.enclaves)
        heard = engine.outside(query, door, engine.beam, ())
        chains = foremost(gather(query, door, engine.beam).chains, engine.settings.read)
        heard = heard or engine.asked.ask(query, door, chains, engine.find)
        if (said := heard.candidate) is None:
            judged.append(Judged((), False))
            continue
        choice = measured(row.question, said, heard.quoted, engine.reader.read(row.question, chains), chains)
        judged.append(Judged(choice.features, agrees(said.text, row.answers), choice.path))
    if not any(one.features for one in judged):
        raise FormatError("the language model answered none of the questions", hint="see that it can be asked")
    return judged
