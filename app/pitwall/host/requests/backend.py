"""The interface between a lane of the host and the library that answers its requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall.host.requests.job import Job, Outbox, Reply
from pitwall.models.host_requests import Embedded, Loaded, LoadedModel


class Backend(Protocol):
    """Declares a library as its lane uses it."""

    def answer(self, job: Job) -> Reply:
        """Return the reply to one request, with its blob. What it raises becomes a `HostFault`."""
        ...


class LoadedModels:
    """Lists the loaded models over all lanes, and reports every change to the client."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._lock = threading.Lock()
        self._lanes: dict[str, tuple[LoadedModel, ...]] = {}

    @property
    def models(self) -> tuple[LoadedModel, ...]:
        with self._lock:
            return self._all()

    def put(self, lane: str, models: tuple[LoadedModel, ...]) -> None:
        with self._lock:
            before = self._all()
            self._lanes[lane] = models
            if self._all() != before:
                self._outbox.put(Loaded(request_id=0, models=self._all()))

    def answer(self, request_id: int) -> Reply:
        """Return the answer to a request that loads or unloads."""
        return Loaded(request_id=request_id, models=self.models), b""

    def _all(self) -> tuple[LoadedModel, ...]:
        return tuple(model for models in self._lanes.values() for model in models)


@dataclass(frozen=True, kw_only=True)
class BackendContext:
    """Lets a backend report its loaded models, and yield to more urgent work.

    Attributes:
        loaded: the answer to a request that loads or unloads.
        serve_urgent: (job, fits): answer, here and now, whatever is more urgent than the job and fits.
        models_dir: folder where verdicts are kept; None: they are forgotten at the end.
    """

    put: Callable[[tuple[LoadedModel, ...]], None]
    loaded: Callable[[int], Reply]
    serve_urgent: Callable[[Job, Callable[[Job], bool]], None]
    models_dir: Path | None = None


def embedded(
    request_id: int, rows: NDArray[np.float32], *, device: str, started: float, normalise: bool = False
) -> Reply:
    """Return the answer to a request for embeddings.

    Args:
        rows: texts × width.
        started: when its making began, seconds of the monotonic clock.
        normalise: bring each row to length 1; one of zeros stays.
    """
    if normalise:
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)
    reply = Embedded(
        request_id=request_id,
        count=len(rows),
        width=rows.shape[1],
        device=device,
        took_ms=(time.monotonic() - started) * 1e3,
    )
    return reply, rows.tobytes()
