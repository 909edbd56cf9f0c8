"""Flashes a window until stopped, and reports when each flash was answered: the same on X11 and on Windows.

Writes one JSON line per flash to standard output: when it was drawn and when the key came, in monotonic
nanoseconds, or null for a flash without an answer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Protocol

WIDTH, HEIGHT = 640, 480
PATCH = (200, 150, 240, 180)
"""Left, top, width, height of the patch that turns white."""
_ANSWER_S = 1.0


class Window(Protocol):
    """Draws the patch, and takes keys."""

    def fill(self, white: bool) -> int: ...
    def key(self, timeout_s: float) -> int | None: ...


def flash(open_window: Callable[[str], Window]) -> int:
    """Flash until stopped; print one line of JSON per answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    window = open_window(options.title)
    chance = random.Random(options.seed)
    _rest(window, 0.5)
    while True:
        _rest(window, chance.uniform(0.08, 0.16))
        drawn = window.fill(white=True)
        answered = window.key(_ANSWER_S)
        sys.stdout.write(json.dumps([drawn, answered]) + "\n")
        sys.stdout.flush()
        _rest(window, 0.02)
        window.fill(white=False)


def _rest(window: Window, seconds: float) -> None:
    """Wait, and ignore keys."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        window.key(left)
