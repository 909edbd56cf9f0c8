"""A model that is asked at every decision of a whole run reads prompts of one size."""

from __future__ import annotations

from pathlib import Path

import pytest
from nightpost_prompts import Prompts, Tokeniser, row, summary

from pitwall.core.paths import DataFolder, resources_dir
from pitwall.games.registry import Registry

SEED = 7_000_001
ALIKE = 0.02


def test_prompts_keep_one_size_over_a_whole_run_while_a_transcript_grows(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    tokens = Tokeniser(resources_dir() / "models" / "pitwall-small.gguf")
    decisions = list(Prompts(Registry(DataFolder(tmp_path)).load("nightpost"), tokens).play(SEED, "pip"))
    sizes = [decision.tokens for decision in decisions]
    assert len(decisions) > 200 and decisions[-1].act > 1, "a whole run"
    assert max(sizes) <= (1 + ALIKE) * min(sizes), "every decision, whatever its screen"
    assert max(decision.layers["state"] for decision in decisions) > 1.5 * decisions[0].layers["state"]
    assert decisions[-1].transcript > 50 * decisions[0].transcript
    assert row(SEED, decisions).count("|") == 15 and "L3" in summary([decisions])
