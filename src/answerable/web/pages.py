"""The pages: what each takes from its form and gives to its template. They ask by the same handlers as programs do, so
that nothing is on a page that its asker may not read."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from answerable.corpora.fields import Filter
from answerable.documents.conversation import reply_of
from answerable.printing import counted
from answerable.privacy.flow import first_query, readable, sendable
from answerable.serialize import found_record, table
from answerable.sets.expression import printed
from answerable.text import checked_question
from answerable.types import Query
from answerable.web import asking, facets, holdings, models
from answerable.web.answers import Told
from answerable.web.drawing import Edge, lines, picture
from answerable.web.laying import blocks, outline, pages_of
from answerable.web.models import Id, Name, Place, Sent, Short, Text
from answerable.web.table import Call, Endpoint, Handler, Record
from answerable.workspace.settings import keys

ROWS = 100
"""Members of a set and documents of an enclave that stand on one page."""
PAIRS = 100
"""Questions worked out before that stand with their document: the likeliest."""
LAST = 200
"""Records of the journal on its page."""
OFFERED = 100
"""Documents of each enclave that are offered where one is to be named."""


@dataclass(frozen=True, slots=True)
class Page(Endpoint):
    """A page: `template` makes HTML of what `handle` gives; its `_` are not for the template (`go`: where to go next,
    `csv`: a file in place of the page). `box`: gives the page again with what was typed, where it cannot be used."""

    template: str = ""
    box: Handler | None = None


class Shown(Told):
    """HTML."""


class Narrow(Sent):
    """Which documents may be read, as forms say it."""

    enclave: list[Name] = Field(default=[], max_length=100)
    sender: Short = ""
    after: Short = ""
    before: Short = ""

    @property
    def filter(self) -> Filter | None:
        """The same as a filter; None: everything."""
        made = Filter((self.sender,) if self.sender else (), (), self.after, self.before, tuple(self.enclave))
        return made or None


class AskBox(Narrow):
    """The box to ask in."""

    q: Short = ""
    chat: Name | None = None
    done: Short = ""


class AskForm(Narrow):
    """A question, in a conversation."""

    q: Text
    chat: Name


class JudgeForm(Sent):
    """Whether an answer is good."""

    q: Text
    answer: Text
    good: bool
    chat: Name


class FindBox(Narrow):
    """The box to find in."""

    q: Short = ""


class FindForm(Narrow):
    """A set, page by page or as a file. `without`: the facet that it is no longer narrowed by."""

    q: Text
    expression: Short = ""
    kind: list[Name] = Field(default=[], max_length=100)
    folder: list[Name] = Field(default=[], max_length=100)
    year: facets.Year | None = None
    without: facets.Facet | None = None
    page: Annotated[int, Field(ge=0, le=10_000)] = 0
    csv: Literal["all"] | None = None


class ReadBox(Sent):
    """The box to ask one document in."""

    document: Annotated[str, Field(max_length=4_096)] = ""
    enclave: Annotated[str, Field(max_length=64)] = ""
    q: Short = ""


class ReadForm(Sent):
    """A question to one document, after others, or what is answered to what was asked in return: `ask`, of the question
    `of`."""

    document: Id
    q: Text
    ask: Short = ""
    of: Short = ""
    enclave: Annotated[str, Field(max_length=64)] = ""
    scenario: Short = ""
    asked: list[Text] = Field(default=[], max_length=100)
    said: list[Text] = Field(default=[], max_length=100)


class Looking(Sent):
    """A document, at a span or a page of it."""

    enclave: Name
    id: Id
    start: Place | None = None
    end: Place = 0
    page: Place | None = None


class Shelf(Sent):
    """Sources, and the documents of one enclave."""

    enclave: Annotated[str, Field(max_length=64)] = ""
    skip: Place = 0
    done: Short = ""


def ask_box(call: Call, sent: AskBox | AskForm) -> Record:
    """The box, and what was said before."""
    chat = sent.chat or secrets.token_urlsafe(9)
    return {**_form(call, sent), "chat": chat, "earlier": call.talks.turns(call.asker, chat)[::-1]}


def ask(call: Call, sent: AskForm) -> Record:
    """Answer a question, beside what was said before."""
    before = call.talks.turns(call.asker, sent.chat)
    said = call.talks.context(call.asker, sent.chat, checked_question(sent.q))
    asked = models.Asking(question=sent.q, filter=sent.filter, explain=True, chat=sent.chat)
    told = {**shown_answer(call, asking.ask(call, asked)), "said": said}
    return {**_form(call, sent), "chat": sent.chat, "earlier": before[::-1], "turn": told, "question": sent.q}


def judge(call: Call, sent: JudgeForm) -> Record:
    """Call an answer good or bad: it is asked once more, since of a conversation nothing is kept."""
    call.workspace.ask(sent.q, call.asker)
    said = asking.judge(call, models.Judging(question=sent.q, answer=sent.answer, good=sent.good))
    done = "Remembered" if said["good"] else "Not given again"
    return {"_to": "/", "_go": {"chat": sent.chat, "done": f"{done}: {said['answer'][:200]}"}}


def shown_answer(call: Call, record: Record) -> Record:
    """An answer with the way the question travelled."""
    return {**record, **way(call, list(record.get("hops") or ()))}


def way(call: Call, hops: list[Record]) -> Record:
    """The way that a question travelled so far: in lines, and as a picture."""
    said = lines(hops)
    return {"lines": said, "picture": picture(_places(call), [edge for one in said for edge in one.edges])}


def find_box(call: Call, sent: FindBox | FindForm) -> Record:
    """The box to find in."""
    return _form(call, sent)


def find(call: Call, sent: FindForm) -> Record:
    """Find a set, and give one page of it with what it can be narrowed by, or all as CSV."""
    if sent.without:
        sent = sent.model_copy(
            update={sent.without: FindForm.model_fields[sent.without].get_default(), "without": None}
        )
    wanted = facets.narrowed(sent.filter, sent.kind, sent.folder, sent.year)
    if wanted:
        call.workspace.library.check(call.asker, *wanted.enclaves)
    limit = None if sent.csv else ROWS * (sent.page + 1)
    how = (limit, call.asker, None, True, wanted, call.hop)
    found = call.workspace.find(sent.q, sent.expression or None, *how).found
    if sent.csv:
        return {"_csv": table(found)}
    among = {"enclave": [*found.enclaves], "kind": [*found.kinds], "folder": [*found.folders]}
    if among != {name: getattr(sent, name) for name in among}:  # named by the query, and taken back as if chosen
        sent = sent.model_copy(update={**among, "expression": printed(found.expression)})
    page = replace(found, members=found.members[ROWS * sent.page :])
    told = found_record(page, call.asker, call.workspace.enclaves(), True)
    pages = -(-found.count // ROWS)
    narrow = {
        "facets": facets.of(found.members),
        "chosen": facets.chosen(sent.enclave, sent.kind, sent.folder, sent.year, sent.sender),
        "seen": len(found.members),
    }
    about = {"found": told, **way(call, told["hops"]), "pages": pages, "first": ROWS * sent.page}
    return {**_form(call, sent), **about, **narrow}


def read_box(call: Call, sent: ReadBox | ReadForm) -> Record:
    """The box to ask one document in."""
    named = [one["name"] for one in _places(call)]
    some = [call.workspace.library.documents(call.asker, name, 0, OFFERED)[1] for name in named]
    return {"form": sent, "offered": [(id, title) for rows in some for id, _, title in rows]}


def read(call: Call, sent: ReadForm) -> Record:
    """Ask one document, and show the way through its outline."""
    history = [*zip(sent.asked, sent.said, strict=False)]
    question = sent.q
    if sent.ask and sent.of and (reply := reply_of(question)):
        history, question = [*history, (sent.ask, reply)], sent.of
    given = models.Reading(
        document=sent.document, question=question, enclave=sent.enclave or None, scenario=sent.scenario, history=history
    )
    told = asking.read(call, given)
    found = call.workspace.library.document(call.asker, told["enclave"], told["document"])
    steps = [{**one, "text": found.text[one["start"] : one["end"]]} for one in told["path"]]
    places = [one["start"] for one in [*steps, *told["citations"]]]
    lit = {place: max([one["share"] for one in steps if one["start"] == place], default=0) for place in places}
    way = {"steps": steps, "outline": outline(found, lit)}
    return {"form": sent, "question": question, "reading": told, "history": history, **way}


def document(call: Call, sent: Looking) -> Record:
    """A document as what it is, at the span that was cited."""
    found = call.workspace.library.document(call.asker, sent.enclave, sent.id)
    cuts = pages_of(found.text)
    at = sent.start or 0
    page = min(sent.page, len(cuts) - 2) if sent.page is not None else max(0, sum(cut <= at for cut in cuts[:-1]) - 1)
    span = None if sent.start is None else (sent.start, sent.end)
    told = holdings.document(call, models.Fetching(enclave=sent.enclave, id=sent.id, end=0))
    parts = blocks(found, cuts[page], cuts[page + 1], span)
    pairs = call.workspace.library.pairs(call.asker, sent.enclave, sent.id, PAIRS)
    shown = {"document": told, "blocks": parts, "outline": outline(found), "pairs": [asdict(one) for one in pairs]}
    return {**shown, "page": page, "pages": len(cuts) - 1}


def sources(call: Call, sent: Shelf) -> Record:
    """The enclaves, what may flow between them, and the documents of one."""
    held = {one["name"]: one for one in holdings.status(call, models.Nothing())["enclaves"]}
    rows = [{**held.get(one["name"], {}), **one} for one in _places(call)]
    listed = None
    if sent.enclave and not any(one["name"] == sent.enclave and one.get("remote") for one in rows):
        given = models.Listing(enclave=sent.enclave, skip=sent.skip, most=ROWS)
        listed = holdings.documents(call, given)
    drawn, room = picture(rows, _flows(call)), call.workspace.settings.serve.max_upload
    return {"form": sent, "rows": rows, "listed": listed, "picture": drawn, "most": ROWS, "room": room}


def upload(call: Call, sent: models.Uploading) -> Record:
    """Add files."""
    told = holdings.upload(call, sent)
    many = told["files"]["added"] + told["files"]["replaced"]
    said = f"{many:,} added or brought up to date in {sent.enclave}. " + " ".join(told["skipped"])
    return {"_go": {"enclave": sent.enclave, "done": said.strip()[:1000]}}


def delete_box(call: Call, sent: models.Deleting) -> Record:
    """Ask once more before a document is deleted."""
    return {"document": holdings.document(call, models.Fetching(enclave=sent.enclave, id=sent.id, end=300))}


def delete(call: Call, sent: models.Deleting) -> Record:
    """Delete a document."""
    many = counted(holdings.delete(call, sent)["deleted"], "document")
    said = f"{many} deleted from {sent.enclave}."
    return {"_go": {"enclave": sent.enclave, "done": said}}


def journal(call: Call, sent: models.Nothing) -> Record:
    """What left, and why."""
    return {"records": holdings.journal(call, models.Recent(last=LAST))["records"][::-1], "most": LAST}


def settings(call: Call, sent: models.Nothing) -> Record:
    """Every setting, and where it comes from."""
    known = keys()
    told = [(one, known[one.path].key) for one in call.workspace.settings.origins]
    return {"settings": [{**asdict(one), "about": key.about, "bounds": key.bounds} for one, key in told]}


def _form(call: Call, sent: Narrow) -> Record:
    return {"form": sent, "enclaves": [one["name"] for one in _places(call)]}


def _places(call: Call) -> list[Record]:
    return [*holdings.enclaves(call, models.Nothing())["enclaves"]]


def _flows(call: Call) -> list[Edge]:
    """What may be sent where: the question, and what was read in each private enclave."""
    privacy, every = call.workspace.settings.ask.privacy, call.workspace.enclaves()
    seen = [one for one in every.values() if readable(call.asker, one).allowed]
    carried = {"": first_query("", call.asker, privacy, every).label}
    carried |= {one.name: carried[""] | one.label for one in seen if one.private}
    return [
        Edge(source, one.name, said.allowed, said.reason)
        for source, label in carried.items()
        for one in seen
        if one.name != source
        for said in [sendable(Query("", call.asker, label), one, privacy)]
    ]


PAGES = (
    Page("GET", "/", ask_box, Shown, AskBox, template="ask.html"),
    Page("POST", "/", ask, Shown, AskForm, "answer", template="ask.html", box=ask_box),
    Page("POST", "/judge", judge, Shown, JudgeForm, template="ask.html"),
    Page("GET", "/sets", find_box, Shown, FindBox, template="sets.html"),
    Page("POST", "/sets", find, Shown, FindForm, template="sets.html", box=find_box),
    Page("GET", "/read", read_box, Shown, ReadBox, template="read.html"),
    Page("POST", "/read", read, Shown, ReadForm, template="read.html", box=read_box),
    Page("GET", "/document", document, Shown, Looking, template="document.html"),
    Page("GET", "/sources", sources, Shown, Shelf, template="sources.html"),
    Page(
        "POST",
        "/sources",
        upload,
        Shown,
        models.Uploading,
        "indexed",
        True,
        True,
        uploads=True,
        template="sources.html",
    ),
    Page("GET", "/delete", delete_box, Shown, models.Deleting, None, False, True, template="delete.html"),
    Page("POST", "/delete", delete, Shown, models.Deleting, None, True, True, template="delete.html"),
    Page("GET", "/journal", journal, Shown, template="journal.html"),
    Page("GET", "/settings", settings, Shown, owner=True, template="settings.html"),
)
