"""A life of Crafter's own rules, told as the published log would tell it, and asked about by its rules."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import crafter
import pytest
from crafter_truth import true_state
from crafter_world import Life
from tests.plain_records import step_record

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.errors import ExamError
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.games.registry import Registry
from pitwall_evaluation.truth.log import TrueStates
from pitwall_evaluation.truth.state import TrueState
from pitwall_exam.compat.agreement import compared
from pitwall_exam.compat.answers import answered
from pitwall_exam.compat.episode import Episode
from pitwall_exam.compat.making import compat_exam
from pitwall_exam.compat.sampling import drawn
from pitwall_exam.compat.world import World
from pitwall_exam.making.published_episode import published_episode
from pitwall_exam.plugin_table.schema import ExamTable, GridTable
from pitwall_exam.questions.abilities import Ability

STEP_NS = 100_000_000
ACTIONS: list[str] = list(crafter.constants.actions)
AWAKE = [name for name in ACTIONS if name != "sleep"]
"""Asleep, a move does not turn one, and the published rules do not know it."""
OWN = {"do": "interact", "noop": "wait_turn"}


@dataclass
class Lived:
    """A life, as its truth log and its run log have it, and what it was by the package itself."""

    steps: list[StepRecord]
    states: TrueStates
    places: list[tuple[int, int]]
    inventories: list[dict[str, int]]
    materials: list[list[int]]


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> GridTable:
    exam = Registry(DataFolder(tmp_path_factory.mktemp("data"))).load("crafter").profile.table(ExamTable)
    assert exam is not None and exam.grid is not None
    return exam.grid


@pytest.fixture(scope="module")
def lived() -> Lived:
    chance, life = random.Random(4), Life(3, 16)
    materials = life.materials.tolist()
    life.player.inventory.update(wood=9, stone=9)  # so that there is something to place and to make
    steps, states, places, inventories = [], [(0, told(life))], [], []
    for number in range(1, 161):
        move = chance.choice(["move_left", "move_right", "move_up", "move_down"])
        action = chance.choice([move, move, move, "do", *AWAKE])
        steps.append(record(number, action))
        life.act(action)
        states.append((number * STEP_NS + 1, told(life)))
        places.append((int(life.player.pos[0]), int(life.player.pos[1])))
        inventories.append({name: int(count) for name, count in life.player.inventory.items()})
        if life.cause:
            break
    return Lived(steps, TrueStates(states, 10**12), places, inventories, materials)


def told(life: Life) -> dict[str, object]:
    return TrueState.model_validate(true_state(life, 100)).model_dump(mode="json")


def record(number: int, action: str) -> StepRecord:
    planned = number % 3 == 0
    return step_record(
        number,
        at_ns=number * STEP_NS,
        proposal=Proposal(proposal_id=number, situation="A tree is near", subgoal="chop it")
        if planned
        else None,
        action=SemanticAction(name=OWN.get(action, action)),
    )


@pytest.fixture(scope="module")
def episode(lived: Lived, grid: GridTable) -> Episode:
    return published_episode(lived.steps, lived.states, grid)


def test_the_episode_is_the_life_step_by_step(lived: Lived, episode: Episode) -> None:
    seen = len(lived.steps) - 1  # what came of the last step was not seen
    assert [row.at for row in episode.steps] == lived.places[:seen]
    assert [dict(row.inventory) for row in episode.steps] == lived.inventories[:seen]
    assert [row.reason for row in episode.steps[:4]] == ["", "", "A tree is near: chop it.", ""]
    own = {f"{name}".upper() for name in ACTIONS}
    assert {row.action for row in episode.steps} <= own
    assert episode.steps[0].action == {"interact": "DO", "wait_turn": "NOOP"}.get(
        lived.steps[0].action.name, lived.steps[0].action.name.upper()
    )


def test_the_map_is_the_first_one_in_published_digits(lived: Lived, episode: Episode) -> None:
    kinds = ["", "water", "grass", "stone", "path", "sand", "tree", "lava", "coal", "iron", "diamond"]
    assert crafter.constants.materials[: len(kinds) - 1] == kinds[1:]
    assert [[material - 1 for material in row] for row in lived.materials] == list(map(list, episode.ground))


def test_what_was_placed_is_where_the_package_has_it(lived: Lived, episode: Episode) -> None:
    world = World(episode)
    rows = lived.states.states[len(episode.steps)][1]["raw"]["terrain"]
    placed = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "B"]
    assert placed, "the life places no table"
    assert all(world.terrain(tile, world.last) == 10 for tile in placed)


def test_an_exam_by_the_published_rules_agrees_with_itself(tmp_path: Path, episode: Episode) -> None:
    world = World(episode)
    questions = [drawn_question.question for drawn_question in drawn(world, seed=2, horizon=40)]
    file = tmp_path / "questions_40.jsonl"
    file.write_text("\n".join(question.model_dump_json() for question in questions), encoding="utf-8")
    comparison = compared(lambda question, _: answered(world, question), file)
    assert comparison.agreed == len(questions) > 80


def test_the_exam_says_what_was_asked(episode: Episode) -> None:
    exam = compat_exam(episode, game_id="crafter", run_id=1, seed=2)
    assert exam.rule_set == "compat"
    assert exam.steps == len(episode.steps)
    assert {question.ability for question in exam.questions} == set(Ability)
    for question in exam.questions:
        assert 1 <= question.lo <= question.hi <= exam.steps
        assert all(1 <= step <= exam.steps for step in question.evidence)
        assert question.answerable == (question.ability is not Ability.ADVERSARIAL)
        assert all(question.truth)
    assert exam == compat_exam(episode, game_id="crafter", run_id=1, seed=2)
    assert exam.exam_id != compat_exam(episode, game_id="crafter", run_id=1, seed=3).exam_id


def test_a_game_that_does_not_tell_what_was_earned_says_so(lived: Lived, grid: GridTable) -> None:
    assert grid.truth is not None
    silent = grid.model_copy(update={"truth": grid.truth.model_copy(update={"achievements": ""})})
    with pytest.raises(ExamError, match="achievements"):
        published_episode(lived.steps, lived.states, silent)
    with pytest.raises(ExamError, match="never seen"):
        published_episode(lived.steps[:1], lived.states, grid)
