"""Gives an added game a module that learns from recorded play: it sees the picture, and scores reward it."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.modules import Learned, Module, Recipe, VisionInput
from pitwall.games.schema.profile import Skill

MODULE = "learned"
REWARD = "rewards/learned.py"
_SIDE = 48
_REWARD = '''\
"""{title}"""

WEIGHTS = {weights!r}
END = -1.0


def reward(
    prev_state,
    next_state,
    action_idx,
    done,
    action_history,
    action_state_changes,
    episode_start_time,
    step_time,
    step,
):
    worth = {{}}
    for name, weight in WEIGHTS.items():
        before, now = prev_state.get(name), next_state.get(name)
        if before is not None and now is not None and now > before:
            worth[name] = weight
    if done:
        worth["end"] = END
    return worth
'''


def learned_module(draft: Draft) -> Module | None:
    """Return the learning module of a draft; None where no action presses anything."""
    pressing = [action.name for action in draft.actions if action.presses]
    if not pressing:
        return None
    return Module(
        name=MODULE,
        description="What was learned from recorded play; until a version is promoted it does nothing",
        ends="status != 'playing'",
        learned=Learned(
            vision=VisionInput(width=_SIDE, height=_SIDE, frames=2),
            actions=["", *pressing],
            history=4,
            decide_every_ms=200.0,
            reward=REWARD,
            training=Recipe(steps=20_000, environments=1, learn_from=64, batch=64, replay=20_000),
        ),
    )


def learned_skill() -> Skill:
    """Return the skill that lets the learned module drive."""
    return Skill(
        name="as was learned",
        when="status == 'playing'",
        situation="A policy was learned from recorded play",
        subgoal="play as was learned",
        module=MODULE,
        steps=1000,
    )


def reward_text(weights: Mapping[str, float], title: str = "First reward: what is counted") -> str:
    """Return the source of a first reward: a weight for each rise of a field, −1 for the end of a game.

    A title must hold no quotation mark and no backslash.
    """
    return _REWARD.format(title=title, weights=dict(weights))
