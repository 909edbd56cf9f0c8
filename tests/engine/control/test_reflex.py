"""The reflex: a module at frame rate, its end, its steps, and an action it may not take."""

from __future__ import annotations

from pitwall.core.actions import NO_OP, Invalid, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import Value
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.reflex import ReflexController
from pitwall.games.schema.modules import Module, Rule
from pitwall.gsm.rule_module import RuleModule

LOW: dict[str, Value] = {"y": 300, "over": False}
HIGH: dict[str, Value] = {"y": 100, "over": False}
OVER: dict[str, Value] = {"y": 300, "over": True}


def flyer(action: str = "use", cooldown_ms: int = 0) -> RuleModule:
    rules = [Rule(when="y > 200", action=action, cooldown_ms=cooldown_ms)]
    return RuleModule(Module(name="fly", ends="over", rules=rules), frozenset({"y", "over"}))


def test_it_acts_on_the_frame_that_asks_for_it(space: ActionSpace) -> None:
    reflex = ReflexController(space, step_ms=1_000)
    assert reflex.frame(LOW, 0) is None, "nothing drives yet"
    reflex.start(flyer(), now_ns=0)
    assert reflex.running == "fly"
    assert reflex.frame(HIGH, NS_PER_MS) is None
    acted = reflex.frame(LOW, 2 * NS_PER_MS)
    assert acted is not None
    assert (acted.action, acted.module, acted.invalid) == (SemanticAction(name="use"), "fly", None)


def test_it_ends_by_itself_and_before_it_acts(space: ActionSpace) -> None:
    reflex = ReflexController(space, step_ms=1_000)
    reflex.start(flyer(), now_ns=0)
    assert reflex.frame(OVER, NS_PER_MS) is None
    assert (reflex.running, reflex.ended) == ("", "fly")
    reflex.start(flyer(), now_ns=2 * NS_PER_MS)
    assert (reflex.running, reflex.ended) == ("fly", "")
    reflex.stop()
    assert (reflex.running, reflex.ended) == ("", "")


def test_starting_what_runs_does_not_start_it_anew(space: ActionSpace) -> None:
    reflex, module = ReflexController(space, step_ms=1_000), flyer(cooldown_ms=1_000)
    reflex.start(module, now_ns=0)
    assert reflex.frame(LOW, 0)
    reflex.start(module, now_ns=NS_PER_MS)
    assert reflex.frame(LOW, 2 * NS_PER_MS) is None, "still cooling down"
    reflex.stop()
    reflex.start(module, now_ns=3 * NS_PER_MS)
    assert reflex.frame(LOW, 4 * NS_PER_MS)


def test_an_action_outside_the_space_is_an_invalid_no_op(space: ActionSpace) -> None:
    reflex = ReflexController(space, step_ms=1_000)
    reflex.start(flyer(action="alt_f4"), now_ns=0)
    acted = reflex.frame(LOW, 0)
    assert acted is not None
    assert (acted.action, acted.text, acted.invalid) == (NO_OP, "alt_f4", Invalid.OUT_OF_SPACE)


def test_what_a_module_keeps_down_ends_with_it(space: ActionSpace) -> None:
    reflex, module = ReflexController(space, step_ms=1_000), flyer(action="drop")
    module.held = ("use", "alt_f4")
    reflex.start(module, now_ns=0)
    assert not reflex.held, "it has not acted yet"
    acted = reflex.frame(HIGH, 0)
    assert acted is not None
    assert (acted.text, acted.stays) == ("use", True), "a hold that begins is an action"
    assert reflex.held == (SemanticAction(name="use"),), "what is not legal is not held"
    assert reflex.frame(HIGH, 1) is None
    reflex.frame(OVER, 2)
    assert not reflex.held


def test_steps_are_counted_by_the_second(space: ActionSpace) -> None:
    reflex = ReflexController(space, step_ms=1_000)
    assert not reflex.step_due(10_000 * NS_PER_MS), "nothing drives"
    reflex.start(flyer(), now_ns=0)
    due: list[int] = []

    def count(at_ms: int) -> bool:
        counted = reflex.step_due(at_ms * NS_PER_MS)
        if counted:
            due.append(at_ms)
            reflex.step_began(at_ms * NS_PER_MS)
        return counted

    for at_ms in range(0, 5_000, 33):
        count(at_ms)
    assert len(due) == 4
    assert all(0 <= ms - 1_000 * number < 33 for number, ms in enumerate(due, start=1))
    assert count(60_000), "after a standstill: one step,"
    assert not count(60_033), "not one for each second missed"
    reflex.step_began(60_600 * NS_PER_MS)  # a scene cut
    assert not count(61_500)
    assert count(61_600)


def test_a_screen_that_stands_through_a_step_is_acted_on_once_more(space: ActionSpace) -> None:
    reflex, ready = ReflexController(space, step_ms=1_000), list[bool]()
    reflex.start(flyer(), now_ns=0)
    for second in range(2):
        reflex.step_began(second * 1_000 * NS_PER_MS)
        ready.append(reflex.ready)
    assert ready == [False, True], "a frame may still come; none came through a step"
    assert reflex.frame(LOW, 1_001 * NS_PER_MS)
    ready.append(reflex.ready)
    reflex.step_began(2_000 * NS_PER_MS)
    ready.append(reflex.ready)
    reflex.stop()
    reflex.step_began(3_000 * NS_PER_MS)
    ready.append(reflex.ready)
    assert ready[2:] == [False] * 3, "once a step, and only while it drives"
