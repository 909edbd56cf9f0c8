"""Frames of a window's own pixels on X11, through everything that happens to the window."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pitwall.core.clock import now_ns
from pitwall.core.errors import DisplayError, WindowLost
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.contract import CaptureSource, CaptureUnsupported
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import find_window, list_windows

if TYPE_CHECKING:
    from tests.engine.capture.conftest import Stage

pytestmark = [pytest.mark.screen, pytest.mark.usefixtures("screen")]

OwnScreen = Callable[..., "subprocess.Popen[bytes]"]
Tool = Callable[..., None]


def health_of(window: WindowRef) -> WindowHealth:
    """As the server says, without reading the source."""
    with this_desktop().windows() as desktop:
        seen = desktop.look(window.native_id)
    return seen.health if seen is not None else WindowHealth.GONE


def shows(*colour: int) -> Callable[[object], bool]:
    """Whether a frame's middle has a colour (red, green, blue)."""
    wanted = np.array(colour[::-1], np.uint8)

    def check(frame: object) -> bool:
        pixels = frame.pixels  # type: ignore[attr-defined]
        middle = pixels[pixels.shape[0] // 2, pixels.shape[1] // 2, :3]
        return bool((middle == wanted).all())

    return check


def test_frames_come_when_the_window_changes_and_only_then(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    assert source.backend == "x11-pixmap"
    assert source.health is WindowHealth.VISIBLE
    assert not stage.ready(source, 0.5)
    assert source.take() is None

    game.fill(200, 100, 50)
    first = stage.frame(source, shows(200, 100, 50))
    assert first.pixels.shape == (240, 320, 4)
    assert first.pixels[5, 5, :3].tolist() == [0, 0, 255]
    assert first.pixels[15, 25, :3].tolist() == [50, 100, 200]
    assert first.window == source.window.rect
    assert first.captured_ns <= first.ready_ns

    game.fill(1, 2, 3)
    second = stage.frame(source, shows(1, 2, 3))
    assert second.frame_id > first.frame_id
    assert second.captured_ns > first.ready_ns
    assert source.take() is None


def test_a_fresh_look_shows_an_unchanged_window(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    game.fill(9, 8, 7)
    fresh = source.fresh()
    assert fresh is not None
    assert shows(9, 8, 7)(fresh)
    again = source.fresh()
    assert again is not None
    assert again.frame_id == fresh.frame_id + 1


def test_the_first_frame_needs_no_change_and_numbers_go_on(stage: Stage) -> None:
    game, window = stage.open_game()
    game.fill(40, 50, 60)
    source = this_desktop().capture(window, CaptureSettings(backend="window"), after_frame=41)
    try:
        assert stage.frame(source).frame_id == 42
    finally:
        source.close()


def _is_at(source: CaptureSource, left: int) -> bool:
    return abs(source.window.rect.x - left) < 10  # the frame around it is thinner


def test_a_moved_window_is_followed_without_a_frame(stage: Stage, tool: Tool) -> None:
    _, window = stage.open_game()
    source = stage.settled(window)
    colours: list[int] = []
    for left in (300, 340, 380):  # on a busy machine a picture of before may still be under way
        tool("windowmove", window.native_id, left, 200)
        colours.append(len(stage.follow(source, partial(_is_at, source, left))))
    assert 0 in colours
    [listed] = [each for each in list_windows() if each.native_id == window.native_id]
    assert source.window.rect == listed.rect


def test_a_resized_window_gives_frames_of_its_new_size(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    old = source.fresh()
    assert old is not None
    game.tell("resize", 500, 300)
    game.fill(0, 90, 180)
    frame = stage.frame(source, lambda frame: frame.width == 500 and shows(0, 90, 180)(frame))
    assert (frame.width, frame.height) == (500, 300)
    assert (source.window.rect.width, source.window.rect.height) == (500, 300)
    assert old.pixels[100, 100, :3].tolist() == [30, 20, 10], "an older picture stays readable"

    game.tell("resize", 200, 150)
    game.fill(7, 7, 7)
    assert stage.frame(source, lambda frame: frame.width == 200 and shows(7, 7, 7)(frame)).height == 150


def test_a_minimised_window_gives_nothing_until_it_is_back(stage: Stage, tool: Tool) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    game.fill(50, 0, 0)
    tool("windowminimize", window.native_id)
    stage.until(lambda: health_of(window) is WindowHealth.MINIMISED)
    stage.follow(source, lambda: source.health is WindowHealth.MINIMISED)
    game.fill(100, 0, 0)
    assert source.take() is None
    assert source.fresh() is None

    asked_ns = now_ns()
    tool("windowmap", window.native_id)
    frames = stage.follow(source, lambda: source.health is WindowHealth.VISIBLE)
    game.fill(0, 100, 0)
    frames.append(stage.frame(source, shows(0, 100, 0)))
    assert all(frame.captured_ns > asked_ns for frame in frames)
    game.fill(0, 0, 100)
    stage.frame(source, shows(0, 0, 100))


def test_a_source_opened_on_a_minimised_window_waits_for_it(stage: Stage, tool: Tool) -> None:
    game, window = stage.open_game()
    tool("windowminimize", "--sync", window.native_id)
    source = stage.open_source(window)
    stage.follow(source, lambda: source.health is WindowHealth.MINIMISED)
    tool("windowmap", window.native_id)
    game.fill(60, 61, 62)
    stage.frame(source, shows(60, 61, 62))


def test_a_closed_window_is_gone_and_the_source_falls_silent(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    game.process.kill()
    stage.follow(source, lambda: source.health is WindowHealth.GONE)
    assert source.take() is None
    assert source.fresh() is None
    assert not stage.ready(source, 0.2)
    with pytest.raises(WindowLost, match="gone"):
        this_desktop().capture(window, CaptureSettings(backend="window"))


def test_a_game_that_makes_its_window_anew_is_found_again(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    game.tell("renew")
    stage.follow(source, lambda: source.health is WindowHealth.GONE)
    again = stage.until(lambda: find_window(pid=game.pid))
    assert source.take() is None, "the old source stays gone, even where the id is used again"
    stage.frame(stage.open_source(again), shows(10, 20, 30))


def test_covered_pixels_are_the_windows_own(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    with this_desktop().show_marker(window.rect, (1, 255, 1)) as marker:
        assert marker.screen_pixels()[100, 100, :3].tolist() == [1, 255, 1]
        game.fill(80, 70, 60)
        covered = stage.frame(source, shows(80, 70, 60))
        assert (covered.pixels[20:, :, :3] == (60, 70, 80)).all()


def test_redraws_that_nobody_read_are_counted(stage: Stage) -> None:
    game, window = stage.open_game()
    source = stage.settled(window)
    before = source.dropped
    for grey in range(5):
        game.fill(grey, grey, grey)
        time.sleep(0.02)
    stage.frame(source, shows(4, 4, 4))
    assert source.dropped - before == 4

    before = source.dropped
    for grey in range(10, 15):
        game.fill(grey, grey, grey)
        stage.frame(source, shows(grey, grey, grey))
        time.sleep(0.01)
    assert source.dropped == before


def test_many_requests_of_one_picture_are_one_redraw(own_screen: OwnScreen, stage: Stage) -> None:
    own_screen()
    plain = stage.open_plain()
    [window] = list_windows()
    source = stage.settled(window)
    plain.paint(0x00FF00, strips=20)
    stage.frame(source, shows(0, 255, 0))
    assert source.dropped == 0


def test_without_shared_memory_the_pixels_come_through_the_socket(
    own_screen: OwnScreen, stage: Stage
) -> None:
    own_screen("-extension", "MIT-SHM")
    plain = stage.open_plain()
    [window] = list_windows()
    source = stage.settled(window)
    plain.paint(0x0A141E)
    assert stage.frame(source, shows(10, 20, 30)).pixels.shape == (100, 200, 4)


def test_without_composite_the_screen_is_captured_unless_the_window_was_insisted_on(
    own_screen: OwnScreen, stage: Stage
) -> None:
    own_screen("-extension", "Composite")
    plain = stage.open_plain()
    [window] = list_windows()
    with pytest.raises(CaptureUnsupported, match="no Composite"):
        stage.open_source(window, "window")
    source = stage.settled(window, "auto")
    assert source.backend == "screen-region"
    plain.paint(0x0A141E)
    stage.frame(source, shows(10, 20, 30))


def test_other_colour_depths_are_refused_by_name(own_screen: OwnScreen, stage: Stage) -> None:
    own_screen(screen="640x480x16")
    stage.open_plain()
    [window] = list_windows()
    with pytest.raises(WindowLost, match="16 bits"):
        this_desktop().capture(window, CaptureSettings(backend="window"))


@pytest.mark.parametrize("backend", ["window", "screen"])
def test_a_lost_display_is_said(own_screen: OwnScreen, stage: Stage, backend: str) -> None:
    server = own_screen()
    stage.open_plain()
    [window] = list_windows()
    assert window.rect == Rect(30, 40, 200, 100)
    source = stage.settled(window, backend)
    server.kill()
    server.wait(60)
    stage.until(lambda: stage.ready(source, 0.1))
    with pytest.raises(DisplayError, match="lost"):
        source.take()
    with pytest.raises(DisplayError, match="lost"):
        source.fresh()
