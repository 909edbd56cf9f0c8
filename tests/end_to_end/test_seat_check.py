"""Before the first run with a game the agent's own keyboard is tried there; the result is kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import LONG_HOLDS, Pit
from tests.end_to_end.game import SmallGame

from pitwall.core import telemetry
from pitwall.core.paths import DataFolder
from pitwall.desktops.x11.arrivals import watch_x11_arrivals
from pitwall.games.seat_checks import seat_check

pytestmark = pytest.mark.screen
_OWN = LONG_HOLDS.with_value("broker", "own_seat", True)
_NOTICE = (
    "Small Game does not hear the agent's own keyboard: the agent shares yours, and waits while you use it."
)


def _notices(pit: Pit) -> list[str]:
    return [fault.what for fault in pit.all_heard(telemetry.Fault) if fault.what == _NOTICE]


def test_a_game_that_hears_the_own_keyboard_keeps_it(
    make_game: MakeGame, make_pit: MakePit, data: DataFolder
) -> None:
    game = make_game("tap")
    pit = make_pit(game, settings=_OWN)
    pit.play()
    kept = seat_check(data, "small-game")
    assert kept is not None and kept.arrives
    pit.until(lambda: pit.all_heard(telemetry.StateChanged)[-1].own_seat, "the agent's own seat")
    assert not _notices(pit)
    pit.end_run()
    pressed = len([item for item in game.inputs("key_down") if "shift" in item["key"]])
    assert pressed == 1, "the harmless key is pressed once"
    shown = pitwall("games", "show", str(game.folder), data=data)
    assert "keyboard and pointer: the agent's own arrive" in shown.out


def test_a_game_that_does_not_hear_it_shares_the_persons(
    make_game: MakeGame, make_pit: MakePit, data: DataFolder
) -> None:
    game = make_game("tap", window=False)
    _show_deaf(game)
    pit = make_pit(game, settings=_OWN)
    pit.play()
    kept = seat_check(data, "small-game")
    assert kept is not None and not kept.arrives
    assert _notices(pit) == [_NOTICE]
    assert not pit.all_heard(telemetry.StateChanged)[-1].own_seat
    with watch_x11_arrivals(int(game.window_id(), 16)) as arrivals:
        pit.until(lambda: arrivals.any("key", 0.05), "the shared keyboard's press to arrive")
    pit.end_run()
    pit.play_again()
    assert not _notices(pit), "what is known is not said again"


def test_a_game_without_keys_is_tried_by_the_pointer(
    make_game: MakeGame, make_pit: MakePit, data: DataFolder
) -> None:
    game = make_game("hit", keyless=True)
    pit = make_pit(game, settings=_OWN)
    pit.play()
    kept = seat_check(data, "small-game")
    assert kept is not None and kept.arrives
    pit.until(lambda: game.inputs("mouse_down"), "a click by the agent's own pointer")
    assert pit.all_heard(telemetry.StateChanged)[-1].own_seat and not _notices(pit)
    pit.end_run()
    assert not game.inputs("key_down"), "no key is pressed in a game that has none"


def _show_deaf(game: SmallGame) -> None:
    game.command = [sys.executable, str(Path(__file__).with_name("deaf_window.py")), game.title]
    game.open()
    game.window_id()
