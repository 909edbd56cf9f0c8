"""`pitwall gsm promote` and `rollback`: which version drives, behind a gate."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.gsm.arguments import ModuleArgument, VersionArgument, WhyOption, module_folder
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError


class NotPromoted(PitwallError):
    """The gate refused a version."""


def promote(
    module: ModuleArgument,
    version: VersionArgument,
    force: Annotated[
        bool, typer.Option("--force", help="Against the gate's advice; needs --why, which is recorded.")
    ] = False,
    why: WhyOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Let a version drive, if the gate passes it: evaluated with delay, and not worse than what drives now.

    Its policy's hash is compared, and it is loaded and run once in a host process, before it counts.
    """
    from pitwall.gsm.policy_probe import probe
    from pitwall.gsm.promotion_gate import judge_promotion

    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    verdict = judge_promotion(folder, version)
    if not verdict.passed and not force:
        raise NotPromoted(
            " ".join(verdict.against),
            f"Evaluate it (pitwall gsm evaluate {module} --version {version}), or insist: --force --why TEXT",
        )
    if force and not why.strip():
        raise NotPromoted("--force needs a reason.", "Give it: --why TEXT")
    took_ms = probe(folder_of_data, folder, version)
    overridden = not verdict.passed
    told = f"against the gate ({' '.join(verdict.against)}): {why}" if overridden else why
    promoted = folder.promote(version, why=told)
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "version": promoted.version,
        "forced": overridden,
        "against": verdict.against,
        "notes": verdict.notes,
        "probe_ms": took_ms,
    }
    lines = [*verdict.against, *verdict.notes, f"{version} of {folder.name} drives from now on."]
    Reporter(json).result(body, lines)


def rollback(
    module: ModuleArgument, why: WhyOption = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Let the version that drove before drive again."""
    folder = module_folder(data_folder(data), module)
    folder.roll_back(why=why)
    drives = folder.driving()
    body = {"game": folder.game.game_id, "module": folder.declared.name, "version": drives}
    Reporter(json).result(body, [f"{drives or 'nothing'} of {folder.name} drives from now on."])
