"""Defines one error root and one class per cause. Every error names what happened and how to mend it."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.quantities import counted


class PitwallError(Exception):
    """Root of everything Pitwall raises on purpose.

    Args:
        what: one sentence naming the thing (file, field, window …) and what is wrong with it.
        fix: one sentence on how the operator can mend it; empty where nothing helps.
    """

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what if not fix else f"{what} {fix}")
        self.what = what
        self.fix = fix


class SettingsError(PitwallError):
    """A setting has a wrong type, unit or range."""


class DamagedFile(PitwallError):
    """A file is not a regular file, too big, unreadable, or holds something unexpected.

    Args:
        file: its path, or a cell of a database in words.
        problem: the rest of a sentence that begins with the file ("is no JSON").
        key, line: the place in it; empty and 0: not known, or all of it.
        expected: the expected content; empty where the problem says it.
        fix: one sentence on how to mend it.
    """

    def __init__(
        self,
        file: Path | str,
        problem: str,
        *,
        key: str = "",
        line: int = 0,
        expected: str = "",
        fix: str = "",
    ) -> None:
        where = f"{file}:{line}" if line else str(file)
        message = f"{where} is damaged: {key}: {problem}" if key else f"{where} {problem}"
        super().__init__(f"{message.rstrip('.')}{f'; expected {expected}' if expected else ''}.", fix)
        self.file, self.problem, self.key, self.line, self.expected = file, problem, key, line, expected


class ConditionError(PitwallError):
    """A condition on state-reader fields does not parse or names an unknown field.

    Args:
        what, fix: as of every error.
        nearest: the valid field name nearest to an unknown one; empty where none is near.
    """

    def __init__(self, what: str, fix: str = "", nearest: str = "") -> None:
        super().__init__(what, fix)
        self.nearest = nearest


class UnknownGame(PitwallError):
    """No game folder has this id."""


class UntrustedPlugin(PitwallError):
    """A game's programs or Python were asked for before the operator trusted them."""


class PluginFailed(PitwallError):
    """Python of a game's folder does not load, raised, or is too slow."""


class LaunchFailed(PitwallError):
    """The game's program is missing, ended at once, or never showed a window."""


class NeverShown(LaunchFailed):
    """The game's program runs, and showed no window in time."""


class WindowLost(PitwallError):
    """The game's window is closed, minimised or cannot be captured."""


class GuardedGame(PitwallError):
    """An anti-cheat service guards the chosen game: it is neither captured nor played."""


class DisplayError(PitwallError):
    """No display is usable: none is set, it was lost, or it is a Wayland session."""


class UnsafeStart(PitwallError):
    """A condition of every run does not hold, so none begins."""


class DataFolderError(PitwallError):
    """The data folder is read-only, full, or in use by another console."""


class CorruptDatabase(DataFolderError):
    """The database did not pass its check; the original was kept and a new one opened beside it."""


class UnknownRun(PitwallError):
    """No run has this id."""


class CorruptRegistry(DataFolderError):
    """The model registry's file is damaged; the next model that is added keeps it beside a new one."""


class ChannelClosed(PitwallError):
    """The process at the other end of a channel is gone."""


class UnsendableMessage(PitwallError):
    """A message cannot go through a channel: it is too big, or has no JSON form. The channel stays usable."""


class ProtocolError(PitwallError):
    """The other end of a channel sent something that is not a message of this version."""


class ChildDied(PitwallError):
    """A child process ended unasked; carries its last words.

    Args:
        what: what ended, and how.
        fix: how to mend it.
        traceback: the child's own traceback or the end of its error output.
    """

    def __init__(self, what: str, fix: str = "", traceback: str = "") -> None:
        super().__init__(what, fix)
        self.traceback = traceback


class IllegalAction(PitwallError):
    """A proposed action is unknown or outside the role's controls."""


class BadModelFile(PitwallError):
    """A model's file is damaged, of another kind, or no longer the file that was added.

    Args:
        file: its path.
        problem: the rest of a sentence that begins with the file ("is empty").
        expected: the expected content; empty where the problem says it.
        fix: one sentence on how to mend it.
    """

    def __init__(self, file: str, problem: str, *, expected: str = "", fix: str = "") -> None:
        super().__init__(f"{file} {problem}{f'; expected {expected}' if expected else ''}.", fix)
        self.file = file
        self.problem = problem
        self.expected = expected


class UnknownModel(PitwallError):
    """No model of this name is in the registry."""


class ModelTaken(PitwallError):
    """The registry has this name or this file already."""


class NotEnoughMemory(PitwallError):
    """A model does not fit into the free memory.

    Args:
        where: "memory" or "video memory".
        needed_bytes, free_bytes: of that memory.
    """

    def __init__(self, what: str, fix: str, *, where: str, needed_bytes: int, free_bytes: int) -> None:
        super().__init__(what, fix)
        self.where = where
        self.needed_bytes = needed_bytes
        self.free_bytes = free_bytes


class RequestFailed(PitwallError):
    """The model host could not serve a request; it lives on.

    Args:
        what, fix: as of every error.
        error: name of the error's class in the host.
        traceback: the host's own; empty where the request was at fault.
    """

    def __init__(self, what: str, fix: str = "", *, error: str = "", traceback: str = "") -> None:
        super().__init__(what, fix)
        self.error = error
        self.traceback = traceback


class ExamError(PitwallError):
    """An exam, a published log or a file of questions is damaged, foreign, or does not fit its run."""


class DownloadFailed(PitwallError):
    """A download did not begin, broke off, or brought other bytes than promised."""


class DownloadPaused(PitwallError):
    """A download was paused; its data is kept and the next call resumes it."""


MOST_FAULTS = 15
"""Faults that an error's own text lists."""
_MOST_OF_A_PART = 160
"""Characters of a fault's key, problem, expectation or nearest name that its text shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Names one fault of a file: its place, the found value, the expected one, the nearest valid name.

    `line` counts from 1; 0: not known.
    """

    file: str
    key: str
    problem: str
    expected: str = ""
    nearest: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        text = f"{where}: {_cut(self.key)}: {_cut(self.problem)}"
        if self.expected:
            text += f"; expected {_cut(self.expected)}"
        if self.nearest:
            text += f"; did you mean {_cut(self.nearest)!r}?"
        return text


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_OF_A_PART else f"{text[:_MOST_OF_A_PART]} …"


class FaultyFile(PitwallError):
    """A file has faults; the first are listed, with the command that lists them all."""

    def __init__(self, file: str, faults: Sequence[Fault], check: str) -> None:
        lines = "\n".join(f"  {fault}" for fault in faults[:MOST_FAULTS])
        if len(faults) > MOST_FAULTS:
            lines += f"\n  … and {len(faults) - MOST_FAULTS:,} more"
        message = f"{file} has {counted(len(faults), 'fault')}:\n{lines}\n"
        super().__init__(message, f"Mend them, then run: {check}")
        self.faults = tuple(faults)


class ManifestError(FaultyFile):
    """A game's plugin.toml has faults."""

    def __init__(self, file: str, faults: Sequence[Fault]) -> None:
        super().__init__(file, faults, f"pitwall games check {shlex.quote(str(Path(file).parent))}")


class SuiteError(FaultyFile):
    """A suite's file has faults."""

    def __init__(self, file: str, faults: Sequence[Fault]) -> None:
        super().__init__(file, faults, f"pitwall suite check {shlex.quote(file)}")


def nearest(name: str, options: Iterable[str]) -> str:
    """Return the option most like `name`, or an empty string where none is close."""
    matches = difflib.get_close_matches(name, list(options), n=1, cutoff=0.6)
    return matches[0] if matches else ""


def suggestion(name: str, options: Iterable[str], otherwise: str) -> str:
    """Return the hint that asks for the option most like `name`, or `otherwise` where none is close."""
    near = nearest(name, options)
    return f"Did you mean {near!r}?" if near else otherwise


class FaultLog:
    """Keeps errors until they are taken; an error with a known key is dropped until `forget`."""

    def __init__(self) -> None:
        self._waiting: list[PitwallError] = []
        self._reported: set[str] = set()

    def add(self, error: PitwallError, key: str = "") -> None:
        """Keep an error; `key` is what makes it the same as an earlier one, empty: it never is."""
        if not key or key not in self._reported:
            self._reported.add(key)
            self._waiting.append(error)

    def forget(self) -> None:
        """Allow a known key to be reported again."""
        self._reported.clear()

    def take(self) -> list[PitwallError]:
        """Take the lines added since the last call."""
        taken, self._waiting = self._waiting, []
        return taken


_LOG_HOLDS_IT = "Try again; the log holds the details (pitwall doctor names its folder)."


def unexpected(subject: str, error: BaseException, fix: str = _LOG_HOLDS_IT) -> PitwallError:
    """Put an error that nobody foresaw into a sentence of one line; its traceback belongs into the log.

    Args:
        subject: what failed ("the recording").
        fix: one sentence on what the operator can do.
    """
    return (
        error
        if isinstance(error, PitwallError)
        else PitwallError(f"{subject} failed: {reason_of(error)}.", fix)
    )


def reason_of(error: BaseException) -> str:
    """Return what any error says, in one short line without a full stop and without a traceback."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    lines = str(error).strip().splitlines()
    known = bool(lines) and not lines[0].startswith("Traceback")
    return _cut(lines[0]).rstrip(".") if known else type(error).__name__
