"""The workshop's commands, added to `pitwall` where the workshop is installed."""

from __future__ import annotations

from collections.abc import Callable

import typer

from workshop.commands.bench import bench
from workshop.commands.campaign import campaign
from workshop.commands.evaluate_default import evaluate_default
from workshop.commands.train_default import train_default

COMMANDS: dict[str, Callable[..., None]] = {"bench": bench, "campaign": campaign}
"""Commands that the workshop adds beside pitwall's own."""


def add_command(program: typer.Typer, name: str) -> None:
    """Add one of `COMMANDS`."""
    program.command(name)(COMMANDS[name])


def add_model_commands(group: typer.Typer) -> None:
    """Add to `pitwall models` the commands that make and examine the shipped model."""
    group.command("train-default")(train_default)
    group.command("evaluate-default")(evaluate_default)
