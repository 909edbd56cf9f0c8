"""`pitwall replay`: shows what another agent would do at the steps of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted, share
from pitwall.gsm.agreement import AgreementTally
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.arguments import training_packages

if TYPE_CHECKING:
    from pitwall.engine.replaying.deciding_again import DecidedAgain
    from pitwall.engine.replaying.replay import Replay
    from pitwall_lab.cli.play_on import PlayedOnInGame
    from pitwall_lab.trials.branching import PlayedOn

_SHOWN = 40
"""Differences that are printed for a person; a program gets every one."""


def replay(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run.")],
    agent: Annotated[
        str,
        typer.Option(help="skills, model, model:NAME, explore, random, idle, MODULE or MODULE@VERSION."),
    ],
    start: Annotated[int, typer.Option("--from", min=1, help="First step that is decided again.")] = 1,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Steps at most; 1: that step alone. Default: all that follow.")
    ] = None,
    play_on: Annotated[
        bool,
        typer.Option(
            "--play-on",
            help="Also play on from there: a module in the game's twin, else any agent in the game itself.",
        ),
    ] = False,
    scenario: Annotated[
        str, typer.Option(help="With --play-on: the scenario that the run was played in.")
    ] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Let an agent decide a recorded run's steps again, and compare. Nothing is sent to any game."""
    from pitwall.engine.replaying.replay import Replay  # loads the engine

    report = Reporter(json)
    folder = data_folder(data)
    again = Replay(folder, run_id, agent, start=start, most=steps)
    played = _played_on(folder, again, scenario, steps) if play_on else None
    decided: list[DecidedAgain] = []
    tally = AgreementTally()
    for decision in again.decided():
        decided.append(decision)
        decision.count(tally)
        passed = decision.step - start + 1
        report.progress(passed, again.steps, f"step {decision.step}: {len(decided):,} decisions")
    agreement = tally.agreement()
    different = [decision for decision in decided if not decision.agrees]
    body: dict[str, Any] = {
        "run_id": run_id,
        "game": again.game.game_id,
        "agent": agent,
        "version": again.version,
        "from": start,
        "steps": again.steps,
        "profile_changed": again.changed,
        "agreement": agreement,
        "sentence": agreement.text(),
        "first": decided[0] if decided else None,
        "differences": different,
        "played_on": played,
    }
    report.end_progress()
    lines = _lines(again, agent, decided, different, agreement.text())
    report.result(body, [*lines, *(_branch_lines(played, agent) if played is not None else ())])


def _played_on(data: DataFolder, again: Replay, scenario: str, most: int | None) -> PlayedOn | PlayedOnInGame:
    """Continue from the first step: in the twin if a module decided frame by frame, else in the game.

    Raises:
        PitwallError: the state cannot be reached; says why.
    """
    declared = {module.name: module for module in again.game.profile.modules}.get(again.agent.module)
    if declared is None or declared.judged_in is None or not again.frames:
        from pitwall_lab.cli.play_on import played_on_in_game

        return played_on_in_game(data, again, again.settings, scenario=scenario, most=most)
    with training_packages():
        from pitwall_lab.trials.branching import Branching

        folder = ModuleFolder(data, again.game, again.agent.module)
        about = folder.about(again.agent.version or folder.must_drive())
        branching = Branching(folder, about, seed=again.seed, scenario=scenario, frames=again.frames)
        return branching.play_on(again.start)


def _branch_lines(played: PlayedOn | PlayedOnInGame, agent: str) -> Iterator[str]:
    from pitwall_lab.cli.play_on import PlayedOnInGame

    if isinstance(played, PlayedOnInGame):
        yield from _game_lines(played, agent)
        return
    yield (
        f"played on from step {played.step} in the twin, whose state was found again by {played.frames:,} "
        f"decisions (fields {share(played.distance)} apart):"
    )
    for name, outcome in (("recorded", played.recorded), (agent, played.other)):
        end = outcome.end or "not over then"
        yield f"  {name:16s} score {outcome.score:g}, {outcome.seconds:.1f} s more, {end}"


def _game_lines(played: PlayedOnInGame, agent: str) -> Iterator[str]:
    yield (
        f"played on from step {played.step} in the game itself: it was begun anew, and at that step "
        f"{counted(played.compared, 'field')} were as recorded:"
    )
    for name, outcome in (("recorded", played.recorded), (agent, played.other)):
        score = "no score" if outcome.score is None else f"score {outcome.score:g} {outcome.unit}".rstrip()
        length = counted(outcome.steps, "step")
        yield f"  {name:16s} {score}, {length}, {outcome.end} then (run {outcome.run_id})"


def _lines(
    again: Replay, agent: str, decided: list[DecidedAgain], different: list[DecidedAgain], sentence: str
) -> Iterator[str]:
    name = agent if again.agent.version else f"{agent} {again.version}".strip()
    if again.changed:
        yield "The game's profile has changed since this run was played: actions and fields may be others."
    if not decided:
        yield f"Nothing to decide: {counted(again.steps, 'step')}, none of them in play as {name} plays it."
        return
    first = decided[0]
    yield f"step {first.step}: {first.did} was done; {name} would do {first.would}. {first.why}".rstrip()
    if len(decided) == 1:
        return
    yield f"{name} {sentence}"
    for decision in different[:_SHOWN]:
        place = f"step {decision.step:4d}  {decision.at_ms / 1000:7.2f} s"
        yield f"  {place}  {decision.did} → {decision.would}  {decision.why}".rstrip()
    if len(different) > _SHOWN:
        yield f"  and {counted(len(different) - _SHOWN, 'further difference')} (--json lists them)"
