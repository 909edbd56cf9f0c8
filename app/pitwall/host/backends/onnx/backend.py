"""onnxruntime's lane: policies, encoders and detectors."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.host.backends.admission import admit_onnx
from pitwall.host.backends.onnx.detector import ObjectDetector
from pitwall.host.backends.onnx.session import DTYPES, Session
from pitwall.host.backends.onnx.text_encoder import Encoder
from pitwall.host.requests.backend import BackendContext, embedded
from pitwall.host.requests.faults import BadInput, WrongKind
from pitwall.host.requests.job import Job, Reply
from pitwall.models.host_requests import (
    Detect,
    Embed,
    LoadModel,
    OnnxRan,
    RunOnnx,
    Tensor,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec


class OnnxBackend:
    """All ONNX models of this process, keyed by the content of their files."""

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._sessions: dict[str, Session] = {}
        self._encoders: dict[str, Encoder] = {}
        self._detectors: dict[str, ObjectDetector] = {}

    def answer(self, job: Job) -> Reply:
        request = job.request
        if isinstance(request, RunOnnx):
            return self._run(request, job.blob)
        if isinstance(request, Detect):
            return self._detector(request.model).look(request, job.blob), b""
        if isinstance(request, Embed):
            return self._embed(request)
        if isinstance(request, Tokenise):
            encoder = self._encoder(request.model)
            return Tokenised(request_id=request.request_id, counts=encoder.counts(request.texts)), b""
        if isinstance(request, LoadModel):
            self._session(request.model)
            return self._context.loaded(request.request_id)
        if isinstance(request, UnloadModel):
            if self._drop(request.name):
                self._tell()
            return self._context.loaded(request.request_id)
        raise WrongKind(f"an ONNX model cannot answer {request.kind}.", "Use a GGUF model or an endpoint.")

    def _run(self, request: RunOnnx, blob: bytes) -> Reply:
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

    def _embed(self, request: Embed) -> Reply:
        started = time.monotonic()
        encoder = self._encoder(request.model)
        rows = encoder.embed(request.texts)
        device = self._sessions[request.model.name].device
        return embedded(request.request_id, rows, device=device, started=started)

    def _encoder(self, spec: ModelSpec) -> Encoder:
        session = self._session(spec)
        if spec.name not in self._encoders:
            self._encoders[spec.name] = Encoder(spec, tuple(session.inputs), session.run)
        return self._encoders[spec.name]

    def _detector(self, spec: ModelSpec) -> ObjectDetector:
        session = self._session(spec)
        if spec.name not in self._detectors:
            self._detectors[spec.name] = ObjectDetector(session)
        return self._detectors[spec.name]

    def _session(self, spec: ModelSpec) -> Session:
        known = self._sessions.get(spec.name)
        if known is not None and _content(known.spec) == _content(spec):
            return known
        admit_onnx(spec)
        session = Session(spec)
        self._drop(spec.name)
        self._sessions[spec.name] = session
        self._tell()
        return session

    def _drop(self, name: str) -> bool:
        self._encoders.pop(name, None)
        self._detectors.pop(name, None)
        return self._sessions.pop(name, None) is not None

    def _tell(self) -> None:
        self._context.put(tuple(session.report() for session in self._sessions.values()))


def arrays(tensors: Sequence[Tensor], blob: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that a blob holds.

    Raises:
        BadInput: an unknown type, a negative shape, or another length than they need.
    """
    decoded: dict[str, NDArray[Any]] = {}
    at = 0
    for tensor in tensors:
        if tensor.dtype not in DTYPES.values():
            raise BadInput(f"{tensor.name!r} has the type {tensor.dtype!r}; float32 and its like are known.")
        if min(tensor.shape, default=1) < 0 or tensor.name in decoded:
            raise BadInput(f"{tensor.name!r} {list(tensor.shape)} comes twice or has a negative shape.")
        dtype = np.dtype(tensor.dtype)
        size = math.prod(tensor.shape) * dtype.itemsize
        if at + size > len(blob):
            raise BadInput(f"the arrays need more than the {len(blob):,} bytes that came.")
        data = blob[at : at + size]
        decoded[tensor.name] = np.frombuffer(data, dtype).reshape(tensor.shape)
        at += size
    if at != len(blob):
        raise BadInput(f"{len(blob):,} bytes came for arrays of {at:,}.")
    return decoded


def _content(spec: ModelSpec) -> tuple[object, ...]:
    file = spec.sha256 or (spec.path, spec.size_bytes, spec.mtime_ns)
    return file, spec.gpu_layers == 0, spec.threads
