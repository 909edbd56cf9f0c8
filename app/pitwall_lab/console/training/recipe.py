"""A training's recipe as fields of a form, by group, and what was changed in it. No Qt.

Bounds and defaults are those of `games.schema.modules.Recipe`; here stand the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic import ValidationError

from pitwall.console.kit.form.fields import Field, declared_field
from pitwall.core.errors import PitwallError
from pitwall.games.schema.modules import Recipe

EDITOR_PX = 176
_DECIMALS = {"learning_rate": 6, "tau": 5, "gamma": 4}
_BOUNDS = {Gt: "above", Ge: "from", Lt: "below", Le: "at most"}
_WORDS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "Length": {
        "steps": ("Length", "steps", "Decisions over all environments, then it ends"),
        "environments": ("Environments", "side by side", "Games that are played at once, headless"),
        "evaluate_every": (
            "Evaluate every",
            "steps",
            "Between two tests on held-out seeds; the best is kept",
        ),
        "evaluate_runs": ("Runs each time", "runs", "More runs make a surer score and a slower training"),
    },
    "As on the screen": {
        "delay_ms": (
            "Delay",
            "ms",
            "Between a frame and the effect of what was decided on it; Measure tells it",
        ),
        "jitter_ms": ("Jitter", "ms", "The delay goes up and down by so much"),
        "drop": ("Late frames", "share", "Share of decisions that never reach the game"),
    },
    "Exploration": {
        "epsilon_from": ("From", "share", "Share of random actions at the beginning"),
        "epsilon_to": ("To", "share", "Share of random actions at the end"),
        "epsilon_steps": ("Over", "steps", "Decisions over which it falls from the one to the other"),
    },
    "Learning": {
        "learning_rate": ("Learning rate", "", "How far one gradient step goes"),
        "learning_rate_to": ("Falling to", "", "In a straight line over the training; 0: it stays"),
        "gamma": ("Discount γ", "", "What a reward is worth one decision later"),
        "n_step": ("n-step", "rewards", "Rewards summed before the estimate"),
        "batch": ("Batch", "transitions", "Transitions in one gradient step"),
        "replay": ("Replay memory", "transitions", "Transitions that are remembered"),
        "learn_from": ("Learn from", "transitions", "Transitions before the first gradient step"),
        "train_every": ("Train every", "steps", "Decisions, over all environments, for each gradient step"),
        "horizon": ("PPO: horizon", "steps", "Decisions of each environment that make an update"),
        "passes": ("PPO: passes", "times", "How often an update learns from each decision"),
        "clip": ("PPO: clip", "share", "Largest change of a decision's probability in an update"),
        "gae_lambda": ("PPO: λ", "share", "How far ahead the worth of a decision is read"),
        "entropy": ("PPO: entropy", "share", "What it counts to stay undecided: more tries more"),
        "tau": (
            "Soft update τ",
            "share",
            "Share of the online network that the target takes over at each step",
        ),
    },
}
TABLES = ("noise", "scenarios", "hidden", "algorithm")
"""Values that are no single number; each has an editor of its own."""
MEASURED = ("delay_ms", "jitter_ms", "drop")
"""Numbers that a measurement on the screen gives, beside the noise."""


def recipe_fields() -> dict[str, list[Field]]:
    """Every single number of a recipe as fields of a form, by what it is about."""
    return {
        title: [_field(name, *words) for name, words in fields.items()] for title, fields in _WORDS.items()
    }


def settings(before: Recipe, after: Mapping[str, Any]) -> tuple[str, ...]:
    """List the changed values of a recipe, as `--set` takes them.

    Args:
        after: values by name; those that are as before are left out.

    Raises:
        PitwallError: a value does not fit; says which.
    """
    checked(before, after)
    lines: list[str] = []
    for name, value in after.items():
        if name == "noise":
            fields = sorted({*before.noise, *value})
            lines += [
                f"noise.{field}={value.get(field, 0.0):g}"
                for field in fields
                if value.get(field, 0.0) != before.noise.get(field, 0.0)
            ]
        elif getattr(before, name) != value:
            lines.append(f"{name}={_as_set(value)}")
    return tuple(lines)


def checked(before: Recipe, changes: Mapping[str, Any]) -> Recipe:
    """A recipe with changed values.

    Raises:
        PitwallError: a value does not fit; says which and what would.
    """
    try:
        return Recipe.model_validate({**before.model_dump(), **changes})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise PitwallError(f"{name}: {first['msg']}.") from None


def differences(before: Recipe, after: Recipe) -> list[tuple[str, str, str]]:
    """List the differences: label, before, after."""
    labels = {name: words[0] for fields in _WORDS.values() for name, words in fields.items()}
    return [
        (labels.get(name, name), _shown(getattr(before, name)), _shown(getattr(after, name)))
        for name in Recipe.model_fields
        if getattr(before, name) != getattr(after, name)
    ]


def _field(name: str, label: str, unit: str, says: str) -> Field:
    rules = {type(rule): rule for rule in Recipe.model_fields[name].metadata if type(rule) in _BOUNDS}
    whole = Recipe.model_fields[name].annotation is int
    most = rules[Le].le if Le in rules else rules[Lt].lt if Lt in rules else None
    fine = most is not None and most <= 1
    coarse = whole and most is not None and most > 10_000
    return declared_field(
        Recipe,
        name,
        label=label,
        decimals=0 if whole else _DECIMALS.get(name, 3) if fine else 1,
        step=max(1, 10 ** (len(str(most)) - 5)) if coarse else 1 if whole else 0.01 if fine else 5.0,
        unit="" if unit == "share" else unit,
        help=f"{says} · {_fits(rules)} {unit}".rstrip(),
        width=EDITOR_PX,
    )


def _fits(rules: Mapping[type, Any]) -> str:
    """Bounds in words: "100 … 1,000,000,000", "above 0, at most 1"."""
    found = {kind: _plain(getattr(rule, kind.__name__.lower())) for kind, rule in rules.items()}
    if found.keys() == {Ge, Le}:
        return f"{found[Ge]} … {found[Le]}"
    return ", ".join(f"{_BOUNDS[kind]} {bound}" for kind, bound in found.items())


def _as_set(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(str(one) for one in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ± {number:g}" for name, number in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(str(one) for one in value) or "as it is"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"
