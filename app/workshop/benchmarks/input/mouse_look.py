"""`mouse-look`: looks and turns by relative motion, in games that hold the pointer.

Into an SDL window and a first-person maze in Chromium the broker sends 100 looks of random length,
with the person's devices and with the agent's own, as the small motions that a game's action would send. A
look has arrived when the game got exactly its sum. Then the maze is measured by its picture alone, and
turns of random angle are asked by that measurement; the maze tells how far its view truly turned.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from pitwall.core.actions import InputEvent, TimedEvent
from pitwall.core.frames import Pixels
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.contract import CaptureSource
from pitwall.desktops.here import this_desktop
from pitwall.engine.drafting.turning import turn_around
from pitwall.games.actions.mouse_look import motions, units_of
from pitwall.games.schema.actions import MouseLook
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.broker_rig import PATIENT, BrokerRig, GameWindow
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.look_maze import DEGREES_PER_UNIT, look_maze

_LIMITS = replace(PATIENT, takeover=False)
_LOOK = MouseLook(units_per_degree=1 / DEGREES_PER_UNIT)
_HINT_S = 7.0
"""Chromium shows how the pointer is let go, in a window of its own that mixes up motion over it."""
_FARTHEST = 400
_MOST_DEGREES = 180.0
_NEAR_PERCENT = 2.0
_SEEN_S = 3.0
"""A look that has not arrived by then is lost."""


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both windows on either seat."""
    count = 10 if quick else 100
    checks: list[dict[str, Any]] = []
    counts: dict[str, Any] = {}
    for own in (False, True):
        seat = "own seat" if own else "shared"
        with _rig(KeyWindow("looks", looks=True), own=own) as rig:
            _looks(f"SDL, {seat}", rig, count, checks, counts)
        with _rig(look_maze(), own=own) as rig:
            lock(rig)
            _looks(f"Chromium, {seat}", rig, count, checks, counts)
            _turns(f"Chromium, {seat}", rig, count, checks, counts)
    return report("mouse-look", checks, looks=count, counts=counts)


def lock(rig: BrokerRig, *, hint_s: float = _HINT_S) -> None:
    """Click into the maze, and wait until it has locked the pointer and the browser's hint is gone."""
    rig.forget()
    for kind in ("mouse_down", "mouse_up"):
        rig.inject(InputEvent(kind=kind, x=150, y=200))
    rig.until(lambda: rig.events("locked"))
    rig.pump_for(hint_s)


def move(rig: BrokerRig, events: Iterator[TimedEvent]) -> None:
    """Send the motions of a look at their times."""
    began = time.monotonic()
    for timed in events:
        while (left := began + timed.at_ms / 1000 - time.monotonic()) > 0:
            rig.pump(min(left, 0.01))
        receipt = rig.inject(timed.event)
        assert receipt.events[0].refused is None, receipt


def arrived(rig: BrokerRig) -> tuple[int, int]:
    """Return how far the game was told that the mouse moved, in sum."""
    moved = [event.moved for event in rig.seen if event.kind in ("look", "mouse_move")]
    return sum(dx for dx, _ in moved), sum(dy for _, dy in moved)


def looked(rig: BrokerRig, dx: int, dy: int) -> tuple[int, int]:
    """Look, and return what arrived once it is all there, or after a while."""
    rig.forget()
    move(rig, motions(dx, dy, _LOOK))
    until_s = time.monotonic() + _SEEN_S
    while arrived(rig) != (dx, dy) and time.monotonic() < until_s:
        rig.pump()
    rig.pump_for(0.02)
    return arrived(rig)


@contextmanager
def _rig(window: GameWindow, *, own: bool) -> Iterator[BrokerRig]:
    rig = BrokerRig(window=window)
    try:
        rig.hands.place_window(rig.window.window_id, 10, 30)
        rig.arm(replace(_LIMITS, own_seat=own))
        rig.pump_for(0.5)
        yield rig
    finally:
        rig.close()


def _looks(
    name: str, rig: BrokerRig, count: int, checks: list[dict[str, Any]], counts: dict[str, Any]
) -> None:
    chance = random.Random(1)
    exact, missing = 0, 0
    looked(rig, 30, 0)  # the pointer may have been elsewhere before
    for _ in range(count):
        asked = chance.randint(-_FARTHEST, _FARTHEST), chance.randint(-60, 60)
        came = looked(rig, *asked)
        exact += came == asked
        missing += abs(came[0] - asked[0]) + abs(came[1] - asked[1])
    counts[name] = {"asked": count, "arrived": exact, "units_missing": missing}
    checks.append(
        check(f"{name}: looks arrived", "looks", figure(exact), aim=f"{count} of {count}", met=exact == count)
    )


def _turns(
    name: str, rig: BrokerRig, count: int, checks: list[dict[str, Any]], counts: dict[str, Any]
) -> None:
    measured = measure(rig)
    chance = random.Random(2)
    asked_sum = turned_sum = worst = 0.0
    yaw = _yaw(rig)
    for _ in range(count):
        asked = chance.choice((-1, 1)) * chance.uniform(10.0, _MOST_DEGREES)
        looked(rig, units_of(asked, measured), 0)
        before, yaw = yaw, _yaw(rig)
        asked_sum, turned_sum = asked_sum + abs(asked), turned_sum + abs(yaw - before)
        worst = max(worst, 100 * abs((yaw - before) / asked - 1))
    counts[f"{name}: turns"] = {
        "asked_degrees": round(asked_sum, 2),
        "turned_degrees": round(turned_sum, 2),
        "worst_percent": round(worst, 3),
        "units_per_degree": round(measured.units_per_degree, 4),
        "true_units_per_degree": round(_LOOK.units_per_degree, 4),
    }
    aim = f"≤ {_NEAR_PERCENT:g} % each"
    checks.append(check(f"{name}: turned angle", "%", figure(worst), aim=aim, met=worst <= _NEAR_PERCENT))


def measure(rig: BrokerRig) -> MouseLook:
    """Return the maze's turns as its picture shows them."""
    source = this_desktop().capture(rig.target, CaptureSettings())
    try:
        turn = turn_around(lambda units: _picture(rig, source, units))
    finally:
        source.close()
    return _LOOK.model_copy(update={"units_per_degree": turn.units_per_degree})


def _picture(rig: BrokerRig, source: CaptureSource, units: int) -> Pixels:
    if units:
        looked(rig, units, 0)
    rig.pump_for(0.06)  # the page draws what it knows at its next frame
    frame = source.fresh()
    assert frame is not None, "the maze shows no picture"
    return np.array(frame.pixels)


def _yaw(rig: BrokerRig) -> float:
    return next(event.yaw for event in reversed(rig.seen) if event.kind == "look")
