"""`release`: from SIGKILL of the broker, and of the engine, to the last key-up in the game."""

from __future__ import annotations

import logging
from typing import Any

from pitwall.core.clock import ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.injection import Ready
from pitwall.core.keys import BrokerSettings
from pitwall.engine.action import broker_link
from workshop.benchmarks.input.stop import HELD, hold, last_release_ns
from workshop.benchmarks.report import check, report, spread
from workshop.fixtures.broker_rig import BrokerRig
from workshop.fixtures.key_holder import KeyHolder

AIM_MS = 100.0


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both deaths."""
    logging.getLogger(broker_link.__name__).setLevel(logging.ERROR)  # deaths are no news here
    rig = BrokerRig()
    try:
        rig.arm(BrokerSettings(actions_per_second=50, heartbeat_ms=5_000, hold_ms=30_000, takeover=False))
        broker = [_broker_killed(rig) for _ in range(15 if quick else 60)]
        rig.link.close()
        engine = [_engine_killed(rig) for _ in range(8 if quick else 40)]
        down = rig.hands.keys_down()
    finally:
        rig.close()
    if down:
        raise PitwallError(f"keys are still down: {down}.")
    return report(
        "release",
        [_check("broker killed to last key-up", broker), _check("engine killed to last key-up", engine)],
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


def _engine_killed(rig: BrokerRig) -> float:
    engine = KeyHolder(rig.window.window_id)
    try:
        rig.window.events()
        begin_ns = now_ns()
        engine.process.kill()
        return ms_between(begin_ns, last_release_ns(rig.window))
    finally:
        engine.close()


def _check(name: str, samples: list[float]) -> dict[str, Any]:
    ours = spread(samples)
    return check(name, "ms", ours, aim=f"p99 ≤ {AIM_MS:.0f} ms", met=ours["p99"] <= AIM_MS)
