"""`pitwall gsm invent` and `remove`, as a person runs them: real files, a real data folder, a real host."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pitwall.cli.main import main
from pitwall.core.paths import DataFolder, bundled_games_dir
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.games.invented_modules import INVENTED
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.tiny_models import tiny_text_model

Gsm = Callable[..., tuple[int, list[Any]]]
HOVER = {
    "name": "hover",
    "description": "Hold the middle",
    "ends": "status != 'playing'",
    "rules": [{"when": "low > 260", "action": "flap", "cooldown_ms": 60}],
    "why": "nothing holds it",
}


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def on(data: DataFolder) -> None:
    save_settings(data.settings, Settings().with_value("gsm", "invent_modules", True))


@pytest.fixture
def gsm(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Gsm:
    """Runs `pitwall gsm … --json`; gives its status and every JSON line."""

    def run(*words: object) -> tuple[int, list[Any]]:
        arguments = ["pitwall", "gsm", *map(str, words), "--data", str(data.root), "--json"]
        monkeypatch.setattr(sys, "argv", arguments)
        status = main()
        return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


@pytest.fixture
def hover(tmp_path: Path) -> Path:
    file = tmp_path / "hover.json"
    file.write_text(json.dumps(HOVER), encoding="utf-8")
    return file


def _listed(gsm: Gsm) -> dict[str, Any]:
    _, [modules] = gsm("list", "--game", "flappy")
    return {module["module"]: module for module in modules}


def _fault(answer: tuple[int, list[Any]]) -> str:
    status, [fault] = answer
    assert status == 1
    return f"{fault['what']} {fault['fix']}"


def test_switched_off_nothing_is_taken_in(gsm: Gsm, hover: Path, data: DataFolder) -> None:
    text = _fault(gsm("invent", "flappy", "--by", "operator", "--module", hover))
    assert "switched off" in text and "pitwall settings set gsm.invent_modules true" in text
    assert not data.modules.exists()


@pytest.mark.usefixtures("on")
def test_one_is_taken_in_listed_judged_and_taken_out(gsm: Gsm, hover: Path, data: DataFolder) -> None:
    status, [answer] = gsm("invent", "flappy", "--by", "operator", "--module", hover)
    assert (status, answer["module"], answer["invention"]["by"]) == (0, "hover", "operator")
    listed = _listed(gsm)
    assert listed["fly"]["invented"] is None
    assert (listed["hover"]["drives"], listed["hover"]["learns"]) == ("rules", False)
    assert (listed["hover"]["invented"]["author"], listed["hover"]["invented"]["in_force"]) == (
        "the operator",
        True,
    )
    status, lines = gsm("evaluate", "flappy/hover", "--on", "twin", "--runs", 5)
    assert status == 0 and lines[-1]["score"]["trial"] == "pipes"
    status, [analysed] = gsm("analyse", "flappy/hover", "--play")
    assert status == 0 and "flap" in analysed["text"]
    words = ["--by", "operator", "--change", _change(hover), "--iterations", 1, "--runs", 5]
    status, lines = gsm("improve", "flappy/hover", *words)
    assert status == 0 and lines[-1]["attempts"][0]["version"] == "v1"
    assert "learns nothing" in _fault(gsm("train", "flappy/hover"))

    save_settings(data.settings, Settings())
    resting = _listed(gsm)["hover"]
    assert (resting["drives"], resting["invented"]["at_rest"]) == ("", "invented modules are switched off")
    assert "at rest" in _fault(gsm("evaluate", "flappy/hover", "--on", "twin"))
    status, [shown] = gsm("show", "flappy/hover")
    assert shown["invented"]["why"] == "nothing holds it"
    assert [item["version"] for item in shown["versions"]] == ["rules", "v1"]

    status, [gone] = gsm("remove", "flappy/hover")
    assert (status, gone["removed"]) == (0, True)
    assert {"v1", INVENTED} <= {path.name for path in Path(gone["kept_in"]).iterdir()}
    assert set(_listed(gsm)) == {"fly"}
    assert "declared by its game" in _fault(gsm("remove", "flappy/fly"))
    assert not list(bundled_games_dir().rglob(INVENTED))


def _change(hover: Path) -> Path:
    rules = {"name": "hover", "ends": HOVER["ends"], "rules": [{"when": "low > 240", "action": "flap"}]}
    file = hover.with_name("change.json")
    file.write_text(json.dumps({"title": "higher", "rules": rules}), encoding="utf-8")
    return file


@pytest.mark.usefixtures("on")
def test_a_text_without_an_end_and_wrong_words_are_refused(gsm: Gsm, hover: Path, data: DataFolder) -> None:
    hover.write_text('{"name": "' + "a" * 1_000_000, encoding="utf-8")
    assert "hover.json is too big" in _fault(gsm("invent", "flappy", "--by", "operator", "--module", hover))
    hover.write_bytes(b"\xff\xfe\x00")
    assert "it is not UTF-8" in _fault(gsm("invent", "flappy", "--by", "operator", "--module", hover))
    nowhere = Path("/nowhere.json")
    assert str(nowhere) in _fault(gsm("invent", "flappy", "--by", "operator", "--module", nowhere))
    assert "--module FILE.json" in _fault(gsm("invent", "flappy", "--by", "operator"))
    assert "not for --by model" in _fault(gsm("invent", "flappy", "--by", "model", "--module", hover))
    assert "evolution tier" in _fault(gsm("invent", "flappy", "--by", "model"))
    assert not data.modules.exists()


@pytest.mark.usefixtures("on", "llama")
def test_a_model_proposes_and_its_prompt_is_kept(gsm: Gsm, data: DataFolder, tmp_path: Path) -> None:
    model = tiny_text_model(tmp_path / "tiny.gguf", context=8192)
    ModelRegistry(data).add_file(model, context=8192, threads=1)
    save_settings(data.settings, load_settings(data.settings).with_value("models", "evolution", "tiny"))
    status, [answer] = gsm("invent", "flappy", "--by", "model")
    assert status == 0
    _, [shown] = gsm("show", f"flappy/{answer['module']}")
    assert (shown["invented"]["author"], shown["invented"]["in_force"]) == ("the model tiny", True)
    assert "The routines that there are" in shown["prompt"]
