"""A set as people read it: a line for each member with a sentence, how many there are, and how to narrow it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from textwrap import shorten

from rich.style import Style
from rich.text import Text

from answerable.cli.shell import Shell
from answerable.cli.show import label_note
from answerable.corpora.fields import day_known
from answerable.printing import counted
from answerable.sets.by_fields import ANY
from answerable.sets.expression import printed, signed
from answerable.sets.finding import Finding
from answerable.sets.members import Evidence, Found, Member, Place
from answerable.text import one_line

Places = Callable[[str, str], Path | None]
"""The file that a document of an enclave was read from, by its source, where it lies here."""
_SHOWN = {Evidence.COMPLETE: "", Evidence.PARTIAL: "in part: ", Evidence.NONE: "not shown by any sentence"}
_TITLE = 36  # columns
_LINE, _CELL = 240, 480  # characters that are shown of a row where lines have no end, and of a cell
_FACETS = 3  # values of one facet that are offered


def show_finding(
    shell: Shell, finding: Finding, places: Places, known: Collection[Place] | None = None, explain: bool = False
) -> None:
    """A whole find: the members as they come on a terminal, elsewhere best first, and how many there are.

    `known`: the members of another time; others are marked as new. To `explain` it, a sentence for each constraint.
    """
    where = Text(f" {finding.among}" if finding.among else "", style="dim")
    shell.say(Text("looking for ", style="dim"), Text(printed(finding.expression), style="bold").append_text(where))
    shell.say("")
    for member in finding if shell.out.is_terminal else finding.found.members:
        _show_row(shell, member, places(member.enclave, member.source), known is not None and member.place not in known)
        if explain:
            _show_supports(shell, member)
    if finding.found.members:
        shell.say("")
    show_summary(shell, finding.found)


def _show_row(shell: Shell, member: Member, file: Path | None, new: bool) -> None:
    """The probability, the title as a link to its file, and a sentence; on a terminal cut to a line."""
    link = file.as_uri() if file else None
    place = f", {member.row.place}" if member.row else ""
    title = Text(one_line(member.title or member.document), style=Style(bold=True, color="green", link=link))
    title.truncate(_TITLE - len(place), overflow="ellipsis", pad=not place)
    title.append(place)
    title.truncate(_TITLE, pad=True)
    row = Text.assemble((f"{member.probability:.2f}  ", "dim"), title, ("  new" * new, "bold yellow"))
    if member.label:
        row.append_text(label_note(member.label))
    row.append(f"  {_SHOWN[member.evidence]}", style="dim")
    by_fields = dict.fromkeys(one_line(told.field) for told in member.supports if told.field)
    room = shell.out.width - len(row) if shell.out.is_terminal else _LINE
    row.append((_row(member, room) if member.row else _sentence(member)) or "; ".join(by_fields))
    if shell.out.is_terminal:
        row.truncate(shell.out.width, overflow="ellipsis")
    shell.say(row, wrap=False)


def _row(member: Member, room: int) -> str:
    """A row whole where there is room for that many characters; else its first cell and those that say that it
    belongs, and as much of these as there is room for."""
    text = one_line(member.row.text) if member.row else ""
    if len(text) <= room:
        return text
    said = (one_line(one.text) for told in member.supports if not told.negated for one in told.citations)
    cells = dict.fromkeys((text.partition("; ")[0], *(one for one in said if one != text)))
    return _cut(f"{'; '.join(cells)}; …", room)


def _cut(text: str, room: int) -> str:
    return shorten(text, max(room, _TITLE), placeholder="…")


def _sentence(member: Member) -> str:
    """The sentence that shows most constraints; of equal ones that of the last, which mostly says most. Where none
    does, one that says that it is not what is taken away."""
    every = [(told.negated, one) for told in member.supports for one in told.citations]
    cited = [one for taken, one in every if not taken] or [one for _, one in every]
    often = Counter(one.text for one in cited)
    return one_line(max(reversed(cited), key=lambda one: often[one.text]).text) if cited else ""


def _show_supports(shell: Shell, member: Member) -> None:
    """What a member's text says of each constraint, and where it stands."""
    for told in (one for one in member.supports if one.constraint.lower() not in ANY):
        what = Text(f"{told.constraint}: ", style="cyan")
        for citation in told.citations[:1]:
            stands = Text(f"  {citation.start}-{citation.end}", style="dim")
            denied = Text("shown not to be: " if told.negated and told.probability < 0.5 else "", style="dim")
            shell.say(what, denied, _cut(citation.text, _CELL), stands, indent=6)
        if told.field:
            shell.say(
                what, Text("shown not to be: ", style="dim") if not told.probability else "", told.field, indent=6
            )
        elif not told.citations:
            shell.say(what, Text("not shown", style="dim"), indent=6)
    shell.say(Text(f"{member.enclave}, {member.source}", style="dim"), indent=6)


def show_summary(shell: Shell, found: Found) -> None:
    """How many there are and how many to expect; what was not looked at; how to narrow it; other readings, to copy."""
    if not found.count:
        none = "nothing that was looked at is likely enough to fit"
        if not found.possible:
            none = "there is nothing here to look at for it"
        shell.say(Text("None found", style="bold yellow"), f": {none}")
    shown = len(found.members)
    many = counted(found.count, "member")
    many += f", {shown:,} of them shown" if shown < found.count else ""
    if shown > 1:
        right = sum(member.probability for member in found.members)
        some = f"about {right:.0f}" if right >= 1 else "perhaps none"
        many += f", {some} of {'them' if shown == found.count else 'these'} right by their probabilities"
    if found.possible:
        shell.say(Text(many, style="bold"), Text(f"; {looked_at(found)}, {found.seconds:.2f} s", style="dim"))
        rest = "; --all looks at all" if found.considered < found.possible else ""
        shell.say(Text(f"{fitting(found)}{rest}", style="dim"))
    for text in dict.fromkeys(text for text, taken in signed(found.expression) if taken and found.members):
        shell.say(Text(f"{text}: {_taken(text, found.members)}", style="dim"))
    for reason in found.unreachable:
        shell.say(Text(reason, style="yellow"))
    for option in facets(found.members):
        shell.say(Text("narrow by ", style="dim"), option, wrap=False)
    for expression, probability in found.alternatives:
        command = shlex.quote(printed(expression))
        shell.say(Text(f"or, with {probability:.2f}: ", style="dim"), f"--expression {command}", wrap=False)
    if found.left_out:
        what = f"{len(found.left_out)} that fit but for what is taken away: --explain shows them"
        shell.say(Text(what, style="dim"))


def _taken(text: str, members: Sequence[Member]) -> str:
    """What is known of members and a constraint that is taken away: what no sentence says may be so all the same."""
    own = [[told for told in one.supports if told.constraint == text and told.negated] for one in members]
    by_fields = sum(any(told.field for told in some) for some in own)
    said = sum(any(told.citations for told in some) for some in own)
    if by_fields == len(members):
        return "shown not to be so of all of them, by their fields"
    ways = ((by_fields, "by their fields"), (said, "by what they say"))
    return "; ".join(
        ["not shown of any of them", *(f"{many:,} are shown not to be, {how}" for many, how in ways if many)]
    )


def looked_at(found: Found) -> str:
    """How far the find looked."""
    return f"looked at {found.considered:,} of about {found.possible:,} that could be"


def fitting(found: Found) -> str:
    """How many documents fit, as far as was looked."""
    low, high = found.interval
    return f"of those looked at about {found.expected:.1f} fit ({low:,} to {high:,})"


def facets(members: Sequence[Member]) -> Iterator[str]:
    """Options that would give a part of these members, and how many."""
    years = [day_known(one.fields)[:4] for one in members]
    divided = {
        "--enclave": [one.enclave for one in members],
        "--kind": [one.kind for one in members],
        "--from": [one.fields.sender if one.fields else "" for one in members],
        "--after": [f"{year} --before {int(year) + 1}" if year.isdecimal() else "" for year in years],
    }
    for option, values in divided.items():
        counts = Counter(values)
        named = [(value, count) for value, count in counts.most_common() if value][:_FACETS]
        if len(counts) > 1 and named and named[0][1] > 1:  # what gives one member each narrows nothing
            yield ", ".join(
                f"{option} {value if option == '--after' else shlex.quote(value)} ({count})" for value, count in named
            )


def show_left_out(shell: Shell, found: Found) -> None:
    """Documents that were left out for a constraint that is taken away, and what says so."""
    if found.left_out:
        shell.say("")
        shell.say(Text("Left out", style="bold"), Text(" though they fit otherwise", style="dim"))
    for member in found.left_out:
        place = f", {member.row.place}" if member.row else ""
        shell.say(one_line(member.title or member.document) + place, indent=2)
        for told in member.supports:
            said = [told.field or ""] if told.field and told.probability else [one.text for one in told.citations[:1]]
            for text in said if told.negated else ():
                shell.say(
                    "shown not to be one  ", Text(f"{told.constraint}: ", style="cyan"), _cut(text, _CELL), indent=4
                )
