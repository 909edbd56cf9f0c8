"""The `pitwall` command: lists the commands, and prints errors as sentences.

Packages beside the core add commands by entry points of the group `pitwall.commands` (`core/rail.py`).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pitwall.core import rail
from pitwall.core.errors import MOST_FAULTS, ChildDied, ManifestError, PitwallError, SuiteError, reason_of
from pitwall.core.paths import default_data_dir

COMMANDS = {
    "console": "console",
    "demo": "play.demo",
    "run": "play.run",
    "games": "games.commands",
    "teach": "teach.commands",
    "runs": "runs.commands",
    "export": "runs.export",
    "clip": "runs.export",
    "trigger": "runs.trigger",
    "models": "models.commands",
    "settings": "settings",
    "components": "components.commands",
    "doctor": "doctor",
    "windows": "windows",
    "manual": "manual",
}
"""Each command of the core and its module below `pitwall.cli`."""


class _OutputFailed(PitwallError):
    """Standard output cannot be written: the sentence goes to standard error."""


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
    given = [*map(_home_expanded, sys.argv[1:])] or (["console"] if has_screen else [])
    try:
        status = _run(given)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # a process without a terminal may have none
                stream.flush()  # a full disk is noticed here, not when Python ends
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _stop_printing()
    except SystemExit as ended:
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        return _stop_printing()  # typer ends so where the reader (head, less) closed the pipe
    except Exception as error:
        if hasattr(error, "show"):  # typer's own usage errors know how to show themselves
            error.show()
            return 2
        _show(error if isinstance(error, PitwallError) else _sentence(error))
        return 1
    return status


def _run(given: list[str]) -> int:
    asked = given[0] if given else ""
    known = asked in COMMANDS or asked in rail.contributions(rail.COMMANDS)
    names = [] if asked == "--version" else [asked] if known else command_names()
    try:
        result = program(*names)(args=given, standalone_mode=False)
    except typer.Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0


def _home_expanded(word: str) -> str:
    """Return a word with a leading ~/ expanded, which no shell does after "=", and no service at all."""
    option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    return f"{option}{equals}{Path(value).expanduser()}" if value.startswith("~/") else word


def _stop_printing() -> int:
    """Drop all further output: what is still buffered would fail again when Python ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _sentence(error: Exception) -> PitwallError:
    """Return an error that nobody foresaw as a sentence; its traceback goes to a log."""
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        if error.filename is not None:
            return PitwallError(
                f"{error.filename} cannot be used: {reason}.", "Check its path and its rights."
            )
        _stop_printing()
        return _OutputFailed(f"the output cannot be written: {reason}.", "Send it to another place.")
    if isinstance(error, UnicodeError) or "surrogates not allowed" in str(error):
        return PitwallError(
            f"a text holds characters that cannot be used here: {error}.", "Write it in plain UTF-8."
        )
    if isinstance(error, MemoryError):
        return PitwallError("there is not enough memory for this command.", "Close other programs.")
    kept = _kept_traceback(error)
    return PitwallError(
        f"Pitwall failed: {type(error).__name__}: {reason_of(error)}.", f"Please report it{kept}."
    )


def _kept_traceback(error: Exception) -> str:
    """Append a traceback to the commands' log; returns words that name the log, empty where there is none."""
    log = default_data_dir().expanduser() / "logs" / "commands.log"
    with contextlib.suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8", errors="backslashreplace") as lines:
            lines.write("".join(traceback.format_exception(error)) + "\n")
        return f" with the last lines of {log}"
    return ""


def _show(error: PitwallError) -> None:
    from pitwall.cli.options import print_json
    from pitwall.cli.reporter import print_safely

    with contextlib.suppress(OSError, ValueError):  # nothing can be said where nothing can be written
        if "--json" in sys.argv and not isinstance(error, _OutputFailed):
            body: dict[str, object] = {"error": type(error).__name__, "what": error.what, "fix": error.fix}
            if isinstance(error, ManifestError | SuiteError):
                listed = error.faults if "check" in sys.argv else error.faults[:MOST_FAULTS]
                body |= {"faults": [asdict(fault) for fault in listed], "fault_count": len(error.faults)}
            print_json(body)
            return
        print_safely(f"pitwall: {error}", to_stderr=True)
        if isinstance(error, ChildDied) and error.traceback:
            print_safely(error.traceback, to_stderr=True)
