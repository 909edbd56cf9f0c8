"""`pitwall gsm trust`: adds an agent of an installed package as a version of its module."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall_lab.cli.arguments import ModuleArgument, module_folder


def trust(
    module: ModuleArgument,
    agent: Annotated[str, typer.Argument(help="Its name in `pitwall gsm list`.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add an agent of an installed package: check it, and run a policy once in a host.

    It is then a version like any other: evaluate it, and promote it to let it drive. A newer package offers
    its
    agent again.
    """
    from pitwall_lab.modules.taking_in import take_in

    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    about = take_in(folder_of_data, folder, agent)
    body = {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "version": about.version,
        "title": about.title,
        "folder": str(folder.folder(about.version)),
    }
    lines = [
        f"{folder.name} {about.version}: {about.title}",
        f"Play with it: pitwall run --game {folder.game.game_id} --module "
        f"{folder.declared.name}={about.version}; let it drive always: pitwall gsm promote {module} "
        f"{about.version}",
    ]
    Reporter(json).result(body, lines)
