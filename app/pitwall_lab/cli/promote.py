"""`pitwall gsm promote` and `rollback`: which version drives, behind a gate."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.arguments import ModuleArgument, VersionArgument, WhyOption, module_folder


class NotPromoted(PitwallError):
    """The gate refused a version."""


def promote(
    module: ModuleArgument,
    version: VersionArgument,
    force: Annotated[
        bool, typer.Option("--force", help="Promote against the gate; needs --why, which is recorded.")
    ] = False,
    why: WhyOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Let a version drive if the gate passes it: evaluated with delay, and not worse than what drives now.

    If its game has no trial, agreement with held-out play counts instead of the evaluation.

    Before promotion its policy's hash is compared, and it is loaded and run once in a host process.
    """
    from pitwall_lab.cloning.held_out import held_out_agreements
    from pitwall_lab.modules.policy_probe import probe
    from pitwall_lab.modules.promotion_gate import judge_promotion

    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    by_play = folder.about(version).kind == "policy" and not folder.declared.trials
    agreements = held_out_agreements(folder_of_data, folder, version) if by_play else {}
    verdict = judge_promotion(folder, version, agreements)
    if not verdict.passed and not force:
        raise NotPromoted(
            " ".join(verdict.against),
            f"{_how_to_judge(folder, version)}, or insist: --force --why TEXT",
        )
    if force and not why.strip():
        raise NotPromoted("--force needs a reason.", "Give it: --why TEXT")
    took_ms = probe(folder_of_data, folder, version)
    overridden = not verdict.passed
    reason = f"against the gate ({' '.join(verdict.against)}): {why}" if overridden else why
    promoted = folder.promote(version, why=reason)
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "version": promoted.version,
        "forced": overridden,
        "against": verdict.against,
        "notes": verdict.notes,
        "agreements": agreements,
        "probe_ms": took_ms,
    }
    lines = [*verdict.against, *verdict.notes, f"{version} of {folder.name} drives from now on."]
    Reporter(json).result(body, lines)


def _how_to_judge(folder: ModuleFolder, version: str) -> str:
    if folder.declared.trials:
        return f"Evaluate it (pitwall gsm evaluate {folder.name} --version {version})"
    agent = f"{folder.declared.name}@{version}"
    return (
        "Record more play and train again, see it live beside you "
        f"(pitwall shadow --game {folder.game.game_id} --agent {agent})"
    )


def rollback(
    module: ModuleArgument, why: WhyOption = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Roll back to the version that drove before."""
    folder = module_folder(data_folder(data), module)
    folder.roll_back(why=why)
    drives = folder.driving()
    body = {"game": folder.game.game_id, "module": folder.declared.name, "version": drives}
    Reporter(json).result(body, [f"{drives or 'nothing'} of {folder.name} drives from now on."])
