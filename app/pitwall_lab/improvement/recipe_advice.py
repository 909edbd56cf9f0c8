"""Proposes changes of a learned module without a model: recipe, reward weights, actions.

The rules of thumb may be wrong for a game; the held-out comparison afterwards decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pitwall.games.schema.modules import Learned, Recipe
from pitwall.gsm.version_record import VersionRecord
from pitwall_lab.analysis.figures import Analysis
from pitwall_lab.improvement.changes import Change, NoProposal
from pitwall_lab.improvement.reward_advice import other_rewards
from pitwall_lab.improvement.space_change import SpaceChange

_SWINGS = 0.25
_STUCK = 0.5
_GROWN = 3.0
_RARE = 0.01


def advised_change(analysis: Analysis, about: VersionRecord, number: int, reward: str = "") -> Change:
    """Propose the change of recipe, reward weights or actions that fits the analysis of a training.

    Args:
        reward: source of the version's reward function.
        number: of the iteration, from 1: the first gets the best fitting change, the next the second best.

    Raises:
        NoProposal: nothing fits.
    """
    if about.recipe is None:
        raise NoProposal(f"{about.module} {about.version} has no recipe to change.")
    recipes = _fitting(analysis, about.recipe)
    if about.explore is not None:  # it learns for minutes of play, whatever its steps
        recipes = (advice for advice in recipes if "steps" not in advice[0])
    fitting = [Change(title=title, why=why, recipe=recipe) for recipe, title, why in recipes]
    fitting += other_rewards(analysis, reward)
    fitting += _fewer_actions(analysis, about)
    if number > len(fitting):
        raise NoProposal(
            "nothing in the analysis speaks for another recipe.",
            "Let a model propose a reward, or write one.",
        )
    return fitting[number - 1].model_copy(update={"by": "rules"})


def _fewer_actions(of: Analysis, about: VersionRecord) -> Iterator[Change]:
    """Leave out actions that the policy hardly chooses, if two or more are left."""
    uses = of.play.actions if of.play is not None else of.actions
    shares = {use.action: use.share for use in uses}
    if not isinstance(about.learned, Learned) or not shares:
        return
    rare = [action for action in about.learned.actions if action and shares.get(action, 0.0) < _RARE]
    left = tuple(action for action in about.learned.actions if action not in rare)
    if rare and len(left) > 1:
        why = f"Each of {', '.join(rare)} is under {_RARE:.0%} of its decisions."
        yield Change(title="without actions that it hardly chooses", why=why, space=SpaceChange(actions=left))


def _fitting(of: Analysis, recipe: Recipe) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield changes with their titles and reasons, the best fitting first."""
    unit = f" {of.unit}" if of.unit else ""
    slower = {"learning_rate": round(recipe.learning_rate / 2, 7)}
    stable = of.stability
    if stable is not None and (stable.q_growth or 0.0) > _GROWN and (stable.loss_growth or 0.0) > _GROWN:
        why = f"The loss grew {stable.loss_growth:.2g}-fold and Q {stable.q_growth:.2g}-fold."
        yield {**slower, "tau": round(recipe.tau / 2, 6)}, "half the learning rate, a slower target", why
    if of.regression is not None and of.regression.certain:
        why = f"It lost {abs(of.regression.lost):.4g}{unit} since step {of.regression.best_step:,}."
        yield slower, "half the learning rate", why
    if (
        of.curve is not None
        and of.curve.shape == "rising"
        and (of.plateau is None or of.plateau.share < _STUCK)
    ):
        why = f"The return still rose: {of.curve.middle:.3g} → {of.curve.last:.3g} in the last third."
        yield {"steps": 2 * recipe.steps}, "twice as many steps", why
    if of.plateau is not None and of.plateau.share >= _STUCK:
        why = f"Nothing became better since step {of.plateau.since_step:,}."
        longer = {"epsilon_steps": 2 * recipe.epsilon_steps, "epsilon_to": max(0.05, recipe.epsilon_to)}
        yield longer, "it explores twice as long", why
    if stable is not None and stable.mean and stable.deviation > _SWINGS * abs(stable.mean):
        why = f"Later evaluations swing: {stable.mean:.4g} ± {stable.deviation:.3g}{unit}."
        yield {"batch": min(8192, 2 * recipe.batch)}, "twice the batch", why
