"""The benchmark of decisions asks a real host for every kind, stops it, and compares its memory."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from workshop.benchmarks.benchmark_model import BenchmarkModel
from workshop.benchmarks.models.decision import measure
from workshop.fixtures.tiny_models import tiny_text_model


def test_plans_reactions_choices_and_stops_are_timed(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    file = tiny_text_model(tmp_path / "tiny.gguf", layers=1, ends=False)
    entry = ModelRegistry(data).add_file(file, threads=1, context=1024)
    result = measure(data, BenchmarkModel(entry=entry), quick=True)
    checks = {each["name"]: each for each in result["checks"]}
    asked = {"plan new", "plan again", "react again", "react choice", "memory estimated over taken"}
    assert asked <= checks.keys()
    assert checks["plan new"]["ours"]["n"] == 2 and checks["react choice"]["ours"]["n"] == 4
    conditions = result["conditions"]
    assert conditions["slots"] == 2 and conditions["reads_per_s"] > conditions["writes_per_s"] > 0
    assert checks["memory estimated over taken"]["met"]
    assert "plan again" in conditions["prompts"]
