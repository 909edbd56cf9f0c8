"""Runs a case in a process of its own, so that a hang, a crash or too much memory is just another verdict."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

from pitwall.cli.main import COMMANDS, main, program

Given = TypeVar("Given")
Result = TypeVar("Result")
_MEMORY_BYTES = 3 << 30
"""Memory that a case may use in addition to what the process already has."""


def isolated(trial: Callable[[Given], Result], case: Given, patience_s: float) -> Result:
    """Call a trial in a forked process; return its result, or raise its error.

    Raises:
        RuntimeError: the process hung or died.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _try(trial, case, write)
    os.close(write)
    answer, end = b"", f"was not done within {patience_s:g} s"
    try:
        while select.select([read], [], [], patience_s)[0]:
            if not (part := os.read(read, 1 << 16)):
                end = "died"
                break
            answer += part
    finally:
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    if not answer:
        raise RuntimeError(f"the process {end} (status {status}).")
    outcome: Result | Exception = pickle.loads(answer)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _try(trial: Callable[[Given], object], case: Given, write: int) -> None:
    """Run the trial in the forked process; never returns."""
    try:
        os.setsid()
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY_BYTES, resource.RLIM_INFINITY))
        try:
            outcome: object = trial(case)
        except Exception as error:
            outcome = error
        try:
            answer = pickle.dumps(outcome)
        except Exception:
            answer = pickle.dumps(RuntimeError(f"{type(outcome).__name__}: {outcome}"))
        os.write(write, answer)
    finally:
        os._exit(0)


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a command."""

    words: tuple[str, ...]
    status: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """Return the command's output in one line; for an error in JSON, only its message."""
        output = self.err or self.out
        with contextlib.suppress(ValueError, KeyError, TypeError):
            output = json.loads(output)["what"]
        return " ".join(output.split())


@functools.cache
def warm_up() -> None:
    """Import every command and check the bundled games once, so that forked processes need not."""
    program(*COMMANDS)
    with tempfile.TemporaryDirectory(prefix="pitwall-campaign-") as data:
        command(Path(data), "games", "list", "--json")


def command(data: Path, *words: str) -> Ran:
    """Run a `pitwall` command in this (isolated) process, and let its uncaught errors through."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with (
        patch.object(sys, "argv", ["pitwall", *words]),
        patch.dict(os.environ, {"PITWALL_DATA": str(data)}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = main()
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    return Ran(words, status, *texts)
