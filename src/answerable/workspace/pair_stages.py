"""Which parts make the pairs of a workspace, by the names in its settings and options, opened in whichever process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from answerable.encoders.asking import ASK
from answerable.encoders.choose import HASHED, SHIPPED, SKILLS, encoder_folder
from answerable.encoders.shipped import MANIFEST, taught_label
from answerable.errors import ModelError, UsageError
from answerable.indexes.enclave import open_enclave_index
from answerable.privacy.audit_log import JOURNAL, AuditLog
from answerable.privacy.provenance import TrainingProvenance
from answerable.qapairs.build import Recipe
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.generation.filtering import GlobalFilter, LocalFilter, fitted_to
from answerable.qapairs.generation.parts import Extracted, Extractor, Generated, Generator, Selector
from answerable.qapairs.generation.stages import Parts
from answerable.qapairs.generation.stated import STATED
from answerable.remote.host import LLM
from answerable.retriever import Retriever
from answerable.types import Enclave, Passage
from answerable.workspace.models import (
    OVERLAP,
    encoder_of,
    model_folders,
    reader_folder,
    reader_of,
)
from answerable.workspace.parts import KINDS
from answerable.workspace.settings import Settings
from answerable.workspace.stores import open_store

if TYPE_CHECKING:
    from answerable.encoders.skills import ModularEncoder

SPANS = "spans"
NONE, LOCAL, GLOBAL = FILTERS = ("none", "local", "global")
ALL, LEARNED = "all", "learned"
"""Selectors: every passage is as good as another, or as people ask about them; and the generator that learned."""
SELECTION = SHIPPED / "pairs" / "selection"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `answerable pairs build` was asked for.

    `share` (0 to 1): of the passages, the best. `per_answer`: questions kept for one answer, at most. `generator`:
    learned, llm, the folder of a trained one, or stated: only what the text itself asks and answers, which is taken
    with any generator.
    """

    share: float = 1.0
    per_answer: int = 2
    filter: str = GLOBAL
    generator: str = LEARNED

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise UsageError(f"a share of {self.share:g} is none", hint="give one above 0, up to 1")
        if self.per_answer < 1:
            raise UsageError(f"{self.per_answer} questions an answer are none", hint="ask for at least one")
        if self.filter not in FILTERS:
            raise UsageError(f"there is no filter {self.filter!r}", hint=f"filters are {', '.join(FILTERS)}")
        if self.generator == STATED:
            object.__setattr__(self, "filter", NONE)

    @property
    def extractors(self) -> tuple[str, ...]:
        """By name, what finds answers; nothing where the text has its own."""
        return () if self.generator == STATED else (SPANS,)


def recipe_of(settings: Settings, enclave: Enclave, wanted: Wanted) -> Recipe:
    """What the pairs of an enclave are to be made by. Opens nothing.

    Raises `UsageError` for a generator or a model that may not be used for this enclave's text, `ModelError` where
    weights are missing.
    """
    selector = LEARNED if wanted.share < 1 or (SELECTION / MANIFEST).is_file() else ALL
    weights = dict[str, str]()
    own = settings.own
    TrainingProvenance(elsewhere=own.elsewhere(*KINDS)).check_shown(enclave.label)
    generator = own.generator.name if own.generator is not None else wanted.generator
    for part, folder in _folders(settings, wanted, selector).items():
        for word in sorted((taught_label(folder) if folder else own.taught(part)) - enclave.label):
            what = f"the {part} was trained on text of {word}, of which pairs of {enclave.name} would tell"
            raise UsageError(what, hint="name other models under [models], or another generator")
        weights[part] = _weights(folder, ASK if part == "generator" else "") if folder else getattr(own, part).name
    if own.generator is None and generator == LLM:
        asked = settings.llm.chat("the generator is llm")
        if enclave.private and not settings.llm.endpoint_private:
            raise UsageError(
                f"the language model may not be sent text of {enclave.name}, which is private",
                hint='host = "here" under [llm], if you trust it with all text',
            )
        weights["generator"] = f"{asked.model} at {asked.address}"
    elif own.generator is None and generator not in (LEARNED, STATED) and not _is_model(generator):
        hint = f"{LEARNED}, {STATED}, {LLM}, or the folder of one that was trained"
        raise UsageError(f"there is no generator {generator!r}", hint=hint)
    if wanted.filter != NONE and (fit := filter_fit(settings)):
        weights["filter"] = f"from {-fit.bias / fit.weights[0]:.4g} on"
    return Recipe(selector, wanted.extractors, generator, wanted.filter, wanted.share, wanted.per_answer, weights)


def parts_of(settings: Settings, folder: Path, enclave: Enclave, recipe: Recipe, alone: bool = True) -> Parts:
    """What opens the parts of a recipe, over the workspace in `folder`, which every worker must be able to read.

    `alone`: one worker has all processors that models may use; of several, each has one.
    """
    threads = settings.models.threads if alone else 1
    fit = None if recipe.filter == NONE else filter_fit(settings)
    checking = partial(open_filter, settings, folder, enclave, recipe.filter, threads, fit)
    return Parts(
        partial(open_selector, recipe.selector, threads),
        partial(open_extractors, recipe.extractors, threads),
        partial(open_generator, settings, recipe.generator, recipe.per_answer, threads),
        None if recipe.filter == NONE else checking,
        recipe.per_answer,
    )


class EveryPassage:
    """Every passage is as likely to be asked about as another."""

    name = ALL

    def score(self, passages: Sequence[Passage]) -> list[float]:
        """1 for each."""
        return [1.0] * len(passages)


class NoQuestions:
    """Makes no questions: those that a text states need none."""

    name = STATED

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """None for each passage."""
        return [[] for _ in passages]


def open_selector(name: str, threads: int) -> Selector:
    """The selector of that name. Raises `ModelError` when its weights are missing or damaged."""
    if name == ALL:
        return EveryPassage()
    from answerable.qapairs.generation.heads import PassageSelector

    return PassageSelector(_skills(threads))


def open_extractors(names: Sequence[str], threads: int) -> list[Extractor]:
    """The extractors of these names. Raises `ModelError`."""
    from answerable.qapairs.generation.heads import SpanExtractor

    return [SpanExtractor(_skills(threads))] if SPANS in names else []


def open_generator(settings: Settings, name: str, per_answer: int, threads: int) -> Generator:
    """The generator handed in, or of that name. Raises `ModelError`, `UsageError`."""
    if settings.own.generator is not None:
        return settings.own.generator
    if name == STATED:
        return NoQuestions()
    if name == LLM:
        from answerable.qapairs.generation.asked import AskedGenerator

        labels = {one.name: one.label for one in settings.table().values()}
        journal = AuditLog(settings.folder / JOURNAL, settings.journal) if settings.folder else None
        how = (settings.llm.enclave, labels, journal)
        return cast(Generator, AskedGenerator(settings.llm.chat("the generator is llm"), *how))
    from answerable.qapairs.generation.learned import LearnedGenerator

    return LearnedGenerator(generator_folder(name), per_answer, threads)


def _is_model(name: str) -> bool:
    return (Path(name) / MANIFEST).is_file()


def generator_folder(name: str) -> Path:
    """Where the generator of that name lies that learned to ask."""
    return SHIPPED / SKILLS if name == LEARNED else Path(name)


def open_filter(
    settings: Settings, folder: Path, enclave: Enclave, name: str, threads: int, fit: PairCalibration | None
) -> LocalFilter | GlobalFilter:
    """The filter of that name. Raises `ModelError`, and `IndexMismatch` for an index that cannot be searched."""
    settings = replace(settings, models=replace(settings.models, reader=settings.reader, threads=threads))
    reader, _ = reader_of(settings)
    if name == LOCAL:
        return LocalFilter(reader, fit)
    encoder, store = encoder_of(settings), open_store(folder, settings.store)
    table = settings.table()
    indexes = {
        one.name: open_enclave_index(store, folder / "indexes", one.name, encoder)
        for one in table.values()
        if one.label <= enclave.label and not one.remote and store.holdings(one.name).passages
    }
    how = (settings.ask.privacy, settings.search, AuditLog(folder / JOURNAL, settings.journal))
    door = Retriever(table, indexes, encoder, *how, modes=settings.modes())
    return GlobalFilter(door, enclave, reader, fit)


def filter_fit(settings: Settings) -> PairCalibration | None:
    """How probable it is that a pair is right, by the score of the workspace's reader, where that was fitted to it."""
    named = settings.own.reader is None and settings.reader != OVERLAP
    return fitted_to(_weights(reader_folder(settings.reader), "")) if named else None


def matcher_bytes(settings: Settings) -> int:
    """Bytes of the files that the matcher of pairs needs, which count towards a budget."""
    folder = model_folders(settings)["matcher"]
    needed = ("match", "same", "model", "shared", "tokenizer")
    return sum(path.stat().st_size for path in folder.iterdir() if path.stem in needed) if folder else 0


def _folders(settings: Settings, wanted: Wanted, selector: str) -> dict[str, Path | None]:
    """The folder of each model that would take part; None for one that was handed in."""
    folders, own = dict[str, Path | None](), settings.own
    if selector == LEARNED:
        folders["selector"] = SELECTION
    if wanted.extractors:
        folders["extractor of spans"] = SHIPPED / "pairs" / SPANS
    if own.generator is not None:
        folders["generator"] = None
    elif wanted.generator not in (STATED, LLM) and (folder := generator_folder(wanted.generator)).is_dir():
        folders["generator"] = folder
    reader = settings.reader
    if wanted.filter != NONE and (own.reader is not None or reader != OVERLAP):
        folders["reader"] = None if own.reader is not None else reader_folder(reader)
    encoder = settings.models.encoder
    if wanted.filter == GLOBAL and (own.encoder is not None or encoder != HASHED):
        folders["encoder"] = None if own.encoder is not None else encoder_folder(encoder)
    return folders


def _weights(folder: Path, key: str) -> str:
    """The name of the weights in a folder, by their manifest, of an expert under that key where there is one, or else
    the folder's. Raises `ModelError` without one."""
    if not folder.is_dir():
        raise ModelError(f"there is no model in {folder}", hint="train it, or choose another")
    try:
        told = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return str(told.get(key, told)["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return str(folder)


def _skills(threads: int) -> ModularEncoder:
    """The encoder of skills that ships: on it stand the heads that select passages and extract spans."""
    from answerable.encoders.skills import ModularEncoder

    return ModularEncoder(SHIPPED / SKILLS, threads)
