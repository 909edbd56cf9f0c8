"""Connects to Ray, whose machines play for suites and studies; packs what travels to them (extra `scale`)."""

from __future__ import annotations

import io
import logging
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

LOCAL = "local-ray"
WORKERS_HELP = f"Who plays, beside this machine's own processes: {LOCAL}, or ray://HOST:PORT."
_MOST_BYTES = 256 * 1024 * 1024
_STORE_BYTES = 100 * 1024 * 1024
_SCRATCH = "pitwall-ray-"


def connect(named: str, parallel: int) -> Any:
    """Connect to a Ray cluster and return the `ray` module; `shutdown()` ends the connection.

    Args:
        named: "local-ray": a Ray of this machine, started for this and ended with it; "ray://HOST:PORT": a
            running one, with Pitwall of this version installed on every machine.
        parallel: workers of a Ray of this machine.

    Raises:
        PitwallError: Ray is not installed, or the cluster cannot be reached.
    """
    if named != LOCAL and not named.startswith("ray://"):
        raise PitwallError(f"there are no workers {named!r}.", f"Say {LOCAL}, or ray://HOST:PORT.")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise PitwallError(
            "Ray is not installed.", "Install the extra: pip install 'pitwall-console[scale]'"
        ) from None
    try:
        if named == LOCAL:
            ray.init(
                address="local",
                num_cpus=parallel,
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        else:
            ray.init(address=named, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray raises a dozen kinds: each of them means that there are no workers
        message = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise PitwallError(
            f"{named} cannot be used: {message[0]}", "Is it running, with the same Python and Ray?"
        ) from error
    return ray


def game_files(data: Path, game: str) -> bytes:
    """Pack a game's folder that a worker may lack; empty for a bundled game.

    Raises:
        PitwallError: there is no such game, or it is too big to send.
    """
    loaded = Registry(DataFolder(data)).load(game)
    return b"" if loaded.source == "bundled" else packed(loaded.folder)


def packed(folder: Path, *, fix: str = "Make it smaller, or play without Ray.") -> bytes:
    """Pack a folder as a tar.

    Args:
        fix: what to do if it is too big to send.

    Raises:
        PitwallError: it is too big.
    """
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
                archive.add(path, arcname=str(path.relative_to(folder)))
    if target.tell() > _MOST_BYTES:
        raise PitwallError(
            f"{folder} is too big to be sent: {byte_size(target.tell())} packed, "
            f"{byte_size(_MOST_BYTES)} at most.",
            fix,
        )
    return target.getvalue()


def unpack(files: bytes, folder: Path) -> None:
    """Unpack a folder that was packed elsewhere."""
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        archive.extractall(folder, filter="data")


# ---- in the worker


def scratch_folder() -> Path:
    """Make a worker's temporary folder, and remove those of workers that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        pid = folder.name.removeprefix(_SCRATCH).partition("-")[0]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))


def temporary_data(scratch: Path, of: DataFolder) -> DataFolder:
    """Make a data folder inside a worker's temporary folder, with another one's settings and models."""
    own = DataFolder(scratch / "data")
    own.root.mkdir()
    for file in (of.settings, of.model_registry):
        if file.is_file():
            (own.root / file.name).write_bytes(file.read_bytes())
    if of.models.is_dir():
        own.models.symlink_to(of.models, target_is_directory=True)
    return own


def add_sent_game(files: bytes, scratch: Path, own: DataFolder) -> str:
    """Unpack a game that was sent along, trusted as its operator trusts it, and return its folder."""
    folder = scratch / "game"
    unpack(files, folder)
    trust(own, Registry(own).load(str(folder)))
    return str(folder)
