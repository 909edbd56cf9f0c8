"""Packs arrays for the way to the host and back: names, shapes and types, and one blob of bytes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.models.host_requests import Tensor


def packed(arrays: Mapping[str, NDArray[Any]]) -> tuple[tuple[Tensor, ...], bytes]:
    """Store arrays one after another in a blob."""
    tensors = tuple(Tensor(name=n, shape=array.shape, dtype=str(array.dtype)) for n, array in arrays.items())
    return tensors, b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())


def unpacked(tensors: Sequence[Tensor], blob: bytes) -> dict[str, NDArray[Any]]:
    """Read arrays that the host laid down."""
    arrays: dict[str, NDArray[Any]] = {}
    at = 0
    for tensor in tensors:
        arrays[tensor.name] = np.frombuffer(blob, tensor.dtype, math.prod(tensor.shape), at).reshape(
            tensor.shape
        )
        at += arrays[tensor.name].nbytes
    return arrays
