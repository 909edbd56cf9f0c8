"""A place for scratch, by which everything that a command starts there is known."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


class Scratch:
    """Holds a folder for scratch (TMPDIR), and tells what the processes started with it leave behind."""

    def __init__(self, folder: Path) -> None:
        self.scratch = folder / "scratch"
        self.scratch.mkdir()

    def processes(self) -> list[str]:
        """Command lines of every process that was started here and still runs."""
        mark = f"TMPDIR={self.scratch}".encode()
        return [_command_of(process) for process in Path("/proc").glob("[0-9]*") if _has(process, mark)]

    def left_behind(self) -> list[str]:
        """Processes and scratch folders that stay."""
        until = time.monotonic() + 60.0
        while (left := self.processes() + [str(p) for p in self.scratch.glob("pitwall-*")]) and (
            time.monotonic() < until
        ):
            time.sleep(0.1)
        return left


class Desk(Scratch):
    """Starts commands on a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.data = folder / "data"
        self.env = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
        self.env["TMPDIR"] = str(self.scratch)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start one of Pitwall's commands; its answer is JSON."""
        command = [sys.executable, "-m", "pitwall", *words, "--json", "--data", str(self.data)]
        return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, text=True)


def _has(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _command_of(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
