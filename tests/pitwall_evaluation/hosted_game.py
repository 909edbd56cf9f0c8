"""Runs a program that plays host to a game as the engine would: with a socket, a truth and a log."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pitwall.link.game_control import CAN_STEER, AskStatus, GameControl, Hold, Release, Reset, Speed, Steered

PATIENCE_S = 300.0
"""A machine that does much else starts a game slowly."""


class HostedGame:
    """A running one.

    Args:
        process: the program. folder: its truth, socket, log and profile lie there.
    """

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.truth = folder / "truth.json"
        self.control = GameControl(folder / "c.sock")

    def ask(self, word: Hold | Release | Reset | Speed | AskStatus) -> Steered:
        return self.control.ask(word, timeout_s=PATIENCE_S)

    def state(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.truth.read_text(encoding="utf-8"))
        return message

    def said(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8")

    def ready(self) -> HostedGame:
        """This one, once the state is told."""
        until(lambda: self.truth.exists() or self.process.poll() is not None)
        assert self.truth.exists(), self.said()
        return self

    def ended(self) -> int:
        """Its exit status, once it ended by itself."""
        return self.process.wait(PATIENCE_S)


def until(holds: Callable[[], object]) -> None:
    """Wait until it holds, with much patience."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, "it never came to hold"
        time.sleep(0.02)


@contextlib.contextmanager
def hosted_game(
    folder: Path, words: list[str], *, truth: bool = True, env: Mapping[str, str] | None = None
) -> Iterator[HostedGame]:
    """Start `pitwall WORDS`; ended with the block where it still runs."""
    if not CAN_STEER:
        pytest.skip("a game is steered through a socket that is a file, which Windows' Python does not know")
    surroundings = {**os.environ, "PITWALL_CONTROL": str(folder / "c.sock"), **(env or {})}
    if truth:
        surroundings["PITWALL_TRUTH"] = str(folder / "truth.json")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pitwall", *words],
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    running = HostedGame(process, folder)
    try:
        yield running
    finally:
        running.control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE_S)
