"""A folder of GameWorld's shape becomes games with actions, rules and verifiable tasks, by one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pitwall_environments.browser.imported.made_up_checkout import GAME, TASK, made_up_checkout

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry
from pitwall_environments.cli.add_gameworld import add_gameworld


def test_pages_and_task_files_become_a_trusted_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout, data = made_up_checkout(tmp_path / "checkout"), DataFolder(tmp_path / "data")
    add_gameworld(checkout, width=640, height=480, data=data.root, json=True)
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["added"] == {"90-coin-taps": 2}
    game_id = "gameworld-90-coin-taps"
    notes = "\n".join(said["notes"])
    for part in (
        "broken.yaml cannot be read",
        "92_lost.yaml",
        "action 'draw' is left out",
        "task unclear has no",
    ):
        assert part in notes, notes
    game = Registry(data).load(game_id)
    profile = game.profile
    assert game.trusted and (profile.game.genre, profile.game.level) == ("arcade", 1)
    assert (profile.screen.width, profile.controls.mouse) == (640, False)
    actions = {action.name: action for action in profile.actions}
    assert set(actions) == {"wait", "tap", "move_right", "both"}
    assert actions["move_right"].hold_ms == actions["move_right"].duration_ms == 400
    assert Vocabulary(profile, "").parse("both").name == "both"
    tasks = {task.id: task for task in profile.tasks}
    three, many = tasks["three_coins"], tasks["task_02_many"]
    assert (three.score, three.target, three.steps) == ("metrics.coins_collected", 3.0, 20)
    assert three.instruction == "Collect 3 coins in this level."
    assert many.score == ["metrics.coins_collected", "metrics.bonus"] and not many.continue_on_fail
    scenario = next(scenario for scenario in profile.scenarios if scenario.name == many.scenario)
    assert scenario.arguments == ["level=2"]
    assert "Each tap is a coin." in (game.folder / "rules.md").read_text(encoding="utf-8")
    with pytest.raises(PitwallError, match=r"no game was added.*is there already"):
        add_gameworld(checkout, width=640, height=480, data=data.root)


def test_a_folder_of_another_shape_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(PitwallError, match="is no folder"):
        add_gameworld(tmp_path / "nowhere", data=tmp_path / "data")
    (tmp_path / "empty").mkdir()
    with pytest.raises(PitwallError, match="holds no game of GameWorld's shape"):
        add_gameworld(tmp_path / "empty", data=tmp_path / "data")


def test_task_files_of_one_name_are_tasks_of_their_own(tmp_path: Path) -> None:
    checkout, data = made_up_checkout(tmp_path / "checkout"), DataFolder(tmp_path / "data")
    for folder, coins in (("easy", 4), ("hard", 9)):
        file = checkout / "registry" / "tasks" / "90_coin-taps" / folder / "three_coins.yaml"
        file.parent.mkdir()
        file.write_text(TASK.replace("score: 3", f"score: {coins}"), encoding="utf-8")
    add_gameworld(checkout, width=640, height=480, data=data.root)
    tasks = {task.id: task.target for task in Registry(data).load("gameworld-90-coin-taps").profile.tasks}
    assert tasks == {"three_coins": 3, "easy_three_coins": 4, "hard_three_coins": 9, "task_02_many": 6}


def test_no_action_presses_a_key_that_the_game_does_not_allow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout, data = made_up_checkout(tmp_path / "checkout"), DataFolder(tmp_path / "data")
    file = checkout / "registry" / "games" / "90_coin-taps.yaml"
    text = GAME.replace("[Space, ArrowRight]", "[Space]")
    controls = text[text.index("allowed_keys") :].replace("\n", "\n    ")
    for game in (text, f"{text[: text.index('allowed_keys')]}roles:\n  - role_id: tapper\n    {controls}"):
        file.write_text(game, encoding="utf-8")
        add_gameworld(checkout, width=640, height=480, replace=True, data=data.root, json=True)
        notes = json.loads(capsys.readouterr().out.splitlines()[-1])["notes"]
        assert any("'move_right' is left out: allowed_keys has no ArrowRight" in note for note in notes)
        profile = Registry(data).load("gameworld-90-coin-taps").profile
        assert {action.name for action in profile.actions} == {"wait", "tap"}
        assert list(profile.controls.keys) == ["Space"]
