"""onnxruntime's lane: policies and encoders, on CUDA where it is present, else on the CPU."""

from __future__ import annotations

import ctypes
import math
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pitwall.core.errors import nearest
from pitwall.host.admission import admit_onnx
from pitwall.host.desk import Desk
from pitwall.host.encoder import Encoder
from pitwall.host.faults import BadInput, ModelFailed, WrongKind
from pitwall.host.jobs import Job
from pitwall.host.outbox import Letter
from pitwall.models.requests import (
    Embed,
    Embedded,
    LoadedModel,
    LoadModel,
    OnnxRan,
    RunOnnx,
    Tensor,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec

_DTYPES = {
    "tensor(float)": "float32",
    "tensor(float16)": "float16",
    "tensor(double)": "float64",
    "tensor(int8)": "int8",
    "tensor(uint8)": "uint8",
    "tensor(int16)": "int16",
    "tensor(uint16)": "uint16",
    "tensor(int32)": "int32",
    "tensor(uint32)": "uint32",
    "tensor(int64)": "int64",
    "tensor(uint64)": "uint64",
    "tensor(bool)": "bool",
}
_QUIET = 4
"""Only what is fatal is printed; the rest comes as errors."""


class Session:
    """One ONNX model, loaded.

    Raises:
        ModelFailed: onnxruntime refuses it.
    """

    def __init__(self, spec: ModelSpec) -> None:
        began = time.monotonic()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _QUIET
        options.intra_op_num_threads = max(1, spec.threads)  # models of a frame are quickest with one
        options.inter_op_num_threads = 1
        try:
            self.native = onnxruntime.InferenceSession(
                spec.path, options, providers=_providers(spec.gpu_layers)
            )
        except Exception as error:  # its own exceptions have no common root, and some are UnicodeDecodeError
            raise ModelFailed(
                f"{spec.path} cannot be loaded: {error}.", "Export or download it again."
            ) from error
        self.spec = spec
        self.device = _device(self.native.get_providers())
        self.inputs = {node.name: node for node in self.native.get_inputs()}
        self.load_ms = (time.monotonic() - began) * 1e3
        self.encoder: Encoder | None = None

    def run(self, inputs: dict[str, NDArray[Any]]) -> tuple[list[str], list[NDArray[Any]]]:
        """Names and values of the outputs.

        Raises:
            ModelFailed: onnxruntime cannot.
        """
        names = [node.name for node in self.native.get_outputs()]
        try:
            return names, [np.asarray(value) for value in self.native.run(names, inputs)]
        except Exception as error:
            raise ModelFailed(f"{self.spec.name} cannot be run: {error}.") from error

    def check(self, inputs: dict[str, NDArray[Any]]) -> None:
        """Compare names, types and shapes with what the model takes.

        Raises:
            BadInput: says which, and what fits.
        """
        for name in inputs.keys() - self.inputs.keys():
            near = nearest(name, self.inputs)
            raise BadInput(
                f"{self.spec.name} has no input {name!r}.",
                f"Did you mean {near!r}?" if near else f"It takes {', '.join(self.inputs)}.",
            )
        for name, node in self.inputs.items():
            if name not in inputs:
                raise BadInput(f"{self.spec.name} also takes the input {name!r} {node.shape}.")
            value, dtype = inputs[name], _DTYPES.get(node.type, node.type)
            if str(value.dtype) != dtype:
                raise BadInput(f"{name!r} of {self.spec.name} is {dtype}, not {value.dtype}.")
            fits = len(value.shape) == len(node.shape) and all(
                not isinstance(wanted, int) or wanted == given
                for wanted, given in zip(node.shape, value.shape, strict=True)
            )
            if not fits:
                raise BadInput(f"{name!r} of {self.spec.name} is {node.shape}, not {list(value.shape)}.")

    def report(self) -> LoadedModel:
        """How the operator sees it."""
        size = Path(self.spec.path).stat().st_size if Path(self.spec.path).exists() else 0
        return LoadedModel(name=self.spec.name, device=self.device, memory_bytes=size, load_ms=self.load_ms)


class OnnxBackend:
    """Every ONNX model of this process, kept by what is in its file."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions: dict[str, Session] = {}

    def answer(self, job: Job) -> Letter:
        """See `desk.Backend`."""
        request = job.request
        if isinstance(request, RunOnnx):
            return self._run(request, job.blob)
        if isinstance(request, Embed):
            return self._embed(request)
        if isinstance(request, Tokenise):
            encoder = self._encoder(request.model)
            return Tokenised(request_id=request.request_id, counts=encoder.counts(request.texts)), b""
        if isinstance(request, LoadModel):
            self._session(request.model)
            return self._desk.loaded(request.request_id)
        if isinstance(request, UnloadModel):
            if self._sessions.pop(request.name, None) is not None:
                self._tell()
            return self._desk.loaded(request.request_id)
        raise WrongKind(f"an ONNX model cannot answer {request.kind}.", "Use a GGUF model or an endpoint.")

    def _run(self, request: RunOnnx, blob: bytes) -> Letter:
        started = time.monotonic()
        session = self._session(request.model)
        inputs = arrays(request.inputs, blob)
        session.check(inputs)
        names, values = session.run(inputs)
        outputs = tuple(
            Tensor(name=name, shape=value.shape, dtype=str(value.dtype))
            for name, value in zip(names, values, strict=True)
        )
        reply = OnnxRan(
            request_id=request.request_id,
            outputs=outputs,
            device=session.device,
            took_ms=(time.monotonic() - started) * 1e3,
        )
        return reply, b"".join(value.tobytes() for value in values)

    def _embed(self, request: Embed) -> Letter:
        started = time.monotonic()
        encoder = self._encoder(request.model)
        rows = encoder.embed(request.texts)
        reply = Embedded(
            request_id=request.request_id,
            count=len(rows),
            width=rows.shape[1],
            device=self._sessions[request.model.name].device,
            took_ms=(time.monotonic() - started) * 1e3,
        )
        return reply, rows.tobytes()

    def _encoder(self, spec: ModelSpec) -> Encoder:
        session = self._session(spec)
        if session.encoder is None:
            session.encoder = Encoder(spec, tuple(session.inputs), session.run)
        return session.encoder

    def _session(self, spec: ModelSpec) -> Session:
        known = self._sessions.get(spec.name)
        if known is not None and _content(known.spec) == _content(spec):
            return known
        admit_onnx(spec)
        self._sessions[spec.name] = session = Session(spec)
        self._tell()
        return session

    def _tell(self) -> None:
        self._desk.put(tuple(session.report() for session in self._sessions.values()))


def arrays(tensors: Sequence[Tensor], blob: bytes) -> dict[str, NDArray[Any]]:
    """The arrays that a blob holds.

    Raises:
        BadInput: an unknown type, a negative shape, or another length than they need.
    """
    found: dict[str, NDArray[Any]] = {}
    at = 0
    for tensor in tensors:
        if tensor.dtype not in _DTYPES.values():
            raise BadInput(f"{tensor.name!r} has the type {tensor.dtype!r}; float32 and its like are known.")
        if min(tensor.shape, default=1) < 0 or tensor.name in found:
            raise BadInput(f"{tensor.name!r} {list(tensor.shape)} comes twice or has a negative shape.")
        dtype = np.dtype(tensor.dtype)
        size = math.prod(tensor.shape) * dtype.itemsize
        if at + size > len(blob):
            raise BadInput(f"the arrays need more than the {len(blob):,} bytes that came.")
        data = blob[at : at + size]
        found[tensor.name] = np.frombuffer(data, dtype).reshape(tensor.shape)
        at += size
    if at != len(blob):
        raise BadInput(f"{len(blob):,} bytes came for arrays of {at:,}.")
    return found


def _content(spec: ModelSpec) -> tuple[object, ...]:
    """What makes a session another one."""
    file = spec.sha256 or (spec.path, spec.size_bytes, spec.mtime_ns)
    return file, spec.gpu_layers == 0, spec.threads


def _providers(gpu_layers: int) -> list[str]:
    cuda = "CUDAExecutionProvider"
    wanted = gpu_layers != 0 and cuda in onnxruntime.get_available_providers() and _has_cuda()
    return [cuda, "CPUExecutionProvider"] if wanted else ["CPUExecutionProvider"]


def _device(providers: Sequence[str]) -> str:
    return "CUDA 0" if "CUDAExecutionProvider" in providers else "CPU"


@cache
def _has_cuda() -> bool:
    """Whether the driver's library is there; without it onnxruntime would print its disappointment."""
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    preload = getattr(onnxruntime, "preload_dlls", None)
    if preload is not None:
        preload()
    return True
