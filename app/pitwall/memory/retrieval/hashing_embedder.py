"""The fallback embedder: hashed tokens and letter groups, where no sentence model can be loaded."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pitwall.memory.text import tokens

_GROUPS = (3, 4)
_GROUP_WEIGHT = 0.25
_MOST_KEPT = 4096


class HashingEmbedder:
    """Vectors by feature hashing: texts that share words, or parts of words, are near each other.

    Each token counts 1 and each group of 3 or 4 of its letters (its ends marked) 0.25; a feature that comes
    n times counts 1 + ln n as much. CRC-32 of a feature's UTF-8 bytes chooses its place and its sign
    (Weinberger et al. 2009); the sum is scaled to length 1. The same on every machine, in every process.

    It knows nothing of meanings: "tree" and "oak" are strangers to it.
    """

    name = "hashing-384"
    dims = 384

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[int, float]]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (n, 384); a text without a token gives zeros."""
        rows = np.zeros((len(texts), self.dims))
        for row, text in zip(rows, texts, strict=True):
            for token, times in Counter(tokens(text)).items():
                weight = 1.0 + math.log(times)
                for place, value in self._places(token):
                    row[place] += weight * value
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)

    def _places(self, token: str) -> list[tuple[int, float]]:
        """Return the places of a token's features in the vector, and how much of each."""
        places = self._known.get(token)
        if places is None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            places = self._known[token] = [self._place(*feature) for feature in _features(token)]
        return places

    def _place(self, feature: str, weight: float) -> tuple[int, float]:
        code = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
        return (code >> 1) % self.dims, weight if code & 1 else -weight


def _features(token: str) -> Iterator[tuple[str, float]]:
    yield f"word {token}", 1.0
    marked = f"<{token}>"
    for size in _GROUPS:
        for at in range(len(marked) - size + 1):
            yield f"part {marked[at : at + size]}", _GROUP_WEIGHT
