"""Sentence vectors from the installed model, in a host that starts when first needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.models.embedder.installed import InstalledEmbedder, installed_embedder
from pitwall.models.embedder.vectors import embed
from pitwall.models.host_client import HostClient

_AT_ONCE = 64


class SentenceVectors:
    """Turns texts into vectors of length 1 and caches them. Without a model, words are hashed.

    Args:
        logs: folder for the host's log.
    """

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._client: HostClient | None = None
        self._hashing = HashingEmbedder()
        self._known: dict[str, NDArray[np.float32]] = {}
        self._installed = _installed()

    @property
    def name(self) -> str:
        """Return the embedder's name."""
        return self._hashing.name if self._installed is None else self._installed.about.name

    @property
    def understands(self) -> bool:
        """Return whether the vectors compare meaning, not only words."""
        return self._installed is not None

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of vectors per text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            self._known.update(zip(part, self._made(part), strict=True))
        return np.stack([self._known[text] for text in texts])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _made(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._installed is not None:
            try:
                self._client = self._client or HostClient(self._logs)
                return np.asarray(embed(self._client, self._installed.spec, texts), np.float32)
            except PitwallError:
                self._fall_back()
        return self._hashing.embed(texts)

    def _fall_back(self) -> None:
        """Hash all texts again: vectors of a failed model cannot be compared with hashed ones."""
        self._installed = None
        self._known = {text: self._hashing.embed([text])[0] for text in self._known}


def _installed() -> InstalledEmbedder | None:
    try:
        return installed_embedder()
    except PitwallError:
        return None
