"""`stop`: from the operator's stop key, or a byte on the stop line, to the last key-up in the game.

The keyboard is simulated as a separate device; the console that holds the stop line is frozen. The time ends
when the SDL window has read the last release, so it includes the game's own queue.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pitwall.core.actions import InputEvent
from pitwall.core.clock import ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.injection import InputLimits, Latched, StopCause
from workshop.benchmarks.report import check, report, spread
from workshop.fixtures.broker_rig import PATIENCE_S, BrokerRig, GameWindow
from workshop.fixtures.processes import freeze

AIM_MS = 50.0
HELD = ("w", "a", "Shift", "MouseLeft")
_MODIFIERS: tuple[tuple[str, ...], ...] = ((), ("Control",), ("Alt",), ("Meta",), ("Control", "Alt"))
_FROZEN_CONSOLE = "import time; time.sleep(600)"
_REST_S = 0.08
"""Seconds for the window manager, which rereads the keyboard each time hands and broker alternate."""


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both ways to stop."""
    ours, theirs = socket.socketpair()
    handed = [ours.fileno()] if sys.platform != "win32" else []  # Windows' processes inherit none by number
    console = subprocess.Popen([sys.executable, "-c", _FROZEN_CONSOLE], pass_fds=handed)
    freeze(console.pid)
    rig = BrokerRig(stop_line=theirs)
    by_key: dict[bool, list[float]] = {True: [], False: []}
    by_line: dict[bool, list[float]] = {True: [], False: []}
    try:
        for _ in range(4 if quick else 20):
            for own in SEATS:
                rig.arm(replace(LIMITS, own_seat=own))
                for turn in range(10):
                    modifiers = _MODIFIERS[turn % len(_MODIFIERS)]
                    by_key[own].append(
                        _stopped(rig, modifiers, lambda: rig.hands.key("ScrollLock", down=True))
                    )
                by_line[own] += [_stopped(rig, (), lambda: ours.send(b"!")) for _ in range(5)]
    finally:
        rig.close()
        console.kill()
        console.wait()
        ours.close()
        theirs.close()
    return report(
        "stop",
        [
            against_shared("hotkey to last key-up", by_key, AIM_MS),
            against_shared("stop line to last key-up", by_line, AIM_MS),
        ],
        held=list(HELD),
        console="frozen",
        modifiers=["+".join(modifiers) or "none" for modifiers in _MODIFIERS],
        ends_with="last release read by an SDL window",
    )


SEATS = (True, False)
"""The agent's own keyboard and pointer, and the person's."""
LIMITS = InputLimits(actions_per_second=50, heartbeat_ms=5_000, hold_ms=30_000, takeover=False)


def hold(rig: BrokerRig) -> None:
    """Hold three keys and a button down in the window, and forget the events seen so far."""
    rig.link.rearm()
    rig.focus_game()
    keys = tuple(InputEvent(kind="key_down", key=key) for key in HELD[:-1])
    rig.inject(*keys, InputEvent(kind="mouse_down", x=5, y=5))
    rig.until(lambda: rig.link.held == HELD)
    rig.pump_for(_REST_S)
    rig.forget()


def last_release_ns(window: GameWindow) -> int:
    """Wait until the window has read every release, and return when it read the last one."""
    wanted = {("key_up", "w"), ("key_up", "a"), ("key_up", "left shift"), ("mouse_up", "")}
    deadline = time.monotonic() + PATIENCE_S
    last_ns = 0
    while wanted:
        if time.monotonic() > deadline:
            raise PitwallError(f"these releases never came: {sorted(wanted)}.")
        for event in window.events(0.5):
            if (event.kind, event.key) in wanted:
                wanted.remove((event.kind, event.key))
                last_ns = event.at_ns
    return last_ns


def _stopped(rig: BrokerRig, modifiers: tuple[str, ...], stop: Callable[[], object]) -> float:
    hold(rig)
    for key in modifiers:
        rig.hands.key(key, down=True)
    time.sleep(_REST_S)
    begin_ns = now_ns()
    stop()
    end_ns = last_release_ns(rig.window)
    for key in ("ScrollLock", *modifiers):
        rig.hands.key(key, down=False)
    latch: Latched = rig.latched()
    assert latch.cause in (StopCause.HOTKEY, StopCause.CONSOLE), f"stopped by {latch.cause}"
    return ms_between(begin_ns, end_ns)


def against_shared(name: str, samples: dict[bool, list[float]], aim_ms: float) -> dict[str, Any]:
    """Check the times with the agent's own seat (True) beside those with the person's (False)."""
    own, shared = (spread(samples[seat]) for seat in SEATS)
    return check(
        name,
        "ms",
        own,
        aim=f"p99 ≤ {aim_ms:.0f} ms",
        met=own["p99"] <= aim_ms,
        peer=("the person's devices", shared["p50"]),
        ratio=own["p50"] / shared["p50"],
    ) | {"shared": shared}
