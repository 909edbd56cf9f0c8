"""Vectors of sentences for work beside the loop, made by the installed model in a host of its own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.models.embedder.installed import installed_embedder
from pitwall.models.embedder.vectors import embed
from pitwall.models.host_client import HostClient


class SentenceVectors(ExitStack):
    """Waits for each vector. The host starts with the first one; without a model words are hashed."""

    def __init__(self, logs: Path) -> None:
        super().__init__()
        self._logs = logs
        self._client: HostClient | None = None
        self._hashing = HashingEmbedder()
        self._failed = False

    def of(self, text: str) -> NDArray[np.float32]:
        """Return a text's vector, of length 1."""
        try:
            vector = None if self._failed else self._asked(text)
        except PitwallError:
            self._failed, vector = True, None
        return vector if vector is not None else self._hashing.embed([text])[0]

    def _asked(self, text: str) -> NDArray[np.float32] | None:
        installed = installed_embedder()
        if installed is None:
            return None
        if self._client is None:
            self._client = self.enter_context(HostClient(self._logs))
        return np.asarray(embed(self._client, installed.spec, [text])[0], np.float32)
