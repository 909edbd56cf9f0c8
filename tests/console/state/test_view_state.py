"""The state behind the console: every record and its effect. No Qt."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.console.scripted_session import STATE, began, ended, event, note, opened, state, step, window

from pitwall.console.state import view_state
from pitwall.console.state.histories import SPAN_S, RouteHistory, SignalHistory
from pitwall.console.state.view_state import Part, Phase, ViewState
from pitwall.core import telemetry
from pitwall.core.actions import InputEvent, Proposal, SentEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.signals import Reason, Route, Signals, Thresholds

T0 = 1_000 * NS_PER_S


def playing() -> ViewState:
    view = ViewState()
    view.opening("flappy")
    for record in (opened(), window(), state(STATE.READY), began(T0), state(STATE.PLAYING)):
        view.apply(record, T0)
    return view


def test_it_needs_no_qt() -> None:
    modules = "pitwall.console.state.view_state, pitwall.console.kit.format"
    code = f"import sys, {modules}; assert 'PySide6' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_every_record_of_the_vocabulary_is_taken() -> None:
    view = ViewState()
    union = telemetry.Telemetry.__args__[0]
    assert set(view._reducers) | set(view_state._KEPT) | set(view_state._PASSED_ON) == set(union.__args__)


def test_all_parts_are_those_that_a_page_draws() -> None:
    drawn = Part.NONE
    for part in Part:
        drawn |= part
    assert drawn & ~Part.OVERLAY == Part.ALL


@pytest.mark.parametrize("of", list(telemetry.EngineState))
def test_each_engine_state_is_a_phase(of: telemetry.EngineState) -> None:
    view = ViewState()
    changed = view.apply(state(of, "why", "what", "how"), T0)
    assert view.phase == of.value
    assert (view.cause, view.text, view.fix) == ("why", "what", "how")
    assert Part.PHASE in changed


def test_nobody_drives_while_the_run_is_paused() -> None:
    view = playing()
    at = [T0 + second * NS_PER_S for second in range(41)]
    view.apply(telemetry.RouteSpan(at_ns=at[0], route=Route.REFLEX, state=""), at[0])
    view.apply(state(STATE.PAUSED), at[5])
    view.apply(state(STATE.PLAYING), at[35])
    stretches = [(part.start_ns, part.end_ns, part.route) for part in view.routes.since(at[40])]
    assert stretches == [(at[0], at[5], Route.REFLEX), (at[35], at[40], Route.REFLEX)]


def test_opening_forgets_an_earlier_game() -> None:
    view = playing()
    view.apply(note(T0), T0)
    view.opening("doom")
    assert view.phase is Phase.OPENING
    assert view.game is None
    assert view.run is None
    assert view.note is None
    assert view.game_asked == "doom"


def test_what_comes_while_closing_does_not_reopen_it() -> None:
    view = playing()
    view.closing()
    view.apply(state(STATE.READY), T0)
    phases = [view.phase]
    view.closed()
    phases.append(view.phase)
    assert phases == [Phase.CLOSING, Phase.EMPTY]


def test_held_keys_are_shown_while_playing_and_gone_when_it_stops() -> None:
    view = playing()
    view.apply(note(T0 + 1, held=("w", "Space")), T0)
    assert list(view.held) == ["w", "Space"]
    changed = view.apply(state(STATE.LATCHED, "hotkey"), T0)
    assert not view.held
    assert Part.FRAME in changed
    view.apply(note(T0 + 2, held=("w",)), T0)
    assert not view.held, "a late note must not show a key that is up"


def test_a_lost_engine_keeps_what_was_known() -> None:
    view = playing()
    view.apply(telemetry.StepNote(run_id=128, step=step(1)), T0)
    view.apply(telemetry.RouteSpan(at_ns=T0 + NS_PER_S, route=Route.REFLEX), T0)
    view.lost("the engine was killed.", "Restart it.", "last words")
    assert view.phase is Phase.LOST
    assert view.loss is not None
    assert view.loss.log == "last words"
    assert len(view.steps) == 1
    assert view.routes.current is None
    assert not view.held


def test_a_step_that_escalated_is_marked_on_the_clock() -> None:
    view = playing()
    stayed = step(1, NS_PER_S)
    went = step(2, 2 * NS_PER_S, reasons=(Reason.STALL, Reason.LOOP), route=Route.STRATEGIC)
    for record in (stayed, went):
        view.apply(telemetry.StepNote(run_id=128, step=record), T0 + 5)
    assert [(mark.at_ns, mark.step, mark.reasons) for mark in view.marks] == [
        (T0 + 2 * NS_PER_S, 2, (Reason.STALL, Reason.LOOP))
    ]
    assert view.saved_ns == T0 + 5


def test_events_carry_their_time_in_the_run() -> None:
    view = playing()
    view.apply(event("refusal", "focus", 1_500 * NS_PER_MS, T0), T0)
    view.apply(telemetry.EventNote(at_ns=T0 - 9, event=event("note", "x").event), T0)
    assert [(row.kind, row.run_s) for row in view.events] == [("refusal", 1.5), ("note", None)]
    assert [row.number for row in view.events] == [1, 2]


def test_a_new_run_clears_the_old_ones_steps_and_events() -> None:
    view = playing()
    view.apply(telemetry.StepNote(run_id=128, step=step(1)), T0)
    view.apply(event("note", "x", 1, T0), T0)
    view.apply(ended(), T0)
    assert view.run_seconds(T0 + 99 * NS_PER_S) == 30.0
    changed = view.apply(began(T0 + 60 * NS_PER_S, run_id=129), T0)
    assert not view.steps
    assert not view.events
    assert view.ended is None
    assert Part.EVENTS in changed


def plan(at: str, number: int = 1) -> telemetry.ProposalNote:
    proposal = Proposal(proposal_id=number, situation="s", subgoal=f"goal {number}")
    return telemetry.ProposalNote(
        proposal=proposal if at in ("planned", "dropped") else None,
        state=at,  # type: ignore[arg-type]
        at_ns=T0,
    )


def test_the_life_of_a_proposal() -> None:
    view = playing()
    seen = []
    notes = [plan("thinking"), plan("planned", 1), plan("thinking"), plan("dropped", 2), plan("ended")]
    for each in notes:
        view.apply(each, T0)
        thinking = view.thinking
        planned = thinking.plan.proposal if thinking.plan is not None else None
        seen.append((thinking.asked is not None, planned.subgoal if planned is not None else None))
    assert seen == [(True, None), (False, "goal 1"), (True, "goal 1"), (False, "goal 1"), (False, None)]


def test_keys_stay_in_the_order_of_their_first_press_and_are_few() -> None:
    view = playing()
    for number, key in enumerate(["w", "a", "w", *"bcdefghij"]):
        sent = (SentEvent(event=InputEvent(kind="key_down", key=key), sent_ns=T0 + number),)
        view.apply(telemetry.StepNote(run_id=128, step=step(number + 1, sent=sent)), T0)
    assert len(view.keys_used) == 8
    assert "a" not in view.keys_used
    assert list(view.keys_used)[-1] == "j"


def test_thresholds_in_force_replace_the_games_own() -> None:
    view = playing()
    assert view.thresholds == Thresholds()
    wanted = Thresholds(stall_steps=9)
    assert view.apply(telemetry.ThresholdsInForce(thresholds=wanted), T0) is Part.THRESHOLDS
    assert view.thresholds == wanted


def test_the_strips_stand_still_where_nothing_plays() -> None:
    view = playing()
    view.apply(note(T0 + NS_PER_S), T0)
    later = T0 + 50 * NS_PER_S
    assert view.clock_ns(later) == later
    view.apply(state(STATE.PAUSED), T0)
    assert view.clock_ns(later) == T0 + NS_PER_S


# ---- histories


def test_a_spike_of_one_frame_stays_visible() -> None:
    history = SignalHistory()
    for frame in range(600):
        change = 0.9 if frame == 301 else 0.05
        history.add(T0 + frame * 7 * NS_PER_MS, Signals(change=change))
    _, values = history.since(T0 + 600 * 7 * NS_PER_MS)
    assert values[:, 0].max() == pytest.approx(0.9)
    assert (values[:, 0] > 0.5).sum() == 1


def test_the_history_is_bounded_and_in_order() -> None:
    history = SignalHistory()
    for second in range(300):
        history.add(T0 + second * NS_PER_S, Signals(stall=second))
    ages, values = history.since(T0 + 299 * NS_PER_S)
    assert ages.max() <= SPAN_S
    assert (np.diff(ages) < 0).all()
    assert values[-1, 1] == 299
    assert len(ages) == 61 or len(ages) == 60


@given(
    st.lists(st.tuples(st.integers(0, 90_000), st.sampled_from([None, *Route])), min_size=1, max_size=40).map(
        lambda changes: sorted(changes, key=lambda change: change[0])
    )
)
def test_stretches_never_overlap_and_end_now(changes: list[tuple[int, Route | None]]) -> None:
    history = RouteHistory()
    for at_ms, route in changes:
        history.add(T0 + at_ms * NS_PER_MS, route)
    now = T0 + 90_001 * NS_PER_MS
    stretches = history.since(now)
    assert all(stretch.start_ns < stretch.end_ns for stretch in stretches)
    assert all(a.end_ns <= b.start_ns for a, b in pairwise(stretches))
    assert all(stretch.start_ns >= now - SPAN_S * NS_PER_S for stretch in stretches)
    last = changes[-1][1]
    assert history.current is last
    if last is not None:
        assert stretches[-1].route is last
        assert stretches[-1].end_ns == now
