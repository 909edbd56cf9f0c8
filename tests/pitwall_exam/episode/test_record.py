"""The agent's record as a timeline: hand-made steps of a small world, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.plain_records import step_record

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.errors import ExamError
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Reason, Route
from pitwall.core.steps import StepRecord
from pitwall_exam.episode.record import field_record, grid_record, text_record
from pitwall_exam.episode.states import GridState, TextState
from pitwall_exam.plugin_table.schema import GridTable, TextTable

GRID = GridTable(
    position=("x", "y"),
    view="view",
    columns=3,
    rows=3,
    legend={".": "grass", "T": "tree", "~": "water"},
    ground="ground",
    facing="facing",
    stats=["health", "food"],
    resources=["wood"],
    tools=["axe"],
    walkable=["grass"],
    moves={"left": "left", "right": "right"},
)
START = Proposal(proposal_id=1, situation="Wood is needed.", subgoal="gather wood")


def step(number: int, action: str = "right", *, over: bool = False, **fields: Value) -> StepRecord:
    return step_record(
        number,
        at_ns=number * 1_000,
        status=GameStatus.TERMINAL if over else GameStatus.PLAYING,
        why="for 'gather wood'",
        fields=fields,
        proposal=START,
        action=SemanticAction(name=action),
    )


def seen(x: int, y: int, view: str = "T../.@./~..", **more: Value) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "view": view,
        "ground": "grass",
        "facing": "right",
        "health": 9,
        "food": 8,
        **more,
    }


def test_a_step_has_the_state_it_was_decided_in_and_the_one_it_led_to() -> None:
    steps = [
        step(1, **seen(5, 7)),
        step(2, "left", **seen(6, 7, "..T/C@?/...", wood=1, axe=0)),
        step(3, **seen(6, 7, wood=None)),
    ]
    trace = grid_record(steps, GRID)
    assert (len(trace), trace.ended) == (2, "")
    first, second = trace.moments
    assert (first.step, first.action, first.reason) == (1, "right", "Wood is needed: gather wood.")
    assert first.before == GridState(
        at=(0, 0),
        ground="grass",
        facing="right",
        stats={"health": 9, "food": 8},
        seen={(-1, -1): "tree", (-1, 1): "water", **{place: "grass" for place in _GRASS}},
    )
    assert first.after is second.before
    assert (second.before.at, second.before.moved, second.before.items) == ((1, 0), True, {"wood": 1})
    assert (0, 0) not in second.before.seen, "a creature's tile has no known terrain"
    assert (2, 0) not in second.before.seen, "nor has one too dark to tell"
    assert (second.after.moved, second.after.items) == (False, {})


_GRASS = [(0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (0, 1), (1, 1)]


def test_an_episode_ends_with_its_end_screen() -> None:
    dead = [step(1, **seen(0, 0)), step(2, over=True, health=0), step(3, **seen(0, 0)), step(4, **seen(1, 0))]
    trace = grid_record(dead, GRID)
    assert (len(trace), trace.ended) == (1, "death")
    after = trace.moments[0].after
    assert (after.dead, after.at, after.seen, after.stats) == (True, None, {}, {"health": 0})
    lived = [step(1, **seen(0, 0)), step(2, over=True, health=4)]
    assert grid_record(lived, GRID).ended == "length"
    waited = [step(1, over=True), step(2, **seen(3, 3)), step(3, **seen(4, 3))]
    assert [moment.after.at for moment in grid_record(waited, GRID).moments] == [(0, 0), (1, 0)]


def test_a_map_begun_anew_is_laid_where_the_player_stood() -> None:
    places = [(0, 0), (4, 0), (5, 0), (0, 0), (0, 1)]
    trace = grid_record([step(n, **seen(x, y)) for n, (x, y) in enumerate(places, start=1)], GRID)
    assert [moment.after.at for moment in trace.moments] == [(4, 0), (5, 0), (5, 0), (5, 1)]


@pytest.mark.parametrize("view", ["..../.@../....", "...", "", 7])
def test_a_view_of_another_shape_shows_nothing(view: Value) -> None:
    steps = [step(1, **seen(0, 0) | {"view": view}), step(2, **seen(0, 0))]
    assert set(grid_record(steps, GRID).moments[0].before.seen) <= {(0, 0)}


@pytest.mark.parametrize("numbers", [(1, 3), (2, 3), (1, 1), (2, 1)])
def test_steps_out_of_order_are_told(numbers: tuple[int, int]) -> None:
    with pytest.raises(ExamError, match="cannot be asked about"):
        grid_record([step(number, **seen(0, 0)) for number in numbers], GRID)


@pytest.mark.parametrize("steps", [[], [step(1, **seen(0, 0))]])
def test_nothing_came_of_nothing(steps: list[StepRecord]) -> None:
    assert len(grid_record(steps, GRID)) == 0
    assert len(field_record(steps)) == 0


def test_a_text_game_is_told_in_its_commands() -> None:
    text = TextTable(
        location="place", observation="said", inventory="carried", score="points", valid="can", command="text"
    )
    say = SemanticAction(name="say", arguments={"text": "take lamp"})
    steps = [
        replace(step(1, place="Cellar", said="It is dark.", carried="", points=0), action=say),
        step(
            2, "north", place="Cellar", said="Taken.", carried="lamp; rope", points=5, can="north;drop lamp"
        ),
        step(3, place="Hall"),
    ]
    trace = text_record(steps, text)
    assert [moment.action for moment in trace.moments] == ["take lamp", "north"]
    assert trace.moments[0].before == TextState("Cellar", "It is dark.", frozenset(), 0.0, None)
    assert trace.moments[0].after == TextState(
        "Cellar", "Taken.", frozenset({"lamp", "rope"}), 5.0, frozenset({"north", "drop lamp"})
    )
    assert trace.moments[1].after == TextState("Hall")


def test_the_general_record_has_fields_routes_and_escalations_of_all_steps() -> None:
    asked = replace(step(1, lives=3), route=Route.STRATEGIC, reasons=(Reason.STALL, Reason.LOOP))
    person = replace(step(2, lives=2, over=True), route=Route.PERSON)
    trace = field_record([asked, person, step(3, lives=3)])
    first, second = trace.moments
    assert (first.before.route, first.before.escalations) == ("strategic", ("stall", "loop"))
    assert (first.after.fields, first.after.status) == ({"lives": 2}, "terminal")
    assert second.reason == "", "persons give no reasons"
    assert second.after.fields == {"lives": 3}
