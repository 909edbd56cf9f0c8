"""The host's benchmark compares like with like, and says so where a figure misses its aim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import PROMPT_LAYERS, Layer
from pitwall.models.registry import ModelRegistry
from pitwall.models.spec import FlashAttention, ModelSpec
from workshop.benchmarks.benchmark_model import VARIABLE, benchmark_model
from workshop.benchmarks.models.host import Effort, Pair, checks_of, measure
from workshop.benchmarks.models.host_prompts import Prompts
from workshop.benchmarks.models.host_sides import LibrarySide, Reply, uses_flash
from workshop.fixtures.tiny_models import tiny_policy, tiny_text_model


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def _reply(*, first_ms: float = 100.0, per_s: float = 50.0, cached: int = 0, written: int = 11) -> Reply:
    return Reply(
        prompt_tokens=1000,
        cached_tokens=cached,
        output_tokens=written,
        first_ms=first_ms,
        took_ms=first_ms + 1e3 * (written - 1) / per_s,
        text="x",
    )


def _checks(ours: Reply, direct: Reply, *, again: Reply | None = None) -> dict[str, dict[str, Any]]:
    cold = Pair(ours=ours, direct=direct, again=False, grammar=False)
    warm = Pair(ours=again or _reply(cached=700, first_ms=30), direct=direct, again=True, grammar=True)
    return {check["name"]: check for check in checks_of([cold, warm])}


def test_the_library_itself_meets_every_aim() -> None:
    checks = _checks(_reply(), _reply())
    assert all(check["met"] for check in checks.values())
    assert checks["written"]["ratio"] == pytest.approx(1.0)
    assert checks["prompt"]["ours"]["p50"] == pytest.approx(10_000)
    assert checks["prompt not evaluated again"]["ours"]["p50"] == pytest.approx(70)


@pytest.mark.parametrize(
    ("slow", "missed"),
    [
        (_reply(per_s=48.0), {"written"}),
        (_reply(first_ms=104.0), {"prompt", "first token"}),
        (_reply(written=1), {"written"}),
    ],
)
def test_four_per_cent_of_loss_are_told(slow: Reply, missed: set[str]) -> None:
    checks = _checks(slow, _reply())
    assert {name for name, check in checks.items() if not check["met"]} == missed


def test_layers_evaluated_anew_are_told() -> None:
    checks = _checks(_reply(), _reply(first_ms=101), again=_reply(cached=590, first_ms=100))
    assert not checks["prompt not evaluated again"]["met"]
    assert not checks["first token, layers kept"]["met"]


def test_prompts_of_one_round_differ_in_their_state_alone(tmp_path: Path) -> None:
    prompts = Prompts(DataFolder(tmp_path), lambda text: len(text) // 4, 8000)
    item, other, next_round = prompts.prompt(3, 0), prompts.prompt(3, 1), prompts.prompt(4, 0)
    changed = [(a, b) for a, b in zip(item.spans, other.spans, strict=True) if a != b]
    assert {span.layer for pair in changed for span in pair} == {Layer.STATE}
    assert {span.layer for span in item.spans} == set(PROMPT_LAYERS)
    assert item.messages[0].text[:3] != next_round.messages[0].text[:3]
    assert prompts.prompt(3, 0).content_hash == item.content_hash


def test_host_and_library_say_the_same_to_the_same_prompts(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    model = benchmark_model(data, layers=1, width=128, threads=1)
    assert model.conditions["quantisation"] == "Q8_0"
    assert model.conditions["vocabulary"] == 32_000
    measured = measure(data, model, Effort(rounds=1, seconds=0.0, again=1, written=8))
    pairs = measured.pairs
    cold, warm = pairs
    assert measured.device
    assert set(measured.processor_s) == {"host", "llama-cpp-python"}
    assert [pair.grammar for pair in pairs] == [False, True]
    assert [pair.ours.text for pair in pairs] == [pair.direct.text for pair in pairs]
    assert cold.ours.output_tokens == cold.direct.output_tokens == 8  # it does not end by itself
    assert warm.ours.output_tokens == warm.direct.output_tokens
    assert cold.ours.cached_tokens < 0.05 * cold.ours.prompt_tokens
    assert 0.6 * warm.ours.prompt_tokens < warm.ours.cached_tokens < warm.ours.prompt_tokens
    assert all(0 < reply.first_ms < reply.took_ms for pair in pairs for reply in (pair.ours, pair.direct))


@pytest.mark.parametrize(
    ("choice", "device", "used"),
    [
        ("auto", "CPU", False),
        ("auto", "CUDA 0: a card", True),
        ("on", "CPU", True),
        ("off", "CUDA 0: a card", False),
    ],
)
def test_the_library_gets_the_attention_that_the_host_uses(
    choice: FlashAttention, device: str, used: bool
) -> None:
    assert uses_flash(ModelSpec(name="m", kind="gguf", flash_attention=choice), device) is used


def test_a_named_file_or_model_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tiny_text_model(tmp_path / "mine.gguf")
    monkeypatch.setenv(VARIABLE, str(file))
    of_file = benchmark_model(DataFolder(tmp_path / "a"), layers=1, width=128, threads=3)
    assert (of_file.entry.path, of_file.generated, of_file.entry.threads) == (str(file), False, 3)
    monkeypatch.setenv("PITWALL_DATA", str(tmp_path / "own"))
    options: dict[str, Any] = {"context": 512, "threads": 2, "flash_attention": "on"}
    ModelRegistry(DataFolder(tmp_path / "own")).add_file(file, name="chosen", **options)
    monkeypatch.setenv(VARIABLE, "chosen")
    known = benchmark_model(DataFolder(tmp_path / "b"), layers=1, width=128, threads=3)
    assert (known.entry.name, known.entry.context, known.entry.threads) == ("chosen", 512, 2)
    assert known.entry.flash_attention == known.conditions["flash_attention"] == "on"


def test_only_what_both_can_load_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tiny_policy(tmp_path / "policy.onnx")))
    with pytest.raises(PitwallError, match="no GGUF model"):
        benchmark_model(DataFolder(tmp_path / "a"), layers=1, width=128, threads=1)


def test_a_library_that_cannot_load_the_file_says_so(tmp_path: Path) -> None:
    model = benchmark_model(DataFolder(tmp_path), layers=1, width=128, threads=1)
    Path(model.entry.path).write_bytes(b"GGUF and nothing more")
    with pytest.raises(PitwallError, match="called directly, ended with"):
        LibrarySide(model.entry.spec, threads=1, flash=False)
