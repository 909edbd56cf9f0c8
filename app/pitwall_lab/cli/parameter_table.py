"""`pitwall gsm table`: a module's versions by what they were trained with and what came of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.reporter import table as as_table
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.arguments import ModuleArgument, module_folder
from pitwall_lab.cli.format import newest, score_text
from pitwall_lab.modules.hyper_parameters import (
    TrainingOutcome,
    parameter_names,
    parameter_text,
    parameters_of,
    training_outcome,
)
from pitwall_lab.training_log import LOG, TrainingLog


def table(
    module: ModuleArgument,
    every: Annotated[
        bool, typer.Option("--all", help="Every setting, not only those in which versions differ.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Compare the versions of a module: settings of their trainings, what came of them, scores."""
    folder = module_folder(data_folder(data), module, resting=True)
    versions, faults = folder.all()
    names = parameter_names(versions, differing=not every)
    outcomes = {about.version: outcome_in(folder, about) for about in versions}
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "parameters": names,
        "versions": [_version_json(about, outcomes[about.version]) for about in versions],
        "faults": [{"what": fault.what, "fix": fault.fix} for fault in faults],
    }
    rows = [_row(about, outcomes[about.version], names) for about in versions]
    head = ["version", "state", *names, "best test", "score"]
    Reporter(json).result(body, [*as_table(head, rows), *map(str, faults)])


def outcome_in(folder: ModuleFolder, about: VersionRecord) -> TrainingOutcome | None:
    """Return what a version's training came to, from its folder."""
    log = TrainingLog(folder.folder(about.version) / LOG)
    log.follow()
    trial = next(iter(folder.declared.trials), None)
    return training_outcome(about, log, unit=trial.unit if trial is not None else "")


def _version_json(about: VersionRecord, outcome: TrainingOutcome | None) -> dict[str, Any]:
    return {
        "version": about.version,
        "parent": about.parent,
        "standing": about.standing,
        "steps": about.steps,
        "wall_s": about.wall_s,
        "parameters": parameters_of(about),
        "outcome": asdict(outcome) if outcome is not None else None,
        "scores": newest(about),
    }


def _row(about: VersionRecord, outcome: TrainingOutcome | None, names: tuple[str, ...]) -> list[str]:
    parameters = parameters_of(about)
    scores = "; ".join(map(score_text, newest(about)))
    state = outcome.state if outcome is not None else about.standing if parameters else "rules"
    values = [parameter_text(parameters.get(name)) for name in names]
    return [about.version, state, *values, outcome.best if outcome is not None else "", scores]
