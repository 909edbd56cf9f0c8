"""Night Post as a real process in a real window: real keys and clicks play it, and the true state follows."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from nightpost_rules.page import write_page
from nightpost_rules.session import Session
from tests.plugins.game_window import GameWindow, game_window, press


@pytest.fixture
def night(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("nightpost", tmp_path, scenario="luna") as shown:
        yield shown


def test_keys_and_clicks_play_the_run_of_the_twin(night: GameWindow) -> None:
    twin = Session(11, "luna")
    assert night.until().status == "menu"
    window = night.focus()
    press("Return")
    twin.press("Enter")
    begun = night.until(lambda now: now.status == "playing")
    assert begun.game_state.player["deck"].count("Wing Beat") == 4
    page = write_page(twin.sight)
    box = next(box for box, key in page.spots if key == "1")
    x, y, width, height = box.pixels
    place = [str(x + width // 2), str(y + height // 2)]
    subprocess.run(["xdotool", "mousemove", "--window", window, *place, "click", "1"], check=True, timeout=10)
    twin.press("1")
    night.until(lambda now: now.raw["screen"] == "fight")
    keys = ["1", "a", "2", "a", "e"]
    press(*keys)
    for key in keys:
        twin.press(key)
    wanted = twin.true_state(0)
    metrics, state = wanted["metrics"], wanted["game_state"]
    assert isinstance(metrics, dict)
    assert isinstance(state, dict)
    now = night.until(lambda now: now.metrics["decisions"] == metrics["decisions"])
    assert now.game_state.player == state["player"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_game_ends_when_it_is_told_to(night: GameWindow, number: signal.Signals) -> None:
    night.ends_by(number)
