"""`answerable delete`: documents out of an enclave, and out of every index made from them."""

from __future__ import annotations

from typing import Annotated

import typer

from answerable.cli.shell import Shell, workspace_of
from answerable.errors import UsageError
from answerable.printing import counted


def run(
    shell: Shell,
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="The enclave to delete from.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="ID|SOURCE", help="Document ids or sources (files).")
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Delete every document of the enclave.")] = False,
) -> None:
    """Delete documents by id or by file.

    Nothing of them stays in the store or in any index.
    """
    if bool(names) == everything:
        raise UsageError("name the documents to delete, or say --everything")
    with workspace_of(shell) as opened:
        count = opened.delete(None if everything else names, enclave=enclave)
    shell.emit({"enclave": enclave, "deleted": count})
    shell.say(f"Deleted {counted(count, 'document')} from {enclave}.")
    shell.abstain_without(count)
