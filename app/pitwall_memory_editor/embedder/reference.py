"""Computes a sentence encoder in plain numpy: slow, and the measure of the built graph.

BERT (Devlin et al. 2019) as sentence-transformers uses it: the mean of the last layer's vectors, of length 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from pitwall_memory_editor.embedder.source_package import SentenceSource, Weights

Array = NDArray[np.float32]

_erf = np.vectorize(math.erf, otypes=[np.float32])


def reference_vectors(source: SentenceSource, texts: Sequence[str]) -> Array:
    """Compute one vector of length 1 a text, texts × width, each text for itself, in float32."""
    tokenizer = Tokenizer.from_str(source.tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(source.tokens)
    return np.stack([_vector(source, tokenizer.encode(text).ids) for text in texts])


def _vector(source: SentenceSource, ids: list[int]) -> Array:
    weights = source.weights
    vectors = weights["embeddings.word_embeddings.weight"][ids]
    vectors = vectors + weights["embeddings.position_embeddings.weight"][: len(ids)]
    vectors = vectors + weights["embeddings.token_type_embeddings.weight"][0]
    vectors = _normalised(source, vectors, "embeddings.LayerNorm")
    for layer in range(source.layers):
        place = f"encoder.layer.{layer}"
        attended = _linear(weights, _attended(source, vectors, place), f"{place}.attention.output.dense")
        vectors = _normalised(source, vectors + attended, f"{place}.attention.output.LayerNorm")
        values = _linear(weights, vectors, f"{place}.intermediate.dense")
        inner = np.asarray(0.5 * values * (1 + _erf(values / math.sqrt(2))), np.float32)
        outer = _linear(weights, inner, f"{place}.output.dense")
        vectors = _normalised(source, vectors + outer, f"{place}.output.LayerNorm")
    mean: Array = vectors.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def _attended(source: SentenceSource, vectors: Array, place: str) -> Array:
    size = source.width // source.heads
    query, key, value = (
        _linear(source.weights, vectors, f"{place}.attention.self.{part}")
        for part in ("query", "key", "value")
    )
    attended = np.empty_like(query)
    for head in range(source.heads):
        part = slice(head * size, (head + 1) * size)
        scores = query[:, part] @ key[:, part].T / math.sqrt(size)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        attended[:, part] = shares / shares.sum(axis=1, keepdims=True) @ value[:, part]
    return attended


def _linear(weights: Weights, vectors: Array, name: str) -> Array:
    return np.asarray(vectors @ weights[f"{name}.weight"].T + weights[f"{name}.bias"], np.float32)


def _normalised(source: SentenceSource, vectors: Array, name: str) -> Array:
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + source.epsilon)
    scale, bias = (source.weights[f"{name}.{part}"] for part in ("weight", "bias"))
    return np.asarray(centred / spread * scale + bias, np.float32)
