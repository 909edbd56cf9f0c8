"""Trigger, planner, reactive controller and failure handling together get out of a corner.

The world is a grid of walls seen only through what a state reader could read (position, facing and
how much the picture changed). Nothing tells the agent that it stands before a wall.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import GameStatus, Value
from pitwall.core.signals import Failure, Thresholds
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.route_decision import RouteDecision, StepState
from pitwall.engine.decision.router import Router
from pitwall.engine.trigger.event_trigger import EventTrigger
from pitwall.engine.trigger.progress import ProgressCounter
from pitwall.games.schema.profile import ProgressRules, Skill

CORNER = """
#########
#S#....G#
#.#.###.#
#.#.#...#
#...#.###
#########
"""
HEADINGS = ((0, -1), (1, 0), (0, 1), (-1, 0))

WALK = Skill(name="walk on", when="true", subgoal="get on", actions=["forward"], priority=5, steps=20)
LEFT = Skill(name="turn left", when="true", subgoal="another way", actions=["turn_left"], steps=1)
RIGHT = Skill(name="turn right", when="true", subgoal="another way", actions=["turn_right"], steps=1)


class Maze:
    """A walker in a grid; a move into a wall changes nothing."""

    def __init__(self, plan: str) -> None:
        self.rows = plan.split()
        self.x, self.y = self._find("S")
        self.goal = self._find("G")
        self.heading = 0

    def _find(self, mark: str) -> tuple[int, int]:
        return next((row.index(mark), y) for y, row in enumerate(self.rows) if mark in row)

    def act(self, name: str) -> bool:
        """Move; return whether anything changed."""
        if name.startswith("turn"):
            self.heading = (self.heading + (1 if name == "turn_right" else -1)) % 4
            return True
        dx, dy = HEADINGS[self.heading]
        free = name == "forward" and self.rows[self.y + dy][self.x + dx] != "#"
        if free:
            self.x, self.y = self.x + dx, self.y + dy
        return free

    def values(self) -> dict[str, Value]:
        return {"x": self.x, "y": self.y, "status": "playing"}


class Agent:
    """The order of the engine's loop, in miniature."""

    def __init__(self, space: ActionSpace, maze: Maze, *skills: Skill) -> None:
        self.maze = maze
        self.trigger = EventTrigger(Thresholds())
        self.progress = ProgressCounter(ProgressRules(position=["x", "y"], effects=False))
        self.router = Router(
            planner=SkillPlanner(skills, space, fields=frozenset({"x", "y"})),
            reactive=ReactiveController(space),
            reflex=ReflexController(space, step_ms=1_000),
            budget=Budget("easy"),
        )
        self.effect: Effect | None = None
        self.number = 0
        self.steps: list[RouteDecision] = []
        self.reasons: Counter[str] = Counter()

    def step(self) -> None:
        self.number += 1
        values = self.maze.values()
        grown = self.progress.update(values, effect_confirmed=self.effect is Effect.CONFIRMED)
        if self.steps and self.steps[-1].action is not None:
            assert self.effect is not None
            self.router.outcome(
                Outcome(
                    step=self.number - 1,
                    action=self.steps[-1].action,
                    effect=self.effect,
                    progressed=bool(grown),
                )
            )
        grounded = self.router.ground(values, self.effect)
        decision = self.trigger.step(
            change=0.0,
            progress=self.progress.count,
            failure=self.router.failure,
            requested=grounded.request,
        )
        routed = self.router.step(
            grounded,
            decision,
            StepState(
                step=self.number,
                values=values,
                status=GameStatus.PLAYING,
                now_ns=self.number * 250 * NS_PER_MS,
            ),
        )
        assert routed is not None, "the skill planner answers at once"
        if routed.planned is not None:
            self.trigger.planned()
        self.trigger.acted(str(routed.action))
        self.reasons.update(reason.value for reason in routed.reasons)
        self.steps.append(routed)
        self.effect = self._act(routed.action)

    def _act(self, action: SemanticAction | None) -> Effect | None:
        if action is None:
            return None
        return Effect.CONFIRMED if self.maze.act(action.name) else Effect.UNVERIFIED

    def stuck(self) -> int:
        """Longest run of moves into a wall."""
        longest = run = 0
        for before, after in zip(self.path, self.path[1:], strict=False):
            run = run + 1 if before == after else 0
            longest = max(longest, run)
        return longest

    def play(self, steps: int) -> bool:
        """Play; return whether it reached the goal."""
        self.path = [(self.maze.x, self.maze.y, self.maze.heading)]
        for _ in range(steps):
            self.step()
            self.path.append((self.maze.x, self.maze.y, self.maze.heading))
            if (self.maze.x, self.maze.y) == self.maze.goal:
                return True
        return False


def test_it_gets_out_of_the_corner_and_to_the_goal(space: ActionSpace) -> None:
    agent = Agent(space, Maze(CORNER), WALK, LEFT, RIGHT)
    assert agent.play(600)
    assert agent.stuck() <= 3, "an action, one retry, and at most one skill more of the same action"
    assert agent.reasons["requested"] > 0
    assert all(routed.why for routed in agent.steps)


@pytest.mark.parametrize("heading", range(4))
def test_whichever_way_it_faces_it_leaves_the_corner_soon(space: ActionSpace, heading: int) -> None:
    maze = Maze(CORNER)
    maze.heading = heading
    agent = Agent(space, maze, WALK, LEFT, RIGHT)
    agent.play(13)
    assert any(position[:2] != (1, 1) for position in agent.path)


def test_without_failure_handling_the_same_skills_stay_in_the_corner(space: ActionSpace) -> None:
    """The test above can fail: with the walking skill alone nothing ever moves."""
    agent = Agent(space, Maze(CORNER), WALK)
    assert not agent.play(100)
    assert {position[:2] for position in agent.path} == {(1, 1)}
    assert any(routed.failure is Failure.HARD and routed.flushed for routed in agent.steps)


def test_a_circle_is_broken_by_the_stall(space: ActionSpace) -> None:
    """Turning always has a visible effect, so only the lack of progress shows that it leads nowhere."""
    spin = Skill(name="spin", when="true", subgoal="look round", actions=["turn_left"], priority=9, steps=900)
    agent = Agent(space, Maze(CORNER), spin, WALK)
    agent.play(60)
    assert agent.reasons["stall"] > 0
    assert len({position[:2] for position in agent.path}) >= 4


def test_random_mazes_never_hold_it_in_one_place(space: ActionSpace) -> None:
    random = np.random.default_rng(7)
    for _ in range(20):
        free = random.random((8, 8)) < 0.75
        free[0, 0] = free[1, 0] = free[0, 1] = free[7, 7] = True
        rows = ["#" * 10]
        for y, row in enumerate(free):
            marks = "".join("." if cell else "#" for cell in row)
            marks = "S" + marks[1:] if y == 0 else marks
            rows.append(f"#{marks[:-1] + 'G' if y == 7 else marks}#")
        rows.append("#" * 10)
        agent = Agent(space, Maze("\n".join(rows)), WALK, LEFT, RIGHT)
        if not agent.play(200):
            last = {position[:2] for position in agent.path[-60:]}
            assert len(last) > 1


EVERY = ("wait", "use", "turn_left", "turn_right", "forward")


class Deaf(Maze):
    """A world in which no action works, or a single one, which is progress."""

    def __init__(self, answers: str = "") -> None:
        super().__init__("#####\n#SG.#\n#####")
        self.answers = answers

    def act(self, name: str) -> bool:
        self.x += name == self.answers
        return name == self.answers


@pytest.mark.parametrize("answers", ["", "turn_left"])
def test_a_plan_of_every_action_starves_none_while_it_stalls(space: ActionSpace, answers: str) -> None:
    turns = Skill(name="in turn", when="true", subgoal="see", actions=list(EVERY), steps=10)
    agent = Agent(space, Deaf(answers), turns)
    for _ in range(60):
        agent.step()
    taken = Counter(str(routed.action) for routed in agent.steps)
    assert all(taken[name] >= 60 // len(EVERY) // 2 for name in EVERY), taken


@pytest.mark.parametrize("steps", [1, 2])
def test_a_short_skill_that_brings_nothing_gives_way(space: ActionSpace, steps: int) -> None:
    short = Skill(name="use it", when="true", subgoal="use", actions=["use"], priority=5, steps=steps)
    agent = Agent(space, Deaf("forward"), short, WALK.model_copy(update={"priority": 1}))
    agent.maze.act = lambda name: name == "use"  # type: ignore[method-assign]
    for _ in range(60):
        agent.step()
    assert sum(str(routed.action) == "forward" for routed in agent.steps) >= 15
