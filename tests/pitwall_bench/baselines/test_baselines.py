"""The published baselines: one action a step, their calls in order, and what each remembers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from tests.engine.control.model_fakes import Bench, FakeCaller, note, past, plan, plan_request, text

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure
from pitwall.engine.control.planner import PlanReply
from pitwall.engine.decision.effective_settings import effective

DONE = text({"effect": True, "cause": "", "next": "go on", "done": True, "failure": 0, "confidence": 0.9})

CRITIQUE = text(
    {
        "effect": False,
        "cause": "a wall is in the way",
        "next": "turn",
        "done": False,
        "failure": 1,
        "confidence": 0.9,
    }
)


def _bench(workflow: str, script: dict[Purpose, list[str]] | None = None) -> Bench:
    return Bench(FakeCaller(script or {}), control={"workflow": workflow})


def _play(bench: Bench, steps: int, *, effect: Effect = Effect.CONFIRMED) -> list[PlanReply]:
    """Plan each step, with the steps before it as its history."""
    replies = []
    for step in range(steps):
        history = tuple(past(at, effect=effect) for at in range(max(0, step - 5), step))
        replies.append(bench.plan(plan_request(step + 1, step=step, history=history)))
    return replies


def _calls(bench: Bench, steps: int) -> list[list[str]]:
    """The purposes that were asked for each step."""
    return [[ask.purpose.value for ask in bench.caller.asks if ask.step == step] for step in range(steps)]


@pytest.mark.parametrize(
    ("workflow", "first", "later"),
    [
        ("react", ["plan"], ["plan"]),
        ("transcript", ["plan"], ["plan"]),
        ("reflexion", ["plan"], ["plan"]),
        ("stardojo", ["describe", "infer", "plan"], ["describe", "reflect", "infer", "plan"]),
        ("voyager", ["infer", "plan"], ["reflect", "plan"]),
        ("cradle", ["describe", "infer", "plan"], ["describe", "reflect", "infer", "plan"]),
    ],
)
def test_each_step_has_its_calls_and_one_action(workflow: str, first: list[str], later: list[str]) -> None:
    bench = _bench(workflow)
    for reply in _play(bench, 3):
        assert reply.proposal is not None and not reply.keep
        assert reply.proposal.candidates == (SemanticAction(name="forward", arguments={"ms": 200}),)
        assert reply.proposal.steps == 1
    assert _calls(bench, 3) == [first, later, later]
    settings = Settings.model_validate({"control": {"workflow": workflow}})
    assert effective(settings).control.routing == "strategic-only", "and it is asked at each step"


def test_react_sees_thoughts_actions_and_observations_in_turn() -> None:
    bench = _bench("react", {Purpose.PLAN: [text(plan() | {"situation": "a tree ahead"}), text(plan())]})
    _play(bench, 2, effect=Effect.UNVERIFIED)
    prompt = bench.caller.said(-1)
    assert 'Thought 0: "a tree ahead"\nAction 0: forward\nObservation 0: no effect seen' in prompt
    assert "a tree ahead" not in bench.caller.said(0)


def test_a_transcript_grows_with_each_step_and_loses_nothing() -> None:
    bench = _bench("transcript")
    _play(bench, 12)
    sizes = [sum(len(message.text) for message in ask.prompt.messages) for ask in bench.caller.asks]
    assert all(later > earlier for earlier, later in pairwise(sizes))
    newest = bench.caller.asks[-1].prompt.messages
    assert [message.text.splitlines()[0] for message in newest if message.role == "user"] == [
        f"Step {step}." for step in range(12)
    ]


def test_reflexion_carries_its_lessons_into_later_prompts_once_for_each_failure() -> None:
    bench = _bench("reflexion")
    failed = plan_request(1, step=1, history=(past(0),), trace=(note(),), failure=Failure.LOCAL)
    bench.plan(failed)
    bench.plan(replace(failed, request_id=2, step=2))
    assert bench.caller.purposes == ["reflect", "plan", "plan"], "one failure, one reflection"
    assert "a wall; next time: turn" in bench.caller.said(-1)
    bench.plan(plan_request(3, step=3, history=(past(2),), status=GameStatus.TERMINAL))
    assert bench.caller.purposes[3:] == ["reflect", "plan"], "a lost game is a failure too"


@pytest.mark.parametrize("workflow", ["voyager", "cradle"])
def test_what_reached_a_subgoal_is_kept_as_a_skill(workflow: str) -> None:
    bench = _bench(workflow, {Purpose.REFLECT: [DONE]})
    _play(bench, 3)
    assert "Your own skills, which worked before:" in bench.caller.said(-1)
    assert '"said for infer": forward' in bench.caller.said(-1)


def test_a_skill_is_the_whole_way_to_its_subgoal_not_the_last_steps_of_a_prompt() -> None:
    bench = _bench("voyager", {Purpose.REFLECT: [CRITIQUE] * 6 + [DONE]})
    _play(bench, 8)
    assert f'"said for infer": {", ".join(["forward"] * 7)}' in bench.caller.said(-1)


def test_voyagers_curriculum_and_next_action_know_what_its_verifier_said() -> None:
    bench = _bench("voyager", {Purpose.REFLECT: [CRITIQUE, DONE, CRITIQUE]})
    _play(bench, 12)
    prompts = [(ask.purpose, bench.caller.said(at)) for at, ask in enumerate(bench.caller.asks)]
    plans = [text for purpose, text in prompts if purpose is Purpose.PLAN]
    assert "a wall is in the way" in plans[1] and "a wall is in the way" not in plans[2]
    goals = [text for purpose, text in prompts if purpose is Purpose.INFER]
    assert [goal.count('- "said for infer": reached') for goal in goals] == [0, 1, 1]
    assert [goal.count('- "said for infer": given up') for goal in goals] == [0, 0, 1]


@pytest.mark.parametrize("workflow", ["stardojo", "voyager", "cradle"])
def test_a_baseline_that_sees_judges_from_the_pictures_before_and_after(workflow: str) -> None:
    bench = Bench(FakeCaller(sight=True, size=(960, 600)), control={"workflow": workflow})
    _play(bench, 2)
    judged = next(ask for ask in bench.caller.asks if ask.purpose is Purpose.REFLECT)
    assert judged.image and judged.before
    assert sum(message.image for message in judged.prompt.messages) == 2


def test_cradle_sums_up_what_its_window_loses() -> None:
    bench = _bench("cradle")
    _play(bench, 7)
    assert [step for step, calls in enumerate(_calls(bench, 7)) if "reflect_history" in calls] == [5]
    assert 'Summary of earlier steps: "said for reflect_history"' in bench.caller.said(-1)
