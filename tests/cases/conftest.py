"""Cases from public bug reports, one folder for each kind; here: a screen whose keyboard tests may change."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cases.keyboard import Keyboard

from pitwall.core.injection import Ready
from workshop.fixtures.broker_rig import PATIENT, BrokerRig

os.environ["PITWALL_SHIPPED_MODEL"] = "off"


@pytest.fixture(scope="module")
def own_screen() -> Iterator[str]:
    """DISPLAY of a screen with a window manager for the tests of one module, which change its keyboard."""
    if sys.platform == "win32":
        pytest.skip("changes an X server's keyboard")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x700x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        display = f":{numbers.readline().strip()}"
    manager = subprocess.Popen(
        ["openbox", "--sm-disable"],
        env={**os.environ, "DISPLAY": display},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = display
    yield display
    os.environ.pop("DISPLAY") if before is None else os.environ.update(DISPLAY=before)
    for process in (manager, server):
        process.terminate()
        process.wait(60)


@pytest.fixture
def keyboard(own_screen: str) -> Iterator[Keyboard]:
    """The keyboard and mouse of that screen; as they were again after the test."""
    keyboard = Keyboard(own_screen)
    yield keyboard
    keyboard.restore()


@pytest.fixture(scope="module")
def _module_rig(own_screen: str) -> Iterator[BrokerRig]:
    assert own_screen
    rig = BrokerRig()
    yield rig
    rig.close()


@pytest.fixture
def rig(request: pytest.FixtureRequest, keyboard: Keyboard, _module_rig: BrokerRig) -> Iterator[BrokerRig]:
    """Brokers before a window and a person, on the keyboard that a test changes; nothing is held yet.

    They press with the person's devices, or with the agent's own where a test is marked so (`both_seats`).
    """
    assert keyboard
    own = getattr(request, "param", False)
    rig = _module_rig
    rig.limits = replace(PATIENT, own_seat=own, actions_per_second=50)
    rig.hands.place_pointer(2, 2)
    rig.pump_for(0.05)
    rig.forget()
    before = len(rig.all_said(Ready))
    yield rig
    assert any(ready.own_seat for ready in rig.all_said(Ready)[before:]) == own
    rig.link.disarm()
    rig.pump_for(0.05)


@pytest.fixture
def case_folder(request: pytest.FixtureRequest) -> Path:
    """The folder of the test's own kind, with its inputs."""
    return Path(request.path).parent
