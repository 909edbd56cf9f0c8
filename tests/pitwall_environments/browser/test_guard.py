"""The guard of a browser clears away whatever ended its owner: told to, or killed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("games that are web pages are played on Linux alone so far", allow_module_level=True)

OWNER = """
import os, subprocess, sys
from pathlib import Path
from pitwall_environments.browser.guard import Guard
guard = Guard((Path(sys.argv[1]), Path(sys.argv[2])))
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
guard.watch(child.pid)
print(child.pid, flush=True)
os.kill(os.getpid(), 9) if sys.argv[3] == "killed" else guard.dismiss()
"""
WAIT_S = 60.0


@pytest.mark.parametrize("end", ["told", "killed"])
def test_nothing_is_left(tmp_path: Path, python: str, end: str) -> None:
    folder, file = tmp_path / "profile", tmp_path / "c.sock"
    (folder / "Default").mkdir(parents=True)
    file.write_text("", encoding="utf-8")
    command = [python, "-c", OWNER, str(folder), str(file), end]
    owner = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WAIT_S)
    child = Path("/proc") / owner.stdout.strip() / "cmdline"
    until = time.monotonic() + WAIT_S
    while folder.exists() or file.exists() or _runs(child):
        assert time.monotonic() < until, owner.stderr
        time.sleep(0.02)


def _runs(command_line: Path) -> bool:
    """Whether the process is there, and no mere remnant that nobody waited for."""
    try:
        return bool(command_line.read_bytes())
    except OSError:
        return False
