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
    said = ran.answer
    assert isinstance(said, dict)
    return said


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
    said = _played(data, "demo", "--game", "crafter", "--seconds", "90", "--steps", "60")
    assert said["planner"] == "model"
    assert {tier["model"] for tier in said["tiers"].values()} == {NAME}
    asked = {name: tier["calls"] for name, tier in said["tiers"].items()}
    assert min(asked.get(name, 0) for name in ("fast", "strategic")) > 2, said
    assert (said["invalid_actions"], said["leak_pixels"], said["keys_down_at_end"]) == (0, 0, 0)
    calls = [
        json.loads(line)
        for file in said["export"]
        if file.endswith(".jsonl")
        for line in Path(file).read_text(encoding="utf-8").splitlines()
    ]
    assert any('{"skill":"' in json.dumps(one).replace("\\", "") for one in calls), "it names skills"


def test_switched_off_the_skills_plan(data: DataFolder) -> None:
    save_settings(data.settings, PATIENT.with_value("models", "shipped", False))
    said = _played(data, "demo", "--game", "flappy", "--seconds", "1")
    assert (said["planner"], said["model_calls"]) == ("skills", 0)


def test_it_reads_prompts_that_no_lesson_held(data: DataFolder) -> None:
    words = ("models", "evaluate-default", "--episodes", "0", "--reading", "16", "--pairs", "8")
    said = _played(data, *words)
    assert said["reading"]["all"]["share"] > 0.8
    assert all(one["share"] > 0.6 for one in said["memory_changed"].values())
