"""Shared parts of the `pitwall gsm` commands: naming a module, its trainer, packages only for training."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.components import absence, component_of
from pitwall.store.lease import Holder, holder_of
from pitwall_lab.training_log import LOCK

ModuleArgument = Annotated[
    str, typer.Argument(metavar="GAME/MODULE", help="A game sense module, like flappy/fly.")
]
VersionArgument = Annotated[str, typer.Argument(help="A version of the module: rules, shipped, v1, v2 …")]
WhyOption = Annotated[str, typer.Option("--why", help="The reason, kept with it.")]


def game_and_module(data: DataFolder, named: str) -> tuple[Game, str]:
    """Return the game and the module's name of GAME/MODULE, without checking that the module exists.

    Raises:
        PitwallError: it is not written so. UnknownGame: there is no such game.
    """
    game, slash, module = named.rpartition("/")
    if not slash or not game or not module:
        raise PitwallError(
            f"{named!r} names no module.", "Write GAME/MODULE, like flappy/fly; see: pitwall gsm list"
        )
    return Registry(data).load(game), module


def module_folder(data: DataFolder, named: str, *, resting: bool = False) -> ModuleFolder:
    """Return the folder of a module that is named as GAME/MODULE.

    Args:
        resting: accept an inactive invented module.

    Raises:
        PitwallError: it is not written so. UnknownGame, UnknownModule: it does not exist.
    """
    game, module = game_and_module(data, named)
    return ModuleFolder(data, game, module, resting=resting)


def trainer_of(folder: ModuleFolder, version: str) -> Holder | None:
    """Return the process that trains a version now; None without one."""
    return holder_of(folder.folder(version) / LOCK)


@contextmanager
def training_packages() -> Iterator[None]:
    """Wrap imports and calls that need packages which are installed later.

    Raises:
        PitwallError: one of them is not installed; says how to install it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").split(".")[0]
        if name == "ray":
            raise PitwallError(
                "Ray is not installed.", "Leave out the Ray cluster, or run: installer/extra scale"
            ) from None
        part = component_of(name)
        if part is None:
            raise
        what, fix = absence(part.key)
        what = what or f"Training needs packages that are not installed ({name})."
        raise PitwallError(what, fix or "Install Pitwall anew, or run: installer/extra train") from None


def read_source(file: Path) -> str:
    """Read a Python file that the operator named.

    Raises:
        PitwallError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PitwallError(f"{file} cannot be read: {error}.", "Name a Python file.") from None
