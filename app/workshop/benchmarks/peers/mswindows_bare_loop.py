"""The floor on Windows: grab the patch with mss, compare, press with SendInput. Run as a program.

It finds the window once, and does nothing else: no gate, no focus check, no log.
"""

from __future__ import annotations

import argparse
import sys
import time

import mss
import numpy as np

from pitwall.core.actions import InputEvent
from pitwall.desktops.window_search import find_window
from pitwall_desktops.windows import handles
from pitwall_desktops.windows.inject import Injector
from workshop.benchmarks.engine.flash_protocol import PATCH


def main() -> int:
    """Poll and press until ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    options = parser.parse_args()
    window = None
    while window is None:
        window = find_window(title=f"^{options.title}$")
    handles.bring_to_front(window.native_id)
    left, top, width, height = PATCH
    place = {"left": window.rect.x + left, "top": window.rect.y + top, "width": width, "height": height}
    injector, was_white = Injector(), False
    with mss.MSS() as screen:
        while True:
            white = bool(np.asarray(screen.grab(place))[:, :, 0].mean() > 127)
            if white and not was_white:
                injector.emit(InputEvent(kind="key_down", key="Space"), None)
                time.sleep(0.02)
                injector.emit(InputEvent(kind="key_up", key="Space"), None)
            was_white = white


if __name__ == "__main__":
    sys.exit(main())
