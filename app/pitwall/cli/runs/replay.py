"""`pitwall replay`: what another agent would do at the steps of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter, counted
from pitwall.engine.replaying.deciding_again import DecidedAgain
from pitwall.engine.replaying.replay import Replay
from pitwall.gsm.agreement import AgreementTally

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
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Let an agent decide a recorded run's steps again, and compare. Nothing is sent to any game."""
    report = Reporter(json)
    again = Replay(data_folder(data), run_id, agent, start=start, most=steps)
    decided: list[DecidedAgain] = []
    tally = AgreementTally()
    for one in again.decided():
        decided.append(one)
        one.count(tally)
        passed = one.step - start + 1
        report.progress(passed, again.steps, f"step {one.step}: {len(decided):,} decisions")
    agreement = tally.agreement()
    different = [one for one in decided if not one.agrees]
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
    }
    report.end_progress()
    report.result(body, _lines(again, agent, decided, different, agreement.text()))


def _lines(
    again: Replay, agent: str, decided: list[DecidedAgain], different: list[DecidedAgain], sentence: str
) -> Iterator[str]:
    name = f"{agent} {again.version}".strip()
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
    for one in different[:_SHOWN]:
        yield f"  step {one.step:4d}  {one.at_ms / 1000:7.2f} s  {one.did} → {one.would}  {one.why}".rstrip()
    if len(different) > _SHOWN:
        yield f"  and {counted(len(different) - _SHOWN, 'further difference')} (--json lists them)"
