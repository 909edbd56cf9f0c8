"""A context over a loaded model: it holds an evaluated prompt, and evaluates further tokens after it.

Each tier has its own slot, so prompts of different tiers do not evict each other. A slot costs its KV cache
and its compute buffer, never the weights.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llama_cpp import llama_cpp
from numpy.typing import NDArray

from pitwall.host.backends.gguf.library import LibraryLog, gpu_name
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.requests.faults import ModelFailed
from pitwall.models.spec import FlashAttention

BATCH = 512
"""Tokens that a context can evaluate at once; a picture may need all of them."""
STEP = 256
"""Tokens of text that are, where a whole batch takes longer than `_QUICK_S`: as quick on a CPU, and a
stop or more urgent work waits half as long. On a GPU (H200) prompts were 0.71 times as quick by it."""
LEAST_STEP = 32
"""Tokens evaluated at once where more of them take longer than `_SLOW_S`. A stop loses the step that it
breaks off: where even the first one outlasts the deadline, nothing is held, and each call begins anew."""
_QUICK_S, _SLOW_S = 0.1, 1.0
BRANCHES = 8
"""Continuations of the held prompt that can be evaluated side by side."""
_ASIDE = BRANCHES + 1
"""The sequence of a prompt that is evaluated beside the held one."""
_WATCHED = 16
"""Batches smaller than this end soon enough by themselves: no callback for each of their operations."""
_ABORTED = 2
_LEAST = -1e4
"""A log-probability that is no number of JSON is this one."""

Cells = NDArray[np.int64]
"""Content of each position of a KV cache: a token, or −1 − a number derived from a picture's content."""


def flash_attention(choice: FlashAttention, gpu_layers: int) -> int:
    """Return llama.cpp's own constant for a choice.

    Left open, the GPU gets flash attention and the processor does not: there it may make prompts
    quicker, but each token up to twice slower (measured with heads 128 wide and 3,400 tokens held).
    Even if it is wanted, llama.cpp does without it if device or model cannot support it.
    """
    wanted = choice == "on" or (choice == "auto" and gpu_layers != 0 and bool(gpu_name()))
    return int(llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO if wanted else llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED)


def common_length(held: Cells, cells: Cells) -> int:
    """Count the cells with which both begin."""
    most = min(len(held), len(cells))
    differing = np.flatnonzero(held[:most] != cells[:most])
    return int(differing[0]) if len(differing) else most


def _bytes_of(state: NDArray[np.uint8]) -> Any:
    return state.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))


def _step_of(tokens_per_s: float) -> int:
    """Return how many tokens to evaluate at once at a speed."""
    if tokens_per_s * _QUICK_S > BATCH:
        return BATCH
    steps = int(tokens_per_s * _SLOW_S) // LEAST_STEP
    return min(STEP, max(1, steps) * LEAST_STEP)


class Stopped(Exception):
    """An evaluation ended early because its request was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsidePrompt:
    """A prompt evaluated beside the held one: its state as the library writes it, its last logits."""

    state: NDArray[np.uint8]
    logits: NDArray[np.float64]


class Slot:
    """Owns one context.

    Args:
        context: tokens that prompt and reply together may take.

    Raises:
        ModelFailed: there is no memory for it.
    """

    def __init__(self, model: GgufModel, journal: LibraryLog, *, context: int, threads: int) -> None:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context
        params.n_batch = params.n_ubatch = BATCH
        if model.branches:
            params.n_seq_max, params.kv_unified = _ASIDE + 1, True
        params.n_threads = params.n_threads_batch = threads
        params.flash_attn_type = flash_attention(model.spec.flash_attention, model.spec.gpu_layers)
        journal.forget()
        native = llama_cpp.llama_init_from_model(model.native, params)
        if native is None:
            raise ModelFailed(
                f"{model.spec.name} gets no context of {context:,} tokens: "
                f"{journal.trouble or 'llama.cpp does not say why'}.",
                "Choose a smaller context, or give fewer layers to the GPU.",
            )
        self.native = native
        self.context = context
        self.memory_bytes = journal.buffer_bytes
        self.flash = not journal.flash_refused
        self.busy = False
        self._step = LEAST_STEP
        self._model = model
        self._memory = llama_cpp.llama_get_memory(native)
        self._batch = llama_cpp.llama_batch_init(BATCH, 0, 1)
        self._tokens: NDArray[np.int32] = np.ctypeslib.as_array(self._batch.token, (BATCH,))
        self._positions: NDArray[np.int32] = np.ctypeslib.as_array(self._batch.pos, (BATCH,))
        self._wanted: NDArray[np.int8] = np.ctypeslib.as_array(self._batch.logits, (BATCH,))
        for index in range(BATCH):
            self._batch.seq_id[index][0] = 0
            self._batch.n_seq_id[index] = 1
        self._cells: Cells = np.zeros(context + BATCH, np.int64)
        self.filled = 0
        self.fresh = True
        """No prompt was evaluated yet."""
        self._give_up: Callable[[], bool] = bool
        self._abort = llama_cpp.ggml_abort_callback(lambda _data: self._give_up())
        self._no_abort = llama_cpp.ggml_abort_callback()

    def keep(self, cells: Cells) -> int:
        """Keep the longest common beginning of the held prompt and `cells`; return its length.

        At least the last of `cells` is left to be evaluated, and a picture is kept whole or not at all.
        """
        same = self.common(cells)
        while 0 < same < len(cells) and cells[same] < 0 and cells[same] == cells[same - 1]:
            same -= 1
        if same and llama_cpp.llama_memory_seq_rm(self._memory, 0, same, -1):
            self.filled = same
        else:
            self.clear()
        return self.filled

    def common(self, cells: Cells) -> int:
        """Count the cells, but the last one, with which the held prompt begins."""
        return common_length(self.held, cells[:-1])

    def state(self, most_bytes: int) -> NDArray[np.uint8] | None:
        """Return the evaluated content as the library writes it; None if it is larger than this."""
        size = llama_cpp.llama_state_seq_get_size(self.native, 0)
        return self._state(0) if 0 < size <= most_bytes else None

    def restore(self, cells: Cells, state: NDArray[np.uint8]) -> bool:
        """Hold evaluated content from `state` in place of the held one; False: the library refuses it."""
        self.clear()
        if not self._set_state(state, 0):
            self.clear()
            return False
        self._cells[: len(cells)] = cells
        self.filled = len(cells)
        return True

    @property
    def held(self) -> Cells:
        """Return the content of the held prompt and reply."""
        return self._cells[: self.filled]

    def clear(self) -> None:
        llama_cpp.llama_memory_clear(self._memory, True)
        self.filled = 0

    def evaluate(
        self, tokens: Sequence[int], give_up: Callable[[], bool], between: Callable[[], None] | None = None
    ) -> None:
        """Evaluate tokens after the held prompt; the last token's logits can then be sampled from.

        Args:
            between: called between two steps; other slots may be worked on there.

        Raises:
            Stopped: it was cancelled; the tokens evaluated so far are held.
            ModelFailed: llama.cpp cannot.
        """
        done = 0
        while done < len(tokens):
            if done and between is not None:
                between()
            if give_up():
                raise Stopped
            part = tokens[done : done + self._step]
            began = time.monotonic()
            self._decode(part, give_up)
            done += len(part)
            if done < len(tokens):
                llama_cpp.llama_synchronize(self.native)  # a GPU computes on while we go on
                self._step = _step_of(len(part) / (time.monotonic() - began))

    def score(self, tails: Sequence[Sequence[int]], give_up: Callable[[], bool]) -> list[float]:
        """Return the log-probability of each tail of tokens after the held prompt.

        Raises:
            Stopped, ModelFailed: as `evaluate`; ModelFailed also if the model's outputs are not numbers.
        """
        return self._score(self._logits(-1), tails, 0, self.filled, give_up)

    def score_aside(
        self,
        tokens: Sequence[int],
        tails: Sequence[Sequence[int]],
        give_up: Callable[[], bool],
        known: dict[tuple[int, ...], AsidePrompt],
    ) -> list[float]:
        """Return the same after at most `BATCH` tokens alone. The held prompt loses its logits only.

        Args:
            known: prompts that were evaluated before; this one is added.
        """
        try:
            aside = known.get(tuple(tokens))
            if aside is None or not self._set_state(aside.state, _ASIDE):
                self._run([(_ASIDE, 0, tokens)], give_up)
                aside = AsidePrompt(state=self._state(_ASIDE), logits=self._logits(-1))
                known[tuple(tokens)] = aside
            return self._score(aside.logits, tails, _ASIDE, len(tokens), give_up)
        finally:
            llama_cpp.llama_memory_seq_rm(self._memory, _ASIDE, -1, -1)

    def _score(
        self,
        first: NDArray[np.float64],
        tails: Sequence[Sequence[int]],
        base: int,
        at: int,
        give_up: Callable[[], bool],
    ) -> list[float]:
        scores = [self._log_probability(first, tail[0]) for tail in tails]
        longer = [number for number, tail in enumerate(tails) if len(tail) > 1]
        most = min(BRANCHES, max(1, BATCH // max(map(len, tails))))
        for start in range(0, len(longer), most):
            group = longer[start : start + most]
            branches = range(1, len(group) + 1)
            for branch in branches:
                llama_cpp.llama_memory_seq_cp(self._memory, base, branch, -1, -1)
            try:
                runs = [(b, at, tails[n][:-1]) for b, n in zip(branches, group, strict=True)]
                self._run(runs, give_up, each=True)
                row = 0
                for number in group:
                    for token in tails[number][1:]:
                        scores[number] += self._log_probability(self._logits(row), token)
                        row += 1
            finally:
                for branch in branches:
                    llama_cpp.llama_memory_seq_rm(self._memory, branch, -1, -1)
        return scores

    def _logits(self, row: int) -> NDArray[np.float64]:
        logits = llama_cpp.llama_get_logits_ith(self.native, row)
        return np.ctypeslib.as_array(logits, (self._model.tokens,)).astype(np.float64)

    def _log_probability(self, logits: NDArray[np.float64], token: int) -> float:
        top = logits.max()
        if not np.isfinite(top):
            raise ModelFailed(
                f"{self._model.spec.name} gives no numbers for its next token: its weights are damaged.",
                "Download it again, or choose another model.",
            )
        return max(_LEAST, float(logits[token] - top - np.log(np.exp(logits - top).sum())))

    def add_picture(self, cells: Cells) -> None:
        """Note that a picture was evaluated after the held prompt (see `picture.Projector`)."""
        self._cells[self.filled : self.filled + len(cells)] = cells
        self.filled += len(cells)

    def free(self) -> None:
        if self.native is not None:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self.native)
            self.native = None

    def _state(self, sequence: int) -> NDArray[np.uint8]:
        state = np.empty(llama_cpp.llama_state_seq_get_size(self.native, sequence), np.uint8)
        llama_cpp.llama_state_seq_get_data(self.native, _bytes_of(state), len(state), sequence)
        return state

    def _set_state(self, state: NDArray[np.uint8], sequence: int) -> bool:
        return bool(llama_cpp.llama_state_seq_set_data(self.native, _bytes_of(state), len(state), sequence))

    def _decode(self, part: Sequence[int], give_up: Callable[[], bool]) -> None:
        at = self.filled
        self._run([(0, at, part)], give_up)
        self._cells[at : at + len(part)] = part
        self.filled = at + len(part)

    def _run(
        self,
        parts: Sequence[tuple[int, int, Sequence[int]]],
        give_up: Callable[[], bool],
        *,
        each: bool = False,
    ) -> None:
        """Evaluate runs of tokens, at most `BATCH`: each of a sequence from a position on. With `each` every
        token's logits can be read, else the last one's."""
        count = 0
        for sequence, at, tokens in parts:
            end = count + len(tokens)
            self._tokens[count:end] = tokens
            self._positions[count:end] = np.arange(at, at + len(tokens))
            for index in range(count, end):
                self._batch.seq_id[index][0] = sequence
            count = end
        self._batch.n_tokens = count
        self._wanted[:count] = each
        self._wanted[count - 1] = 1
        watched = count >= _WATCHED
        if watched:
            self._give_up = give_up
            llama_cpp.llama_set_abort_callback(self.native, self._abort, None)
        code = llama_cpp.llama_decode(self.native, self._batch)
        if watched:
            llama_cpp.llama_set_abort_callback(self.native, self._no_abort, None)
            self._give_up = bool
        if code == 0:
            return
        sequence, at, _ = parts[0]
        if not llama_cpp.llama_memory_seq_rm(self._memory, sequence, at, -1):
            self.clear()
        if code == _ABORTED:
            raise Stopped
        raise ModelFailed(
            f"{self._model.spec.name} cannot evaluate {count} tokens after {at}: llama_decode gives {code}.",
            "Choose a smaller context, or another model.",
        )
