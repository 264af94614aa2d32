"""Mails with files, as programs write them."""

from __future__ import annotations

from email.message import EmailMessage


def with_files(number: int, *files: tuple[str, bytes], subject: str = "Plans") -> bytes:
    """A mail from Ada to Ben of a day in May, with these files by their names."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ada Sele <ada@x.org>", "Ben Orr <ben@x.org>", subject
    mail["Date"], mail["Message-ID"] = f"Mon, {6 + number:02} May 2024 09:00:00 +0000", f"<m{number}@x.org>"
    mail.set_content(f"Letter {number}: see what is attached.")
    for name, data in files:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


def mbox(*mails: bytes) -> bytes:
    return b"".join(b"From ada@x.org Mon May  6 09:00:00 2024\n" + one + b"\n" for one in mails)
