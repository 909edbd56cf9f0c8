"""Turns pictures into entries of a text model's context (llama.cpp's mtmd).

Bytes only: nothing here opens an address or a path, whatever a prompt says.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from llama_cpp import llama_cpp, mtmd_cpp

from pitwall.core.frames import Pixels
from pitwall.host.backends.gguf.library import LibraryLog
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.backends.gguf.slot import BATCH, Cells, Slot, Stopped, flash_attention
from pitwall.host.requests.faults import ModelFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureChunk:
    """A picture as the model takes it: marks around it, and the picture's own positions.

    Attributes:
        cells: content of each of its positions (see `slot.Cells`). tokens: cache entries it takes.
    """

    native: Any
    cells: Cells
    tokens: int


class Projector:
    """Lets one text model see.

    Raises:
        ModelFailed: it does not load, does not fit the model, or is not for pictures.
    """

    def __init__(self, model: GgufModel, journal: LibraryLog, *, threads: int, use_gpu: bool) -> None:
        params = mtmd_cpp.mtmd_context_params_default()
        params.use_gpu = use_gpu
        params.print_timings = False
        params.n_threads = threads
        params.flash_attn_type = flash_attention("auto", model.spec.gpu_layers)
        journal.forget()
        path = model.spec.projector
        native = mtmd_cpp.mtmd_init_from_file(path.encode(), model.native, params)
        if native is None or not mtmd_cpp.mtmd_support_vision(native):
            raise ModelFailed(
                f"{path} does not let {model.spec.name} see: "
                f"{journal.trouble or 'it is no projector for pictures'}.",
                "Use the projector that was published with the model.",
            )
        self._native = native
        self.memory_bytes = journal.buffer_bytes
        self._marker = mtmd_cpp.mtmd_get_marker(native) or mtmd_cpp.mtmd_default_marker()

    @contextmanager
    def chunks(self, pixels: Pixels) -> Iterator[list[PictureChunk]]:
        """Yield a picture in the chunks that the model takes; valid inside the block."""
        rgb = np.ascontiguousarray(pixels[:, :, ::-1])
        height, width = rgb.shape[:2]
        data = rgb.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        bitmap = mtmd_cpp.mtmd_bitmap_init(width, height, data)
        chunks = mtmd_cpp.mtmd_input_chunks_init()
        if bitmap is None or chunks is None:
            raise MemoryError
        try:
            text = mtmd_cpp.mtmd_input_text(self._marker, len(self._marker), False, True)
            bitmaps = (mtmd_cpp.mtmd_bitmap_p_ctypes * 1)(bitmap)
            code = mtmd_cpp.mtmd_tokenize(self._native, chunks, ctypes.byref(text), bitmaps, 1)
            if code != 0:
                raise ModelFailed(f"the projector cannot take a picture of {width}×{height} px ({code}).")
            number = int.from_bytes(
                hashlib.sha256(rgb.tobytes() + bytes(str(rgb.shape), "ascii")).digest()[:6]
            )
            count = mtmd_cpp.mtmd_input_chunks_size(chunks)
            yield [_chunk(mtmd_cpp.mtmd_input_chunks_get(chunks, i), number + i) for i in range(count)]
        finally:
            mtmd_cpp.mtmd_input_chunks_free(chunks)
            mtmd_cpp.mtmd_bitmap_free(bitmap)

    def evaluate(self, slot: Slot, chunk: PictureChunk, give_up: Callable[[], bool]) -> None:
        """Evaluate a chunk after the prompt that a slot holds.

        Raises:
            Stopped: it was given up before it began.
            ModelFailed: llama.cpp cannot.
        """
        if give_up():
            raise Stopped
        after = llama_cpp.llama_pos(0)
        code = mtmd_cpp.mtmd_helper_eval_chunk_single(
            self._native,
            slot.native,
            chunk.native,
            llama_cpp.llama_pos(slot.filled),
            llama_cpp.llama_seq_id(0),
            BATCH,
            True,
            ctypes.byref(after),
        )
        if code != 0:
            slot.clear()
            raise ModelFailed(f"the picture cannot be evaluated ({code}).", "Send a smaller one.")
        slot.add_picture(chunk.cells)

    def free(self) -> None:
        if self._native is not None:
            mtmd_cpp.mtmd_free(self._native)
            self._native = None


def _chunk(native: Any, number: int) -> PictureChunk:
    tokens = mtmd_cpp.mtmd_input_chunk_get_n_tokens(native)
    if mtmd_cpp.mtmd_input_chunk_get_type(native) == mtmd_cpp.MTMD_INPUT_CHUNK_TYPE_TEXT:
        length = ctypes.c_size_t()
        pointer = mtmd_cpp.mtmd_input_chunk_get_tokens_text(native, ctypes.byref(length))
        cells: Cells = np.array(pointer[: length.value] if pointer else [], np.int64)
        return PictureChunk(native=native, cells=cells, tokens=tokens)
    positions = mtmd_cpp.mtmd_input_chunk_get_n_pos(native)
    return PictureChunk(native=native, cells=np.full(positions, -1 - number, np.int64), tokens=tokens)
