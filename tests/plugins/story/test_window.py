"""The story as a real process in a real window, started as the engine starts it; real keys type into it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from tests.plugins.game_window import GameWindow, game_window, press


@pytest.fixture
def story(screen: str, tmp_path: Path) -> Iterator[GameWindow]:
    assert screen
    with game_window("story", tmp_path) as shown:
        yield shown


def test_lines_are_typed_corrected_sent_and_answered(story: GameWindow, project_root: Path) -> None:
    begun = story.until()
    assert (begun.game_id, begun.seed, begun.game_state.player["location"]) == ("story", 11, "Jetty")
    assert begun.game_state.board["valid"] == ["north", "east"]
    story.focus()
    press(*"nortt", "BackSpace", "h", "Return")
    yard = story.until(lambda now: now.raw["turns"] == 1)
    assert (yard.raw["command"], yard.game_state.player["location"]) == ("north", "Yard")
    press(*"east", "Escape", "Return", *"west", "Return", "t", "a", "k", "e", "space", *"net", "Return")
    shed = story.until(lambda now: now.raw["turns"] == 3)
    assert (shed.raw["command"], shed.metrics["items"]) == ("take net", 1)
    assert shed.game_state.player == {"location": "Boathouse", "inventory": ["landing net"]}
    assert "drop landing net" in shed.game_state.board["valid"]
    assert shed.game_state.board["observation"].startswith("Taken.")
    before = sorted((project_root / "plugins" / "story").rglob("*"))
    press(*"save", "Return", *"east", "Return", *"restore", "Return", *"inventory", "Return")
    back = story.until(lambda now: now.raw["turns"] == 7)
    assert back.game_state.player == shed.game_state.player
    assert sorted((project_root / "plugins" / "story").rglob("*")) == before, "saves are not kept there"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_story_ends_when_it_is_told_to(story: GameWindow, number: signal.Signals) -> None:
    story.ends_by(number)
