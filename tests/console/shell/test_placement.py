"""The place of the console beside a game, and the cases in which only its strip has room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSize
from tests.console.conftest import ConsoleHarness

from pitwall.console.shell.placement import Placement, place_beside
from pitwall.console.shell.window import LEAST
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.telemetry import WindowSeen

WIDE, SMALL = QRect(0, 0, 1600, 1000), QRect(0, 0, 1280, 760)


@pytest.mark.parametrize(
    ("game", "area", "compact"),
    [
        (QRect(40, 60, 288, 512), WIDE, False),
        (QRect(1200, 60, 288, 512), WIDE, False),
        (QRect(40, 60, 288, 512), SMALL, False),
        (QRect(40, 60, 864, 640), SMALL, True),
        (QRect(200, 60, 864, 500), SMALL, True),
    ],
)
def test_the_console_stands_beside_the_game_within_the_screen(
    game: QRect, area: QRect, compact: bool
) -> None:
    place, strip = place_beside(game, area)
    assert strip is compact
    assert area.contains(place)
    assert not place.intersects(game)
    assert strip or place.width() >= LEAST[0]


def test_a_game_that_fills_the_screen_moves_nothing() -> None:
    assert place_beside(SMALL, SMALL)[0].isNull()


def test_the_console_grows_back_after_a_wide_game(room: ConsoleHarness) -> None:
    window, area = room.console.window, room.console.window.screen().availableGeometry()
    Placement(room.console.bridge, window)
    room.play()
    window.resize(1100, 640)
    room.bot.waitUntil(lambda: window.size() == QSize(1100, 640))

    def see(number: int, game: Rect) -> None:
        ref = WindowRef(native_id=number, pid=7, title="Game", wm_class="game", rect=game)
        seen = WindowSeen(window=ref, health=WindowHealth.VISIBLE, backend="window")
        room.session.tell(seen)
        room.bot.waitUntil(lambda: room.console.bridge.state.window == seen)

    see(1, Rect(0, 0, area.width() - 300, area.height()))
    room.bot.waitUntil(lambda: window.width() < LEAST[0])
    see(2, Rect(0, 0, 60, 60))
    room.bot.waitUntil(lambda: window.size() == QSize(1100, 640))
