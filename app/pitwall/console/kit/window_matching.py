"""Finds the window that was meant: the topmost under a point, or those whose title matches. No Qt."""

from __future__ import annotations

from collections.abc import Sequence, Set

from pydantic import TypeAdapter, ValidationError

from pitwall.core.errors import ProtocolError
from pitwall.core.geometry import WindowRef

_WINDOWS: TypeAdapter[list[WindowRef]] = TypeAdapter(list[WindowRef])


def parse_windows(answer: object) -> list[WindowRef]:
    """The answer of `pitwall windows --json`: the open windows, bottom to top.

    Raises:
        ProtocolError: it is no list of windows.
    """
    try:
        return _WINDOWS.validate_python(answer)
    except ValidationError as error:
        raise ProtocolError(
            f"the list of windows cannot be read: {error.errors()[0]['msg']}.", "Restart the console."
        ) from None


def playable(windows: Sequence[WindowRef], own_pids: Set[int]) -> list[WindowRef]:
    """Windows that are not our own, topmost first."""
    return [window for window in reversed(windows) if window.pid not in own_pids]


def window_at(windows: Sequence[WindowRef], x: int, y: int, own_pids: Set[int]) -> WindowRef | None:
    """The topmost window (of others) whose client area holds a point in screen pixels."""
    return next((window for window in playable(windows, own_pids) if window.rect.contains(x, y)), None)


def describe(window: WindowRef) -> str:
    """Describe a window in one line of the list: title, then size."""
    title = window.title or window.wm_class or f"window {window.native_id:#x}"
    guarded = f"  ·  not played: {window.guard}" if window.guard else ""
    return f"{title}  ·  {window.rect.width}×{window.rect.height} px{guarded}"


def refusal(window: WindowRef) -> str:
    """Say why a guarded window is not chosen; empty where nothing guards it."""
    if not window.guard:
        return ""
    return (
        f"{window.guard} is on guard there: input that a program sends can cost you the account. "
        "Pitwall is for your own, local, single-player games."
    )


def matching(windows: Sequence[WindowRef], words: str) -> list[WindowRef]:
    """Windows whose title or class holds every word."""
    wanted = words.lower().split()
    return [
        window
        for window in windows
        if all(word in f"{window.title} {window.wm_class}".lower() for word in wanted)
    ]
