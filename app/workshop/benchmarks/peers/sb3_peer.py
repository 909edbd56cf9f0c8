"""The peer: Stable-Baselines3's DQN, by itself. Run as a program, with the Python of the peers' environment.

Reads one JSON request a line and answers each with one JSON line: `begin` makes the environments and the
learner, `learn` goes on for so many decisions, `judge` plays held-out seeds without exploring. The game's
twin and its reward function are loaded from its folder and called plainly, with no sandbox between.
Nothing of Pitwall is imported here.
"""

from __future__ import annotations

import importlib.util
import json
import math
import random
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import stable_baselines3  # type: ignore[import-not-found, unused-ignore]
import torch
from stable_baselines3.common.vec_env import DummyVecEnv  # type: ignore[import-not-found, unused-ignore]

_BEYOND = 1.5


class Playing(gymnasium.Env[Any, Any]):
    """A twin as the learner sees it: the state vector of the module, its reward function, its limits.

    Args:
        asked: `begin`'s request. seed: of the course of its episodes.
    """

    def __init__(self, asked: dict[str, Any], seed: int) -> None:
        folder = Path(asked["folder"])
        sys.path.insert(0, str(folder))
        make = _loaded(folder / asked["twin"], "twin").make_twin
        self._twin = make(module=asked["module"], scenario="", actions=asked["actions"], render=False)
        self._reward = _loaded(folder / asked["reward"], "reward").reward
        self._state, self._cap, self._longest = asked["state"], asked["cap"], asked["longest"]
        self._course = random.Random(seed)
        self._values: dict[str, Any] = {}
        self._steps = 0
        size = sum(2 if field_["optional"] else 1 for field_ in self._state)
        self.observation_space = gymnasium.spaces.Box(-_BEYOND, _BEYOND, (size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(asked["actions"]))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the next episode of its course, or the episode of a seed named in `options`."""
        super().reset(seed=seed)
        course = (options or {}).get("course", self._course.randrange(900_000))
        seen, _ = self._twin.reset(seed=course)
        self._values, self._steps = _plain(seen), 0
        return self._vector(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one decision."""
        seen, _, over, _, info = self._twin.step(int(action))
        before, self._values = self._values, _plain(seen)
        self._steps += 1
        given = self._reward(before, self._values, int(action), over, (), (), 0.0, 0.0, self._steps)
        total = sum(given.values()) if isinstance(given, dict) else given
        cut = self._steps >= self._longest or info["score"] >= self._cap
        return self._vector(), float(total), over, cut and not over, {"score": info["score"]}

    def _vector(self) -> Any:
        numbers: list[float] = []
        for field_ in self._state:
            value = self._values[field_["field"]]
            scaled = 0.0
            if value is not None:
                scaled = 2.0 * (value - field_["low"]) / (field_["high"] - field_["low"]) - 1.0
            numbers.append(min(_BEYOND, max(-_BEYOND, scaled)))
            if field_["optional"]:
                numbers.append(float(value is not None))
        return np.asarray(numbers, np.float32)


class _Peer:
    """The learner and its environments."""

    def __init__(self, asked: dict[str, Any]) -> None:
        torch.set_num_threads(1)
        self._asked, recipe = asked, asked["recipe"]
        lanes = recipe["environments"]
        turns = asked["gradients_a_turn"]
        env = DummyVecEnv([lambda n=n: Playing(asked, asked["seed"] * 1000 + n) for n in range(lanes)])
        self._model: Any = stable_baselines3.DQN(
            "MlpPolicy",
            env,
            learning_rate=recipe["learning_rate"],
            buffer_size=recipe["replay"],
            learning_starts=recipe["learn_from"],
            batch_size=recipe["batch"],
            tau=1 - (1 - recipe["tau"]) ** turns,
            gamma=recipe["gamma"],
            train_freq=(1, "step"),
            gradient_steps=turns,
            n_steps=recipe["n_step"],
            target_update_interval=1,
            policy_kwargs={"net_arch": recipe["hidden"]},
            seed=asked["seed"],
            device="cpu",
        )
        start, end, over = recipe["epsilon_from"], recipe["epsilon_to"], recipe["epsilon_steps"]
        self._model.exploration_schedule = lambda _: (
            start + min(1.0, self._model.num_timesteps / over) * (end - start)
        )
        self._judging = Playing(asked, 0)

    def learn(self, decisions: int) -> dict[str, Any]:
        """Go on."""
        before = self._model.num_timesteps
        began, used_s = time.perf_counter(), time.process_time()
        self._model.learn(decisions, reset_num_timesteps=False, log_interval=None)
        took_s, processor_s = time.perf_counter() - began, time.process_time() - used_s
        done = self._model.num_timesteps - before
        return {"decisions": done, "seconds": took_s, "processor_s": processor_s}

    def judge(self, runs: int, first_seed: int) -> dict[str, Any]:
        """Return the scores of held-out seeds."""
        scores = []
        for seed in range(first_seed, first_seed + runs):
            seen, _ = self._judging.reset(options={"course": seed})
            over = False
            while not over:
                action, _ = self._model.predict(seen, deterministic=True)
                seen, _, ended, cut, info = self._judging.step(action)
                over = ended or cut
            scores.append(info["score"])
        return {"scores": scores}


def _plain(seen: dict[str, Any]) -> dict[str, Any]:
    return {name: None if math.isnan(value) else value for name, value in seen.items()}


def _loaded(file: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"peer_{name}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Answer until the input ends."""
    peer: _Peer | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "begin" in asked:
            peer = _Peer(asked["begin"])
            answer: dict[str, Any] = {"version": stable_baselines3.__version__}
        else:
            assert peer is not None
            answer = peer.learn(**asked["learn"]) if "learn" in asked else peer.judge(**asked["judge"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
