"""`pitwall gsm add-policy`: adds a pixel policy that was made elsewhere as a version of a module."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall_lab.cli.arguments import ModuleArgument, module_folder


def add_policy(
    module: ModuleArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The policy: ONNX, or safetensors.")],
    manifest: Annotated[
        Path, typer.Option("--manifest", help="TOML file that describes its inputs, outputs and licence.")
    ],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add a pixel policy that was made elsewhere: check it, run it in a host, and measure its rate.

    It is then a version like any other: evaluate it, and promote it to let it drive.
    """
    from pitwall_lab.modules.pixel_policies import add_policy as added

    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    about = added(folder_of_data, folder, file, manifest)
    assert about.rate is not None
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "version": about.version,
        "title": about.title,
        "rate": about.rate,
        "actions": about.learned.actions[1:] if about.learned is not None else [],
        "folder": str(folder.folder(about.version)),
    }
    lines = [
        f"{folder.name} {about.version}: {about.title}, {about.rate.words}",
        f"Judge it (pitwall gsm evaluate {module} --version {about.version}), then promote it.",
    ]
    Reporter(json).result(body, lines)
