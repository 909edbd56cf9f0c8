"""`release`: from SIGKILL of the broker, and of the engine, to the last key-up in the game."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from pitwall.core.clock import ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.injection import Ready
from pitwall.engine.action import broker_link
from workshop.benchmarks.input.stop import HELD, LIMITS, SEATS, against_shared, hold, last_release_ns
from workshop.benchmarks.report import report
from workshop.fixtures.broker_rig import BrokerRig
from workshop.fixtures.key_holder import KeyHolder

AIM_MS = 100.0


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both deaths."""
    logging.getLogger(broker_link.__name__).setLevel(logging.ERROR)  # deaths are no news here
    rig = BrokerRig()
    broker: dict[bool, list[float]] = {True: [], False: []}
    engine: dict[bool, list[float]] = {True: [], False: []}
    try:
        for _ in range(3 if quick else 12):
            for own in SEATS:
                rig.arm(replace(LIMITS, own_seat=own))
                broker[own] += [_broker_killed(rig) for _ in range(5)]
        rig.link.close()
        for _ in range(8 if quick else 40):
            for own in SEATS:
                engine[own].append(_engine_killed(rig, own_seat=own))
        down = rig.hands.keys_down()
    finally:
        rig.close()
    if down:
        raise PitwallError(f"keys are still down: {down}.")
    return report(
        "release",
        [
            against_shared("broker killed to last key-up", broker, AIM_MS),
            against_shared("engine killed to last key-up", engine, AIM_MS),
        ],
        held=list(HELD),
        ends_with="last release read by an SDL window",
    )


def _broker_killed(rig: BrokerRig) -> float:
    hold(rig)
    begin_ns = now_ns()
    rig.kill_broker()
    end_ns = last_release_ns(rig.window)
    rig.latched()
    rig.messages = [message for message in rig.messages if not isinstance(message, Ready)]
    rig.until(lambda: any(ready.standby for ready in rig.all_said(Ready)))
    return ms_between(begin_ns, end_ns)


def _engine_killed(rig: BrokerRig, *, own_seat: bool) -> float:
    engine = KeyHolder(rig.window.window_id, own_seat=own_seat)
    try:
        rig.window.events()
        begin_ns = now_ns()
        engine.process.kill()
        return ms_between(begin_ns, last_release_ns(rig.window))
    finally:
        engine.close()
