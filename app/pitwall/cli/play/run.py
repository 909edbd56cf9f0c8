"""`pitwall run`: play a game without the console."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any

import typer
from pydantic import ConfigDict, TypeAdapter

from pitwall.cli.options import DataOption, GameOption, JsonOption, data_folder
from pitwall.cli.play import agent_options as options
from pitwall.cli.play.headless import play
from pitwall.cli.reporter import Reporter, print_safely
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands, telemetry
from pitwall.core.paths import DataFolder
from pitwall.core.runs import UNREAD_SCORE, UNREAD_SCORE_FIX, RunSummary, invalid_action_rate
from pitwall.core.settings import load_settings
from pitwall.core.signals import Thresholds
from pitwall.games.registry import Registry
from pitwall.link.input_reader import UNTIL_INPUT_ENDS, InputReader

ExploreOption = Annotated[
    float, typer.Option(min=0, max=1, help="Share of a policy's decisions taken by chance, to learn from.")
]
FollowOption = Annotated[
    bool, typer.Option("--follow", help="With --json: print what happens as it comes, a line each.")
]
UntilOption = Annotated[
    bool, typer.Option(UNTIL_INPUT_ENDS, help="End the run when standard input ends, for a program.")
]
_FRAMES_EVERY_S = 0.1
_TELEMETRY: TypeAdapter[Any] = TypeAdapter(telemetry.Telemetry, config=ConfigDict(defer_build=True))
_FOLLOWED = (
    telemetry.StateChanged,
    telemetry.RunBegan,
    telemetry.RunEnded,
    telemetry.StepNote,
    telemetry.RingOpened,
    telemetry.Stats,
    telemetry.Budgets,
    telemetry.Fault,
)


def run(
    game: GameOption,
    beside: options.BesideOption,
    seconds: Annotated[float | None, typer.Option(min=1, help="End after this many seconds.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="End after this many steps.")] = None,
    calls: Annotated[int | None, typer.Option(min=1, help="End after this many model calls.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="End after this many tokens of models.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the game, and of --planner random.")] = None,
    role: options.RoleOption = "",
    scenario: options.ScenarioOption = "",
    module: options.ModuleOption = None,
    window: options.WindowOption = "",
    explore: ExploreOption = 0.0,
    changes: options.ThresholdsOption = None,
    planner: options.PlannerOption = "",
    model: options.ModelOption = "",
    fast_model: options.FastModelOption = "",
    workflow: options.WorkflowOption = "",
    interface: options.InterfaceOption = "",
    protocol: options.ProtocolOption = "",
    memory: options.MemoryOption = "",
    person: options.PersonOption = False,
    ablate: options.AblateOption = None,
    layer: options.LayerOption = None,
    setting: options.SettingOption = None,
    instruction: Annotated[str, typer.Option(help="The goal in words, for a model.")] = "",
    launch: options.LaunchOption = True,
    follow: FollowOption = False,
    until_input_ends: UntilOption = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play one run. The stop key (Scroll Lock) stops it at once, Ctrl+C ends it."""
    profile = Registry(folder := data_folder(data)).load(game).profile  # reports its faults at once
    settings = options.thinking_settings(
        *(load_settings(folder.settings), folder),
        control={"planner": planner, "workflow": workflow, "interface": interface, "protocol": protocol},
        model=model,
        fast_model=fast_model,
        memory=memory,
        person=person,
        ablate=ablate,
        layer=layer,
        setting=setting,
    )
    opening = commands.Open(
        game=game,
        window_id=options.window_id(window),
        launch=launch,
        settings=settings,
        seed=seed,
        role=role,
        beside=tuple(beside),
        scenario=scenario,
        modules=options.pinned_modules(module),
        explore=explore,
    )
    start = commands.Start(seconds=seconds, steps=steps, calls=calls, tokens=tokens, instruction=instruction)
    thresholds = options.changed_thresholds(profile.trigger, changes)
    _play(folder, opening, start, thresholds, Reporter(json), follow, until_input_ends)


def _play(
    folder: DataFolder,
    opening: commands.Open,
    start: commands.Start,
    thresholds: Thresholds,
    report: Reporter,
    follow: bool,
    until_input_ends: bool,
) -> None:
    for line in options.agent_lines(opening.settings):
        report.line(line)
    follower = _Follower() if follow else None
    with screen_or_virtual():
        result = play(
            folder,
            opening,
            start,
            first=[commands.SetThresholds(thresholds=thresholds)],
            on_record=follower if report.json else lambda record: _print(record, report),
            owner=InputReader(sys.stdin.buffer) if until_input_ends else None,
        )
    body = {
        "run_id": result.run_id,
        "game": opening.game,
        "summary": result.summary,
        "model_calls": model_calls(result.summary) if result.summary is not None else {},
        "keys_down_at_end": result.keys_down,
        "faults": [fault.what for fault in result.faults],
    }
    problem, fix = result.breakdown
    body |= {"problem": problem, "fix": fix} if problem else {}
    unread = result.summary.score_unread if result.summary is not None else ""
    words = [f"{UNREAD_SCORE.format(field=unread)} {UNREAD_SCORE_FIX}"] if unread else []
    report.result(body, [*words, f"run {result.run_id} is recorded; see: pitwall runs {result.run_id}"])
    if problem:
        print_safely(f"pitwall: {problem} {fix}".rstrip(), to_stderr=True)
        raise typer.Exit(1)


def model_calls(summary: RunSummary) -> dict[str, Any]:
    """Return the sums of a run's model calls: their number, tokens and invalid actions."""
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


def _print(record: Any, report: Reporter) -> None:
    match record:
        case telemetry.StateChanged(text=text) if text:
            report.line(text)
        case telemetry.StepNote(step=step):
            reasons = f" ({', '.join(step.reasons)})" if step.reasons else ""
            why = f": {step.effect_why}" if step.effect_why else ""
            report.line(f"step {step.step:4d}  {step.route}{reasons}  {step.action}  {step.effect}{why}")
        case telemetry.Fault(what=problem, fix=fix):
            typer.echo(f"{problem} {fix}", err=True)


class _Follower:
    """Prints a run's records as JSON lines for a program (`--follow`); at most ten frame notes a second."""

    def __init__(self) -> None:
        self._frame_at_s = 0.0

    def __call__(self, record: Any) -> None:
        now_s = time.monotonic()
        if isinstance(record, telemetry.FrameNote):
            if now_s - self._frame_at_s < _FRAMES_EVERY_S:
                return
            self._frame_at_s = now_s
        elif not isinstance(record, _FOLLOWED):
            return
        typer.echo(_TELEMETRY.dump_json(record))
