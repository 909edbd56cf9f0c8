"""Joins a safetensors file's numbers with the ONNX graph that they belong to, into one policy file.

A safetensors file holds a network's numbers by name, and not the network: the manifest names an ONNX file
beside it that has the network. That may be exported without numbers, or with any: what has the same name and
shape is put in. The format is a length, a JSON table and the numbers (huggingface/safetensors); nothing in it
is run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.errors import DamagedFile
from pitwall.gsm.pixel_manifest import PixelPolicy

_MOST_BYTES = 1_900 << 20
"""An ONNX file of one piece holds no more than 2 GiB."""
_MOST_HEADER = 64 << 20
_LENGTH = 8
_KINDS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
    "I8": "<i1", "U8": "<u1", "BOOL": "<?",
}  # fmt: skip
_FIX = "Fetch the file again."
Tensors = dict[str, NDArray[Any]]


def joined(weights: Path, graph: Path, policy: PixelPolicy) -> bytes:
    """Return an ONNX file with a graph's network and another file's numbers.

    Raises:
        DamagedFile: one of the two cannot be read, or they do not belong together; names the tensor.
    """
    from onnx import numpy_helper  # some 0.2 s, and only who adds such a policy needs it

    tensors, model = read_tensors(weights), _network(graph)
    net = model.graph
    own = {policy.picture.input, *(state.input for state in policy.state)}
    own |= {policy.instruction.input} if policy.instruction is not None else set()
    given = {tensor.name: tensor for tensor in net.initializer}
    wanted = _wanted(net, own)
    if not wanted.keys() & tensors.keys():
        raise DamagedFile(
            weights,
            f"holds none of the tensors of {graph.name}: it has {', '.join(list(tensors)[:5])}",
            expected=", ".join(list(wanted)[:5]) or "tensors",
            fix="Export both from the same network.",
        )
    for name, shape in wanted.items():
        tensor = tensors.get(name)
        if tensor is None and name not in given:
            raise DamagedFile(
                weights, "lacks a tensor", key=name, expected=f"the numbers of {graph.name}", fix=_FIX
            )
        if tensor is None:
            continue
        if shape and list(tensor.shape) != shape:
            raise DamagedFile(
                weights, f"has the shape {list(tensor.shape)}", key=name, expected=str(shape), fix=_FIX
            )
        if name in given:
            net.initializer.remove(given[name])
        net.initializer.append(numpy_helper.from_array(tensor, name))
    kept = [tensor for tensor in net.input if tensor.name in own]
    del net.input[:]
    net.input.extend(kept)
    content: bytes = model.SerializeToString()
    return content


def _network(graph: Path) -> Any:
    import onnx

    try:
        content = read_bytes(graph, most_bytes=_MOST_BYTES, fix="Export the network to ONNX.")
    except FileNotFoundError:
        raise DamagedFile(
            graph, "is not there", expected="the network's ONNX file", fix="Put it beside the manifest."
        ) from None
    try:
        return onnx.load_model_from_string(content)
    except Exception:  # protobuf's own exceptions have no common root
        raise DamagedFile(graph, "is no ONNX file", fix="Export the network to ONNX again.") from None


def _wanted(net: Any, own: set[str]) -> dict[str, list[int]]:
    """Name the numbers that a graph needs, with their shapes where it says them; `own`: what it is given."""
    wanted = {tensor.name: [int(size) for size in tensor.dims] for tensor in net.initializer}
    for tensor in net.input:
        if tensor.name not in own:
            shape = [int(axis.dim_value) for axis in tensor.type.tensor_type.shape.dim]
            wanted.setdefault(tensor.name, shape)
    made = own | {name for node in net.node for name in node.output}
    for name in (name for node in net.node for name in node.input):
        if name and name not in made:
            wanted.setdefault(name, [])
    return wanted


def read_tensors(file: Path) -> Tensors:
    """Read every tensor of a safetensors file; half precision of the second kind becomes float32.

    Raises:
        DamagedFile: it is missing, too large, or its table does not fit its numbers; names the tensor.
    """
    try:
        content = read_bytes(file, most_bytes=_MOST_BYTES, fix=_FIX)
    except FileNotFoundError:
        raise DamagedFile(file, "is not there", expected="a safetensors file", fix=_FIX) from None
    length = int.from_bytes(content[:_LENGTH], "little")
    if len(content) < _LENGTH or length > min(_MOST_HEADER, len(content) - _LENGTH):
        raise DamagedFile(file, "is cut off before its table ends", expected="a safetensors file", fix=_FIX)
    numbers = memoryview(content)[_LENGTH + length :]
    try:
        table = json.loads(content[_LENGTH : _LENGTH + length])
        if not isinstance(table, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise DamagedFile(file, "has a table that is no JSON object", fix=_FIX) from None
    return {
        name: _tensor(file, name, entry, numbers) for name, entry in table.items() if name != "__metadata__"
    }


def _tensor(file: Path, name: str, entry: Any, numbers: memoryview) -> NDArray[Any]:
    header: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
    kind, shape, place = header.get("dtype"), header.get("shape"), header.get("data_offsets")
    if kind not in _KINDS:
        raise DamagedFile(
            file, f"has numbers of the kind {kind!r}", key=name, expected=", ".join(_KINDS), fix=_FIX
        )
    if not _counts(shape) or not _counts(place) or len(place) != 2:
        raise DamagedFile(file, "does not say its shape and place", key=name, fix=_FIX)
    begin, end = place
    dtype = np.dtype(_KINDS[kind])
    if not begin <= end <= len(numbers) or end - begin != math.prod(shape) * dtype.itemsize:
        raise DamagedFile(file, "lies outside of the file or has another size", key=name, fix=_FIX)
    raw = np.frombuffer(numbers[begin:end], dtype).reshape(shape)
    return (raw.astype("<u4") << 16).view("<f4") if kind == "BF16" else raw


def _counts(value: Any) -> TypeGuard[list[int]]:
    """Return whether a value is a list of counts."""
    return isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)
