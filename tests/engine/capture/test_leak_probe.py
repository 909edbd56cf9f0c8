"""The leak probe tells a back end that captures the window from one that captures the screen."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pitwall.core.errors import DisplayError, WindowLost
from pitwall.core.geometry import Rect
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import list_windows
from pitwall.engine.capture.leak_probe import leak_pixels, probe_leak

if TYPE_CHECKING:
    from tests.engine.capture.conftest import Stage

pytestmark = [pytest.mark.screen, pytest.mark.usefixtures("screen")]

Tool = Callable[..., None]


def focused() -> str:
    return subprocess.run(
        ["timeout", "10", "xdotool", "getwindowfocus"], check=True, capture_output=True, text=True
    ).stdout


def test_nothing_over_the_window_enters_its_pixmap(stage: Stage) -> None:
    _, window = stage.open_game()
    source = stage.settled(window)
    focus = focused()
    listed = list_windows()
    result = probe_leak(source)
    assert result.pixels == 0
    assert result.control_pixels == 64 * 64
    assert result.passed
    assert focused() == focus
    assert list_windows() == listed


def test_the_screen_back_end_leaks_and_the_probe_says_so(stage: Stage) -> None:
    _, window = stage.open_game()
    result = probe_leak(stage.settled(window, "screen"))
    assert result.pixels == 64 * 64
    assert not result.passed


def test_a_marker_of_the_callers_own_is_counted_where_it_lies(stage: Stage) -> None:
    _, window = stage.open_game()
    source = stage.settled(window, "screen")
    half_out = Rect(window.rect.x - 10, window.rect.y + 50, 20, 30)
    with this_desktop().show_marker(half_out, (3, 250, 7)):
        assert leak_pixels(source, half_out, (3, 250, 7)) == 10 * 30
    stage.until(lambda: leak_pixels(source, half_out, (3, 250, 7)) == 0)


def test_a_marker_that_never_shows_proves_nothing(stage: Stage, tool: Tool) -> None:
    _, window = stage.open_game()
    source = stage.settled(window)
    tool("windowminimize", window.native_id)
    stage.follow(source, lambda: source.fresh() is None)
    with pytest.raises(WindowLost, match="minimised"):
        probe_leak(source)
    with (
        pytest.raises(DisplayError, match="outside the screen"),
        this_desktop().show_marker(Rect(9000, 0, 5, 5), (1, 1, 1)),
    ):
        pass
