"""Arrays on their way to the host and back: their names, shapes and types, and one blob of bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.models.host_requests import Tensor


def packed(arrays: Mapping[str, NDArray[Any]]) -> tuple[tuple[Tensor, ...], bytes]:
    """Lay arrays down one behind another."""
    tensors = tuple(Tensor(name=n, shape=one.shape, dtype=str(one.dtype)) for n, one in arrays.items())
    return tensors, b"".join(np.ascontiguousarray(one).tobytes() for one in arrays.values())


def unpacked(tensors: Sequence[Tensor], blob: bytes) -> dict[str, NDArray[Any]]:
    """Read arrays that the host laid down."""
    found: dict[str, NDArray[Any]] = {}
    at = 0
    for one in tensors:
        found[one.name] = np.frombuffer(blob, one.dtype, math.prod(one.shape), at).reshape(one.shape)
        at += found[one.name].nbytes
    return found
