"""`learning-recipes`: recipes for scarce decisions, each learning for what minutes of live play give.

The twin is played as the screen would be: in one lane, at its rate, with the delay of the module's recipe.
The first recipe is that of `pitwall learn` without a learned world; the others change it. The averaged policy
plays held-out seeds after some of the minutes. Finished runs are kept in the data folder's
`benches/learning-recipes`, so an interrupted benchmark continues.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Recipe
from pitwall.gsm.versions import declared
from pitwall_evaluation.mean_interval import mean_interval
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.policy_network import Shape
from pitwall_lab.environments.twin_environment import Disturbance, training_spec, trial_spec
from pitwall_lab.environments.vector_environment import open_environment
from pitwall_lab.live.module import live_recipe
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.training.driving_policy import AVERAGED
from pitwall_lab.training.rollouts import TwinRollouts
from pitwall_lab.training.training_loop import NetworkPolicy, TrainingLoop
from pitwall_lab.trials.twin_trials import judge
from workshop.benchmarks.report import check, figure, report
from workshop.benchmarks.results_book import ResultsBook

PLAIN = "plain"
RECIPES: dict[str, tuple[dict[str, Any], int]] = {
    PLAIN: ({}, 2),
    "twice the replay ratio": ({}, 4),
    "learned world": ({"imagined": 0.5}, 2),
    "REDQ": ({"critics": 3}, 2),
    "DroQ": ({"critics": 2, "dropout": 0.01}, 2),
    "BBF": ({"reset_every": 20_000}, 2),
}
"""Changes of the recipe, and gradient steps a decision."""
_MODULES = (("flappy", "fly"), ("arena", "mobs"))
_MINUTES, _QUICK_MINUTES = (2.5, 5.0, 10.0), (0.25,)
_SEEDS, _JUDGED = 5, 20
_EXPLORES_MINUTES = 3.0


def run(*, quick: bool) -> dict[str, Any]:
    """Train every recipe on both twins, seed by seed, and compare their scores after each of the minutes."""
    minutes, seeds = (_QUICK_MINUTES, 1) if quick else (_MINUTES, _SEEDS)
    name = "learning-recipes-quick" if quick else "learning-recipes"
    folder = default_data_dir() / "benches" / name
    folder.mkdir(parents=True, exist_ok=True)
    book = ResultsBook(folder / "results.json")
    torch.set_num_threads(1)
    checks = []
    for game, module in _MODULES:
        for seed in range(1, seeds + 1):
            for recipe in RECIPES:
                key = f"{_cell(game, recipe)}/{seed}"
                if key not in book.facts:
                    book.keep(key, trained(game, module, recipe, minutes, seed))
        for minute in minutes:
            plain = book.of(_cell(game, PLAIN), f"after {minute:g}")
            for recipe in RECIPES:
                scores = book.of(_cell(game, recipe), f"after {minute:g}")
                mean = sum(scores) / len(scores)
                low, high = mean_interval(scores)
                floor = sum(plain) / len(plain)
                checks.append(
                    check(
                        f"{game}/{module}, {recipe}, {minute:g} minutes ({low:.1f} to {high:.1f})",
                        book.facts[f"{_cell(game, PLAIN)}/1"]["unit"],
                        figure(mean),
                        aim="reported",
                        met=True,
                        peer=(PLAIN, floor),
                        ratio=mean / floor if floor else None,
                    )
                )
    cost = {
        f"{game}/{recipe}": round(sum(seconds) / len(seconds), 1)
        for game, _ in _MODULES
        for recipe in RECIPES
        if (seconds := book.of(_cell(game, recipe), "seconds"))
    }
    return report(name, checks, recipes=RECIPES, seeds=seeds, judged=_JUDGED, seconds=cost)


def _cell(game: str, recipe: str) -> str:
    """Return the name under which a recipe's runs are kept: with its gradient steps, which have changed."""
    return f"{game}/{recipe}, {RECIPES[recipe][1]} gradients"


def trained(
    game_id: str, name: str, recipe_name: str, minutes: tuple[float, ...], seed: int
) -> dict[str, Any]:
    """Learn for the minutes; return the mean score after each of them, and the seconds that learning took."""
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        game = Registry(DataFolder(Path(scratch))).load(game_id)
    module = declared(game, name)
    learned, trial = module.learned, module.trials[0]
    assert learned is not None
    a_minute = round(60_000 / (learned.decide_every_ms or 1000 / 30))
    of_recipe, gradients = RECIPES[recipe_name]
    changes = {**live_recipe(learned), "imagined": 0.0, **of_recipe}
    explores = {"epsilon_from": 1.0, "epsilon_to": 0.02, "epsilon_steps": round(_EXPLORES_MINUTES * a_minute)}
    recipe = Recipe.model_validate({**learned.training.model_dump(), **changes, **explores})
    learner = DoubleDQN(Shape.of(learned, recipe), recipe, lanes=1, seed=seed)
    learner.averaged = AVERAGED
    reward = (game.folder / learned.reward).read_text(encoding="utf-8")
    facts: dict[str, Any] = {"seconds": 0.0, "unit": trial.unit}
    with (
        closing(
            open_environment([training_spec(game, module, learned, recipe, number=0, seed=seed)])
        ) as twins,
        RewardFunction(reward) as rewards,
    ):
        source = TwinRollouts(twins, rewards, learner, lanes=1)
        source.price = 1.0 / gradients
        loop = TrainingLoop(
            game, module, learned, recipe, learner=learner, source=source, trials=[trial], folder=game.folder
        )
        order = trial_spec(
            game, module, learned, learned.actions, trial, Disturbance.of(recipe, learned=learned)
        )
        for minute in minutes:
            began = time.perf_counter()
            while learner.step < minute * a_minute:
                loop.turn()
            facts["seconds"] += time.perf_counter() - began
            played = judge(order, NetworkPolicy(learner), trial, runs=_JUDGED, first_seed=trial.first_seed)
            facts[f"after {minute:g}"] = sum(run.score for run in played) / len(played)
    return facts
