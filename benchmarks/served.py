"""The shipped sample in a workspace, and `answerable serve` over one as a process of its own."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import common
from answerable.cli.demo import QUESTIONS, SAMPLE
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

STAND_INS = {"models.encoder": "hashed", "models.reader": "overlap", "models.judge": "overlap"}


def sample(
    folder: Path, settings: Mapping[str, Any] | None = None, public: str = "encyclopaedia", private: str = "office"
) -> Workspace:
    """The sample in two enclaves, as `answerable demo` has it."""
    made = open_workspace(folder, create=True, settings=settings)
    made.index([SAMPLE / "public"], public, "public", as_if_elsewhere=True)
    made.index([SAMPLE / "private"], private)
    return made


def questions() -> list[str]:
    """Those of the sample."""
    return [row["question"] for row in common.rows(QUESTIONS)]


def streamed(port: int, question: str, at_first: Callable[[], float] = time.perf_counter) -> tuple[float, float, float]:
    """Milliseconds until the first event of an ask, what `at_first` says then, and milliseconds until its end."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    headers = {"Accept": "text/event-stream", "Content-Type": "application/json"}
    began = time.perf_counter()
    connection.request("POST", "/v1/ask", json.dumps({"question": question}), headers)
    reply = connection.getresponse()
    reply.readline()
    first, told = time.perf_counter(), at_first()
    reply.read()
    connection.close()
    return 1000 * (first - began), told, 1000 * (time.perf_counter() - began)


class Process:
    """`answerable serve` over a workspace on loopback, without a limit of its rate; `words`: more of its arguments."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], *words: str) -> None:
        names = {f"ANSWERABLE_{key.replace('.', '_').upper()}": str(value) for key, value in settings.items()}
        command = [sys.executable, "-m", "answerable", "-w", str(folder), "--json", "serve", *words, "--port", "0"]
        environment = {**os.environ, "ANSWERABLE_SERVE_RATE": "0", **names}
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- no pipe: it would wait for who does not read its log
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, env=environment)
        assert self._process.stdout
        self.url: str = json.loads(self._process.stdout.readline())["url"]
        self.port = int(self.url.rpartition(":")[2])

    def seconds(self) -> float:
        """Of processors that it has taken."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """MB that it holds."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))

    def ended(self, kill: bool = False) -> str:
        """End it, or kill it; what it said of errors."""
        self._process.kill() if kill else self._process.terminate()
        self._process.communicate(timeout=120)
        with self._log:
            self._log.seek(0)
            return self._log.read().decode()
