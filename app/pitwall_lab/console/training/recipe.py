"""A training's recipe as grouped fields of a form, and the changes made to it. No Qt.

Bounds and defaults come from `games.schema.modules.Recipe`; the words are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotated_types import Ge, Gt, Le, Lt
from pydantic import ValidationError

from pitwall.console.kit.form.fields import Field, declared_field
from pitwall.core.errors import PitwallError
from pitwall.core.validation import first_fault
from pitwall.games.schema.modules import Recipe

EDITOR_PX = 176
_DECIMALS = {"learning_rate": 6, "tau": 5, "gamma": 4}
_BOUNDS = {Gt: "above", Ge: "from", Lt: "below", Le: "at most"}
_WORDS: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "Length": {
        "steps": ("Length", "steps", "Decisions over all environments in the whole training"),
        "environments": ("Environments", "side by side", "Headless games that are played at the same time"),
        "evaluate_every": (
            "Evaluate every",
            "steps",
            "Between two tests on held-out seeds; the best policy is kept",
        ),
        "evaluate_runs": ("Runs each time", "runs", "More runs give a surer score and a slower training"),
    },
    "Screen conditions": {
        "delay_ms": (
            "Delay",
            "ms",
            "From a frame to the effect of its decision; Measure determines it",
        ),
        "jitter_ms": ("Jitter", "ms", "The delay varies up and down by so much"),
        "drop": ("Late frames", "share", "Share of decisions that never reach the game"),
    },
    "Exploration": {
        "epsilon_from": ("From", "share", "Share of random actions at the beginning"),
        "epsilon_to": ("To", "share", "Share of random actions at the end"),
        "epsilon_steps": ("Over", "steps", "Decisions over which the share falls"),
    },
    "Learning": {
        "learning_rate": ("Learning rate", "", "How far one gradient step goes"),
        "learning_rate_to": ("Falling to", "", "Falls linearly over the training; 0: it stays constant"),
        "gamma": ("Discount γ", "", "Worth of a reward one decision later"),
        "n_step": ("n-step", "rewards", "Rewards summed before the estimate"),
        "batch": ("Batch", "transitions", "Transitions in one gradient step"),
        "replay": ("Replay memory", "transitions", "Transitions that are kept"),
        "learn_from": ("Learn from", "transitions", "Transitions before the first gradient step"),
        "train_every": ("Train every", "steps", "Decisions, over all environments, for each gradient step"),
        "horizon": ("PPO: horizon", "steps", "Decisions of each environment in an update"),
        "passes": ("PPO: passes", "times", "How often an update learns from each decision"),
        "clip": ("PPO: clip", "share", "Largest change of a decision's probability in an update"),
        "gae_lambda": ("PPO: λ", "share", "How far ahead a decision's value is estimated"),
        "entropy": ("PPO: entropy", "share", "Weight of staying undecided: a higher weight explores more"),
        "tau": (
            "Soft update τ",
            "share",
            "Share of the online network that the target takes over at each step",
        ),
        "imagined": (
            "Imagined",
            "share",
            "Share of what it learns from that is imagined in a world learned from play",
        ),
        "critics": (
            "DQN: critics",
            "networks",
            "Networks that value actions; a target takes the smaller value of two",
        ),
        "dropout": (
            "DQN: dropout",
            "share",
            "Share of units left out in learning, with layer norm; 0: neither",
        ),
        "reset_every": (
            "DQN: reset every",
            "gradient steps",
            "Between two resets that renew the networks in part; 0: never",
        ),
    },
}
TABLES = ("noise", "scenarios", "hidden", "algorithm")
"""Values that are not single numbers; each has its own editor."""
MEASURED = ("delay_ms", "jitter_ms", "drop")
"""Numbers that a measurement on the screen gives, in addition to noise."""


def recipe_fields() -> dict[str, list[Field]]:
    """Return every number of a recipe as fields of a form, by group."""
    return {
        title: [_field(name, *words) for name, words in fields.items()] for title, fields in _WORDS.items()
    }


def settings(before: Recipe, after: Mapping[str, Any]) -> tuple[str, ...]:
    """List the changed values of a recipe for `--set`.

    Args:
        after: values by name; unchanged values are left out.

    Raises:
        PitwallError: a value does not fit; names it.
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
    """Return a recipe with changed values.

    Raises:
        PitwallError: a value does not fit; names it and what is expected.
    """
    try:
        return Recipe.model_validate({**before.model_dump(), **changes})
    except ValidationError as error:
        name, problem = first_fault(error)
        raise PitwallError(f"{name}: {problem}.") from None


def differences(before: Recipe, after: Recipe) -> list[tuple[str, str, str]]:
    """List the differences: label, before, after."""
    return [
        (label_of(name), _shown(getattr(before, name)), _shown(getattr(after, name)))
        for name in Recipe.model_fields
        if getattr(before, name) != getattr(after, name)
    ]


def label_of(name: str) -> str:
    """Return what a recipe's value is called on the screen."""
    return next(
        (fields[name][0] for fields in _WORDS.values() if name in fields), name.replace("_", " ").capitalize()
    )


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
    """Write bounds in words: "100 … 1,000,000,000", "above 0, at most 1"."""
    bounds = {kind: _plain(getattr(rule, kind.__name__.lower())) for kind, rule in rules.items()}
    if bounds.keys() == {Ge, Le}:
        return f"{bounds[Ge]} … {bounds[Le]}"
    return ", ".join(f"{_BOUNDS[kind]} {bound}" for kind, bound in bounds.items())


def _as_set(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ± {number:g}" for name, number in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value) or "none"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:g}"
