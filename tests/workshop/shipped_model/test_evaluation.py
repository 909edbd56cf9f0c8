"""The examination: pairs differ in one thing, a perfect model is perfect, another is not."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from workshop.shipped_model.evaluation.contrast_pairs import pairs
from workshop.shipped_model.evaluation.evaluation import EvaluationSize, evaluate_model, share
from workshop.shipped_model.evaluation.evaluator import decision_in
from workshop.shipped_model.gguf_writer import write_model
from workshop.shipped_model.tokenizer import Tokenizer
from workshop.shipped_model.training import ABOUT, CARD, EVALUATION_FILE, ModelTrainingOrder, complete_card


def test_a_pair_differs_in_the_memory_alone() -> None:
    for pair in pairs(0, 9, len):
        before, after = pair.before.prompt, pair.after.prompt
        assert before.messages[0] == after.messages[0]
        assert before != after
        assert pair.before.reply != pair.after.reply
        fields = [text.text.partition("Fields:")[2].partition("\n\n")[0] for text in before.messages[1:]]
        assert pair.kind == "hint" or fields[0][:40] in after.messages[1].text


def test_what_counts_of_a_reply_is_what_it_decides() -> None:
    plan = '{"situation":"%s","subgoal":"rest","actions":["sleep"],"stop":"","steps":%d}'
    assert decision_in(Purpose.PLAN, plan % ("a", 3)) == decision_in(Purpose.PLAN, plan % ("b", 9))
    assert decision_in(Purpose.REACT, '{"action":"a"}') != decision_in(Purpose.REACT, '{"escalate":"a"}')
    assert decision_in(Purpose.PLAN, "{") == ()
    assert decision_in(Purpose.PLAN, '{"skill":"a"}') != decision_in(Purpose.PLAN, '{"skill":"b"}')
    assert decision_in(Purpose.PLAN, '{"keep":true}') not in ((), decision_in(Purpose.PLAN, plan % ("a", 3)))


def test_a_share_of_nothing_is_none() -> None:
    assert share([])["share"] is None
    assert share([True, False])["share"] == 0.5


@pytest.fixture(scope="module")
def model(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    sizes: dict[str, tuple[int, ...]] = {"table.weight": (tokenizer.size, 64), "norm.weight": (64,)}
    for name in ("q", "k", "v", "out"):
        sizes[f"blocks.0.{name}.weight"] = (64, 64)
    for name, size in {"gate": (96, 64), "up": (96, 64), "down": (64, 96)}.items():
        sizes[f"blocks.0.{name}.weight"] = size
    sizes |= {"blocks.0.attention_norm.weight": (64,), "blocks.0.gated_norm.weight": (64,)}
    return write_model(
        tmp_path_factory.mktemp("model") / "model.gguf",
        {name: rng.standard_normal(size, dtype=np.float32) * 0.1 for name, size in sizes.items()},
        tokenizer,
        heads=2,
        context=4096,
        norm_epsilon=1e-5,
        speeds=np.ones(16),
        name="test",
        about="A test's.",
        quantised=True,
    )


def test_a_model_of_chance_is_asked_and_found_wanting(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workshop.shipped_model.evaluation.evaluation.GAMES", ())
    registry = ModelRegistry(DataFolder(tmp_path / "models"))
    spec, same = registry.add_file(model, name="model").spec, registry.add_file(_copy(model, tmp_path)).spec
    result = evaluate_model(
        spec, same, DataFolder(tmp_path), EvaluationSize(episodes=1, reading=4, pairs=3, compared=2)
    )
    assert result["reading"]["all"]["asked"] == 4
    assert result["memory_changed"]["skill"]["share"] == 0.0
    assert result["differs_from_full_precision"]["share"] == 0.0
    assert result["model_memory_bytes"] > 0
    folder = tmp_path / "training"
    folder.mkdir()
    with pytest.raises(PitwallError, match="no training"):
        complete_card(folder, result)
    about = {
        "name": "test",
        "what": "A test's.",
        "done": True,
        "steps": 2,
        "wall_s": 60.0,
        "parameters": 10,
        "tokens_learned_from": 20,
        "order": asdict(ModelTrainingOrder()),
        "to_the_letter": {},
    }
    (folder / ABOUT).write_text(json.dumps(about), encoding="utf-8")
    complete_card(folder, result)
    card = (folder / CARD).read_text(encoding="utf-8")
    assert "- memory changed, skill: 0.0%" in card and "of 4" in card
    assert json.loads((folder / EVALUATION_FILE).read_text(encoding="utf-8")) == result


def _copy(model: Path, folder: Path) -> Path:
    file = folder / "same.gguf"
    file.write_bytes(model.read_bytes() + b"\0")
    return file
