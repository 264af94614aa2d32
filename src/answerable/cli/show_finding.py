"""A set as people read it: each member with the sentences that show why, how many there are, and how else to ask."""

from __future__ import annotations

import shlex

from rich.text import Text

from answerable.cli.shell import Shell
from answerable.cli.show import label_note, line
from answerable.sets.expression import printed
from answerable.sets.finding import Finding
from answerable.sets.members import Evidence, Found, Member, Support

_SHOWN = {Evidence.COMPLETE: "", Evidence.PARTIAL: "  shown in part", Evidence.NONE: "  not shown by any sentence"}


def show_finding(shell: Shell, finding: Finding) -> None:
    """A whole find: the members as they come on a terminal, elsewhere best first, and how many there are."""
    show_expression(shell, finding)
    for member in finding if shell.out.is_terminal else finding.found.members:
        show_member(shell, member)
        shell.say("")
    show_summary(shell, finding.found)


def show_expression(shell: Shell, finding: Finding) -> None:
    """How the query is understood, before anything is searched."""
    shell.say(Text("looking for ", style="dim"), Text(printed(finding.expression), style="bold"))
    shell.say("")


def show_member(shell: Shell, member: Member) -> None:
    """A member with its probability and label, and under it what its text says of each constraint."""
    name = Text(member.title or member.document, style="bold green")
    mark = Text(f"  {member.probability:.2f}", style="dim")
    shell.say(name, mark, label_note(member.label), Text(_SHOWN[member.evidence], style="dim"))
    for told in member.supports:
        _show_support(shell, told)
    shell.say(Text(f"{member.enclave}, {member.source}", style="dim"), indent=2)


def _show_support(shell: Shell, told: Support) -> None:
    what = Text(f"{'not ' if told.negated else ''}{told.constraint}: ", style="cyan")
    for citation in told.citations[:1]:
        place = Text(f"  {citation.start}-{citation.end}", style="dim")
        said = Text(line(citation.text))
        shell.say(what, Text("but ", style="yellow") if told.negated else "", said, place, indent=2)
    if not told.citations and told.negated:
        shell.say(what, Text("nothing says otherwise", style="dim"), indent=2)


def show_summary(shell: Shell, found: Found) -> None:
    """How many there are and how many to expect; what could not be asked; other readings, to be copied."""
    if not found.count:
        shell.say(Text("No members", style="bold yellow"), ": nothing that was found fits well enough")
    low, high = found.interval
    more = f", {len(found.members):,} of them shown" if len(found.members) < found.count else ""
    many = f"{found.count:,} member{'' if found.count == 1 else 's'}{more}"
    counts = f"; of {found.considered:,} considered about {found.expected:.0f} fit ({low:,} to {high:,})"
    shell.say(Text(many, style="bold"), Text(f"{counts}, {found.seconds:.2f} s", style="dim"))
    for reason in found.unreachable:
        shell.say(Text(reason, style="yellow"))
    if found.note:
        shell.say(Text(f"read without the language model: {found.note}", style="yellow"))
    for expression, probability in found.alternatives:
        command = shlex.quote(printed(expression))
        shell.say(Text(f"or, with {probability:.2f}: ", style="dim"), f"--expression {command}", wrap=False)
    if found.left_out:
        what = f"{len(found.left_out)} that fit but for what is taken away: --explain shows them"
        shell.say(Text(what, style="dim"))


def show_left_out(shell: Shell, found: Found) -> None:
    """Documents that were left out for a constraint that is taken away, and what says so."""
    if found.left_out:
        shell.say("")
        shell.say(Text("Left out", style="bold"), Text(" though they fit otherwise", style="dim"))
    for member in found.left_out:
        shell.say(Text(member.title or member.document), Text(f"  {member.probability:.2f}", style="dim"), indent=2)
        for told in member.supports:
            if told.negated:
                for citation in told.citations[:1]:
                    said = line(citation.text)
                    shell.say(Text(f"{told.constraint}: ", style="cyan"), said, indent=4)
