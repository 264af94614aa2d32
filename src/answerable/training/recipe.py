"""Recipes: what is trained, from what start, on which sources. Each is a TOML file, read once and checked here alone.

A kind is a frozen dataclass with the fields that it adds, and an entry of `KINDS` in the module that trains it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from answerable.encoders.shipped import Shipped
from answerable.errors import UsageError
from answerable.records import RecordError, of_record

MODULES: Mapping[str, str] = {
    "reader": "reader",
    "reader-mean": "reader",
    "selector": "selector",
    "paths": "paths.train",
    "navigation": "documents.train",
    "navigation-tune": "documents.tune",
    "constraints": "sets.train",
    "constraint-lessons": "sets.pages",
    "constraints-mean": "sets.train",
    "constraints-tune": "sets.tune",
    "pairs": "qapairs.train",
    "deciding": "deciding",
    "deciding-mean": "deciding",
    "same-question": "same.train",
    "same-question-mean": "same.train",
    "table-reranking": "table_reranking",
    "table-reranking-mean": "table_reranking",
    "same-question-tune": "same.tune",
    "skills": "skills.train",
    "pair-questions": "qapairs.questions",
    "pair-selection": "qapairs.selecting",
    "pair-spans": "qapairs.spans",
    "parsing": "parsing",
    "tables": "tables",
    "table-confidence": "table_confidence",
}
"""The kinds of recipes, and which module trains each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A recipe of any kind. One with a field `sources`, how often each is seen, says in `ALLOWED` which there are."""

    ALLOWED: ClassVar[Collection[str] | None] = None
    kind: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """A recipe as its TOML says, checked. Raises `UsageError` for what is not known or cannot be used."""
        try:
            made: Self = of_record(cls, given)
        except RecordError as error:
            raise UsageError(f"the recipe cannot be used: {error}", hint=error.hint) from None
        known = made.allowed()
        if known is not None:
            sources: Collection[str] = getattr(made, "sources")  # noqa: B009
            if not sources:
                raise UsageError("the recipe names no sources", hint="[sources] says how many times each is seen")
            for name in sources:
                if name not in known:
                    raise UsageError(f"there is no source {name!r}", hint=f"sources: {', '.join(sorted(known))}")
        made.check()
        return made

    def allowed(self) -> Collection[str] | None:
        """The names that sources may have; None for a kind without."""
        return self.ALLOWED

    def check(self) -> None:
        """Raise `UsageError` for fields that cannot be used together, or that would fail only after hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecipe(Recipe):
    """A recipe of a kind that makes a model.

    `start`: the model to go on from. `threads` of torch. `about` joins the manifest: source and licence of the weights.
    `name` is what the name of a model begins with that is exported whole.
    """

    start: str = "skills"
    threads: int = 2
    name: str = "skills"
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """What a recipe has made: fields for `--json`, lines for people, and the model, with its name, if it is one."""

    record: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    name: str = ""
    folder: Path | None = None

    @classmethod
    def of(cls, shipped: Shipped) -> Self:
        """A model."""
        return cls(name=shipped.name, folder=shipped.folder)


R = TypeVar("R", bound=Recipe)


@dataclass(frozen=True, slots=True)
class Kind(Generic[R]):
    """A kind of recipe.

    `make` trains by a recipe on a folder of data (None is for kinds that need none), in a folder of its own. `export`
    puts what a run in one folder has left into another, without training. `use` says how a model is used, with its
    folder for `{}`.
    """

    recipe: type[R]
    make: Callable[[R, Any, Path], Made]
    use: str = "It is in {}."
    export: Callable[[R, Path, Path], Made] | None = None
    labelled: bool = True
    """Whether it makes a model, which can have learned private text."""
    needs_data: bool = True


def setting(key: str) -> str:
    """How a model is used that a setting names."""
    return f'To use it: {key} = "{{}}" under [models] in answerable.toml'


def read_toml(path: Path) -> dict[str, Any]:
    """What a recipe says, of a kind that can be trained. One that names another beside it as its `base`, which has none
    itself, says only what it changes of that. Raises `UsageError` when it is none.
    """
    given = _read(path)
    if base := given.pop("base", None):
        under = _read(path.parent / str(base))
        if "base" in under:
            raise UsageError(f"the base of {path} has a base itself", hint=f"say in {path.name} all that it changes")
        given = _over(under, given)
    if given.get("kind") not in MODULES:
        raise UsageError(f"kind is {given.get('kind')!r} in {path}", hint=f"kind is one of {', '.join(MODULES)}")
    return given


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise UsageError(f"there is no recipe {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read as a recipe: {error}") from error


def _over(under: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """One table over another, and tables within it over those."""
    both = {key: _over(under[key], one) for key, one in given.items() if isinstance(one, dict) and key in under}
    return under | given | both


def kind_of(name: str) -> Kind[Any]:
    """A kind by its name. Raises `ModuleNotFoundError` where an extra is missing."""
    found: Kind[Any] = import_module(f"answerable.training.{MODULES[name]}").KINDS[name]
    return found
