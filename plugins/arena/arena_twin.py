"""Arena without a screen, for training: the same rules, seen through the same fields.

pitwall_lab.environments.twin is the contract.

One step is two frames of the game. Keys that an action leaves pressed stay pressed in the next step, as real
keys do (arena_keys).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import pygame
from arena_art import Painter
from arena_fields import FIELDS, TRUTHS, seen
from arena_keys import ACTIONS, Keys
from arena_rules import Fight
from arena_tables import FRAMES_PER_SECOND, HEIGHT, SCENARIOS, WIDTH
from gymnasium import spaces
from numpy.typing import NDArray

STEP_FRAMES = 2
Observation = dict[str, Any]


class ArenaTwin(gymnasium.Env[Observation, Any]):
    """Plays one fight an episode.

    Args:
        scenario: the foes; empty: the boss.
        actions: the module's, in the order of their indices.
        render: whether pictures will be asked for.
    """

    def __init__(self, scenario: str, actions: Sequence[str], *, render: bool) -> None:
        unknown = [action for action in actions if action not in ACTIONS]
        if unknown:
            raise ValueError(
                f"Arena has no action {unknown[0]!r}; it has: {', '.join(filter(None, ACTIONS))}"
            )
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": FRAMES_PER_SECOND // STEP_FRAMES,
            "step_ms": 1000.0 * STEP_FRAMES / FRAMES_PER_SECOND,
        }
        self.render_mode = "rgb_array" if render else None
        self._scenario, self._actions = scenario or "boss", tuple(actions)
        fields: dict[str, spaces.Space[Any]] = {
            name: spaces.Discrete(2) if name in TRUTHS else spaces.Box(-math.inf, math.inf, (), np.float64)
            for name in FIELDS
        }
        self.observation_space = spaces.Dict({**fields, "status": spaces.Text(16)})
        self.action_space = spaces.Discrete(len(self._actions))
        self._keys = Keys()
        self._fight = Fight(0, self._scenario)
        self._painter: Painter | None = None
        self._surface: pygame.Surface | None = None

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a fight; its seed alone decides the foes' choices."""
        super().reset(seed=seed)
        course = seed if seed is not None else int(self.np_random.integers(2**31))
        self._fight, self._keys = Fight(course, self._scenario), Keys()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Press what an action presses and fight two frames. Rewards the share of the foes' health taken."""
        before = self._fight.score
        self._keys.act(self._actions[action])
        for _ in range(STEP_FRAMES):
            self._fight.step(*self._keys.frame())
        reward = (self._fight.score - before) / 100
        return self._observation(), reward, self._fight.over, False, self._info()

    def render(self) -> NDArray[np.uint8]:
        """Return the window's picture: (320, 480, 3)."""
        if self._painter is None or self._surface is None:
            self._surface = pygame.Surface((WIDTH, HEIGHT))
            self._painter = Painter(self._surface)
        self._painter.scene(self._fight, self._fight.frame)
        if self._fight.over:
            self._painter.over(self._fight)
        picture: NDArray[np.uint8] = pygame.surfarray.array3d(self._surface).transpose(1, 0, 2).copy()
        return picture

    def _observation(self) -> Observation:
        return {**seen(self._fight), "status": "terminal" if self._fight.over else "playing"}

    def _info(self) -> dict[str, Any]:
        return {"score": self._fight.score, "outcome": self._fight.outcome, "why": self._fight.cause}


def make_twin(*, module: str, scenario: str, actions: Sequence[str], render: bool) -> ArenaTwin:
    """Return a twin for one of the game's modules (the contract of pitwall_lab.environments.twin).

    Raises:
        ValueError: the game has no such scenario or action.
    """
    chosen = scenario or ("mobs" if module == "mobs" else "boss")
    if chosen not in SCENARIOS:
        raise ValueError(f"Arena has no scenario {chosen!r}; it has: {', '.join(SCENARIOS)}")
    return ArenaTwin(chosen, actions, render=render)
