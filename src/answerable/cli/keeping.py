"""`--save` and `--again` of `answerable find`: a find kept by a name, and what is new in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.shell import Shell
from answerable.errors import UsageError
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import readable
from answerable.sets.members import Found
from answerable.types import Asker
from answerable.workspace.saved_finds import Saved, saved


@dataclass(frozen=True, slots=True)
class Keeping:
    """Whether a find is kept, or is one that was."""

    save: Annotated[
        str | None, typer.Option("--save", metavar="NAME", help="Keep the query and its members in the workspace.")
    ] = None
    again: Annotated[
        str | None, typer.Option("--again", metavar="NAME", help="Find what was saved, and say what is new.")
    ] = None

    def before(self, folder: Path, asker: str, asked: bool, partly: bool) -> Saved | None:
        """What the asker saved, if wanted again. Raises `UsageError` where it is not there, where something else is
        `asked` beside it, and where a find of a part would be kept; and as `saved`."""
        if (self.save or self.again) and partly:
            raise UsageError("a find is saved whole", hint="leave out --limit and --count")
        if not self.again:
            return None
        if asked:
            raise UsageError("--again takes the query as it was saved", hint="leave out the query and its filters")
        held = saved(folder, asker)
        if self.again not in held:
            hint = f"saved: {', '.join(sorted(held)) or 'none'}"
            raise UsageError(f"no find is saved as {self.again!r}", hint=hint)
        return held[self.again]


def show_news(shell: Shell, found: Found, before: Saved, viewer: Asker, enclaves: EnclaveTable) -> dict[str, list[str]]:
    """Say and give the documents that are members since the last time, and those of enclaves that may be told of that
    are none any more."""
    now = {one.place: one.document for one in found.members}
    told = [enclave for enclave, one in enclaves.items() if readable(viewer, one).allowed]
    new = [document for at, document in now.items() if at not in before.members]
    gone = [at[1] for at in before.members if at not in now and at[0] in told]
    shell.say(f"{len(new):,} new since the last time, {len(gone):,} gone{': ' * bool(gone)}{', '.join(gone)}")
    return {"new": new, "gone": gone}
