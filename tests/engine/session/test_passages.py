"""Menus, end screens and pauses are left by the profile's passages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import pytest
from tests.engine.loop.player_rig import MANIFEST, SKILL, Clock, Stage, picture

Press = Callable[[str, int], int]
"""A key, and the scene it is pressed in → the scene that follows."""

START = """
[[passages]]
name = "start"
steps = [
  { keys = ["Enter"], screen = "menu.png" },
  { keys = ["n"], screen = "level.png", wait_ms = 1500 },
]
"""
PLAY, MENU, LEVEL, OVER, NAME = 1, 5, 6, 7, 8


class Game:
    """A stage whose scene follows from the keys that are pressed."""

    def __init__(self, stage: Stage, press: Press, scene: int) -> None:
        self.stage, self.scene, self._press, self._heard = stage, scene, press, 0
        self.taken: list[tuple[int, str]] = []
        stage.window.draw(40, scene)

    def play(self, ms: float) -> None:
        until = self.stage.clock() + int(ms * 1e6)
        while self.stage.clock() < until:
            self.stage.turn()
            for key in self.stage.presses()[self._heard :]:
                self.taken.append((self.scene, key))
                self.scene = self._press(key, self.scene)
                self.stage.window.draw(40, self.scene)
            self._heard = len(self.stage.presses())

    def keys_in(self, scene: int) -> list[str]:
        return [key for at, key in self.taken if at == scene]


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Game]:
    clock = Clock()
    for module in ("loop.player", "recording.run_figures"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)
    for name, scene in (("menu", MENU), ("level", LEVEL), ("over", OVER), ("name", NAME)):
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture(40, scene)[:, :, :3])

    def make(passages: str, press: Press, scene: int = MENU, status: str = "") -> Game:
        manifest = MANIFEST.replace("[progress]", f"{status}\n[progress]")
        (tmp_path / "plugin.toml").write_text(f'{manifest}{SKILL}actions = ["tap"]\n{passages}')
        return Game(Stage(tmp_path, clock), press, scene)

    return make


def test_a_menu_of_two_screens_is_left_by_its_screens(game: Callable[..., Game]) -> None:
    played = game(
        START, lambda key, scene: {("Enter", MENU): LEVEL, ("n", LEVEL): PLAY}.get((key, scene), scene)
    )
    played.play(3_000)
    assert played.taken[:2] == [(MENU, "Enter"), (LEVEL, "n")]
    assert set(played.keys_in(PLAY)) == {"Space"}
    assert [text for _, text, _ in played.stage.events if "left" in text] == ["Menu left by start."]


def test_a_screen_that_comes_late_is_waited_for(game: Callable[..., Game]) -> None:
    played = game(START, lambda _, scene: scene)
    played.play(250)
    assert played.taken == [(MENU, "Enter")]
    played.scene = 20  # the picture fades to something that no step follows
    played.stage.window.draw(40, 20)
    played.play(900)
    assert played.taken == [(MENU, "Enter")]
    played.scene = LEVEL
    played.stage.window.draw(40, LEVEL)
    played.play(100)
    assert played.taken == [(MENU, "Enter"), (LEVEL, "n")]


def test_a_passage_is_entered_in_its_midst(game: Callable[..., Game]) -> None:
    played = game(START, lambda key, scene: PLAY if (key, scene) == ("n", LEVEL) else scene, LEVEL)
    played.play(1_500)
    assert played.taken[0] == (LEVEL, "n")
    assert "Enter" not in [key for _, key in played.taken]
    assert played.keys_in(PLAY)


def test_a_press_without_effect_is_repeated_after_its_wait(game: Callable[..., Game]) -> None:
    tries: list[str] = []

    def press(key: str, scene: int) -> int:
        tries.append(key)
        return LEVEL if len(tries) == 2 else PLAY if key == "n" else scene

    played = game(START, press)
    played.play(1_900)
    assert played.keys_in(MENU) == ["Enter"]
    played.play(1_000)
    assert played.keys_in(MENU) == ["Enter", "Enter"]
    assert played.keys_in(LEVEL) == ["n"]


AGAIN = """
[[passages]]
name = "again"
leaves = "terminal"
steps = [{ keys = ["r"] }]
[[passages]]
name = "name_entry"
leaves = "terminal"
when = "ball < 30"
steps = [{ keys = ["a"] }, { keys = ["Enter"], wait_ms = 200 }]
"""


def test_an_end_screen_is_left_by_its_sign_and_its_keys_stay_out_of_play(game: Callable[..., Game]) -> None:
    """A game that ends again and again: every end is left, and the key that begins anew is pressed there
    alone."""
    presses: list[str] = []

    def press(key: str, scene: int) -> int:
        presses.append(key)
        if scene == OVER:
            return PLAY if key == "r" else OVER
        return OVER if presses.count("Space") % 5 == 0 else PLAY

    signs = 'terminal = "black < -1"'
    passages = AGAIN.replace('steps = [{ keys = ["r"] }]', 'steps = [{ keys = ["r"], screen = "over.png" }]')
    played = game(passages.split('[[passages]]\nname = "name')[0], press, OVER, signs)
    played.play(20_000)
    assert len(played.keys_in(OVER)) > 5
    assert set(played.keys_in(OVER)) == {"r"}
    assert set(played.keys_in(PLAY)) == {"Space"}
    left = [text for _, text, _ in played.stage.events if "left" in text]
    assert left == ["Terminal left by again."] * len(left)
    assert len(played.keys_in(OVER)) - len(left) in (0, 1)


def test_a_menu_that_stays_is_left_by_the_other_passage_and_then_played(game: Callable[..., Game]) -> None:
    other = START.replace('"start"', '"other"').replace('"Enter"', '"x"')
    played = game(START + other, lambda key, scene: PLAY if key == "x" and scene == MENU else scene)
    played.play(40_000)
    assert played.keys_in(PLAY)
    assert any("not left by start" in text for _, text, _ in played.stage.events)


def test_a_menu_that_stays_is_left_by_a_passage_whose_sign_is_hidden(game: Callable[..., Game]) -> None:
    """A question for a name lies over the menu, and a ship over the question."""
    hidden = NAMED.replace("ball > 30", "ball > 99")
    played = game(START + hidden, lambda key, scene: PLAY if key == "a" and scene == MENU else scene)
    played.play(25_000)
    assert played.keys_in(MENU)[-1] == "a"
    assert played.keys_in(PLAY)


def test_neither_agent_nor_model_may_press_the_keys_of_a_passage(game: Callable[..., Game]) -> None:
    session = game(START, lambda _, scene: scene).stage.session
    assert "Enter" in session.broker_configuration(None).allowed_keys
    assert "Enter" not in session.vocabulary.allowed_keys
    assert session.vocabulary.legal == ("tap", "far", "twice", "hold")


def test_play_that_a_pause_has_darkened_is_not_taken_for_it(
    game: Callable[..., Game], tmp_path: Path
) -> None:
    """A picture's descriptor does not know how bright it is: the cells of the screen do."""
    cv2.imwrite(str(tmp_path / "dark.png"), picture(40, PLAY)[:, :, :3] // 4)
    resume = """
[[passages]]
name = "resume"
leaves = "paused"
steps = [{ keys = ["p"], screen = "dark.png" }]
"""
    played = game(resume, lambda _, scene: scene, PLAY)
    played.play(1_000)
    assert played.stage.session.status.value == "playing"
    assert set(played.keys_in(PLAY)) == {"Space"}


NAMED = """
[[passages]]
name = "name_entry"
when = "ball > 30"
steps = [{ keys = ["a"], wait_ms = 200 }, { keys = ["Enter"], wait_ms = 200 }]
"""


def test_a_condition_without_a_picture_is_a_sign(game: Callable[..., Game]) -> None:
    played = game(NAMED, lambda _, scene: scene, NAME)
    played.play(500)
    assert played.stage.session.status.value == "menu"
    assert [key for _, key in played.taken][:2] == ["a", "Enter"]


@pytest.mark.parametrize("stands", [True, False])
def test_a_screen_that_no_sign_tells_is_left_once_nothing_answers(
    game: Callable[..., Game], *, stands: bool
) -> None:
    """The passages are tried, the one after an end first; never while the picture answers to play."""
    passages = f"{START}[[passages]]{AGAIN.split('[[passages]]')[1]}"
    played = game(passages, lambda key, scene: PLAY if key == "r" else scene, OVER)
    if not stands:
        press = played._press
        played._press = lambda key, scene: press(key, 23 - scene if key == "Space" else scene)
        played.scene = 10
    played.play(12_000)
    if stands:
        assert [key for key in played.keys_in(OVER) if key != "Space"] == ["r"]
        assert played.keys_in(PLAY)
        assert any("Nothing else helps: r, by again." in text for _, text, _ in played.stage.events)
    else:
        assert {key for _, key in played.taken} == {"Space"}
