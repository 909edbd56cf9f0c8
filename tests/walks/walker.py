"""A person's hands and eyes on a real console: pointer and keys by xdotool, a picture of each step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import ImageGrab

_PROGRAM = Path(__file__).with_name("walked_console.py")
_LOOK_S = 0.25
"""A person looks before a click."""
_PATIENCE_S = 120.0

Part = dict[str, Any]


class Walker:
    """Opens a console on a screen, clicks its parts by their English names, and counts the clicks.

    Args:
        display: the screen. data: the console's data folder. out: folder of the pictures.
        spoken: translates an English name into the console's language.
        variables: further environment variables of the console.
    """

    def __init__(
        self,
        display: str,
        data: Path,
        out: Path,
        variables: dict[str, str],
        *words: str,
        spoken: Callable[[str], str] = str,
    ) -> None:
        self.display, self._out, self.spoken = display, out, spoken
        root = Path(__file__).parents[2]
        paths = os.pathsep.join([str(root / "app"), str(root)])
        self._console = subprocess.Popen(
            [sys.executable, str(_PROGRAM), "--data", str(data), *words],
            env={**os.environ, **variables, "DISPLAY": display, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.clicks = self.pictures = 0

    def look(self, *names: str, closely: bool = False) -> dict[str, Any]:
        """Return the state, and the parts whose names begin so; closely: also the texts that are cut."""
        assert self._console.stdin is not None and self._console.stdout is not None
        self._console.stdin.write(json.dumps({"names": names, "closely": closely}) + "\n")
        self._console.stdin.flush()
        line = self._console.stdout.readline()
        if not line:
            raise RuntimeError("the console has ended")
        seen: dict[str, Any] = json.loads(line)
        return seen

    def until(
        self, holds: Callable[[dict[str, Any]], Any], what: str, timeout_s: float = _PATIENCE_S
    ) -> None:
        """Wait for a condition on what is in view.

        Raises:
            TimeoutError: it did not come.
        """
        end = time.monotonic() + timeout_s
        while not holds(self.look()):
            if time.monotonic() > end:
                self.picture("too-late")
                raise TimeoutError(f"waited {timeout_s:g} s for {what}: {self.look()}")
            time.sleep(0.2)

    def part(self, name: str, *, kind: str = "", timeout_s: float = _PATIENCE_S) -> Part:
        """Return the first part in view whose name begins so, scrolled into view and ready for a click."""
        end = time.monotonic() + timeout_s
        while True:
            parts = self._named(name, kind)
            for part in parts:
                if part["reached"]:
                    return part
            if time.monotonic() > end:
                self.picture("too-late")
                raise TimeoutError(f"waited {timeout_s:g} s for {kind} {name!r}")
            if parts and parts[0]["pane"] is not None:
                self._scroll(parts[0])
            time.sleep(_LOOK_S)

    def sees(self, name: str, *, kind: str = "") -> bool:
        """Return whether such a part is in view."""
        return any(part["reached"] for part in self._named(name, kind))

    def click(
        self,
        name: str,
        *,
        kind: str = "",
        at: tuple[float, float] = (0.5, 0.5),
        timeout_s: float = _PATIENCE_S,
    ) -> None:
        """Click a part, as soon as it is there; `at` is a place in it, as shares of its width and height."""
        box: list[int] = []
        while box != (box := self.part(name, kind=kind, timeout_s=timeout_s)["box"]):
            time.sleep(_LOOK_S)  # until what was just shown is laid out
        left, top, right, bottom = box
        self.click_at(left + at[0] * (right - left), top + at[1] * (bottom - top))

    def click_at(self, x: float, y: float, times: int = 1) -> None:
        self.xdotool(
            "mousemove", f"{x:.0f}", f"{y:.0f}", "sleep", "0.1", "click", "--repeat", f"{times}", "1"
        )
        self.clicks += 1

    def point(self, name: str) -> None:
        """Put the pointer on a part."""
        x, y = self.part(name)["at"]
        self.xdotool("mousemove", str(x), str(y))

    def drag(self, name: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw from one place of a part to another, given as shares of its width and height."""
        left, top, right, bottom = self.part(name)["box"]
        places = [
            (f"{left + x * (right - left):.0f}", f"{top + y * (bottom - top):.0f}")
            for x, y in (start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)
        ]
        self.xdotool("mousemove", *places[0], "mousedown", "1", "sleep", "0.2", "mousemove", *places[1])
        self.xdotool("sleep", "0.2", "mousemove", *places[2], "sleep", "0.2", "mouseup", "1")

    def write(self, words: str) -> None:
        self.xdotool("type", "--delay", "30", words)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.xdotool("key", key)
            time.sleep(0.1)

    def xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words],
            env={**os.environ, "DISPLAY": self.display},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout

    def picture(self, name: str) -> None:
        """Keep a picture of the whole screen, and say which texts are cut in it and what scrolls sideways."""
        time.sleep(0.4)
        seen = self.look(closely=True)
        self.pictures += 1
        file = self._out / f"{self.pictures:02}-{name}.png"
        ImageGrab.grab(xdisplay=self.display).save(file)
        print(f"{file.name}: {self.clicks} clicks, {seen.get('phase')}", flush=True)  # noqa: T201
        for kind in ("cut", "sideways", "faults"):
            for text in seen.get(kind, []):
                print(f"    {kind}: {text}", flush=True)  # noqa: T201

    def close(self) -> None:
        self._console.terminate()
        self._console.communicate(timeout=60)

    def _named(self, name: str, kind: str) -> list[Part]:
        parts = self.look(name, self.spoken(name))["parts"]
        return [part for part in parts if part["enabled"] and kind in ("", part["kind"])]

    def _scroll(self, part: Part) -> None:
        x, y = part["pane"]
        self.xdotool("mousemove", str(x), str(y), "click", "5" if part["at"][1] > y else "4")
