"""Lets a Gymnasium environment be its own headless twin: the same steps as in its window, without the window.

An action holds its keys as long as on the screen, so two decisions may hold keys together.
pitwall_lab.environments.twin is the contract of a twin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pitwall.core.observations import Value
from pitwall_environments.gym.environment import open_environment
from pitwall_environments.gym.episodes import Episodes
from pitwall_environments.gym.screen import picture_as_shown

Pixels = NDArray[np.uint8]


class EnvironmentTwin(gymnasium.Env[Any, Any]):
    """Plays one episode after another; a decision lasts as many frames as an action of the environment.

    The observation holds `score`, the sum of the environment's rewards, and `lives`, in addition to the
    fields.

    Args:
        env_id: as registered. step_ms: duration of a decision.
        actions: for each decision the keys that it holds, and for how many milliseconds.
        read: reads the fields of a picture as the window shows it, RGB (height, width, 3); None: no fields.

    Raises:
        EnvironmentFault: it is unknown or cannot be made.
    """

    def __init__(
        self,
        env_id: str,
        actions: Sequence[tuple[Sequence[str], float]],
        *,
        step_ms: float,
        render: bool,
        read: Callable[[Pixels], Mapping[str, Value]] | None = None,
    ) -> None:
        self.metadata = {"render_modes": ["rgb_array"], "step_ms": step_ms}
        self.render_mode = "rgb_array" if render else None
        self.played = Episodes(
            open_environment(env_id),
            env_id,
            env_id,
            0,
            draws=render or read is not None,
            each=read is not None,
        )
        self._actions = [(keys, max(1, round(hold_ms / step_ms))) for keys, hold_ms in actions]
        self._held: dict[str, int] = {}
        self._read = read
        self._fields: Mapping[str, Value] = {}
        self.action_space = spaces.Discrete(len(actions))
        self.observation_space = spaces.Dict(
            {name: spaces.Box(-np.inf, np.inf, (), np.float64) for name in ("score", "lives")}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin the episode of a seed; it equals the window's first episode with `--seed`."""
        super().reset(seed=seed, options=options)
        self._held.clear()
        self.played.begin(int(self.np_random.integers(2**31)) if seed is None else seed)
        self._look()
        return self._seen(), self._info()

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Apply one decision; the reward is the environment's."""
        played, before = self.played, self.played.reward
        keys, lasts = self._actions[action]
        self._held |= {key: max(lasts, self._held.get(key, 0)) for key in keys}
        for _ in range(played.held_frames):
            played.step(frozenset(self._held))
            self._look()
        self._held = {key: left - 1 for key, left in self._held.items() if left > 1}
        cut = played.over and played.reason == "length"
        return self._seen(), played.reward - before, played.over and not cut, cut, self._info()

    def render(self) -> Pixels | None:
        """Return the window's picture at the environment's scale; None if it draws none."""
        return picture_as_shown(self.played.picture, self.played.mission) if self.render_mode else None

    def close(self) -> None:
        """Close the environment."""
        self.played.env.close()

    def _look(self) -> None:
        """Read the fields of each frame as on the screen, because some derive a speed from two frames."""
        if self._read is not None:
            seen = self._read(picture_as_shown(self.played.picture, self.played.mission))
            self._fields = {name: np.nan if value is None else value for name, value in seen.items()}

    def _seen(self) -> dict[str, Any]:
        return {**self._fields, "score": self.played.reward, "lives": float(self.played.lives)}

    def _info(self) -> dict[str, Any]:
        played = self.played
        outcome = ("win" if played.solved else "loss") if played.over else ""
        return {"score": played.reward, "outcome": outcome, "why": played.reason}
