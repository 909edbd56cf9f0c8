"""Changes proposed by a model: what it is told, replies as a good one writes them, gibberish of a host."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from tests.pitwall_lab.improve_game import REWARD, hold, steer

from pitwall.core.calls import Purpose
from pitwall.core.paths import DataFolder
from pitwall.core.settings import ModelSettings, Settings
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.registry import ModelRegistry
from pitwall.models.replies.reply_object import BadReply
from pitwall_lab.analysis.analyser import analyse
from pitwall_lab.analysis.figures import Play
from pitwall_lab.analysis.playthrough import sample_transitions
from pitwall_lab.improvement.changes import Change, ChangeRefused, NoProposal, checked_change
from pitwall_lab.improvement.improvement_replies import (
    parse_labels_draft,
    parse_reward_draft,
    parse_rules_draft,
)
from pitwall_lab.improvement.playing import TwinPlaying
from pitwall_lab.improvement.proposers import Situation, by_model, change_of, prompt_of
from pitwall_lab.training.new_version import begin_version
from workshop.fixtures.chat_endpoint import chat_endpoint
from workshop.fixtures.tiny_models import tiny_text_model


def situation(folder: ModuleFolder, version: str, **more: object) -> Situation:
    return Situation(
        folder=folder,
        about=folder.about(version),
        trial=folder.declared.trials[0],
        playing=TwinPlaying(folder, runs=5),
        analysis=analyse(folder, version),
        reward=REWARD,
        number=1,
        **more,  # type: ignore[arg-type]
    )


def test_a_model_is_told_all_it_needs(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    messages = situation(folder, begin_version(folder).version, refused=("reward.py, line 3: KeyError: y.",))
    prompt = prompt_of(Purpose.IMPROVE_REWARD, messages)
    text = "".join(message.text for message in prompt.messages)
    for output in ("- x (px): How far from the middle", "- 1: left", REWARD, "KeyError: y", '"reward":"def'):
        assert output in text
    assert "more is better" in text
    assert len("".join(m.text for m in prompt_of(Purpose.IMPROVE_REWARD, messages, most=100).messages)) < len(
        text
    )


def test_a_model_that_sees_gets_the_last_pictures_of_play_on_the_screen(tmp_path: Path) -> None:
    """A real endpoint takes the picture whole, before the text; a model that does not see gets none."""
    folder, data = hold(tmp_path), DataFolder(tmp_path / "data")
    _, drawn = cv2.imencode(".jpg", np.full((300, 400, 3), 90, np.uint8))
    play = Play(runs=1, scores=(3.0,), place="screen", picture=drawn.tobytes())
    asked = replace(situation(folder, "rules"), analysis=analyse(folder, "rules", play=play))
    bodies: list[dict[str, Any]] = []

    def write(body: dict[str, Any]) -> str:
        bodies.append(body)
        return json.dumps({"title": "t", "why": "w", "changes": [{"rule": 1, "number": 1, "value": 9}]})

    with chat_endpoint("eyes", write) as url:
        for sees in (True, False):
            name = ModelRegistry(data).add_remote(f"remote-{sees}", url, "eyes", sees=sees).name
            settings = Settings(models=ModelSettings(evolution=name, planning_tokens=512))
            with by_model(data, settings) as propose:
                assert propose(asked).rules is not None
    content = bodies[0]["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["image_url", "text"]
    assert base64.b64decode(content[0]["image_url"]["url"].partition(",")[2]) == play.picture
    assert "shows the last decision of each game" in content[1]["text"]
    assert "image_url" not in json.dumps(bodies[1]) and "picture shows" not in json.dumps(bodies[1])


def test_rules_are_told_with_their_places(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    text = prompt_of(Purpose.IMPROVE_RULES, situation(folder, "rules")).messages[1].text
    assert "rule 2: when x < -[1: 4] -> right, cooldown [2: 300] ms" in text


def test_a_good_reward_reply_becomes_a_change(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    about = begin_version(folder)
    source = REWARD.replace('"', "'").replace("0.02", "0.05")
    reply = json.dumps({"title": "steeper", "why": "it drifts: 4 px", "reward": f"```python\n{source}```"})
    change = change_of(reply, Purpose.IMPROVE_REWARD, situation(folder, about.version))
    assert (change.title, change.by, change.reward) == ("steeper", "model", source)
    assert checked_change(folder, about, change, sample_transitions(folder, count=50)) == change


def test_a_good_rules_reply_becomes_a_change(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    entry = {"rule": 1, "number": 1, "value": 1.5}
    reply = json.dumps({"title": "sooner", "why": "it waits", "changes": [entry, {**entry, "value": 9}]})
    change = change_of(reply, Purpose.IMPROVE_RULES, situation(folder, "rules"))
    assert change.rules is not None and change.rules.rules[0].when == "x > 1.5"
    assert change.rules.rules[1] == folder.declared.rules[1]
    wrong = json.dumps({"title": "t", "why": "w", "changes": [{"rule": 7, "number": 1, "value": 1}]})
    with pytest.raises(ChangeRefused, match="no number 1 in rule 7"):
        change_of(wrong, Purpose.IMPROVE_RULES, situation(folder, "rules"))


def test_a_reply_may_edit_the_rules_logic(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    edits = [
        {"edit": "add", "rule": 1, "when": "wind > 1 or x > 9", "action": "left", "cooldown_ms": 100},
        {"edit": "also", "rule": 2, "when": "wind < 0 or x < -9"},
        {"edit": "remove", "rule": 1},
        {"edit": "ends", "when": "status == 'terminal'"},
    ]
    reply = json.dumps({"title": "against the wind", "why": "it drifts", "edits": edits})
    change = change_of(reply, Purpose.IMPROVE_RULES, situation(folder, "rules"))
    rules = checked_change(folder, folder.about("rules"), change, []).rules
    assert rules is not None
    assert [(rule.when, rule.action, rule.cooldown_ms) for rule in rules.rules] == [
        ("wind > 1 or x > 9", "left", 100),
        ("(x < -4) and (wind < 0 or x < -9)", "right", 300),
    ]
    assert rules.ends == "status == 'terminal'"
    for edit, says in (
        ({"edit": "remove", "rule": 7}, "no rule 7 to edit"),
        ({"edit": "when", "rule": 1, "when": "open('x')"}, "open"),
        ({"edit": "action", "rule": 1, "action": "fly"}, "fly"),
    ):
        bad = json.dumps({"title": "t", "why": "w", "edits": [edit]})
        with pytest.raises(ChangeRefused, match=re.escape(says)):
            change = change_of(bad, Purpose.IMPROVE_RULES, situation(folder, "rules"))
            checked_change(folder, folder.about("rules"), change, [])


def test_a_good_labels_reply_becomes_a_change(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    message = situation(folder, begin_version(folder).version)
    reply = json.dumps({"title": "t", "why": "w", "labels": ["red dot", "dot"], "confidence": 0.3})
    change = change_of(reply, Purpose.IMPROVE_LABELS, message, "eyes")
    assert change.detectors[0].model_dump()["labels"] == ["red dot", "dot"]
    with pytest.raises(NoProposal, match="no ONNX detector 'nose'"):
        change_of(reply, Purpose.IMPROVE_LABELS, message, "nose")


@pytest.mark.parametrize(
    ("read", "reply"),
    [
        (parse_reward_draft, {"title": "t", "why": "w", "reward": "x = 1"}),
        (parse_reward_draft, {"title": "", "why": "w", "reward": REWARD}),
        (parse_reward_draft, {"title": "t", "why": "w", "reward": ["def reward(", "x"]}),
        (parse_reward_draft, {"title": "t", "why": "w", "reward": REWARD + "\u202e"}),
        (parse_reward_draft, {"title": "t", "why": "w", "reward": REWARD + "#" * 9000}),
        (parse_rules_draft, {"title": "t", "why": "w", "changes": []}),
        (parse_rules_draft, {"title": "t", "why": "w", "changes": ["x"]}),
        (parse_rules_draft, {"title": "t", "why": "w", "changes": [{"rule": 0, "number": 1, "value": 1}]}),
        (parse_rules_draft, {"title": "t", "why": "w", "changes": [{"rule": 1, "number": 1, "value": "1"}]}),
        (parse_labels_draft, {"title": "t", "why": "w", "labels": [], "confidence": 0.5}),
        (parse_labels_draft, {"title": "t", "why": "w", "labels": ["a"], "confidence": 7}),
        (parse_labels_draft, {"title": "t", "why": "w", "labels": [{"a": 1}], "confidence": 0.5}),
    ],
)
def test_replies_that_are_none(read, reply: dict[str, object]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadReply):
        read(json.dumps(reply))


def test_no_model_is_said(tmp_path: Path) -> None:
    with (
        pytest.raises(NoProposal, match="no model is chosen for the evolution tier"),
        by_model(DataFolder(tmp_path / "data"), Settings()),
    ):
        pass


def test_gibberish_of_a_real_model_is_refused(tmp_path: Path) -> None:
    """A tiny random model in a real host: what it writes fits the grammar and nothing else."""
    folder = steer(tmp_path)
    data = DataFolder(tmp_path / "data")
    spec = ModelRegistry(data).add_file(
        tiny_text_model(tmp_path / "tiny.gguf", context=8192), context=8192, threads=1
    )
    settings = Settings(models=ModelSettings(evolution=spec.name, planning_tokens=512))
    about = begin_version(folder)
    refused: list[str] = []
    with by_model(data, settings) as propose:
        for _ in range(2):
            try:
                change = propose(situation(folder, about.version, refused=tuple(refused)))
                checked_change(folder, about, change, sample_transitions(folder, count=20))
            except ChangeRefused as error:
                refused.append(str(error))
    assert len(refused) == 2
    assert all(item.startswith(("reward.py", "the model's proposal cannot be read")) for item in refused)


def test_a_context_too_short_is_said(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    data = DataFolder(tmp_path / "data")
    entry = ModelRegistry(data).add_file(
        tiny_text_model(tmp_path / "tiny.gguf", context=1024), context=1024, threads=1
    )
    settings = Settings(models=ModelSettings(evolution=entry.name))
    with by_model(data, settings) as propose, pytest.raises(NoProposal, match="pitwall models set"):
        propose(situation(folder, "rules"))


def test_changes_hold_what_they_say() -> None:
    assert Change.model_validate_json('{"title": "t", "recipe": {"gamma": 0.9}}').recipe == {"gamma": 0.9}
