"""What the filters of pynput's listeners make of the events that Windows hands them."""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any

import pytest

from pitwall.core.errors import DisplayError
from pitwall_desktops.windows.inject import OWN, PROBE_KEY
from pitwall_desktops.windows.input_watch import RawEvent

with pytest.MonkeyPatch.context() as _without_screen:
    if sys.platform != "win32":
        _without_screen.setenv("PYNPUT_BACKEND", "dummy")
    pytest.importorskip("pynput", reason="pynput comes with the installation for makers, and on Windows")
    from pitwall_desktops.windows import hooks

_KEY_DOWN, _WHEEL = 0x100, 0x20A
_EXTENDED, _INJECTED, _UP = 0x01, 0x10, 0x80


class _Key(ctypes.Structure):
    """KBDLLHOOKSTRUCT, as pynput declares it."""

    _fields_ = (
        ("vkCode", wintypes.DWORD),
        ("scanCode", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("dwExtraInfo", ctypes.c_void_p),
    )


class _Mouse(ctypes.Structure):
    """MSLLHOOKSTRUCT, as pynput declares it."""

    _fields_ = (
        ("pt", wintypes.POINT),
        ("mouseData", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("dwExtraInfo", ctypes.c_void_p),
    )


class _Suppressed(Exception):
    """pynput's way to hide an event from every program."""


class _Listener:
    """Stands in for a listener of pynput."""

    def __init__(self, **options: Any) -> None:
        self.filter = options["win32_event_filter"]
        self.alive = True

    def start(self) -> None: ...

    def stop(self) -> None:
        self.alive = False

    def is_alive(self) -> bool:
        return self.alive

    def suppress_event(self) -> None:
        raise _Suppressed


class _Rig:
    """Hooks whose listeners are stand-ins, and the events that they noted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, heard: bool = True) -> None:
        self.events: list[RawEvent] = []
        self.hidden = False
        self.listeners: list[_Listener] = []

        def listener(**options: Any) -> _Listener:
            self.listeners.append(_Listener(**options))
            return self.listeners[-1]

        monkeypatch.setattr("pitwall_desktops.windows.hooks.keyboard.Listener", listener)
        monkeypatch.setattr("pitwall_desktops.windows.hooks.mouse.Listener", listener)
        monkeypatch.setattr(hooks, "_START_S", 0.2)
        monkeypatch.setattr(hooks, "_ForegroundWatch", lambda moved: _Listener(win32_event_filter=moved))
        monkeypatch.setattr(hooks, "send_probe", self.probe if heard else lambda: None)
        self.hooks = hooks.Hooks(self._note, lambda: None)

    def _note(self, event: RawEvent) -> bool:
        if event.message == 0 and event.virtual == 0:
            raise ValueError("not understood")
        self.events.append(event)
        return self.hidden

    def probe(self) -> None:
        with pytest.raises(_Suppressed):
            self.key(PROBE_KEY, _UP, OWN)

    def key(self, virtual: int, flags: int = 0, mark: int = 0) -> object:
        return self.listeners[0].filter(_KEY_DOWN, _Key(virtual, 0, flags, 0, mark))

    def wheel(self, data: int) -> object:
        return self.listeners[1].filter(_WHEEL, _Mouse(wintypes.POINT(3, 4), data, 0, 0, 0))


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> _Rig:
    return _Rig(monkeypatch)


def test_a_persons_key_another_programs_and_our_own_are_told_apart(rig: _Rig) -> None:
    for flags, mark in ((0, 0), (_INJECTED, 0), (_INJECTED, OWN)):
        assert rig.key(0x57, flags, mark) is False, "pynput translates no event that the filter took"
    assert [(event.injected, event.own) for event in rig.events] == [
        (False, False),
        (True, False),
        (True, True),
    ]


def test_a_keys_flags_and_a_wheels_turn_are_read(rig: _Rig) -> None:
    rig.key(0x25, _EXTENDED | _UP)
    assert (rig.events[0].virtual, rig.events[0].extended, rig.events[0].up) == (0x25, True, True)
    rig.wheel((-120 & 0xFFFF) << 16)
    assert (rig.events[1].message, rig.events[1].x, rig.events[1].y, rig.events[1].data) == (
        _WHEEL,
        3,
        4,
        -120,
    )


def test_a_hotkey_is_hidden_from_every_program(rig: _Rig) -> None:
    rig.hidden = True
    with pytest.raises(_Suppressed):
        rig.key(0x13)


def test_an_event_that_is_not_understood_leaves_the_listener_alive(rig: _Rig) -> None:
    assert rig.key(0) is False
    rig.hooks.check()


def test_the_probe_is_noted_by_nobody(rig: _Rig) -> None:
    assert rig.events == []


def test_hooks_that_hear_nothing_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:

    with pytest.raises(DisplayError, match="stop key would not work"):
        _Rig(monkeypatch, heard=False)


def test_a_listener_that_ended_is_an_error(rig: _Rig) -> None:

    rig.listeners[0].alive = False
    with pytest.raises(DisplayError, match="ended the hooks"):
        rig.hooks.check()
