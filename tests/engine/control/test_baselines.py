"""The floor of every comparison: at random, and not at all."""

from __future__ import annotations

from collections import Counter

from pitwall.core.observations import GameStatus
from pitwall.core.signals import Reason, Signals
from pitwall.engine.control.baselines import IdlePlanner, RandomPlanner
from pitwall.engine.control.planner import PlanReply, PlanRequest
from pitwall.games.actions.vocabulary import Vocabulary


def _asked(planner: RandomPlanner | IdlePlanner, number: int) -> PlanReply:
    planner.request(
        PlanRequest(
            request_id=number,
            step=number,
            now_ns=0,
            values={},
            status=GameStatus.PLAYING,
            signals=Signals(),
            reasons=(Reason.SCHEDULE,),
        )
    )
    reply = planner.poll()
    assert reply is not None and reply.request_id == number and planner.poll() is None
    return reply


def _drawn(space: Vocabulary, seed: int, count: int = 300) -> list[str]:
    planner = RandomPlanner(space, seed=seed)
    plans = [_asked(planner, number).proposal for number in range(count)]
    assert all(plan is not None and plan.steps == 1 and not plan.module for plan in plans)
    return [str(plan.candidates[0]) for plan in plans if plan is not None]


def test_every_legal_action_is_drawn_about_as_often_with_legal_arguments(space: Vocabulary) -> None:
    drawn = _drawn(space, 1)
    names = Counter(text.split("(")[0] for text in drawn)
    assert set(names) == set(space.legal)
    assert max(names.values()) < 2 * min(names.values())
    for text in drawn:
        assert str(space.parse(text)) == text
    assert len({text for text in drawn if text.startswith("strafe")}) > 10


def test_equal_seeds_draw_equal_actions(space: Vocabulary) -> None:
    assert _drawn(space, 7, 40) == _drawn(space, 7, 40)
    assert _drawn(space, 7, 40) != _drawn(space, 8, 40)


def test_idle_never_acts() -> None:
    assert _asked(IdlePlanner(), 1).proposal is None
