"""Takes invented modules in and out: the switch, the check, the limit, the file that joins a game.

What is kept lies beside the versions of the game's own modules (games.inventions joins it). One that is
removed is put aside whole: what was recorded with it stays readable, and its name is free again.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.games.invented_modules import (
    INVENTED,
    MOST_INVENTED,
    OFF,
    SWITCH_ON,
    check_proposal,
    invention_files,
)
from pitwall.games.schema.invention import InventedModule, Invention, InventionRefused, ProposedModule
from pitwall.games.schema.profile import Game
from pitwall.gsm.versions import declared
from pitwall.store.folder_errors import folder_error, write_file
from pitwall.store.lease import FileLock, holder_of

_REMOVED = ".removed"
"""Folder of a game's modules that were removed; no module's name begins with a dot."""


def require_invention_allowed(data: DataFolder, game: Game, settings: Settings) -> None:
    """Refuse where nothing may be invented now: no model need be asked for it.

    Raises:
        InventionRefused: invented modules are switched off, or the game has as many as it may have.
    """
    if not settings.gsm.invent_modules:
        raise InventionRefused(f"{OFF}: a game's modules are its author's.", SWITCH_ON)
    there = [file.parent.name for file in invention_files(data, game.game_id)]
    if len(there) >= MOST_INVENTED:
        raise InventionRefused(
            f"{game.game_id} has {len(there)} invented modules, and more than {MOST_INVENTED} are not kept.",
            f"Remove one: pitwall gsm remove {game.game_id}/{there[0]}",
        )


def invent(
    data: DataFolder,
    game: Game,
    proposed: ProposedModule,
    settings: Settings,
    *,
    by: Literal["operator", "model"],
    model: str = "",
    prompt: str = "",
    file: str = "the proposal",
) -> Invention:
    """Take a module in; a refused one leaves nothing behind.

    Args:
        settings: whose switch counts.
        model, prompt: which model proposed it, and all that it was told.
        file: what the proposal is called in a refusal.

    Raises:
        InventionRefused: it is unfit, switched off, one too many, or its name is taken; says why.
        DataFolderError: the folder is in use, read-only or full.
    """
    require_invention_allowed(data, game, settings)
    with FileLock(data.modules / game.game_id / "invent.lock", role="inventing", subject=_subject(game)):
        require_invention_allowed(data, game, settings)
        check_proposal(game, proposed, file)
        root = data.modules / game.game_id / proposed.name
        if root.is_dir() and any(root.iterdir()):
            raise InventionRefused(
                f"{root} keeps versions of an earlier module {proposed.name!r}.", "Give it another name."
            )
        invention = Invention(module=proposed, by=by, model=model, at=time.time(), prompt=prompt)
        write_file(root / INVENTED, invention.model_dump_json(indent=1) + "\n")
    return invention


def remove(data: DataFolder, game: Game, module: str) -> Path:
    """Take an invented module out, its versions with it; returns the folder where they lie from now on.

    Of one whose name the game's author took since, only the invention goes: the versions are the author's.

    Raises:
        PitwallError: it was not invented, or somebody improves, judges or promotes it now.
        DataFolderError: the folder is in use, or cannot be moved.
    """
    name, root = f"{game.game_id}/{module}", data.modules / game.game_id / module
    if root / INVENTED not in invention_files(data, game.game_id):
        declared(game, module)  # says what there is, where there is nothing of this name
        raise PitwallError(
            f"{name} is declared by its game: only invented modules are removed.",
            "See which were invented: pitwall gsm list",
        )
    for lock in sorted(root.rglob("*.lock")):
        holder = holder_of(lock)
        if holder is not None:
            raise PitwallError(f"{name} is in use by {holder}.", "Stop that first.")
    taken = any(
        declared.name == module and not isinstance(declared, InventedModule)
        for declared in game.profile.modules
    )
    stamp = f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000}"
    aside = root.parent / _REMOVED / f"{module}-{stamp}"
    with FileLock(root.parent / "invent.lock", role="inventing", subject=_subject(game)):
        try:
            aside.parent.mkdir(parents=True, exist_ok=True)
            if taken:
                aside.mkdir()
                (root / INVENTED).rename(aside / INVENTED)
            else:
                root.rename(aside)
        except OSError as error:
            raise folder_error(error, root) from error
    return aside


def _subject(game: Game) -> str:
    return f"the list of {game.game_id}'s invented modules"
