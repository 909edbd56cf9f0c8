"""Compares the versions of a module by what they were trained with, and says what a training came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.core.quantities import duration_text, number, share
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall_lab.training_log import TrainingLog

Value = Any


def parameters_of(about: VersionRecord) -> dict[str, Value]:
    """Return the hyper-parameters of a version's training by name; empty for rules."""
    recipe = about.learned.cloning if isinstance(about.learned, ClonedSpace) else about.recipe
    if about.kind != "policy" or recipe is None:
        return {}
    flat: dict[str, Value] = {}
    for name, value in recipe.model_dump(mode="json").items():
        if isinstance(value, dict):
            flat |= {f"{name}.{part}": inner for part, inner in value.items()}
        else:
            flat[name] = value
    return {**flat, "seed": about.seed}


def parameter_names(versions: Sequence[VersionRecord], *, differing: bool) -> tuple[str, ...]:
    """Return the names of the versions' parameters in the recipe's order; `differing`: not equal in all."""
    trained = [parameters for about in versions if (parameters := parameters_of(about))]
    names = dict.fromkeys(name for parameters in trained for name in parameters)
    if not differing:
        return tuple(names)
    return tuple(
        name
        for name in names
        if any(parameters.get(name) != trained[0].get(name) for parameters in trained[1:])
    )


def parameter_text(value: Value) -> str:
    """Write a parameter's value; a dash where a version does not have it."""
    match value:
        case None | "":
            return "—"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(str, value)) or "—"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:g}"
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOutcome:
    """The end of a version's training.

    Attributes:
        state: finished: the whole recipe, or as far as it improved; else why it ended.
        learned: how much it learned from, and how long it took. best: its best test while it was trained, or
            its agreement with held-out play; empty without one.
    """

    state: Literal["finished", "stopped", "failed"]
    learned: str
    best: str = ""


def training_outcome(about: VersionRecord, log: TrainingLog, *, unit: str = "") -> TrainingOutcome | None:
    """Return what a version's training came to; None while it goes on, or if there was none.

    Args:
        log: the training's, as far as it is written. unit: the trial's.
    """
    state = log.state.state if log.state is not None else None
    if state in ("running", "paused") or about.kind != "policy" or not (state or about.steps):
        return None
    if about.standing in (VersionStatus.PROPOSED, VersionStatus.TRAINING) and state is None:
        return None
    took = f" in {duration_text(about.wall_s)}" if about.wall_s else ""
    best = ""
    if log.cloned is not None:
        best = f"{share(log.cloned.agreement)} agreement with play that was held out"
    elif log.evaluations:
        test = next((test for test in reversed(log.evaluations) if test.best), log.evaluations[-1])
        best = f"{number(test.mean)} {unit}".rstrip() + f" · {test.wins} of {test.runs} won"
    ended: Literal["finished", "stopped", "failed"] = "finished"
    if state in ("stopped", "failed"):
        ended = "stopped" if state == "stopped" else "failed"
    steps = about.steps or (log.state.step if log.state is not None else 0)
    return TrainingOutcome(state=ended, learned=f"{steps:,} decisions{took}", best=best)
