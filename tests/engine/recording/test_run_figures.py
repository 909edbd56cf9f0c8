"""A run's figures: the summary at its end, and the same from its committed steps."""

from __future__ import annotations

import dataclasses

from tests.plain_records import step_record

from pitwall.core.actions import Effect, InputEvent, Invalid, Refusal, SemanticAction, SentEvent
from pitwall.core.signals import Reason, Route
from pitwall.core.steps import Timings
from pitwall.engine.recording.run_figures import Rates, RunFigures

PRESS = InputEvent(kind="key_down", key="Space")
STEP = step_record(
    1,
    at_ns=0,
    action=SemanticAction(name="tap"),
    sent=(SentEvent(event=PRESS, sent_ns=1),),
    effect=Effect.CONFIRMED,
    timings=Timings(reaction_ms=4.0),
)


def test_every_reason_route_effect_and_stuck_step_is_counted() -> None:
    figures = RunFigures()
    blocked = dataclasses.replace(STEP, effect=Effect.UNVERIFIED, timings=Timings())
    for step in (
        dataclasses.replace(STEP, route=Route.STRATEGIC, reasons=(Reason.STALL, Reason.LOOP)),
        STEP,
        blocked,
        dataclasses.replace(STEP, sent=(), effect=Effect.NONE, invalid=Invalid.OUT_OF_SPACE),
        dataclasses.replace(STEP, timings=Timings(reaction_ms=8.0)),
        dataclasses.replace(
            blocked,
            sent=(SentEvent(event=PRESS, sent_ns=None, refused=Refusal.FOCUS),),
            effect=Effect.NONE,
        ),
        blocked,
    ):
        figures.count(step)
    summary = figures.summary("finished")
    assert (summary.steps, summary.outcome) == (7, "finished")
    assert summary.escalations == {"stall": 1, "loop": 1}
    assert summary.routes == {"strategic": 1, "reactive": 6}
    assert summary.effects == {"confirmed": 3, "unverified": 2, "none": 2}
    assert summary.invalid == {"out_of_space": 1}
    assert (summary.reaction_ms.n, summary.reaction_ms.p50) == (4, 4.0)
    assert (summary.stuck, summary.recovered) == (3, 2)  # nothing follows the last one


def test_a_rate_is_of_the_last_second() -> None:
    rates = Rates()
    for at_ms in range(0, 3_000, 100):
        rates.frame(at_ms * 1_000_000, loop_ms=1.0, age_ms=2.0)
    assert rates.capture_hz(2_900 * 1_000_000) == 10
    assert rates.capture_hz(10_000 * 1_000_000) == 0
