"""A context over a real model, in this process: what it keeps, what a stop leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from llama_cpp import llama_cpp
from numpy.typing import NDArray

from pitwall.host.backends.gguf import slot as slots
from pitwall.host.backends.gguf.library import library_log
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.backends.gguf.slot import BATCH, LEAST_STEP, STEP, Slot, Stopped
from pitwall.models.spec import ModelSpec


@pytest.fixture
def model(text: ModelSpec) -> Iterator[GgufModel]:
    """The tiny model, loaded here."""
    model = GgufModel(text, library_log(), extra_buffers=True, given_up=lambda: False)
    yield model
    model.free()


@pytest.fixture
def slot(model: GgufModel) -> Iterator[Slot]:
    """A context over it."""
    slot = Slot(model, library_log(), context=2048, threads=1)
    yield slot
    slot.free()


def _logits(model: GgufModel, slot: Slot) -> NDArray[np.float32]:
    pointer = llama_cpp.llama_get_logits_ith(slot.native, -1)
    return np.array(np.ctypeslib.as_array(pointer, (model.tokens,)))


def _going_on() -> bool:
    return False


def _tokens(model: GgufModel, text: str) -> list[int]:
    return model.tokenise(text, special=True, begin=True)


@pytest.mark.parametrize(
    ("quick_s", "slow_s", "steps"),
    [
        (0.0, 1e9, [LEAST_STEP, STEP, STEP]),
        (1e9, 1e9, [LEAST_STEP, BATCH, BATCH]),
        (0.0, 0.0, [LEAST_STEP] * 4),
    ],
)
def test_steps_are_as_long_as_the_machine_is_quick(
    model: GgufModel,
    slot: Slot,
    monkeypatch: pytest.MonkeyPatch,
    quick_s: float,
    slow_s: float,
    steps: list[int],
) -> None:
    monkeypatch.setattr(slots, "_QUICK_S", quick_s)
    monkeypatch.setattr(slots, "_SLOW_S", slow_s)
    tokens = _tokens(model, "the state of the doors " * 150)[: sum(steps) + 1]
    held: list[int] = []
    slot.evaluate(tokens, _going_on, lambda: held.append(slot.filled))
    assert np.diff([0, *held]).tolist() == steps and slot.filled == len(tokens)


def test_a_stop_inside_a_step_leaves_whole_steps(model: GgufModel, slot: Slot) -> None:
    tokens = _tokens(model, "the state of the doors " * 110)
    assert len(tokens) > 2 * BATCH
    slot.evaluate(tokens, _going_on)
    wanted = _logits(model, slot)
    slot.clear()
    asked = 0

    def soon() -> bool:
        """Gives up some way into the second step."""
        nonlocal asked
        asked += slot.filled > 0
        return asked > 20

    with pytest.raises(Stopped):
        slot.evaluate(tokens, soon)
    whole = slot.filled
    assert whole % LEAST_STEP == 0 < whole < len(tokens), "nothing of the step that was broken off"
    kept = slot.keep(np.array(tokens, np.int64))
    slot.evaluate(tokens[kept:], _going_on)
    assert (kept, slot.filled) == (whole, len(tokens))
    assert np.allclose(_logits(model, slot), wanted, atol=1e-3)


def test_what_is_kept_is_the_common_beginning(model: GgufModel, slot: Slot) -> None:
    first = np.array(_tokens(model, "rules rules rules. one"), np.int64)
    slot.evaluate(first.tolist(), _going_on)
    assert slot.keep(first) == len(first) - 1, "the last is evaluated again, for its logits"
    other = first.copy()
    other[4] += 1
    assert slot.keep(other) == 4
    assert slot.keep(first[:3]) == 2
    assert slot.keep(np.array([9, 9], np.int64)) == 0 == slot.filled


def test_a_picture_is_kept_whole_or_not_at_all(model: GgufModel, slot: Slot) -> None:
    before = np.array(_tokens(model, "look"), np.int64)
    slot.evaluate([*before.tolist(), *([5] * 8)], _going_on)
    picture = np.full(8, -77, np.int64)
    slot.filled = len(before)
    slot.add_picture(picture)
    same = np.concatenate([before, picture, [5, 6]])
    assert slot.keep(same) == len(before) + 8
    assert slot.keep(np.concatenate([before, picture])) == len(before), "its last entry is to be evaluated"
    slot.add_picture(picture)
    assert slot.keep(np.concatenate([before, picture - 1, [5]])) == len(before)


def test_contexts_over_one_model_hold_prompts_of_their_own(model: GgufModel, slot: Slot) -> None:
    others = [Slot(model, library_log(), context=2048, threads=1) for _ in range(2)]
    tokens = _tokens(model, "each holds its own")
    for other in others:
        other.evaluate(tokens[:3], _going_on)
    slot.evaluate(tokens, _going_on)
    assert [other.filled for other in others] == [3, 3] and slot.filled == len(tokens)
    kv_bytes = 2048 * 2 * 2 * 32 * 2  # tokens, layers, keys and values, width, bytes
    assert all(kv_bytes < other.memory_bytes == slot.memory_bytes for other in others)
    for other in others:
        other.free()
        other.free()


def test_flash_attention_says_the_same_and_takes_less(text: ModelSpec, slot: Slot, model: GgufModel) -> None:
    chosen = GgufModel(
        replace(text, flash_attention="on"), library_log(), extra_buffers=True, given_up=lambda: False
    )
    flash = Slot(chosen, library_log(), context=2048, threads=1)
    assert (slot.flash, flash.flash) == (False, True), "left open, the processor does without"
    tokens = _tokens(model, "the state of the doors " * 20)
    for tried in (slot, flash):
        tried.evaluate(tokens, _going_on)
    assert np.allclose(_logits(chosen, flash), _logits(model, slot), rtol=1e-2, atol=5e-2)
    assert flash.memory_bytes < slot.memory_bytes
    flash.free()
    chosen.free()


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        (("llama_context: flash_attn            = enabled",), False),
        (
            (
                "llama_init_from_model: flash_attn is not compatible with Grok - forcing off",
                "llama_context: flash_attn            = disabled",
            ),
            True,
        ),
        (
            ("llama_context: flash_attn            = auto", "resolve_fused_ops: Flash Attention enabled"),
            False,
        ),
        (
            (
                "llama_context: flash_attn            = auto",
                "resolve_fused_ops: Flash Attention not supported, set to disabled",
            ),
            True,
        ),
        ((), False),
    ],
)
def test_a_refusal_of_flash_attention_is_heard(lines: tuple[str, ...], refused: bool) -> None:
    heard = library_log()
    heard.forget()
    for line in lines:
        heard.hear(2, line.encode())
    assert heard.flash_refused is refused
    heard.forget()


def test_special_texts_are_marks_only_where_asked(model: GgufModel) -> None:
    assert len(model.tokenise("<|im_end|>", special=True)) == 1
    assert len(model.tokenise("<|im_end|>")) > 3
    assert {"<|im_end|>", "<s>"} <= set(model.control_texts)
    assert model.ends(model.tokenise("<|im_end|>", special=True)[0])
    assert b"".join(model.prompt_pieces(model.tokenise("h\u00e9llo \u6f22"))) == "h\u00e9llo \u6f22".encode()
