"""`pitwall models` and `pitwall doctor` with the model that ships with Pitwall."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pitwall.cli.doctor import _thinker
from pitwall.cli.main import main
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.desktops.contract import Finding
from pitwall.models import shipped
from workshop.fixtures.tiny_models import tiny_text_model

Models = Callable[..., str]
_BOTH = {"fast": shipped.NAME, "strategic": shipped.NAME}
pytestmark = pytest.mark.usefixtures("resources")


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def models(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Models:
    """Runs `pitwall models …`; gives what it said, where it failed what it complained of."""

    def run(*words: str, status: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["pitwall", "models", *words, "--data", str(data.root)])
        assert main() == status
        printed = capsys.readouterr()
        return printed.out or printed.err

    return run


def _json(result: str) -> Any:
    return json.loads(result.splitlines()[-1])


@pytest.mark.usefixtures("llama")
def test_it_is_listed_with_the_tiers_that_it_stands_in_for(models: Models) -> None:
    assert "shipped; fast, strategic where none is chosen" in models("list")
    listed = _json(models("list", "--json"))
    assert listed["stands_in"] == _BOTH
    assert listed["tiers"]["strategic"] == "", "nobody chose it"
    (row,) = listed["models"]
    assert (row["shipped"], row["tiers"], row["stands_in"]) == (True, [], ["fast", "strategic"])
    assert row["need"]["slots"] == 2


def test_it_is_shown_with_its_card(models: Models) -> None:
    assert "card: none (" in models("show", shipped.NAME)
    assert _json(models("show", shipped.NAME, "--json"))["card"] is None
    shipped.card_file().write_text("# A card", encoding="utf-8")
    result = models("show", shipped.NAME)
    assert f"It ships with Pitwall. {shipped.WHAT_IT_IS}" in result
    assert f"card: {shipped.card_file()}" in result
    shown = _json(models("show", shipped.NAME, "--json"))
    assert (shown["shipped"], shown["card"]) == (True, str(shipped.card_file()))


def test_another_model_is_not_shipped(models: Models, tmp_path: Path) -> None:
    models("add", str(tiny_text_model(tmp_path / "tiny.gguf", seed=3)))
    shown = _json(models("show", "tiny", "--json"))
    assert (shown["shipped"], shown["card"], shown["stands_in"]) == (False, None, [])


@pytest.mark.usefixtures("llama")
def test_it_stands_in_where_a_choice_ends(models: Models, tmp_path: Path) -> None:
    models("add", str(tiny_text_model(tmp_path / "tiny.gguf", seed=3)))
    result = models("use", "tiny", "--tier", "strategic")
    assert ("strategic  tiny" in result, "fast       none" in result) == (True, True)
    assert shipped.NAME not in result, "who chose a planner chose who grounds"
    result = models("use", "none", "--tier", "strategic")
    assert f"strategic  none chosen: {shipped.NAME} (shipped) thinks" in result
    models("use", "tiny", "--tier", "fast")
    answer = _json(models("use", "none", "--tier", "strategic", "--json"))
    assert answer["stands_in"] == {"strategic": shipped.NAME}
    assert f"The fast tier has none chosen now: {shipped.NAME} (shipped) thinks." in models("remove", "tiny")


@pytest.mark.parametrize("more", [(), ("--delete-file",)])
def test_it_stays(models: Models, more: tuple[str, ...]) -> None:
    answer = models("remove", shipped.NAME, *more, status=1)
    assert "ships with Pitwall and stays" in answer
    assert "pitwall settings set models.shipped false" in answer
    assert _json(models("remove", shipped.NAME, *more, "--json", status=1))["error"] == "ModelTaken"
    assert shipped.shipped_file().is_file()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (("models", "shipped", False), Finding("planner", True, "the skill planner: no model is chosen")),
        (
            ("control", "planner", "skills"),
            Finding("planner", True, "the skill planner, as the settings choose"),
        ),
        (
            ("models", "strategic", shipped.NAME),
            Finding("planner", True, f"{shipped.NAME}, as the settings choose"),
        ),
    ],
)
def test_the_doctor_says_who_plans(data: DataFolder, changes: tuple[Any, ...], expected: Finding) -> None:
    save_settings(data.settings, Settings().with_value(*changes))
    assert _thinker(data) == expected


@pytest.mark.usefixtures("llama")
def test_the_doctor_says_that_the_shipped_model_plans(data: DataFolder) -> None:
    text = f"{shipped.NAME}, which ships with Pitwall: no other model is chosen"
    assert _thinker(data) == Finding("planner", True, text)


def test_the_doctor_finds_a_chosen_model_that_is_gone(data: DataFolder) -> None:
    save_settings(data.settings, Settings().with_value("models", "strategic", "vanished"))
    thinker = _thinker(data)
    assert not thinker.passed
    assert "vanished" in thinker.text
