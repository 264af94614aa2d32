"""A double of an OpenAI-compatible server, as llama.cpp's speaks: real HTTP on loopback, and ways to go wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Reply = Callable[[dict[str, Any]], str]
"""What the model says to the body of a request."""
FAULTS = ("closed", "status", "html", "cut", "slow", "drips", "empty", "null", "redirect", "endless")


def nothing(body: dict[str, Any]) -> str:
    return '{"answer": []}'


def asked(body: dict[str, Any]) -> dict[str, Any]:
    """The question and the passages of a request of ours."""
    told: dict[str, Any] = json.loads(body["messages"][-1]["content"])
    return told


def answer(*entries: tuple[str, int, str]) -> str:
    """A reply of the form asked for: sentences, each with the number of a passage and words of it."""
    said = [{"text": text, "quotes": [{"passage": number, "quote": quote}]} for text, number, quote in entries]
    return json.dumps({"answer": said})


@dataclass
class Model:
    """What the server does: `reply` as a model would, `fault` as a broken one, `schemas` False: refuses to be held to
    one, `key`: what it wants to be shown. `raw` and `bodies`: every request, head and all, and what it asked."""

    reply: Reply = nothing
    fault: str = ""
    schemas: bool = True
    key: str = ""
    raw: list[bytes] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    over: Event = field(default_factory=Event)
    address: str = ""


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            head = "".join(f"{name}: {value}\n" for name, value in self.headers.items())
            model.raw.append(f"{self.requestline}\n{head}\n".encode() + data)
            if self.path != "/v1/chat/completions":
                return self.say(404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}})
            if model.key and self.headers["Authorization"] != f"Bearer {model.key}":
                wrong = {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}
                return self.say(401, {"error": wrong})
            body = json.loads(data)
            model.bodies.append(body)
            if "response_format" in body and not model.schemas:
                wrong = {"code": 400, "message": "response_format is not supported", "type": "invalid_request_error"}
                return self.say(400, {"error": wrong})
            return self.broken(body) if model.fault else self.say(200, completion(body, model.reply(body)))

        def broken(self, body: dict[str, Any]) -> None:
            whole = completion(body, model.reply(body))
            match model.fault:
                case "status":
                    self.say(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})
                case "html":
                    self.say(200, "<html>Bad gateway</html>")
                case "empty":
                    self.say(200, {})
                case "null":
                    whole["choices"][0]["message"]["content"] = None
                    self.say(200, whole)
                case "redirect":
                    self.send_response(307)
                    self.send_header("Location", model.address + "/chat/completions")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                case "cut":
                    self.send_response(200)
                    self.send_header("Content-Length", "5000")
                    self.end_headers()
                    self.wfile.write(json.dumps(whole).encode()[:40])
                    self.close_connection = True
                case "slow":
                    model.over.wait(30)
                    self.close_connection = True
                case "drips" | "endless":
                    self.send_response(200)
                    self.end_headers()
                    self.close_connection = True
                    piece = b" " if model.fault == "drips" else b" " * (1 << 20)
                    until = time.monotonic() + 30
                    while not model.over.wait(0.02 if model.fault == "drips" else 0) and time.monotonic() < until:
                        self.wfile.write(piece)
                case _:
                    self.close_connection = True

        def say(self, status: int, told: Any) -> None:
            data = told.encode() if isinstance(told, str) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def completion(body: dict[str, Any], said: str) -> dict[str, Any]:
    """A whole answer of llama.cpp's server to a request that does not stream."""
    assert body["messages"] and all(one["role"] in ("system", "user") for one in body["messages"])
    message = {"role": "assistant", "content": said}
    return {
        "choices": [{"finish_reason": "stop", "index": 0, "message": message}],
        "created": 1_760_000_000,
        "model": body["model"],
        "system_fingerprint": "b6000-0000000",
        "object": "chat.completion",
        "usage": {"completion_tokens": len(said) // 4, "prompt_tokens": 1, "total_tokens": 1 + len(said) // 4},
        "id": "chatcmpl-0",
        "timings": {"prompt_n": 1, "predicted_n": 1},
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # who asked has gone


@contextmanager
def serving(model: Model) -> Iterator[Model]:
    """The model behind a server at `model.address`, until the end."""
    with _Server(("127.0.0.1", 0), _handler(model)) as server:
        model.address = f"http://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield model
        finally:
            model.over.set()
            server.shutdown()
            thread.join()
