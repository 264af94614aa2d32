"""Routes about what is held, what was sent, and how the server is."""

from __future__ import annotations

import os
from dataclasses import asdict

from answerable.corpora.fields import fields_of
from answerable.privacy.flow import readable
from answerable.serialize import plain
from answerable.web import answers, models
from answerable.web.table import Call, Endpoint, Record


def enclaves(call: Call, _: models.Nothing) -> Record:
    """List the enclaves that the asker may read, and what each may be sent."""
    declared, hidden = call.workspace.settings.enclaves, {} if call.owner else {"remote": None}
    seen = [one for one in call.workspace.enclaves().values() if readable(call.asker, one).allowed]
    return {"enclaves": [declared[one.name].record(one) | hidden for one in seen]}


def documents(call: Call, sent: models.Listing) -> Record:
    """List the documents of an enclave."""
    count, rows = call.workspace.library.documents(call.asker, sent.enclave, sent.skip, sent.most)
    listed = [{"id": id, "source": source, "title": title} for id, source, title in rows]
    return {"enclave": sent.enclave, "count": count, "documents": listed}


def document(call: Call, sent: models.Fetching) -> Record:
    """Fetch the text of a document, or a span of it, in characters."""
    found = call.workspace.library.document(call.asker, sent.enclave, sent.id)
    start, whole = min(sent.start, len(found.text)), len(found.text)
    end = whole if sent.end is None else max(start, min(sent.end, whole))
    names = ("id", "enclave", "title", "source", "kind", "sections")
    told = {name: plain(getattr(found, name)) for name in names}
    fields = fields_of(found)
    span = {"characters": whole, "start": start, "end": end, "text": found.text[start:end]}
    came = {"attached_to": mail} if (mail := found.meta.get("attached_to")) else {}
    return {**told, **span, **({"fields": plain(fields)} if fields else {}), **came}


def upload(call: Call, sent: models.Uploading) -> Record:
    """Add files to an enclave. Streams how far it is; one with the name of an earlier file takes its place."""

    def progress(stage: str, done: int, total: int) -> None:
        call.event("progress", {"stage": stage, "done": done, "total": total})

    done = call.workspace.index(call.files, sent.enclave, sent.kind, progress)
    skipped = [line.replace(f"{call.files[0].parent}{os.sep}", "") for line in done.skipped]  # where they lay is ours
    return {**asdict(done), "files": asdict(done.files), "skipped": skipped}


def delete(call: Call, sent: models.Deleting) -> Record:
    """Delete a document, or all of a source. Nothing of them stays in the store or in any index."""
    call.workspace.library.check(call.asker, sent.enclave)
    return {"enclave": sent.enclave, "deleted": call.workspace.delete([sent.id], sent.enclave)}


def journal(call: Call, sent: models.Recent) -> Record:
    """Show what was sent where, and what was refused: to others than owners, what was for themselves."""
    of = None if call.owner else call.asker.name
    return {"records": call.workspace.journal.shown(call.asker, call.workspace.settings.hosts(), sent.last, of)}


def status(call: Call, _: models.Nothing) -> Record:
    """Count what is held of what the asker may read."""
    status, table = call.workspace.status(), call.workspace.enclaves()
    shown = {name for name, one in table.items() if readable(call.asker, one).allowed}
    seen = [one for one in status.enclaves if call.owner or one.name in shown]
    rows = [{**asdict(one), "remote": one.remote if call.owner else None} for one in seen]
    return {"encoder": status.encoder, "enclaves": rows, **({"bytes": status.bytes} if call.owner else {})}


def health(_: Call, __: models.Nothing) -> Record:
    """Say that the server answers. Needs no token."""
    return {"status": "ok"}


ONE = "/v1/documents/{enclave}/{id:path}"
ROUTES = (
    Endpoint("GET", "/v1/enclaves", enclaves, answers.Enclaves),
    Endpoint("GET", "/v1/documents", documents, answers.Documents, models.Listing),
    Endpoint("POST", "/v1/documents", upload, answers.Indexed, models.Uploading, "indexed", True, True, uploads=True),
    Endpoint("GET", ONE, document, answers.Document, models.Fetching),
    Endpoint("DELETE", ONE, delete, answers.Deleted, models.Deleting, None, True, True),
    Endpoint("GET", "/v1/journal", journal, answers.Journal, models.Recent),
    Endpoint("GET", "/v1/status", status, answers.Status),
    Endpoint("GET", "/v1/health", health, answers.Health, open=True),
)
