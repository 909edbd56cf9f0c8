"""The truth's timeline: true states beside steps, and a whole episode of Crafter against its record."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.plain_records import step_record

from pitwall.core.actions import SemanticAction
from pitwall.core.errors import ExamError
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.registry import Registry
from pitwall.store.run_reader import RunReader
from pitwall_exam.episode.record import grid_record
from pitwall_exam.episode.states import GridState, TextState
from pitwall_exam.making.timeline import TrueStates, grid_truth, text_truth, true_states
from pitwall_exam.plugin_table.schema import ExamTable, GridTable, GridTruth, TextTable, TextTruth
from workshop.fixtures.crafter_episodes import play_crafter

TERRAIN = ["....", ".T.~", "...."]
GRID = GridTable(
    position=("x", "y"),
    view="view",
    columns=3,
    rows=3,
    legend={".": "grass", "T": "tree", "~": "water"},
    ground="ground",
    facing="facing",
    stats=["health"],
    resources=["wood"],
    walkable=["grass"],
    moves={"right": "right"},
    truth=GridTruth(
        position=("game_state.player.x", "game_state.player.y"),
        facing="game_state.player.facing",
        counts="game_state.player.has",
        terrain="raw.terrain",
        things="game_state.entities",
        world="metrics.worlds",
    ),
)


def step(number: int) -> StepRecord:
    return step_record(
        number,
        at_ns=number * 100,
        action=SemanticAction(name="right"),
    )


def state(x: int, y: int, *, health: int = 9, over: str = "", worlds: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "status": "terminal" if over else "playing",
        "terminal": {"is_terminal": bool(over), "outcome": None, "reason": over or None},
        "game_state": {
            "player": {"x": x, "y": y, "facing": [1, 0], "has": {"health": health, "wood": 0, **more}},
            "entities": [{"x": 0, "y": 0}],
        },
        "metrics": {"worlds": worlds},
        "raw": {"terrain": TERRAIN},
    }


def steps(count: int) -> list[StepRecord]:
    return [step(number) for number in range(1, count + 1)]


def test_a_step_has_the_newest_state_before_it_was_decided() -> None:
    message = TrueStates(
        [(-50, state(0, 2)), (99, state(1, 2)), (150, state(2, 2, wood=2)), (201, state(3, 2))], 900
    )
    trace = grid_truth(steps(4), message, GRID)
    assert [moment.before.at for moment in trace.moments] == [(0, 0), (1, 0), (2, 0)]
    assert [moment.after.moved for moment in trace.moments] == [True, True, False]
    assert trace.moments[0].after == GridState(
        at=(1, 0),
        ground="grass",
        facing="right",
        stats={"health": 9},
        items={"wood": 2},
        seen={
            (0, -1): "tree",
            (1, -1): "grass",
            (2, -1): "water",
            (0, 0): "grass",
            (1, 0): "grass",
            (2, 0): "grass",
        },
        moved=True,
    )


def test_terrain_under_things_and_beyond_the_world_is_not_known() -> None:
    trace = grid_truth(steps(2), TrueStates([(0, state(1, 1))], 900), GRID)
    seen = trace.moments[0].before.seen
    assert seen[0, 0] == "tree"
    assert (-1, -1) not in seen
    corner = grid_truth(steps(2), TrueStates([(0, state(3, 2))], 900), GRID).moments[0].before.seen
    assert set(corner) == {(-1, -1), (0, -1), (-1, 0), (0, 0)}


def test_an_episode_ends_with_its_world() -> None:
    dead = TrueStates([(0, state(1, 1)), (150, state(2, 1, health=0, over="death")), (250, state(1, 1))], 900)
    trace = grid_truth(steps(5), dead, GRID)
    assert (len(trace), trace.ended, trace.moments[-1].after.dead) == (1, "death", True)
    worn = TrueStates([(0, state(1, 1)), (150, state(2, 1, over="length"))], 900)
    assert grid_truth(steps(5), worn, GRID).ended == "length"
    another = TrueStates([(0, state(1, 1)), (250, state(1, 1, worlds=2))], 900)
    assert len(grid_truth(steps(5), another, GRID)) == 1


def test_what_the_log_does_not_reach_is_not_asked_about() -> None:
    assert len(grid_truth(steps(9), TrueStates([(0, state(1, 1))], 450), GRID)) == 3


def test_a_run_without_true_states_says_so() -> None:
    with pytest.raises(ExamError, match="no true state of this run was kept"):
        grid_truth(steps(3), TrueStates((), 0), GRID)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("'raw.terain'", {"terrain": "raw.terain"}),
        ("no whole number", {"position": ("raw.terrain", "game_state.player.y")}),
    ],
)
def test_a_path_that_leads_nowhere_is_named(part: str, change: dict[str, Any]) -> None:
    assert GRID.truth is not None
    broken = GRID.model_copy(update={"truth": GRID.truth.model_copy(update=change)})
    with pytest.raises(ExamError, match=part):
        grid_truth(steps(3), TrueStates([(0, state(1, 1))], 900), broken)


@pytest.mark.parametrize(
    "change",
    [{"counts": "metrics.worlds"}, {"terrain": "game_state.player"}, {"things": "metrics.worlds"}],
)
def test_a_path_that_leads_to_something_else_is_said(change: dict[str, Any]) -> None:
    assert GRID.truth is not None
    broken = GRID.model_copy(update={"truth": GRID.truth.model_copy(update=change)})
    with pytest.raises(ExamError, match="does not hold what"):
        grid_truth(steps(3), TrueStates([(0, {**state(1, 1), "terminal": {}})], 900), broken)


def test_a_text_games_truth_is_read_by_its_paths() -> None:
    text = TextTable(
        location="place",
        truth=TextTruth(location="raw.place", inventory="raw.carried", score="metrics.points"),
    )
    message = {**state(0, 0), "metrics": {"points": 5}, "raw": {"place": "Hall", "carried": ["lamp", "rope"]}}
    trace = text_truth(steps(2), TrueStates([(0, message)], 900), text)
    assert trace.moments[0].before == TextState("Hall", "", frozenset({"lamp", "rope"}), 5.0, None)
    with pytest.raises(ExamError, match=r"exam\.text\.truth"):
        text_truth(steps(2), TrueStates([(0, message)], 900), TextTable(location="place"))


@pytest.fixture(scope="module")
def episode(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[list[StepRecord], TrueStates, GridTable]]:
    """Crafter's own world, its pictures read by its own eyes."""
    data = DataFolder(tmp_path_factory.mktemp("crafter"))
    run_id = play_crafter(data, seed=2, steps=30)
    exam = Registry(data).load("crafter").profile.table(ExamTable)
    assert exam is not None
    assert exam.grid is not None
    with contextlib.closing(RunReader.open(data)) as reader:
        yield reader.steps(run_id), true_states(data, run_id), exam.grid


def test_by_day_crafters_record_is_the_truth(episode: tuple[list[StepRecord], TrueStates, GridTable]) -> None:
    log, states, grid = episode
    truth, record = grid_truth(log, states, grid), grid_record(log, grid)
    assert len(truth) == len(record) == 29
    for true, read in zip(truth.moments, record.moments, strict=True):
        assert (true.action, true.reason) == (read.action, read.reason)
        assert true == read, f"step {true.step}"
    last = truth.moments[-1].after
    assert last.items, "an episode in which nothing is gathered shows little"
    assert len({moment.after.at for moment in truth.moments}) > 5


def test_a_crafter_episode_is_the_same_every_time(tmp_path: Path) -> None:
    logs = []
    for name in ("one", "other"):
        data = DataFolder(tmp_path / name)
        play_crafter(data, seed=4, steps=3)
        logs.append((data.run(1) / "truth.jsonl").read_bytes())
    assert logs[0] == logs[1]
