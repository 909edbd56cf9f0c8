"""The headless twin of a game: the same rules without a screen, seen through the same fields.

A game's folder offers one as a Python file (`modules.learned.twin`) with

    def make_twin(*, module: str, scenario: str, actions: Sequence[str], render: bool) -> gymnasium.Env

- One `step(index)` is one decision (`decide_every_ms`, or one frame); `actions[index]` is the module's
  action, and "" begins nothing new. The twin decides what the game does with keys that are still held.
- `metadata["step_ms"]` is the length of a step in the real game, in milliseconds.
- The observation is a dict of state-reader fields with the manifest's names and units: a float, NaN where the
  reader would read none; or a text. `observation_space` is a `spaces.Dict` of Box and Text.
- `info` holds `score` (the trial's), `outcome` ("", "win", "loss") and may hold `why`.
- The reward it returns is ignored where the module names a reward function.
- `reset(seed=…)` alone decides the course. `render()` gives RGB pixels, uint8 (height, width, 3).

Delay, noise, dropped decisions and action history are added by the trainer: a twin is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pitwall.core.observations import Value


def values_of(observation: Mapping[str, Any]) -> dict[str, Value]:
    """Return a twin's observation as field values: NaN becomes None, whole numbers of any kind floats."""
    values: dict[str, Value] = {}
    for name, value in observation.items():
        if type(value) is float:
            values[name] = value if value == value else None
        elif isinstance(value, str | bool):
            values[name] = value
        else:
            number = float(value)
            values[name] = None if math.isnan(number) else number
    return values
