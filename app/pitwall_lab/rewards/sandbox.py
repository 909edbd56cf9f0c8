"""Runs code of a model or a stranger in a process of its own, without files, network or host names.

The worker is pydantic-monty's interpreter of a part of Python. It enforces limits on time, memory and depth,
and the parent kills a worker that exceeds them. The answer is a single text: an f-string in the sandbox
formats the snippet's value, so no object made there is ever built here.
"""

from __future__ import annotations

import contextlib
import datetime
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from pydantic_monty import (
    CollectString,
    Monty,
    MontyConversionError,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySession,
    MontySyntaxError,
    OSPolicy,
    ResourceLimits,
)

from pitwall.core.errors import PitwallError

_MIB = 1024 * 1024
_PRINTED_BYTES = 4096
_MESSAGE = 200
_GRACE_S = 2.0
"""Time after its own limit until the parent kills a worker."""

FaultKind = Literal["syntax", "unsupported", "time", "memory", "recursion", "raised", "forbidden", "died"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds one call of the sandbox.

    Attributes:
        seconds: of running, without waiting for the host. depth: nested calls.
    """

    seconds: float = 1.0
    memory_bytes: int = 64 * _MIB
    depth: int = 100


class SandboxFault(PitwallError):
    """A call failed inside the sandbox.

    Args:
        what: the sandbox's message, one line, at most 200 characters.
        kind: of fault.
        line: of the source, from 1; 0 if unknown.
    """

    def __init__(self, what: str, *, kind: FaultKind, line: int = 0) -> None:
        super().__init__(what)
        self.kind = kind
        self.line = line


class Sandbox:
    """Runs one worker with a driver and a source; it answers texts with texts.

    Args:
        driver: trusted; it runs first, so the source cannot reach what it binds to default arguments.
        source: not trusted; it runs once at the start.
        entry: the driver's function from text to text, under a name that the source may not contain.
        limits: of the start, and of each call.

    Raises:
        SandboxFault: the source does not run.
    """

    def __init__(self, driver: str, source: str, *, entry: str, limits: Limits | None = None) -> None:
        self._driver = driver
        self._source = source
        self._call = 'f"{' + entry + '(_pitwall_text)}"'
        self._limits = limits or Limits()
        self._within = contextlib.ExitStack()
        self._pool = self._within.enter_context(
            Monty(max_processes=1, request_timeout=self._limits.seconds + 2 * _GRACE_S)
        )
        self._open: contextlib.ExitStack | None = None
        self._session: MontySession | None = None
        self.restarts = 0
        """How often a worker that died through no fault of the source was replaced."""
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int | None:
        """Return the worker's process id; None while it is being replaced."""
        return None if self._session is None else self._session.worker_pid

    def call(self, text: str) -> str:
        """Return the driver's answer. A worker killed from outside is replaced once.

        Raises:
            SandboxFault: it failed or exceeded a limit; the next call starts a new worker.
        """
        try:
            return self._once(text)
        except SandboxFault as fault:
            if fault.kind != "died":
                raise
        self.restarts += 1
        return self._once(text)

    def close(self) -> None:
        """End the worker."""
        self._discard()
        self._within.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _once(self, text: str) -> str:
        if self._session is None:
            self._begin()
        answer = self._feed(self._call, text)
        return answer if isinstance(answer, str) else ""

    def _begin(self) -> None:
        limits: ResourceLimits = {
            "max_feed_duration_secs": self._limits.seconds,
            "max_memory": self._limits.memory_bytes,
            "max_recursion_depth": self._limits.depth,
            "max_suspensions": 1,
        }
        policy: OSPolicy = {
            "datetime": datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC),
            "sleep": "zero",
            "random_start": {"seed": 0},
        }
        within = contextlib.ExitStack()
        try:
            self._session = within.enter_context(self._pool.checkout(limits=limits, os_policy=policy))
        except MontyError as error:
            raise SandboxFault(f"the sandbox does not start: {_line_of(error)}", kind="died") from None
        self._open = within
        self._feed(f"{self._driver}\n\nNone\n")
        self._feed(f"{self._source}\n\nNone\n")

    def _feed(self, code: str, text: str = "") -> object:
        assert self._session is not None
        try:
            return self._session.feed_run(
                code, inputs={"_pitwall_text": text}, print_callback=CollectString(_PRINTED_BYTES)
            )
        except MontyError as error:
            fault = _fault(error)
            if fault.kind in ("time", "memory", "died"):
                self._discard()
            raise fault from None

    def _discard(self) -> None:
        within, self._open, self._session = self._open, None, None
        if within is not None:
            with contextlib.suppress(MontyError):
                within.close()


def _fault(error: MontyError) -> SandboxFault:
    message = _line_of(error)
    match error:
        case MontySyntaxError():
            return SandboxFault(message, kind="syntax", line=_line(error))
        case MontyCrashedError():
            return SandboxFault(message, kind="time" if error.timed_out else "died")
        case MontyConversionError():
            return SandboxFault(message, kind="raised")
        case MontyRuntimeError():
            return SandboxFault(message, kind=_kind(error, message), line=_line(error))
    return SandboxFault(message, kind="died")


def _kind(error: MontyRuntimeError, message: str) -> FaultKind:
    """Return the kind of a runtime error; a source that imitates a limit's error harms only itself."""
    inner = error.exception()
    if isinstance(inner, TimeoutError) and "limit" in message:
        return "time"
    if isinstance(inner, MemoryError):
        return "memory"
    if isinstance(inner, RecursionError):
        return "recursion"
    if isinstance(inner, ImportError | OSError):
        return "forbidden"
    return "unsupported" if isinstance(inner, NotImplementedError) and "monty" in message else "raised"


def _line(error: MontySyntaxError | MontyRuntimeError) -> int:
    """Return the innermost line of the source, which is the second text fed to the worker."""
    lines = [frame.line for frame in error.traceback() if frame.filename == "<python-input-1>"]
    return lines[-1] if lines else 0


def _line_of(error: MontyError) -> str:
    return " ".join(str(error)[: 2 * _MESSAGE].split())[:_MESSAGE]
