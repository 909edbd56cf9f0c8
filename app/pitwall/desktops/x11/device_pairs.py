"""Makes pairs of master devices, and removes them in a way that Qt 6 programs survive.

Qt keeps each device that presses as a child of its master. Where both vanish at once it deletes the child
twice, and the program ends (`QXcbConnection::xi2SetupDevices`, seen with 6.11). So where such a program runs,
the devices that press leave first: the server lets them go as their master is switched off. A second pair
that comes makes Qt read the list anew, and Qt forgets them. When every program has read it, both pairs go.

Xlib keeps the number of the keyboard that answered its last question for the layout. While a button of the
agent's pointer is down in a window, that is the agent's keyboard; once this is gone, the next change of the
layout ends the program by BadDevice (SDL, with the first removal). So where the pointer has pressed, the
keyboard is announced as a new one: Xlib asks again then, and gets the person's.

The server has two faults of its own here (seen with 21.1): it crashes where a master is switched off that
some program has as its client pointer, and where a master is removed that is off.
"""

from __future__ import annotations

import contextlib
import io
import struct
import time
from collections.abc import Iterable

import xcffib
import xcffib.res

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.desktops.x11.clients import Clients
from pitwall.desktops.x11.display import Display
from pitwall.desktops.x11.layout_copy import announce
from pitwall.desktops.x11.pings import Pings

VIRTUAL_CORE_POINTER = 2
_XI_CHANGE_HIERARCHY, _XI_CHANGE_PROPERTY = 43, 57
_ADD_MASTER, _REMOVE_MASTER, _FLOATING = 1, 2, 2
_BYTES, _INTEGER, _REPLACE = 8, 19, 0
_SPARE = "spare"
_LEAST_NS, _LOOK_S = 50_000_000, 0.005
"""Programs without a window cannot be asked; they have this time to read the list of devices."""
PATIENCE_S = 1.0
"""Longest time for which programs are waited for."""
_LAYOUT_PATIENCE_S = 0.1
"""The same where they ask for a layout; a slower program reads the announcement first all the same."""


def list_devices(display: Display) -> dict[str, int]:
    """Return the ids of the input devices by their names."""
    infos = display.xinput.XIQueryDevice(0).reply().infos
    return {str(info.name.to_string()): int(info.deviceid) for info in infos}


def add_pair(display: Display, name: str) -> None:
    """Make a pair of masters, `name pointer` and `name keyboard`, with an XTEST device for each."""
    text = name.encode()
    head = struct.pack("=HHHBB", _ADD_MASTER, 2 + (len(text) + 3) // 4, len(text), 1, 1)
    _change_hierarchy(display, head + text + b"\0" * (-len(text) % 4))


def remove_pairs(display: Display, names: Iterable[str], patience_s: float = PATIENCE_S) -> bool:
    """Remove pairs; beside Qt 6 programs, as soon as these have forgotten the devices that press.

    Args:
        names: names that `add_pair` was given; nothing is down on them.
        patience_s: longest time to wait for programs that do not answer.

    Returns:
        False if some program did not answer: the pairs press nothing any more, but stay. Try again later.
    """
    devices = list_devices(display)
    names = {name for name in names if f"{name} pointer" in devices}
    if not names:
        return True
    spare = f"{min(names)} {_SPARE}"
    by_steps = f"{spare} pointer" in devices or bool(Clients(display).fragile())
    _give_clients_back(display, {devices[f"{name} pointer"] for name in names})
    for name in names:
        announce(display, devices[f"{name} keyboard"])
    if not by_steps:
        _have_all_read(_LAYOUT_PATIENCE_S)
        devices = list_devices(display)  # another broker may have removed them, and reuse their numbers
        _remove(display, (devices[at] for name in names if (at := f"{name} pointer") in devices))
        return True
    for name in names:
        _switch(display, devices[f"{name} pointer"], on=False)
    if f"{spare} pointer" in devices or _add_switched_off(display, spare):
        if not _have_all_read(patience_s):
            return False
        names.add(spare)
    devices = list_devices(display)
    for name in names:
        for device in ("pointer", "keyboard"):
            _switch(display, devices[f"{name} {device}"], on=True)
    _remove(display, (devices[f"{name} pointer"] for name in names))
    return True


def _remove(display: Display, pointers: Iterable[int]) -> None:
    for pointer in pointers:
        change = (_REMOVE_MASTER, 3, pointer, _FLOATING, 0, 0, 0)
        _change_hierarchy(display, struct.pack("=HHHBBHH", *change))


def _give_clients_back(display: Display, pointers: set[int]) -> None:
    """Let the programs that have one of these masters as their client pointer have the person's."""
    clients = display.connection(xcffib.res.key).QueryClients().reply().clients
    asked = [(client, display.xinput.XIGetClientPointer(client.resource_base)) for client in clients]
    for client, question in asked:
        with contextlib.suppress(xcffib.Error):  # a program that ends meanwhile
            if question.reply().deviceid in pointers:
                display.xinput.XISetClientPointerChecked(client.resource_base, VIRTUAL_CORE_POINTER).check()


def _add_switched_off(display: Display, name: str) -> bool:
    """Make a pair of which no program ever sees a device that presses.

    Returns:
        False where the server has no room for it.
    """
    display.core.GrabServerChecked().check()
    try:
        add_pair(display, name)
        _switch(display, list_devices(display)[f"{name} pointer"], on=False)
    except xcffib.Error:
        return False
    finally:
        display.core.UngrabServerChecked().check()
    return True


def _have_all_read(patience_s: float) -> bool:
    """Ask every program that answers questions whether it has read its events so far."""
    pings = Pings()
    try:
        asked, begun = pings.ask_all(), now_ns()
        while now_ns() - begun < patience_s * NS_PER_S:
            asked = pings.unanswered(asked)
            if not asked and now_ns() - begun >= _LEAST_NS:
                return True
            time.sleep(_LOOK_S)
        return not asked
    finally:
        pings.close()


def _switch(display: Display, device: int, *, on: bool) -> None:
    name = display.atom("Device Enabled")
    head = struct.pack("=xx2xHBBIII", device, _REPLACE, _BYTES, name, _INTEGER, 1)
    body = io.BytesIO(head + bytes((on, 0, 0, 0)))
    display.xinput.send_request(_XI_CHANGE_PROPERTY, body, is_checked=True).check()


def _change_hierarchy(display: Display, change: bytes) -> None:
    """Send one change of the hierarchy of devices; xcffib packs their names wrongly."""
    body = io.BytesIO(struct.pack("=xx2xB3x", 1) + change)
    display.xinput.send_request(_XI_CHANGE_HIERARCHY, body, is_checked=True).check()
