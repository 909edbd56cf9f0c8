"""The `pitwall` command: every command in one place, and the one edge where errors become sentences."""

from __future__ import annotations

import importlib
import json
import os
import sys
from dataclasses import asdict

import typer

from pitwall.core.errors import ChildDied, ManifestError, PitwallError, SuiteError

COMMANDS = (
    *("console", "demo", "run", "games", "gsm", "runs", "prompt", "export", "bench", "doctor", "windows"),
    *("task", "trigger", "memory", "models", "settings", "suite", "exam"),
)


def program(*names: str) -> typer.Typer:
    """The command line with these commands of `COMMANDS`; one alone starts without the others' rooms."""
    app = typer.Typer(
        name="pitwall",
        help="Operator console for local game-playing agents.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(lambda: None)  # typer would take a command that is alone for the program itself
    for name in names:
        _add(app, name)
    return app


def _add(app: typer.Typer, name: str) -> None:
    """Import one command's module, which is named as it is, and take it in."""
    module = importlib.import_module(f"pitwall.cli.{name}")
    if isinstance(group := getattr(module, "app", None), typer.Typer):
        app.add_typer(group, name=name)
    else:
        app.command(name)(getattr(module, name))


def main() -> int:
    """Run a command; errors end as one sentence (or one JSON object) and status 1."""
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        result = program(*([asked] if asked in COMMANDS else COMMANDS))(standalone_mode=False)
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
            body["faults"] = [asdict(fault) for fault in error.faults]
        typer.echo(json.dumps(body, ensure_ascii=False))
        return
    typer.echo(f"pitwall: {error}", err=True)
    if isinstance(error, ChildDied) and error.traceback:
        typer.echo(error.traceback, err=True)
