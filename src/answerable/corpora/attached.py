"""What is attached to mails: files of formats that are read, each a document between the same people."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from email.message import Message
from hashlib import blake2b
from typing import TYPE_CHECKING

from answerable.corpora.sources import Faults, Held, Report, clean, distinct, short_name
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

if TYPE_CHECKING:
    from answerable.corpora.store import Store

Read = Callable[[Held, str, Report], Iterator[Document]]
"""Reads a file of that name as the documents it holds; none where its format is not read. Raises `FormatError`."""
_CARDS = ("text/calendar", "text/vcard", "text/x-vcard")
_FIELDS = ("from", "to", "cc", "date", "folder")


class Attached:
    """Reads what is attached to the mails of one file, what several of them bring for the first one alone.

    `read` is None where nothing that is attached is read.
    """

    def __init__(self, read: Read | None, faults: Faults) -> None:
        self._read, self._faults = read, faults
        self._met = set[bytes]()

    def pass_over(self, parse: Callable[[], Message]) -> None:
        """Take what is attached to a mail as read."""
        if self._read is not None:
            for _ in self._new(parse()):
                pass

    def documents(self, message: Message, mail: Document) -> Iterator[Document]:
        """What is attached to a mail, called after itself and the mail's subject, with its people, day and record.

        Ids are the mail's and the file's name, `box.mbox#id/plan.pdf`; `meta["attached_to"]` is the mail's id.
        """
        fields = {name: mail.meta[name] for name in _FIELDS} | {"attached_to": mail.id, "record": mail.meta["record"]}
        seen: dict[str, int] = {}
        for held in self._new(message):
            id = f"{mail.id}/{distinct(short_name(held.name), seen)}"
            where = f"what is attached to mail {mail.meta['record'] + 1}"
            try:
                for one in self._read(held, id, lambda _: None) if self._read else ():
                    title = one.title if one.title == mail.title else f"{one.title}, attached to {mail.title}"
                    yield replace(one, title=title, source=mail.source, meta={**one.meta, **fields})
            except FormatError as error:
                self._faults.add(where, f"it{str(error.args[0]).removeprefix(id)}")
            except Exception as error:  # a parser's fault must not end the run for all other mails
                self._faults.add(where, f"it cannot be read ({type(error).__name__})")

    def _new(self, message: Message) -> Iterator[Held]:
        """The files attached, in order, but for those that were met."""
        if self._read is None:
            return
        for part in message.walk():
            if part.is_multipart() or not (name := name_of(part)):
                continue
            with suppress(ValueError, LookupError, TypeError, AssertionError):
                data = part.get_payload(decode=True)
                digest = blake2b(data if isinstance(data, bytes) else b"", digest_size=16).digest()
                if isinstance(data, bytes) and data and digest not in self._met:
                    self._met.add(digest)
                    yield Held(name, data)


def with_attached(store: Store, enclave: str, names: Sequence[str]) -> list[str]:
    """Names of documents, and the ids of what is attached to those of them that are mails."""
    begin = tuple(f"{name}/" for name in names)
    near = [id for id, _, _ in store.documents(enclave) if id.startswith(begin)]
    held = ((id, store.document(enclave, id)) for id in near)
    return [*names, *(id for id, one in held if one and one.meta.get("attached_to") in names)]


def name_of(part: Message) -> str:
    """The name of an attached file; of one without a name its kind, "pdf.pdf", "calendar.ics"; empty where a part is
    text of the mail."""
    kind = part.get_content_type()
    if name := part.get_filename():
        return one_line(clean(str(name)))
    if part.get_content_disposition() == "attachment" or kind in _CARDS or not kind.startswith("text/"):
        ending = mimetypes.guess_extension(kind, strict=False) or ""
        return f"{kind.partition('/')[2]}{ending}"
    return ""
