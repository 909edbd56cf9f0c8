"""`pitwall demo`: a bundled game played before your eyes, scored from its true state, exported."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play.headless import PlayFailed, play, played
from pitwall.cli.reporter import Reporter, print_safely
from pitwall.cli.virtual_screen import require_reachable_screen, screen_or_virtual
from pitwall.console.shell.beginning import begun
from pitwall.core import commands, telemetry
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.core.runs import RunSummary, invalid_action_rate
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.link.autoplay import PlayResult
from pitwall.store.true_scores import last_true_score

_USUAL_S, _LONGEST_S = 30.0, 1800.0


def demo(
    game: Annotated[str, typer.Option("--game", help="Id of a game.")] = "flappy",
    seconds: Annotated[
        float | None,
        typer.Option(
            min=1, help="How long to play; default: 30, a game by turns to its end, at most 30 minutes."
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="End after this many steps.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of a game that takes one.")] = 1,
    console: Annotated[bool, typer.Option(help="Show the console beside the game.")] = False,
    screenshot: Annotated[
        Path | None,
        typer.Option(help="With --console: where to keep its picture; default: the run's folder."),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a bundled game; print where its run and its export are."""
    folder = data_folder(data)
    profile = Registry(folder).load(game).profile
    scratch = Path(tempfile.mkdtemp(prefix="pitwall-truth-"))
    opening = commands.Open(
        game=game,
        settings=load_settings(folder.settings),
        seed=seed,
        game_env={TRUTH_VARIABLE: str(scratch / "state.json")},
        console_pids=(os.getpid(),),
    )
    whole = seconds is None and steps is None and profile.game.by_turns
    seconds = seconds or (_LONGEST_S if whole else _USUAL_S)
    start = commands.Start(seconds=seconds, steps=steps, until_over=whole)
    try:
        with screen_or_virtual() as screen:
            how_long = "to its end" if whole else f"for {seconds:g} s"
            typer.echo(f"playing {profile.game.name} {how_long} on screen {screen}", err=json)
            picture = scratch / "console.png"
            result = _play(folder, opening, start, console, picture)
        assert result.run_id is not None
        kept = screenshot or folder.run(result.run_id) / "console.png"
        if picture.is_file():
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(picture, kept)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    score = last_true_score(folder, result.run_id)
    best = score.best if score is not None else None
    _report(folder, game, result, best, kept if console else None, json=json)


def _play(
    folder: DataFolder,
    opening: commands.Open,
    start: commands.Start,
    console: bool,
    screenshot: Path | None,
) -> PlayResult:
    if not console:
        return play(folder, opening, start, probe_leak=True)
    require_reachable_screen()
    with begun(folder, opening) as early:
        from pitwall.console.shell.program import run_console  # loads Qt only for a window

        result = run_console(folder, early, opening=opening, autostart=start, screenshot=screenshot)
    if result is None or not (result.summary or result.last_state or result.faults):
        raise PlayFailed("the console was closed.")
    return played(result)


def _report(
    folder: DataFolder,
    game: str,
    result: PlayResult,
    best: float | None,
    screenshot: Path | None,
    *,
    json: bool,
) -> None:
    assert result.run_id is not None
    assert result.summary is not None
    summary = result.summary
    out = folder.run(result.run_id) / "export"
    from pitwall.store.export import export_formats, export_run  # loads SQLAlchemy

    formats = [name for name in ("jsonl", "csv", "sqlite") if name in export_formats()]
    exported = export_run(folder, result.run_id, formats, out, force=True)
    body: dict[str, Any] = {
        "run_id": result.run_id,
        "game": game,
        "score": int(best) if best is not None and best == int(best) else best,
        "seconds": round(summary.seconds, 3),
        "steps": summary.steps,
        "frames": summary.frames,
        "dropped_frames": summary.dropped_frames,
        "planner": result.manifest.planner if result.manifest is not None else None,
        **_thinking(summary),
        "escalations": summary.escalations,
        "routes": {route: summary.routes.get(route, 0) for route in ("strategic", "reactive", "reflex")},
        "refusals": summary.refusals,
        "effects": summary.effects,
        "events_sent": summary.events_sent,
        "outcome": summary.outcome,
        "reaction_ms": {"p50": summary.reaction_ms.p50, "p95": summary.reaction_ms.p95},
        "loop_ms": {"p50": summary.loop_ms.p50, "p95": summary.loop_ms.p95},
        "leak_pixels": result.leak_pixels,
        "leak_cause": result.leak_cause,
        "keys_down_at_end": result.keys_down,
        "faults": [fault.what for fault in result.faults if isinstance(fault, telemetry.Fault)],
        "run_folder": str(folder.run(result.run_id)),
        "export": [str(exported.folder / name) for name in exported.files],
        "screenshot": str(screenshot) if screenshot else None,
    }
    lines = [f"run        {body['run_folder']}", f"export     {exported.folder}"]
    lines += [f"screenshot {screenshot}"] if screenshot else []
    scored = "not verifiable from outside" if best is None else f"{body['score']}"
    lines.append(f"score {scored}; {summary.steps} steps, {summary.frames} frames in {summary.seconds:.1f} s")
    models = ", ".join(dict.fromkeys(tier.model for tier in summary.tiers.values())) or "no model"
    invalid = sum(summary.illegal_actions.values())
    lines.append(
        f"{body['model_calls']} model calls ({models}); "
        f"{invalid} of {summary.proposed_actions} proposed actions were invalid"
    )
    problem, fix = result.breakdown
    body |= {"problem": problem, "fix": fix} if problem else {}
    Reporter(json).result(body, lines)
    if problem:
        print_safely(f"pitwall: {problem} {fix}".rstrip(), to_stderr=True)
        raise typer.Exit(1)


def _thinking(summary: RunSummary) -> dict[str, Any]:
    """Count the model calls, and the proposed actions that were not valid."""
    tiers = {
        name: {
            "model": tier.model,
            "calls": tier.calls,
            "dropped": tier.dropped,
            "invalid": tier.invalid,
            "failed": tier.failed,
            "took_ms": {"p50": tier.took_ms.p50, "p95": tier.took_ms.p95},
        }
        for name, tier in summary.tiers.items()
    }
    return {
        "model_calls": sum(tier.calls for tier in summary.tiers.values()),
        "tiers": tiers,
        "proposed_actions": summary.proposed_actions,
        "invalid_actions": sum(summary.illegal_actions.values()),
        "invalid_actions_by_kind": summary.illegal_actions,
        "invalid_action_rate": invalid_action_rate(summary),
    }
