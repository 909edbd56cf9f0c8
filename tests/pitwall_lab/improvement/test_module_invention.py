"""A model invents a module: what it is told, a good reply, hostile ones, and what a real host writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.calls import Purpose
from pitwall.core.paths import DataFolder
from pitwall.core.settings import ModelSettings, Settings
from pitwall.games.invented_modules import check_proposal
from pitwall.games.registry import Registry
from pitwall.games.schema.invention import InventionRefused
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.registry import ModelRegistry
from pitwall_lab.improvement.changes import NoProposal
from pitwall_lab.improvement.module_invention import invent_by_model, prompt_of, proposal_of
from pitwall_lab.modules.inventing import invent
from pitwall_lab.trials.twin_trials import twin_trial
from workshop.fixtures.tiny_models import tiny_text_model

ON = Settings().with_value("gsm", "invent_modules", True)
GOOD: dict[str, Any] = {
    "name": "hover",
    "description": "Hold the middle",
    "why": "nothing holds it",
    "ends": "status != 'playing'",
    "rules": [{"when": "low > 260 or low == none", "action": "flap", "cooldown_ms": 60}],
}


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_a_model_is_told_what_there_is_and_why_it_was_refused(data: DataFolder) -> None:
    game = Registry(data).load("flappy")
    prompt = prompt_of(game, ("modules.hover.ends: it looks at no field.",))
    text = "".join(message.text for message in prompt.messages)
    for output in (
        "- low (px)",
        "- flap",
        "- fly: Flap when",
        "status: 'playing'",
        "looks at no field",
        '"rules":[',
    ):
        assert output in text
    assert len(prompt_of(game, most=0).messages[1].text) < len(prompt.messages[1].text)
    assert Purpose.INVENT_MODULE.tier.value == "evolution"


def test_a_good_reply_is_taken_in_and_judged_in_its_judges_twin(data: DataFolder) -> None:
    reply = f"<think>hm</think>```json\n{json.dumps(GOOD)}\n```"
    game = Registry(data, ON).load("flappy")
    invent(data, game, proposal_of(reply), ON, by="model", model="tiny", prompt="p")
    game = Registry(data, ON).load("flappy")
    score = twin_trial(ModuleFolder(data, game, "hover"), "rules", runs=5, cap=3)
    assert (score.trial, score.runs, score.unit) == ("pipes", 5, "pipes")
    fly = twin_trial(ModuleFolder(data, game, "fly"), "rules", runs=5, cap=3)
    assert fly.mean > score.mean, "each plays its own rules"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rules": []}, "0 rules"),
        ({"rules": GOOD["rules"] * 9}, "9 rules"),
        ({"rules": ["flap"]}, "no object"),
        ({"rules": [{"when": "low > 1", "action": "flap", "cooldown_ms": 1e9}]}, "cooldown_ms"),
        ({"rules": [{"when": "low > 1\nflap", "action": "flap", "cooldown_ms": 0}]}, "'when'"),
        ({"rules": [{"when": "x" * 500, "action": "flap", "cooldown_ms": 0}]}, "'when'"),
        ({"rules": [{"when": ["low"], "action": "flap", "cooldown_ms": 0}]}, "'when'"),
        ({"name": "Hover Here"}, "name"),
        ({"name": "../../etc"}, "name"),
        ({"ends": ""}, "'ends'"),
        ({"description": "\u202e"}, "'description'"),
    ],
)
def test_replies_that_are_none(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InventionRefused) as caught:
        proposal_of(json.dumps(GOOD | changes))
    assert "the model's proposal" in caught.value.what and said in caught.value.what


@pytest.mark.parametrize("text", ["", "flap", "[" * 1_000_000, '{"name": "' + "a" * 1_000_000, '{"a": NaN}'])
def test_replies_that_are_no_json(text: str) -> None:
    with pytest.raises(InventionRefused, match="cannot be read"):
        proposal_of(text)


def test_no_model_and_a_switch_that_is_off_are_said_before_any_is_asked(data: DataFolder) -> None:
    game = Registry(data, ON).load("flappy")
    with pytest.raises(NoProposal, match="no model is chosen for the evolution tier"):
        invent_by_model(data, game, ON)
    with pytest.raises(InventionRefused, match="switched off"):
        invent_by_model(data, game, Settings(models=ModelSettings(evolution="none of this name")))


@pytest.fixture
def real(data: DataFolder, tmp_path: Path) -> Settings:
    """The switch on, and a tiny random model in the evolution tier: replies with form, and no sense."""
    model = tiny_text_model(tmp_path / "tiny.gguf", context=8192)
    spec = ModelRegistry(data).add_file(model, context=8192, threads=1)
    return ON.with_value("models", "evolution", spec.name)


def test_what_a_real_model_writes_under_the_grammar_passes_the_checks(
    data: DataFolder, real: Settings
) -> None:
    invention = invent_by_model(data, Registry(data, ON).load("flappy"), real)
    game = Registry(data, ON).load("flappy")
    folder = ModuleFolder(data, game, invention.module.name)
    assert folder.invented is not None
    assert (folder.invented.author, folder.driving()) == ("the model tiny", "rules")
    assert "You add one routine" in invention.prompt and "- low (px)" in invention.prompt
    fields = frozenset(field.name for field in game.profile.fields)
    assert RuleModule(folder.declared, fields).fields <= fields
    with pytest.raises(InventionRefused, match="stands 2 times"):
        check_proposal(game, invention.module, "again")


def test_replies_that_are_cut_off_are_refused_and_leave_nothing(data: DataFolder, real: Settings) -> None:
    short = real.with_value("models", "planning_tokens", 16)
    refused: list[str] = []
    with pytest.raises(NoProposal, match="3 proposals were refused"):
        invent_by_model(data, Registry(data, ON).load("flappy"), short, on_refused=refused.append)
    assert len(refused) == 3 and all("cannot be read" in item for item in refused)
    assert not data.modules.exists()
