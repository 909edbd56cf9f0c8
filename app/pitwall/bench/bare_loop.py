"""The floor: grab the patch with mss, compare, press with XTEST. Run as a program.

It finds the window once, and does nothing else: no gate, no focus check, no log.
"""

from __future__ import annotations

import argparse
import sys
import time

import mss
import numpy as np
import xcffib
import xcffib.xproto
import xcffib.xtest

from pitwall.engine.capture.windows import find_window

_SPACE_KEYSYM = 0x20
_KEY_PRESS, _KEY_RELEASE = 2, 3


def _keycode(connection: xcffib.Connection) -> int:
    setup = connection.get_setup()
    first, last = setup.min_keycode, setup.max_keycode
    mapping = connection.core.GetKeyboardMapping(first, last - first + 1).reply()
    per_key = mapping.keysyms_per_keycode
    return int(first + list(mapping.keysyms).index(_SPACE_KEYSYM) // per_key)


def main() -> int:
    """Poll and press until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    title = parser.parse_args().title
    window = None
    while window is None:
        window = find_window(title=f"^{title}$")
    connection = xcffib.connect()
    test = connection(xcffib.xtest.key)
    keycode = _keycode(connection)
    connection.core.SetInputFocus(1, window.native_id, 0)
    connection.flush()
    patch = {"left": window.rect.x + 200, "top": window.rect.y + 150, "width": 240, "height": 180}
    was_white = False
    with mss.MSS() as screen:
        while True:
            white = np.asarray(screen.grab(patch))[:, :, 0].mean() > 127
            if white and not was_white:
                test.FakeInput(_KEY_PRESS, keycode, 0, 0, 0, 0, 0)
                connection.flush()
                time.sleep(0.02)
                test.FakeInput(_KEY_RELEASE, keycode, 0, 0, 0, 0, 0)
                connection.flush()
            was_white = white


if __name__ == "__main__":
    sys.exit(main())
