"""Writes the man page of `pitwall` from the commands themselves.

python -m workshop.man_page resources/desktop/pitwall.1
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer.main

from pitwall.cli.main import COMMANDS, command_names, program
from pitwall.core import rail

_HEAD = r""".TH PITWALL 1
.SH NAME
pitwall \- operator console for local game\-playing agents
.SH SYNOPSIS
.B pitwall
.I COMMAND
.RI [ ARGUMENTS ]
.SH DESCRIPTION
Pitwall stands beside a game on this machine: an agent sees the game's pixels alone, and plays with real keys
and the mouse. Without a screen most commands start a virtual one.
.B pitwall
.I COMMAND
.B \-\-help
tells a command's options; nearly all take
.B \-\-json
for a program to read.
.SH COMMANDS
"""
_FOOT = r""".SH FILES
.TP
.B $PITWALL_DATA
The data folder: runs, memory, settings, models, games of one's own. Not set: the platform's place
.RI ( ~/.local/share/pitwall ).
.SH EXIT STATUS
0: done. 1: it could not be done, in a sentence that says why and how to mend it. 2: the command was not
understood.
130: interrupted.
"""


def players_commands() -> list[str]:
    """Return the names of the commands that are installed for players: all but the workshop's."""
    beside = rail.contributions(rail.COMMANDS)
    return [
        name
        for name in command_names()
        if name in COMMANDS or beside[name].module.partition(".")[0] != "workshop"
    ]


def man_page() -> str:
    """Return the page in troff."""
    group: Any = typer.main.get_command(program(*players_commands()))
    return _HEAD + "".join(_entries(group, "")) + _FOOT


def _entries(group: Any, before: str) -> list[str]:
    lines: list[str] = []
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if getattr(command, "commands", None):
            lines += _entries(command, f"{before}{name} ")
        else:
            text = command.get_short_help_str(200).replace("\\", r"\e").replace("-", r"\-")
            lines.append(
                f".TP\n.B {before}{name}\n{text}\n".replace("\n'", "\n\\&'").replace("\n.-", "\n\\&.-")
            )
    return lines


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(man_page(), encoding="utf-8")
