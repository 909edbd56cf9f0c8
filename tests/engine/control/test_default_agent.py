"""The default agent: it finds what raises the score, is never far below chance, and forgets in time."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.engine.conftest import WALKER

from pitwall.core.observations import GameStatus, Value
from pitwall.core.settings import Settings
from pitwall.core.signals import Signals
from pitwall.engine.control import action_values
from pitwall.engine.control.action_values import ActionValues
from pitwall.engine.control.baselines import RandomPlanner
from pitwall.engine.control.default_agent import KEPT, KEPT_TAG, SEGMENT_STEPS, DefaultAgent
from pitwall.engine.control.legality import LegalActions
from pitwall.engine.control.planner import Planner, PlanReply, PlanRequest
from pitwall.engine.control.screen_signature import Descriptor, ScreenSignature
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.inference.model_manager import settled
from pitwall.games.schema.profile import Profile, Skill


def lamp_action(lamp: int, name: str) -> bool:
    return name == Lamps.ACTIONS[lamp]


class Lamps:
    """One of four lamps shines; what the rule says is right scores, and the next one shines."""

    ACTIONS = ("forward", "turn_left", "turn_right", "use")

    def __init__(self, rule: Callable[[int, str], bool] = lamp_action) -> None:
        self.rule, self.dice = rule, random.Random(5)
        self.score, self.lamp, self.over = 0, 0, False

    def act(self, name: str) -> None:
        if self.over:
            self.over = name != "use"
        elif self.rule(self.lamp, name):
            self.score += 1
            self.lamp = self.dice.randrange(4)

    def values(self) -> dict[str, Value]:
        return {"score": self.score, "status": "terminal" if self.over else "playing"}

    def picture(self) -> Descriptor:
        picture = np.zeros((32, 32), np.float32)
        picture[8 * self.lamp : 8 * self.lamp + 8] = 1.0
        flat = picture.ravel() - picture.mean()
        lit: Descriptor = (flat / np.linalg.norm(flat)).astype(np.float32)
        return lit


def played(planner: Planner, world: Lamps, steps: int) -> list[PlanReply]:
    replies = []
    before = world.picture()
    for step in range(1, steps + 1):
        picture, values = world.picture(), world.values()
        request = PlanRequest(
            request_id=step,
            step=step,
            now_ns=step,
            values=values,
            status=GameStatus(str(values["status"])),
            signals=Signals(change=max(0.0, 1.0 - float(picture @ before))),
            reasons=(),
        )
        planner.request(request)
        reply = planner.poll()
        assert reply is not None
        assert reply.proposal is not None
        replies.append(reply)
        world.act(reply.proposal.candidates[0].name)
        before = picture
    return replies


def agent(space: LegalActions, world: Lamps, seed: int = 1) -> DefaultAgent:
    return DefaultAgent(space, look=world.picture, scores=["score"], seed=seed)


def test_it_learns_which_action_each_screen_wants(space: LegalActions) -> None:
    world, chance = Lamps(lamp_action), Lamps(lamp_action)
    replies = played(agent(space, world), world, 1_200)
    played(RandomPlanner(space, seed=1), chance, 1_200)
    assert world.score > 1.4 * chance.score
    assert any("on such screens" in reply.why and "mean gains" in reply.why for reply in replies)


def test_where_nothing_scores_it_goes_on_trying_everything(space: LegalActions) -> None:
    world = Lamps(lambda _lamp, _name: False)
    replies = played(agent(space, world), world, 400)
    taken = Counter(str(reply.proposal.candidates[0].name) for reply in replies if reply.proposal)
    assert all(taken[name] >= 20 for name in (*Lamps.ACTIONS, "wait", "strafe")), taken


class Alike(Lamps):
    """All screens look alike."""

    def picture(self) -> Descriptor:
        alike: Descriptor = np.zeros(1024, np.float32)
        return alike


class Told(Alike):
    """A reading names the action that is right."""

    def values(self) -> dict[str, Value]:
        return {**super().values(), "right": f"{self.ACTIONS[self.lamp]}; wait"}


def test_what_a_reading_names_is_kept_where_it_scores(space: LegalActions) -> None:
    informed, untold = Told(), Alike()
    knows = DefaultAgent(space, look=informed.picture, scores=["score"], naming=["right"], seed=1)
    replies = played(knows, informed, 600)
    played(agent(space, untold), untold, 600)
    assert informed.score > 1.5 * untold.score
    assert any("Named by a reading" in reply.why for reply in replies)


class Variety(Lamps):
    """Scores where an action is none of the last two: what is kept or chosen again brings nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.last: deque[str] = deque(maxlen=2)

    def act(self, name: str) -> None:
        self.score += name not in self.last
        self.last.append(name)


class Trap(Lamps):
    """What scores at once brings nothing for twelve steps; the rest scores now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.caught = 0

    def act(self, name: str) -> None:
        if self.caught:
            self.caught -= 1
        elif name == "use" or self.dice.random() < 0.3:
            self.score += 1
            self.caught = 12 * (name == "use")


@pytest.mark.parametrize("kind", [Lamps, Variety, Trap])
def test_it_brings_no_less_than_chance_whatever_scores(space: LegalActions, kind: type[Lamps]) -> None:
    world, chance = kind(), kind()
    played(agent(space, world), world, 900)
    played(RandomPlanner(space, seed=1), chance, 900)
    assert world.score >= 0.9 * chance.score


@pytest.mark.parametrize("others", [0.0, 0.06, 0.08])
def test_together_its_ways_keep_to_their_share_of_chances_gain(space: LegalActions, others: float) -> None:
    player, brought = agent(space, Lamps()), 0.0
    for _ in range(400):
        way = player._ways[player._way]
        for _ in range(SEGMENT_STEPS):
            gain = 0.1 if player._way == "chance" else others
            way.note(gain)
            brought += gain
        player._turn_over()
    assert brought >= (KEPT - 0.01) * 0.1 * 400 * SEGMENT_STEPS


def test_it_leaves_a_screen_that_one_action_leaves(space: LegalActions) -> None:
    world = Lamps(lamp_action)
    world.over = True
    played(agent(space, world), world, 60)
    assert not world.over


@pytest.mark.parametrize("seed", [1, 2])
def test_equal_seeds_and_screens_give_equal_actions(space: LegalActions, seed: int) -> None:
    answers = []
    for _ in range(2):
        world = Lamps(lamp_action)
        answers.append([reply.proposal for reply in played(agent(space, world, seed), world, 200)])
    assert answers[0] == answers[1]


def test_without_any_field_it_looks_for_new_screens(space: LegalActions) -> None:
    world = Lamps(lamp_action)
    seeker = DefaultAgent(space, look=world.picture, scores=[], seed=3)
    replies = played(seeker, world, 200)
    assert any("new screens" in reply.why for reply in replies)


def test_what_it_knows_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action_values, "MOST_KEYS", 50)
    values = ActionValues(random.Random(0))
    for number in range(500):
        values.took([f"screen {number}"], "use")
        values.gained(1.0, [], over=True)
    assert len(values._tables) == 50
    assert values.rank(["screen 499"], ["use"])[0].met == 1
    assert values.rank(["screen 1"], ["use"])[0].met == 0


def test_what_came_after_a_game_was_lost_is_not_owed_to_what_lost_it() -> None:
    values = ActionValues(random.Random(0))
    values.took(["edge"], "jump")
    values.gained(-1.0, ["street"], over=True)
    for _ in range(20):
        values.took(["street"], "walk")
        values.gained(1.0, ["street"], over=False)
    assert values.rank(["edge"], ["jump"])[0].worth < values.rank(["street"], ["walk"])[0].worth


def test_a_screen_is_signed_by_what_stands_where() -> None:
    signature = ScreenSignature(seed=0)
    left = signature.keys(None, {"status": "playing", "ball_x": 3, "bat_x": 9, "safe": True}, "")
    right = signature.keys(None, {"status": "playing", "ball_x": 20, "bat_x": 9, "safe": True}, "")
    again = signature.keys(None, {"status": "playing", "ball_x": 4, "bat_x": 9, "safe": True}, "use")
    assert left[0] == right[0] == "playing"
    assert left[1] != right[1]
    assert left[1] == again[1]


def test_skills_have_the_step_where_one_applies(space: LegalActions) -> None:
    skill = Skill(name="out", when="status == 'terminal'", subgoal="play again", actions=["use"])
    world = Lamps(lambda _lamp, name: name == "forward")
    world.over = True
    skills = SkillPlanner([skill], space)
    player = DefaultAgent(space, look=world.picture, scores=["score"], seed=1, first=skills)
    sources = [reply.proposal.source for reply in played(player, world, 20) if reply.proposal]
    assert sources[0] == "skill:out"
    assert set(sources[1:]) == {"explore"}


def test_it_plays_by_itself_where_nothing_says_how() -> None:
    bare = Profile.model_validate(WALKER)
    skilled = Profile.model_validate({**WALKER, "skills": [{"name": "walk", "when": "true", "subgoal": "x"}]})
    chosen = Settings().with_value("models", "strategic", "mine")
    assert settled(Settings(), bare).control.planner == "explore"
    assert settled(Settings(), skilled).control.planner == "auto"
    assert settled(chosen, bare).control.planner == "auto"
    assert settled(Settings().with_value("control", "planner", "idle"), bare).control.planner == "idle"


def test_what_it_learned_of_a_screen_serves_the_next_run_and_an_edit_counts(space: LegalActions) -> None:
    class Doors(Lamps):
        """The lamp is a fact of the screen, not of the picture."""

        def values(self) -> dict[str, Value]:
            return {**super().values(), "lamp": f"lamp {self.lamp}"}

    world = Doors(lamp_action)
    first = agent(space, world)
    played(first, world, 1_200)
    kept = first.kept()
    assert kept and all(memory.tag == KEPT_TAG for memory in kept)
    assert all("|" not in memory.state for memory in kept)
    best = {}
    for lamp in range(4):
        single = [
            made for made in kept if made.action in Lamps.ACTIONS and made.state.endswith(f"lamp_lamp {lamp}")
        ]
        best[lamp] = max(single, key=lambda made: made.reward).action
    assert best == dict(enumerate(Lamps.ACTIONS)), "it is readable which action each lamp wants"

    again = DefaultAgent(space, look=world.picture, scores=["score"], seed=2, known=lambda: kept)
    played(again, Doors(lamp_action), 1)
    known = {(memory.state, memory.action): memory for memory in again.kept()}
    assert known.keys() >= {(memory.state, memory.action) for memory in kept}
    assert max(memory.attempts for memory in known.values()) <= 41, "earlier tries count only so much"

    edited = [replace(memory, reward=5.0) if memory.action == "use" else memory for memory in kept]
    edited.append(replace(kept[0], action="fly_away"))
    told = DefaultAgent(space, look=world.picture, scores=["score"], seed=2, known=lambda: edited)
    played(told, Doors(lamp_action), 1)
    after = {(memory.state, memory.action): memory.reward for memory in told.kept()}
    assert all(reward == 5.0 for (_, action), reward in after.items() if action == "use")
    assert all(action != "fly_away" for _, action in after), "the game has no such action"
