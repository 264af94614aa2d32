"""`answerable export`: one enclave as JSONL, with its label on every line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.shell import Shell, workspace_of
from answerable.printing import counted


def run(
    shell: Shell,
    target: Annotated[Path, typer.Argument(help="A folder, or a file that ends in .jsonl.", show_default=False)],
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="The enclave to export.")],
) -> None:
    """Write one enclave as JSONL.

    Documents and passages with their label on every line; enclaves are never mixed in one export.
    """
    with workspace_of(shell) as opened:
        done = opened.export(target, enclave=enclave)
    shell.emit(
        {"enclave": enclave, "label": sorted(done.label), "documents": done.documents, "passages": done.passages,
         "files": [str(path) for path in done.files]}
    )  # fmt: skip
    label = ", ".join(sorted(done.label))
    shell.say(f"Wrote {counted(done.documents, 'document')} and {counted(done.passages, 'passage')} to {target}.")
    if label:
        shell.note(f"The files hold private text of: {label}. Nothing guards them now.", style="yellow")
    shell.abstain_without(done.documents)
