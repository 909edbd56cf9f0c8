"""A real window on Windows: seen, captured, followed, covered, minimised, closed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.contract import CaptureSource
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import find_window, window_by_id
from pitwall_desktops.windows import handles
from pitwall_desktops.windows.window_list import WindowsWindowList
from workshop.fixtures.key_window import KeyWindow
from workshop.fixtures.processes import kill
from workshop.fixtures.window_moves import minimise, place, resize

pytestmark = [pytest.mark.screen, pytest.mark.skipif(sys.platform != "win32", reason="Windows' windows")]
_PATIENCE_S = 20.0


def until(probe: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not probe():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def window(screen: str) -> Iterator[KeyWindow]:
    assert screen
    shown = KeyWindow("captured")
    yield shown
    shown.close()


@pytest.fixture
def source(window: KeyWindow) -> Iterator[CaptureSource]:
    seen = find_window(pid=window.pid)
    assert seen is not None
    opened = this_desktop().capture(seen, CaptureSettings(backend="screen"))
    yield opened
    opened.close()


def fresh(source: CaptureSource) -> np.ndarray:
    frame = source.fresh()
    assert frame is not None
    return frame.pixels


def test_it_is_found_by_its_process_and_by_its_title(window: KeyWindow) -> None:
    seen = find_window(pid=window.pid)
    assert isinstance(seen, WindowRef)
    assert (seen.native_id, seen.title) == (window.window_id, "captured")
    assert (seen.rect.width, seen.rect.height) == (320, 240)
    assert find_window(title="^captured$") == seen


def test_it_is_followed_where_it_moves_and_is_resized(window: KeyWindow, source: CaptureSource) -> None:
    place(window.window_id, 400, 300)
    until(lambda: source.fresh() is not None and source.window.rect.x > 380)
    assert fresh(source).shape == (240, 320, 4)
    resize(window.window_id, 500, 400)
    until(lambda: source.fresh() is not None and source.window.rect.width > 400)
    rect = source.window.rect
    assert fresh(source).shape == (rect.height, rect.width, 4)


def test_what_covers_it_is_black_and_never_captured(window: KeyWindow, source: CaptureSource) -> None:
    place(window.window_id, 100, 100)
    other = KeyWindow("over it", background=(250, 10, 10))
    try:
        place(other.window_id, 150, 150)
        until(lambda: bool(handles.covering(window.window_id)))
        red = (fresh(source)[:, :, 2] > 200).sum()
        assert red == 0
        handles.bring_to_front(other.window_id)
        assert handles.covering(other.window_id) == []
    finally:
        other.close()


def test_minimised_it_gives_no_frame_and_closed_it_is_gone(window: KeyWindow, source: CaptureSource) -> None:
    minimise(window.window_id)
    until(lambda: source.fresh() is None)
    assert source.health is WindowHealth.MINIMISED
    handles.bring_to_front(window.window_id)
    until(lambda: source.fresh() is not None)
    kill(window.pid)
    until(lambda: source.fresh() is None and source.health is WindowHealth.GONE)
    with WindowsWindowList() as desktop:
        assert desktop.look(window.window_id) is None, "a dead handle is None, no exception"
    assert window_by_id(window.window_id) is None
