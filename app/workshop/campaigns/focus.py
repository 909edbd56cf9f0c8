"""Focus: another window takes it during a burst of keys at the rate limit; no press may reach that window."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pitwall.core.clock import now_ns
from pitwall.core.injection import FocusChanged, FocusHolder, Receipt
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.fixtures.broker_rig import PATIENT, BrokerRig
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.simulated_person import SimulatedPerson

_KEYS = ("w", "a", "s", "d", "q", "e")
_LIMITS = replace(PATIENT, takeover=False, observation_age_ms=5_000)
_BURST = 20
_MOST_DELAY_S = 1.0


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    rig, thief, hands = BrokerRig(), KeyWindow("thief"), SimulatedPerson()
    try:
        rig.arm(_LIMITS)
        yield lambda case: _steal(case, rig, thief, hands)
    finally:
        hands.close()
        thief.close()
        rig.close()


def _steal(case: Case, rig: BrokerRig, thief: KeyWindow, hands: SimulatedPerson) -> str:
    rig.focus_game()
    rig.link.rearm()
    rig.forget()
    thief.events()
    delay_s = case.chance.random() * _MOST_DELAY_S
    theft = threading.Thread(target=_after, args=(delay_s, hands, thief.window_id))
    theft.start()
    receipts = []
    for _ in range(_BURST):
        began_s, key = time.monotonic(), case.chance.choice(_KEYS)
        receipts.append(rig.press(key, observed_ns=now_ns()))
        rig.pump_for(case.chance.random() * 0.02)
        rig.release(key)
        rig.pump_for(max(0.0, began_s + 1 / _LIMITS.actions_per_second - time.monotonic()))
    theft.join()
    rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.OTHER)
    rig.pump_for(0.05)
    stolen = [event for event in thief.events(0.2) if event.kind == "key_down"]
    if stolen:
        raise FellShort(
            f"{len(stolen)} presses reached the thief, {stolen[0].key} first, stolen at {delay_s:.3f} s"
        )
    if rig.link.held or hands.keys_down():
        raise FellShort(f"keys are down behind the thief: {hands.keys_down()}, held {rig.link.held}")
    sent = sum(_was_sent(receipt) for receipt in receipts)
    arrived = len(rig.events("key_down"))
    if arrived != sent:
        raise FellShort(f"{sent} presses were told as sent, {arrived} arrived")
    return f"{'all' if sent == _BURST else 'some' if sent else 'none'} sent"


def _was_sent(receipt: Receipt) -> bool:
    return receipt.events[0].refused is None


def _after(delay_s: float, hands: SimulatedPerson, window: int) -> None:
    time.sleep(delay_s)
    hands.steal_focus(window)


CAMPAIGN = Campaign(
    tries="a foreign window steals the focus in a burst of twenty presses at the cap of twenty a second: "
    "none reaches it, what was told as sent arrived, no key stays down",
    rig=_rig,
    screen=True,
    alone=False,
)
