"""A GGUF model's weights and vocabulary in memory. Contexts over it are `slot.Slot`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from llama_cpp import llama_cpp

from pitwall.host.backends.gguf.library import LibraryLog
from pitwall.host.requests.faults import BadInput, Cancelled, ModelFailed
from pitwall.models.spec import ModelSpec

_ALL_LAYERS = 0x7FFF_FFFF
_PIECE_BYTES = 256
_NO_DEVICES = (ctypes.c_void_p * 1)()
"""A list of devices that ends at once."""


class GgufModel:
    """Weights and vocabulary, loaded.

    Args:
        extra_buffers: let llama.cpp keep a second, rearranged copy of the weights where that is faster.
        given_up: asked while it loads; True ends the loading.

    Raises:
        ModelFailed: llama.cpp refuses the file.
        Cancelled: it was given up.
    """

    def __init__(
        self, spec: ModelSpec, journal: LibraryLog, *, extra_buffers: bool, given_up: Callable[[], bool]
    ) -> None:
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = _ALL_LAYERS if spec.gpu_layers < 0 else spec.gpu_layers
        if spec.gpu_layers == 0:  # else llama.cpp opens the GPU all the same: 0.8 to 1.1 GB of it, measured
            params.devices = ctypes.addressof(_NO_DEVICES)
        params.load_mode = llama_cpp.LLAMA_LOAD_MODE_MMAP
        params.use_extra_bufts = extra_buffers
        progress = llama_cpp.llama_progress_callback(lambda _share, _data: not given_up())
        params.progress_callback = progress
        journal.forget()
        model = llama_cpp.llama_model_load_from_file(spec.path.encode(), params)
        if model is None:
            if given_up():
                raise Cancelled("loading was cancelled.")
            raise ModelFailed(
                f"{spec.path} cannot be loaded: {journal.trouble or 'llama.cpp does not say why'}.",
                "Download it again, or choose another model.",
            )
        self.spec = spec
        self.native = model
        self.weights_bytes = journal.buffer_bytes
        vocab = llama_cpp.llama_model_get_vocab(model)
        assert vocab is not None
        self.vocab = vocab
        self.tokens = llama_cpp.llama_vocab_n_tokens(vocab)
        self.trained_context = llama_cpp.llama_model_n_ctx_train(model)
        self.width = llama_cpp.llama_model_n_embd(model)
        recurrent = llama_cpp.llama_model_is_recurrent(model) or llama_cpp.llama_model_is_hybrid(model)
        self.branches = not recurrent
        """Whether several continuations of one prompt can be evaluated side by side."""
        self.layers = llama_cpp.llama_model_n_layer(model)
        self.template = self._meta("tokenizer.chat_template")
        self._pieces: dict[int, bytes] = {}

    @property
    def begins(self) -> bool:
        """Return whether a prompt starts with a special token."""
        return bool(llama_cpp.llama_vocab_get_add_bos(self.vocab))

    @property
    def begin_text(self) -> str:
        """Return the token that starts a prompt, as text; "" if there is none."""
        return self._text_of(llama_cpp.llama_vocab_bos(self.vocab))

    @property
    def end_text(self) -> str:
        """Return the token that ends a reply, as text; empty if there is none."""
        return self._text_of(llama_cpp.llama_vocab_eos(self.vocab))

    @cached_property
    def control_texts(self) -> tuple[str, ...]:
        """Return the texts of the tokens that mark turns; no content of a prompt may contain them."""
        marked = (
            token for token in range(self.tokens) if llama_cpp.llama_vocab_is_control(self.vocab, token)
        )
        return tuple(text for text in map(self._text_of, marked) if len(text) > 1)

    def tokenise(self, text: str, *, special: bool = False, begin: bool = False) -> list[int]:
        """Return the tokens of a text.

        Args:
            special: texts like "<|im_end|>" become the tokens that they name.
            begin: add the token that starts a prompt, if the model has one.

        Raises:
            BadInput: the text is too long to be counted.
        """
        data = text.encode("utf-8", "replace")
        room = len(data) + 16
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self.vocab, data, len(data), tokens, room, begin, special)
        if count < 0 and -count < 1 << 31:
            room = -count
            tokens = (llama_cpp.llama_token * room)()
            count = llama_cpp.llama_tokenize(self.vocab, data, len(data), tokens, room, begin, special)
        if count < 0:
            raise BadInput(f"a text of {len(data):,} bytes cannot be tokenised.")
        return tokens[:count]

    def piece(self, token: int) -> bytes:
        """Return the bytes that a token stands for in a reply; none for a token that marks a turn."""
        return self._piece(token, special=False)

    def prompt_pieces(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes that each token of a prompt stands for, marks of turns included."""
        known = self._pieces
        for token in tokens:
            if token not in known:
                known[token] = self._piece(token, special=True)
        return [known[token] for token in tokens]

    def ends(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_eog(self.vocab, token))

    def free(self) -> None:
        """Give the memory back; contexts over it must be gone."""
        if self.native is not None:
            llama_cpp.llama_model_free(self.native)
            self.native = None

    def _piece(self, token: int, *, special: bool) -> bytes:
        return _filled(
            lambda buffer, room: llama_cpp.llama_token_to_piece(self.vocab, token, buffer, room, 0, special),
            _PIECE_BYTES,
        )

    def _text_of(self, token: int) -> str:
        if token < 0:
            return ""
        text: bytes = llama_cpp.llama_vocab_get_text(self.vocab, token)
        return text.decode("utf-8", "replace")

    def _meta(self, key: str) -> str:
        data = key.encode()
        prompt = _filled(
            lambda buffer, room: llama_cpp.llama_model_meta_val_str(self.native, data, buffer, room), 1 << 12
        )
        return prompt.decode("utf-8", "replace")


def _filled(fill: Callable[[Any, int], int], room: int) -> bytes:
    """Read text that the library writes into a buffer, which grows if it is too small.

    Args:
        fill: writes and returns the length; a negative or larger number if the buffer is too small.
    """
    buffer = ctypes.create_string_buffer(room)
    length = fill(buffer, room)
    if length < -1 or length >= room:
        room = abs(length) + 1
        buffer = ctypes.create_string_buffer(room)
        length = fill(buffer, room)
    return buffer.raw[: max(0, length)]
