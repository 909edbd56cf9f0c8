"""`pitwall games add-gameworld`: turns a folder of a GameWorld checkout into games and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import counted
from pitwall.games.drafting.folder import GameThere
from pitwall_environments.browser.imported.gameworld_folder import games_in
from pitwall_environments.browser.imported.gameworld_game import PREFIX, add_gameworld_game


def add_gameworld(
    folder: Annotated[Path, typer.Argument(help="Folder of the checkout: its pages and its task files.")],
    width: Annotated[int, typer.Option(min=160, max=3840, help="Width of the pages' windows in px.")] = 1280,
    height: Annotated[int, typer.Option(min=120, max=2160, help="Their height in px.")] = 720,
    replace: Annotated[bool, typer.Option(help="Replace games that exist already.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Turn a GameWorld checkout into games: its pages, named actions, rules and verifiable tasks."""
    place, report = data_folder(data), Reporter(json)
    games, notes = games_in(folder)
    added: dict[str, int] = {}
    failed: dict[str, str] = {}
    for i, game in enumerate(games):
        report.progress(i, len(games), game.game_id)
        try:
            tasks, more = add_gameworld_game(place, game, size=(width, height), replace=replace)
        except GameThere as error:
            failed[game.game_id] = str(error)
        except (PitwallError, KeyError) as error:
            failed[game.game_id] = str(error)
        else:
            added[game.game_id] = tasks
            notes += more
    if not added:
        raise PitwallError("no game was added.", " ".join(failed.values()))
    lines = [f"{PREFIX}{game_id}: {counted(count, 'task')}" for game_id, count in added.items()]
    lines += [f"{game_id} was not added: {why}" for game_id, why in failed.items()]
    report.result({"added": added, "failed": failed, "notes": notes}, [*lines, *notes])
