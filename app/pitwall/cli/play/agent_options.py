"""Options of the commands that play: what is played, who decides, ablations, layers, thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, get_args

import typer
from pydantic import ValidationError

from pitwall.core.commands import PlayMode
from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.model_telemetry import WorkflowName
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Thresholds
from pitwall.core.validation import first_fault
from pitwall.models.registry import check_chosen_models

ABLATIONS: dict[str, tuple[str, str, object]] = {
    "strategic-only": ("control", "routing", "strategic-only"),
    "reactive-only": ("control", "routing", "reactive-only"),
    "fixed-schedule": ("control", "routing", "fixed-schedule"),
    "no-override": ("control", "override", False),
    "no-enforced-evidence": ("control", "enforce_evidence", False),
    "no-earned-control": ("control", "trust", "model"),
    "no-modules": ("layers", "modules", False),
    "no-prompt-budget": ("models", "prompt_budget", False),
    "no-action-bank": ("memory", "action_bank", False),
    "no-knowledge-graph": ("memory", "knowledge_graph", False),
    "global-memory-only": ("memory", "global_only", True),
}
"""Ablations of SPEC §2: name → section, setting, value."""

SeedOption = Annotated[int | None, typer.Option("--seed", help="Seed of the game.")]
RoleOption = Annotated[str, typer.Option("--role", help="Role to play; default: the game's first.")]
BesideOption = Annotated[
    list[str],
    typer.Option(
        "--beside",
        default_factory=list,
        help="Role that a person or another agent plays in the same window; its keys are no takeover. "
        "Repeatable.",
    ),
]
ScenarioOption = Annotated[
    str, typer.Option("--scenario", help="One of the game's scenarios; default: as it is.")
]
WindowOption = Annotated[str, typer.Option("--window", help="Play this window (an id of `pitwall windows`).")]
LaunchOption = Annotated[bool, typer.Option("--launch/--no-launch", help="Start the game if it is not open.")]
ModuleOption = Annotated[
    list[str] | None,
    typer.Option("--module", help="MODULE=VERSION: which version of a game sense module drives. Repeatable."),
]
ThresholdsOption = Annotated[
    list[str] | None, typer.Option("--set", help="Change a threshold: name=value; repeatable.")
]
PlannerOption = Annotated[
    str,
    typer.Option(
        "--planner", help="Who plans: auto, skills, model, explore, random or idle. Default: the settings'."
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model", help="Model of the strategic tier, and of the fast tier if --fast-model is not given."
    ),
]
FastModelOption = Annotated[
    str, typer.Option("--fast-model", help="Model of the fast tier; 'none': rules ground the actions.")
]
WorkflowOption = Annotated[
    str,
    typer.Option(
        "--workflow",
        help=f"How the strategic model works: {', '.join(get_args(WorkflowName))}.",
    ),
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
    control: Mapping[str, str] = MappingProxyType({}),
    model: str = "",
    fast_model: str = "",
    memory: str = "",
    person: bool = False,
    ablate: list[str] | None = None,
    layer: list[str] | None = None,
    setting: list[str] | None = None,
) -> Settings:
    """Return settings with the changes of a command's options, for one run.

    Args:
        control: values of the section `control`; an empty one changes nothing.

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
    for name, value in {**control, "player": "person" if person else ""}.items():
        if value:
            settings = settings.with_value("control", name, value)
    if memory:
        form, equals, rounds = memory.partition("=")
        settings = settings.with_value("memory", "form", form.strip())
        settings = settings.with_value("memory", "rounds", rounds.strip()) if equals else settings
    for name in ablate or []:
        section, key, off = ABLATIONS[one_of(name, tuple(ABLATIONS), f"there is no ablation {name!r}.")]
        settings = settings.with_value(section, key, off)
    for switch in layer or []:
        name, equals, value = switch.partition("=")
        number = name.strip().lower()
        if not equals or number not in ("l1", "l2", "l3", "l4", "l5"):
            raise PitwallError(
                f"{switch!r} switches no layer.", "Write L1 … L5 and a switch, like L4=freeze."
            )
        settings = settings.with_value("layers", number, value.strip())
    check_chosen_models(settings, data)
    return settings


def agent_lines(settings: Settings) -> list[str]:
    """Describe in lines who plays and how; empty if all is as usual."""
    control, memory = settings.control, settings.memory
    if PlayMode.chosen_in(settings).by_person:
        return ["You play: nothing is sent, and each key or click in the game counts as a step."]
    lines = {
        "explore": "The default agent: it tries actions and keeps what raises the score.",
        "random": "Random: one legal action a step, nothing looked at.",
        "idle": "Idle: nothing is done; each step waits.",
    }
    described = [lines[control.planner]] if control.planner in lines else []
    if control.interface == "computer-use":
        described.append("Computer use: keys and pointer as they are; no skills, no modules.")
    if control.protocol == "paused":
        described.append("Paused: the game runs for each action's length only, then stands still.")
    if memory.form == "rounds":
        described.append(f"Memory: the last {memory.rounds} rounds in place of the layers L3 to L5.")
    return described


def one_of(value: str, known: Sequence[str], problem: str) -> str:
    """Return the value.

    Raises:
        PitwallError: it is none of the known values; names the nearest.
    """
    if value not in known:
        raise PitwallError(problem, suggestion(value, known, f"One of: {', '.join(known)}."))
    return value


def pinned_modules(given: list[str] | None) -> dict[str, str]:
    """Return `MODULE=VERSION` options as a mapping."""
    pins: dict[str, str] = {}
    for text in given or []:
        name, _, version = text.partition("=")
        if not name or not version:
            raise typer.BadParameter(f"{text!r} is not MODULE=VERSION, like fly=rules")
        pins[name] = version
    return pins


def window_id(text: str) -> int | None:
    """Read a window's id as `pitwall windows` prints it; None for an empty text."""
    if not text:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no window id; see: pitwall windows") from None


def changed_thresholds(thresholds: Thresholds, changes: list[str] | None) -> Thresholds:
    """Return thresholds with `name=value` changes.

    Raises:
        PitwallError: no such threshold, or a value that does not fit; names the nearest.
    """
    values = thresholds.model_dump()
    for change in changes or []:
        name, equals, value = change.partition("=")
        if not equals:
            raise PitwallError(f"{change!r} changes no threshold.", "Write name=value.")
        values[one_of(name, tuple(values), f"{change!r} changes no threshold.")] = value
    try:
        return Thresholds.model_validate(values)
    except ValidationError as error:
        name, problem = first_fault(error)
        raise PitwallError(f"{name}: {problem}.", "Give a number in its range.") from None
