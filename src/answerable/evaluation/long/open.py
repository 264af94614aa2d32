"""The systems of an evaluation of long documents, opened by the names of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from answerable.documents.reader import Guide
from answerable.encoders.choose import HASHED, MINILM, SKILLS, encoder_folder, open_encoder
from answerable.encoders.sentences import WALK
from answerable.encoders.shipped import open_shipped
from answerable.errors import ModelError, UsageError
from answerable.evaluation.long.baselines import Bm25, Passages, Sequential
from answerable.evaluation.long.conversations import Conversing
from answerable.evaluation.long.systems import System
from answerable.evaluation.long.walks import Reranking, walks
from answerable.readers.paths import PathReader
from answerable.workspace.models import open_navigator, open_reader, reader_folder

Named = TypeVar("Named", bound=System | Conversing)


def open_guide(navigator: str, reader: str, threads: int = 0) -> tuple[Guide, dict[str, str]]:
    """A guide by the names of its navigator and its reader, as for `chosen`; and what they are called.

    Raises `UsageError` for an unknown name and `ModelError` where one cannot be opened or does not walk.
    """
    encoder, weights = open_navigator(navigator, threads)
    folder = reader_folder(reader)
    called = open_shipped(folder).name if folder.is_dir() else reader
    walk = "plain" if navigator == HASHED else str(open_shipped(encoder_folder(navigator)).about["files"][WALK])[:8]
    about = {"navigator": encoder.name, "walk": walk, "reader": called}
    return Guide(encoder, weights, open_reader(reader, threads)[0]), about


def navigating(guide: Guide, names: Sequence[str], twice: bool, threads: int = 0) -> list[System]:
    """The systems of these names, in their order; without any, all: `reranked` where all questions want two pieces of
    evidence. Raises `UsageError` for an unknown name."""
    retrieving = Bm25(guide.reader, guide.settings.windows, guide.settings.wide // 2)
    made: list[System] = [*walks(guide), retrieving, Sequential(guide.reader)]
    if not names or "passages" in names:
        made.append(Passages(guide.reader, open_encoder(MINILM, threads)))
    if "reranked" in names or (twice and not names):
        ranker = open_reader(SKILLS, threads)[0]
        if not isinstance(ranker, PathReader):
            raise ModelError("the model `skills` does not read paths", hint="reinstall answerable")
        made.insert(1, Reranking(guide, ranker))
    return chosen(made, names, ("passages", "reranked"))


def chosen(made: Sequence[Named], names: Sequence[str], further: Sequence[str] = ()) -> list[Named]:
    """Those of the names given, each once, in the order given; without names, all. Raises `UsageError` for others.

    `further` are names that are there when asked for.
    """
    by_name: dict[str, Named] = {one.name: one for one in made}
    for name in names:
        if name not in by_name:
            known = ", ".join(dict.fromkeys([*by_name, *further]))
            raise UsageError(f"there is no system `{name}`", hint=f"one of {known}")
    return [by_name[name] for name in dict.fromkeys(names or by_name)]
