"""A small IMAP server on loopback (RFC 3501): what it was asked is kept, and nothing that changes mail is granted."""

from __future__ import annotations

import re
import socketserver
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TLS = Path(__file__).parents[1] / "server" / "tls"
USER, PASSWORD = "maria@example.org", 'pa"ss\\wörd'


@dataclass
class Server:
    """One account. `boxes`: mails by UID, of mailboxes by their names as they travel. `plain`: whether AUTHENTICATE
    PLAIN is known; `begins_plain`: whether TLS is begun by STARTTLS. `dies_after`: hangs up instead of more mails."""

    boxes: dict[str, dict[int, bytes]]
    validity: int = 7
    plain: bool = True
    password: str = PASSWORD
    begins_plain: bool = False
    offers_tls: bool = True
    dies_after: int = 10**9
    port: int = 0
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"imap{'' if self.begins_plain else 's'}://{USER}@localhost:{self.port}"


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """The server, for the length of the block."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")

    class Session(socketserver.StreamRequestHandler):
        timeout = 20

        def secure(self) -> None:
            self.rfile.close(), self.wfile.close()
            self.connection = context.wrap_socket(self.connection, server_side=True)
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

        def handle(self) -> None:
            try:
                if not server.begins_plain:
                    self.secure()
                self.wfile.write(b"* OK ready\r\n")
                box: dict[int, bytes] = {}
                while line := self.rfile.readline():
                    tag, _, command = line.decode().strip().partition(" ")
                    server.asked.append(command)
                    box = self.answer(tag, command, box)
            except OSError:
                pass
            finally:
                for one in (self.rfile, self.wfile, self.connection):
                    one.close()

        def answer(self, tag: str, command: str, box: dict[int, bytes]) -> dict[int, bytes]:
            word, said = command.split()[0].upper(), "OK done"
            if word == "CAPABILITY":
                able = " STARTTLS" * (server.begins_plain and server.offers_tls) + " AUTH=PLAIN" * server.plain
                self.wfile.write(f"* CAPABILITY IMAP4rev1{able}\r\n".encode())
            elif word == "STARTTLS":
                self.wfile.write(f"{tag} OK begin\r\n".encode())
                self.secure()
                return box
            elif word == "AUTHENTICATE":
                self.wfile.write(b"+ \r\n")
                told = b64decode(self.rfile.readline())
                right = told.decode() == f"\0{USER}\0{server.password}"
                said = "OK in" if right else f"NO [AUTHENTICATIONFAILED] not {told!r}"
            elif word == "LOGIN":
                right = command.split(" ", 1)[1] == f'"{USER}" "{server.password}"'
                said = "OK in" if right else "NO [AUTHENTICATIONFAILED] Invalid credentials"
            elif word == "EXAMINE":
                found = server.boxes.get(command.split(" ", 1)[1].strip('"'))
                said = "OK [READ-ONLY] done" if found is not None else "NO no such mailbox"
                if found is not None:
                    box = found
                    self.wfile.write(f"* {len(box)} EXISTS\r\n* OK [UIDVALIDITY {server.validity}] so\r\n".encode())
            elif word == "FETCH":
                first, last = map(int, command.split()[1].split(":"))
                for number, (uid, raw) in [*enumerate(sorted(box.items()), 1)][first - 1 : last]:
                    self.wfile.write(f"* {number} FETCH (RFC822.SIZE {len(raw)} UID {uid})\r\n".encode())
            elif command.upper().startswith("UID FETCH") and "BODY.PEEK[]" in command:
                self.bodies({int(uid) for uid in re.findall(r"\d+", command.split()[2])}, box)
            elif word != "LOGOUT":
                said = "BAD not here"
            self.wfile.write(f"{tag} {said}\r\n".encode())
            return box

        def bodies(self, uids: set[int], box: dict[int, bytes]) -> None:
            for number, (uid, raw) in enumerate(sorted(box.items(), reverse=True), 1):
                if uid in uids:
                    if uid > server.dies_after:
                        self.connection.close()
                        raise ConnectionError
                    before, behind = ("", f" UID {uid}") if number % 2 else (f"UID {uid} ", "")
                    head = f"* {len(box) - number + 1} FETCH ({before}BODY[] {{{len(raw)}}}\r\n"
                    self.wfile.write(head.encode() + raw + f"{behind})\r\n".encode())

    class Listening(socketserver.ThreadingTCPServer):
        allow_reuse_address = daemon_threads = True

    with Listening(("127.0.0.1", 0), Session) as listening:
        server.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown()
            thread.join()
