"""Options that several commands share, and commands that take them in groups: a group is a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from answerable.cli.shell import Folder, Json, Shell
from answerable.corpora.fields import KINDS, Filter
from answerable.errors import UsageError
from answerable.types import Privacy
from answerable.workspace.declarations import Kind

QUOTES = "Quotes are needed only for what the shell takes for its own, such as ? and '."
Words = Annotated[
    list[str] | None, typer.Argument(metavar="QUESTION", help=f"The question. {QUOTES}", show_default=False)
]
Run = Callable[..., None]
AskerName = Annotated[str | None, typer.Option("--as", metavar="NAME", help="For an asker of answerable.toml.")]
PrivacyMode = Annotated[
    Privacy | None,
    typer.Option("--privacy", help="What no outside enclave may be told: nothing, private text, the question too."),
]
Hops = Annotated[int | None, typer.Option("--hops", help="Passages to follow one from another.")]
Hits = Annotated[int | None, typer.Option("--k", help="Passages to take from each search.")]
Risk = Annotated[
    float | None,
    typer.Option("--risk", metavar="SHARE", help="Of the answers given, the share that may be wrong: 0 to 1."),
]
OneEnclave = Annotated[str | None, typer.Option("--enclave", "-e", metavar="NAME", help="One enclave only.")]


@dataclass(frozen=True, slots=True)
class OfKind:
    """What an enclave is declared to be."""

    public: Annotated[bool, typer.Option("--public", help="Public text: reading it makes nothing private.")] = False
    mirror: Annotated[bool, typer.Option("--mirror", help="Public text on a machine of yours: sent anything.")] = False
    private: Annotated[bool, typer.Option("--private", help="Private text (the default for a new enclave).")] = False

    def chosen(self) -> Kind | None:
        """The one that was given, if any. Raises `UsageError` for several."""
        chosen = [kind for kind in Kind if getattr(self, kind)]
        if len(chosen) > 1:
            raise UsageError("an enclave is one of --public, --mirror and --private")
        return chosen[0] if chosen else None


def unquoted(words: list[str] | None) -> str | None:
    """What was typed without quotes, as one text; None where nothing was."""
    return " ".join(words) if words else None


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Which documents may be read."""

    sender: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="NAME", help="Only mail from NAME: a name, an address, a part."),
    ] = None
    to: Annotated[list[str] | None, typer.Option("--to", metavar="NAME", help="Only mail to NAME.")] = None
    after: Annotated[
        str | None, typer.Option("--after", metavar="DATE", help="Only from DATE on: 2001-05-04, May 2001, 2001.")
    ] = None
    before: Annotated[str | None, typer.Option("--before", metavar="DATE", help="Only before DATE.")] = None
    enclave: Annotated[
        list[str] | None,
        typer.Option("--enclave", "-e", metavar="NAME", help="Only this enclave, and others so named."),
    ] = None
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help=f"Only documents that are {', '.join(KINDS)}.")
    ] = None
    folder: Annotated[
        list[str] | None, typer.Option("--folder", metavar="NAME", help="Only documents in a folder NAME.")
    ] = None

    @property
    def filter(self) -> Filter:
        """What was given. Raises `UsageError` as `Filter` does."""
        several = (tuple(one or ()) for one in (self.sender, self.to, self.enclave, self.kind, self.folder))
        sender, to, *others = several
        return Filter(sender, to, self.after or "", self.before or "", *others)


def command(run: Run) -> Run:
    """A command as Typer takes it: in place of each parameter that is a group, the options that are its fields; in
    place of a `Shell`, those that every command shares, and of a `Plain` one those without the workspace."""
    hints = get_type_hints(run, include_extras=True)
    given = signature(run).parameters.values()
    groups = {one.name: hints[one.name] for one in given if is_dataclass(hints[one.name])}
    if not groups:
        return run
    names = {name: [one.name for one in _options(kind)] for name, kind in groups.items()}

    def flat(**values: Any) -> None:
        for name, kind in groups.items():
            own = {one: values.pop(one) for one in names[name] if one in values}
            values[name] = Shell.of(**own) if issubclass(kind, Shell) else kind(**own)
            if kind is Shell and own["context"].invoked_subcommand:  # of a group: its command is run next
                own["context"].obj = values[name]
                return
        run(**values)

    shown = [one.replace(annotation=hints[one.name], kind=Parameter.KEYWORD_ONLY) for one in given]
    ordered = [one for one in shown if one.name not in groups]
    ordered += [
        option
        for kind in sorted(groups.values(), key=lambda kind: issubclass(kind, Shell))
        for option in _options(kind)
    ]
    flat.__name__, flat.__doc__, flat.__signature__ = run.__name__, run.__doc__, Signature(ordered)  # type: ignore[attr-defined]
    return flat


def _options(kind: type[Any]) -> Iterator[Parameter]:
    """The fields of a group as parameters."""
    if issubclass(kind, Shell):
        yield Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
        if kind is Shell:
            yield Parameter("workspace", Parameter.KEYWORD_ONLY, annotation=Folder, default=None)
        yield Parameter("as_json", Parameter.KEYWORD_ONLY, annotation=Json, default=False)
        return
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        default = Parameter.empty if one.default is MISSING else one.default
        yield Parameter(one.name, Parameter.KEYWORD_ONLY, annotation=hints[one.name], default=default)
