"""Embeddings by a GGUF model: one vector a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llama_cpp import llama_cpp
from numpy.typing import NDArray

from pitwall.host.backends.gguf.library import LibraryLog
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.backends.gguf.slot import Stopped, flash_attention
from pitwall.host.requests.faults import BadInput, ModelFailed, WrongKind

_LONGEST = 2048
"""Tokens of a text; the whole of it is evaluated at once."""


class Embedder:
    """A context that pools a text's vectors into one: as the model declares, else by their mean.

    Raises:
        ModelFailed: there is no memory for it. WrongKind: the model ranks texts instead.
    """

    def __init__(self, model: GgufModel, journal: LibraryLog, *, context: int, threads: int) -> None:
        self._model = model
        self._longest = min(context, model.trained_context, _LONGEST)
        self._threads = threads
        journal.forget()
        self._native = self._made(llama_cpp.LLAMA_POOLING_TYPE_UNSPECIFIED)
        pooling = llama_cpp.llama_pooling_type(self._native)
        if pooling == llama_cpp.LLAMA_POOLING_TYPE_RANK:
            self.free()
            raise WrongKind(f"{model.spec.name} ranks texts and gives no embeddings.")
        if pooling == llama_cpp.LLAMA_POOLING_TYPE_NONE:
            self.free()
            journal.forget()
            self._native = self._made(llama_cpp.LLAMA_POOLING_TYPE_MEAN)
        self.memory_bytes = journal.buffer_bytes

    def embed(self, texts: Sequence[str], give_up: Callable[[], bool]) -> NDArray[np.float32]:
        """Embed texts: one row a text, texts × width.

        Raises:
            BadInput: a text is empty or too long. Stopped: it was given up.
        """
        rows = np.zeros((len(texts), self._model.width), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if give_up():
                raise Stopped
            row[:] = self._vector(text)
        return rows

    def free(self) -> None:
        if self._native is not None:
            llama_cpp.llama_free(self._native)
            self._native = None

    def _vector(self, text: str) -> NDArray[np.float32]:
        tokens = self._model.tokenise(text, begin=True)
        if not tokens:
            raise BadInput("an empty text has no embedding.")
        if len(tokens) > self._longest:
            raise BadInput(
                f"a text of {len(tokens):,} tokens is {len(tokens) - self._longest:,} longer than "
                f"{self._model.spec.name} embeds.",
                "Embed it in parts.",
            )
        memory = llama_cpp.llama_get_memory(self._native)
        if memory is not None:
            llama_cpp.llama_memory_clear(memory, True)
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        try:
            batch.n_tokens = len(tokens)
            for index, token in enumerate(tokens):
                batch.token[index] = token
                batch.pos[index] = index
                batch.seq_id[index][0] = 0
                batch.n_seq_id[index] = 1
                batch.logits[index] = 1
            code = llama_cpp.llama_decode(self._native, batch)
        finally:
            llama_cpp.llama_batch_free(batch)
        vector = llama_cpp.llama_get_embeddings_seq(self._native, 0) if code == 0 else None
        if not vector:
            raise ModelFailed(f"{self._model.spec.name} gives no embedding (llama_decode gives {code}).")
        return np.array(np.ctypeslib.as_array(vector, (self._model.width,)), np.float32)

    def _made(self, pooling: int) -> Any:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = self._longest
        params.n_threads = params.n_threads_batch = self._threads
        params.flash_attn_type = flash_attention(
            self._model.spec.flash_attention, self._model.spec.gpu_layers
        )
        params.embeddings = True
        params.pooling_type = pooling
        native = llama_cpp.llama_init_from_model(self._model.native, params)
        if native is None:
            raise ModelFailed(f"{self._model.spec.name} gets no context for embeddings.")
        return native
