"""Routes that ask: each calls the workspace as its command does, and answers with the same JSON."""

from __future__ import annotations

from dataclasses import replace

from answerable.errors import UsageError
from answerable.serialize import (
    answer_record,
    found_record,
    judged_record,
    linked_record,
    matched_record,
    member_record,
    reading_record,
    searched_record,
)
from answerable.web import answers, models
from answerable.web.table import Call, Endpoint, Record
from answerable.workspace.terms import Asking


def ask(call: Call, sent: models.Asking) -> Record:
    """Answer a question with evidence, or say why not. Streams each search as it is made, then evidence and answer."""
    call.may_loosen(sent.privacy, sent.grant, sent.parts)
    table = call.workspace.enclaves()
    asking: Asking = {**_asking(call, sent), "hops": sent.hops, "grant": sent.grant, "parts": sent.parts}
    if sent.chat:
        answer = call.talks.ask(call.workspace, call.asker, sent.chat, sent.question, asking)
    else:
        answer = call.workspace.ask(sent.question, call.asker, **asking)
    record = answer_record(answer, call.asker, table, sent.explain)
    call.event("evidence", {name: record[name] for name in ("label", "citations", "passages")})
    return record


def search(call: Call, sent: models.Searching) -> Record:
    """Give the passages that one search finds, best first."""
    call.may_loosen(sent.privacy)
    answer = call.workspace.search(sent.question, call.asker, **_asking(call, sent))
    return searched_record(answer, call.asker, call.workspace.enclaves(), sent.explain)


def find(call: Call, sent: models.Finding) -> Record:
    """Find everything that fits. Streams searches, and members as they become certain."""
    call.may_loosen(sent.privacy)
    if sent.query is None and sent.expression is None:
        raise UsageError("there is no query", hint="give a query or an expression")
    if sent.filter:
        call.workspace.library.check(call.asker, *sent.filter.enclaves)
    how = (sent.limit, call.asker, sent.privacy, sent.evidence, sent.filter, call.hop)
    finding = call.workspace.find(sent.query, sent.expression, *how)
    for member in finding:
        call.event("member", member_record(member))
    return found_record(finding.found, call.asker, call.workspace.enclaves(), sent.explain)


def read(call: Call, sent: models.Reading) -> Record:
    """Answer a question from one indexed document, walked by its outline. Nothing is sent anywhere."""
    if sent.enclave:
        call.workspace.library.check(call.asker, sent.enclave)
    reader = call.asker
    if call.owner:  # who may read files of this machine by the command line, and none over HTTP
        reader = replace(reader, clearance=frozenset(call.workspace.enclaves()))
    told = (sent.enclave, sent.scenario, [*sent.history])
    reading = call.workspace.read(sent.document, sent.question, reader, *told)
    return {"question": sent.question, **reading_record(reading)}


def judge(call: Call, sent: models.Judging) -> Record:
    """Call an answer good, so that it is given again where the same is asked, or bad, so that it is not."""
    return judged_record(call.workspace.remembered.judge(call.asker, sent.good, sent.question, sent.answer))


def remembered(call: Call, sent: models.Nothing) -> Record:
    """List what the asker called good or bad."""
    return {"remembered": [judged_record(one) for one in call.workspace.remembered.of(call.asker)]}


def forget(call: Call, sent: models.Forgetting) -> Record:
    """Take back what was said of an answer."""
    return judged_record(call.workspace.remembered.forget(call.asker, sent.id))


def link(call: Call, sent: models.Linking) -> Record:
    """Find what a text names, and the documents so named."""
    return linked_record(call.workspace.link(sent.text, call.asker, sent.k))


def ask_pairs(call: Call, sent: models.AskingPairs) -> Record:
    """Answer from pairs that were worked out before, if one asks the same."""
    call.may_loosen(sent.privacy)
    found = call.workspace.pairs.ask(sent.question, call.asker, sent.privacy)
    return matched_record(found, call.asker, call.workspace.enclaves(), sent.explain)


def _asking(call: Call, sent: models.Searching) -> Asking:
    """What searching and asking share. Raises `EnclaveError` for an enclave that the asker may not name."""
    named = (*(sent.filter.enclaves if sent.filter else ()), *getattr(sent, "grant", {}))
    call.workspace.library.check(call.asker, *named)
    return {"privacy": sent.privacy, "k": sent.k, "filter": sent.filter, "watch": call.hop}


ROUTES = (
    Endpoint("POST", "/v1/ask", ask, answers.Answer, models.Asking, streams="answer"),
    Endpoint("POST", "/v1/search", search, answers.Searched, models.Searching, streams="passages"),
    Endpoint("POST", "/v1/find", find, answers.Found, models.Finding, streams="found"),
    Endpoint("POST", "/v1/read", read, answers.Read, models.Reading),
    Endpoint("POST", "/v1/link", link, answers.Linked, models.Linking),
    Endpoint("POST", "/v1/remembered", judge, answers.Judged, models.Judging),
    Endpoint("GET", "/v1/remembered", remembered, answers.Remembered),
    Endpoint("DELETE", "/v1/remembered", forget, answers.Judged, models.Forgetting),
    Endpoint("POST", "/v1/pairs/ask", ask_pairs, answers.Paired, models.AskingPairs),
)
