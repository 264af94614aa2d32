"""`answerable serve`: the workspace over HTTP, or one enclave of it for other machines to search."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from answerable.cli.shell import Shell, workspace_of
from answerable.errors import UsageError
from answerable.printing import counted

if TYPE_CHECKING:
    from answerable.serving.access import ServeSettings
    from answerable.serving.app import Guarded
    from answerable.workspace.workspace import Workspace


def run(
    shell: Shell,
    enclave: Annotated[
        str | None, typer.Option("--enclave", "-e", metavar="NAME", help="Serve this enclave alone, to be searched.")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to answer at (default: this machine only).")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port; 0: any that is free.")] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help="Who may search --enclave: lines NAME: TOKEN.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option("--certificate", metavar="FILE", help="For TLS, as PEM.")] = None,
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help="The certificate's key.")] = None,
    local: Annotated[
        bool, typer.Option("--local", help="Serve your own commands on this machine, which are then fast; no HTTP.")
    ] = False,
) -> None:
    """Serve the workspace, with a page, or one enclave.

    Without askers (`answerable askers add`) only this machine may ask, and may do all that you may. With --enclave
    other machines may search that one, by tokens of a file (or ANSWERABLE_TOKEN), and the others stay closed. Rates and
    sizes are set under [serve]. With --local nobody is answered but your own commands, which then find the models
    loaded. Ctrl-C lets what was begun end, and stops.
    """
    files = {"token_file": token_file, "certificate": certificate, "key": key}
    chosen = {"host": host, "port": port, **{name: path and str(path) for name, path in files.items()}}
    given = {name: value for name, value in chosen.items() if value is not None}
    if local:
        from answerable.cli.local_server import serve_local

        if given or enclave is not None:
            raise UsageError(
                "--local is for this machine alone, and for all of the workspace", hint="leave the rest out"
            )
        return serve_local(shell)
    with workspace_of(shell) as opened:
        settings = replace(opened.settings.serve, **given)  # type: ignore[arg-type]
        if enclave is None:
            app, holders = workspace_app(shell, opened, settings, token_file)
        else:
            app, holders = _enclave(shell, opened, settings, enclave)
        serve(shell, opened, settings, app, holders, enclave)


def serve(
    shell: Shell,
    opened: Workspace,
    settings: ServeSettings,
    app: Guarded,
    holders: int,
    enclave: str | None = None,
    show: Callable[[str], object] = lambda url: None,
) -> None:
    """Serve until told to stop; where it is, is said before, and `show` called with it. Raises `UsageError`."""
    import anyio

    from answerable.serving.server import Server, listen
    from answerable.workspace.opening import warm

    with listen(settings) as bound:
        server = Server(app, settings, bound)
        if enclave is None:
            warm(opened)
            anyio.run(anyio.sleep, 0)  # loads what the first stream would otherwise load while somebody waits
        shell.emit({"enclave": enclave, "url": server.url, "tls": server.secure, "tokens": holders})
        shut = enclave is None and not holders and bool(opened.askers.all())
        alone = "nobody" if shut else "anyone on this machine"
        who = counted(holders, "token") if holders else alone
        shell.say(f"Serving {enclave or opened.folder} at {server.url} to {who}. Ctrl-C to stop.")
        if enclave is None and not holders and not shut:
            shell.note("anybody with an account on this machine can ask: answerable askers add NAME --owner closes it")
        if enclave and opened.enclaves()[enclave].private:
            shell.note(f"{enclave} is private: whoever holds a token can read what they find", style="yellow")
        if holders and not server.secure and not server.local:
            shell.note("without TLS the network reads tokens, queries and answers", style="yellow")
        show(server.url)
        server.run()
        shell.note(f"stopped: {counted(app.answered, 'request')} answered, {app.refused:,} refused")


def _enclave(shell: Shell, opened: Workspace, settings: ServeSettings, enclave: str) -> tuple[Guarded, int]:
    """One enclave, and how many tokens there are."""
    from answerable.serving.access import Tokens
    from answerable.serving.app import App
    from answerable.serving.server import check_exposure, tokens_for

    declared, tokens = opened.enclaves().find(enclave), tokens_for(settings, os.environ)
    check_exposure(declared, settings, tokens)
    return App(opened.served(enclave), Tokens(tokens), settings, shell.note), len(tokens)


def workspace_app(
    shell: Shell, opened: Workspace, settings: ServeSettings, token_file: Path | None, examples: Sequence[str] = ()
) -> tuple[Guarded, int]:
    """The whole, and how many askers have a token. `examples`: as `WorkspaceApp` takes them. Raises
    `UsageError` where strangers could ask, or nobody."""
    from answerable.remote.place import is_loopback
    from answerable.web.app import WorkspaceApp

    hint = "answerable askers add NAME --reads ENCLAVE,..."
    if token_file is not None:
        raise UsageError("--token-file is for --enclave; a workspace is asked by askers", hint=hint)
    known = opened.askers.all()
    holders = sum(one.in_force(datetime.now(UTC)) for one in known)
    if not holders and not is_loopback(settings.host):
        raise UsageError(f"serving on {settings.host} without askers would let nobody ask", hint=hint)
    if known and not holders:
        shell.note(f"no asker has a token that counts, so that nobody may ask: {hint}", style="yellow")
    return WorkspaceApp(opened, settings, shell.note, examples=examples), holders
