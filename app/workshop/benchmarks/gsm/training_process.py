"""Our side of `train`: the learner as a training uses it, in its own process, with the peer's protocol.

Run as a program: reads one JSON request per line (see `sb3_peer`) and answers each with one JSON line.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Learned, Recipe
from pitwall.gsm.versions import declared
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import Shape
from pitwall_lab.environments.twin_environment import Disturbance, training_spec, trial_spec
from pitwall_lab.environments.vector_environment import open_environment
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.rollouts import TwinRollouts
from pitwall_lab.training.training_loop import NetworkPolicy, TrainingLoop
from pitwall_lab.trials.twin_trials import judge
from workshop.fixtures.cpu_time import cpu_seconds, descendants


class _Ours:
    """The learner and its environments."""

    def __init__(self, asked: dict[str, Any]) -> None:
        torch.set_num_threads(1)
        game = Registry(DataFolder(Path(asked["data"]))).load(asked["game"])
        module = declared(game, asked["module"])
        learned = Learned.model_validate(asked["learned"])
        recipe = Recipe.model_validate(asked["recipe"])
        orders = [
            training_spec(game, module, learned, recipe, number=number, seed=asked["seed"])
            for number in range(recipe.environments)
        ]
        self._twins = open_environment(orders)
        self._reward = RewardFunction((game.folder / learned.reward).read_text(encoding="utf-8"))
        learner = DoubleDQN(Shape.of(learned, recipe), recipe, lanes=recipe.environments, seed=asked["seed"])
        source = TwinRollouts(self._twins, self._reward, learner, lanes=recipe.environments)
        trials = module.trials[:1]
        self._course = TrainingLoop(
            game, module, learned, recipe, learner=learner, source=source, trials=trials, folder=game.folder
        )
        self._trial = trials[0]
        self._order = trial_spec(game, module, learned, learned.actions, trials[0], Disturbance())

    def learn(self, decisions: int) -> dict[str, Any]:
        """Go on."""
        before = self._course.learner.step
        began, used_s = time.perf_counter(), cpu_seconds(descendants(os.getpid()))
        while self._course.learner.step < before + decisions:
            self._course.turn()
        took_s = time.perf_counter() - began
        processor_s = cpu_seconds(descendants(os.getpid())) - used_s  # the sandbox's worker included
        done = self._course.learner.step - before
        return {"decisions": done, "seconds": took_s, "processor_s": processor_s}

    def judge(self, runs: int, first_seed: int) -> dict[str, Any]:
        """Return the scores of held-out seeds."""
        pilot = NetworkPolicy(self._course.learner)
        played = judge(self._order, pilot, self._trial, runs=runs, first_seed=first_seed)
        return {"scores": [run.score for run in played]}

    def close(self) -> None:
        """Close the environments and the sandbox."""
        self._twins.close()
        self._reward.close()


def main() -> int:
    """Answer until the input ends."""
    asked = json.loads(sys.stdin.readline())["begin"]
    with closing(_Ours(asked)) as ours:
        _say({"version": torch.__version__})
        for line in sys.stdin:
            request = json.loads(line)
            _say(ours.learn(**request["learn"]) if "learn" in request else ours.judge(**request["judge"]))
    return 0


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
