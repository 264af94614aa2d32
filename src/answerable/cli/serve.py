"""`answerable serve`: let others search one enclave over HTTP."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from answerable.cli.shell import Shell, workspace_of

NAME = "serve"


def run(
    shell: Shell,
    enclave: Annotated[str, typer.Option("--enclave", "-e", metavar="NAME", help="The enclave to serve.")],
    host: Annotated[
        str | None, typer.Option("--host", help="Address to answer at (default: this machine only).")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port; 0: any that is free.")] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", metavar="FILE", help="Who may ask: lines NAME: TOKEN.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option("--certificate", metavar="FILE", help="For TLS, as PEM.")] = None,
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help="The certificate's key.")] = None,
) -> None:
    """Let others search one enclave, over HTTP.

    Other enclaves of the workspace stay closed. Without tokens (or ANSWERABLE_TOKEN) only this machine may ask, and
    only of text that is not private. Rates and sizes are set under [serve]. Ctrl-C lets begun searches end, and stops.
    """
    from answerable.serving.access import Tokens
    from answerable.serving.app import App
    from answerable.serving.server import Server, check_exposure, listen, tokens_for

    with workspace_of(shell) as opened:
        files = {"token_file": token_file, "certificate": certificate, "key": key}
        chosen = {"host": host, "port": port, **{name: path and str(path) for name, path in files.items()}}
        given = {name: value for name, value in chosen.items() if value is not None}
        settings = replace(opened.settings.serve, **given)  # type: ignore[arg-type]
        declared, tokens = opened.enclaves().find(enclave), tokens_for(settings, os.environ)
        check_exposure(declared, settings, tokens)
        app = App(opened.served(enclave), Tokens(tokens), settings, shell.note)
        with listen(settings) as bound:
            server = Server(app, settings, bound)
            shell.emit({"enclave": enclave, "url": server.url, "tls": server.secure, "tokens": len(tokens)})
            who = f"{len(tokens)} token{'' if len(tokens) == 1 else 's'}" if tokens else "anyone on this machine"
            shell.say(f"Serving {enclave} at {server.url} to {who}. Ctrl-C to stop.")
            if declared.private:
                shell.note(f"{enclave} is private: whoever holds a token can read what they find", style="yellow")
            if tokens and not server.secure and not server.local:
                shell.note("without TLS the network reads tokens, queries and answers", style="yellow")
            server.run()
            shell.note(f"stopped: {app.answered:,} requests answered, {app.refused:,} refused")
