"""Trust: programs and Python of a game's folder run only after the operator allowed its present content.

Bundled games are trusted. The trust of a folder is the hash of every file in it outside LEFT_OUT, so any
change asks again. A trusted game is read and run from a private copy in the data folder, made of the very
bytes that were hashed. Files under LEFT_OUT are not copied, and later changes in the folder have no effect.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pitwall.core.bounded_reading import open_regular, read_json
from pitwall.core.errors import DamagedFile, UntrustedPlugin
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.store.folder_errors import folder_error, write_file

LEFT_OUT = ("__pycache__", ".git")
_PIECE = 1 << 20
_KEPT_S = 24 * 3600
"""How long a copy is kept after its trust ended: a game may still be running from it."""


def content_hash(folder: Path, *, into: Path | None = None, whole: bool = False) -> str:
    """Return the SHA-256 over the names and contents of every file in a folder, without caches.

    Args:
        into: an empty folder for a copy of exactly the hashed bytes; None: no copy.
        whole: include caches.

    Raises:
        UntrustedPlugin: a link leads to a folder, whose content could change unseen; or a file cannot be
            read, or changes during reading.
        OSError: the copy cannot be written.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not whole and any(part in LEFT_OUT for part in relative.parts):
            continue
        if path.is_symlink() and not path.is_file():
            raise UntrustedPlugin(
                f"{path} is a link to something that is no file: its content could change unseen.",
                "Put the files themselves into the game's folder.",
            )
        if not path.is_file():
            continue
        copy = None if into is None else into / relative
        pieces = _pieces(path)
        digest.update(os.fsencode(relative.as_posix()) + f"\0{next(pieces).decode()}\0".encode())
        with contextlib.ExitStack() as stack:
            if copy is not None:
                copy.parent.mkdir(parents=True, exist_ok=True)
                written = stack.enter_context(copy.open("wb"))
                copy.chmod(0o700 if os.access(path, os.X_OK) else 0o600)
            for piece in pieces:
                digest.update(piece)
                if copy is not None:
                    written.write(piece)
    return digest.hexdigest()


def is_trusted(data: DataFolder, folder: Path) -> bool:
    """Return whether the operator trusted this folder with its present content."""
    return _trusted_hash(data, folder) is not None


def trusted_copy(data: DataFolder, folder: Path) -> Path | None:
    """Return the private copy from which a folder's game runs; None: its present content is not trusted.

    Raises:
        DataFolderError: the copy cannot be made.
    """
    known = _trusted_hash(data, folder)
    if known is None:
        return None
    place = data.trusted / known
    if _is_whole(place, known):
        return place
    try:
        data.trusted.mkdir(mode=0o700, parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".", dir=data.trusted))
        try:
            if content_hash(folder, into=aside) != known:
                return None
            shutil.rmtree(place, ignore_errors=True)  # it is damaged: a whole copy was returned above
            aside.rename(place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except UntrustedPlugin:
        return None
    except OSError as error:
        if not _is_whole(place, known):  # otherwise another process just made it
            raise folder_error(error, place) from error
    return place


def trust(data: DataFolder, game: Game) -> None:
    """Trust the present content of a game's folder.

    Raises:
        UntrustedPlugin: the folder holds something that cannot be hashed safely.
        DataFolderError: the trust cannot be saved.
    """
    trusted = _read(data) | {str(game.own_folder.resolve()): content_hash(game.own_folder)}
    write_file(data.trust, json.dumps(trusted, indent=2) + "\n")
    for copy in data.trusted.glob("*") if data.trusted.is_dir() else ():
        if copy.name not in trusted.values() and time.time() - copy.stat().st_mtime > _KEPT_S:
            shutil.rmtree(copy, ignore_errors=True)


def require_trust(game: Game) -> None:
    """Check that a game is trusted.

    Raises:
        UntrustedPlugin: the operator has not trusted the present content of its folder.
    """
    if not game.trusted:
        name = game.profile.game.name
        raise UntrustedPlugin(
            f"{name} wants to run programs from {game.own_folder}, which you have not trusted.",
            f"Look at the folder, then run: pitwall games trust {_named(game)}",
        )


def _trusted_hash(data: DataFolder, folder: Path) -> str | None:
    """Return the hash by which a folder is trusted; None where its present content is not trusted."""
    known = _read(data).get(str(folder.resolve()))
    try:
        return known if known is not None and known == content_hash(folder) else None
    except (UntrustedPlugin, OSError):
        return None


def _is_whole(copy: Path, known: str) -> bool:
    try:
        return copy.is_dir() and content_hash(copy, whole=True) == known
    except (UntrustedPlugin, OSError):
        return False


def _pieces(file: Path) -> Iterator[bytes]:
    """Yield a file's size in digits, then exactly that many bytes.

    Raises:
        UntrustedPlugin: it cannot be read, or changes during reading.
    """
    try:
        with open_regular(file) as stream:
            left = os.fstat(stream.fileno()).st_size
            yield str(left).encode()
            while piece := stream.read(_PIECE):
                left -= len(piece)
                yield piece
    except (DamagedFile, OSError) as error:
        raise UntrustedPlugin(f"{error}", "Make it readable, or take it out of the folder.") from error
    if left:
        raise UntrustedPlugin(f"{file} changed while it was read.", "Try again.")


def _named(game: Game) -> str:
    """Return the game's name in a command: the path of its folder where its id is not registered."""
    return shlex.quote(game.reference)


def _read(data: DataFolder) -> dict[str, str]:
    try:
        trusted = read_json(data.trust)
    except (FileNotFoundError, DamagedFile):
        return {}  # trust nothing: the safe reading of a damaged file
    return trusted if isinstance(trusted, dict) else {}
