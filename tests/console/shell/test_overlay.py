"""The overlay on a real game window: it is seen, it follows, and it takes neither clicks nor focus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from tests.console.game_window import GameWindow, xdotool
from tests.console.recorded_runs import bridge_on

from pitwall.console.kit.screen_places import ScreenPlace, rect_to_qt
from pitwall.console.shell.overlay import GameOverlay
from pitwall.console.state.view_state import Part, Phase
from pitwall.core.geometry import Rect, WindowHealth
from pitwall.core.observations import GameStatus
from pitwall.core.settings import CaptureSettings
from pitwall.core.signals import Route, Signals
from pitwall.core.telemetry import EngineState, FrameNote, OverlayToggled, StateChanged
from pitwall.desktops.here import this_desktop


def _note(*, route: Route | None = Route.REFLEX, held: tuple[str, ...] = ("Space",)) -> FrameNote:
    return FrameNote(
        frame_id=1,
        captured_ns=1,
        status=GameStatus.PLAYING,
        readings=(),
        signals=Signals(),
        route=route,
        badge="scene change",
        last_action="flap",
        held=held,
        interval_ms=33.0,
        age_ms=1.0,
        loop_ms=1.0,
    )


@pytest.fixture
def overlay(screen: str, qtbot: QtBot) -> Iterator[GameOverlay]:
    assert screen
    widget = GameOverlay()
    qtbot.addWidget(widget)
    yield widget
    widget.hide()


def _play(overlay: GameOverlay, game: GameWindow) -> None:
    overlay.receive(StateChanged(state=EngineState.PLAYING))
    overlay.receive(game.seen())
    overlay.receive(_note())


def test_it_stands_in_the_games_corner_and_follows(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], qtbot: QtBot
) -> None:
    game = start_game("follow me")
    _play(overlay, game)
    qtbot.waitUntil(overlay.isVisible)
    before = game.rect()
    assert (overlay.x(), overlay.y()) == (before.x + 8, before.y + 8)
    xdotool("windowmove", str(game.window_id), "420", "330")
    qtbot.waitUntil(lambda: game.rect() != before)
    overlay.receive(game.seen())
    after = game.rect()
    qtbot.waitUntil(lambda: (overlay.x(), overlay.y()) == (after.x + 8, after.y + 8))
    overlay.receive(game.seen(WindowHealth.MINIMISED))
    assert not overlay.isVisible()
    overlay.receive(game.seen())
    assert overlay.isVisible()


def test_clicks_keys_and_focus_stay_with_the_game(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], qtbot: QtBot
) -> None:
    game = start_game("click me")
    game.events.clear()
    _play(overlay, game)
    qtbot.waitExposed(overlay)
    qtbot.wait(300)
    assert "WindowFocusLost" not in game.names()
    assert int(xdotool("getwindowfocus", "-f")) == game.window_id or xdotool(
        "getactivewindow"
    ).strip() == str(game.window_id)
    middle = overlay.geometry().center()
    xdotool("mousemove", str(middle.x()), str(middle.y()), "click", "1", "key", "space")
    qtbot.waitUntil(lambda: {"MouseButtonDown", "KeyDown"} <= set(game.names()))
    click = next(event for event in game.events if event["event"] == "MouseButtonDown")
    place = game.rect()
    assert click["at"] == [middle.x() - place.x, middle.y() - place.y]
    assert "WindowFocusLost" not in game.names()


def test_it_is_on_the_screen_and_only_its_labels_are(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], qtbot: QtBot
) -> None:
    game = start_game("look at me")
    _play(overlay, game)
    qtbot.waitExposed(overlay)
    qtbot.wait(300)
    area = overlay.geometry()
    desktop = QApplication.primaryScreen().grabWindow(0).toImage()
    grass = "#14a03c"
    inside = [desktop.pixelColor(x, area.center().y()).name() for x in range(area.left(), area.right())]
    assert any(colour != grass for colour in inside)
    assert inside.count(grass) >= 3, "the gaps between the labels show the game"
    assert desktop.pixelColor(area.left(), area.top()).name() == grass, "corners are cut round"


def test_the_overlay_key_hides_and_shows_it(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow]
) -> None:
    _play(overlay, start_game("toggle me"))
    assert overlay.isVisible()
    overlay.receive(OverlayToggled())
    assert not overlay.isVisible()
    overlay.set_wanted(True)
    assert not overlay.isVisible(), "another setting's change does not undo the key"
    overlay.receive(OverlayToggled())
    assert overlay.isVisible()
    overlay.set_wanted(False)
    assert not overlay.isVisible()


def test_it_gives_way_where_the_console_is_being_used(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], qtbot: QtBot
) -> None:
    game = start_game("under the console")
    _play(overlay, game)
    console = QWidget()
    qtbot.addWidget(console)
    place = game.rect()
    console.setGeometry(place.x, place.y, place.width, place.height)
    console.show()
    qtbot.waitUntil(console.isActiveWindow)
    qtbot.waitUntil(lambda: not overlay.isVisible())
    console.close()
    qtbot.waitUntil(overlay.isVisible)


def test_it_is_gone_without_a_run(overlay: GameOverlay, start_game: Callable[[str], GameWindow]) -> None:
    game = start_game("no run")
    _play(overlay, game)
    overlay.receive(StateChanged(state=EngineState.READY))
    assert not overlay.isVisible()


def test_nothing_shows_a_closed_overlay_again(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], qtbot: QtBot
) -> None:
    _play(overlay, start_game("closed"))
    qtbot.waitUntil(overlay.isVisible)
    overlay.close()
    assert not overlay.isVisible()
    assert not any(timer.isActive() for timer in overlay.findChildren(QTimer))


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_places_survive_scaling(scale: float) -> None:
    places = [ScreenPlace(Rect(0, 0, 1600, 1000), scale), ScreenPlace(Rect(1600, 0, 3200, 2000), 2.0)]
    here = rect_to_qt(Rect(300, 150, 600, 300), places)
    assert here.getRect() == (round(300 / scale), round(150 / scale), round(600 / scale), round(300 / scale))
    there = rect_to_qt(Rect(1700, 200, 640, 480), places)
    assert there.getRect() == (1650, 100, 320, 240)
    assert places[1].to_pixels(there.x(), there.y()) == (1700, 200)


def test_captured_frames_hold_none_of_its_pixels(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], qtbot: QtBot
) -> None:
    game = start_game("capture me")
    _play(overlay, game)
    qtbot.waitExposed(overlay)
    qtbot.wait(200)
    window = game.seen().window
    assert window is not None
    source = this_desktop().capture(window, CaptureSettings())
    try:
        source.fresh()
        qtbot.wait(300)  # what was covered when the capture began is black until the game draws again
        for _ in range(5):
            frame = source.fresh()
            assert frame is not None
            assert (frame.width, frame.height) == (480, 360)
            assert np.unique(frame.pixels[..., :3].reshape(-1, 3), axis=0).tolist() == [[60, 160, 20]]
            qtbot.wait(60)
    finally:
        source.close()


def test_it_hides_when_the_engine_is_gone(
    overlay: GameOverlay, start_game: Callable[[str], GameWindow], tmp_path: Path
) -> None:
    game = start_game("left alone")
    bridge = bridge_on(tmp_path)
    overlay.follow(bridge)
    bridge.state.phase = Phase.PLAYING
    for message in (game.seen(), StateChanged(state=EngineState.PLAYING), _note()):
        bridge.received.emit(message)
    bridge.changed.emit(Part.ALL)
    assert overlay.isVisible()
    bridge.state.lost("the engine ended.", "Restart it.", "")
    bridge.changed.emit(Part.PHASE)
    assert not overlay.isVisible()
    bridge.shutdown()
