"""What a run of a task is played in: its session's folder, a screen, and where the game tells and listens."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import DataFolderError, DisplayError
from pitwall.core.paths import DataFolder
from pitwall.evaluation.tasks.messages import PlayTask
from pitwall.games.invented_modules import copy_invention
from pitwall.games.schema.profile import Game
from pitwall.link.virtual_screen import virtual_screen
from pitwall.store.folder_errors import folder_error

ORDER_FILE = "task.json"
"""In the session's folder: what was ordered. It marks the folder as one that may be made anew."""
PICTURE_FILE = "picture.png"
_LEFT_OUT = shutil.ignore_patterns("checkpoint*", "*.tmp", "*.lock", "training.jsonl", "clips", "events")


@dataclass(frozen=True, slots=True)
class TaskSession:
    """A seat's room.

    Attributes:
        data: the session's. truth: where the game writes its true state. control: the socket where it may
            listen. said, errors: what `pitwall run` printed last, and its complaints. display: for $DISPLAY.
    """

    data: DataFolder
    truth: Path
    control: Path
    errors: Path
    picture: Path
    display: str


@contextlib.contextmanager
def task_session(order: PlayTask, game: Game) -> Iterator[TaskSession]:
    """A room for the time of the block. The session's folder stays afterwards; the rest goes.

    A session begins with the operator's settings, trust and models, and with an empty memory: what a run
    comes to must not depend on which runs came before it. Game sense modules play their shipped version but
    where the agent names another, which is then copied in.

    Raises:
        DataFolderError: the session's folder cannot be made. DisplayError: there is no screen.
    """
    data = DataFolder(order.session)
    _furnish(order, game, data)
    control = Path(tempfile.gettempdir()) / f"pitwall-{os.getpid()}-{secrets.token_hex(4)}.sock"
    with contextlib.ExitStack() as stack:
        stack.callback(control.unlink, missing_ok=True)
        display = stack.enter_context(virtual_screen()) if order.screen == "own" else _here()
        yield TaskSession(
            data=data,
            truth=data.root / "truth.json",
            control=control,
            errors=data.root / "errors.txt",
            picture=data.root / PICTURE_FILE,
            display=display,
        )


def _furnish(order: PlayTask, game: Game, data: DataFolder) -> None:
    operator = DataFolder(order.data)
    try:
        _make_anew(data.root)
        (data.root / ORDER_FILE).write_text(order.model_dump_json(indent=2) + "\n", encoding="utf-8")
        for file in (operator.settings, operator.trust, operator.model_registry):
            if file.is_file():
                shutil.copyfile(file, data.root / file.name)
        for theirs, ours in ((operator.models, data.models), (operator.games, data.games)):
            if theirs.is_dir():
                with contextlib.suppress(OSError):  # links need a right on Windows: then those are not there
                    ours.symlink_to(theirs, target_is_directory=True)
        for module, version in order.agent.modules.items():
            folder = operator.modules / game.game_id / module / version
            if folder.is_dir():
                place = data.modules / game.game_id / module / version
                shutil.copytree(folder, place, ignore=_LEFT_OUT)
            copy_invention(operator, data, game.game_id, module)
    except shutil.Error as error:
        raise folder_error(OSError(str(error)), data.root) from error
    except OSError as error:
        raise folder_error(error, data.root) from error


def _make_anew(root: Path) -> None:
    """An empty folder. Only what an earlier try of a seat left is cleared away."""
    if root.is_dir() and any(root.iterdir()):
        if not (root / ORDER_FILE).is_file():
            raise DataFolderError(
                f"{root} is in use for something else than a session.", "Name a folder that is not there yet."
            )
        shutil.rmtree(root)
    root.mkdir(parents=True, exist_ok=True)


def _here() -> str:
    display = os.environ.get("DISPLAY", "")
    if not display and os.name == "posix":
        raise DisplayError(
            "there is no screen to play on: DISPLAY is not set.", "Let it play on a screen of its own."
        )
    return display
