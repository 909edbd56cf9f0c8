"""`pitwall run`: play a game without the console."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, GameOption, JsonOption, data_folder
from pitwall.cli.play.agent_options import (
    AblateOption,
    FastModelOption,
    InterfaceOption,
    LayerOption,
    MemoryOption,
    ModelOption,
    PersonOption,
    PlannerOption,
    ProtocolOption,
    SettingOption,
    WorkflowOption,
    agent_lines,
    thinking_settings,
)
from pitwall.cli.play.follow import Follower
from pitwall.cli.play.headless import play
from pitwall.cli.play.threshold_options import ThresholdsOption, changed_thresholds
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands, telemetry
from pitwall.core.runs import RunSummary
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.link.input_reader import UNTIL_INPUT_ENDS, InputReader
from pitwall.store.run_metrics import invalid_action_rate


def run(
    game: GameOption,
    seconds: Annotated[float | None, typer.Option(min=1, help="End after this many seconds.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="End after this many steps.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the game, and of --planner random.")] = None,
    role: Annotated[str, typer.Option(help="Role to play; default: the game's first.")] = "",
    scenario: Annotated[str, typer.Option(help="One of the game's scenarios; default: as it is.")] = "",
    module: Annotated[
        list[str] | None,
        typer.Option(help="MODULE=VERSION: which version of a game sense module drives. Repeatable."),
    ] = None,
    window: Annotated[str, typer.Option(help="Play this window (an id of `pitwall windows`).")] = "",
    explore: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of a policy's decisions taken by chance, to learn from."),
    ] = 0.0,
    changes: ThresholdsOption = None,
    planner: PlannerOption = "",
    model: ModelOption = "",
    fast_model: FastModelOption = "",
    workflow: WorkflowOption = "",
    interface: InterfaceOption = "",
    protocol: ProtocolOption = "",
    memory: MemoryOption = "",
    person: PersonOption = False,
    ablate: AblateOption = None,
    layer: LayerOption = None,
    setting: SettingOption = None,
    instruction: Annotated[str, typer.Option(help="What to do, in words, for a model.")] = "",
    launch: Annotated[bool, typer.Option(help="Start the game where it is not open.")] = True,
    follow: Annotated[
        bool, typer.Option("--follow", help="With --json: print what happens as it comes, a line each.")
    ] = False,
    until_input_ends: Annotated[
        bool, typer.Option(UNTIL_INPUT_ENDS, help="End the run when standard input ends, for a program.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play one run. The Pause key stops it at once, Ctrl+C ends it."""
    folder = data_folder(data)
    profile = Registry(folder).load(game).profile  # its faults are told before anything is started
    thresholds = changed_thresholds(profile.trigger, changes)
    settings = thinking_settings(
        load_settings(folder.settings),
        folder,
        planner=planner,
        model=model,
        fast_model=fast_model,
        workflow=workflow,
        interface=interface,
        protocol=protocol,
        memory=memory,
        person=person,
        ablate=ablate,
        layer=layer,
        setting=setting,
    )
    opening = commands.Open(
        game=game,
        window_id=window_id(window),
        launch=launch,
        settings=settings,
        seed=seed,
        role=role,
        scenario=scenario,
        modules=pinned_modules(module),
        explore=explore,
    )
    report = Reporter(json)
    for line in agent_lines(settings):
        report.line(line)
    with screen_or_virtual():
        result = play(
            folder,
            opening,
            commands.Start(seconds=seconds, steps=steps, instruction=instruction),
            first=[commands.SetThresholds(thresholds=thresholds)],
            on_record=(Follower() if follow else None) if json else lambda record: _say(record, report),
            owner=InputReader(sys.stdin.buffer) if until_input_ends else None,
        )
    body = {
        "run_id": result.run_id,
        "game": game,
        "summary": result.summary,
        "model_calls": model_calls(result.summary) if result.summary is not None else {},
        "keys_down_at_end": result.keys_down,
        "faults": [fault.what for fault in result.faults],
    }
    report.result(body, [f"run {result.run_id} is recorded; see: pitwall runs {result.run_id}"])


def model_calls(summary: RunSummary) -> dict[str, Any]:
    """A run's model calls in sum: how many, their tokens, and what was wrong with them."""
    tiers = summary.tiers.values()
    cached = sum(tier.cached_tokens for tier in tiers)
    return {
        "calls": sum(tier.calls for tier in tiers),
        "fresh_tokens": sum(tier.prompt_tokens for tier in tiers) - cached,
        "cached_tokens": cached,
        "output_tokens": sum(tier.output_tokens for tier in tiers),
        "invalid_actions": sum(summary.illegal_actions.values()),
        "invalid_action_rate": invalid_action_rate(summary),
        "plans_dropped": summary.plans_dropped,
        "tiers": summary.tiers,
    }


def pinned_modules(given: list[str] | None) -> dict[str, str]:
    """`MODULE=VERSION`, as the engine takes them."""
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


def _say(record: Any, report: Reporter) -> None:
    match record:
        case telemetry.StateChanged(text=text) if text:
            report.line(text)
        case telemetry.StepNote(step=step):
            reasons = f" ({', '.join(step.reasons)})" if step.reasons else ""
            report.line(f"step {step.step:4d}  {step.route}{reasons}  {step.action}  {step.effect}")
        case telemetry.Fault(message=message, fix=fix):
            typer.echo(f"{message} {fix}", err=True)
