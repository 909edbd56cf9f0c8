"""Options that several commands share."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from pitwall.cli.private_folder import make_private
from pitwall.core.paths import DataFolder, default_data_dir

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="Data folder; default: $PITWALL_DATA or the platform's own.")
]
GameOption = Annotated[str, typer.Option("--game", help="Id of a game, or the path of its folder.")]


INTERRUPTED = 130
"""Exit status of a command that was stopped, and goes on when it is given again."""


def parts_of(text: str) -> tuple[str, ...]:
    """Return the parts of an option that commas separate."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def data_folder(named: Path | None) -> DataFolder:
    """Return a command's data folder, made private to the operator if others could read it."""
    data = DataFolder(named if named is not None else default_data_dir())
    make_private(data)
    return data


def command_group(
    help: str, listing: Callable[..., None], *commands: Callable[..., None], listed_as: str = "list"
) -> typer.Typer:
    """Make a command with subcommands, each named like its function; called alone, it lists.

    Args:
        listing: called alone, with the data folder and whether to print JSON.
        listed_as: name of the listing among the subcommands.
    """
    app = typer.Typer(help=help, invoke_without_command=True)

    @app.callback()
    def alone(context: typer.Context, data: DataOption = None, json: JsonOption = False) -> None:
        if context.invoked_subcommand is None:
            listing(data=data, json=json)

    app.command(listed_as)(listing)
    for command in commands:
        app.command(command.__name__.rstrip("_").replace("_", "-"))(command)
    return app


def print_json(value: Any) -> None:
    """Print one JSON value on one line, for a program."""
    try:
        text = json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:  # half of a UTF-16 pair, in a model's words
        text = json.dumps(value, default=_plain, allow_nan=False)
    except ValueError:  # a number that is not finite
        from pitwall.store.strict_json import mended  # few commands print such numbers

        text = json.dumps(mended(value, _plain), ensure_ascii=False)
    typer.echo(text)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
