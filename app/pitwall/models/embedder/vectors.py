"""Texts to vectors through a host: reading its answer, and asking for it where one may wait."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import RequestFailed
from pitwall.models.host_client import USUAL_TIMEOUT_S, HostClient
from pitwall.models.host_requests import Embed, Embedded
from pitwall.models.spec import ModelSpec

_FLOAT_BYTES = 4


def rows_of(reply: Embedded, blob: bytes) -> NDArray[np.float32]:
    """Return the vectors of an answer, count × width, each of length 1.

    A row that is all zeros, or not finite, is no vector: it comes as zeros.

    Raises:
        RequestFailed: the blob has not the length that the answer states.
    """
    wanted = reply.count * reply.width * _FLOAT_BYTES
    if len(blob) != wanted:
        raise RequestFailed(f"{len(blob):,} bytes came for vectors of {wanted:,}.")
    rows = np.frombuffer(blob, np.float32).reshape(reply.count, reply.width)
    rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def embed(
    host: HostClient, model: ModelSpec, texts: Sequence[str], *, timeout_s: float = USUAL_TIMEOUT_S
) -> NDArray[np.float32]:
    """Return the vectors of texts (texts × width, each of length 1); wait for them.

    Raises:
        RequestFailed, ChildDied: as `HostClient.answer`.
    """
    request = Embed(request_id=host.number(), model=model, texts=tuple(texts))
    reply = host.answer(request, kind=Embedded, timeout_s=timeout_s)
    return rows_of(reply, host.blob)
