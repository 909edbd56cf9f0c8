"""Calls as they come: pieces lost and late, engines that begin again, runs that end in mid-call."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.console.scripted_calls import call_began, call_ended, piece
from tests.console.scripted_session import STATE, began, ended, opened, state, step

from pitwall.console.state.histories import SPAN_S, ThoughtHistory
from pitwall.console.state.model_calls import GAP, MOST_CALLS, MOST_REPLY, Call, Calls, timing_parts
from pitwall.console.state.view_state import Part, ViewState
from pitwall.core import telemetry
from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.calls import CallOutcome, CallTimes, Purpose, Tier
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.signals import Route

T0 = 1_000 * NS_PER_S


def playing() -> ViewState:
    view = ViewState()
    view.opening("flappy")
    for record in (opened(), state(STATE.READY), began(T0), state(STATE.PLAYING)):
        view.apply(record, T0)
    return view


def only(view: ViewState) -> Call:
    (call,) = view.thinking.calls
    return call


# ---- the life of a call


def test_a_call_is_asked_written_and_settled() -> None:
    view = playing()
    changed = [view.apply(call_began(1, at_ns=T0), T0)]
    changed += [
        view.apply(piece(1, '{"sub', 2), T0 + NS_PER_S),
        view.apply(piece(1, 'goal"', 4), T0 + 2 * NS_PER_S),
    ]
    call = only(view)
    assert view.thinking.calls.waiting
    assert (call.reply, call.tokens) == ('{"subgoal"', 4)
    assert call.tokens_per_s(T0 + 3 * NS_PER_S) == pytest.approx(2.0)
    assert call.seconds(T0 + 3 * NS_PER_S) == pytest.approx(3.0)
    changed.append(view.apply(call_ended(1, reply='{"subgoal": "x"}'), T0 + 4 * NS_PER_S))
    assert changed == [Part.CALLS, Part.STREAM, Part.STREAM, Part.CALLS | Part.ROUTE]
    assert not call.open
    assert call.reply == '{"subgoal": "x"}'
    assert call.prompt is not None, "the record does not take the prompt away"


def test_the_record_is_the_last_word_whatever_pieces_came() -> None:
    view = playing()
    view.apply(call_began(1), T0)
    view.apply(piece(1, "ab", 2), T0)
    assert view.apply(piece(1, "xx", 2), T0) is Part.NONE, "the same again"
    assert view.apply(piece(1, "yy", 1), T0) is Part.NONE, "an older one, late"
    view.apply(piece(1, "cd", 30), T0)
    assert only(view).reply == f"ab{GAP}cd", "thirty tokens do not write two letters"
    view.apply(call_ended(1, reply="abXcd"), T0)
    assert view.apply(piece(1, "late", 99), T0) is Part.NONE
    assert view.apply(piece(7, "for nobody", 1), T0) is Part.NONE
    assert only(view).reply == "abXcd"


def test_a_call_whose_beginning_was_not_heard_is_known_by_its_end() -> None:
    view = playing()
    view.apply(call_ended(5, outcome=CallOutcome.INVALID, reply="?", problem="no reply"), T0)
    call = only(view)
    assert (call.number, call.open, call.prompt) == (5, False, None)
    assert call.outcome is CallOutcome.INVALID


def test_the_end_of_a_run_cuts_off_what_is_open_but_its_record_may_still_come() -> None:
    view = playing()
    view.apply(call_began(1, at_ns=T0), T0)
    view.apply(telemetry.ProposalNote(proposal=None, state="thinking", at_ns=T0), T0)
    view.apply(ended(), T0 + 2 * NS_PER_S)
    call = only(view)
    assert not call.open
    assert "run ended" in call.cut
    assert call.seconds(T0 + 90 * NS_PER_S) == pytest.approx(2.0), "its clock stands still"
    assert view.thinking.asked is None
    assert not view.thinking.thoughts.open
    view.apply(call_ended(1, outcome=CallOutcome.CANCELLED), T0 + 3 * NS_PER_S)
    assert call.outcome is CallOutcome.CANCELLED
    assert not call.cut


def test_a_lost_engine_cuts_off_and_a_new_one_counts_from_one_again() -> None:
    view = playing()
    view.apply(call_began(1), T0)
    changed = view.lost("gone", "restart", "")
    assert Part.CALLS in changed
    assert "engine ended" in only(view).cut
    view.opening("flappy")
    assert len(view.thinking.calls) == 0
    view.apply(began(T0 + NS_PER_S), T0)
    view.apply(call_began(1, purpose=Purpose.REFLECT), T0)
    view.apply(call_began(1, purpose=Purpose.PLAN), T0)
    assert only(view).purpose is Purpose.PLAN, "a number that is asked anew is a new call"


def test_a_new_run_forgets_the_old_ones_calls_and_lanes() -> None:
    view = playing()
    view.apply(call_ended(1, outcome=CallOutcome.DROPPED), T0 + NS_PER_S)
    assert len(view.thinking.drops) == 1
    view.apply(began(T0 + 5 * NS_PER_S, run_id=129), T0)
    assert len(view.thinking.calls) == 0
    assert len(view.thinking.drops) == 0


@given(st.integers(0, 2**32), st.integers(1, 120))
def test_any_order_of_records_is_survived_and_bounded(seed: int, count: int) -> None:
    rng = random.Random(seed)
    view = playing()
    records: list[Any] = []
    for number in range(1, count + 1):
        records += [
            call_began(number),
            piece(number, "a", 1),
            piece(number, "b" * 9, 4),
            call_ended(number, reply="ab"),
        ]
    rng.shuffle(records)
    for record in records:
        if rng.random() < 0.7:
            view.apply(record, T0)
    calls = list(view.thinking.calls)
    assert len(calls) <= MOST_CALLS
    assert len({call.number for call in calls}) == len(calls)
    view.apply(ended(), T0)
    assert not view.thinking.calls.waiting


def test_an_endless_reply_keeps_its_end_only() -> None:
    calls = Calls()
    calls.began(call_began(1), T0)
    for tokens in range(1, 40):
        calls.streamed(piece(1, "x" * 4_000, tokens), T0)
    calls.streamed(piece(1, "end", 40), T0)
    (call,) = calls
    assert len(call.reply) == MOST_REPLY
    assert call.reply.endswith("xend")


# ---- what the widgets ask


def test_the_chain_is_the_newest_thought_and_leaves_the_reactive_out() -> None:
    view = playing()
    for number, (of, purpose) in enumerate(
        [(3, Purpose.PLAN), (7, Purpose.DESCRIBE), (7, Purpose.REACT), (7, Purpose.PLAN)], 1
    ):
        view.apply(call_began(number, step=of, purpose=purpose), T0)
    calls = view.thinking.calls
    assert [call.purpose for call in calls.chain()] == [Purpose.DESCRIBE, Purpose.PLAN]
    newest, react = calls.newest(), calls.newest(fast=True)
    assert newest is not None
    assert react is not None
    assert (newest.number, react.tier) == (4, Tier.FAST)
    assert calls.steps() == (3, 7)
    assert len(calls.of_step(7)) == 3


def test_times_add_up_to_the_whole() -> None:
    times = CallTimes(queued_ms=5, load_ms=800, first_token_ms=1_100, took_ms=1_900)
    call = Call.recorded(call_ended(1, times=times).record)
    assert timing_parts(call) == (("queued", 5), ("loading", 800), ("reading", 295), ("writing", 800))
    failed = Call.recorded(call_ended(1, times=CallTimes(queued_ms=5, took_ms=30)).record)
    assert sum(ms for _, ms in timing_parts(failed)) == 30


# ---- proposals and lanes


def test_a_dropped_plan_is_said_until_the_next_one_and_marked_once() -> None:
    view = playing()
    view.apply(telemetry.ProposalNote(proposal=None, state="thinking", at_ns=T0), T0)
    view.apply(telemetry.ProposalNote(proposal=None, state="dropped", at_ns=T0 + NS_PER_S), T0)
    at_ns = T0 + NS_PER_S + 80 * NS_PER_MS
    view.apply(call_ended(4, outcome=CallOutcome.DROPPED, at_ns=at_ns), T0)
    view.apply(call_ended(5, purpose=Purpose.REACT, outcome=CallOutcome.DROPPED, at_ns=at_ns), T0)
    thinking = view.thinking
    noted = [thinking.dropped]
    assert [(drop.route, drop.at_ns) for drop in thinking.drops] == [
        (Route.STRATEGIC, T0 + NS_PER_S),
        (Route.REACTIVE, at_ns),
    ]
    view.apply(telemetry.StepNote(run_id=128, step=step(3)), T0)
    view.apply(_planned(T0 + 2 * NS_PER_S), T0)
    noted.append(thinking.dropped)
    assert [note is not None for note in noted] == [True, False]
    assert thinking.plan_step == 3


def test_a_plan_whose_actions_are_named_anew_stays_as_old_as_it_is() -> None:
    view = playing()
    view.apply(_planned(T0), T0)
    assert view.thinking.plan is not None and view.thinking.plan.proposal is not None
    anew = replace(view.thinking.plan.proposal, candidates=(SemanticAction(name="forward"),))
    view.apply(telemetry.ProposalNote(proposal=anew, state="named", at_ns=T0 + NS_PER_S), T0 + NS_PER_S)
    assert view.thinking.plan is not None
    assert (view.thinking.plan.proposal, view.thinking.plan.at_ns) == (anew, T0)


def _planned(at_ns: int) -> telemetry.ProposalNote:
    proposal = Proposal(proposal_id=1, situation="", subgoal="go")
    return telemetry.ProposalNote(proposal=proposal, state="planned", at_ns=at_ns)


def test_thoughts_are_clipped_to_the_minute_and_the_last_is_open() -> None:
    history = ThoughtHistory()
    history.end(T0)
    for begin_s, end_s in ((0, 2), (50, 55)):
        history.begin(T0 + begin_s * NS_PER_S)
        history.begin(T0 + (begin_s + 1) * NS_PER_S)
        history.end(T0 + end_s * NS_PER_S)
    history.begin(T0 + 80 * NS_PER_S)
    now = T0 + 90 * NS_PER_S
    stretches = history.since(now)
    assert [(s.start_ns - T0) // NS_PER_S for s in stretches] == [50, 80]
    assert stretches[-1].end_ns == now
    assert all(s.state == "thinking" and s.start_ns >= now - SPAN_S * NS_PER_S for s in stretches)


def test_a_pause_ends_the_thought_and_a_span_keeps_its_state() -> None:
    view = playing()
    view.apply(telemetry.ProposalNote(proposal=None, state="thinking", at_ns=T0), T0)
    view.apply(telemetry.RouteSpan(at_ns=T0, route=Route.STRATEGIC, state="waiting"), T0)
    assert view.routes.state == "waiting"
    view.apply(telemetry.RouteSpan(at_ns=T0 + NS_PER_S, route=Route.REACTIVE), T0)
    waits, drives = view.routes.since(T0 + 2 * NS_PER_S)
    assert (waits.state, drives.state) == ("waiting", "")
    view.apply(state(STATE.PAUSED), T0 + NS_PER_S)
    assert view.thinking.asked is None
    assert view.thinking.thoughts.since(T0 + 9 * NS_PER_S)[0].end_ns == T0 + NS_PER_S


def test_who_thinks_is_kept() -> None:
    view = playing()
    note = telemetry.ControllersNote(planner="model", reactive="rules", tiers={"strategic": "tiny"})
    assert view.apply(note, T0) is Part.MIND
    assert view.mind == note
