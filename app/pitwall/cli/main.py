"""The `pitwall` command: every command in one place, and the one edge where errors become sentences."""

from __future__ import annotations

import importlib
import json
import os
import sys
from dataclasses import asdict
from types import ModuleType
from typing import Annotated

import typer

from pitwall.core.errors import MOST_FAULTS, ChildDied, ManifestError, PitwallError, SuiteError

COMMANDS = {
    "console": "console",
    "demo": "play.demo",
    "run": "play.run",
    "task": "play.task",
    "games": "games.commands",
    "teach": "teach.commands",
    "gsm": "gsm.commands",
    "runs": "runs.commands",
    "prompt": "runs.prompt",
    "replay": "runs.replay",
    "shadow": "play.shadow",
    "export": "runs.export",
    "clip": "runs.clip",
    "report": "runs.report",
    "bundle": "runs.bundle",
    "open": "runs.open",
    "query": "query",
    "trigger": "runs.trigger",
    "memory": "memory.commands",
    "models": "models.commands",
    "suite": "suite.commands",
    "exam": "exam.commands",
    "bench": "",
    "campaign": "",
    "settings": "settings",
    "components": "components.commands",
    "doctor": "doctor",
    "windows": "windows",
}
"""Each command and its module below `pitwall.cli`; without a module, a command of the workshop."""


def program(*names: str) -> typer.Typer:
    """The command line with these commands of `COMMANDS`; one alone starts without the others' rooms."""
    app = typer.Typer(
        name="pitwall",
        help="Operator console for local game-playing agents.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_program)  # typer would take a command that is alone for the program itself
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
    """Import one command's module and add the command; the workshop's commands only where it is installed."""
    if not COMMANDS[name]:
        if workshop := _workshop():
            workshop.add_command(app, name)
        return
    module = importlib.import_module(f"pitwall.cli.{COMMANDS[name]}")
    if not isinstance(group := getattr(module, "app", None), typer.Typer):
        app.command(name)(getattr(module, name))
        return
    if name == "models" and (workshop := _workshop()):
        workshop.add_model_commands(group)
    app.add_typer(group, name=name)


def _workshop() -> ModuleType | None:
    """Import the workshop's registration; return None where the workshop is not installed."""
    try:
        from workshop.commands import registration
    except ModuleNotFoundError as missing:
        if missing.name != "workshop":
            raise
        return None
    return registration


def main() -> int:
    """Run a command, on a screen the console where none is named; errors end as one sentence and status 1."""
    has_screen = sys.platform != "linux" or bool(os.environ.get("DISPLAY"))
    given = sys.argv[1:] or (["console"] if has_screen else [])
    asked = given[0] if given else ""
    try:
        names = [] if asked == "--version" else [asked] if asked in COMMANDS else COMMANDS
        result = program(*names)(args=given, standalone_mode=False)
    except typer.Exit as done:
        return done.exit_code
    except PitwallError as error:
        _show(error)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader (head, less) has seen enough
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
