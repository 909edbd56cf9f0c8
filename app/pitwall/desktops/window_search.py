"""Lists the windows and finds the game's among them. Tracked by process and window id."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from pitwall.core.errors import DisplayError, PitwallError
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.desktops.contract import WindowList, WindowState
from pitwall.desktops.here import process_tree, processes, this_desktop


def list_windows() -> list[WindowRef]:
    """List the top-level windows in stacking order, bottom first.

    Panels, splash screens and the desktop's background are left out.

    Raises:
        DisplayError: there is no usable display.
    """
    with this_desktop().windows() as desktop:
        return [seen.window for seen in _seen(desktop, desktop.client_ids())]


def window_by_id(native_id: int) -> WindowRef | None:
    """Return the window with this id, or None if it is gone.

    Raises:
        DisplayError: there is no usable display.
    """
    with this_desktop().windows() as desktop:
        seen = desktop.look(native_id)
        return seen.window if seen is not None else None


def screen_size() -> tuple[int, int] | None:
    """Return width and height of the screen in pixels; None if there is no usable display."""
    try:
        with this_desktop().windows() as desktop:
            return desktop.screen_size
    except DisplayError:
        return None


RELATIVE_MOUSE = (
    "This game turns by relative mouse: it hides the pointer and reads only its motion, so a click at a "
    "place does not aim."
)


def turns_by_mouse(native_id: int) -> bool:
    """Return whether the game in a window reads only the motion of the mouse, as far as can be seen now."""
    try:
        with this_desktop().windows() as desktop:
            return desktop.pointer_is_captive(native_id)
    except DisplayError:
        return False


def answers(native_id: int, wait_s: float) -> bool | None:
    """Return whether the program of a window still takes its events; None: it cannot be asked.

    A stopped or hung program does not answer. Waits for the answer.
    """
    try:
        with this_desktop().windows() as desktop:
            return desktop.answers(native_id, wait_s)
    except DisplayError:
        return None


def window_before(game: WindowRef, launched: int, *, focused: bool) -> WindowRef | None:
    """Return another window of a game's program that keeps it from being played: an error, a question.

    It calls itself a dialog, or it lies over the middle of the game: not a second window beside the game.

    Args:
        launched: process that was started as the game; 0: the game was found.
        focused: the game itself has the keyboard: then only a window that calls itself a dialog counts.

    Raises:
        DisplayError: there is no usable display.
    """
    with this_desktop().windows() as desktop:
        dialogs = desktop.dialogs(game.native_id)
        others = [] if focused else _above(desktop, game)
        if not dialogs and not others:
            return None
        own = _programs_of(game.pid, launched)
        return next((window for window in (*dialogs, *others) if window.pid in own), None)


def _above(desktop: WindowList, game: WindowRef) -> list[WindowRef]:
    """List the visible windows that lie over the middle of a game, topmost first."""
    ids = desktop.client_ids()
    above = ids[ids.index(game.native_id) + 1 :] if game.native_id in ids else []
    middle = (game.rect.x + game.rect.width // 2, game.rect.y + game.rect.height // 2)
    visible = [seen.window for seen in _seen(desktop, above[::-1]) if seen.health is WindowHealth.VISIBLE]
    return [window for window in visible if window.rect.contains(*middle)]


def _programs_of(pid: int, launched: int) -> frozenset[int]:
    """Return the processes of a game: what it started, and its process group if Pitwall is not in it.

    A script or a terminal that started both the console and a game has them in one group.
    """
    own = process_tree(pid) | (process_tree(launched) if launched else frozenset())
    running = {process.pid: process for process in processes().running()}
    group = running[pid].group if pid in running else 0
    ours, at = {0}, os.getpid()
    while (process := running.pop(at, None)) is not None:
        ours.add(process.group)
        at = process.parent
    if group in ours:
        return own
    return own | {process.pid for process in running.values() if process.group == group}


def window_at(x: int, y: int) -> WindowRef | None:
    """Return the topmost window at a point of the screen (its title bar counts), or None.

    Windows that let clicks through are looked through.

    Raises:
        DisplayError: there is no usable display.
    """
    with this_desktop().windows() as desktop:
        native_id = desktop.at(x, y)
        seen = desktop.look(native_id) if native_id is not None else None
        return seen.window if seen is not None else None


def find_window(
    *,
    pid: int | None = None,
    title: str = "",
    wm_class: str = "",
    exclude_pids: Collection[int] = (),
) -> WindowRef | None:
    """Find the game's window: the largest visible match (the topmost of equals), else a hidden one.

    Args:
        pid: process that was launched; windows of it and of everything it started fit.
        title, wm_class: without a pid, regular expressions searched for in the window's title and
            class (ignoring case); both must be found where both are given. With neither, nothing fits.

    Raises:
        DisplayError: there is no usable display.
        PitwallError: an expression does not parse.
    """
    owners = process_tree(pid) if pid is not None else frozenset()
    by_title, by_class = _pattern("title", title), _pattern("wm_class", wm_class)

    def fits(window: WindowRef) -> bool:
        if window.pid in exclude_pids:
            return False
        if pid is not None:
            return window.pid in owners
        named = bool(title or wm_class)
        return named and bool(by_title.search(window.title)) and bool(by_class.search(window.wm_class))

    with this_desktop().windows() as desktop:
        fitting = [seen for seen in _seen(desktop, desktop.client_ids()) if fits(seen.window)]
        if not fitting and pid is not None:  # a full-screen game may go past the window manager
            fitting = [seen for seen in _seen(desktop, desktop.unmanaged_ids()) if fits(seen.window)]
    best = max(enumerate(fitting), key=lambda pair: (*_rank(pair[1]), pair[0]), default=None)
    return best[1].window if best is not None else None


def _seen(desktop: WindowList, ids: list[int]) -> list[WindowState]:
    looks = (desktop.look(native_id) for native_id in ids if desktop.playable(native_id))
    return [seen for seen in looks if seen is not None]


def _rank(seen: WindowState) -> tuple[bool, int]:
    rect = seen.window.rect
    return seen.health is WindowHealth.VISIBLE, rect.width * rect.height


def _pattern(name: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise PitwallError(
            f"the window's {name} {text!r} is no regular expression: {error}.",
            "Mend it, or escape special characters with a backslash.",
        ) from None
