"""Flappy without a window, seen through the manifest's fields: the twin for the module's training.

The flight has just taken off, as when the module starts. The state reader's values are known for each speed
(the bird is drawn tilted, the same at every height), so a twin needs no picture; a test compares it with the
reader. `render` paints the true scene.

Space counts when it goes down, even on the very next frame: held for 8 of a frame's 33 ms it is up again by
then, even where two frames come close together. Held for 30 ms, five of six repeated presses were not seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from flappy_rules import FRAMES_PER_SECOND, HEIGHT, WIDTH, Flight
from flappy_seen import FIELDS, seen
from gymnasium import spaces
from numpy.typing import NDArray

FLAP = "flap"


def make_twin(*, module: str, scenario: str, actions: Sequence[str], render: bool) -> FlappyTwin:
    """See pitwall_lab.environments.twin."""
    if module != "fly" or scenario not in ("", "plain", "steep"):
        raise ValueError(f"there is no twin of module {module!r} in scenario {scenario!r}")
    return FlappyTwin(tuple(actions), render, steep=scenario == "steep")


class FlappyTwin(gymnasium.Env[Any, Any]):
    """One flight from its first flap to the crash; a decision is a frame."""

    metadata = {"render_modes": ["rgb_array"], "step_ms": 1000 / FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(self, actions: tuple[str, ...], render: bool, *, steep: bool = False) -> None:
        self._steep = steep
        self.render_mode = "rgb_array" if render else None
        self.action_space = spaces.Discrete(len(actions))
        self.observation_space = spaces.Dict(
            {name: spaces.Box(-np.inf, np.inf, (), np.float64) for name in FIELDS}
        )
        self._flaps = tuple(text == FLAP for text in actions)
        self._flight = Flight(0, steep=steep)
        self._draw = _painting() if render else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, float], dict[str, Any]]:
        """Take off, with the seed of the window's first flight (`game.py --seed`)."""
        super().reset(seed=seed, options=options)
        seed = int(self.np_random.integers(2**31)) if seed is None else seed
        self._flight = Flight(seed, steep=self._steep)
        self._flight.step(True)
        return seen(self._flight), self._info()

    def step(self, action: int) -> tuple[dict[str, float], float, bool, bool, dict[str, Any]]:
        """Advance by one frame; the twin's own reward is a pipe."""
        flight = self._flight
        before = flight.score
        flight.step(self._flaps[action])
        return seen(self._flight), float(flight.score - before), flight.over, False, self._info()

    def render(self) -> NDArray[np.uint8] | None:
        """Return the scene, RGB (512, 288, 3); None for a twin made without pictures."""
        return None if self._draw is None else self._draw(self._flight)

    def _info(self) -> dict[str, Any]:
        flight = self._flight
        return {"score": float(flight.score), "outcome": "loss" if flight.over else "", "why": flight.cause}


def _painting() -> Callable[[Flight], NDArray[np.uint8]]:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame  # only who wants pictures needs it
    from flappy_art import Painter

    surface = pygame.Surface((WIDTH, HEIGHT))
    painter = Painter(surface)

    def paint(flight: Flight) -> NDArray[np.uint8]:
        painter.scene(flight, flight.frame)
        painter.score(flight.score)
        return np.ascontiguousarray(pygame.surfarray.array3d(surface).transpose(1, 0, 2))

    return paint
