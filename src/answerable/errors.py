"""The error tree. Each error is one sentence that names the thing, and may carry a hint: the way out.

    AnswerableError
    ├── UsageError          an argument, a setting or a file that cannot be used as asked
    │   ├── AbsentError     a document that is not there, or that the asker may not read
    │   ├── SettingsError   an unknown key or a bad value in answerable.toml or the environment
    │   └── TrustError      a workspace that is another user's, or would send what nobody has agreed to
    ├── WorkspaceError      no workspace here, or one that cannot be opened
    │   └── BusyError       another process is writing to the workspace
    ├── EnclaveError        an unknown enclave, or one defined in conflict with itself
    ├── IndexMismatch        an index that is missing, damaged, or made by something else
    │   └── DamagedError    one that is not as it was made
    ├── RemoteError         an enclave on another machine that does not answer, or not as it should
    ├── ModelError          weights that are missing or do not fit
    ├── FormatError         a document that cannot be read (never carries its text)
    └── MissingExtraError   an optional package is needed; the hint names the extra

Messages never contain private text: paths, names, numbers and reasons only.
"""

from __future__ import annotations


class AnswerableError(Exception):
    """Root of every error this package raises on purpose."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} ({self.hint})" if self.hint else message


class UsageError(AnswerableError):
    """An argument, a setting or a file that cannot be used as asked."""


class AbsentError(UsageError):
    """A document that is not there, or that the asker may not read: which of them is not told."""


class SettingsError(UsageError):
    """An unknown key or a bad value in a settings file, the environment or a flag."""


class TrustError(UsageError):
    """A workspace that is another user's, or would send what nobody has agreed to. `told`: all of it, in lines."""

    def __init__(self, message: str, hint: str, told: tuple[str, ...]) -> None:
        super().__init__(message, hint)
        self.told = told


class WorkspaceError(AnswerableError):
    """No workspace here, or one that cannot be opened."""


class BusyError(WorkspaceError):
    """Another process is writing to the workspace."""


class EnclaveError(AnswerableError):
    """An unknown enclave, or one defined in conflict with itself."""


class IndexMismatch(AnswerableError):
    """An index that is missing, damaged, or made by another encoder or version."""


class DamagedError(IndexMismatch):
    """An index that is not as it was made. An answer that is given without it says so."""


class RemoteError(AnswerableError):
    """An enclave on another machine that does not answer, or not as it should. Never quotes what was sent or came."""


class ModelError(AnswerableError):
    """Weights that are missing or do not fit."""


class FormatError(AnswerableError):
    """A document that cannot be read. The message gives the reason, never the text."""


class MissingExtraError(AnswerableError):
    """An optional package is needed; the hint names the extra that brings it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package", hint=f"pip install 'answerable[{extra}]'")
