"""GameSense's workflow: seven stages, memory passed on, and what stands in where one of them fails."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.engine.control.model_fakes import (
    FAILED,
    Bench,
    FakeCaller,
    note,
    past,
    plan_request,
    text,
    usual,
)

from pitwall.core.actions import Effect, Invalid, SemanticAction
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.memories import MemoryEntry, Provenance
from pitwall.core.memory_kinds import GlobalNote, ProcedureMemory
from pitwall.core.signals import Failure

FIRST = ["analyse_screen", "plan_task", "plan_actions", "construct"]
SECOND = ["analyse_screen", "reflect_task", "reflect_actions", "plan_task", "plan_actions", "construct"]
ALL = [*SECOND[:2], "reflect_history", *SECOND[2:]]


def _bench(script: dict[Purpose, list[str]] | None = None, **caller: object) -> Bench:
    fake = FakeCaller(script or {})
    for name, value in caller.items():
        setattr(fake, name, value)
    return Bench(fake, control={"workflow": "gamesense"})


def _said(bench: Bench, purpose: Purpose) -> str:
    """The newest prompt's last message for a purpose."""
    return next(ask.prompt.messages[-1].text for ask in reversed(bench.caller.asks) if ask.purpose is purpose)


def test_stages_come_in_order_and_look_back_once_there_is_something() -> None:
    bench = _bench()
    bench.plan(plan_request(1))
    assert bench.caller.purposes == FIRST
    bench.plan(plan_request(2, step=14))
    assert bench.caller.purposes == FIRST + SECOND
    reply = bench.plan(plan_request(3, step=18))
    assert bench.caller.purposes == FIRST + SECOND + ALL
    assert reply.calls == 7 and reply.call == len(bench.caller.asks)
    assert bench.caller.unsettled == [4, 10, 17], "each plan's last call is the router's"


def test_a_plan_of_at_most_five_constructed_actions() -> None:
    many = text({"actions": ["forward(ms=300)"] * 9, "steps": 7})
    bench = _bench({Purpose.CONSTRUCT: [many]})
    proposal = bench.plan(plan_request()).proposal
    assert proposal is not None
    assert proposal.candidates == (SemanticAction(name="forward", arguments={"ms": 300}),) * 5
    assert (proposal.subgoal, proposal.stop, proposal.steps) == ("reach the door", "wood >= 9", 7)
    assert proposal.source == "model:tiny"


def test_the_picture_is_analysed_where_the_model_sees() -> None:
    bench = _bench(sight=True)
    bench.plan(plan_request())
    assert [ask.image for ask in bench.caller.asks] == [True, False, False, False]


def test_episodic_memory_is_passed_on() -> None:
    bench = _bench({Purpose.REFLECT_HISTORY: [text({"text": "twice too slow"})]})
    for step in (10, 20, 30):
        bench.plan(plan_request(step, step=step, history=(past(step - 1, effect=Effect.UNVERIFIED),)))
    task = _said(bench, Purpose.PLAN_TASK)
    assert "gameplay: a hall" in task and "still far" in task and "twice too slow" in task
    reflection = _said(bench, Purpose.REFLECT_TASK)
    assert "reach the door" in reflection and "forward(ms=300)" in reflection
    assert reflection.count("a hall") == 2, "the screens before and after"
    assert _said(bench, Purpose.REFLECT_HISTORY).count("reach the door") == 2


def test_the_summary_looks_at_the_last_ten_tasks() -> None:
    bench = _bench()
    for number in range(1, 15):
        bench.plan(plan_request(number, step=4 * number))
    assert _said(bench, Purpose.REFLECT_HISTORY).count("reach the door") == 10


def test_procedural_memory_is_looked_up_by_the_action_s_name() -> None:
    bench = _bench()
    bench.plan(plan_request(1, history=(past(5, ms=450), past(6, "use", Effect.UNVERIFIED))))
    assert "forward(ms=450): worked" in _said(bench, Purpose.CONSTRUCT)
    bench.plan(plan_request(2, step=14, history=(past(12, effect=Effect.UNVERIFIED, ms=300),)))
    prompt = _said(bench, Purpose.CONSTRUCT)
    assert "forward(ms=450): worked" in prompt and "hold longer" in prompt, "what failed does not replace it"
    assert "use" not in prompt.split("How they went before:")[1].split("Fields:")[0]


def test_a_construction_may_write_the_planned_actions_only() -> None:
    strayed = text({"actions": ["use", "forward(ms=300)"], "steps": 3})
    bench = _bench({Purpose.CONSTRUCT: [strayed]})
    reply = bench.plan(plan_request())
    assert reply.proposal is not None
    assert [str(action) for action in reply.proposal.candidates] == ["forward(ms=300)"]
    assert (reply.proposed, reply.illegal) == (2, 1)
    grammar = bench.caller.asks[-1].grammar
    assert "forward" in grammar and "turn" not in grammar


def test_a_module_needs_no_construction() -> None:
    bench = _bench({Purpose.PLAN_ACTIONS: [text({"actions": [], "module": "shooter"})]})
    reply = bench.plan(plan_request(1))
    assert bench.caller.purposes == FIRST[:3] and bench.caller.unsettled == [3] == [reply.call]
    assert reply.proposal is not None
    assert (reply.proposal.module, reply.proposal.candidates) == ("shooter", ())
    bench.plan(plan_request(2, step=14))
    assert bench.caller.purposes[3:] == ["analyse_screen", "reflect_task", *FIRST[1:3]]
    assert "module shooter" in _said(bench, Purpose.REFLECT_TASK)


@pytest.mark.parametrize(
    "stage",
    [Purpose.ANALYSE_SCREEN, Purpose.REFLECT_TASK, Purpose.REFLECT_HISTORY, Purpose.REFLECT_ACTIONS],
)
@pytest.mark.parametrize("bad", [FAILED, "nonsense"])
def test_looking_back_may_fail(stage: Purpose, bad: str) -> None:
    bench = _bench({stage: [bad]})
    replies = [bench.plan(plan_request(number, step=4 * number)) for number in (1, 2, 3)]
    assert all(reply.proposal is not None or reply.keep for reply in replies)
    assert not any(reply.failed for reply in replies)
    assert bench.caller.purposes == FIRST + SECOND + ALL


@pytest.mark.parametrize("stage", [Purpose.PLAN_TASK, Purpose.PLAN_ACTIONS])
@pytest.mark.parametrize(("bad", "tries"), [(FAILED, 1), ("nonsense", 2)])
def test_without_a_task_or_its_actions_the_skills_stand_in(stage: Purpose, bad: str, tries: int) -> None:
    bench = _bench({stage: [bad]})
    reply = bench.plan(plan_request())
    assert reply.failed and reply.proposal is not None and reply.proposal.source == "skill:walk"
    assert bench.caller.purposes.count(stage.value) == tries and not bench.caller.unsettled
    assert ("not valid" in _said(bench, stage)) is (tries == 2)


def test_a_second_try_may_succeed() -> None:
    unknown = text({"actions": [{"action": "fly", "aim": "up"}], "module": ""})
    bench = _bench({Purpose.PLAN_ACTIONS: [unknown, usual(Purpose.PLAN_ACTIONS)]})
    reply = bench.plan(plan_request())
    assert not reply.failed and reply.calls == 5
    assert bench.caller.settled[3][2:] == (Invalid.OUT_OF_SPACE, 1, 1)


@pytest.mark.parametrize("bad", [FAILED, "nonsense", text({"actions": ["use"], "steps": 2})])
def test_procedural_memory_stands_in_for_the_construction(bad: str) -> None:
    bench = _bench({Purpose.CONSTRUCT: [bad]})
    reply = bench.plan(plan_request(history=(past(5, ms=450),)))
    assert reply.proposal is not None and not reply.failed
    assert [str(action) for action in reply.proposal.candidates] == ["forward(ms=450)"]
    assert (reply.call, reply.proposed) == (0, 0) and not bench.caller.unsettled
    bench = _bench({Purpose.CONSTRUCT: [bad]})
    reply = bench.plan(plan_request())
    assert reply.proposal is not None
    assert [str(action) for action in reply.proposal.candidates] == ["forward(ms=100)"], "its defaults"


def test_procedural_memory_begins_with_what_earlier_runs_learnt() -> None:
    bench = _bench({Purpose.CONSTRUCT: [FAILED, usual(Purpose.CONSTRUCT), usual(Purpose.CONSTRUCT)]})
    learnt = ProcedureMemory(action="forward", construction="forward(ms=250)", successes=3, attempts=4)
    by = Provenance(author="agent")
    entry = MemoryEntry(entry_id=1, game_id=bench.game.game_id, content=learnt, provenance=by, changed_by=by)
    bench.book = bench.book.with_remembered([entry])
    reply = bench.plan(plan_request(1))
    assert "forward(ms=250): worked" in _said(bench, Purpose.CONSTRUCT)
    assert "3 of 4 tries" in _said(bench, Purpose.CONSTRUCT)
    assert reply.proposal is not None
    assert [str(action) for action in reply.proposal.candidates] == ["forward(ms=250)"]
    edited = replace(entry, version=2, content=replace(learnt, construction="forward(ms=350)"))
    bench.book = bench.book.with_remembered([edited])
    bench.plan(plan_request(2, step=12))
    prompt = _said(bench, Purpose.CONSTRUCT)
    assert "forward(ms=350): worked" in prompt and "hold longer" in prompt, "an edit counts at once"
    bench.plan(plan_request(3, step=14, history=(past(12, ms=450),)))
    assert "forward(ms=450): worked" in _said(bench, Purpose.CONSTRUCT), "and this run's own before both"


def test_notes_of_the_memory_are_told() -> None:
    bench = _bench()
    by = Provenance(author="agent")
    note_of_old = GlobalNote(about="failure", text="fell into lava")
    entry = MemoryEntry(
        entry_id=1, game_id=bench.game.game_id, content=note_of_old, provenance=by, changed_by=by
    )
    bench.book = bench.book.with_remembered([entry])
    bench.plan(plan_request())
    assert 'failure: "fell into lava"' in _said(bench, Purpose.PLAN_TASK)


def test_what_failed_is_told_to_the_task_plan() -> None:
    bench = _bench()
    bench.plan(plan_request(failure=Failure.ERROR, trace=(note("walked into lava"),)))
    assert "walked into lava" in _said(bench, Purpose.PLAN_TASK)


def test_a_flush_drops_the_analysis_but_not_the_procedures() -> None:
    bench = _bench()
    bench.plan(plan_request(1, history=(past(5, ms=450),)))
    bench.plan(plan_request(2, step=14, flush=True))
    assert bench.caller.purposes == FIRST * 2, "nothing to look back on"
    assert "forward(ms=450)" in _said(bench, Purpose.CONSTRUCT)


def test_a_plan_that_was_dropped_is_no_task() -> None:
    bench = _bench()
    kept = bench.plan(plan_request(1)).proposal
    bench.caller.script[Purpose.PLAN_TASK] = [
        text({"situation": "", "goal": "flee", "needs": "", "stop": ""})
    ]
    bench.plan(plan_request(2, step=14, running=kept))
    bench.plan(plan_request(3, step=18, running=kept))
    assert bench.caller.purposes == FIRST + SECOND + FIRST


@pytest.mark.parametrize("answered", range(len(FIRST)))
def test_every_call_is_settled_wherever_a_thought_is_dropped(answered: int) -> None:
    bench = _bench(slow_from=answered + 1)
    bench.planner.request(plan_request())
    assert bench.planner.poll() is None and bench.caller.open == [answered + 1]
    bench.planner.cancel()
    assert bench.caller.outcome(answered + 1) is CallOutcome.CANCELLED
    assert not bench.caller.unsettled and not bench.caller.open


def test_a_thought_that_was_dropped_looks_back_anew() -> None:
    bench = _bench()
    bench.plan(plan_request(1))
    stop_at = len(FIRST) + 3  # within the second plan's reflections
    bench.caller.slow_from = stop_at
    bench.planner.request(plan_request(2, step=14))
    assert bench.planner.poll() is None
    assert bench.caller.purposes[len(FIRST) :] == SECOND[:3]
    bench.planner.cancel()
    bench.caller.slow_from = None
    bench.plan(plan_request(3, step=18))
    assert bench.caller.purposes[stop_at:] == SECOND
    bench.plan(plan_request(4, step=22))
    assert _said(bench, Purpose.REFLECT_HISTORY).count("reach the door") == 2, "each task once"
