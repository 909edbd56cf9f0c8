"""The story as a real process in a real window, started as the engine starts it; real keys type into it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jericho", reason="the Z-machine (jericho) is not installed: installer/test builds it")

from tests.plugins.game_window import GameWindow, game_window, press
from tests.plugins.story.walkthroughs import WALKTHROUGHS


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


def _typed(command: str) -> list[str]:
    """The keys of a command, with Enter."""
    return [*("space" if letter == " " else letter for letter in command), "Return"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "train" else [pytest.mark.long])
        for name in sorted(WALKTHROUGHS)
    ],
)
def test_a_story_is_played_to_its_end_by_real_keys(name: str, screen: str, tmp_path: Path) -> None:
    assert screen
    with game_window("story", tmp_path, scenario=name) as shown:
        begun = shown.until()
        assert begun.raw["story"] == f"{name}.z5"
        shown.focus()
        for turn, command in enumerate(WALKTHROUGHS[name], start=1):
            press(*_typed(command))
            now = shown.until(lambda state, turn=turn: state.raw["turns"] == turn)  # type: ignore[misc]
            assert now.raw["command"] == command
        assert (now.terminal.outcome, now.metrics["won"]) == ("win", 1)
        assert now.metrics["score"] == now.raw["most"]
