"""The agent's own seat and the focus of a window that is not shown."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import Configure, FocusHolder
from pitwall.core.keys import BrokerSettings, HotkeySettings
from pitwall.desktops.x11.input import X11Input
from workshop.fixtures.key_window import KeyWindow

pytestmark = pytest.mark.screen
_PATIENCE_S = 20.0


@pytest.fixture
def seat(screen: str) -> Iterator[tuple[X11Input, int]]:
    """The input of X11, and the window that its own seat has the focus of."""
    assert screen
    window, backend = KeyWindow("a game"), X11Input()
    game = WindowRef(native_id=window.window_id, pid=1, title="", wm_class="", rect=Rect(0, 0, 90, 90))
    order = Configure(
        limits=BrokerSettings(own_seat=True),
        hotkeys=HotkeySettings(),
        target=game,
        console_pids=(),
        allowed_keys=("w",),
        allow_mouse=False,
    )
    backend.configure(order)
    backend.focus_target()
    backend.arm(True)
    yield backend, window.window_id
    backend.close()
    window.close()


def _until(backend: X11Input, holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not holds() and time.monotonic() < until_s:
        backend.hear()
        time.sleep(0.005)
    assert holds()


def test_a_game_that_is_not_shown_is_asked_once_and_has_the_focus_as_it_comes_back(
    seat: tuple[X11Input, int],
) -> None:
    backend, window = seat
    _until(backend, lambda: backend.own_seat and backend.holder is FocusHolder.GAME)
    subprocess.run(["xdotool", "windowunmap", "--sync", str(window)], check=True, timeout=30)
    _until(backend, lambda: backend.holder is FocusHolder.OTHER)
    backend.focus_target()
    assert backend.next_deadline_ns() is not None
    _until(backend, lambda: backend.next_deadline_ns() is None)
    subprocess.run(["xdotool", "windowmap", "--sync", str(window)], check=True, timeout=30)
    _until(backend, lambda: backend.holder is FocusHolder.GAME)
