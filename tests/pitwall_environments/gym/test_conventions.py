"""Gymnasium's own conventions: combinations of keys, action spaces, pictures, rewards, values of a step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from tests.pitwall_evaluation.hosted_game import hosted_game, until

from pitwall_environments.gym.environment import EnvironmentFault
from pitwall_environments.gym.episodes import Episodes
from pitwall_environments.gym.keyboard import Keyboard, UnsuitableEnvironment, keyboard_of
from pitwall_environments.gym.pictures import rgb_picture

from .odd_environments import Own

ODD = "tests.pitwall_environments.gym.odd_environments"


def _keyboard(keys: Any = None, space: spaces.Space[Any] | None = None) -> Keyboard:
    return keyboard_of(Own("rgb_array", keys=keys or {}, space=space or spaces.Discrete(5)))


def _value(keyboard: Keyboard, *held: str) -> Any:
    return keyboard.value(frozenset(held))


@pytest.mark.parametrize(
    "keys",
    [
        {"w": 1, "a": 2, "wa": 3, "": 0, "dw": 4},
        {("w",): 1, ("a",): 2, ("w", "a"): 3, (): 0, ("d", "w"): 4},
        {ord("w"): 1, ord("a"): 2, (ord("a"), ord("w")): 3, "noop": 0, (ord("d"), "w"): 4},
        {"W": 1, "K_a": 2, frozenset("wa"): 3, "idle": 0, ("d", "w"): np.int64(4)},
    ],
    ids=["texts", "tuples", "codes", "mixed"],
)
def test_combinations_are_held_together(keys: Any) -> None:
    keyboard = _keyboard(keys)
    held = {("w",): 1, ("a",): 2, ("w", "a"): 3, ("d", "w"): 4, (): 0, ("d",): 0, ("w", "a", "x"): 3}
    assert {names: _value(keyboard, *names) for names in held} == held


def test_named_keys_are_keys() -> None:
    named = {"space": 1, "up": 2, "left shift": 3, "return": 4, "noop": 0}
    keyboard = _keyboard(named)
    assert [_value(keyboard, key) for key in ("Space", "ArrowUp", "Shift")] == [1, 2, 3]
    assert keyboard.actions[-1].keys == ("1",)  # Enter begins the next episode, so action 4 gets another key


@pytest.mark.parametrize("name", ["levitate", "???", "", 1.5, None, ("w", "levitate")])
def test_an_action_without_a_known_key_gets_the_next_free_key(name: Any) -> None:
    keyboard = _keyboard({"1": 1, "w": 2, name: 3} | ({} if name == "" else {"": 0}))
    free = "2" if name else ""
    assert _value(keyboard, "1") == 1 and _value(keyboard, "w") == 2
    assert not free or _value(keyboard, free) == 3


def test_a_mapping_that_fails_or_names_no_action_is_left_out() -> None:
    keyboard = _keyboard({"w": 99, "a": "go", "": 0})
    assert [action.keys for action in keyboard.actions] == [("1",), ("2",), ("3",), ("4",)]
    broken = Own("rgb_array", keys=[1, 2])
    assert len(keyboard_of(broken).actions) == 5


def test_arrays_can_be_mapped() -> None:
    space = spaces.Box(-1, 1, (3,), np.float32)
    keys = {"w": np.array([0, 0.7, 0]), "a": np.array([-1, 0, 0]), "wa": np.array([-1, 0.7, 0])}
    keyboard = _keyboard(keys, space)
    assert _value(keyboard, "w", "a").tolist() == [-1, 0.7, 0]
    assert _value(keyboard).tolist() == [0, 0, 0] and space.contains(_value(keyboard))
    assert [action.name for action in keyboard.actions] == ["press_w", "press_a", "press_a_w"]


_SPACES: list[tuple[spaces.Space[Any], tuple[str, ...], Any]] = [
    (spaces.MultiBinary(12), ("1", "3"), [1, 0, 1] + [0] * 9),
    (spaces.MultiBinary((2, 2)), ("4",), [[0, 0], [0, 1]]),
    (spaces.MultiDiscrete([3, 3, 2]), ("2", "3"), [2, 1, 0]),
    (spaces.MultiDiscrete([3, 2], start=[5, -1]), ("1",), [6, -1]),
    (spaces.Box(-1, 1, (6,)), ("ArrowRight", "1"), [1, 0, 0, 0, -1, 0]),
    (spaces.Box(-1, 1, (2, 2)), ("ArrowUp", "a"), [[0, 1], [-1, 0]]),
    (spaces.Box(-np.inf, np.inf, (1,)), ("ArrowLeft",), [-1]),
    (spaces.Box(1, 2, (1,)), (), [1]),
]


@pytest.mark.parametrize(("space", "held", "action"), _SPACES, ids=[str(case[0])[:30] for case in _SPACES])
def test_spaces_of_several_numbers_are_set_part_by_part(
    space: spaces.Space[Any], held: tuple[str, ...], action: Any
) -> None:
    keyboard = _keyboard({}, space)
    chosen = _value(keyboard, *held)
    assert chosen.tolist() == action and space.contains(chosen)
    assert space.contains(_value(keyboard))


def test_dictionaries_and_tuples_are_set_part_by_part() -> None:
    parts = {
        "b": spaces.Discrete(3),
        "c": spaces.Box(-1, 1, (2,)),
        "t": spaces.Tuple([spaces.MultiBinary(1)]),
    }
    space = spaces.Dict(parts)
    keyboard = _keyboard({}, space)
    chosen = _value(keyboard, "2", "ArrowRight", "3")
    assert chosen["b"] == 2 and chosen["c"].tolist() == [1, 0] and chosen["t"][0].tolist() == [1]
    assert space.contains(chosen) and space.contains(_value(keyboard))
    pair = spaces.Tuple((spaces.Discrete(3), spaces.Discrete(2, start=4)))
    assert pair.contains(_value(_keyboard({}, pair), "1", "3"))
    assert _value(_keyboard({}, pair), "1", "3") == (1, 5)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (spaces.MultiBinary(50), "need 50 keys"),
        (spaces.Discrete(300), "300 actions, more than there are keys"),
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), "need 384 keys"),
        (spaces.Text(5), "part of the kind Text"),
        (spaces.Dict({"a": spaces.Sequence(spaces.Discrete(2))}), "part of the kind Sequence"),
        (spaces.Discrete(1), "only action is to do nothing"),
    ],
)
def test_what_keys_cannot_play_is_a_sentence(space: spaces.Space[Any], message: str) -> None:
    with pytest.raises(UnsuitableEnvironment, match=message):
        _keyboard({"": 0} if isinstance(space, spaces.Discrete) else {}, space)


_RGB = np.zeros((6, 8, 3), np.uint8)
_RGB[1:3, 2:5] = (255, 128, 0)


@pytest.mark.parametrize(
    "rendered",
    [
        _RGB,
        _RGB.astype(np.float32) / 255,
        _RGB.astype(np.float64),
        _RGB.astype(np.int64),
        _RGB.astype(np.uint16) * 257,
        np.dstack([_RGB, np.full((6, 8), 255, np.uint8)]),
        _RGB.transpose(2, 0, 1),
        _RGB[np.newaxis],
        [np.zeros_like(_RGB), _RGB],
    ],
    ids=["rgb", "floats", "bytes-as-floats", "ints", "uint16", "rgba", "channels-first", "batch", "list"],
)
def test_every_usual_picture_is_shown(rendered: Any) -> None:
    picture = rgb_picture(rendered)
    assert picture.dtype == np.uint8 and picture.shape == (6, 8, 3)
    assert np.abs(picture.astype(int) - _RGB).max() <= 1


@pytest.mark.parametrize("grey", [_RGB[..., 0], _RGB[..., :1], _RGB[..., 0] > 0, _RGB[np.newaxis, ..., 0]])
def test_grey_and_black_and_white_are_shown(grey: Any) -> None:
    assert np.array_equal(rgb_picture(grey), np.repeat(_RGB[..., :1], 3, axis=2))


def test_numbers_that_are_not_finite_are_black_or_white() -> None:
    picture = rgb_picture(np.array([[np.nan, np.inf, -np.inf, 0.5]]))
    assert picture[0, :, 0].tolist() in ([0, 255, 0, 0], [0, 255, 0, 128])


@pytest.mark.parametrize(
    ("rendered", "message"),
    [
        (None, "renders nothing"),
        ([], "renders an empty list"),
        ("text", "renders a str"),
        (np.zeros(7, np.float32), "an array of float32 of shape 7"),
        (np.zeros((4, 5, 6, 7)), "an array of float64 of shape 4 × 5 × 6 × 7"),
        (np.zeros((9, 9, 2)), "an array of float64 of shape 9 × 9 × 2"),
        (np.zeros((0, 9, 3)), "an array of float64 of shape 0 × 9 × 3"),
    ],
)
def test_what_is_no_picture_is_named_with_its_shape_and_type(rendered: Any, message: str) -> None:
    with pytest.raises(UnsuitableEnvironment, match=message):
        rgb_picture(rendered)


def _episodes(**given: Any) -> Episodes:
    return Episodes(Own("rgb_array", **given), "Own-v0", "own", 1)


@pytest.mark.parametrize(
    ("rewards", "score"),
    [
        ([np.array([1.0])], 4),
        ([np.float32(1)], 4),
        ([True], 4),
        ([1.0, float("nan")], 2),
        ([1.0, np.inf], 2),
        ([1.0, None], 2),
        ([1.0, "much"], 2),
        ([1.0, np.zeros(0)], 2),
        ([1.0, np.ones(2)], 2),
    ],
)
def test_a_reward_is_a_number_or_counts_as_nothing_and_is_told_once(
    rewards: list[Any], score: float, caplog: pytest.LogCaptureFixture
) -> None:
    played = _episodes(rewards=rewards)
    for _ in range(4):
        played.step(frozenset())
    assert played.reward == score
    told = [record for record in caplog.records if "is not readable" in record.getMessage()]
    assert len(told) == (score == 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"values": 4},
            "in its step: .*returns 4 values, not observation, .*Gym before version 0.26",
        ),
        ({"values": 1}, "failed in its step: .*returns 1 values"),
        ({"way": "leaves"}, "tried to end the program in its step"),
        ({"way": "old reset"}, "failed in its reset: .*returns a int, not observation, info"),
        ({"picture": np.zeros(3)}, "renders an array of float64 of shape 3"),
    ],
)
def test_whatever_an_environment_does_is_a_sentence(given: dict[str, Any], message: str) -> None:
    with pytest.raises((EnvironmentFault, UnsuitableEnvironment), match=message):
        _episodes(**given).step(frozenset())


@pytest.mark.usefixtures("screen")
class TestWindow:
    """Environments that share pygame with their window, and those that fail beside it."""

    @pytest.mark.parametrize("way", ["Dummy", "Quits", "Opens"])
    def test_the_window_stays_whatever_the_environment_does_with_pygame(
        self, tmp_path: Path, way: str
    ) -> None:
        with hosted_game(tmp_path, ["gym-game", "--env", f"{ODD}:Own{way}-v0"]) as game:
            game.ready()
            until(lambda: game.state()["metrics"]["steps"] >= 5 or game.process.poll() is not None)
            assert game.process.poll() is None, game.said()

    @pytest.mark.parametrize(
        ("env", "message"),
        [("OwnLeaves", "tried to end the program in its step"), ("OwnFour", "returns 4 values")],
    )
    def test_an_environment_that_fails_ends_with_its_sentence_last(
        self, tmp_path: Path, env: str, message: str
    ) -> None:
        with hosted_game(tmp_path, ["gym-game", "--env", f"{ODD}:{env}-v0"]) as game:
            assert game.ended() == 1
            assert message in game.said().strip().splitlines()[-1]

    def test_a_driver_without_windows_is_named(self, tmp_path: Path) -> None:
        words = ["gym-game", "--env", f"{ODD}:OwnNan-v0"]
        with hosted_game(tmp_path, words, env={"SDL_VIDEODRIVER": "dummy"}) as game:
            assert game.ended() == 1
            assert "SDL_VIDEODRIVER=dummy shows no windows. Start it without SDL_VIDEODRIVER." in game.said()
