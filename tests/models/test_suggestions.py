"""Known open models held against a machine: memory, speed from what was measured here, the order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder
from pitwall.models import suggestions as module
from pitwall.models.downloads.origin import HUB_SPEC
from pitwall.models.entry import ModelEntry
from pitwall.models.free_memory import FreeMemory
from pitwall.models.registry import ModelRegistry
from pitwall.models.suggestions import FRESH_TOKENS, REPLY_TOKENS, Suggestion, known_models, suggestions
from workshop.fixtures.tiny_models import tiny_text_model

_ROOMY = FreeMemory(ram_bytes=64 << 30)


def _measured(tmp_path: Path, *, prompt: float, written: float) -> ModelEntry:
    """A model of a billion parameters, as its header would say, measured here."""
    registry = ModelRegistry(DataFolder(tmp_path))
    entry = registry.add_file(tiny_text_model(tmp_path / "tiny.gguf"))
    entry = registry.measured(entry.name, written, prompt_tokens_per_s=prompt)
    assert entry.header is not None
    return entry.model_copy(update={"header": replace(entry.header, parameters=1_000_000_000)})


def _by_name(listed: list[Suggestion]) -> dict[str, Suggestion]:
    return {suggestion.model.name: suggestion for suggestion in listed}


def test_every_row_of_the_table_can_be_downloaded_and_names_its_licence() -> None:
    models = known_models()
    assert len(models) >= 8
    for model in models:
        for spec in filter(None, (model.spec, model.projector)):
            assert HUB_SPEC.fullmatch(spec)
        assert model.page.startswith("https://")
        assert model.licence
        assert bool(model.projector) is bool(model.projector_bytes)
        assert 0.5 < model.size_bytes / model.parameters < 1.2  # bytes a weight, of 4 and 8 bits
    assert len({model.name for model in models}) == len(models)


def test_a_field_that_is_wrong_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "known.toml").write_text('[[model]]\nname = "x"\nlayers = 0\n', encoding="utf-8")
    monkeypatch.setattr(module, "resources_dir", lambda: tmp_path)
    with pytest.raises(DamagedFile, match=r"model\.0\.\w+"):
        known_models()


def test_what_needs_more_than_is_free_is_too_big_and_comes_last(tmp_path: Path) -> None:
    fast = _measured(tmp_path, prompt=1e6, written=1e5)
    listed = suggestions([fast], FreeMemory(ram_bytes=6 << 30), deadline_ms=60_000)
    words = [suggestion.verdict for suggestion in listed]
    assert words == sorted(words, key=["fits", "slow", "too big"].index)
    assert listed[0].verdict == "fits"
    assert listed[0].need.total_bytes > listed[1].need.total_bytes
    by_name = _by_name(listed)
    assert "missing" in by_name["Qwen3-14B"].lacks
    sees = by_name["SmolVLM2-500M-Video-Instruct"]
    assert sees.need.weights_bytes == sees.model.size_bytes + sees.model.projector_bytes


def test_seconds_come_from_the_measured_model_by_its_size(tmp_path: Path) -> None:
    entry = _measured(tmp_path, prompt=500.0, written=50.0)
    by_name = _by_name(suggestions([entry], _ROOMY, deadline_ms=10_000))
    small, big = by_name["SmolLM2-360M-Instruct"], by_name["Qwen3-4B"]
    assert small.decision_s == pytest.approx(FRESH_TOKENS / 500 * 0.36182, rel=1e-3)  # it chooses: no reply
    assert big.decision_s == pytest.approx((FRESH_TOKENS / 500 + REPLY_TOKENS / 50) * 4.02247, rel=1e-3)
    slow = by_name["Qwen3-8B"]
    assert [model.verdict for model in (small, big, slow)] == ["fits", "slow", "slow"]
    assert [model.too_slow for model in (small, big, slow)] == [False, False, True]
    assert "close to its deadline of 10 s" in big.expected
    assert "reckoned from tiny" in big.expected
    assert "deadline of 10 s" in by_name["Qwen3-8B"].expected


def test_without_a_measured_model_a_processor_is_measured_and_a_gpu_is_not_guessed_at() -> None:
    on_processor = suggestions([], _ROOMY, deadline_ms=60_000)
    assert all(suggestion.decision_s and suggestion.decision_s > 0 for suggestion in on_processor)
    assert "this processor" in on_processor[0].expected
    gpu = suggestions([], FreeMemory(ram_bytes=64 << 30, vram_bytes=24 << 30), deadline_ms=60_000)
    assert {suggestion.decision_s for suggestion in gpu} == {None}
    assert all(suggestion.need.gpu_bytes > 0 for suggestion in gpu)
    assert "measure any model" in gpu[0].expected


def test_what_is_installed_is_recognised_by_where_it_came_from(tmp_path: Path) -> None:
    entry = _measured(tmp_path, prompt=500.0, written=50.0)
    spec = known_models()[0].spec
    [same] = [
        suggestion
        for suggestion in suggestions([entry.model_copy(update={"source": spec})], _ROOMY, deadline_ms=60_000)
        if suggestion.installed
    ]
    assert (same.model.spec, same.installed) == (spec, "tiny")
