"""Schedules requests: one lane for each library, each with its queue and its threads.

A lane's library is imported when the lane gets its first request, so a host that only reads text
never loads llama.cpp. llama.cpp and ONNX compute one thing at a time; endpoints are waited for by
several threads. Detectors have a lane of their own: the next frame must not wait for an embedding.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.host.requests.backend import Backend, BackendContext, LoadedModels
from pitwall.host.requests.faults import fault_of
from pitwall.host.requests.job import Job, JobQueue, Outbox
from pitwall.host.subnormals import flush_subnormals
from pitwall.models.host_requests import Cancel, Detect, HostRequest, ReadText, UnloadModel
from pitwall.models.spec import ModelKind

_ENDPOINTS_AT_ONCE = 4


class BackendQueue:
    """A queue and the threads that work on it; both start with the first request."""

    def __init__(
        self,
        name: str,
        make: Callable[[BackendContext], Backend],
        loaded_models: LoadedModels,
        models_dir: Path | None,
        threads: int,
    ) -> None:
        self._name = name
        self._make = make
        self._most = threads
        self._waiting = JobQueue()
        self._threads: list[threading.Thread] = []
        self._making = threading.Lock()
        self._backend: Backend | None = None
        self._context = BackendContext(
            put=lambda models: loaded_models.put(name, models),
            loaded=loaded_models.answer,
            serve_urgent=self._serve_urgent,
            models_dir=models_dir,
        )

    def add(self, job: Job) -> None:
        if len(self._threads) < self._most:
            thread = threading.Thread(
                target=self._work, name=f"{self._name} {len(self._threads)}", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        self._waiting.add(job)

    def close(self, timeout_s: float) -> bool:
        """Take no more; whether every thread ended in time."""
        self._waiting.close()
        for thread in self._threads:
            thread.join(timeout_s)
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        flush_subnormals()
        while (job := self._waiting.take()) is not None:
            self._serve(job)

    def _serve(self, job: Job) -> None:
        request_id = job.request.request_id
        try:
            reply, blob = self._made().answer(job)
        except Exception as error:
            if job.stopped:
                job.answer_stopped()
            job.answer(fault_of(request_id, error))
        else:
            job.answer(reply, blob)

    def _made(self) -> Backend:
        with self._making:
            if self._backend is None:
                self._backend = self._make(self._context)
            return self._backend

    def _serve_urgent(self, job: Job, fits: Callable[[Job], bool]) -> None:
        while (urgent := self._waiting.take_above(job.priority, fits)) is not None:
            self._serve(urgent)


class Scheduler:
    """Runs all lanes of a host."""

    def __init__(self, outbox: Outbox, models_dir: Path | None) -> None:
        self._loaded_models = LoadedModels(outbox)
        self._models_dir = models_dir
        self._text = self._lane("text", _text)
        self._by_kind: dict[ModelKind, BackendQueue] = {
            "gguf": self._lane("llama", _llama),
            "onnx": self._lane("onnx", _onnx),
            "remote": self._lane("remote", _remote, threads=_ENDPOINTS_AT_ONCE),
        }
        self._detection = self._lane("detection", _onnx)
        self._last_lane: dict[str, BackendQueue] = {}

    def add(self, job: Job) -> None:
        request = job.request
        if isinstance(request, UnloadModel) and request.name not in self._last_lane:
            job.answer(*self._loaded_models.answer(request.request_id))
            return
        self._lane_of(request).add(job)

    def close(self, timeout_s: float) -> bool:
        """Take no more; whether every thread ended in time."""
        lanes = (self._text, self._detection, *self._by_kind.values())
        return all([lane.close(timeout_s) for lane in lanes])

    def _lane(
        self, name: str, make: Callable[[BackendContext], Backend], *, threads: int = 1
    ) -> BackendQueue:
        return BackendQueue(name, make, self._loaded_models, self._models_dir, threads)

    def _lane_of(self, request: HostRequest) -> BackendQueue:
        if isinstance(request, ReadText | Cancel):
            return self._text
        if isinstance(request, UnloadModel):
            return self._last_lane[request.name]
        lane = self._by_kind[request.model.kind]
        if isinstance(request, Detect) and request.model.kind == "onnx":
            lane = self._detection
        self._last_lane[request.model.name] = lane
        return lane


def _text(_context: BackendContext) -> Backend:
    from pitwall.host.backends.ocr import TextRecogniser

    return TextRecogniser()


def _llama(context: BackendContext) -> Backend:
    try:
        from pitwall.host.backends.gguf.backend import LlamaBackend
    except ModuleNotFoundError as missing:
        if missing.name != "llama_cpp":
            raise
        raise PitwallError(
            "llama.cpp is not installed here: no GGUF model can be run.",
            "Play by the skills, or by a model that Ollama or LM Studio serves; or install it (on Windows "
            "with Visual Studio's C++ build tools): pip install llama-cpp-python.",
        ) from None
    return LlamaBackend(context)


def _onnx(context: BackendContext) -> Backend:
    from pitwall.host.backends.onnx.backend import OnnxBackend

    return OnnxBackend(context)


def _remote(context: BackendContext) -> Backend:
    from pitwall.host.backends.remote import RemoteBackend

    return RemoteBackend(context)
