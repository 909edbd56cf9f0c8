"""The floor: grab the patch with mss, compare, press with XTEST. Run as a program.

It finds the window once, and does nothing else: no gate, no focus check, no log. With `--asleep` it sleeps
until the server reports a change, as the engine does, and reads the window's pixmap.
"""

from __future__ import annotations

import argparse
import select
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import mss
import numpy as np
import xcffib
import xcffib.xproto
import xcffib.xtest

from pitwall.core.frames import Pixels
from pitwall.core.geometry import WindowRef
from pitwall.desktops.window_search import find_window
from pitwall.desktops.x11.capture import X11PixmapSource

_LEFT, _TOP, _PATCH_WIDTH, _PATCH_HEIGHT = 200, 150, 240, 180
_SPACE_KEYSYM = 0x20
_WAKE_S = 1.0
"""Seconds between the sleeping loop's checks for a stop request."""
_KEY_PRESS, _KEY_RELEASE = 2, 3


def _keycode(connection: xcffib.Connection) -> int:
    setup = connection.get_setup()
    first, last = setup.min_keycode, setup.max_keycode
    mapping = connection.core.GetKeyboardMapping(first, last - first + 1).reply()
    per_key = mapping.keysyms_per_keycode
    return int(first + list(mapping.keysyms).index(_SPACE_KEYSYM) // per_key)


def main() -> int:
    """Poll and press until asked to end; release a pressed key first."""
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    parser.add_argument("--asleep", action="store_true")
    options = parser.parse_args()
    window = None
    while window is None:
        window = find_window(title=f"^{options.title}$")
    connection = xcffib.connect()
    test = connection(xcffib.xtest.key)
    keycode = _keycode(connection)
    connection.core.SetInputFocus(1, window.native_id, 0)
    connection.flush()
    was_white = False
    for patch in _changed(window) if options.asleep else _polled(window):
        white = patch[:, :, 0].mean() > 127
        if white and not was_white:
            _tap(connection, test, keycode)
        was_white = white
        if asked:
            break
    return 0


def _polled(window: WindowRef) -> Iterator[Pixels]:
    place = {
        "left": window.rect.x + _LEFT,
        "top": window.rect.y + _TOP,
        "width": _PATCH_WIDTH,
        "height": _PATCH_HEIGHT,
    }
    with mss.MSS() as screen:
        while True:
            yield np.asarray(screen.grab(place))


def _changed(window: WindowRef) -> Iterator[Pixels]:
    source = X11PixmapSource(window)
    while True:
        changed = select.select([source], [], [], _WAKE_S)[0]
        frame = source.take() if changed else source.fresh()
        if frame is not None:
            yield frame.pixels[_TOP : _TOP + _PATCH_HEIGHT, _LEFT : _LEFT + _PATCH_WIDTH]


def _tap(connection: Any, test: Any, keycode: int) -> None:
    test.FakeInput(_KEY_PRESS, keycode, 0, 0, 0, 0, 0)
    connection.flush()
    time.sleep(0.02)
    test.FakeInput(_KEY_RELEASE, keycode, 0, 0, 0, 0, 0)
    connection.flush()


if __name__ == "__main__":
    sys.exit(main())
