"""What a workspace's work needs where it is spread: models opened there, and whose text they are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from answerable.encoders.choose import HASHED, MINILM, SKILLS, open_encoder
from answerable.encoders.encoder import Encoder
from answerable.encoders.pretrained import is_pretrained, local_folder
from answerable.errors import ModelError
from answerable.privacy.enclaves import QUESTION
from answerable.sets.judge import Judge
from answerable.types import PUBLIC, Label, Privacy
from answerable.work.spread import Workers
from answerable.workspace.models import OVERLAP, open_judge, provenance_of
from answerable.workspace.settings import Settings

if TYPE_CHECKING:
    from answerable.indexes.build import Spreading

Model = TypeVar("Model", Encoder, Judge)


def indexing(those: Workers, encoder: Encoder, now: Callable[[], Settings]) -> Spreading:
    """How the work of indexing is spread. `now()`: the settings, with what was declared meanwhile."""

    def label(enclave: str) -> Label:
        return now().table().find(enclave).label | provenance_of(now()).encoder

    from answerable.indexes.build import Spreading

    opened = partial(there, open_encoder, anywhere(now().models.encoder), encoder.name)
    return Spreading(those, (lambda: encoder) if those.here else opened, label)


def judging(settings: Settings, judge: Judge) -> Callable[[], Judge] | None:
    """What opens the judge in another process; None for one that was handed in."""
    if settings.own.judge is not None:
        return None
    return partial(there, open_judge, anywhere(settings.models.judge), judge.name)


def label_of_all(settings: Settings) -> Label:
    """Of what a worker is shown that asks a workspace: of all text there, of what models learned from, of questions."""
    table, taught = settings.table(), provenance_of(settings)
    asked = {QUESTION} if settings.ask.privacy is Privacy.QUERY else PUBLIC
    return taught.encoder.union(taught.reader, asked, *(one.label for one in table.values()))


def anywhere(name: str) -> str:
    """A model's name as any process of any machine understands it: a folder from the root."""
    known = name in (SKILLS, MINILM, HASHED, OVERLAP) or is_pretrained(name)
    return name if known else str(local_folder(name).absolute())


def there(opens: Callable[[str, int], Model], name: str, wanted: str) -> Model:
    """A model opened in another process, on one processor, by the weights that are `wanted`.

    Raises as `opens`, and `ModelError` for others.
    """
    found = opens(name, 1)
    if found.name != wanted:
        what = f"where the work is done there are the weights {found.name}, not {wanted}"
        raise ModelError(what, hint="install the same version of answerable, and the same models, on all machines")
    return found
