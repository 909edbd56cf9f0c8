"""A window that hears the first master keyboard alone: no seat of the agent's own reaches it.

Run as a program: `python deaf_window.py TITLE`.
"""

from __future__ import annotations

import os
import sys
import time

import xcffib.xinput
from xcffib import xproto

from pitwall.desktops.x11.display import Display

_XI_KEYS, _PERSONS_KEYBOARD = 1 << 2 | 1 << 3, 3

display = Display()
window = display.connection.generate_id()
colour = xproto.CW.BackPixel
display.core.CreateWindow(0, window, display.root, 0, 0, 320, 240, 0, 1, 0, colour, [0x305080])
title = sys.argv[1].encode()
text = xproto.Atom.STRING
display.core.ChangeProperty(xproto.PropMode.Replace, window, xproto.Atom.WM_NAME, text, 8, len(title), title)
number = xproto.Atom.CARDINAL
pid = display.atom("_NET_WM_PID")
display.core.ChangeProperty(xproto.PropMode.Replace, window, pid, number, 32, 1, [os.getpid()])
keys = xcffib.xinput.EventMask.synthetic(_PERSONS_KEYBOARD, 1, [_XI_KEYS])
display.xinput.XISelectEventsChecked(window, 1, [keys]).check()
display.core.MapWindow(window)
display.flush()
while True:
    display.events()
    time.sleep(0.02)
