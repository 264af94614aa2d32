"""`answerable enclaves`: what is declared, who may read it, what each may be sent; and to add one from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from answerable.cli.options import OfKind, command
from answerable.cli.shell import Mode, Shell, workspace_of
from answerable.printing import counted
from answerable.privacy.enclaves import QUESTION
from answerable.remote.place import places
from answerable.types import EVERYTHING, Enclave
from answerable.workspace.declarations import Declaration, Kind
from answerable.workspace.status import travels_as

app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@app.callback()
@command
def run(shell: Shell) -> None:
    """List the enclaves and the askers, or add an enclave that another machine serves."""
    with workspace_of(shell) as opened:
        enclaves, askers = opened.enclaves(), opened.settings.askers
        declared = opened.settings.enclaves
    cleared = [
        {"name": a.name, "clearance": sorted(a.clearance or ()), "label": sorted(a.label)} for a in askers.values()
    ]
    shell.emit({"enclaves": [declared[e.name].record(e) for e in enclaves.values()], "askers": cleared})
    shell.abstain_without(enclaves, "No enclave yet: answerable index PATH --enclave NAME")
    table = Table("enclave", "kind", "reading it makes the query", "may be sent", box=None, header_style="bold")
    for enclave in enclaves.values():
        label = ", ".join(sorted(enclave.label)) or "nothing more (public)"
        table.add_row(Text(enclave.name), declared[enclave.name].kind, label, _sent(enclave))
    shell.out.print(table)
    for name, one in declared.items():
        if one.url:
            shell.say(f"{name} is at {one.url}")
        if one.mode:
            shell.say(f"{name} is ranked by a mode of its own: {one.mode}")
    for asker in askers.values():
        names = ", ".join(sorted(asker.clearance or ())) or "nothing"
        shell.say(f"asker {asker.name} may read {names}")


@app.command()
@command
def add(
    shell: Shell,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called here.", show_default=False)],
    kind: OfKind,
    remote: Annotated[
        list[str],
        typer.Option("--remote", metavar="URL", help="Its server: https://HOST:PORT; all that hold a part of it."),
    ],
    token_file: Annotated[
        list[Path] | None,
        typer.Option("--token-file", metavar="FILE", help="The token, for all or for each; only the name is stored."),
    ] = None,
    ca_file: Annotated[
        list[Path] | None,
        typer.Option("--ca-file", metavar="FILE", help="Certificates to trust, instead of the system's; as the token."),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Allow http over a network that is trusted.")] = False,
    admits: Annotated[
        list[str] | None, typer.Option("--admits", metavar="WORD", help="A label that it may be sent besides its own.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="How it is ranked, if not as the others are.")] = None,
) -> None:
    """Add an enclave that another machine serves (`answerable serve`), or several together, each a part of it.

    It is asked like one here, under the same rules; a private one is sent no other private text unless --admits says
    so. It may be down: an ask then does without it, and says so.
    """
    from answerable.workspace.trust import by_hand

    chosen = kind.chosen() or Kind.PRIVATE
    tokens, trusted = ([one.absolute() for one in given or ()] for given in (token_file, ca_file))
    first, *others = places(remote, tokens, trusted, plain)
    for place in (first, *others):
        place.token()  # a token file that cannot be used is said now
    words, ranked = frozenset(admits) if admits else None, mode.value if mode else None
    made = Declaration(name, chosen, words, first, ranked, beside=tuple(others))  # type: ignore[arg-type]
    with workspace_of(shell, create=True) as opened, by_hand(opened.folder, lambda: opened.settings) as new:
        status = opened.add_remote(made)
        how = travels_as(status, opened.settings)
    shell.emit({"name": name, "kind": made.kind, "remote": made.url, "problem": status.problem})
    shell.say(f"Added {name} ({made.kind}) at {made.url}.")
    if status.problem is None:
        why = "" if status.shares_encoder else ", since its encoder is another"
        shell.say(f"It holds {counted(status.passages, 'passage')}; queries travel as {how}{why}.")
    else:
        shell.note(f"{status.problem}", style="yellow")
    for line in sorted(new):
        shell.note(line)


def _sent(enclave: Enclave) -> str:
    if enclave.admits == EVERYTHING:
        return f"everything: it is {'a machine of yours' if enclave.remote else 'on your own machine'}"
    if not enclave.admits:
        return "public queries only"
    return ", ".join("private questions" if one == QUESTION else one for one in sorted(enclave.admits))
