"""The files of a build: what each stage made of each block of passages, and what made it.

    WORKSPACE/pairs/ENCLAVE/RECIPE/manifest.json             the parts and their settings
    WORKSPACE/pairs/ENCLAVE/RECIPE/STAGE/00000012.jsonl      a head line, then a line for each passage of block 12

Passages have keys that are never used twice, and block 12 holds those from 12 times `BLOCK` on: the same ones
however often a build is interrupted. A file is written beside its place and renamed, so that one that is there is
whole; it counts only for the very passages that its head names.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.corpora.database import explained, own_folder

BLOCK = 64
"""Keys of a block: what a kill may lose of each stage, and what one worker is given at once."""
_FORM = 1
"""Grows when files come to look otherwise, so that older ones are not taken for these."""


@dataclass(frozen=True, slots=True)
class Block:
    """Passages whose keys lie in one range, in their order, by key and by id."""

    number: int
    keys: tuple[int, ...]
    ids: tuple[str, ...]

    def only(self, keys: frozenset[int] | set[int]) -> Block:
        """The same block without the passages that are not among `keys`."""
        kept = [(key, id) for key, id in zip(self.keys, self.ids, strict=True) if key in keys]
        return Block(self.number, tuple(key for key, _ in kept), tuple(id for _, id in kept))


def blocks(passages: Iterable[tuple[int, str]]) -> list[Block]:
    """(key, id) of passages as blocks, by key."""
    found: dict[int, list[tuple[int, str]]] = {}
    for key, id in passages:
        found.setdefault(key // BLOCK, []).append((key, id))
    return [Block(number, *zip(*sorted(rows), strict=True)) for number, rows in sorted(found.items())]


class Work:
    """The files of one enclave and one recipe. Every method raises `WorkspaceError` where they cannot be used."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        """Make the folder, for its owner alone, and say in it what makes what is to come."""
        self.folder = folder
        with explained(folder):
            for place in (folder.parent.parent, folder.parent, folder):
                own_folder(place)
            _write(folder / "manifest.json", [json.dumps({"form": _FORM, **manifest}, ensure_ascii=False, indent=1)])

    def has(self, stage: str, block: Block) -> bool:
        """Whether a stage is done with just the passages of a block."""
        return self._head(stage, block.number).get("keys") == list(block.keys)

    def write(self, stage: str, block: Block, rows: Sequence[Any], counts: Mapping[str, int]) -> None:
        """Keep what a stage made: a row for each passage of a block, and what it counted."""
        head = {"form": _FORM, "keys": block.keys, "counts": counts}
        path = self._path(stage, block.number)
        with explained(path):
            own_folder(path.parent)
            _write(path, (json.dumps(one, ensure_ascii=False) for one in (head, *rows)))

    def read(self, stage: str, block: Block) -> list[Any]:
        """The rows that a stage made of these passages, which are some or all of a block of its."""
        path = self._path(stage, block.number)
        with explained(path), open(path, encoding="utf-8") as file:
            rows = dict(zip(json.loads(file.readline())["keys"], file, strict=True))
        return [json.loads(rows[key]) for key in block.keys]

    def counts(self, stage: str, done: Iterable[Block]) -> Counter[str]:
        """What a stage counted in these blocks, added up."""
        total: Counter[str] = Counter()
        for block in done:
            total.update(self._head(stage, block.number).get("counts", {}))
        return total

    def discard(self, but: str = "") -> None:
        """Remove the files, all of them or all `but` those of one stage, and folders in which nothing else is."""
        with explained(self.folder):
            if but:
                for path in self.folder.iterdir():
                    if path.is_dir() and path.name != but:
                        shutil.rmtree(path)
                return
            shutil.rmtree(self.folder)
            for place in (self.folder.parent, self.folder.parent.parent):
                if not any(place.iterdir()):
                    place.rmdir()

    def _path(self, stage: str, number: int) -> Path:
        return self.folder / stage / f"{number:08d}.jsonl"

    def _head(self, stage: str, number: int) -> dict[str, Any]:
        try:
            with open(self._path(stage, number), encoding="utf-8") as file:
                head = json.loads(file.readline())
        except (OSError, ValueError):
            return {}  # not there, or not ours: it is made again
        return head if isinstance(head, dict) and head.get("form") == _FORM else {}


def _write(path: Path, lines: Iterable[str]) -> None:
    """Lines to a file for its owner alone, whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        with open(part, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)  # a full disk needs the room
        raise
