"""The agent's own seat, and the person's focus, while the game's window is not shown."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator

import pytest
from xcffib import xproto

from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import Configure, FocusHolder, HotkeyChords, InputLimits
from pitwall.desktops.x11.display import Display
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
        limits=InputLimits(own_seat=True),
        hotkeys=HotkeyChords(),
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


def _xdotool(*words: str | int) -> None:
    subprocess.run(["xdotool", *map(str, words)], check=True, timeout=30)


def test_a_game_that_is_not_shown_is_asked_once_and_has_the_focus_as_it_comes_back(
    seat: tuple[X11Input, int],
) -> None:
    backend, window = seat
    _until(backend, lambda: backend.own_seat and backend.holder is FocusHolder.GAME)
    _xdotool("windowunmap", "--sync", window)
    _until(backend, lambda: backend.holder is FocusHolder.OTHER)
    backend.focus_target()
    assert backend.next_deadline_ns() is not None
    _until(backend, lambda: backend.next_deadline_ns() is None)
    _xdotool("windowmap", "--sync", window)
    _until(backend, lambda: backend.holder is FocusHolder.GAME)


@pytest.fixture
def person(seat: tuple[X11Input, int]) -> Iterator[KeyWindow]:
    """A person's window, active, and a third that was used before it."""
    third, window = KeyWindow("used before"), KeyWindow("person's window")
    for shown in (third, window):
        _xdotool("windowactivate", "--sync", shown.window_id)
    _until(seat[0], lambda: seat[0].own_seat and seat[0].holder is FocusHolder.GAME)
    _until(seat[0], lambda: seat[0].next_deadline_ns() is None)
    yield window
    window.close()
    third.close()


@pytest.mark.parametrize("deed", ["windowminimize", "windowmap"])
def test_a_game_that_is_minimised_and_shown_again_leaves_the_persons_focus(
    seat: tuple[X11Input, int], person: KeyWindow, deed: str
) -> None:
    """Openbox takes the agent's focus for the person's as it goes, and focuses what is shown again."""
    backend, game = seat
    if deed == "windowmap":
        _xdotool("windowminimize", game)
        _until(backend, lambda: backend.holder is FocusHolder.OTHER)
    display = Display()
    display.select(display.root, xproto.EventMask.PropertyChange)
    display.core.GetInputFocus().reply()
    name = display.atom("_NET_ACTIVE_WINDOW")
    _xdotool(deed, game)
    heard: list[int] = []

    def has_moved_it() -> bool:
        heard.extend(getattr(event, "atom", 0) for event in display.events())
        return name in heard

    _until(backend, has_moved_it)
    _until(backend, lambda: display.core.GetInputFocus().reply().focus == person.window_id)
    _until(backend, lambda: backend.next_deadline_ns() is None)
    assert display.core.GetInputFocus().reply().focus == person.window_id
    display.close()


def test_a_person_who_shows_the_game_again_by_keys_gets_its_focus(
    seat: tuple[X11Input, int], person: KeyWindow
) -> None:
    backend, game = seat
    assert person
    _xdotool("windowminimize", game)
    _until(backend, lambda: backend.holder is FocusHolder.OTHER)
    _until(backend, lambda: backend.next_deadline_ns() is None)
    _xdotool("keydown", "Alt", "keyup", "Alt", "windowactivate", game)
    display = Display()
    _until(backend, lambda: display.core.GetInputFocus().reply().focus == game)
    _until(backend, lambda: backend.next_deadline_ns() is None)
    assert display.core.GetInputFocus().reply().focus == game
    display.close()
