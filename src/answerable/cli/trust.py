"""`answerable trust`: agree to what a workspace would send, which somebody else may have written into it."""

from __future__ import annotations

from typing import Annotated

import typer

from answerable.cli.shell import Shell, check_there


def run(
    shell: Shell,
    show: Annotated[bool, typer.Option("--show", help="Only show what it would send.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Trust it no longer.")] = False,
) -> None:
    """Use a workspace that came from somebody else.

    Shows whose it is, which hosts it would ask and what they may be sent, and keeps your leave outside the workspace.
    What is added to that later is asked about anew. Nothing is sent.
    """
    from answerable.workspace.trust import remember, told, trusted, trusted_file

    check_there(shell.folder)
    lines = sorted(told(shell.folder, shell.settings()))
    if not show:
        remember(shell.folder, () if forget else lines)
    agreed = set(lines) <= trusted(shell.folder)
    shell.emit({"workspace": str(shell.folder), "told": lines, "trusted": agreed, "file": str(trusted_file())})
    for line in lines:
        shell.say(line, indent=2)
    if not lines:
        shell.say(f"{shell.folder} is yours and sends nothing: there is nothing to agree to.")
    else:
        shell.say(f"{shell.folder} is {'trusted' if agreed else 'not trusted'}: see {trusted_file()}")
