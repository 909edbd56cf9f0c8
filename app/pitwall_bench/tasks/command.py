"""Builds the `pitwall run` command that plays a task as its agent, as a person could type it."""

from __future__ import annotations

import sys

from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Task
from pitwall_bench.suites.bounds import Bounds
from pitwall_bench.tasks.messages import PlayTask

SECONDS_A_STEP = 5.0
"""Seconds per step of the budget for an agent without a model, if no time limit is given."""
_LEAST_S = 60.0
_PLANNER = {
    "skills": "skills",
    "model": "model",
    "explore": "explore",
    "random": "random",
    "idle": "idle",
    "person": "idle",
}


def seconds_of(order: PlayTask, steps: int) -> float | None:
    """Return the time limit if neither task nor limits give one; None for a model, which thinks for long."""
    return None if order.agent.kind == "model" else _LEAST_S + steps * SECONDS_A_STEP


def settings_of(order: PlayTask) -> dict[str, str]:
    """Return the run's settings by section.name: the agent's own, then the order's.

    Unless the agent's settings ask for it, no review runs, which takes a model's time after each run; and no
    model that the operator chose grounds the actions of an agent that plays by skills.
    """
    agent = order.agent
    return {
        "models.analysis": "",
        "models.evolution": "",
        **({"models.fast": ""} if agent.kind == "skills" else {}),
        **({"layers.l5": "freeze"} if agent.accept == "none" else {}),
        **{name: _text(value) for name, value in agent.settings.items()},
        "control.planner": _PLANNER[agent.kind],
        "control.interface": agent.interface,
        "control.protocol": order.protocol,
        "control.player": "person" if agent.kind == "person" else "agent",
        "memory.form": agent.form,
        "memory.rounds": str(agent.rounds),
        "recording.step_frames": _text(order.keep_frames),
        "recording.video": "false",
    }


def command_of(
    order: PlayTask, task: Task, data: DataFolder, *, bounds: Bounds, seconds: float | None
) -> list[str]:
    """Return the words of the command.

    Args:
        data: the session's folder. seconds: the latest time at which it ends itself.
    """
    agent = order.agent
    words = [sys.executable, "-m", "pitwall", "run", "--game", order.game, "--data", str(data.root)]
    limits = {"--steps": bounds.steps, "--calls": bounds.calls, "--tokens": bounds.tokens}
    words += ["--seed", str(order.cell.seed)]
    words += [word for name, most in limits.items() if most is not None for word in (name, str(most))]
    words += ["--instruction", task.instruction]
    words += ["--seconds", f"{seconds:g}"] if seconds is not None else []
    named = {
        "--role": task.role,
        "--beside": task.other_role,
        "--scenario": task.scenario,
        "--workflow": agent.workflow,
    }
    if agent.kind == "model":
        named |= {"--model": agent.model, "--fast-model": agent.fast_model}
    for option, value in named.items():
        words += [option, value] if value else []
    repeated = {
        "--ablate": agent.ablate,
        "--layer": agent.layer,
        "--module": [f"{name}={version}" for name, version in agent.modules.items()],
        "--set": [f"{name}={value:g}" for name, value in agent.thresholds.items()],
        "--setting": [f"{name}={value}" for name, value in settings_of(order).items()],
    }
    for option, values in repeated.items():
        for value in values:
            words += [option, value]
    return [*words, "--json", "--follow"]


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
