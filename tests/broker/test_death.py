"""Whoever dies, no key stays down: broker, engine, both, and how the second broker takes over."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.core.actions import InputEvent, Refusal
from pitwall.core.errors import ChildDied
from pitwall.core.injection import BrokerFault, Latched, Ready, Receipt, StopCause
from pitwall.desktops.here import processes
from pitwall.engine.action.broker_link import BrokerLink
from workshop.fixtures.broker_rig import BrokerRig
from workshop.fixtures.key_holder import KEYS, KeyHolder
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.processes import freeze, kill, resume, wait_until_dead
from workshop.fixtures.simulated_person import SimulatedPerson

pytestmark = pytest.mark.screen
x11_alone = pytest.mark.skipif(sys.platform == "win32", reason="an X server can go, Windows' desktop cannot")


@pytest.fixture
def rig(mortal_rig: BrokerRig) -> BrokerRig:
    return mortal_rig


def until_up(hands: SimulatedPerson) -> None:
    deadline = time.monotonic() + 60
    while hands.keys_down() or hands.buttons_down():
        assert time.monotonic() < deadline, f"still down: {hands.keys_down()}, {hands.buttons_down()}"
        time.sleep(0.005)


def hold(rig: BrokerRig) -> None:
    rig.arm()
    rig.press("w", "Shift")
    rig.inject(InputEvent(kind="mouse_down", x=5, y=5))
    assert set(rig.hands.keys_down()) == {"w", "Shift"}
    assert rig.hands.buttons_down() == 1


def test_the_second_broker_sweeps_and_stands_in(rig: BrokerRig) -> None:
    hold(rig)
    first = rig.link.pid
    rig.kill_broker()
    until_up(rig.hands)
    latch = rig.latched()
    assert latch.cause is StopCause.STAND_IN
    assert set(latch.released) == {"w", "Shift", "MouseLeft"}
    rig.until(lambda: rig.events("key_up", "w") and rig.events("mouse_up"))
    assert rig.link.pid != first
    assert rig.link.held == ()
    assert rig.press("w").events[0].refused is Refusal.LATCHED, "it must not go on by itself"
    rig.link.rearm()
    assert rig.press("w").events[0].refused is None
    rig.until(lambda: len({ready.pid for ready in rig.all_said(Ready)}) == 3)


def test_the_third_broker_watches_the_second(rig: BrokerRig) -> None:
    hold(rig)
    rig.kill_broker()
    rig.latched()
    rig.until(lambda: len({ready.pid for ready in rig.all_said(Ready)}) == 3)
    rig.link.rearm()
    assert rig.press("w").events[0].refused is None
    rig.kill_broker()
    until_up(rig.hands)
    assert rig.latched().cause is StopCause.STAND_IN


def test_a_batch_in_flight_is_answered_when_its_broker_died(rig: BrokerRig) -> None:
    rig.arm()
    freeze(rig.link.pid)
    batch = rig.link.inject((InputEvent(kind="key_down", key="w"),))
    rig.kill_broker()
    rig.until(lambda: any(receipt.batch == batch for receipt in rig.all_said(Receipt)))
    assert rig.last_said(Receipt).events[0].refused is Refusal.LATCHED
    until_up(rig.hands)


def test_a_broker_that_hangs_is_killed_and_replaced(rig: BrokerRig) -> None:
    hold(rig)
    freeze(rig.link.pid)
    rig.link.inject((InputEvent(kind="key_up", key="w"),))
    assert rig.latched().cause is StopCause.STAND_IN
    until_up(rig.hands)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows shows no such clock of another process")
def test_a_broker_that_gets_little_of_a_busy_machine_is_not_killed(rig: BrokerRig) -> None:
    """It works on, some microseconds at a time: for twice as long as a hung broker may owe an answer."""
    rig.arm()
    first, taps = rig.link.pid, [InputEvent(kind="key_down", key="w"), InputEvent(kind="key_up", key="w")]
    freeze(first)
    batch = rig.link.inject((*(taps * 5_000),))
    slow_until = time.monotonic() + 4
    while time.monotonic() < slow_until:
        before_s = processes().busy_s(first)
        resume(first)
        while processes().busy_s(first) == before_s:
            pass
        freeze(first)
        rig.pump(0.3)
    resume(first)
    rig.until(lambda: any(receipt.batch == batch for receipt in rig.all_said(Receipt)))
    assert rig.link.pid == first
    assert not rig.all_said(Latched)


def test_a_broker_that_starts_slowly_is_not_killed(rig: BrokerRig) -> None:
    first = rig.link.pid
    freeze(first)
    rig.configure()
    rig.link.rearm()
    rig.pump_for(2.5)
    resume(first)
    assert all(event.refused is None for event in rig.inject().events)
    assert rig.link.pid == first
    assert not rig.all_said(Latched)


def test_a_broker_that_is_told_to_end_releases_first(rig: BrokerRig) -> None:
    hold(rig)
    os.kill(rig.link.pid, signal.SIGTERM)
    until_up(rig.hands)
    assert rig.latched().cause is StopCause.STAND_IN


def test_a_second_broker_that_dies_is_replaced(rig: BrokerRig) -> None:
    rig.arm()
    second = next(ready.pid for ready in rig.all_said(Ready) if ready.standby)
    kill(second)
    rig.until(lambda: [ready for ready in rig.all_said(Ready) if ready.standby and ready.pid != second])
    assert rig.press("w").events[0].refused is None


def test_both_dead_a_third_sweeps_and_stands_in(rig: BrokerRig) -> None:
    hold(rig)
    second = next(ready.pid for ready in rig.all_said(Ready) if ready.standby)
    kill(second)
    rig.until(lambda: len(rig.link.filenos()) == 1)
    rig.kill_broker()
    assert rig.latched().cause is StopCause.STAND_IN
    until_up(rig.hands)
    rig.link.rearm()
    rig.until(lambda: rig.press("w").events[0].refused is None)


def test_closing_the_link_releases_and_ends_both(rig: BrokerRig) -> None:
    hold(rig)
    pids = {ready.pid for ready in rig.all_said(Ready)}
    rig.link.close()
    assert rig.hands.keys_down() == ()
    assert all(wait_until_dead(pid, 5) for pid in pids)


@pytest.fixture
def engine(screen: str) -> Iterator[KeyHolder]:
    """An engine process of its own whose brokers hold three keys and a button."""
    assert screen
    window = KeyWindow()
    with contextlib.closing(window), contextlib.closing(KeyHolder(window.window_id)) as engine:
        yield engine


@pytest.fixture
def hands(screen: str) -> Iterator[SimulatedPerson]:
    assert screen
    hands = SimulatedPerson()
    yield hands
    hands.close()


def test_a_killed_engine_leaves_no_key_and_no_broker(engine: KeyHolder, hands: SimulatedPerson) -> None:
    assert set(hands.keys_down()) == set(KEYS)
    assert hands.buttons_down() == 1
    engine.process.kill()
    until_up(hands)
    assert all(wait_until_dead(pid, 5) for pid in engine.brokers)


def test_engine_and_broker_killed_at_once(engine: KeyHolder, hands: SimulatedPerson) -> None:
    engine.process.kill()
    kill(engine.duty)
    until_up(hands)
    assert all(wait_until_dead(pid, 5) for pid in engine.brokers)


def test_a_killed_engine_with_a_hung_broker(engine: KeyHolder, hands: SimulatedPerson) -> None:
    freeze(engine.duty)
    engine.process.kill()
    until_up(hands)
    kill(engine.duty)


def test_a_frozen_engine(engine: KeyHolder, hands: SimulatedPerson) -> None:
    freeze(engine.process.pid)
    until_up(hands)


@x11_alone
def test_a_display_that_dies_is_said_and_ends_both(bare_screen: subprocess.Popen[bytes]) -> None:
    rig = BrokerRig()
    rig.arm()
    bare_screen.kill()
    with pytest.raises(ChildDied):
        rig.until(lambda: False)
    assert [latch.cause for latch in rig.all_said(Latched)] == [StopCause.DISPLAY]
    rig.close()


@x11_alone
def test_no_display_is_said_clearly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":9999")
    link = BrokerLink(stop_line=None, logs=tmp_path)
    messages = []
    with pytest.raises(ChildDied) as caught:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            messages += link.poll()
            time.sleep(0.02)
    assert any("X display" in fault.what for fault in messages if isinstance(fault, BrokerFault))
    assert "X display" in caught.value.traceback
    link.inject((InputEvent(kind="key_down", key="w"),))  # as a run does that ends because of it
    link.close()
