"""What the tests open in other processes. These import this module alone: pytest and hypothesis would take them longer
than all else."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from answerable.errors import MissingExtraError, UsageError


def squares(add: int = 0) -> Callable[[int], tuple[int, int]]:
    """Opened once in each process; says which one it was."""
    own = os.getpid()
    return lambda number: (number * number + add, own)


def secretive() -> Callable[[int], int]:
    def work(number: int) -> int:
        if number == 2:
            raise KeyError("the text of a passage")
        return number

    return work


def refusing(what: str) -> Callable[[int], int]:
    def work(number: int) -> int:
        if what == "extra":
            raise MissingExtraError("this", "pairs")
        raise UsageError("not like this", hint="like that")

    return work


def leaving() -> Callable[[int], int]:
    def work(number: int) -> int:
        os._exit(3)

    return work


def mortal(folder: Path) -> Callable[[int], int]:
    """Is killed once at each third number, and notes what it begins."""

    def work(number: int) -> int:
        with open(folder / "begun", "a") as file:
            file.write(f"{number}\n")
        if number % 3 == 0 and not (folder / str(number)).exists():
            (folder / str(number)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return -number

    return work


def resting() -> Callable[[int], int]:
    def work(number: int) -> int:
        time.sleep(60 if number else 0)
        return number

    return work
