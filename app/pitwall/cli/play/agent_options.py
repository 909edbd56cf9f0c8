"""Reads the options for who thinks: planner, models, the source's ablations, the layers' switches."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.core.commands import PlayMode
from pitwall.core.errors import PitwallError, nearest
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.models.registry import check_chosen_models

ABLATIONS: dict[str, tuple[str, str, object]] = {
    "strategic-only": ("control", "routing", "strategic-only"),
    "reactive-only": ("control", "routing", "reactive-only"),
    "fixed-schedule": ("control", "routing", "fixed-schedule"),
    "no-override": ("control", "override", False),
    "no-enforced-evidence": ("control", "enforce_evidence", False),
    "no-earned-control": ("control", "trust", "model"),
    "no-prompt-budget": ("models", "prompt_budget", False),
    "no-action-bank": ("memory", "action_bank", False),
    "no-knowledge-graph": ("memory", "knowledge_graph", False),
    "global-memory-only": ("memory", "global_only", True),
}
"""Ablations of SPEC §2: name → section, setting, value."""

PlannerOption = Annotated[
    str,
    typer.Option(
        "--planner", help="Who plans: auto, skills, model, explore, random or idle. Default: the settings'."
    ),
]
ModelOption = Annotated[
    str, typer.Option("--model", help="Model of the strategic tier, and of the fast one where none is named.")
]
FastModelOption = Annotated[
    str, typer.Option("--fast-model", help="Model of the fast tier; 'none': rules ground the actions.")
]
WorkflowOption = Annotated[
    str, typer.Option("--workflow", help="How the strategic model works: spike or gamesense.")
]
AblateOption = Annotated[
    list[str] | None,
    typer.Option("--ablate", help=f"Switch off a part; repeatable: {', '.join(ABLATIONS)}."),
]
InterfaceOption = Annotated[
    str, typer.Option("--interface", help="How it acts: semantic, or computer-use (keys and pointer).")
]
ProtocolOption = Annotated[
    str, typer.Option("--protocol", help="real-time, or paused: the game stands still between actions.")
]
MemoryOption = Annotated[
    str, typer.Option("--memory", help="layered, or rounds=N: the last N rounds in place of the layers.")
]
PersonOption = Annotated[
    bool, typer.Option("--person", help="You play: nothing is sent, each key or click counts as a step.")
]
LayerOption = Annotated[
    list[str] | None,
    typer.Option(
        "--layer", help="Switch a layer; repeatable: L1=stripped, L2=stripped, L3=off, L4=freeze, L5=disable."
    ),
]
SettingOption = Annotated[
    list[str] | None,
    typer.Option("--setting", help="Change a setting for this run: section.name=value; repeatable."),
]


def thinking_settings(
    settings: Settings,
    data: DataFolder,
    *,
    planner: str = "",
    model: str = "",
    fast_model: str = "",
    workflow: str = "",
    interface: str = "",
    protocol: str = "",
    memory: str = "",
    person: bool = False,
    ablate: list[str] | None = None,
    layer: list[str] | None = None,
    setting: list[str] | None = None,
) -> Settings:
    """Settings as the options of a command change them, for one run.

    Raises:
        PitwallError: an unknown ablation, layer, setting or model; names the nearest.
    """
    for change in setting or []:
        name, equals, value = change.partition("=")
        section, dot, key = name.partition(".")
        if not equals or not dot:
            raise PitwallError(f"{change!r} changes no setting.", "Write section.name=value.")
        settings = settings.with_value(section.strip(), key.strip(), value.strip())
    if model:
        settings = settings.with_value("models", "strategic", model)
    if model or fast_model:
        fast = "" if fast_model == "none" else fast_model or model
        settings = settings.with_value("models", "fast", fast)
    choices = {"planner": planner, "workflow": workflow, "interface": interface, "protocol": protocol}
    choices["player"] = "person" if person else ""
    for name, value in choices.items():
        if value:
            settings = settings.with_value("control", name, value)
    if memory:
        settings = _remembering(settings, memory)
    for name in ablate or []:
        settings = _ablated(settings, name)
    for switch in layer or []:
        settings = _switched(settings, switch)
    check_chosen_models(settings, data)
    return settings


def _remembering(settings: Settings, memory: str) -> Settings:
    """`layered`, `rounds` or `rounds=N`."""
    form, equals, rounds = memory.partition("=")
    settings = settings.with_value("memory", "form", form.strip())
    return settings.with_value("memory", "rounds", rounds.strip()) if equals else settings


def agent_lines(settings: Settings) -> list[str]:
    """Describe in lines what the settings mean for who plays and how; empty if all is as usual."""
    control, memory = settings.control, settings.memory
    if PlayMode.chosen_in(settings).by_person:
        return ["You play: nothing is sent, and each key or click in the game counts as a step."]
    lines = {
        "explore": "The default agent: it tries actions and keeps what raises the score.",
        "random": "Random: one legal action a step, nothing looked at.",
        "idle": "Idle: nothing is done; each step waits.",
    }
    text_lines = [lines[control.planner]] if control.planner in lines else []
    if control.interface == "computer-use":
        text_lines.append("Computer use: keys and pointer as they are; no skills, no modules.")
    if control.protocol == "paused":
        text_lines.append("Paused: the game runs for each action's length only, then stands still.")
    if memory.form == "rounds":
        text_lines.append(f"Memory: the last {memory.rounds} rounds in place of the layers L3 to L5.")
    return text_lines


def _ablated(settings: Settings, name: str) -> Settings:
    if name not in ABLATIONS:
        near = nearest(name, ABLATIONS)
        hint = f"Did you mean {near!r}?" if near else f"One of: {', '.join(ABLATIONS)}."
        raise PitwallError(f"there is no ablation {name!r}.", hint)
    section, key, value = ABLATIONS[name]
    return settings.with_value(section, key, value)


def _switched(settings: Settings, switch: str) -> Settings:
    name, equals, value = switch.partition("=")
    layer = name.strip().lower()
    if not equals or layer not in ("l1", "l2", "l3", "l4", "l5"):
        raise PitwallError(f"{switch!r} switches no layer.", "Write L1 … L5 and a switch, like L4=freeze.")
    return settings.with_value("layers", layer, value.strip())
