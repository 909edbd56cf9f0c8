"""Real brokers before a real SDL window on the tests' screen."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from workshop.fixtures.broker_rig import BrokerRig
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.simulated_person import SimulatedPerson

_EVERYTHING = ("w", "a", "s", "d", "f", "Shift", "Control", "Alt", "Pause", "ScrollLock", "F1", "F12")


@pytest.fixture(scope="module")
def shared_rig(screen: str) -> Iterator[BrokerRig]:
    """Two brokers, a window and a person; no stop line. Nobody in it is killed."""
    assert screen
    rig = BrokerRig()
    yield rig
    rig.close()


@pytest.fixture
def rig(shared_rig: BrokerRig) -> Iterator[BrokerRig]:
    """The shared rig, disarmed, with nothing held and nothing said or seen yet."""
    shared_rig.hands.place_pointer(2, 2)
    shared_rig.pump_for(0.05)
    shared_rig.forget()
    yield shared_rig
    _let_go(shared_rig.hands)
    shared_rig.link.disarm()
    shared_rig.pump_for(0.05)


@pytest.fixture
def mortal_rig(screen: str) -> Iterator[BrokerRig]:
    """A rig of one test's own, whose processes may die."""
    assert screen
    rig = BrokerRig()
    rig.hands.place_pointer(2, 2)
    yield rig
    _let_go(rig.hands)
    rig.close()


@pytest.fixture
def lined_rig(screen: str) -> Iterator[tuple[BrokerRig, socket.socket]]:
    """The same with a stop line; its console's end comes along."""
    assert screen
    console, engine = socket.socketpair()
    rig = BrokerRig(stop_line=engine)
    rig.hands.place_pointer(2, 2)
    yield rig, console
    _let_go(rig.hands)
    rig.close()
    console.close()
    engine.close()


@pytest.fixture
def bare_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A screen without a window manager in $DISPLAY, for one test; its server."""
    if sys.platform == "win32":
        pytest.skip("only X11 has screens without a window manager")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        monkeypatch.setenv("DISPLAY", f":{numbers.readline().strip()}")
    yield server
    server.kill()
    server.wait(60)


@pytest.fixture
def other(rig: BrokerRig) -> Iterator[KeyWindow]:
    """A second window that took the focus when it came, as new windows do."""
    window = KeyWindow("another window")
    rig.until(lambda: any(event.kind == "focus" for event in window.events()))
    yield window
    window.close()


def _let_go(hands: SimulatedPerson) -> None:
    for key in _EVERYTHING:
        hands.key(key, down=False)
    for button in (1, 3):
        hands.button(button, down=False)
