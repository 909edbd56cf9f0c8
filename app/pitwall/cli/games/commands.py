"""`pitwall games`: the games there are, the checker authors run, trust, and adding one (`games_new`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.games.new import register
from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.games.checks.folder import check_game
from pitwall.games.registry import Registry
from pitwall.games.trust import trust as trust_game

app = typer.Typer(help="List, show, check, trust and add games.", invoke_without_command=True)
register(app)


@app.callback()
def games(context: typer.Context, data: DataOption = None, json: JsonOption = False) -> None:
    """List the games there are."""
    if context.invoked_subcommand is None:
        list_games(data=data, json=json)


@app.command("list")
def list_games(data: DataOption = None, json: JsonOption = False) -> None:
    """List the games there are."""
    entries = Registry(data_folder(data)).games()
    if json:
        print_json(entries)
        return
    for entry in entries:
        state = entry.fault or ("" if entry.playable else "its program is not installed")
        typer.echo(f"{entry.game_id:16s} {entry.name:24s} {entry.source:10s} {state}".rstrip())


@app.command("show")
def show(game: str, data: DataOption = None, json: JsonOption = False) -> None:
    """Show one game's profile."""
    loaded = Registry(data_folder(data)).load(game)
    if json:
        print_json(loaded)
        return
    profile = loaded.profile
    typer.echo(f"{profile.game.name} {profile.game.version}: {profile.game.summary}")
    typer.echo("actions: " + ", ".join(action.name for action in profile.actions))
    typer.echo("fields:  " + ", ".join(field.name for field in profile.fields))


@app.command("check")
def check(folder: Annotated[Path, typer.Argument(help="A game's folder.")], json: JsonOption = False) -> None:
    """Check a game's folder: every fault at once, with file, key and what was expected."""
    faults = check_game(folder)
    if json:
        print_json({"folder": folder, "ok": not faults, "faults": faults})
    else:
        for fault in faults:
            typer.echo(str(fault))
        typer.echo(f"{folder}: {len(faults)} faults" if faults else f"{folder}: no faults")
    if faults:
        raise typer.Exit(1)


@app.command("trust")
def trust(game: str, data: DataOption = None, json: JsonOption = False) -> None:
    """Let a game's programs and Python run, as they are now."""
    folder = data_folder(data)
    loaded = Registry(folder).load(game)
    trust_game(folder, loaded)
    if json:
        print_json({"game": loaded.game_id, "trusted": True})
    else:
        typer.echo(f"{loaded.profile.game.name} is trusted as it is now; a changed folder asks again.")
