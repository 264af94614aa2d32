"""`answerable mcp`: the workspace for an assistant, by the Model Context Protocol."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from answerable.cli.options import AskerName
from answerable.cli.shell import Shell, workspace_of
from answerable.errors import UsageError
from answerable.remote.place import is_loopback

if TYPE_CHECKING:
    from answerable.types import Asker
    from answerable.workspace.workspace import Workspace


def run(
    shell: Shell,
    asker: AskerName = None,
    to_host: Annotated[
        Literal["asker", "public"],
        typer.Option("--to-host", help="Tell the assistant what its asker may read, or public text alone."),
    ] = "asker",
    as_typed: Annotated[
        bool, typer.Option("--as-typed", help="Take what it asks for your own words: they go where your questions go.")
    ] = False,
    http: Annotated[bool, typer.Option("--http", help="Answer over HTTP at /mcp, not on standard input.")] = False,
    host: Annotated[str | None, typer.Option("--host", help="Address to answer at, with --http.")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port, with --http; 0: any that is free.")
    ] = None,
) -> None:
    """Answer an assistant's questions, by the Model Context Protocol.

    It may ask, find, read, search and list, and changes nothing. What it asks goes to no other machine that may not be
    sent all it can be told; with --to-host public it is told public text alone. Over HTTP others than this machine need
    a token of an asker.
    """
    if not http and (host, port) != (None, None):
        raise UsageError("--host and --port say where to answer over HTTP", hint="add --http")
    with workspace_of(shell) as opened:
        who, public = _asker(opened, asker), to_host == "public"
        if http:
            return _serve(shell, opened, (who, public, as_typed), host, port)
        from answerable.web.assistants import Assistants

        Assistants(opened, lambda _: who, public, as_typed, shell.note).run()


def _asker(opened: Workspace, name: str | None) -> Asker:
    """By the settings, or as `answerable askers add` made them."""
    held = [one for one in opened.askers.all() if one.name == name and one.in_force(datetime.now(UTC))]
    return held[0].asker(opened.settings) if held else opened.asker(name)


def _serve(shell: Shell, opened: Workspace, how: tuple[Asker, bool, bool], host: str | None, port: int | None) -> None:
    from answerable.serving.server import Server, listen
    from answerable.web.streamable import PATH, AssistantApp

    given = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    settings = replace(opened.settings.serve, **given)  # type: ignore[arg-type]
    holders = opened.askers.all()
    if not holders and not is_loopback(settings.host):
        hint = "answerable askers add NAME --reads ENCLAVE,..."
        raise UsageError(f"serving on {settings.host} without askers would let nobody ask", hint=hint)
    with listen(settings) as bound:
        server = Server(AssistantApp(opened, settings, shell.note, *how), settings, bound)
        shell.emit({"url": f"{server.url}{PATH}", "tls": server.secure})
        shell.say(f"Assistants are answered at {server.url}{PATH}. Ctrl-C to stop.")
        server.run()
