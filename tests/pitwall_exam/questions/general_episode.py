"""An episode of any game's fields, the same each time, for tests of the general set and of making."""

from __future__ import annotations

import random

from pitwall_exam.episode.states import FieldState
from pitwall_exam.episode.trace import Moment, Trace

ACTIONS = ("left", "right", "jump", "pick(item=key)", "wait")
REASONS = (
    "Go to the door.",
    "The guard is near, wait.",
    "",
    "Jump over the water.",
    "Pick up the key, then go.",
)


def general_episode(steps: int, seed: int = 1) -> Trace[FieldState]:
    """So many moments, with numbers, words, an unreadable field, three places and two reasons to escalate."""
    chance = random.Random(seed)
    states = [_state(step, chance) for step in range(1, steps + 2)]
    moments = []
    for step in range(1, steps + 1):
        kind = chance.randrange(len(ACTIONS))
        moments.append(Moment(step, ACTIONS[kind], REASONS[kind], states[step - 1], states[step]))
    return Trace(moments)


def _state(step: int, chance: random.Random) -> FieldState:
    escalations = ("refresh",) if step % 7 == 1 else ("stall", "loop") if step % 19 == 0 else ()
    return FieldState(
        fields={
            "score": step // 5,
            "speed": round(chance.random() * 4, 2),
            "mood": chance.choice(("calm", "angry")),
            "on_floor": chance.random() < 0.7,
            "fog": None,
        },
        route="strategic" if escalations else "reactive",
        escalations=escalations,
        place=1 + step // 25,
    )
