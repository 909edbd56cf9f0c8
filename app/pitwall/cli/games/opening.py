"""Opens the game that a command line names: its first draft, and a view of its window."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pitwall.cli.games.order import GameSource
from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError, WindowLost
from pitwall.core.frames import Frame
from pitwall.core.paths import DataFolder
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import window_by_id
from pitwall.engine.drafting.field_reading import still_frame
from pitwall.engine.drafting.observer import PAGE_VALUES, open_draft_view
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import (
    Draft,
    draft_of_command,
    draft_of_page,
    draft_of_window,
    game_id_of,
    page_address,
)
from pitwall.games.drafting.store import read_draft
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Screen


def first_draft(folder: DataFolder, source: GameSource) -> Draft:
    """Return the draft of a game as its source describes it; a draft that replaces a game may take its id.

    Raises:
        PitwallError: nothing names the game, or a size or id does not parse. WindowLost: no such window.
    """
    games = Registry(folder).games()
    taken = {entry.game_id for entry in games if not (source.replace and entry.source == "user")}
    command = shlex.split(source.command)
    native_id = window_number(source.window)
    if source.draft is not None:
        draft = read_draft(source.draft)
    elif native_id is not None:
        this_desktop().check()
        window = window_by_id(native_id)
        if window is None:
            raise WindowLost(f"there is no window {native_id:#x} on this screen.", "See: pitwall windows")
        draft = draft_of_window(window, taken)
    elif source.url or command:
        screen = _screen(source.size) if source.size else None
        draft = (
            draft_of_page(source.url, taken, screen)
            if source.url
            else draft_of_command(command, taken, screen).changed(own_size=screen is None)
        )
    else:
        raise PitwallError(
            "no game is named.", "Give --from-window ID, --url URL, --command CMD or --draft FILE."
        )
    changes: dict[str, Any] = {"command": command or draft.command}
    if source.url:
        changes["url"] = page_address(source.url)
    if source.name:
        game_id = draft.game_id if source.draft else game_id_of(source.name, taken)
        changes |= {"name": source.name, "game_id": game_id}
    if source.game_id:
        changes["game_id"] = game_id_of(source.game_id)
    return draft.changed(**changes)


def _screen(size: str) -> Screen:
    try:
        width, height = (int(part) for part in size.casefold().split("x"))
        return Screen(width=width, height=height)
    except ValueError:
        raise PitwallError(f"{size!r} is no size.", "Write WIDTHxHEIGHT, like 1280x720.") from None


def window_number(text: str) -> int | None:
    """Parse a window's id, decimal or hexadecimal; None for an empty text."""
    if not text:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise PitwallError(f"{text!r} is no window's id.", "See: pitwall windows") from None


@contextlib.contextmanager
def opened_view(draft: Draft, window_id: int | None, folder: DataFolder) -> Iterator[GameView]:
    """Open a view of the draft's game; a game that it starts is closed with it."""
    this_desktop().check()
    with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as aside:
        view = open_draft_view(draft, window_id, folder.root, Path(aside))
        try:
            yield view
        finally:
            view.close(close_game=True)


def next_picture(view: GameView, *, page_values: bool = True) -> Frame:
    """Wait for the next picture of a game.

    Args:
        page_values: of the draft of a page: wait until it has reported its values.
    """
    if view.source is None:
        view.begin()
    needs_values = page_values and view.game.profile.browser is not None
    while True:
        ready = view.look(now_ns()) and (not needs_values or (view.game.folder / PAGE_VALUES).exists())
        frame = view.fresh() if ready else None
        if frame is not None:
            return still_frame(frame.pixels.copy())
        time.sleep(0.02)
