"""`answerable ask`: one question, answered with evidence or not at all."""

from __future__ import annotations

from typing import Annotated

import typer

from answerable.chains.plan import parts, records
from answerable.cli.options import QUOTES, AskerName, Hits, Hops, Narrowed, PrivacyMode, Risk
from answerable.cli.shell import Shell, workspace_of
from answerable.cli.show import show_answer, show_hops, show_parts, show_plan, show_unnamed
from answerable.errors import UsageError
from answerable.serialize import answer_record, plain
from answerable.workspace.terms import Asking


def run(
    shell: Shell,
    question: Annotated[
        list[str],
        typer.Argument(metavar="QUESTION", help=f"The question. {QUOTES}", show_default=False),
    ],
    narrowed: Narrowed,
    privacy: PrivacyMode = None,
    hops: Hops = None,
    k: Hits = None,
    asker: AskerName = None,
    risk: Risk = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every search made or refused, and why.")] = False,
    grant: Annotated[
        list[str] | None,
        typer.Option(
            "--grant",
            metavar="ENCLAVE[=NAME,...]",
            help="Let this question go to an enclave that would not admit it, and what is read in NAME too.",
        ),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", metavar="ENCLAVE=TEXT", help="Send this part to an enclave that may not have the rest."),
    ] = None,
    decompose: Annotated[
        bool, typer.Option("--decompose", help="Propose parts of the question that could go alone; send nothing.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be sent where; send nothing.")] = False,
) -> None:
    """Ask a question and see the sources.

    Each source is cited word for word. Ends with 0 when answered and 3 when there is no answer good enough to give.
    "Tell me about", "Describe", "Summarise" and the like get passages: that is an answer too.
    """
    line = " ".join(question)
    asking: Asking = {"privacy": privacy, "hops": hops, "k": k, "filter": narrowed.filter, "risk": risk}
    asking |= {"grant": _granted(grant or ()), "parts": [*map(_part, part or ())]}
    with workspace_of(shell) as opened:
        viewer, table = opened.asker(asker), opened.settings.hosts()
        if dry_run or decompose:
            planned = opened.plan(line, viewer, **asking)
            searches, proposed = records(planned, viewer, table), parts(line) if decompose else ()
            told = {"filter": plain(narrowed.filter)} if narrowed.filter else {}
            shell.emit(told | ({"parts": list(proposed)} if decompose else {}) | {"searches": searches})
            show_plan(shell, planned, viewer, table, narrowed.filter)
            if decompose:
                show_parts(shell, proposed, planned)
            return
        answer = opened.ask(line, viewer, **asking)
        unnamed = opened.library.unnamed(viewer, narrowed.filter) if answer.text is None else []
    if shell.as_json:
        shell.emit(answer_record(answer, viewer, table, explain))
    else:
        show_answer(shell, answer, narrowed.filter)
        show_unnamed(shell, unnamed)
        if explain:
            show_hops(shell, answer.evidence.hops, answer.seconds, viewer, table)
    shell.abstain_without(answer.text is not None or answer.via == "passages")


def _part(text: str) -> tuple[str, str]:
    """`wiki=Bell Rock` as an enclave and what it may be sent. Raises `UsageError` when one of them is missing."""
    to, _, words = text.partition("=")
    if not to.strip() or not words.strip():
        raise UsageError(f"--part {to.strip()!r} names no text", hint='such as --part wiki="Bell Rock"')
    return to.strip(), words


def _granted(texts: list[str] | tuple[()]) -> dict[str, list[str]]:
    """`wiki=mail,clinic` as the enclave a question may go to, and those whose text may go there with it."""
    granted: dict[str, list[str]] = {}
    for text in texts:
        to, _, names = text.partition("=")
        granted.setdefault(to.strip(), []).extend(name.strip() for name in names.split(",") if name.strip())
    return granted
