"""The systems that find sets, opened by name over a workspace."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from answerable.encoders.choose import SHIPPED, encoder_folder
from answerable.encoders.constraints import FIT
from answerable.encoders.pretrained import called
from answerable.encoders.shipped import open_shipped
from answerable.evaluation.names import SetSystemName, Understood
from answerable.evaluation.sets.classifying import ClassifierSettings, Classifying, Pieces
from answerable.evaluation.sets.systems import Candidates, Finding, Gathering, Retrieving, SetSystem
from answerable.evaluation.sets.threshold import Threshold, check
from answerable.evaluation.tasks.asking import settings_of
from answerable.indexes.index import Mode
from answerable.workspace.models import judge_of, model_folders, open_judge, open_parser
from answerable.workspace.workspace import Workspace

MODES: dict[SetSystemName, Mode] = {
    SetSystemName.BM25: "lexical",
    SetSystemName.DENSE: "dense",
    SetSystemName.HYBRID: "hybrid",
}
"""The systems that only retrieve, and how they rank."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which system, and how. `judge`: by name, None for that of the workspace. `threshold`: of a classifier."""

    system: SetSystemName
    classifier: ClassifierSettings = field(default_factory=ClassifierSettings)
    judge: str | None = None
    threshold: float | Threshold | None = None
    understood: Understood = Understood.PARSED
    evidence: bool = True


def open_system(workspace: Workspace, asked: Asked, candidates: Candidates) -> SetSystem:
    """The system over a workspace, with candidates that several may share.

    Raises `UsageError` for a model that is not there and for a threshold that was tuned with something else.
    """
    if asked.system in MODES:
        return Retrieving(asked.system.value, candidates, MODES[asked.system])
    if asked.system is SetSystemName.CLASSIFIER:
        return _classifier(workspace, asked, candidates)
    if asked.system is SetSystemName.CANDIDATES:
        given = workspace.settings
        return Gathering(workspace.engine(), given.ask.privacy, open_parser(), asked.understood, given.find)
    return find_system(workspace, asked.understood, asked.evidence)


def open_candidates(workspace: Workspace) -> Candidates:
    """What retrieves for whole queries, under the workspace's privacy."""
    return Candidates(workspace.engine(), workspace.settings.ask.privacy)


def _classifier(workspace: Workspace, asked: Asked, candidates: Candidates) -> Classifying:
    given = workspace.settings
    judge = open_judge(asked.judge, given.models.threads) if asked.judge else judge_of(given)
    number = asked.threshold.threshold if isinstance(asked.threshold, Threshold) else asked.threshold
    made = Classifying(candidates, judge, Pieces(SHIPPED / "tokenizer.json"), asked.classifier, number)
    if isinstance(asked.threshold, Threshold):
        check(asked.threshold, {"system": made.name, **made.settings}, made.models)
    return made


def find_system(workspace: Workspace, understood: Understood, evidence: bool = True) -> Finding:
    """`Workspace.find` as it is set there; ablations are settings of `[find]`, and where expressions come from.

    Without `evidence` no sentences are looked for, which changes no set.
    """
    given = workspace.settings
    settings: dict[str, Any] = {**asdict(given.find), "mode": given.search.mode, "evidence": evidence}
    return Finding(
        lambda query, expression: workspace.find(query, expression, evidence=evidence).found,
        understood,
        settings,
        models_of(workspace),
    )


def models_of(workspace: Workspace) -> dict[str, str]:
    """The names of the models that find sets; a name identifies the weights."""
    models, own = workspace.settings.models, workspace.settings.own
    encoder = model_folders(workspace.settings)["encoder"]
    named = called(encoder) if encoder else models.encoder
    judge = own.name("judge") or judge_name(models.judge)
    return {"encoder": own.name("encoder") or named, "judge": judge}


def judge_name(name: str) -> str:
    """What identifies the weights of a judge, without opening them. Raises as `open_shipped` does."""
    folder = encoder_folder(name)
    if not folder.is_dir():
        return name  # without weights; or it is not there, as whoever opens it says
    shipped = open_shipped(folder)
    return str(shipped.about.get(FIT, {}).get("name", shipped.name))


def enclaves_of(workspace: Workspace) -> dict[str, Any]:
    """What each enclave holds, for a run's header."""
    held: dict[str, Any] = settings_of(workspace)["enclaves"]
    return held
