"""Trust: programs and Python of a game's folder run only after the operator said so, for this content.

Bundled games are trusted. A folder's trust is the hash of everything in it: what changes asks again.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from pathlib import Path

from pitwall.core.errors import UntrustedPlugin
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.store.folder_errors import write_file

LEFT_OUT = ("__pycache__", ".git")


def content_hash(folder: Path) -> str:
    """SHA-256 over the names and contents of every file in a folder, caches left out.

    Raises:
        UntrustedPlugin: a link leads to a folder, whose content could change unseen.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if any(part in LEFT_OUT for part in relative.parts):
            continue
        if path.is_symlink() and not path.is_file():
            raise UntrustedPlugin(
                f"{path} is a link to something that is no file: what lies behind it cannot be vouched for.",
                "Put the files themselves into the game's folder.",
            )
        if not path.is_file():
            continue
        digest.update(f"{relative.as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_trusted(data: DataFolder, folder: Path) -> bool:
    """Whether the operator trusted this folder as it is now."""
    known = _read(data).get(str(folder.resolve()))
    try:
        return known is not None and known == content_hash(folder)
    except (UntrustedPlugin, OSError):
        return False


def trust(data: DataFolder, game: Game) -> None:
    """Trust a game's folder as it is now.

    Raises:
        UntrustedPlugin: the folder cannot be vouched for.
        DataFolderError: the trust cannot be written down.
    """
    trusted = _read(data) | {str(game.folder.resolve()): content_hash(game.folder)}
    write_file(data.trust, json.dumps(trusted, indent=2) + "\n")


def require_trust(game: Game) -> None:
    """Pass, or say how to trust.

    Raises:
        UntrustedPlugin: the operator has not trusted this folder as it is now.
    """
    if not game.trusted:
        raise UntrustedPlugin(
            f"{game.profile.game.name} wants to run programs from {game.folder}, which you have not trusted.",
            f"Look at the folder, then run: pitwall games trust {_named(game)}",
        )


def _named(game: Game) -> str:
    """Name the game as a command does: by its folder if its id is unknown."""
    return shlex.quote(str(game.folder)) if game.source == "path" else game.game_id


def _read(data: DataFolder) -> dict[str, str]:
    try:
        trusted = json.loads(data.trust.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # nothing trusted: the safe side of a damaged file
    return trusted if isinstance(trusted, dict) else {}
