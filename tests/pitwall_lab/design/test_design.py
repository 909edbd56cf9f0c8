"""A module is designed from recorded play and a task in words; an edited design is checked first."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_lab.cloning.made_play import PROFILE
from tests.pitwall_lab.design.recorded_play import record_play

from pitwall.cli.main import main
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import with_watched
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.design.document import (
    DESIGN,
    check_design,
    design_file,
    designed_reward,
    read_design,
    save_design,
)
from pitwall_lab.design.search import search_design
from pitwall_lab.live.module import begin, learning_module

_GAME = Game(profile=PROFILE, folder=Path("/nowhere"), profile_hash="0" * 64, trusted=True, source="user")
_TASK = "raise the score, avoid a hit target"


def test_the_search_takes_what_tells_the_keys_and_drops_what_does_nothing(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    record_play(data, "bat", ("left", "right", "fire"), ("bat", "ball"))
    made = search_design(data, _GAME, _TASK, "designed")
    assert made.kind == "fields"
    assert {"bat", "ball"} <= {entry.field for entry in made.state}
    assert "score" not in {entry.field for entry in made.state}, "a number that counts is no place"
    assert made.actions == ["", "left", "right"]
    assert "fire" in made.reasons["actions"]
    assert '"score": 1.0' in made.reward.replace("'", '"')
    states = [entry for entry in made.weighed if entry.part == "state"]
    assert len(states) > 1 and sum(entry.chosen for entry in states) == 1
    chosen = next(entry for entry in states if entry.chosen)
    assert chosen.figure is not None and chosen.figure > 0.2, "left and right are told by the bat's change"
    check_design(made, _GAME, DESIGN)


def test_an_edited_design_is_taken_and_a_wrong_one_says_what_and_where(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    record_play(data, "bat", ("left", "right", "fire"), ("bat", "ball"))
    made = search_design(data, _GAME, _TASK, "designed")
    file = save_design(data, made)
    assert file == design_file(data, "bat", "designed")
    told = with_watched(_GAME, data).profile
    assert [module.name for module in told.modules] == ["designed"]
    assert told.skills == PROFILE.skills, "nothing starts it before a version is promoted"
    assert read_design(file, _GAME) == made
    edited = json.loads(file.read_text(encoding="utf-8"))
    edited["state"][0]["field"] = "paddle"
    file.write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(
        PitwallError, match=r"design.json: state\[0\]: .*'paddle'; expected one of .*bat"
    ) as fault:
        read_design(file, _GAME)
    assert "Name another field" in fault.value.fix
    edited["state"][0]["field"] = "bat"
    edited["decide_every_ms"] = -5
    file.write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(PitwallError, match=r"design\.json: decide_every_ms: "):
        read_design(file, _GAME)
    edited["decide_every_ms"] = 0
    edited["reward"] = "import os"
    file.write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(PitwallError, match=r"design\.json: reward: "):
        read_design(file, _GAME)


def test_the_command_designs_shows_and_begins_a_version_with_the_reward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = DataFolder(tmp_path / "data")
    record_play(data, "flappy", ("flap", "wait", "wait"), ("bird_y", "gap_left"))

    def gsm(*words: str) -> tuple[int, dict[str, Any]]:
        arguments = ["pitwall", "gsm", "design", "flappy", *words, "--data", str(data.root), "--json"]
        monkeypatch.setattr(sys, "argv", arguments)
        status = main()
        return status, json.loads(capsys.readouterr().out.splitlines()[-1])

    status, answer = gsm("--task", "pass many pipes: score")
    assert status == 0, answer
    assert answer["design"]["task"] == "pass many pipes: score"
    file = Path(answer["file"])
    status, shown = gsm()
    assert (status, shown["design"]) == (0, answer["design"])
    text = file.read_text(encoding="utf-8").replace("END = -1.0", "END = -2.0")
    file.write_text(text, encoding="utf-8")
    status, taken = gsm("--file", str(file))
    assert (status, taken["design"]["by"]) == (0, "operator")
    status, fault = gsm("--task", "x", "--name", "fly")
    assert status == 1 and "fly" in fault["what"] and "--name" in fault["fix"]
    module = learning_module(data, Registry(data).load("flappy"), "designed")
    about = begin(module, designed_reward(module))
    assert "END = -2.0" in (module.folder(about.version) / "reward.py").read_text(encoding="utf-8")
    assert ModuleFolder(data, Registry(data).load("flappy"), "designed").driving() == ""
