"""A game folder around the tests' window, and the window's process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

_PROGRAM = Path(__file__).with_name("window.py")
_NUMBERS = count(1)
_MANIFEST = """
schema = 1
[game]
id = "small-game"
name = "Small Game"
[launch]
command = {command}
ready_timeout_s = 30.0
[window]
title = "^{title}$"
[screen]
width = 320
height = 240
[controls]
keys = ["ArrowLeft", "Space"]
mouse = true
hold_ms = [20, 30000]
[[actions]]
name = "tap"
keys = ["Space"]
hold_ms = 30
duration_ms = 120
[[actions]]
name = "hold"
keys = ["ArrowLeft"]
hold_ms = 20000
duration_ms = 20000
[[actions]]
name = "hit"
click = [240, 60]
hold_ms = 40
duration_ms = 150
[[fields]]
name = "moved"
kind = "change"
[trigger]
scene_change = 2.0
[[skills]]
name = "keep busy"
when = "status == 'playing'"
subgoal = "keep busy"
actions = {plays}
"""


class SmallGame:
    """A game's folder whose window is opened by hand, as an operator's own game is.

    Args:
        parent: where the folder is made.
        plays: the semantic actions that its only skill takes in turn: tap, hold (20 s), hit (a click).
        command: its launch command; None: the tests' window.
        steered: the window listens on the control socket. replaces: it shows another window first.
        keyless: it is played by the mouse alone.

    Attributes:
        title: of its window, unlike any other's.
    """

    def __init__(
        self,
        parent: Path,
        plays: tuple[str, ...],
        command: list[str] | None = None,
        *,
        steered: bool = False,
        replaces: bool = False,
        keyless: bool = False,
    ) -> None:
        number = next(_NUMBERS)
        self.title = f"pitwall-small-game-{number}"
        self.folder = parent / f"small-game-{number}"
        self.log = parent / f"small-game-{number}.log"
        self.command = [sys.executable, str(_PROGRAM), "--title", self.title, "--log", str(self.log)]
        self.command += ["--steered"] if steered else []
        self.command += ["--replaces"] if replaces else []
        self.folder.mkdir(parents=True)
        manifest = _MANIFEST.replace("{command}", json.dumps(command or self.command))
        manifest = _without_keys(manifest) if keyless else manifest
        manifest = manifest.replace("{title}", self.title).replace("{plays}", json.dumps(list(plays)))
        (self.folder / "plugin.toml").write_text(manifest, encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    def open(self) -> None:
        """Start the window's program; its window comes a little later."""
        self._process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, cwd=self.folder)

    def close(self) -> None:
        """End the window's program, as a crash of the game would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def inputs(self, kind: str = "") -> list[dict[str, Any]]:
        """What reached the window, oldest first."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if kind in ("", line["kind"])]

    def window_id(self, timeout_s: float = 60.0) -> str:
        """The window's id, once the window manager shows it."""
        deadline = time.monotonic() + timeout_s
        listed = ""
        while time.monotonic() < deadline:
            listed = subprocess.run(["wmctrl", "-l"], capture_output=True, text=True).stdout
            for line in listed.splitlines():
                if line.split(None, 3)[3:] == [self.title]:
                    return line.split()[0]
            time.sleep(0.05)
        status = self._process.poll() if self._process is not None else "not started"
        raise AssertionError(f"no window {self.title} came; its program: {status}; windows: {listed!r}")


def _without_keys(manifest: str) -> str:
    """Leave the keys out, and the actions that press them."""
    head, *actions = manifest.replace('keys = ["ArrowLeft", "Space"]', "keys = []").split("[[actions]]")
    return "[[actions]]".join([head, *(action for action in actions if "\nkeys" not in action)])


def xdotool(*words: str, check: bool = True) -> str:
    """Run xdotool (it may hang on a window that has gone); returns what it printed."""
    done = subprocess.run(["timeout", "10", "xdotool", *words], capture_output=True, text=True)
    assert not check or done.returncode == 0, f"xdotool {words}: {done.stderr}"
    return done.stdout.strip()


def is_window_open(pid: int) -> bool:
    """Whether the window manager shows a window of this process."""
    listed = subprocess.run(["wmctrl", "-lp"], capture_output=True, text=True).stdout
    return any(line.split()[2] == str(pid) for line in listed.splitlines())
