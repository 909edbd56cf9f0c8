"""The reason why a window closed is stated as far as it is known, and a small screen is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.commands import Open
from pitwall.core.errors import WindowLost
from pitwall.core.geometry import Rect
from pitwall.core.paths import DataFolder
from pitwall.engine.session.game_view import ClosedWindow, GameView
from pitwall.games.registry import Registry

SCREEN = (1280, 720)


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({}, "not started here"),
        ({"runs": True}, "runs on"),
        ({"runs": False}, "as its program ended."),
        ({"runs": False, "words": "segmentation fault"}, "Its last words: segmentation fault"),
        (
            {"runs": False, "words": "Couldn't set video mode"},
            "screen mode that this screen of 1280 × 720 px",
        ),
        ({"runs": False, "window": Rect(0, 0, *SCREEN)}, "filled the whole screen of 1280 × 720 px"),
    ],
)
def test_why_a_window_closed_is_stated_as_far_as_it_is_known(known: dict[str, object], sentence: str) -> None:
    closed = ClosedWindow(name="Balls", screen=SCREEN, **known)  # type: ignore[arg-type]
    assert sentence in closed.why
    assert closed.why.startswith("the window of Balls was closed")
    assert ("larger screen" in closed.fix("Press Start.")) == ("1280" in sentence)
    assert closed.fix("Press Start.").endswith("Press Start.")


def test_a_game_that_runs_on_or_had_a_window_of_its_own_size_blames_no_screen() -> None:
    small = ClosedWindow(name="Balls", screen=SCREEN, window=Rect(9, 9, 640, 480), runs=False)
    runs = ClosedWindow(name="Balls", screen=SCREEN, window=Rect(0, 0, *SCREEN), runs=True)
    assert small.about_the_screen == runs.about_the_screen == ""


@pytest.mark.usefixtures("screen")
def test_a_side_that_starts_no_game_waits_for_the_one_beside_it(tmp_path: Path) -> None:
    game = Registry(DataFolder(tmp_path)).load("dodge")
    late = now_ns() + 120 * NS_PER_S
    beside = GameView(game, Open(game="dodge", launch=False, beside=("ember",)), tmp_path)
    beside.begin()
    assert beside.look(late) is False
    alone = GameView(game, Open(game="dodge", launch=False), tmp_path)
    alone.begin()
    with pytest.raises(WindowLost, match="no window of Dodge"):
        alone.look(late)
