"""The `pitwall run` that plays a task as its agent: the command a person could type."""

from __future__ import annotations

import sys

from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Task
from pitwall_bench.tasks.messages import PlayTask

SECONDS_A_STEP = 5.0
"""Where no bound of time is named, who does not think may take so long for each step of the budget."""
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
    """The bound of time where neither task nor limits name one; None for a model, which thinks for long."""
    return None if order.agent.kind == "model" else _LEAST_S + steps * SECONDS_A_STEP


def settings_of(order: PlayTask) -> dict[str, str]:
    """Settings of the run by section.name: the agent's own, then those that the order decides. Nobody reviews
    the run unless the agent's settings say so: its memory is thrown away with the session."""
    agent = order.agent
    return {
        "models.analysis": "",
        "models.evolution": "",
        **{name: _text(value) for name, value in agent.settings.items()},
        "control.planner": _PLANNER[agent.kind],
        "control.interface": agent.interface,
        "control.protocol": order.protocol,
        "control.player": "person" if agent.kind == "person" else "agent",
        "memory.form": agent.memory,
        "memory.rounds": str(agent.rounds),
        "recording.step_frames": _text(order.keep_frames),
        "recording.video": "false",
    }


def command_of(
    order: PlayTask, task: Task, data: DataFolder, *, steps: int, seconds: float | None
) -> list[str]:
    """The words of the command.

    Args:
        data: the session's folder. steps: the budget. seconds: after which it ends itself at the latest.
    """
    agent = order.agent
    words = [sys.executable, "-m", "pitwall", "run", "--game", order.game, "--data", str(data.root)]
    words += ["--seed", str(order.cell.seed), "--steps", str(steps), "--instruction", task.instruction]
    words += ["--seconds", f"{seconds:g}"] if seconds is not None else []
    named = {"--role": task.role, "--scenario": task.scenario, "--workflow": agent.workflow}
    if agent.kind == "model":
        named |= {"--model": agent.model, "--fast-model": agent.fast_model}
    for option, value in named.items():
        words += [option, value] if value else []
    repeated = {
        "--ablate": agent.ablate,
        "--layer": agent.layer,
        "--module": [f"{name}={version}" for name, version in agent.modules.items()],
        "--setting": [f"{name}={value}" for name, value in settings_of(order).items()],
    }
    for option, values in repeated.items():
        for value in values:
            words += [option, value]
    return [*words, "--json", "--follow"]


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
