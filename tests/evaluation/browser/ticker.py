"""Starts the ticker page as the engine would: `pitwall browser-game` with its socket and its truth."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pitwall.link.game_control import AskStatus, GameControl, Hold, Release, Reset, Speed, Steered

PAGE = Path(__file__).parent / "pages" / "ticker"
PATIENCE_S = 300.0
"""A machine that does much else starts a browser slowly."""


class Ticker:
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
        told: dict[str, Any] = json.loads(self.truth.read_text(encoding="utf-8"))
        return told

    def said(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8")

    def ready(self) -> Ticker:
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


def copy_of_page(folder: Path, *changes: tuple[str, str]) -> Path:
    """The page's folder, with its manifest changed."""
    place = folder / "page"
    shutil.copytree(PAGE, place)
    manifest = place / "plugin.toml"
    text = manifest.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    manifest.write_text(text, encoding="utf-8")
    return place


@contextlib.contextmanager
def ticker(
    folder: Path, *words: str, page: Path = PAGE, truth: bool = True, env: Mapping[str, str] | None = None
) -> Iterator[Ticker]:
    """Start it; ended with the block where it still runs."""
    surroundings = {**os.environ, "PITWALL_CONTROL": str(folder / "c.sock"), **(env or {})}
    if truth:
        surroundings["PITWALL_TRUTH"] = str(folder / "truth.json")
    command = [sys.executable, "-m", "pitwall", "browser-game", "--game", str(page), "--seed", "7"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--profile", str(folder / "profile"), *words],
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    running = Ticker(process, folder)
    try:
        yield running
    finally:
        running.control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE_S)


def left_of(folder: Path) -> list[str]:
    """Processes that have to do with a folder, by their command lines; and what a profile left."""
    found = [str(path) for path in (folder / "profile").glob("chromium-*")]
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in line.read_bytes():
                found.append(line.read_bytes().decode("utf-8", "replace")[:200])
    return found
