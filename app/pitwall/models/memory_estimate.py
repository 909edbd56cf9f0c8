"""Estimates the memory of a model from its header, beside what is free: before anything is loaded.

The sums follow llama.cpp's buffers, as its log reports them for models from 64 to 512 wide with contexts up
to 32,768 (within 1 %; `tests/models/test_memory_need.py` checks them against the library): weights as they
lie in the file; keys and values 2 bytes an entry; as compute buffer, once for each slot, the larger of the
logits of a batch and of attention's scores, or with flash attention of what a layer works with beside the
mask. With flash attention that buffer is held to 1 % for contexts from 1,024 tokens on and layers as models
usually have them, and may be a fifth off for others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pitwall.core.errors import NotEnoughMemory
from pitwall.core.quantities import byte_size
from pitwall.models.files.gguf_header import GgufHeader
from pitwall.models.free_memory import FreeMemory, free_memory

__all__ = ["FreeMemory", "MemoryEstimate", "check_fits", "estimate", "free_memory", "largest_context"]

BATCH_TOKENS = 512
"""Prompt tokens that llama.cpp evaluates at once."""
_GPU_DRIVER_BYTES = 600 << 20
"""Video memory that CUDA takes for a process: 340 to 600 MB over the rest, on one H200 with CUDA 13."""
_KV_ENTRY_BYTES = 2
_FLOAT_BYTES = 4
_CONTEXT_STEP = 256
_ACTIVATIONS = 6
_LOGIT_ACTIVATIONS = 3
_FLASH_LOGIT_ACTIVATIONS = 2
_USUAL_FEED_FORWARD = 4
"""Width in multiples of the embedding, for headers that lack it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """Estimates loading a model with its slots, in bytes; `gpu_…` is the part of each on the GPU.

    Attributes:
        name, quantisation, layers: of the model.
        context, gpu_layers, slots: as requested.
        weights_bytes: of the model and its projector.
        kv_bytes: keys and values of all slots.
        compute_bytes: buffers of all slots, and with them gpu_driver_bytes.
        gpu_driver_bytes: memory of the GPU's driver, once for a process.
    """

    name: str
    quantisation: str
    layers: int
    context: int
    gpu_layers: int
    slots: int
    weights_bytes: int
    kv_bytes: int
    compute_bytes: int
    gpu_weights_bytes: int = 0
    gpu_kv_bytes: int = 0
    gpu_compute_bytes: int = 0
    gpu_driver_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """Return memory and video memory together."""
        return self.weights_bytes + self.kv_bytes + self.compute_bytes

    @property
    def gpu_bytes(self) -> int:
        """Return the part in video memory."""
        return self.gpu_weights_bytes + self.gpu_kv_bytes + self.gpu_compute_bytes

    @property
    def ram_bytes(self) -> int:
        """Return the part in the machine's memory."""
        return self.total_bytes - self.gpu_bytes

    def beside_another(self) -> MemoryEstimate:
        """Return the need of a process that has something on the GPU already."""
        return replace(
            self,
            compute_bytes=self.compute_bytes - self.gpu_driver_bytes,
            gpu_compute_bytes=self.gpu_compute_bytes - self.gpu_driver_bytes,
            gpu_driver_bytes=0,
        )


def estimate(
    header: GgufHeader,
    *,
    context: int,
    gpu_layers: int,
    slots: int,
    projector_bytes: int = 0,
    batch: int = BATCH_TOKENS,
    flash: bool = False,
) -> MemoryEstimate:
    """Estimate a model's memory; it is accurate to about one layer on the GPU.

    Args:
        context: tokens of each slot. slots: contexts over the one loaded model.
        gpu_layers: layers on the GPU; −1 all of them, and the output with them.
        projector_bytes: size of the projector's file; it goes where the layers go.
        batch: prompt tokens evaluated at once.
        flash: with flash attention; if llama.cpp chooses, count without it, which is more.
    """
    on_gpu = header.layers + 1 if gpu_layers < 0 else min(gpu_layers, header.layers + 1)
    share = min(on_gpu, header.layers) / header.layers if header.layers else 0.0
    blocks = header.tensor_bytes - header.embedding_bytes - header.output_bytes
    twice = 0 if header.output_bytes else header.embedding_bytes  # a GPU gets a table of its own
    padded = -(-context // _CONTEXT_STEP) * _CONTEXT_STEP
    kv = slots * padded * header.kv_width * _KV_ENTRY_BYTES
    row = _flash_row(header, padded) if flash else _scores_row(header, padded)
    buffer = slots * min(batch, padded) * _FLOAT_BYTES * row
    gpu_weights = int(blocks * share) + (header.output_bytes + twice + projector_bytes if on_gpu else 0)
    driver = _GPU_DRIVER_BYTES if on_gpu else 0
    gpu_buffer = buffer + driver if on_gpu else 0
    ram_buffer = buffer if on_gpu <= header.layers else slots * batch * _FLOAT_BYTES * header.embedding
    return MemoryEstimate(
        name=header.name,
        quantisation=header.quantisation,
        layers=header.layers,
        context=context,
        gpu_layers=on_gpu,
        slots=slots,
        weights_bytes=header.tensor_bytes + projector_bytes + (twice if on_gpu else 0),
        kv_bytes=kv,
        compute_bytes=gpu_buffer + ram_buffer,
        gpu_weights_bytes=gpu_weights,
        gpu_kv_bytes=int(kv * share),
        gpu_compute_bytes=gpu_buffer,
        gpu_driver_bytes=driver,
    )


def check_fits(need: MemoryEstimate, free: FreeMemory) -> None:
    """Compare a need with the free memory; without a GPU all of it counts as the machine's memory.

    Raises:
        NotEnoughMemory: names the missing memory, and what can be changed.
    """
    if free.vram_bytes is None:
        _check(need, "memory", need.total_bytes - _twice(need), free.ram_bytes, gpu=False)
        return
    _check(need, "video memory", need.gpu_bytes, free.vram_bytes, gpu=True)
    _check(need, "memory", need.ram_bytes, free.ram_bytes, gpu=False)


def largest_context(
    header: GgufHeader,
    free: FreeMemory,
    *,
    gpu_layers: int,
    slots: int,
    projector_bytes: int = 0,
    flash: bool = False,
) -> int:
    """Return the longest context that fits (in steps of 256, at most the trained one); 0 if none does."""
    low, high = 0, max(1, header.context // _CONTEXT_STEP)
    while low < high:
        middle = (low + high + 1) // 2
        need = estimate(
            header,
            context=middle * _CONTEXT_STEP,
            gpu_layers=gpu_layers,
            slots=slots,
            projector_bytes=projector_bytes,
            flash=flash,
        )
        try:
            check_fits(need, free)
            low = middle
        except NotEnoughMemory:
            high = middle - 1
    return low * _CONTEXT_STEP


def _scores_row(header: GgufHeader, padded: int) -> int:
    """Count the floats for each token of a batch: all heads' scores and the mask, or the logits."""
    attention = padded * (header.heads + 1) + _ACTIVATIONS * header.embedding
    return max(attention, header.vocabulary + _LOGIT_ACTIVATIONS * header.embedding)


def _flash_row(header: GgufHeader, padded: int) -> int:
    """Return the buffer with flash attention: no scores, and the mask in half floats.

    What a layer holds at once beside the mask is either attention's input, queries, keys, values and their
    result, or the feed-forward part's three (gate, up, product); where these fit in there, they take the
    place of attention's result.
    """
    embedding, queries = header.embedding, header.heads * header.key_length
    inner = header.feed_forward or _USUAL_FEED_FORWARD * embedding
    keys_and_values = header.kv_heads * (header.key_length + header.value_length)
    attention = 4 * embedding + 2 * queries + keys_and_values
    feed_forward = 3 * (embedding + inner) + (queries if inner > embedding + queries else 0)
    logits = header.vocabulary + _FLASH_LOGIT_ACTIVATIONS * embedding
    return max(padded // 2 + max(attention, feed_forward), logits)


def _twice(need: MemoryEstimate) -> int:
    """Return the bytes counted for both sides but needed once if there is no GPU."""
    driver = need.gpu_driver_bytes
    return driver + min(need.gpu_compute_bytes - driver, need.compute_bytes - need.gpu_compute_bytes)


def _check(need: MemoryEstimate, where: str, needed: int, free: int, *, gpu: bool) -> None:
    if needed <= free:
        return
    weights = need.gpu_weights_bytes if gpu else need.weights_bytes
    changes = [f"a shorter context than {need.context:,}"]
    if need.slots > 1:
        changes.append(f"fewer than {need.slots} tiers on it")
    if gpu:
        changes.insert(0, f"fewer GPU layers than {need.gpu_layers}")
    raise NotEnoughMemory(
        f"{need.name or 'the model'} needs {byte_size(needed)} of {where} ({byte_size(weights)} of it "
        f"weights) and {byte_size(free)} are free: {byte_size(needed - free)} are missing.",
        f"Give it {', '.join(changes)}, or take a smaller quantisation than {need.quantisation}.",
        where=where,
        needed_bytes=needed,
        free_bytes=free,
    )
