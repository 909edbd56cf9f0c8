"""`pitwall gsm`, as a person and as the lab run it: real data folders, a real host, a real training."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pitwall.cli.main import main
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Recipe
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.recipe_arguments import changed_recipe
from pitwall_lab.modules.screen_measurement import Figure, ScreenMeasurement, write_measured
from pitwall_lab.rewards.contract import PARAMETERS
from workshop.fixtures.processes import kill, wait_until_dead

Gsm = Callable[..., tuple[int, list[Any]]]
SHORT = ["--set", "steps=640", "--set", "evaluate_every=320", "--set", "evaluate_runs=2"]
QUICK = [*SHORT, "--set", "environments=4", "--set", "learn_from=64", "--set", "hidden=8"]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def folder(data: DataFolder) -> ModuleFolder:
    return ModuleFolder(data, Registry(data).load("flappy"), "fly")


@pytest.fixture
def gsm(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Gsm:
    """Runs `pitwall gsm … --json`; gives its status and every JSON line."""

    def run(*words: object) -> tuple[int, list[Any]]:
        arguments = ["pitwall", "gsm", *map(str, words), "--data", str(data.root), "--json"]
        monkeypatch.setattr(sys, "argv", arguments)
        status = main()
        return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_modules_are_listed_and_shown(gsm: Gsm) -> None:
    status, [modules] = gsm("list")
    assert status == 0
    fly = next(module for module in modules if (module["game"], module["module"]) == ("flappy", "fly"))
    assert fly["learns"]
    assert "rules" in fly["versions"]
    assert fly["drives"] in fly["versions"]
    status, [shown] = gsm("show", "flappy/fly")
    assert shown["versions"][0]["version"] == "rules"
    assert shown["promotions"] == []
    assert shown["measured"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "flappy"], "GAME/MODULE"),
        (["show", "flappi/fly"], "Did you mean 'flappy'?"),
        (["show", "flappy/flyy"], "Did you mean 'fly'?"),
        (["show", "flappy/fly", "ruls"], "Did you mean 'rules'?"),
        (["train", "flappy/fly", "--set", "step=5"], "Did you mean 'steps'?"),
        (["train", "flappy/fly", "--set", "steps=soon"], "recipe, steps"),
        (["train", "flappy/fly", "--measured"], "pitwall gsm measure flappy/fly"),
        (["train", "flappy/fly", "--reward", "/nowhere.py"], f"{Path('/nowhere.py')} cannot be read"),
        (["train", "flappy/fly", "--resume", "v9"], "no version 'v9'"),
        (["train", "shooting/shoot"], "learns nothing"),
        (["pause", "flappy/fly"], "no training"),
        (["promote", "flappy/fly", "v7"], "no version 'v7'"),
        (["rollback", "flappy/fly"], "nothing is promoted"),
        (["improve", "flappy/fly", "--by", "operator"], "--change FILE"),
        (["improve", "flappy/fly", "--by", "rules", "--change", "/x.json"], "--change is not for --by rules"),
        (["improve", "flappy/fly", "--by", "model"], "evolution tier"),
        (
            ["improve", "flappy/fly", "--by", "operator", "--change", "/nowhere.json"],
            str(Path("/nowhere.json")),
        ),
        (["evaluate", "flappy/fly", "--trial", "pips", "--on", "twin"], "Did you mean 'pipes'?"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(gsm: Gsm, words: list[str], said: str) -> None:
    status, [fault] = gsm(*words)
    assert status == 1
    assert said in f"{fault['what']} {fault['fix']}"


def test_a_reward_function_is_tried_before_it_is_trained_with(gsm: Gsm, tmp_path: Path) -> None:
    status, [own] = gsm("check-reward", "flappy/fly")
    assert (status, own["passed"], own["asked"]) == (0, True, 500)
    escape = tmp_path / "escape.py"
    head = ", ".join(PARAMETERS)
    escape.write_text(f"def reward({head}):\n    return open('/etc/passwd').read()\n", encoding="utf-8")
    status, [refused] = gsm("check-reward", "flappy/fly", escape)
    assert (status, refused["passed"], refused["line"]) == (0, False, 2)
    assert "open" in refused["sentence"]


def test_a_change_of_the_operators_is_tried_and_judged(
    gsm: Gsm, folder: ModuleFolder, tmp_path: Path
) -> None:
    rules = folder.declared.model_dump(include={"name", "ends", "rules"})
    rules["rules"] = [{"when": "low > 260", "action": "flap", "cooldown_ms": 60}]
    change = tmp_path / "change.json"
    change.write_text(json.dumps({"title": "one rule", "why": "less is more", "rules": rules}), "utf-8")
    words = ["--by", "operator", "--change", change, "--iterations", 1, "--runs", 12, "--from", "rules"]
    status, lines = gsm("improve", "flappy/fly", *words)
    assert status == 0, lines[-1]
    assert all({"progress", "of"} <= line.keys() for line in lines[:-1])
    [attempt] = lines[-1]["attempts"]
    assert (attempt["version"], attempt["standing"], attempt["by"]) == ("v1", "rolled back", "operator")
    assert lines[-1]["best"] == "rules"
    assert folder.about("v1").note == attempt["note"] != ""


def test_a_version_is_trained_judged_and_promoted_through_the_gate(gsm: Gsm, folder: ModuleFolder) -> None:
    status, lines = gsm("train", "flappy/fly", *QUICK, "--title", "short", "--seed", 3)
    assert status == 0
    assert all("progress" in line and line["progress"] <= line["of"] for line in lines[:-1])
    about = lines[-1]["about"]
    assert (about["version"], about["title"], about["seed"]) == ("v1", "short", 3)
    assert about["recipe"]["hidden"] == [8]
    assert lines[-1]["outcome"]["state"] == "finished"
    assert lines[-1]["outcome"]["learned"].startswith("640 decisions in ")
    _, [compared] = gsm("table", "flappy/fly", "--all")
    assert (compared["parameters"][-1], compared["versions"][-1]["parameters"]["hidden"]) == ("seed", [8])
    assert compared["versions"][-1]["outcome"] == lines[-1]["outcome"]

    status, [fault] = gsm("train", "flappy/fly", "--resume", "v1", "--set", "steps=1000")
    assert "takes no other changes" in fault["what"]
    status, runs = gsm("evaluate", "flappy/fly", "--version", "rules", "--on", "twin", "--runs", 12)
    assert [line["progress"] for line in runs[:-1]] == list(range(1, 13))
    answer = runs[-1]
    assert [run["score"] for run in answer["runs"]] == answer["score"]["values"]
    assert folder.about("rules").score("twin") is not None

    gsm("evaluate", "flappy/fly", "--version", "v1", "--on", "twin", "--runs", 12)
    status, [refused] = gsm("promote", "flappy/fly", "v1")
    assert (status, refused["error"]) == (1, "NotPromoted")
    assert "worse than what drives now" in refused["what"]
    status, [refused] = gsm("promote", "flappy/fly", "v1", "--force")
    assert "needs a reason" in refused["what"]
    status, [promoted] = gsm("promote", "flappy/fly", "v1", "--force", "--why", "to see it fly")
    assert (status, promoted["version"], promoted["forced"]) == (0, "v1", True)
    assert promoted["probe_ms"] > 0
    assert folder.driving() == "v1"
    assert "to see it fly" in folder.promoted().history[-1].why
    assert "against the gate" in folder.promoted().history[-1].why

    policy = folder.folder("v1") / "policy.onnx"
    policy.write_bytes(policy.read_bytes()[:-1])
    status, [refused] = gsm("promote", "flappy/fly", "v1", "--force", "--why", "again")
    assert "another SHA-256" in refused["what"]
    status, [back] = gsm("rollback", "flappy/fly", "--why", "it fell")
    assert back["version"] == "shipped" == folder.driving()


def test_a_detached_training_outlives_its_command_and_is_steered(gsm: Gsm, folder: ModuleFolder) -> None:
    long = [*QUICK[2:], "--set", "steps=50_000_000"]
    _, [answer] = gsm("train", "flappy/fly", *long, "--detach")
    try:
        log = folder.folder(answer["version"]) / "training.jsonl"
        _until(lambda: '"running"' in _text(log))
        status, [fault] = gsm("train", "flappy/fly", "--resume", answer["version"])
        assert status == 1
        assert str(answer["pid"]) in fault["what"]
        for command, state in (("pause", '"paused"'), ("resume", '"running"'), ("stop", '"stopped"')):
            before = _text(log).count(state)
            status, [asked] = gsm(command, "flappy/fly")
            assert (status, asked["version"]) == (0, answer["version"])
            _until(partial(_more_than, log, state, before))
        if sys.platform == "win32":
            assert wait_until_dead(answer["pid"], 60.0)
        else:
            assert os.waitpid(answer["pid"], 0)[1] == 0
    except BaseException:
        kill(answer["pid"])
        raise


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _more_than(file: Path, word: str, times: int) -> bool:
    return _text(file).count(word) > times


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60.0
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_recipe_is_changed_by_name_and_from_what_was_measured(gsm: Gsm, folder: ModuleFolder) -> None:
    recipe = Recipe(noise={"bird_y": 1.0})
    changed = changed_recipe(recipe, ["steps=50_000", "hidden=32,16", "noise.speed=0.5"], {"delay_ms": 4.0})
    assert changed == {
        "delay_ms": 4.0,
        "steps": 50_000,
        "hidden": [32, 16],
        "noise": {"bird_y": 1.0, "speed": 0.5},
    }
    with pytest.raises(PitwallError, match="gamma"):
        changed_recipe(recipe, ["gamma=1.5"])
    reaction = Figure(p50=2.5, p95=6.0, n=90)
    write_measured(
        folder.root,
        ScreenMeasurement(
            game_id="flappy",
            module="fly",
            version="rules",
            seed=1,
            seconds=30.0,
            frames=900,
            dropped=0.0,
            reaction_ms=reaction,
            frame_ms=Figure(),
        ),
    )
    _, lines = gsm("train", "flappy/fly", *QUICK, "--measured", "--set", "jitter_ms=1")
    trained = lines[-1]["about"]["recipe"]
    assert (trained["delay_ms"], trained["jitter_ms"]) == (2.5, 1.0)
