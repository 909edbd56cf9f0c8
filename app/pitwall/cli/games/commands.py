"""`pitwall games`: lists, shows, checks and trusts games; `cli/games/new.py` adds one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.games.calibrate import calibrate
from pitwall.cli.games.new import new
from pitwall.cli.games.watch import read, watch
from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.quantities import counted
from pitwall.games.checks.folder import check_game
from pitwall.games.own_names import rename_game
from pitwall.games.registry import Registry
from pitwall.games.seat_checks import seat_check
from pitwall.games.trust import trust as trust_game


def list_games(data: DataOption = None, json: JsonOption = False) -> None:
    """List the known games."""
    entries = Registry(data_folder(data)).games()
    lines = (
        f"{entry.game_id:16s} {entry.name:24s} {entry.source:10s} {entry.fault or entry.lacking}".rstrip()
        for entry in entries
    )
    Reporter(json).result(entries, lines)


def show(game: str, data: DataOption = None, json: JsonOption = False) -> None:
    """Show one game's profile."""
    folder = data_folder(data)
    loaded = Registry(folder).load(game)
    profile, seat = loaded.profile, seat_check(folder, loaded.game_id)
    lines = [
        f"{profile.game.name} {profile.game.version}: {profile.game.summary}",
        "actions: " + ", ".join(action.name for action in profile.actions),
        "fields:  " + ", ".join(field.name for field in profile.fields),
        f"keyboard and pointer: {seat.text if seat is not None else 'not tried yet: pitwall doctor --game'}",
    ]
    Reporter(json).result({**loaded.model_dump(mode="json"), "seat": seat}, lines)


def check(folder: Annotated[Path, typer.Argument(help="A game's folder.")], json: JsonOption = False) -> None:
    """Check a game's folder: list every fault, with file, key and the expected value."""
    faults = check_game(folder)
    count = counted(len(faults), "fault") if faults else "no faults"
    lines = [*map(str, faults), f"{folder}: {count}"]
    Reporter(json).result({"folder": folder, "ok": not faults, "faults": faults}, lines)
    if faults:
        raise typer.Exit(1)


def trust(game: str, data: DataOption = None, json: JsonOption = False) -> None:
    """Let a game's programs and Python run, with their present content."""
    folder = data_folder(data)
    loaded = Registry(folder).load(game)
    trust_game(folder, loaded)
    line = f"{loaded.profile.game.name} is trusted as it is now; a changed folder asks again."
    Reporter(json).result({"game": loaded.game_id, "trusted": True}, [line])


def rename(
    game: str,
    name: Annotated[str, typer.Argument(help="Its new name; empty: the game's own.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Give a game another name in lists and on the console; its folder stays as it is."""
    folder = data_folder(data)
    loaded = Registry(folder).load(game)
    rename_game(folder, loaded.game_id, name)
    now = Registry(folder).load(game).profile.game.name
    Reporter(json).result({"game": loaded.game_id, "name": now}, [f"{loaded.game_id} is named {now}."])


app = command_group(
    "List, show, check, trust, rename, calibrate and add games.",
    list_games,
    *(show, check, trust, rename, calibrate, new, watch, read),
)
