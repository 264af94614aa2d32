"""`answerable chat`: questions one after the other, where one may follow on those before it."""

from __future__ import annotations

import re
from typing import Annotated

import typer
from rich.text import Text

from answerable.cli.options import AskerName, Hits, Hops, Narrowed, PrivacyMode, Risk
from answerable.cli.shell import Shell, turns, workspace_of
from answerable.cli.show import show_answer
from answerable.printing import counted
from answerable.serialize import answer_record
from answerable.text import one_line
from answerable.workspace.terms import Asking

_COMMAND = re.compile(r"/\w*")
_COMMANDS = "A chat has no commands: every line is asked, and an empty one ends it. Its options: answerable chat --help"


def run(
    shell: Shell,
    narrowed: Narrowed,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Keep it under a name, or go on with one so kept.")
    ] = None,
    privacy: PrivacyMode = None,
    hops: Hops = None,
    k: Hits = None,
    risk: Risk = None,
    asker: AskerName = None,
    listed: Annotated[bool, typer.Option("--list", help="List the conversations that are kept.")] = False,
    delete: Annotated[
        str | None, typer.Option("--delete", metavar="NAME", help="Delete a conversation, for good.")
    ] = None,
) -> None:
    """Ask question after question: a turn for each line of standard input.

    "And who founded it?" is asked with the question before it and its answer, as far as privacy allows. Without a name
    nothing of it is kept. An empty line ends it: with 0 when the last was answered, and 3 when not.
    """
    with workspace_of(shell) as opened:
        who = opened.asker(asker)
        if delete is not None:
            opened.chats.delete(who, delete)
            shell.emit({"deleted": delete})
            return shell.say(f"Deleted {delete}.")
        if listed:
            kept = opened.chats.names(who)
            shell.emit({"conversations": [{"name": name, "turns": count} for name, count in kept.items()]})
            for name, count in kept.items():
                shell.say(Text(name, style="bold"), f"  {counted(count, 'turn')}")
            return shell.abstain_without(kept, "No conversations are kept: answerable chat --name NAME begins one.")
        talk, answered = opened.chat(name, who), True
        for number, turn in enumerate(talk.turns, 1):
            shell.say(
                Text(f"{number} > {turn.question}", style="cyan"), Text(f"  {one_line(turn.answer or '')}", style="dim")
            )
        asking: Asking = {"privacy": privacy, "hops": hops, "k": k, "filter": narrowed.filter, "risk": risk}
        for question in turns(shell, None, more=True):
            if _COMMAND.fullmatch(question.strip()):
                shell.note(_COMMANDS)
                continue
            said = [one.text for one in talk.context(one_line(question))]
            answer = talk.ask(question, **asking)
            answered = answer.text is not None or answer.via == "passages"
            told = {"question": one_line(question), "said": said}
            shell.emit(told | answer_record(answer, who, opened.enclaves()))
            shell.say(Text(f"> {one_line(question)}", style="bold cyan"))
            if said:
                shell.say(Text(f"asked with: {one_line('; '.join(said))}", style="dim"), indent=2)
            if not shell.as_json:
                show_answer(shell, answer, narrowed.filter)
            shell.say("")
    shell.abstain_without(answered)
