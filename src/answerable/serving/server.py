"""Running the application: a socket, TLS, a deadline for slow requests, and a stop that finishes what was begun."""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from answerable.errors import MissingExtraError, UsageError
from answerable.remote.place import is_loopback, read_tokens, tokens_of
from answerable.serving.access import ServeSettings
from answerable.serving.app import Guarded
from answerable.types import Enclave

try:
    import uvicorn

    from answerable.serving.protocol import bounded
except ImportError:
    raise MissingExtraError("answerable serve", "serve") from None

TOKEN_VARIABLE = "ANSWERABLE_TOKEN"
UNTAKEN = 1 << 18
"""Bytes of answers that the system keeps for a client which does not take them; no more are worked out for it then."""
_STOPPING = 10  # seconds that searches have to finish at the end


def tokens_for(settings: ServeSettings, environment: Mapping[str, str]) -> dict[str, str]:
    """The tokens of the token file and of the environment. Raises `SettingsError`."""
    tokens = read_tokens(Path(settings.token_file)) if settings.token_file else {}
    if given := environment.get(TOKEN_VARIABLE):
        tokens = tokens_of([*(f"{name}: {token}" for name, token in tokens.items()), given], TOKEN_VARIABLE)
    return tokens


def check_exposure(enclave: Enclave, settings: ServeSettings, tokens: Mapping[str, str]) -> None:
    """Raise `UsageError` when strangers could read the enclave: another host than loopback, or private, and no token"""
    hint = f"name a file of tokens with --token-file, or set {TOKEN_VARIABLE}"
    if not tokens and not is_loopback(settings.host):
        raise UsageError(f"serving on {settings.host} without a token would let anyone on the network ask", hint=hint)
    if not tokens and enclave.private:
        raise UsageError(f"serving {enclave.name} without a token would let anyone on this machine read it", hint=hint)


def listen(settings: ServeSettings) -> socket.socket:
    """A socket that is bound, so that its port is known. Raises `UsageError` when it cannot be."""
    where = f"{settings.host}:{settings.port}"
    try:
        family, *_, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        raise UsageError(f"{settings.host} is no address of this machine", hint="--host 127.0.0.1") from None
    try:
        if sys.platform != "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNTAKEN)
        bound.bind(address)
        bound.listen(settings.connections)
    except OSError as error:
        bound.close()
        raise UsageError(f"{where} cannot be served on: {error.strerror}", hint="another --host or --port") from None
    return bound


class Server:
    """A server over a bound socket. `run` returns after `stop`, or after a signal to end."""

    def __init__(self, app: Guarded, settings: ServeSettings, bound: socket.socket) -> None:
        """Raises `UsageError` for a certificate or a key that cannot be used."""
        self._app, self._bound = app, bound
        config = uvicorn.Config(
            app,
            http=bounded(settings, app.room),
            loop="auto",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=math.ceil(settings.idle),
            timeout_graceful_shutdown=_STOPPING,
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.key,
        )
        if bool(settings.certificate) != bool(settings.key):
            raise UsageError("TLS needs a certificate and a key", hint="give both --certificate and --key")
        try:
            config.load()
        except (OSError, ssl.SSLError):
            files = f"{settings.certificate} and {settings.key}"
            raise UsageError(f"{files} cannot be used for TLS", hint="a certificate and its key, as PEM") from None
        self.secure = config.is_ssl
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # its lines are not ours to vouch for
        self._server = _Uvicorn(config, settings.timeout)

    @property
    def url(self) -> str:
        """Where it answers."""
        host, port = self._bound.getsockname()[:2]
        return f"{'https' if self.secure else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self._bound.getsockname()[0])

    @property
    def started(self) -> bool:
        """Whether it answers."""
        return self._server.started

    def run(self) -> None:
        """Serve until told to stop, then answer what was begun."""
        try:
            self._server.run(sockets=[self._bound])
        finally:
            self._app.close()

    def stop(self) -> None:
        """Let `run` return."""
        self._server.should_exit = True


class _Uvicorn(uvicorn.Server):
    """Takes a signal as the ordinary way to stop, where uvicorn would raise it once more at the end.

    `handshake`: seconds for a client to begin TLS, which uvicorn leaves at a minute.
    """

    def __init__(self, config: uvicorn.Config, handshake: float) -> None:
        super().__init__(config)
        self._handshake = handshake

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen on bound sockets."""
        config, state = self.config, self.server_state

        def protocol() -> asyncio.Protocol:
            return config.http_protocol_class(config=config, server_state=state, app_state={})  # type: ignore[call-arg]

        tls: dict[str, Any] = {"ssl": config.ssl, "ssl_handshake_timeout": self._handshake} if config.ssl else {}
        make = asyncio.get_running_loop().create_server
        self.servers = [await make(protocol, sock=one, backlog=config.backlog, **tls) for one in sockets or ()]
        self.started = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGINT and SIGTERM for the length of the block."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
