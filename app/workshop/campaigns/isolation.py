"""Tries a case in a process of its own: hanging, dying or eating the memory is a verdict like any other."""

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
_MEMORY_BYTES = 3 << 30
"""What a case may take beside what was there already."""


def isolated(trial: Callable[[Given], str], case: Given, patience_s: float) -> str:
    """Call a trial in a forked process; returns what it returns, or raises what it raises.

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
    outcome = pickle.loads(answer)
    if isinstance(outcome, Exception):
        raise outcome
    return str(outcome)


def _try(trial: Callable[[Given], str], case: Given, write: int) -> None:
    """The forked process's whole life; never returns."""
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
    """A command that ended."""

    words: tuple[str, ...]
    status: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """Return the command's own words in one line; of an error told as JSON, what happened."""
        told = self.err or self.out
        with contextlib.suppress(ValueError, KeyError, TypeError):
            told = json.loads(told)["what"]
        return " ".join(told.split())


@functools.cache
def warm_up() -> None:
    """Import every command here, and check the bundled games, once: what is forked later begins so."""
    program(*COMMANDS)
    with tempfile.TemporaryDirectory(prefix="pitwall-campaign-") as data:
        command(Path(data), "games", "list", "--json")


def command(data: Path, *words: str) -> Ran:
    """Run a `pitwall` command in this (isolated) process; whatever it does not catch comes out of here."""
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
