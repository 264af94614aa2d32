"""The console script's entry."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from answerable.__main__ import INTERRUPTED, main
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
