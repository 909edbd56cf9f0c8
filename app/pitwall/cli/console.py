"""`pitwall console`: the operator's window."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play.agent_options import BesideOption, RoleOption
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import require_reachable_screen
from pitwall.console.shell.beginning import begun
from pitwall.core import commands
from pitwall.core.settings import load_settings


def console(
    beside: BesideOption,
    game: Annotated[str, typer.Option("--game", help="Open this game at once.")] = "",
    start: Annotated[bool, typer.Option("--start", help="Start the agent once the game is in view.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="With --start: end the run after this, and close.")
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Install the components that are missing beside the play.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of a game that takes one.")] = None,
    role: RoleOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Open the console; with --start the agent plays at once."""
    require_reachable_screen()
    folder = data_folder(data)
    opening = (
        commands.Open(
            game=game, settings=load_settings(folder.settings), seed=seed, role=role, beside=tuple(beside)
        )
        if game
        else None
    )
    autostart = commands.Start(seconds=seconds) if game and start else None
    with begun(folder, opening) as early:
        from pitwall.console.shell.program import run_console  # Qt only where a window can be shown

        result = run_console(folder, early, opening=opening, autostart=autostart, install=install)
    if result is None:
        Reporter(json).result({"run_id": None, "live_frames": None, "started_s": {}})
    else:
        body = {"run_id": result.run_id, "live_frames": result.live_frames, "started_s": result.started_s}
        Reporter(json).result(body)
