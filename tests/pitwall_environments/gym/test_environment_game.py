"""A Gymnasium environment as a game: keys, clock, truth and end of it, in a real window with real keys."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from tests.pitwall_environments.gym.odd_environments import FAULTS
from tests.pitwall_evaluation.hosted_game import HostedGame, hosted_game, until

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.desktops.window_search import find_window
from pitwall.games.plugin_loader import load_reader
from pitwall.games.registry import Registry
from pitwall.games.schema.fields import PythonField
from pitwall.link.game_control import AskStatus, Hold, Release, Reset
from pitwall_environments.gym.environment import EnvironmentFault, ids_of, open_environment
from pitwall_environments.gym.episodes import Episodes
from pitwall_environments.gym.keyboard import KeyAction, UnsuitableEnvironment, keyboard_of
from pitwall_environments.gym.profile import add_environment, game_id_of_env
from pitwall_environments.gym.twin import EnvironmentTwin
from pitwall_evaluation.published_scores import published
from pitwall_lab.environments.twin_environment import Disturbance, TwinEnvironment, trial_spec

KNOWN = sorted(folder.name for folder in (resources_dir() / "gym").glob("gym-*"))
ODD = "tests.pitwall_environments.gym.odd_environments"


def _press(game: HostedGame, key: str) -> None:
    """Press a key as a person would, into the game's window."""
    until(lambda: find_window(pid=game.process.pid) is not None)
    window = find_window(pid=game.process.pid)
    assert window is not None
    focus = ["timeout", "60", "xdotool", "windowactivate", "--sync", str(window.native_id)]
    subprocess.run(focus, check=True)
    subprocess.run(["xdotool", "keydown", key, "sleep", "0.1", "keyup", key], check=True)


def _step(game: HostedGame, key: str) -> None:
    """Press a key in a world by turns, and wait until its step was made."""
    made = game.state()["metrics"]["steps"] + 1
    _press(game, key)
    until(lambda: game.state()["metrics"]["steps"] == made)


class TestKeyboard:
    """Keys of action spaces."""

    def test_an_atari_game_has_its_own_mapping(self) -> None:
        keyboard = keyboard_of(open_environment("ALE/Pong-v5"))
        assert KeyAction("right_fire", ("Space", "d")) in keyboard.actions
        assert keyboard.value(frozenset({"d", "Space", "x"})) == 4  # the longest combination that is held
        assert keyboard.value(frozenset()) == keyboard.idle == 0

    def test_named_actions_get_the_keys_that_they_ask_for(self) -> None:
        keyboard = keyboard_of(open_environment("MiniGrid-DoorKey-5x5-v0"))
        keys = {action.name: action.keys for action in keyboard.actions}
        assert keys["left"] == ("ArrowLeft",) and keys["toggle"] == ("Space",)
        assert keyboard.idle is None  # by turns

    def test_numbers_and_switches_are_played_together(self) -> None:
        env = gymnasium.Env[object, object]()
        env.action_space = spaces.Box(-2, 2, (2,), np.float32)
        keyboard = keyboard_of(env)
        assert keyboard.value(frozenset({"ArrowLeft", "ArrowUp"})).tolist() == [-2, 2]
        assert keyboard.value(frozenset()).tolist() == [0, 0]
        env.action_space = spaces.MultiBinary(3)
        assert keyboard_of(env).value(frozenset({"1", "3"})).tolist() == [1, 0, 1]

    def test_old_key_codes_are_understood(self) -> None:
        keyboard = keyboard_of(open_environment("MountainCar-v0"))
        assert keyboard.value(frozenset({"ArrowRight"})) == 2
        assert keyboard.value(frozenset()) == keyboard.idle == 1

    def test_what_keys_cannot_play_is_refused_in_words(self) -> None:
        env = gymnasium.Env[object, object]()
        env.action_space = spaces.Box(-1, 1, (40,), np.float32)
        with pytest.raises(UnsuitableEnvironment, match="need 80 keys"):
            keyboard_of(env)


class TestAdding:
    """Game folders of environments."""

    def test_ids(self) -> None:
        assert game_id_of_env("ALE/MsPacman-v5") == "gym-ale-ms-pacman"
        assert game_id_of_env("MiniGrid-Empty-5x5-v0") == "gym-mini-grid-empty-5x5"

    def test_all_of_atari_is_there(self) -> None:
        ids = ids_of("ALE")
        assert len(ids) >= 104
        assert sum(published(item) is not None for item in ids) >= 55

    def test_a_game_is_complete_trusted_and_has_human_tasks(self, tmp_path: Path) -> None:
        data = DataFolder(tmp_path)
        add_environment(data, "ALE/Breakout-v5")
        game = Registry(data).load("gym-ale-breakout")
        assert game.trusted
        tasks = {task.id: task for task in game.profile.tasks}
        assert tasks["human"].start == pytest.approx(1.7) and tasks["human"].target == pytest.approx(30.5)

    @pytest.mark.parametrize("known", KNOWN)
    def test_a_known_game_reads_its_picture_and_has_rules_to_play_by(
        self, tmp_path: Path, known: str
    ) -> None:
        env_id = next(item for item in ids_of("ALE") if game_id_of_env(item) == known)
        data = DataFolder(tmp_path)
        add_environment(data, env_id)
        game = Registry(data).load(known)
        module = next(element for element in game.profile.modules if element.rules)
        declared = {field.name for field in game.profile.fields if isinstance(field, PythonField)}
        played, reader, read = Episodes(open_environment(env_id), env_id, known, 1), load_reader(game), set()
        for frame in range(240):
            played.step(frozenset({"Space"}))
            if frame % 12:
                continue
            shown = np.repeat(np.repeat(played.picture[..., ::-1], 3, axis=0), 3, axis=1)
            given = reader.read(np.dstack([shown, np.zeros(shown.shape[:2], np.uint8)]))
            read |= {name for name, value in given.items() if value is not None}
        assert read <= declared and len(read) > len(declared) // 2
        assert {skill.module for skill in game.profile.skills} == {module.name}

    @pytest.mark.parametrize("env_id", ["MiniGrid-DoorKey-5x5-v0", "BabyAI-GoToRedBall-v0"])
    def test_a_world_of_tiles_is_solved_by_what_is_seen_of_it(self, tmp_path: Path, env_id: str) -> None:
        add_environment(DataFolder(tmp_path), env_id)
        game = Registry(DataFolder(tmp_path)).load(game_id_of_env(env_id))
        played, reader = Episodes(open_environment(env_id), env_id, game.game_id, 3), load_reader(game)
        keys = {action.name: action.keys for action in played.keyboard.actions}
        for _ in range(60):
            shown = np.pad(played.picture[..., ::-1], ((0, 34), (0, 0), (0, 1)))
            if not played.over:
                played.step(frozenset(keys[str(reader.read(shown)["next_move"])]))
        assert played.solved

    def test_a_mission_is_the_instruction_where_it_is_one(self, tmp_path: Path) -> None:
        data = DataFolder(tmp_path)
        add_environment(data, "MiniGrid-DoorKey-5x5-v0")
        add_environment(data, "BabyAI-GoToObj-v0")
        item, many = (
            Registry(data).load(game).profile.tasks[0].instruction
            for game in ("gym-mini-grid-door-key-5x5", "gym-baby-ai-go-to-obj")
        )
        assert item == "Use the key to open the door and then get to the goal."
        assert many.startswith("Do what is written under the picture")

    def test_a_game_that_is_there_is_not_replaced_unasked(self, tmp_path: Path) -> None:
        add_environment(DataFolder(tmp_path), "CartPole-v1")
        with pytest.raises(PitwallError, match="is there already"):
            add_environment(DataFolder(tmp_path), "CartPole-v1")
        add_environment(DataFolder(tmp_path), "CartPole-v1", replace=True)

    @pytest.mark.parametrize(
        ("env_id", "told"),
        [
            ("ALE/Pogn-v5", "Did you mean ALE/Pong-v5"),
            ("no_such_package:Some-v0", "installer/extra gym"),
            (f"{ODD}:CorridorReset-v0", "failed in its reset: RuntimeError: no world today"),
            (f"{ODD}:CorridorDark-v0", "it renders nothing"),
            (f"{ODD}:CorridorContinuous-v0", "need 80 keys"),
        ],
    )
    def test_what_is_wrong_is_a_sentence(self, tmp_path: Path, env_id: str, told: str) -> None:
        with pytest.raises((EnvironmentFault, UnsuitableEnvironment), match=told):
            add_environment(DataFolder(tmp_path), env_id)
        assert not list(tmp_path.glob("games/*"))


def test_an_atari_window_makes_the_registered_environments_frames() -> None:
    played = Episodes(open_environment("ALE/Seaquest-v5"), "ALE/Seaquest-v5", "g", seed=5)
    registered = gymnasium.make("ALE/Seaquest-v5")
    registered.reset(seed=5)
    chance = np.random.default_rng(0)
    for _ in range(100):
        action = played.keyboard.actions[int(chance.integers(len(played.keyboard.actions)))]
        for _ in range(played.held_frames):
            played.step(frozenset(action.keys))
        registered.step(played.keyboard.value(frozenset(action.keys)))
        memories = [item.unwrapped.ale.getRAM() for item in (played.env, registered)]  # type: ignore[attr-defined]
        assert (memories[0] == memories[1]).all()


class TestTwin:
    """An environment as its own headless twin."""

    def test_the_games_own_file_makes_it_and_a_policy_sees_what_the_window_shows(
        self, tmp_path: Path
    ) -> None:
        data = DataFolder(tmp_path)
        add_environment(data, f"{ODD}:Corridor-v0")
        game = Registry(data).load("gym-corridor")
        (module,) = game.profile.modules
        assert module.learned is not None and module.learned.actions == ["action_0", "action_1"]
        order = trial_spec(
            game, module, module.learned, module.learned.actions, module.trials[0], Disturbance()
        )
        with closing(TwinEnvironment(order)) as twin:
            begun = twin.begin(seed=3)
            assert begun.picture is not None and begun.picture.shape == (84, 84)
            shown = twin.render()
            screen = game.profile.screen
            assert shown is not None and shown.shape[1] / shown.shape[0] == pytest.approx(
                screen.width / screen.height, rel=0.05
            )
            moments = [twin.step(1) for _ in range(3)]
            assert [moment.values["score"] for moment in moments] == [0.0, 0.0, 1.0]
            assert [item.terminal for item in moments] == [False, False, True]

    def test_what_two_decisions_press_is_held_together(self) -> None:
        held = [(("d",), 130.0), (("Space",), 60.0), ((), 0.0)]
        twin = EnvironmentTwin("ALE/Pong-v5", held, step_ms=66.7, render=False)
        bare = Episodes(open_environment("ALE/Pong-v5"), "ALE/Pong-v5", "g", seed=9, draws=False)
        twin.reset(seed=9)
        for decided, keys in ((0, "d"), (1, "d Space"), (2, ""), (0, "d"), (2, "d"), (2, "")):
            twin.step(decided)
            for _ in range(bare.held_frames):
                bare.step(frozenset(keys.split()))
            memories = [item.unwrapped.ale.getRAM() for item in (twin.played.env, bare.env)]  # type: ignore[attr-defined]
            assert (memories[0] == memories[1]).all()


@pytest.mark.usefixtures("screen")
class TestPlaying:
    """The window."""

    def test_keys_are_steps_and_the_truth_tells_the_reward(self, tmp_path: Path) -> None:
        with hosted_game(tmp_path, ["gym-game", "--env", f"{ODD}:Corridor-v0"]) as game:
            game.ready()
            for _ in range(3):
                _step(game, "2")
            until(lambda: game.state()["terminal"]["isTerminal"])
            state = game.state()
            assert state["game_state"]["score"] == 1 and state["game_state"]["mission"] == "walk to the end"
            _press(game, "Return")
            until(lambda: not game.state()["terminal"]["isTerminal"])
            assert game.state()["metrics"]["episodes"] == 1

    def test_it_is_held_run_for_a_while_and_begun_anew(self, tmp_path: Path) -> None:
        with hosted_game(tmp_path, ["gym-game", "--env", "ALE/Freeway-v5", "--seed", "3"]) as game:
            game.ready()
            assert game.ask(Hold()).paused
            before = game.ask(AskStatus()).game_ms
            assert game.ask(AskStatus()).game_ms == before is not None
            game.ask(Release(ms=500))
            until(lambda: game.ask(AskStatus()).paused)
            after = game.ask(AskStatus()).game_ms
            assert after is not None and before is not None and after - before == pytest.approx(500, abs=17)
            game.ask(Reset(seed=9))
            until(lambda: game.state()["seed"] == 9)

    @pytest.mark.parametrize("fault", ["step", "grows", "prints"])
    def test_a_fault_in_mid_play(self, tmp_path: Path, fault: str) -> None:
        env_id = f"{ODD}:Corridor{fault.capitalize()}-v0"
        assert fault in FAULTS
        with hosted_game(tmp_path, ["gym-game", "--env", env_id]) as game:
            game.ready()
            _press(game, "2")
            if fault == "step":
                assert game.ended() == 1
                assert "failed in its step: ValueError: the wheel came off" in game.said()
            else:  # shown and told all the same
                until(lambda: game.state()["metrics"]["steps"] == 1)
