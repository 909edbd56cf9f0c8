"""The `pitwall` command: every command in one place, and the one edge where errors become sentences."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

import typer

from pitwall.cli import (
    bench,
    console,
    demo,
    doctor,
    export,
    games,
    gsm,
    memory,
    models,
    prompt,
    runs,
    settings,
    suite,
    task,
    trigger,
    windows,
)
from pitwall.cli import run as run_command
from pitwall.core.errors import ChildDied, ManifestError, PitwallError, SuiteError

app = typer.Typer(
    name="pitwall",
    help="Operator console for local game-playing agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("console")(console.console)
app.command("demo")(demo.demo)
app.command("run")(run_command.run)
app.add_typer(games.app, name="games")
app.add_typer(gsm.app, name="gsm")
app.command("runs")(runs.runs)
app.command("prompt")(prompt.prompt)
app.command("export")(export.export)
app.command("bench")(bench.bench)
app.command("doctor")(doctor.doctor)
app.command("windows")(windows.windows)
app.command("task")(task.task)
app.command("trigger")(trigger.trigger)
app.add_typer(memory.app, name="memory")
app.add_typer(models.app, name="models")
app.add_typer(settings.app, name="settings")
app.add_typer(suite.app, name="suite")


def main() -> int:
    """Run a command; errors end as one sentence (or one JSON object) and status 1."""
    try:
        result = app(standalone_mode=False)
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
