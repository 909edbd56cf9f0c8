"""The reactive controller: candidates in turn, bounded retries, and when it asks for a plan."""

from __future__ import annotations

import pytest

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.errors import ConditionError
from pitwall.core.observations import Value
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.proposal_state import GroundedAction, ProposalState
from pitwall.engine.control.reactive import ReactiveController

VALUES: dict[str, Value] = {"door": False, "status": "playing"}
SEEN, UNSEEN, NOTHING = Effect.CONFIRMED, Effect.UNVERIFIED, Effect.NONE


def plan(*candidates: str, stop: str = "", steps: int = 8, module: str = "") -> ProposalState:
    actions = tuple(SemanticAction(name=name) for name in candidates)
    proposal = Proposal(
        proposal_id=1, situation="", subgoal="go", candidates=actions, stop=stop, steps=steps, module=module
    )
    return ProposalState(proposal, status="playing")


def follow(space: ActionSpace, state: ProposalState, effects: list[Effect | None]) -> list[str]:
    """The actions of as many steps as there are effects before them; "ask" where it asks."""
    controller, actions = ReactiveController(space), []
    for effect in effects:
        grounded = controller.decide(VALUES, state, effect)
        if grounded.request:
            actions.append("ask")
            break
        state.take(grounded)
        actions.append(str(grounded.action))
    return actions


@pytest.mark.parametrize(
    ("candidates", "effects", "expected"),
    [
        (["forward", "use"], [None, SEEN, SEEN, SEEN], ["forward", "use", "forward", "use"]),
        (["forward", "forward", "use"], [None, SEEN, SEEN, SEEN], ["forward", "forward", "use", "forward"]),
        (["forward"], [None, UNSEEN, SEEN, SEEN], ["forward"] * 4),
        (["forward"], [None, UNSEEN, UNSEEN], ["forward", "forward", "ask"]),
        (["forward", "use"], [None, UNSEEN, UNSEEN, SEEN], ["forward", "forward", "use", "use"]),
        (["forward", "forward", "use"], [None, UNSEEN, UNSEEN], ["forward", "forward", "use"]),
        (
            ["forward", "use", "turn_left"],
            [None, UNSEEN, UNSEEN, UNSEEN, UNSEEN, UNSEEN],
            ["forward", "forward", "use", "use", "turn_left", "ask"],
        ),
        (["wait", "use"], [None, NOTHING, NOTHING], ["wait", "use", "wait"]),
        (["fly", "forward", "swim"], [None, SEEN], ["forward", "forward"]),
        (["fly", "swim"], [None], ["ask"]),
        ([], [None], ["ask"]),
    ],
)
def test_candidates_in_turn_with_bounded_retries(
    space: ActionSpace, candidates: list[str], effects: list[Effect | None], expected: list[str]
) -> None:
    assert follow(space, plan(*candidates), effects) == expected


def test_it_asks_when_there_is_no_proposal(space: ActionSpace) -> None:
    grounded = ReactiveController(space).decide(VALUES, None, None)
    assert grounded.request
    assert grounded.action is None
    assert not grounded.failed


def test_it_asks_when_the_steps_are_used_up(space: ActionSpace) -> None:
    assert follow(space, plan("forward", steps=2), [None, SEEN, SEEN]) == ["forward", "forward", "ask"]


@pytest.mark.parametrize(
    ("values", "asks"),
    [
        ({"door": True, "status": "playing"}, True),
        ({"door": None, "status": "playing"}, False),
        ({"door": False, "status": "terminal"}, True),
        (VALUES, False),
    ],
)
def test_it_asks_when_the_plan_is_done_or_the_game_is_elsewhere(
    space: ActionSpace, values: dict[str, Value], asks: bool
) -> None:
    grounded = ReactiveController(space).decide(values, plan("forward", stop="door"), None)
    assert grounded.request is asks
    assert not grounded.failed


def test_it_says_when_corrections_failed(space: ActionSpace) -> None:
    controller, state = ReactiveController(space, max_corrections=0), plan("forward", "use")
    state.take(controller.decide(VALUES, state, None))
    grounded = controller.decide(VALUES, state, UNSEEN)
    assert grounded.request
    assert grounded.failed
    assert "forward" in grounded.why


def test_deciding_changes_nothing_until_it_is_taken(space: ActionSpace) -> None:
    controller, state = ReactiveController(space), plan("forward", "use")
    assert controller.decide(VALUES, state, None) == controller.decide(VALUES, state, None)
    state.take(controller.decide(VALUES, state, None))
    assert controller.decide(VALUES, state, SEEN) == controller.decide(VALUES, state, SEEN)


def test_what_never_reached_the_game_is_offered_again(space: ActionSpace) -> None:
    controller, state = ReactiveController(space), plan("forward", "use", steps=2)
    state.take(controller.decide(VALUES, state, None))
    for _ in range(5):
        state.take(controller.decide(VALUES, state, SEEN))
        state.take_back()
    again = controller.decide(VALUES, state, SEEN)
    assert again.action == SemanticAction(name="use")
    assert state.steps_used == 1


def test_a_module_drives_instead(space: ActionSpace) -> None:
    state = plan(module="fly", steps=1)
    grounded = ReactiveController(space).decide({"status": "ready"}, state, None)
    assert (grounded.action, grounded.request) == (None, False)
    state.take(GroundedAction(action=None, why=""))
    assert ReactiveController(space).decide(VALUES, state, None).request


def test_a_stop_condition_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(ConditionError):
        plan("forward", stop="door ==")
