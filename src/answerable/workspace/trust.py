"""Whether a workspace may be used that somebody else may have made: with a clone, in an archive, in a shared folder.

Its settings may name hosts to ask and a file to send as a token; its table may call a folder of notes public. So what a
workspace would send is listed, as lines that are shown and kept: `trusted`, a file of the user's own outside every
workspace, holds the lines that they agreed to, by folder. A line that is not among them is asked about anew.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from answerable.encoders.pretrained import HUB
from answerable.errors import TrustError, WorkspaceError
from answerable.printing import as_json
from answerable.privacy.enclaves import QUESTION
from answerable.privacy.grant_file import GRANTS, GrantFile
from answerable.privacy.small_files import SmallFiles, writing
from answerable.remote.host import LLM, LlmSettings
from answerable.remote.place import is_loopback
from answerable.types import EVERYTHING, Privacy
from answerable.workspace.askers import ASKERS, AskerFile
from answerable.workspace.declarations import FILE_NAME, Declaration, Kind
from answerable.workspace.settings import Settings

_ROOT = 0
"""The user who may change this program as well: what belongs to them is trusted by everybody."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a workspace would do, as a line. `always`: agreed to even where the user named the folder."""

    told: str
    always: bool = False


def claims(folder: Path, settings: Settings) -> tuple[Claim, ...]:
    """What is to be agreed to before the workspace in `folder` is used; none for one that sends nothing.

    What the environment and arguments set is the user's own, and not among it. Raises `WorkspaceError` where the grants
    cannot be read.
    """
    found = [*_owners(folder), *_links(folder), *_sent(folder, settings)]
    return tuple(Claim(as_json(one.told)[1:-1], one.always) for one in found)  # nothing in a line is hidden


def told(folder: Path, settings: Settings) -> set[str]:
    """The lines of `claims`."""
    return {one.told for one in claims(folder, settings)}


def admitted(folder: Path, settings: Settings, trust: bool = False, found: bool = False) -> Settings:
    """`settings`, for a workspace that may be used: the user agreed to it now (`trust`) or earlier, as far as needed.

    `found`: nobody named the folder, it was just there. Raises `TrustError`.
    """
    listed = () if trust else claims(folder, settings)
    needed = [one for one in listed if found or one.always]
    agreed = trusted(folder) if needed else ()
    missing = [one for one in needed if one.told not in agreed]
    if not missing:
        return settings
    more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    named = shlex.quote(str(folder))
    hint = f"look with answerable trust -w {named} --show, and without --show allow it"
    if not any(one.always for one in missing):
        hint += f"; -w {named} uses it for once"
    what = f"the workspace {folder} is not trusted: {missing[0].told}{more}"
    raise TrustError(what, hint, tuple(one.told for one in listed))


@contextmanager
def by_hand(folder: Path, now: Callable[[], Settings]) -> Iterator[set[str]]:
    """Around a command by which the user says themself what may be sent: they need not agree to that once more.

    `now()`: the settings as they are. Gives the lines that are new, once it is over; to what else there is they agree
    no more than before.
    """
    before, new = told(folder, now()), set[str]()
    try:
        yield new
    finally:
        after = told(folder, now())
        new |= after - before
        if new:
            remember(folder, (trusted(folder) & after) | new)


# ---------------------------------------------------------------- what a workspace would do


def _owners(folder: Path) -> Iterator[Claim]:
    """Whose the folder and its settings are, where not the user's: as git does, under sudo also whoever called it.

    Windows does not tell this way; there only what is sent is asked about.
    """
    if not hasattr(os, "geteuid"):
        return
    user, caller = os.geteuid(), os.environ.get("SUDO_UID", "")
    own = {_ROOT, user, *([int(caller)] if user == _ROOT and caller.isdecimal() else [])}
    for path in (folder, folder / FILE_NAME, folder / GRANTS, folder / ASKERS):
        try:
            if path.stat().st_uid in own:
                continue
            name = path.owner()
        except FileNotFoundError:
            continue
        except KeyError:
            name = str(path.stat().st_uid)
        yield Claim(f"{'it' if path == folder else path.name} belongs to another user, {name}", always=True)


def _links(folder: Path) -> Iterator[Claim]:
    """What is written here and lies elsewhere."""
    for path in sorted(folder.iterdir()):
        if path.name != FILE_NAME and not _inside(folder, path):
            yield Claim(f"{path.name} in it is a link, and what is written goes to {os.path.realpath(path)}")


def _sent(folder: Path, settings: Settings) -> Iterator[Claim]:
    """What would leave this machine, and what counts as public then."""
    elsewhere = {name: one for name, one in settings.enclaves.items() if one.remote}
    out = [claim for one in elsewhere.values() for claim in _asked(folder, one)]
    hosts = {*elsewhere, *([LLM] if settings.asks and not settings.llm.endpoint_private else [])}
    if hosts:
        now = datetime.now(UTC)
        for grant in GrantFile(folder / GRANTS).all():
            if grant.to in hosts and grant.revoked is None and now < grant.until:
                words, until = ", ".join(sorted(grant.lifts)), f"{grant.until:%Y-%m-%d %H:%M} UTC"
                out.append(Claim(f"grant {grant.id}: {words} of {grant.asker} may go to {grant.to} until {until}"))
    written = {one.path for one in settings.origins if one.origin == FILE_NAME}
    out += _model(folder, settings.llm, written)
    for part in (one for one in written if one.startswith("models.")):
        if str(name := getattr(settings.models, part.removeprefix("models."))).startswith(HUB):
            out.append(Claim(f"the model {name} is fetched from the Hugging Face Hub, if it is not here"))
    if "ask.privacy" in written and settings.ask.privacy is Privacy.NONE and hosts:
        out.append(Claim("ask.privacy is none: what is private may be sent to all of them"))
    if "store.url" in written:
        out.append(Claim(f"what is indexed here, and what is searched, goes to {settings.store.place}"))
    if settings.work.cluster and "work.cluster" in written:
        out.append(Claim(f"text is sent to the Ray cluster at {settings.work.cluster} to be worked on"))
    if "serve.host" in written and not is_loopback(settings.serve.host):
        out.append(Claim(f"answerable serve answers others, at {settings.serve.host}"))
    for admitted in AskerFile(folder / ASKERS).all():
        if admitted.in_force(datetime.now(UTC)):
            cleared = admitted.asker(settings).clearance
            what = "and change everything" if cleared is None else ", ".join(sorted(cleared)) or "nothing"
            out.append(Claim(f"answerable serve lets {admitted.name} ({admitted.digest[:8]}) read {what}"))
    yield from out
    for name, one in settings.enclaves.items() if out else ():
        if not one.remote and one.kind is not Kind.PRIVATE:
            yield Claim(f"text of {name}, which is kept here, counts as public")


def _asked(folder: Path, one: Declaration) -> Iterator[Claim]:
    """An enclave elsewhere: what it may be sent, and the file of its token where that lies outside."""
    admits = one.enclave().admits
    words = ["questions", "public text", *(f"text of {name}" for name in sorted(admits - {QUESTION}))]
    sent = "everything" if admits == EVERYTHING else ", ".join([*words, *["private questions"] * (QUESTION in admits)])
    for place in one.places:
        yield Claim(f"{one.name} ({one.kind}) is at {place.url}, and may be sent {sent}")
        if place.token_file and not _inside(folder, place.token_file):
            token = os.path.realpath(place.token_file)
            yield Claim(f"{one.name} at {place.url} is sent the token in {token}, which lies outside", always=True)


def _model(folder: Path, given: LlmSettings, written: set[str]) -> Iterator[Claim]:
    """A language model that the settings file names, says more may be sent to, or gives the key for."""
    if given.endpoint and written & {"llm.endpoint", "llm.host"}:
        private = ", private ones too" if given.endpoint_private else ""
        yield Claim(f"a language model at {given.endpoint} may be sent questions and passages{private}")
    if given.endpoint and given.key_file and "llm.key_file" in written and not _inside(folder, Path(given.key_file)):
        place = os.path.realpath(given.key_file)
        yield Claim(f"the language model at {given.endpoint} is sent the key in {place}, which lies outside", True)


def _inside(folder: Path, path: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


# ---------------------------------------------------------------- what the user agreed to


def trusted_file() -> Path:
    """Where that is kept: `answerable/trusted` in `XDG_STATE_HOME`, or else in `~/.local/state`; on Windows in
    `LOCALAPPDATA`. Raises `WorkspaceError` where the user has no such folder.
    """
    state = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", "")
    try:
        root = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        hint = "name a folder for it in XDG_STATE_HOME"
        raise WorkspaceError("there is no place for what you trust: the user has no home", hint=hint) from None
    return root / "answerable" / "trusted"


_TRUSTED = SmallFiles[dict[str, tuple[str, ...]]](
    dict[str, tuple[str, ...]], {}, "what you trust", "remove it, and trust your workspaces anew"
)


def trusted(folder: Path) -> set[str]:
    """The lines that the user agreed to. Raises `WorkspaceError` for a file that is unusable."""
    return set(_TRUSTED.read(trusted_file()).get(os.path.realpath(folder), ()))


def remember(folder: Path, lines: Iterable[str]) -> Path:
    """Keep what the user agreed to, in place of what they did before; without a line, forget it. Returns the file.

    Raises `WorkspaceError` where it cannot be written.
    """
    before = _TRUSTED.read(path := trusted_file())
    kept = {name: said for name, said in {**before, os.path.realpath(folder): (*sorted(lines),)}.items() if said}
    if kept == before:
        return path
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _TRUSTED.write(path, kept)
    return path
