"""`pitwall gsm pause`, `resume` and `stop`: steer a running training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall_lab.cli.arguments import ModuleArgument, module_folder, trainer_of
from pitwall_lab.training_log import TrainingControl, request_control

TrainingArgument = Annotated[str, typer.Argument(help="Default: the version that is being trained.")]


def pause(
    module: ModuleArgument, version: TrainingArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Pause a training; it keeps its place."""
    _steer(data, module, version, "pause", json=json)


def resume(
    module: ModuleArgument, version: TrainingArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Resume a paused training. (After a stop: pitwall gsm train --resume.)"""
    _steer(data, module, version, "run", json=json)


def stop(
    module: ModuleArgument, version: TrainingArgument = "", data: DataOption = None, json: JsonOption = False
) -> None:
    """Stop a training; its checkpoint is kept, and --resume continues from it."""
    _steer(data, module, version, "stop", json=json)


def _steer(data: Path | None, module: str, version: str, wish: TrainingControl, *, json: bool) -> None:
    folder = module_folder(data_folder(data), module)
    training = [name for name in folder.names() if trainer_of(folder, name) is not None]
    if version:
        folder.about(version)
    if not training or (version and version not in training):
        raise PitwallError(
            f"no training of {folder.name}{f' {version}' if version else ''} is running.",
            f"Resume a stopped training: pitwall gsm train {module} --resume {version or 'VERSION'}",
        )
    if not version and len(training) > 1:
        raise PitwallError(f"several versions train: {', '.join(training)}.", "Name one.")
    wanted = version or training[0]
    request_control(folder.folder(wanted), wish)
    line = f"{folder.name} {wanted}: asked to {'go on' if wish == 'run' else wish}."
    Reporter(json).result({"version": wanted, "asked": wish}, [line])
