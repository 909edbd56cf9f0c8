"""`pitwall gsm analyse`, `check-reward` and `improve`."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.gsm_options import ModuleArgument, module_folder, training_packages
from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.terminal import say


def analyse(
    module: ModuleArgument,
    version: Annotated[str, typer.Argument(help="Default: the one that drives.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """What a version's training showed: actions, reward parts, states, stability, regressions."""
    folder = module_folder(data_folder(data), module)
    with training_packages():
        from pitwall.trainer.analysis import analyse as analysed

        analysis = analysed(folder, version or folder.driving())
    if json:
        print_json({**analysis.model_dump(mode="json"), "text": analysis.text()})
        return
    say(analysis.text())
