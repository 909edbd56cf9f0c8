"""`seat`: the agent's own keyboard and pointer while a person works in other windows.

Into an SDL window and a Chromium page the broker presses 200 keys and clicks 200 times, while another
process types, clicks and changes the focus ten times a second. The events that arrived, that came into a
wrong window and that were lost are counted on either side. Then the time from the order to the game's event
is measured with the own seat and with the person's devices (the earlier way), in turns. Last, thieves take
the person's focus and grab the person's keyboard and pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import xcffib
from xcffib import xproto

from pitwall.core.actions import InputEvent
from pitwall.core.clock import ms_between, now_ns
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.broker_rig import PATIENT, BrokerRig, GameWindow
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.page_window import PageWindow
from workshop.fixtures.people.busy_person import BusyPerson

_OWN = replace(PATIENT, own_seat=True, actions_per_second=50)
_SHARED = replace(_OWN, own_seat=False, takeover=False)
_REST_S = 0.03
_AS_FAST = 1.1
"""Noise allowed to the time from order to event, as a ratio of the two ways' medians."""


def run(*, quick: bool) -> dict[str, Any]:
    """Measure in both windows, then the times, then the thefts."""
    count, thefts = (20, 20) if quick else (200, 1_000)
    checks, conditions = [], {}
    for name, window in (("SDL", KeyWindow), ("Chromium", PageWindow)):
        with _rig(window) as rig:
            figures = _beside_a_person(rig, count)
        conditions[name] = figures
        agent, person = figures["agent"], figures["person"]
        missing = sum(max(0, n - m) for n, m in zip(agent["sent"], agent["arrived"], strict=True))
        lost = missing + figures["person_lost"]
        wrong = agent["strange"] + person["seen"]["foreign_keys"]
        checks.append(_all_of(f"{name}: presses and clicks lost, either side", lost))
        checks.append(_all_of(f"{name}: in the wrong window, either side", wrong))
    with _rig(KeyWindow) as rig:
        own, shared = _times(rig, count)
        ratio = own["p50"] / shared["p50"]
        checks.append(
            check(
                "order to the game's event",
                "ms",
                own,
                aim=f"own seat ≤ {_AS_FAST} × shared",
                met=ratio <= _AS_FAST,
                peer=("the person's devices", shared["p50"]),
                ratio=ratio,
            )
        )
    with _rig(KeyWindow) as rig:
        stolen, held_back, missed = _thefts(rig, thefts)
    checks.append(_all_of(f"presses to the thief in {thefts} thefts", stolen))
    checks.append(_all_of(f"presses held back in {thefts} thefts", held_back))
    checks.append(_all_of(f"presses that the game did not get in {thefts} thefts", missed))
    return report("seat", checks, presses=count, clicks=count, thefts=thefts, counts=conditions)


def _all_of(name: str, count: int) -> dict[str, Any]:
    return check(name, "events", figure(count), aim="0", met=count == 0)


@contextmanager
def _rig(window: Callable[[], GameWindow]) -> Iterator[BrokerRig]:
    rig = BrokerRig(window=window())
    try:
        rig.hands.place_window(rig.window.window_id, 10, 30)
        yield rig
    finally:
        rig.close()


def _beside_a_person(rig: BrokerRig, count: int) -> dict[str, Any]:
    person = BusyPerson()
    rig.arm(_OWN)
    rig.pump_for(0.2)
    rig.forget()
    sent = [0, 0]
    for turn in range(count):
        sent[0] += rig.press("w").events[0].refused is None
        rig.pump_for(_REST_S)
        rig.release("w")
        down = InputEvent(kind="mouse_down", x=100 + turn % 50, y=60)
        sent[1] += rig.inject(down).events[0].refused is None
        rig.pump_for(_REST_S)
        rig.inject(InputEvent(kind="mouse_up", x=100 + turn % 50, y=60))
    counts = person.stop()
    rig.pump_for(1.0)
    arrived = [len(rig.events("key_down", "w")), len(rig.events("mouse_down"))]
    done, seen = counts["done"], counts["seen"]
    return {
        "agent": {
            "asked": [count, count],
            "sent": sent,
            "arrived": arrived,
            "strange": len(rig.events("key_down")) - arrived[0] + max(0, arrived[1] - sent[1]),
        },
        "person": counts,
        "person_lost": done["keys"] - seen["keys"] + done["clicks"] - seen["clicks"],
    }


def _times(rig: BrokerRig, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the spreads of own and shared, measured in blocks of ten in turns."""
    times: dict[bool, list[float]] = {True: [], False: []}
    while len(times[False]) < count:
        for limits in (_OWN, _SHARED):
            rig.arm(limits)
            rig.pump_for(0.2)
            times[limits.own_seat] += [_time_of_a_press(rig) for _ in range(10)]
            rig.link.disarm()
    return spread(times[True]), spread(times[False])


def _time_of_a_press(rig: BrokerRig) -> float:
    rig.seen.clear()
    began_ns = now_ns()
    rig.press("w")
    rig.until(lambda: rig.events("key_down", "w"))
    rig.release("w")
    rig.until(lambda: rig.events("key_up", "w"))
    return ms_between(began_ns, rig.events("key_down", "w")[0].at_ns)


def _thefts(rig: BrokerRig, count: int) -> tuple[int, int, int]:
    """Count presses under thefts of the focus, the keyboard and the pointer, in turns.

    Returns:
        Events that reached the thief, presses that were refused, presses that the game did not get.
    """
    thief = KeyWindow("thief")
    grabber = xcffib.connect()
    root, core = grabber.setup.roots[0].root, grabber.core
    mode, now = xproto.GrabMode.Async, xproto.Time.CurrentTime
    buttons = xproto.EventMask.ButtonPress
    stolen = held_back = 0
    try:
        rig.arm(_OWN)
        rig.forget()
        for turn in range(count):
            if turn % 3 == 0:
                rig.hands.steal_focus(thief.window_id)
            elif turn % 3 == 1:
                core.GrabKeyboard(False, root, now, mode, mode).reply()
            else:
                core.GrabPointer(False, root, buttons, mode, mode, 0, 0, now).reply()
            held_back += rig.press("w").events[0].refused is not None
            rig.pump_for(0.01)
            rig.release("w")
            core.UngrabKeyboard(now)
            core.UngrabPointer(now)
            core.GetInputFocus().reply()
            rig.hands.steal_focus(rig.window.window_id)
            rig.pump_for(0.01)
            while (event := grabber.poll_for_event()) is not None:
                stolen += isinstance(event, xproto.KeyPressEvent | xproto.ButtonPressEvent)
        stolen += sum(event.kind == "key_down" for event in thief.events(0.5))
        rig.pump_for(1.0)
        return stolen, held_back, count - held_back - len(rig.events("key_down", "w"))
    finally:
        grabber.disconnect()
        thief.close()
