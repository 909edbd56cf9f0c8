"""Locates the data folder, bundled resources and game folders; puts a whole file in place."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import platformdirs

from pitwall.core.errors import DataFolderError

TRUTH_VARIABLE = "PITWALL_TRUTH"
"""Environment: the file into which an instrumented game writes its true state (SPEC §6)."""
_PACKAGE = Path(__file__).resolve().parents[1]


def _bundled(name: str) -> Path:
    inside = _PACKAGE / "bundled" / name
    return inside if inside.is_dir() else _PACKAGE.parents[1] / name


def resources_dir() -> Path:
    """Return the icons, stylesheets, prompts: `resources/` of a checkout, or what the wheel carries."""
    return _bundled("resources")


def bundled_games_dir() -> Path:
    """Return `plugins/` of a checkout, or the wheel's copy."""
    return _bundled("plugins")


def installer_dir() -> Path:
    """Return `installer/` of a checkout, or the wheel's part of it: the pins of all packages."""
    return _bundled("installer")


def environment_dir() -> Path:
    """Return the folder for data that belongs to this Python environment, whoever uses it."""
    return Path(sys.prefix) / "share" / "pitwall"


def games_bytecode_dir() -> Path:
    """Return the folder of what Python compiled for the games that this environment's Python runs."""
    return environment_dir() / "bytecode"


def embedder_dir() -> Path:
    """Return the folder of the installed sentence-embedding model: `model.onnx` and `tokenizer.json`."""
    return environment_dir() / "embedder"


def default_data_dir() -> Path:
    """Return the operator's data folder: $PITWALL_DATA, or the platform's usual place."""
    named = os.environ.get("PITWALL_DATA", "").strip()
    return Path(named) if named else Path(platformdirs.user_data_dir("pitwall", appauthor=False))


class DataFolder:
    """Paths inside one data folder. Creates nothing.

    Raises:
        DataFolderError: no folder can have this path.
    """

    def __init__(self, root: Path) -> None:
        try:
            self.root = root.expanduser().resolve()
            there = next((place for place in (self.root, *self.root.parents) if place.exists()), None)
            if there is not None and not there.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, f"{there} is a file")
        except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a NUL, an unknown ~name
            circle = "its links lead in a circle" if "oop" in str(error) else str(error).rstrip(".")
            raise DataFolderError(
                f"{root} cannot be the data folder: {getattr(error, 'strerror', None) or circle}.",
                "Name another folder with --data or $PITWALL_DATA.",
            ) from None
        self.settings = self.root / "settings.json"
        self.trust = self.root / "trust.json"
        self.trusted = self.root / "trusted"
        self.anti_cheat = self.root / "anti_cheat.toml"
        self.models = self.root / "models"
        self.model_registry = self.root / "models.json"
        self.games = self.root / "games"
        self.drafts = self.root / "drafts"
        self.modules = self.root / "modules"
        self.suites = self.root / "suites"
        self.exams = self.root / "exams"
        self.demonstrations = self.root / "demonstrations"
        self.database = self.root / "runs.sqlite"
        self.memory = self.root / "memory.sqlite"
        self.runs = self.root / "runs"
        self.queries = self.root / "queries.json"
        self.logs = self.root / "logs"
        self.granted = self.root / "granted.json"
        self.game_names = self.root / "game-names.json"
        self.mouse_turns = self.root / "mouse-turns.json"
        self.seat_checks = self.root / "seat-checks.json"
        self.lease = self.root / "console.lock"

    def run(self, run_id: int) -> Path:
        """Return the folder of one run: frames/, video, truth, exports."""
        return self.runs / f"{run_id:06d}"

    def video(self, run_id: int) -> Path:
        """Return the video of a run. Matroska stays readable up to its last flushed block."""
        return self.run(run_id) / "video.mkv"

    def film_mark(self, run_id: int) -> Path:
        """Return the file whose presence keeps a run's video whatever its size."""
        return self.run(run_id) / "video.kept"

    def true_scores(self, run_id: int) -> Path:
        """Return the file of a run's true scores."""
        return self.run(run_id) / "score.jsonl"

    def truth(self, game_id: str) -> Path:
        """Return the file a launched game writes its true state into, unless $PITWALL_TRUTH names one."""
        return self.root / "game-data" / game_id / "truth.json"

    def graph_places(self, game_id: str) -> Path:
        """Return the file of the graph view's positions of a game's states."""
        return self.root / "graph" / f"{quote(game_id, safe='')}.json"


Done = TypeVar("Done")
_READERS_S = 2.0
_RETRY_S = 0.002


def write_whole(file: Path, content: str | bytes, *, sync: bool = False) -> None:
    """Write a file beside its place, then rename it there; make its folder where it is missing.

    Args:
        content: text is written as UTF-8, with its line ends as they are.
        sync: wait until the disk has it, so that a power cut leaves the old file or the new one.

    Raises:
        OSError: the folder is read-only or full; the old file is still whole.
    """
    aside = file.with_name(f"{file.name}.{threading.get_native_id()}.tmp")  # another may write it too
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with aside.open("wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        put_in_place(aside, file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def put_in_place(aside: Path, file: Path) -> None:
    """Rename a file over another. On Windows, wait a moment for readers of the old one.

    Raises:
        OSError: it cannot be put there.
    """
    once_free(lambda: aside.replace(file), _READERS_S)


def once_free(do: Callable[[], Done], patience_s: float) -> Done:
    """Do what Windows refuses for as long as another program holds the file; elsewhere nothing is waited for.

    Raises:
        OSError: it cannot be done, or not in time.
    """
    until_s = time.monotonic() + (patience_s if sys.platform == "win32" else 0.0)
    while True:
        try:
            return do()
        except PermissionError:
            if time.monotonic() >= until_s:
                raise
            time.sleep(_RETRY_S)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
