"""The `pitwall` command: lists the commands, and prints errors as sentences.

Packages beside the core add commands by entry points of the group `pitwall.commands` (`core/rail.py`).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from pitwall.core import rail
from pitwall.core.errors import MOST_FAULTS, ChildDied, ManifestError, PitwallError, SuiteError

COMMANDS = {
    "console": "console",
    "demo": "play.demo",
    "run": "play.run",
    "games": "games.commands",
    "teach": "teach.commands",
    "runs": "runs.commands",
    "prompt": "runs.prompt",
    "shadow": "play.shadow",
    "export": "runs.export",
    "clip": "runs.export",
    "query": "query",
    "trigger": "runs.trigger",
    "memory": "memory.commands",
    "models": "models.commands",
    "settings": "settings",
    "components": "components.commands",
    "doctor": "doctor",
    "windows": "windows",
}
"""Each command of the core and its module below `pitwall.cli`."""


def command_names() -> list[str]:
    """Return the names of all commands: the core's and those of the packages beside it."""
    return [*COMMANDS, *(name for name in rail.contributions(rail.COMMANDS) if "." not in name)]


def program(*names: str) -> typer.Typer:
    """Return the command line with these commands; a single command starts without importing the others."""
    app = typer.Typer(
        name="pitwall",
        help="Operator console for local game-playing agents.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_program)  # without a callback typer would treat a single command as the program itself
    for name in names:
        _add(app, name)
    return app


def _version(asked: bool) -> None:
    if asked:
        importlib.import_module("pitwall.cli.version").show_version("--json" in sys.argv)
        raise typer.Exit


def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print version and schemas.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", hidden=True)] = False,
) -> None:
    """Take the options of no command."""


def _add(app: typer.Typer, name: str) -> None:
    """Import a command and add it, with the subcommands that packages add to it."""
    if name in COMMANDS:
        module = importlib.import_module(f"pitwall.cli.{COMMANDS[name]}")
        command = getattr(module, "app", None) or getattr(module, name)
    else:
        command = rail.load(rail.COMMANDS, name)
    if not isinstance(command, typer.Typer):
        app.command(name)(command)
        return
    for subcommand, function in rail.load_all(rail.COMMANDS, f"{name}.").items():
        command.command(subcommand.removeprefix(f"{name}."))(function)
    app.add_typer(command, name=name)


def main() -> int:
    """Run a command, on a screen the console where none is named; errors end as one sentence and status 1."""
    has_screen = sys.platform != "linux" or bool(os.environ.get("DISPLAY"))
    given = sys.argv[1:] or (["console"] if has_screen else [])
    asked = given[0] if given else ""
    try:
        known = asked in COMMANDS or asked in rail.contributions(rail.COMMANDS)
        names = [] if asked == "--version" else [asked] if known else command_names()
        result = program(*names)(args=given, standalone_mode=False)
    except typer.Exit as done:
        return done.exit_code
    except PitwallError as error:
        _show(error)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader (head, less) closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if not hasattr(error, "show"):  # typer's own usage errors know how to show themselves
            raise
        error.show()
        return 2
    return result if isinstance(result, int) else 0


def _show(error: PitwallError) -> None:
    if "--json" in sys.argv:
        body: dict[str, object] = {"error": type(error).__name__, "what": error.what, "fix": error.fix}
        if isinstance(error, ManifestError | SuiteError):
            listed = error.faults if "check" in sys.argv else error.faults[:MOST_FAULTS]
            body |= {"faults": [asdict(fault) for fault in listed], "fault_count": len(error.faults)}
        typer.echo(json.dumps(body, ensure_ascii=False))
        return
    typer.echo(f"pitwall: {error}", err=True)
    if isinstance(error, ChildDied) and error.traceback:
        typer.echo(error.traceback, err=True)
