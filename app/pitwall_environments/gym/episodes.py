"""Plays the episodes of one environment: turns keys into its actions, and its results into true states."""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall_environments.gym.environment import (
    EnvironmentFault,
    family_of,
    first_line,
    frames_of,
    mission_of,
    picture_of,
)
from pitwall_environments.gym.keyboard import Keyboard, keyboard_of
from pitwall_evaluation.published_scores import published
from pitwall_evaluation.truth.state import TrueState

_STEP = ("observation", "reward", "terminated", "truncated", "info")
_log = logging.getLogger(__name__)


class Episodes:
    """Steps an environment, episode after episode.

    Args:
        env: renders arrays. env_id: its registered id. game_id: of the game's profile.
        seed: of the first episode; the next seeds come from the environment's own generator.
        draws: keep the picture up to date; each: with every frame, not only with an action's last.

    Attributes:
        picture: RGB, uint8 (height, width, 3). by_turns: time passes only with a key.
        reward: summed over the episode. lives: lives left; 0 if it has none. solved: in a world with a goal,
            the last reward was above 0. reason: why the episode ended, "length" if it was cut; empty while it
            runs.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        env_id: str,
        game_id: str,
        seed: int,
        *,
        draws: bool = True,
        each: bool = True,
    ) -> None:
        self.env = env
        self._draws, self._each = draws, each
        self._sees_picture = family_of(env_id) == "ALE"  # the observation is the picture
        self.env_id, self.game_id = env_id, game_id
        self.keyboard: Keyboard = keyboard_of(env)
        self.by_turns = self.keyboard.idle is None
        self.held_frames, self.rate_hz = frames_of(env)
        self.published = published(env_id)
        self.episodes = 0
        self.best: float | None = None
        self.frames = 0
        self._action: Any = self.keyboard.idle
        self.lives = 0
        self.picture: NDArray[np.uint8]
        self._unreadable = False
        self.begin(seed)

    @property
    def over(self) -> bool:
        """Return whether the episode has ended and the next must be begun."""
        return bool(self.reason)

    @property
    def choosing(self) -> bool:
        """Return whether the next frame begins an action."""
        return self._frame % self.held_frames == 0

    def begin(self, seed: int | None = None) -> None:
        """Begin an episode; without a seed the environment's generator chooses it.

        Raises:
            EnvironmentFault: its reset fails.
        """
        if seed is not None:
            self.seed = seed
        with _own_code(self.env_id, "reset"):
            result = self.env.reset(seed=seed)
            _, info = _values(result, ("observation", "info"))
            self.picture = picture_of(self.env)
            self.mission = mission_of(self.env)
            self.lives = _lives(info)
        self.steps, self.reward, self.reason, self.solved = 0, 0.0, "", False
        self._frame = 0

    def step(self, held: frozenset[str]) -> None:
        """Step one frame: the held keys choose the action, which an Atari game holds for several frames.

        Raises:
            EnvironmentFault: its step fails.
        """
        if self.choosing:
            self._action = self.keyboard.value(held)
        if self._action is None or self.over:
            return
        with _own_code(self.env_id, "step"):
            seen, given, ended, cut, info = _values(self.env.step(self._action), _STEP)
            if self._draws and (self._each or (self._frame + 1) % self.held_frames == 0):
                self.picture = seen if self._sees_picture else picture_of(self.env)
            terminated, truncated = bool(np.any(ended)), bool(np.any(cut))
            self.lives = _lives(info)
            self.mission = mission_of(self.env)
        self._frame += 1
        self.frames += 1
        self.steps += 1
        reward = self._reward(given)
        self.reward += reward
        if terminated or truncated:
            self._end("length" if not terminated else "end", reward)

    def true_state(self) -> TrueState:
        """Return the state for evaluators: the reward as score, lives, episodes, and the best score."""
        final = self.best if self.best is not None else self._floor
        standing = self.best if self.best is not None else self.reward
        normalised = self.published.normalised(self.reward) if self.published else None
        return TrueState.model_validate(
            {
                "gameId": self.game_id,
                "seed": self.seed,
                "timestampMs": int(time.time() * 1000),
                "gameTimeMs": self.frames * 1000.0 / self.rate_hz,
                "status": "terminal" if self.over else "playing",
                "terminal": {
                    "isTerminal": self.over,
                    "outcome": ("win" if self.solved else "loss") if self.over else None,
                    "reason": self.reason or None,
                },
                "game_state": {
                    "score": self.reward,
                    "level": 1,
                    "progress": normalised,
                    "lives": self.lives,
                    "final": final,
                    "standing": standing,
                    "solved": int(self.solved),
                    "mission": self.mission,
                },
                "metrics": {
                    "episodes": self.episodes,
                    "steps": self.steps,
                    "best": final,
                    "human_normalised": normalised,
                },
            }
        )

    def _reward(self, given: Any) -> float:
        """Return a step's reward; a reward that is no finite number counts as 0, and the log says so once."""
        try:
            reward = float(np.asarray(given, np.float64).item())
        except (TypeError, ValueError):
            reward = math.nan
        if math.isfinite(reward) and math.isfinite(self.reward + reward):
            return reward
        if not self._unreadable:
            self._unreadable = True
            _log.warning(
                "%s: the reward of step %d is not readable (%.60r) and counts as 0. It is told once.",
                self.env_id,
                self.steps,
                given,
            )
        return 0.0

    @property
    def _floor(self) -> float:
        return self.published.random if self.published else 0.0

    def _end(self, reason: str, last_reward: float) -> None:
        self.reason = reason
        goal = family_of(self.env_id) != "ALE"
        self.solved = goal and last_reward > 0
        self.episodes += 1
        self.best = self.reward if self.best is None else max(self.best, self.reward)


def _lives(info: Any) -> int:
    lives = info.get("lives", 0) if isinstance(info, Mapping) else 0
    return int(lives) if isinstance(lives, int | np.integer) else 0


def _values(result: Any, names: Sequence[str]) -> Sequence[Any]:
    """Return the values that a method of the environment returned, a value for each name.

    Raises:
        ValueError: it returned something else.
    """
    if isinstance(result, tuple) and len(result) == len(names):
        return result
    given = f"{len(result)} values" if isinstance(result, tuple) else f"a {type(result).__name__}"
    before = len(result) if isinstance(result, tuple) else 1
    old = "; it may be written for Gym before version 0.26" if before == len(names) - 1 else ""
    raise ValueError(f"it returns {given}, not {', '.join(names)}{old}")


@contextlib.contextmanager
def _own_code(env_id: str, where: str) -> Iterator[None]:
    """Run an environment's own code; whatever it raises becomes a sentence.

    Raises:
        EnvironmentFault, UnsuitableEnvironment: it failed, or tried to end the program.
    """
    try:
        yield
    except (PitwallError, MemoryError):
        raise
    except SystemExit:
        raise EnvironmentFault(f"{env_id} tried to end the program in its {where}.") from None
    except Exception as error:
        text = f"{type(error).__name__}: {first_line(error)}"
        raise EnvironmentFault(f"{env_id} failed in its {where}: {text}.") from error
