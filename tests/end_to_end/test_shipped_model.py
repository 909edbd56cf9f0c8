"""The model that ships: it reads, it plays where nobody chose another, and one setting switches it off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.end_to_end.command import Ran, pitwall
from tests.patience import PATIENT

from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.settings import save_settings
from pitwall.models.shipped import NAME, SWITCH


def _asked(data: DataFolder, *words: str) -> Ran:
    """A command with the model brought back, without a screen."""
    assert SWITCH == "PITWALL_SHIPPED_MODEL"
    return pitwall(*words, data=data, PITWALL_SHIPPED_MODEL=None, DISPLAY=None, WAYLAND_DISPLAY=None)


def _played(data: DataFolder, *words: str) -> dict[str, Any]:
    ran = _asked(data, *words, "--json")
    assert ran.status == 0, ran.err
    text = ran.answer
    assert isinstance(text, dict)
    return text


def test_it_is_small_and_says_what_it_is() -> None:
    folder = resources_dir() / "models"
    assert 100_000 < (folder / f"{NAME}.gguf").stat().st_size < 10_000_000
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "## What it cannot do" in card and "Asked in the host" in card
    assert "was not finished" not in card


def test_it_plays_crafter_with_both_controllers(data: DataFolder) -> None:
    settings = PATIENT.with_value("control", "consult", "every-step")
    # the model drives; by what it has earned, a slow answer or a bad first try leaves the plans to the skills
    save_settings(data.settings, settings.with_value("control", "trust", "model"))
    text = _played(data, "demo", "--game", "crafter", "--seconds", "90", "--steps", "60")
    assert text["planner"] == "model"
    assert {tier["model"] for tier in text["tiers"].values()} == {NAME}
    asked = {name: tier["calls"] for name, tier in text["tiers"].items()}
    assert min(asked.get(name, 0) for name in ("fast", "strategic")) > 2, text
    assert (text["invalid_actions"], text["leak_pixels"], text["keys_down_at_end"]) == (0, 0, 0)
    calls = [
        json.loads(line)
        for file in text["export"]
        if file.endswith(".jsonl")
        for line in Path(file).read_text(encoding="utf-8").splitlines()
    ]
    assert any('{"skill":"' in json.dumps(call).replace("\\", "") for call in calls), "it names skills"


def test_switched_off_the_skills_plan(data: DataFolder) -> None:
    save_settings(data.settings, PATIENT.with_value("models", "shipped", False))
    text = _played(data, "demo", "--game", "flappy", "--seconds", "1")
    assert (text["planner"], text["model_calls"]) == ("skills", 0)


def test_it_reads_prompts_that_no_lesson_held(data: DataFolder) -> None:
    words = ("models", "evaluate-default", "--episodes", "0", "--reading", "16", "--pairs", "8")
    text = _played(data, *words)
    assert text["reading"]["all"]["share"] > 0.8
    assert all(item["share"] > 0.6 for item in text["memory_changed"].values())
