"""The model planner under SPIKE's workflow: which calls it makes, what it tells, and who settles them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.engine.control.model_fakes import (
    FAILED,
    Bench,
    FakeCaller,
    note,
    past,
    plan,
    plan_request,
    react_request,
    text,
    walker,
)

from pitwall.core.actions import Effect, Invalid, Proposal, SemanticAction
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.observations import GameStatus
from pitwall.core.prompts import Layer
from pitwall.core.retrieval import Fragment
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure, Reason
from pitwall.engine.control.baselines import RandomPlanner
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.tabu import WRITE, skill_choice
from pitwall.games.schema.profile import Skill

USED, INVALID, CANCELLED = CallOutcome.USED, CallOutcome.INVALID, CallOutcome.CANCELLED
TASK = "gather wood"
BLIND: dict[str, None] = {"wood": None, "enemy": None}


def told_bench(caller: FakeCaller | None = None, **settings: Any) -> Bench:
    """With an instruction, so nothing has to be inferred."""
    return Bench(caller, instruction=TASK, **settings)


# ---- which stages


@pytest.mark.parametrize(
    ("request_", "sees", "calls"),
    [
        (plan_request(), False, ["plan"]),
        (plan_request(), True, ["describe", "plan"]),
        (plan_request(values=BLIND), False, ["plan"]),
        (plan_request(failure=Failure.LOCAL, trace=(note(),)), False, ["reflect", "plan"]),
        (plan_request(failure=Failure.LOCAL), False, ["plan"]),
        (plan_request(trace=(note(),)), False, ["plan"]),
        (plan_request(reasons=(Reason.STALL,)), False, ["reflect", "plan"]),
        (plan_request(reasons=(Reason.LOOP,)), False, ["reflect", "plan"]),
        (plan_request(reasons=(Reason.FAILURE,)), False, ["reflect", "plan"]),
        (plan_request(reasons=(Reason.SCENE, Reason.REQUESTED)), False, ["plan"]),
        (plan_request(history=(past(9),)), False, ["plan"]),
        (plan_request(history=(past(9, effect=Effect.UNVERIFIED),)), False, ["reflect", "plan"]),
        (plan_request(history=(past(8, effect=Effect.UNVERIFIED), past(9))), False, ["plan"]),
        (plan_request(history=(past(9, problem="refused (rate)"),)), False, ["reflect", "plan"]),
        (
            plan_request(failure=Failure.HARD, trace=(note(),), flush=True),
            True,
            ["describe", "reflect", "plan"],
        ),
    ],
)
def test_stages_are_asked_where_they_are_needed(request_: PlanRequest, sees: bool, calls: list[str]) -> None:
    bench = told_bench(FakeCaller(sight=sees))
    reply = bench.plan(request_)
    assert bench.caller.purposes == calls
    assert (reply.calls, reply.call, reply.failed) == (len(calls), len(calls), False)
    assert bench.caller.unsettled == [reply.call], "the plan's call is the router's to settle"
    assert all(bench.caller.outcome(call) is USED for call in range(1, reply.call))


def test_a_plan_becomes_a_proposal() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan(stop="wood >= 9"))]}))
    reply = bench.plan(plan_request())
    assert reply.proposal == Proposal(
        proposal_id=1,
        situation="in the woods",
        subgoal="reach the tree",
        candidates=(
            SemanticAction(name="forward", arguments={"ms": 200}),
            SemanticAction(name="turn_left"),
        ),
        stop="wood >= 9",
        steps=6,
        source="model:tiny",
        planned_ns=1,
    )
    assert (reply.proposed, reply.illegal) == (2, 0)
    assert "reach the tree" in reply.why


def test_a_plan_may_take_up_a_skill_as_it_stands_in_memory() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: ['{"skill":"walk"}']}))
    reply = bench.plan(plan_request())
    assert reply.proposal == Proposal(
        proposal_id=1,
        situation="true",
        subgoal="explore",
        candidates=(SemanticAction(name="forward", arguments={"ms": 100}),),
        steps=8,
        source="model:tiny skill:walk",
        planned_ns=1,
    )
    assert (reply.proposal.skill, reply.proposed, reply.illegal) == ("walk", 1, 0)
    assert "walk" in reply.why
    assert "walk" in bench.caller.asks[-1].grammar
    again = bench.plan(plan_request(running=reply.proposal))
    assert again.keep, "named once more it goes on"
    assert '- follows the skill "walk"' in bench.caller.said(-1)
    failed = replace(note("no progress"), source=reply.proposal.source)
    anew = bench.plan(plan_request(running=reply.proposal, trace=(failed,)))
    assert not anew.keep and anew.proposal is not None, "it has failed since: it begins anew"
    assert '"walk": forward: "no progress"' in bench.caller.said(-1)
    assert bench.plan(plan_request(running=anew.proposal, trace=(failed,))).keep, "that is known by now"


def test_a_skill_that_no_prompt_lists_cannot_be_named() -> None:
    caller = FakeCaller({Purpose.PLAN: ['{"skill":"walk"}']})
    bench = told_bench(caller, layers={"l5": "disable"})
    reply = bench.plan(plan_request())
    assert reply.failed and "walk" not in caller.asks[-1].grammar


@pytest.mark.parametrize(
    ("failed", "left"),
    [
        ((), "forward, turn_left, turn_right, use"),
        (("forward", "use"), "turn_left, turn_right"),
        (("forward", "turn_left", "turn_right", "use"), "forward, turn_left, turn_right, use"),
    ],
)
def test_where_no_skill_is_listed_it_is_told_what_is_left_to_try(failed: tuple[str, ...], left: str) -> None:
    trace = tuple(
        replace(note("no effect seen"), action=name, number=at) for at, name in enumerate(failed, 1)
    )
    without = told_bench(layers={"l5": "disable"})
    without.plan(plan_request(trace=trace))
    assert without.caller.said(-1).partition("Left to try: ")[2].splitlines()[0] == left
    listing = told_bench()
    listing.plan(plan_request(trace=trace))
    assert "Left to try" not in listing.caller.said(-1)


def test_a_module_that_can_drive_is_told_before_what_is_left_to_try_and_neither_while_a_plan_goes_well() -> (
    None
):
    bench = told_bench(layers={"l5": "disable"})
    fight, calm = {"wood": 3, "enemy": True}, {"wood": 3, "enemy": False}
    running = Proposal(
        proposal_id=1, situation="", subgoal="walk", candidates=(SemanticAction(name="forward"),)
    )
    for values, plan_in_force, trace, listed in (
        (fight, None, (), "Modules that can drive now: shooter"),
        (calm, None, (), "Left to try: forward"),
        (calm, running, (), ""),
        (calm, running, (note("no effect seen"),), "Left to try: "),
    ):
        bench.plan(plan_request(values=values, running=plan_in_force, trace=trace))
        prompt = bench.caller.said(-1)
        lines = [line for line in prompt.splitlines() if line.startswith(("Modules that can", "Left to try"))]
        assert len(lines) == bool(listed)
        assert not listed or lines[0].startswith(listed)


def test_a_plan_in_force_is_kept_and_none_cannot_be() -> None:
    caller = FakeCaller({Purpose.PLAN: [text(plan()), '{"keep":true}']})
    bench = told_bench(caller)
    running = bench.plan(plan_request()).proposal
    reply = bench.plan(plan_request(running=running))
    assert (reply.keep, reply.proposal) == (True, None)
    assert [r"\"keep\"" in ask.grammar for ask in caller.asks] == [False, True]
    assert bench.plan(plan_request()).failed, "there is none to keep"
    assert bench.plan(plan_request(running=running, flush=True, failure=Failure.HARD)).failed


def test_a_plan_may_start_a_module() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan(module="shooter"))]}))
    proposal = bench.plan(plan_request()).proposal
    assert proposal is not None and (proposal.module, proposal.candidates) == ("shooter", ())


def test_a_module_that_would_end_at_once_cannot_be_written() -> None:
    bench = told_bench()
    for enemy in (True, False):
        bench.plan(plan_request(values={"wood": 3, "enemy": enemy}))
        assert ("shooter" in bench.caller.asks[-1].grammar) is enemy


def test_illegal_candidates_are_left_out_and_counted() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan("fly", "turn_left", "forward(ms=9999)"))]}))
    reply = bench.plan(plan_request())
    assert reply.proposal is not None
    assert [str(action) for action in reply.proposal.candidates] == ["turn_left"]
    assert (reply.proposed, reply.illegal) == (3, 2)


def test_the_same_plan_again_is_kept() -> None:
    bench = told_bench()
    first = bench.plan(plan_request())
    again = bench.plan(plan_request(2, step=14, running=first.proposal))
    assert again.keep and again.proposal is None and again.call == 2
    assert first.proposal is not None
    other = replace(first.proposal, subgoal="another")
    assert not bench.plan(plan_request(3, step=18, running=other)).keep


# ---- description and task


def test_the_screen_is_described_at_first_and_after_a_cut() -> None:
    bench = told_bench(FakeCaller(sight=True), models={"strategic": "tiny", "look": "scene"})
    bench.plan(plan_request(1))
    bench.plan(plan_request(2))
    assert bench.caller.purposes == ["describe", "plan", "plan"]
    assert bench.caller.asks[0].image and bench.caller.asks[0].prompt.messages[-1].image
    assert not bench.caller.asks[1].image
    assert "said for describe" in bench.caller.said(-1), "it holds until the scene changes"
    bench.plan(plan_request(3, reasons=(Reason.SCENE,)))
    bench.plan(plan_request(4, values=BLIND))
    assert bench.caller.purposes[3:] == ["describe", "plan", "describe", "plan"]


def test_a_model_that_chooses_sees_the_picture_itself() -> None:
    bench = told_bench(FakeCaller(sight=True, choosing=True))
    bench.plan(plan_request(1))
    asked = bench.caller.asks[0]
    assert asked.purpose is Purpose.PLAN and asked.image and asked.prompt.messages[-1].image
    blind = told_bench(FakeCaller(choosing=True))
    blind.plan(plan_request(1))
    assert not blind.caller.asks[0].image


def test_a_description_of_another_scene_is_not_told() -> None:
    bench = told_bench(FakeCaller({Purpose.DESCRIBE: [text({"text": "an old hall"}), FAILED]}, sight=True))
    bench.plan(plan_request(1))
    assert "an old hall" in bench.caller.said(-1)
    reply = bench.plan(plan_request(2, reasons=(Reason.SCENE,)))
    assert "an old hall" not in bench.caller.said(-1)
    assert reply.proposal is not None and not reply.failed, "a description that failed stops no plan"
    assert bench.caller.outcome(3) is CallOutcome.FAILED


def test_a_task_is_inferred_once_where_none_is_given_and_again_after_a_flush() -> None:
    bench = Bench()
    bench.plan(plan_request(1))
    bench.plan(plan_request(2))
    assert bench.caller.purposes == ["infer", "plan", "plan"]
    assert "said for infer" in bench.caller.said(-1)
    bench.plan(plan_request(3, flush=True))
    assert bench.caller.purposes[3:] == ["infer", "plan"]


def test_an_instruction_stands_in_the_prompt() -> None:
    bench = told_bench()
    bench.plan(plan_request())
    assert TASK in bench.caller.asks[0].prompt.messages[0].text


# ---- reflection, failures


def test_what_a_reflection_found_is_told_on() -> None:
    bench = told_bench()
    reply = bench.plan(plan_request(reasons=(Reason.STALL,)))
    assert "a wall" in bench.caller.said(-1) and "failure level 1" in bench.caller.said(-1)
    assert "a wall" in reply.why and "F1" in reply.why


def test_a_reflection_may_find_that_the_context_misleads() -> None:
    hard = text({"effect": False, "cause": "lost", "next": "x", "done": True, "failure": 3, "confidence": 1})
    bench = told_bench(FakeCaller({Purpose.REFLECT: [hard]}, sight=True))
    bench.plan(plan_request(1, history=(past(9),)))
    reply = bench.plan(plan_request(2, step=14, reasons=(Reason.STALL,), history=(past(13, "use"),)))
    assert "step 13" in bench.caller.said(-2), "the reflection itself still sees it"
    assert "step 13" not in bench.caller.said(-1)
    assert "said for describe" in bench.caller.said(-1), "what is seen now misleads nobody"
    assert not [message for message in bench.caller.asks[-1].prompt.messages if message.role == "assistant"]
    assert "subgoal done" in reply.why and "F3" in reply.why


@pytest.mark.parametrize("bad", [FAILED, "no json", text({"effect": "perhaps"})])
def test_a_reflection_that_fails_stops_no_plan(bad: str) -> None:
    bench = told_bench(FakeCaller({Purpose.REFLECT: [bad]}))
    reply = bench.plan(plan_request(reasons=(Reason.STALL,)))
    assert reply.proposal is not None and reply.calls == 2 and not reply.failed
    assert bench.caller.outcome(1) in (CallOutcome.FAILED, INVALID)


@pytest.mark.parametrize(
    ("bad", "invalid", "counts"),
    [
        ("I would go left.", Invalid.NO_CALL, (0, 0)),
        (text(plan("fly", "dig")), Invalid.OUT_OF_SPACE, (2, 2)),
        (text(plan(module="dancer")), Invalid.OUT_OF_SPACE, (1, 1)),
    ],
)
def test_a_plan_that_is_none_is_asked_for_once_more(
    bad: str, invalid: Invalid, counts: tuple[int, int]
) -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [bad, text(plan())]}))
    reply = bench.plan(plan_request())
    assert reply.proposal is not None and (reply.calls, reply.call, reply.failed) == (2, 2, False)
    assert "not valid" in bench.caller.said(1) and "not valid" not in bench.caller.said(0)
    outcome, problem, kind, *rest = bench.caller.settled[1]
    assert outcome is INVALID and problem and kind is invalid and tuple(rest) == counts


def test_twice_no_plan_and_the_skills_stand_in() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan("fly"))]}))
    reply = bench.plan(plan_request())
    assert reply.failed and (reply.calls, reply.call) == (2, 0) and not bench.caller.unsettled
    assert reply.proposal is not None and reply.proposal.source == "skill:walk"
    assert reply.why.startswith("The model gave no plan (") and "'walk'" in reply.why


def test_a_plan_that_failed_is_not_asked_for_again() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [FAILED]}))
    reply = bench.plan(plan_request())
    assert reply.failed and reply.calls == 1 and FAILED in reply.why
    assert bench.caller.outcome(1) is CallOutcome.FAILED


def test_a_reply_cut_at_its_limit_says_so() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan())[:40]]}, finish="length"))
    assert "limit in tokens" in bench.plan(plan_request()).why


def test_without_a_model_or_calls_the_skills_answer_at_once() -> None:
    bench = told_bench(FakeCaller(calls_left=0))
    reply = bench.plan(plan_request())
    assert not bench.caller.asks and reply.proposal is not None
    assert "no calls are left" in reply.why and not reply.failed


def test_who_stands_in_lets_a_failed_skill_wait_as_long_as_it_does_alone() -> None:
    turns = [
        Skill(name=name, when="true", subgoal=name, actions=[f"turn_{name}"], priority=-1)
        for name in ("left", "right")
    ]
    bench = told_bench(FakeCaller({Purpose.PLAN: [FAILED]}), game=walker(*turns))
    fired: list[str] = []
    trace: list[FailureNote] = []
    for step in range(1, 12):
        proposal = bench.plan(plan_request(step, step=step, trace=tuple(trace[-8:]))).proposal
        assert proposal is not None
        fired.append(proposal.skill)
        if proposal.skill == "walk":
            failed = replace(note(), number=len(trace) + 1, step=step, source=proposal.source)
            trace.append(failed)
    assert "".join(name[0] for name in fired) == "wlwrrwlllwr"


def test_calls_may_end_within_a_plan() -> None:
    bench = Bench(FakeCaller(calls_left=1))
    reply = bench.plan(plan_request())
    assert bench.caller.purposes == ["infer"] and reply.failed and reply.calls == 1
    assert reply.proposal is not None


def test_with_nobody_to_stand_in_the_agent_holds() -> None:
    bench = Bench(FakeCaller({Purpose.PLAN: [FAILED]}), instruction=TASK, stand_in=False)
    reply = bench.plan(plan_request())
    assert reply.proposal is None and not reply.keep and reply.failed and "Holding" in reply.why


def test_proposals_are_numbered_through_whoever_made_them() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan()), FAILED, text(plan(subgoal="third"))]}))
    proposals = [bench.plan(plan_request(number)).proposal for number in (1, 2, 3)]
    assert [proposal.proposal_id for proposal in proposals if proposal is not None] == [1, 2, 3]


# ---- waiting, cancelling


def test_nothing_waits_and_the_answer_comes_once() -> None:
    bench = Bench(FakeCaller(slow=True))
    bench.planner.request(plan_request())
    assert bench.planner.poll() is None and bench.caller.purposes == ["infer"]
    assert bench.planner.poll() is None and bench.caller.purposes == ["infer"]
    bench.caller.slow = False
    assert bench.planner.poll() is not None
    assert bench.planner.poll() is None


def test_texts_are_counted_before_the_first_prompt() -> None:
    bench = told_bench(FakeCaller(uncounted=2))
    bench.planner.request(plan_request())
    assert bench.planner.poll() is None and bench.planner.poll() is None and not bench.caller.asks
    assert bench.planner.poll() is not None
    assert bench.caller.counts == [Purpose.PLAN] * 3


@pytest.mark.parametrize("again", [True, False])
def test_a_new_request_or_a_cancel_drops_the_open_call(again: bool) -> None:
    bench = told_bench(FakeCaller(slow=True))
    bench.planner.request(plan_request(1))
    assert bench.planner.poll() is None
    if again:
        bench.planner.request(plan_request(2))
    else:
        bench.planner.cancel()
        bench.planner.cancel()
    assert bench.caller.outcome(1) is CANCELLED
    bench.caller.slow = False
    reply = bench.planner.poll()
    assert (reply is not None and reply.request_id == 2) is again


def test_what_was_cut_short_is_done_at_the_next_request() -> None:
    bench = Bench(FakeCaller(sight=True, slow_from=2))
    bench.planner.request(plan_request(1))
    assert bench.planner.poll() is None
    bench.planner.request(plan_request(2))
    bench.caller.slow_from = None
    assert bench.planner.poll() is not None
    assert bench.caller.purposes == ["describe", "infer", "infer", "plan"]


def test_a_model_that_goes_away_while_texts_are_counted() -> None:
    bench = told_bench(FakeCaller(uncounted=5))
    bench.planner.request(plan_request())
    assert bench.planner.poll() is None
    bench.caller.calls_left = 0
    reply = bench.planner.poll()
    assert reply is not None and reply.failed and reply.calls == 0


# ---- thread, flush, settings


def _thread(bench: Bench) -> list[str]:
    """Roles of the newest prompt, without the system message."""
    return [message.role for message in bench.caller.asks[-1].prompt.messages if message.role != "system"]


def test_a_thread_holds_three_messages_within_one_fight() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan(subgoal=f"goal {n}")) for n in range(9)]}))
    running = None
    for number in range(1, 5):
        reply = bench.plan(plan_request(number, step=10 * number, running=running))
        running = reply.proposal
        assert _thread(bench) == ["user"] if number == 1 else ["user", "assistant", "user"]
    assert "goal 2" in bench.caller.asks[-1].prompt.messages[-2].text, "the newest round"
    everything = bench.caller.asks[-1].prompt.spans
    assert {span.layer for span in everything if span.item == "thread"} == {Layer.STATE}


@pytest.mark.parametrize(
    ("most", "roles"),
    [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3), (5, 5)],
)
def test_the_thread_s_cap_is_kept(most: int, roles: int) -> None:
    bench = told_bench(layers={"thread_messages": most})
    for number in range(1, 5):
        bench.plan(plan_request(number))
    assert len(_thread(bench)) == roles


@pytest.mark.parametrize(
    "next_request",
    [
        plan_request(2, status=GameStatus.MENU),
        plan_request(2, status=GameStatus.TERMINAL),
        plan_request(2, flush=True),
    ],
)
def test_a_thread_ends_with_its_fight(next_request: PlanRequest) -> None:
    bench = told_bench()
    bench.plan(plan_request(1))
    bench.plan(next_request)
    assert _thread(bench) == ["user"]


def test_a_plan_that_was_dropped_leaves_the_thread() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [text(plan(subgoal=f"goal {n}")) for n in range(9)]}))
    kept = bench.plan(plan_request(1)).proposal
    bench.plan(plan_request(2, step=14, running=kept))
    bench.plan(plan_request(3, step=18, running=kept))
    thread = "".join(message.text for message in bench.caller.asks[-1].prompt.messages[1:-1])
    assert "goal 0" in thread and "goal 1" not in thread
    bench.plan(plan_request(4, step=22, history=(past(15), past(16))))
    thread = "".join(message.text for message in bench.caller.asks[-1].prompt.messages[1:-1])
    assert "goal 0" in thread and "goal 2" not in thread, "nothing was done since: not taken either"


def test_a_flush_drops_what_was_believed() -> None:
    bench = Bench(FakeCaller({Purpose.DESCRIBE: [text({"text": "an old hall"}), FAILED]}, sight=True))
    bench.plan(plan_request(1))
    bench.plan(plan_request(2, history=(past(9),), flush=True, trace=(note("walked into lava"),)))
    prompt = bench.caller.said(-1)
    assert "an old hall" not in prompt and "step 9" not in prompt
    assert "walked into lava" in prompt, "the trace is the last word of it"


def test_settings_are_read_at_each_request() -> None:
    bench = told_bench()
    history = tuple(past(step) for step in range(1, 10))
    bench.plan(plan_request(1, history=history, hints=("turn right here",)))
    assert "steps 5 to 7:" in bench.caller.said(-1) and "step 8:" in bench.caller.said(-1)
    assert "turn right here" not in bench.caller.said(-1), "hints are the reactive controller's"
    bench.settings = Settings.model_validate(
        {
            "models": {"strategic": "other", "recent_steps": 2},
            "layers": {"l1": "stripped"},
            "memory": {"global_only": True},
        }
    )
    before = bench.caller.asks[-1].prompt.messages[0].text
    reply = bench.plan(plan_request(2, history=history, hints=("turn right here",)))
    assert reply.proposal is not None and reply.proposal.source == "model:other"
    assert "step 8:" in bench.caller.said(-1) and "to 7:" not in bench.caller.said(-1)
    assert "turn right here" not in bench.caller.said(-1)
    assert len(bench.caller.asks[-1].prompt.messages[0].text) < len(before)


FRAGMENTS = (
    Fragment(node_id=7, score=0.9, text="in this state ('hall') 'use' worked 3 of 3 times"),
    Fragment(node_id=9, score=0.8, text="in a state like this ('wood') 'forward' failed 2 times of 2"),
)


@pytest.mark.parametrize(
    ("cell", "planning", "acting"),
    [
        ("own", (False, True), (True, False)),
        ("both", (True, True), (True, True)),
        ("swapped", (True, False), (False, True)),
        ("shared", (True, False), (True, False)),
    ],
)
def test_each_controller_reads_its_own_memory(
    cell: str, planning: tuple[bool, bool], acting: tuple[bool, bool]
) -> None:
    bench = told_bench(memory={"controllers": cell})
    request = plan_request(1, history=(past(9, effect=Effect.UNVERIFIED),), hints=("turn right here",))
    bench.plan(replace(request, fragments=FRAGMENTS))
    bench.react(react_request(2, hints=("turn right here",), fragments=FRAGMENTS))
    evidence = [
        ("turn right here" in ask.prompt.messages[-1].text, "'use' worked" in ask.prompt.messages[-1].text)
        for ask in bench.caller.asks
    ]
    assert bench.caller.purposes == ["reflect", "plan", "react"]
    assert evidence == [(False, planning[1]), planning, acting], "a reflection gets the graph alone"
    items = [span.item for span in bench.caller.asks[1].prompt.spans if span.item.startswith("SA-KG")]
    assert items == (["SA-KG state 7", "SA-KG state 9"] if planning[1] else [])


def test_fragments_keep_to_their_cap_of_tokens() -> None:
    bench = told_bench(memory={"graph_tokens": 25})
    bench.plan(replace(plan_request(1), fragments=FRAGMENTS))
    assert "'use' worked" in bench.caller.said(-1) and "'forward' failed" not in bench.caller.said(-1)


def test_a_sure_reflection_has_consequences_and_an_unsure_one_only_words() -> None:
    running = Proposal(
        proposal_id=3, situation="", subgoal="open the door", candidates=(SemanticAction(name="use"),)
    )
    request = plan_request(2, history=(past(9, effect=Effect.UNVERIFIED),), running=running)
    judged = {"effect": True, "cause": "", "next": "walk on", "done": True, "failure": 0}
    answers = [text(judged | {"confidence": sure}) for sure in (0.6, 0.8)]
    bench = told_bench(
        FakeCaller({Purpose.REFLECT: answers, Purpose.PLAN: [text({"keep": True}), text(plan())]})
    )
    unsure = bench.plan(request)
    assert unsure.keep and unsure.reflection is None
    sure = bench.plan(request)
    assert sure.reflection is not None and sure.reflection.done and sure.reflected == 9
    assert not sure.keep and sure.proposal is not None, "the subgoal is over: its plan cannot go on"
    assert "open the door" not in bench.caller.said(-1) and "Plan: none" in bench.caller.said(-1)


@pytest.mark.parametrize(
    ("look", "interface", "seen"),
    [
        ("escalation", "semantic", {"reflect": 2, "plan": 1, "react": 0, "doubt": 1}),
        ("scene", "semantic", {"reflect": 0, "plan": 0, "react": 0, "doubt": 0}),
        ("always", "semantic", {"reflect": 2, "plan": 1, "react": 1, "doubt": 1}),
        ("never", "semantic", {"reflect": 0, "plan": 0, "react": 0, "doubt": 0}),
        ("scene", "computer-use", {"reflect": 2, "plan": 1, "react": 1, "doubt": 1}),
    ],
)
def test_a_model_looks_where_it_decides(look: str, interface: str, seen: dict[str, int]) -> None:
    caller = FakeCaller(sight=look != "never", size=(960, 600))
    bench = told_bench(caller, control={"interface": interface})
    bench.settings = bench.settings.with_value("models", "look", look)
    bench.plan(plan_request(1, history=(past(9, effect=Effect.UNVERIFIED),), reasons=(Reason.STALL,)))
    bench.react(react_request(2))
    bench.react(react_request(3, doubt=True))
    asks = {ask.purpose.value: ask for ask in bench.caller.asks[:-1]} | {"doubt": bench.caller.asks[-1]}
    pictures = {name: sum(message.image for message in asks[name].prompt.messages) for name in seen}
    assert pictures == seen
    assert asks["reflect"].before is (seen["reflect"] == 2), "the frame before the action goes first"
    assert ("960 x 600 px" in asks["plan"].prompt.messages[-1].text) is bool(seen["plan"])


def test_a_picture_that_is_read_too_slowly_is_left_out_and_the_call_says_so() -> None:
    bench = told_bench(FakeCaller(sight=True, budgets={Purpose.PLAN: 200}, picture=256))
    bench.plan(plan_request(1))
    asked = bench.caller.asks[-1]
    assert asked.purpose is Purpose.PLAN and not asked.image and "the picture" in asked.left_out


def test_nobody_or_chance_can_stand_in_for_the_model() -> None:
    bench = told_bench(FakeCaller({Purpose.PLAN: [FAILED]}), stand_in=False)
    held = bench.plan(plan_request(1))
    assert held.proposal is None and not held.keep and held.why.endswith("Holding.")
    bench.planner.stand_in = RandomPlanner(bench.space, seed=3)
    drawn = bench.plan(plan_request(2))
    assert drawn.proposal is not None and drawn.proposal.source == "random" and drawn.failed


def test_the_workflow_can_change_between_two_plans() -> None:
    bench = told_bench()
    bench.plan(plan_request(1))
    bench.settings = Settings.model_validate({"control": {"workflow": "gamesense"}})
    bench.plan(plan_request(2))
    assert bench.caller.purposes == ["plan", "analyse_screen", "plan_task", "plan_actions", "construct"]


def test_prompts_keep_to_the_room_that_a_model_has() -> None:
    roomy, tight = told_bench(), told_bench(FakeCaller(rooms={Purpose.PLAN: 300}))
    long = tuple(past(step) for step in range(1, 40))
    sizes = []
    for bench in (roomy, tight):
        bench.plan(plan_request(history=long))
        sizes.append(sum(len(span.text) // 4 for span in bench.caller.asks[0].prompt.spans))
    assert sizes[1] <= 300 < sizes[0]


@pytest.mark.parametrize("workflow", ["spike", "gamesense"])
def test_prompts_do_not_grow_with_the_run(workflow: str) -> None:
    bench = told_bench(control={"workflow": workflow})
    sizes: list[int] = []
    running = None
    for number in range(1, 61):
        step = 1000 + 4 * number
        history = tuple(past(step - back) for back in range(min(4 * number, 30), 0, -1))
        reply = bench.plan(plan_request(number, step=step, history=history, running=running))
        running = running if reply.keep else reply.proposal
        sizes.append(len(bench.caller.asks[-1].prompt.messages[-1].text))
    assert max(sizes[-20:]) <= max(sizes[5:25])


def test_barred_skills_leave_prompt_and_grammar_and_are_not_accepted() -> None:
    wait = Skill(name="wait", when="true", subgoal="wait", actions=["turn_left"])
    bench = Bench(FakeCaller({Purpose.PLAN: [text({"skill": "wait"})]}), game=walker(wait))
    bars = {skill_choice("wait"): 99, WRITE: 99}
    reply = bench.plan(replace(plan_request(), bars=bars))
    assert reply.failed, "the model insisted, and the skill planner answered in its place"
    ask = bench.caller.asks[-1]
    assert "wait" not in ask.schema and "situation" not in ask.schema and "walk" in ask.schema
    listed = [span.text for span in ask.prompt.spans if span.layer is Layer.SKILLS]
    assert not any("wait" in text for text in listed)
    assert bench.plan(plan_request(2)).proposal is not None


def test_a_model_that_writes_no_text_is_not_asked_to_reflect_and_the_plan_says_why() -> None:
    why = "small is asked for no free text: its probe found that its answers are not language."
    bench = told_bench(FakeCaller(wordless=why, sight=True))
    reply = bench.plan(plan_request(reasons=(Reason.STALL,)))
    assert bench.caller.purposes == ["plan"]
    assert reply.calls == 1 and reply.proposal is not None
    assert reply.why.endswith(why)


def _prompt(bench: Bench) -> str:
    """The last prompt that was asked."""
    return "".join(span.text for span in bench.caller.asks[-1].prompt.spans)


def test_a_reflection_that_says_one_word_over_and_over_is_not_believed() -> None:
    babble = text(
        {"effect": True, "cause": "pipesaea6 pipesaea6", "next": "go", "done": False, "failure": 0}
        | {"confidence": 0.5}
    )
    bench = told_bench(FakeCaller({Purpose.REFLECT: [babble]}))
    reply = bench.plan(plan_request(reasons=(Reason.STALL,)))
    assert bench.caller.outcome(1) is INVALID
    assert "pipesaea6" not in reply.why + _prompt(bench)


def test_a_slow_machine_gets_a_shorter_prompt_and_the_call_says_what_is_left_out() -> None:
    whole = told_bench(FakeCaller({Purpose.PLAN: ['{"skill":"walk"}']}))
    whole.plan(plan_request())
    assert whole.caller.asks[0].left_out == ()
    short = told_bench(FakeCaller({Purpose.PLAN: ['{"skill":"walk"}']}, budgets={Purpose.PLAN: 32}))
    assert short.plan(plan_request()).proposal is not None
    ask = short.caller.asks[0]
    assert "fields that no condition uses" in ask.left_out
    assert "Legal actions: forward" in _prompt(short) and "Legal actions:\n- forward" in _prompt(whole)
    assert TASK in _prompt(short)
    assert len(_prompt(short)) < len(_prompt(whole))
