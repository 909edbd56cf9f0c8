"""Chooses tokens greedily or by chance, and always one that the grammar allows.

The grammar first checks the chosen token alone. Only if it refuses that token is the whole vocabulary
weighed, as in llama.cpp's own server; this is what makes grammars cheap.
"""

from __future__ import annotations

import ctypes
from math import isfinite
from typing import Any

import numpy as np
from llama_cpp import llama_cpp
from numpy.typing import NDArray

from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.backends.gguf.slot import Slot
from pitwall.host.requests.faults import BadGrammar

# Tokens weighed at a temperature above 0, as llama.cpp's own defaults have it.
_TOP_K = 40
_TOP_P = 0.95
_MIN_P = 0.05

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Sampler:
    """Chooses the tokens of one reply.

    Args:
        grammar: GBNF; empty for none.
        temperature: 0 takes the likeliest token each time.
        seed: with the same one, the same reply.

    Raises:
        BadGrammar: the grammar does not parse.
    """

    def __init__(self, model: GgufModel, *, grammar: str, temperature: float, seed: int) -> None:
        self._model = model
        self._grammar: Any = None
        self._single = (llama_cpp.llama_token_data * 1)()
        if grammar:
            self._grammar = llama_cpp.llama_sampler_init_grammar(model.vocab, grammar.encode(), b"root")
            if not self._grammar:  # a null pointer, which is no None
                raise BadGrammar("the grammar does not parse, or has no rule called root.")
        self._chain: Any = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for sampler in _chosen_by(temperature, seed):
            llama_cpp.llama_sampler_chain_add(self._chain, sampler)

    def next(self, slot: Slot) -> int:
        """Return the next token, from the last logits.

        Raises:
            BadGrammar: no token of the model continues the grammar.
        """
        token: int = llama_cpp.llama_sampler_sample(self._chain, slot.native, -1)
        if self._grammar is None:
            return token
        if not self._allows(token):
            token = self._allowed(slot)
        llama_cpp.llama_sampler_accept(self._grammar, token)
        return token

    def free(self) -> None:
        llama_cpp.llama_sampler_free(self._chain)
        if self._grammar is not None:
            llama_cpp.llama_sampler_free(self._grammar)

    def _allows(self, token: int) -> bool:
        self._single[0] = llama_cpp.llama_token_data(token, 0.0, 0.0)
        array = llama_cpp.llama_token_data_array(data=self._single, size=1, selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self._grammar, ctypes.byref(array))
        return isfinite(self._single[0].logit)

    def _allowed(self, slot: Slot) -> int:
        logits = llama_cpp.llama_get_logits_ith(slot.native, -1)
        every = np.zeros(self._model.tokens, _CANDIDATE)
        every["id"] = np.arange(self._model.tokens)
        every["logit"] = np.ctypeslib.as_array(logits, (self._model.tokens,))
        self._apply(self._grammar, every)
        every = every[np.isfinite(every["logit"])]
        if not len(every):
            raise BadGrammar(
                "the grammar cannot be followed: no token of the model goes on with it.",
                "Use a grammar of characters that the model can write.",
            )
        return self._apply(self._chain, every)

    @staticmethod
    def _apply(sampler: Any, candidates: NDArray[np.void]) -> int:
        array = llama_cpp.llama_token_data_array(
            data=candidates.ctypes.data_as(llama_cpp.llama_token_data_p),
            size=len(candidates),
            selected=-1,
            sorted=False,
        )
        llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))
        return int(array.data[array.selected].id) if array.selected >= 0 else -1


def _chosen_by(temperature: float, seed: int) -> list[Any]:
    if temperature <= 0.0:
        return [llama_cpp.llama_sampler_init_greedy()]
    return [
        llama_cpp.llama_sampler_init_top_k(_TOP_K),
        llama_cpp.llama_sampler_init_top_p(_TOP_P, 1),
        llama_cpp.llama_sampler_init_min_p(_MIN_P, 1),
        llama_cpp.llama_sampler_init_temp(temperature),
        llama_cpp.llama_sampler_init_dist(seed % llama_cpp.LLAMA_DEFAULT_SEED),
    ]
