"""The console script's entry."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from typer.testing import CliRunner

from answerable.__main__ import INTERRUPTED, main
from answerable.cli.main import app
from answerable.cli.shell import Exit


def test_ctrl_c_while_loading_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def interrupted(name: str, *rest: Any) -> Any:
        if name == "answerable.cli.main":
            raise KeyboardInterrupt
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", interrupted)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == INTERRUPTED == Exit.INTERRUPTED


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("answerable in", {"index"}), ("answerable ask --pri", {"--privacy"}), ("answerable pairs b", {"build"})],
)
def test_shells_complete_commands_and_options(typed: str, offered: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As the script that `answerable --install-completion` sets up asks for it."""
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1), "_ANSWERABLE_COMPLETE": "complete_bash"}
    for name, value in words.items():
        monkeypatch.setenv(name, value)
    said = CliRunner().invoke(app, [], prog_name="answerable")
    assert {*said.output.split()} >= offered and "Traceback" not in said.output
