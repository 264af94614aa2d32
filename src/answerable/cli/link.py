"""`answerable link`: what a text names, and the documents so named."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from answerable.chains.linking import Linked
from answerable.cli.options import AskerName
from answerable.cli.shell import Shell, workspace_of
from answerable.privacy.trace import redacted
from answerable.serialize import linked_record


def run(
    shell: Shell,
    text: Annotated[str, typer.Argument(help="The text, in quotes; its first 256 tokens.", show_default=False)],
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Documents to show for each name.")] = 1,
    asker: AskerName = None,
) -> None:
    """Find what a text names, and the documents so named.

    The text goes where a question would go. Needs an encoder that links, search.linking, and enclaves indexed with
    both. Ends with 0, and with 3 when nothing is named.
    """
    with workspace_of(shell) as opened:
        viewer, table = opened.asker(asker), opened.enclaves()
        linked = opened.link(text, viewer, k)
    shell.emit(linked_record(linked))
    _show(shell, linked)
    refused = {hop.enclave: hop.refused for hop in redacted(linked.hops, viewer, table) if hop.refused}
    for enclave, reason in refused.items():
        shell.note(f"{enclave} was not asked: {reason}")
    shell.abstain_without(linked.mentions)


def _show(shell: Shell, linked: Linked) -> None:
    """A paragraph for each name: where it stands in the text, and below it its pages."""
    if not linked.mentions:
        shell.say(Text("Nothing is named", style="bold yellow"))
    for mention in linked.mentions:
        place = Text(f"  {mention.start}-{mention.end}, score {mention.score:.2f}", style="dim")
        shell.say(Text(mention.text, style="bold green"), place)
        for page in mention.pages:
            named = f"{page.title or page.document} — {page.enclave}, {page.document}"
            shell.say(named, Text(f"  {page.score:.2f}", style="dim"), indent=2)
        if not mention.pages:
            shell.say(Text("no page", style="dim"), indent=2)
