"""The model reactor: one call, one legal action or an escalation, and rules where there is neither."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.engine.control.model_fakes import FAILED, Bench, FakeCaller, past, react_request, text, walker

from pitwall.core.actions import Effect, Invalid, Proposal, SemanticAction
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.settings import Settings
from pitwall.engine.control.tabu import ESCALATE, action_choice
from pitwall.games.schema.profile import Skill

FORWARD = SemanticAction(name="forward", arguments={"ms": 200})
LEFT = SemanticAction(name="turn_left")
PLAN = Proposal(proposal_id=1, situation="", subgoal="reach the tree", candidates=(LEFT, FORWARD))
DRIVEN = Proposal(proposal_id=2, situation="", subgoal="fight", module="shooter")


def _bench(*replies: str, **caller: object) -> Bench:
    fake = FakeCaller({Purpose.REACT: list(replies)} if replies else {})
    for name, value in caller.items():
        setattr(fake, name, value)
    return Bench(fake)


@pytest.mark.parametrize(
    ("answer", "action", "escalates"),
    [
        ({"action": "forward(ms=200)"}, FORWARD, False),
        ({"action": "TURN LEFT"}, LEFT, False),
        ({"action": "use"}, SemanticAction(name="use"), False),
        ({"escalate": "the door is locked"}, None, True),
    ],
)
def test_one_action_or_an_escalation(
    answer: dict[str, str], action: SemanticAction | None, escalates: bool
) -> None:
    bench = _bench(text(answer))
    reply = bench.react(react_request(proposal=PLAN))
    assert (reply.action, reply.escalate, reply.invalid, reply.call) == (action, escalates, None, 1)
    assert bench.caller.purposes == ["react"] and bench.caller.unsettled == [1], "the router settles it"
    assert escalates is ("the door is locked" in reply.why)


@pytest.mark.parametrize(
    ("bad", "invalid"),
    [
        ("go left", Invalid.NO_CALL),
        (text({"action": "fly"}), Invalid.OUT_OF_SPACE),
        (text({"action": "forward(ms=99999)"}), Invalid.OUT_OF_SPACE),
        (text({"action": "use", "escalate": "and help"}), Invalid.NO_CALL),
        (text({}), Invalid.NO_CALL),
        (text({"action": ["use"]}), Invalid.NO_CALL),
    ],
)
def test_what_is_no_action_is_left_to_the_rules(bad: str, invalid: Invalid) -> None:
    bench = _bench(bad)
    reply = bench.react(react_request(proposal=PLAN))
    assert (reply.action, reply.escalate, reply.invalid, reply.call) == (None, False, invalid, 0)
    assert reply.why.startswith("the model gave no action: ")
    assert bench.caller.outcome(1) is CallOutcome.INVALID and bench.caller.settled[1][2] is invalid
    assert bench.caller.purposes == ["react"], "one call a request"


def test_a_failed_call_is_left_to_the_rules() -> None:
    bench = _bench(FAILED)
    reply = bench.react(react_request())
    assert (reply.action, reply.escalate, reply.invalid, reply.call) == (None, False, None, 0)
    assert FAILED in reply.why and bench.caller.outcome(1) is CallOutcome.FAILED


@pytest.mark.parametrize(
    ("proposal", "override", "held"),
    [(PLAN, False, True), (PLAN, True, False), (None, False, False), (DRIVEN, False, False)],
)
def test_without_override_only_the_candidates_count(
    proposal: Proposal | None, override: bool, held: bool
) -> None:
    bench = _bench(text({"action": "use"}))
    reply = bench.react(react_request(proposal=proposal, override=override))
    assert (reply.action is None) is held
    grammar = bench.caller.asks[0].grammar
    assert ("use" not in grammar) is held


def test_a_candidate_and_a_correction_are_told_apart() -> None:
    bench = _bench(text({"action": "turn_left"}), text({"action": "use"}))
    assert bench.react(react_request(1, proposal=PLAN)).why == "for 'reach the tree'"
    assert bench.react(react_request(2, proposal=PLAN)).why == "correcting locally, for 'reach the tree'"


def test_the_prompt_tells_the_plan_the_effect_and_the_hints() -> None:
    bench = _bench(sight=True)
    bench.react(
        react_request(
            proposal=PLAN,
            candidate=3,
            last_effect=Effect.UNVERIFIED,
            history=tuple(past(step) for step in range(1, 9)),
            hints=("turn first",),
            doubt=True,
        )
    )
    prompt = bench.caller.said(0)
    assert "reach the tree" in prompt and "next in turn: forward(ms=200)" in prompt
    assert "no effect seen" in prompt and "turn first" in prompt
    assert "steps 4 to 7:" in prompt and "step 8:" in prompt, "five recent steps"
    assert bench.caller.asks[0].image and bench.caller.asks[0].prompt.messages[-1].image


def test_under_a_plan_no_skill_is_told_and_without_one_all_that_apply() -> None:
    bench = _bench()
    for proposal in (PLAN, None):
        bench.react(react_request(proposal=proposal))
    under, without = ("".join(message.text for message in ask.prompt.messages) for ask in bench.caller.asks)
    assert "walk: when" not in under
    assert "walk: when" in without


def test_where_nobody_plans_no_escalation_is_offered_and_none_is_taken() -> None:
    bench = _bench(text({"escalate": "what now?"}), text({"action": "turn_left"}))
    bench.settings = bench.settings.with_value("control", "routing", "reactive-only")
    refused = bench.react(react_request(1, override=False))
    assert (refused.action, refused.escalate, refused.invalid) == (None, False, Invalid.NO_CALL)
    assert bench.react(react_request(2)).action == LEFT
    for asked in bench.caller.asks:
        prompt = "".join(message.text for message in asked.prompt.messages)
        assert "escalate" not in prompt + asked.grammar + asked.schema
        assert "walk: when" in prompt and "Left to try" not in prompt
    first, second = (asked.prompt.messages[0] for asked in bench.caller.asks)
    assert first == second, "what stands first stays as it is"


def test_where_plans_come_by_a_schedule_a_request_for_a_plan_is_not_offered() -> None:
    bench = _bench(text({"escalate": "what now?"}))
    bench.settings = bench.settings.with_value("control", "routing", "fixed-schedule")
    refused = bench.react(react_request())
    assert (refused.action, refused.escalate, refused.invalid) == (None, False, Invalid.NO_CALL)
    assert "escalate" not in bench.caller.asks[0].grammar + bench.caller.asks[0].schema


def test_where_nobody_plans_only_skills_that_have_an_action_now_are_listed() -> None:
    driven = Skill(name="fight", when="true", subgoal="fight", module="shooter")
    lost = Skill(name="lost", when="true", subgoal="get out", actions=["{wood}"])
    fake = FakeCaller({Purpose.REACT: [text({"action": "use"})]})
    bench = Bench(fake, game=walker(driven, lost), control={"routing": "reactive-only"})
    bench.react(react_request())
    prompt = fake.said(0)
    assert "walk: when" in prompt and "fight: when" not in prompt and "lost: when" not in prompt


def test_where_nobody_plans_a_skill_is_told_with_what_it_does_first_now() -> None:
    led = Skill(name="led", when="true", subgoal="get out", actions=["{wood}"], priority=9)
    fixed = Skill(name="fixed", when="true", subgoal="go on", actions=["forward", "use"], priority=8)
    game = walker(led, fixed)
    request = replace(react_request(), values={"wood": "fly; turn left; use", "status": "playing"})
    prompts = []
    for routing in ("reactive-only", "events"):
        fake = FakeCaller({Purpose.REACT: [text({"action": "use"})]})
        Bench(fake, game=game, control={"routing": routing}).react(request)
        prompts.append(
            [line for line in fake.said(0).splitlines() if line.startswith(("- led:", "- fixed:"))]
        )
    alone, planned = prompts
    assert alone[0].endswith('; first "turn_left"'), "no one flies; as it is written in a reply"
    assert alone[1].endswith('; first "forward(ms=100)"')
    assert [line.partition("; first")[0] for line in alone] == planned


def test_where_nobody_plans_and_no_skill_applies_it_is_told_what_is_left_to_try() -> None:
    fake = FakeCaller({Purpose.REACT: [text({"action": "use"})]})
    bench = Bench(fake, control={"routing": "reactive-only"}, layers={"l5": "disable"})
    bench.react(react_request(candidate=2, history=(past(9, "use", Effect.UNVERIFIED),)))
    assert "Left to try: turn_right, forward, turn_left\n" in bench.caller.said(0)


def test_no_picture_for_a_model_that_does_not_see() -> None:
    bench = _bench()
    bench.react(react_request())
    assert not bench.caller.asks[0].image


def test_it_is_there_while_there_is_a_model_and_calls() -> None:
    bench = _bench()
    assert bench.reactor.available
    bench = _bench(calls_left=0)
    assert not bench.reactor.available
    reply = bench.react(react_request())
    assert reply.action is None and not reply.escalate and not bench.caller.asks


def test_nothing_waits() -> None:
    bench = _bench(slow=True, uncounted=1)
    bench.reactor.request(react_request(1))
    assert bench.reactor.poll() is None and not bench.caller.asks, "counting"
    assert bench.reactor.poll() is None and bench.caller.purposes == ["react"]
    bench.reactor.request(react_request(2))
    assert bench.caller.outcome(1) is CallOutcome.CANCELLED
    bench.caller.slow = False
    reply = bench.reactor.poll()
    assert reply is not None and (reply.request_id, reply.call) == (2, 2)
    bench.reactor.cancel()
    assert bench.reactor.poll() is None


def test_settings_are_read_at_each_request() -> None:
    bench = _bench()
    bench.react(react_request(1, hints=("turn first",)))
    bench.settings = Settings.model_validate({"memory": {"global_only": True}, "layers": {"l1": "stripped"}})
    bench.react(react_request(2, hints=("turn first",)))
    long, short = (ask.prompt.messages[0].text for ask in bench.caller.asks)
    assert len(short) < len(long) and "turn first" not in bench.caller.said(1)


def test_a_barred_escalation_and_barred_actions_cannot_be_written() -> None:
    bench = Bench(FakeCaller({Purpose.REACT: [text({"escalate": "why"})]}))
    barred = react_request(bars={ESCALATE: 99, action_choice("use"): 99})
    reply = bench.react(barred)
    assert reply.action is None and not reply.escalate
    schema = bench.caller.asks[-1].schema
    assert "escalate" not in schema and "use" not in schema and "turn_left" in schema
    assert bench.react(replace(barred, bars={})).escalate


def test_what_the_plan_itself_names_is_not_barred_within_it() -> None:
    use = SemanticAction(name="use")
    plan = Proposal(proposal_id=1, situation="", subgoal="dig", candidates=(use,))
    bench = Bench(FakeCaller({Purpose.REACT: [text({"action": "use"})]}))
    assert bench.react(react_request(proposal=plan, bars={action_choice("use"): 99})).action == use


def test_a_native_tool_call_is_asked_for_without_a_grammar_and_read() -> None:
    call = '<tool_call>{"name": "forward", "arguments": {"ms": 200}}</tool_call>'
    bench = _bench(call, '<tool_call>{"name": "forw', "I go left.")
    bench.settings = bench.settings.with_value("models", "calls", "tools")
    assert bench.react(react_request(proposal=PLAN)).action == FORWARD
    ask = bench.caller.asks[0]
    assert (ask.grammar, ask.schema, ask.must_call) == ("", "", True)
    assert [function["function"]["name"] for function in json.loads(ask.tools)][:2] == [
        "forward",
        "turn_left",
    ]
    text_sent = "".join(message.text for message in ask.prompt.messages)
    assert "JSON object" not in text_sent and "Call exactly one function" in text_sent
    kinds = [bench.react(react_request(proposal=PLAN)).invalid for _ in range(2)]
    assert kinds == [Invalid.MALFORMED, Invalid.NO_CALL]


def test_without_a_grammar_a_model_writes_freely() -> None:
    bench = _bench('{"action": "forw')
    bench.settings = bench.settings.with_value("models", "grammar", False)
    reply = bench.react(react_request(proposal=PLAN))
    assert (bench.caller.asks[0].grammar, bench.caller.asks[0].schema) == ("", "")
    assert (reply.action, reply.invalid) == (None, Invalid.MALFORMED)


def test_a_prompt_in_four_sections_names_rules_controls_task_and_form() -> None:
    bench = _bench()
    bench.settings = bench.settings.with_value("models", "prompt", "sections")
    bench.react(react_request())
    system, state = bench.caller.asks[0].prompt.messages
    headings = [line for line in system.text.splitlines() if line.startswith("# ")]
    assert headings == ["# Role and Controls", "# Output Format"], "a game without rules and a task"
    assert "forward(ms=50..500" in system.text and '{"action":"..."}' in system.text
    assert "State (" in state.text
