"""An answer as people read it: the answer, its evidence with the answer marked, and on request the trace of hops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from textwrap import shorten
from typing import TYPE_CHECKING

from rich.text import Text

from answerable.chains.plan import Planned
from answerable.cli.shell import Shell
from answerable.corpora.fields import UNFILTERED, Filter
from answerable.corpora.tables import HEADING_MARK
from answerable.printing import consulted, counted
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.trace import grouped, may_see, redacted, withheld
from answerable.text import mail_head, one_line
from answerable.types import Answer, Asker, Citation, Excerpt, Fields, Hop, Label, Passage, Reading, Skill

if TYPE_CHECKING:
    from answerable.qapairs.answering import PairAnswer

MORE = "other words may find more; answerable status shows what is indexed"
TITLES = 2  # passages named in one line of a trace
GUESSES = 3
NEAR = 160  # characters shown around a sentence
_OTHER_BLANKS = re.compile(r"[^\S \t\n]")


def show_answer(shell: Shell, answer: Answer, wanted: Filter = UNFILTERED) -> None:
    """The answer in bold with its confidence, then a citation a paragraph; or why there is none, the best guesses and
    the nearest passages. `wanted`: what alone was read."""
    headline(shell, answer)
    for remark in (*(() if answer.text is None else answer.unreachable), *answer.notes):
        shell.say(Text(remark, style="yellow"), indent=2)
    if answer.text is None:
        if not (answer.others or answer.passages):
            way_out = f"only what is {wanted} was read" if wanted else MORE
            shell.say(Text(way_out, style="dim"), indent=2)
        if answer.others:
            shell.say(Text("best guesses: ", style="dim"), listed(answer.others[:GUESSES]), indent=2)
        show_passages(shell, answer.passages)
        return
    if answer.pair is not None:
        what = "called good before: " if answer.via == "remembered" else "worked out before: "
        shell.say(Text(what, style="dim"), answer.pair.question, indent=2)
    if answer.via == "early":
        shell.say(Text("read in the first passages found, which were enough", style="dim"), indent=2)
    cited(shell, answer.citations, answer.text)
    if answer.others:
        shell.say("")
        shell.say(Text("less likely: ", style="dim"), listed(answer.others[:3]), indent=2)


def show_passages(shell: Shell, passages: Sequence[Excerpt]) -> None:
    """Passages, their lines as they stand, each with its best sentence marked, and where that stands."""
    if passages:
        shell.say("")
        shell.say(Text("The nearest passages", style="bold"))
    for one in passages:
        passage, document = one.hit.passage, one.hit.passage.title or one.hit.passage.document_id
        first, last = one.start - passage.start, one.end - passage.start
        low, high = _around(passage.text, first, last)
        parts = (passage.text[low:first], passage.text[first:last], passage.text[last:high])
        before, sentence, after = (_OTHER_BLANKS.sub(" ", HEADING_MARK.sub("", part)) for part in parts)
        told = Text.assemble(before, (sentence, "bold black on yellow"), after)
        told.expand_tabs(8)
        shell.say("")
        for row in told.split("\n"):
            row.rstrip()
            if row:
                shell.say(row, indent=2)
        place = ", ".join(filter(None, (passage.enclave, f"{one.source}:{one.start}-{one.end}")))
        shell.say(Text(f"{document}{_known(one.fields)} — {place}", style="dim"), indent=2)


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """Some `NEAR` characters of a text more on both sides of [start, end), cut between lines where one ends in the
    further half of them, else between words; of a mail without the lines over it, which are said below."""
    low, high, half = 0, len(text), NEAR // 2
    if start > NEAR:
        low = text.find("\n", start - NEAR, start - half) + 1 or text.find(" ", start - NEAR) + 1
    if end + NEAR < len(text):
        high = text.rfind("\n", end + half, end + NEAR)
        high = text.rfind(" ", end, end + NEAR) if high < 0 else high
    return min(max(low, mail_head(text)), start), max(high, end)


def show_hops(
    shell: Shell,
    made: Iterable[Hop],
    seconds: float,
    viewer: Asker,
    enclaves: EnclaveTable,
    question: str | None = None,
) -> None:
    """Who was asked what, under which label, what came back or why it was refused, in how long.

    `question`: what was asked, where that may not be what the first search is for.
    """
    hops = redacted(made, viewer, enclaves)
    asked = sum(hop.refused is None for hop in hops)
    shell.say("")
    counts = f"  {counted(asked, 'search', 'searches')} made, {len(hops) - asked} refused, {seconds:.2f} s"
    shell.say(Text("Trace", style="bold"), Text(counts, style="dim"))
    searched = (hop.query.text for hop in hops if hop.skill in (Skill.SINGLE, Skill.MATCH))
    question = next(searched, "") if question is None else question
    for group in grouped(hops):
        _show_group(shell, group, question)
    for name in withheld(viewer, enclaves):
        shell.say(Text(f"{viewer.name} is not cleared for {name}: nothing of it is shown", style="dim"), indent=2)


def _show_group(shell: Shell, group: list[Hop], question: str) -> None:
    first = group[0]
    times = f", {len(group)} times" if len(group) > 1 else ""
    head = Text(f"hop {len(first.query.because) + 1}  ", style="dim")
    name = Text(first.enclave, style="cyan")
    took = Text(f"  {sum(hop.seconds for hop in group) * 1000:.0f} ms", style="dim")
    if first.refused:
        shell.say(head, name, Text(" was not asked", style="bold red"), f" {_query(group, question)}{times}", indent=2)
        shell.say("why: ", Text(first.refused, style="red"), indent=9)
        if first.held is None:
            return
        most = max(hop.held or 0 for hop in group)
        shell.say(f"instead: searched here, among {counted(most, 'passage')} fetched ahead", took, indent=9)
    else:
        most = max(hop.ahead for hop in group)
        here = f"; {counted(most, 'passage')} of each held here" if most else ""
        shell.say(head, name, f" was asked {_query(group, question)}{times}{here}", took, indent=2)
        shell.say(Text(f"why: {first.reason}", style="dim"), indent=9)
        if first.shards:
            shell.say(Text(f"at: {', '.join(first.shards)}", style="dim"), indent=9)
        for reason in sorted({reason for hop in group for reason in hop.missing}):
            shell.say(Text(reason, style="red"), indent=9)
    hits = sorted((hit for hop in group for hit in hop.hits), key=lambda hit: -hit.score)
    pairs = [hit.pair.question for hit in hits if hit.pair is not None]
    titles = _some(pairs) if pairs else _titles([hit.passage for hit in hits])
    shell.say("found: ", titles if hits else "nothing", indent=9)


def show_plan(
    shell: Shell, planned: Iterable[Planned], viewer: Asker, enclaves: EnclaveTable, wanted: Filter = UNFILTERED
) -> None:
    """Where the question would go, hop by hop, and where not; searches of one kind together."""
    shell.say(Text("Nothing was sent. What an ask would send:", style="bold"))
    if wanted:
        shell.say(f"only what is {wanted} would be read; the filter itself is sent nowhere", indent=2)
    planned = tuple(planned)
    question = planned[0].text if planned else None
    texts: dict[tuple[Planned, bool], list[str]] = {}
    for one in planned:
        part = one.hop == 1 and one.skill is Skill.SINGLE and one.text != question
        if may_see(one.enclave, one.label, viewer, viewer, enclaves):
            texts.setdefault((replace(one, text=None), part), []).append(one.text or "")
    for (one, part), sent in texts.items():
        _show_planned(shell, one, sent, part)
    for name in withheld(viewer, enclaves):
        shell.say(Text(f"{viewer.name} is not cleared for {name}: it would not be asked", style="dim"), indent=2)


def show_parts(shell: Shell, proposed: Sequence[str], planned: Iterable[Planned]) -> None:
    """The parts of a question, and how to send one where the whole may not go. The choice is the user's."""
    shell.say("")
    if not proposed:
        shell.say("No part of the question stands out; one of your own can be sent with --part ENCLAVE=TEXT.")
        return
    first = [one for one in planned if one.hop == 1]
    label = ", ".join(sorted(first[0].label)) if first else ""
    shell.say(Text("Parts that could go alone", style="bold"), f", each carrying {label or 'nothing private'}:")
    for part in proposed:
        shell.say(f"“{part}”", indent=2)
    closed = list(dict.fromkeys(one.enclave for one in first if one.refused and one.refused == one.reason))
    for name in closed:
        shell.say(f'if one of them tells nothing, it may be sent: --part {name}="PART"')
    if not closed:
        shell.say("The whole question may be sent wherever you may read: there is no need to.")


def _show_planned(shell: Shell, one: Planned, sent: list[str], part: bool) -> None:
    verb = "would" if one.hop == 1 else "could"
    head, name = Text(f"hop {one.hop}  ", style="dim"), Text(one.enclave, style="cyan")
    whole = "a part of the question" if part else "the question"
    what = whole if one.hop == 1 else f"{whole} with what was read"
    if one.skill is Skill.MENTION:
        what = "names in the question" if one.hop == 1 else "names in what was read"
    if one.skill is Skill.MATCH:
        what = "for pairs that ask the same"
    carried = f"{what}, carrying {', '.join(sorted(one.label)) or 'nothing private'}"
    if one.refused:
        shell.say(head, name, Text(f" {verb} not be asked", style="bold red"), f" {carried}", indent=2)
        shell.say("why: ", Text(one.refused, style="red"), indent=9)
        if one.held:
            shell.say("instead: searched here, among the passages fetched ahead", indent=9)
        return
    here = f", for {counted(one.ahead, 'passage')} to hold here" if one.ahead else ""
    shell.say(head, name, f" {verb} be asked {carried}{here}", indent=2)
    shell.say(Text(f"why: {one.reason}", style="dim"), indent=9)
    if one.hop == 1:
        shell.say("sent: ", ", ".join(f"“{text}”" for text in sent), indent=9)


def _query(group: list[Hop], question: str) -> str:
    """What the queries were made of: the question, the passages in it by title, and the label they gave it."""
    quoted = [passage for hop in group for passage in hop.query.because]
    label = group[0].query.label
    carried = f", carrying {', '.join(sorted(label))}" if label else ""
    if group[0].skill is Skill.MENTION:
        names = [hop.query.text[slice(*hop.query.span)] for hop in group if hop.query.span]
        return f"for pages by name: {_some(names)}{carried}"
    if group[0].skill is Skill.MATCH:
        return f"for pairs that ask the same{carried}"
    asked = "the question" if group[0].query.text == question else f"the part {_some([group[0].query.text])}"
    return f"{asked}{' with ' + _titles(quoted) if quoted else ''}{carried}"


def _titles(passages: list[Passage]) -> str:
    return _some([passage.title or passage.document_id for passage in passages])


def _some(texts: list[str]) -> str:
    names = list(dict.fromkeys(shorten(text, 40, placeholder="…") for text in texts))
    more = f" and {len(names) - TITLES} more" if len(names) > TITLES else ""
    return ", ".join(f"“{name}”" for name in names[:TITLES]) + more


def marked(text: str, answer: str) -> Text:
    """A citation on one line, with the answer highlighted where it stands in it."""
    shown, wanted = Text(one_line(text)), one_line(answer)
    if wanted and answer not in ("yes", "no"):
        shown.highlight_regex(re.compile(re.escape(wanted), re.IGNORECASE), style="bold black on yellow")
    return shown


def cited(shell: Shell, citations: Iterable[Citation], answer: str) -> None:
    """A paragraph for each citation, and where it stands."""
    for citation in citations:
        shell.say("")
        shell.say(marked(citation.text, answer), indent=2)
        shell.say(origin(citation), indent=2)


def headline(shell: Shell, told: Answer | Reading | PairAnswer, public: str = "public") -> None:
    """The answer with its confidence and label, or why there is none."""
    if told.text is None and told.via == "passages":
        shell.say(Text("No short answer", style="bold"), f": {told.reason}", label_note(told.label, public))
        return
    if told.text is None:
        shell.say(Text("I am not sure", style="bold yellow"), f": {told.reason}")
        return
    mark = Text(f"  confidence {told.confidence:.2f}", style="dim")
    shell.say(Text(told.text, style="bold green"), mark, label_note(told.label, public))


def show_unnamed(shell: Shell, names: Sequence[str]) -> None:
    """Names that a filter asks for and nobody has."""
    for name in names:
        shell.note(f"nobody is called {name} in what may be read here")


def origin(citation: Citation) -> Text:
    """Where a citation stands."""
    within = f"{citation.enclave}, " if citation.enclave else ""
    place = f"{within}{citation.source}:{citation.start}-{citation.end}"
    known = f"{_known(citation.fields)}{', ' if citation.place else ''}{citation.place or ''}"
    return Text(f"{citation.title or citation.document}{known} — {place}", style="dim")


def _known(fields: Fields | None) -> str:
    """`, Kim Watson to Lorraine Lindberg and 2 more, 4 May 2001`: as much of it as there is."""
    if fields is None:
        return ""
    others = fields.others + len(fields.to) - 1
    to = f" to {_name(fields.to[0])}{f' and {others} more' if others else ''}" if fields.to else ""
    day = ""
    with suppress(ValueError):
        date = datetime.fromisoformat(fields.date or fields.changed or "")
        day = f"{'' if fields.date else 'file changed '}{date.day} {date:%B} {date.year}"
    return "".join(f", {one}" for one in (f"{_name(fields.sender)}{to}".strip(), day) if one)


def _name(person: str) -> str:
    """`Kim Watson` of `Kim Watson <kim@example.org>`."""
    return person.split(" <")[0]


def label_note(label: Label, public: str = "public") -> Text:
    """Whose private text was consulted for something."""
    if not label:
        return Text(f"  {public}", style="dim")
    return Text(f"  {consulted(label)}", style="dim magenta")


def listed(others: Iterable[tuple[str, float]]) -> Text:
    """Other answers, and how sure each is."""
    return Text("; ".join(f"{one_line(text)} ({confidence:.2f})" for text, confidence in others))
