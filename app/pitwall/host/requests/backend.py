"""What stands between a lane and its library: what is asked of the one, and given to the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pitwall.host.requests.job import Job
from pitwall.host.requests.outbox import Outbox, Reply
from pitwall.models.host_requests import Loaded, LoadedModel


class Backend(Protocol):
    """One library, as its lane uses it."""

    def answer(self, job: Job) -> Reply:
        """The reply to one request, with its blob. What it raises becomes a `HostFault`."""
        ...


class LoadedModels:
    """What is loaded, over all lanes. Tells the asker by itself when it changes."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._lock = threading.Lock()
        self._lanes: dict[str, tuple[LoadedModel, ...]] = {}

    @property
    def models(self) -> tuple[LoadedModel, ...]:
        """Every model that the host holds now."""
        with self._lock:
            return self._all()

    def put(self, lane: str, models: tuple[LoadedModel, ...]) -> None:
        """A lane says what it holds."""
        with self._lock:
            before = self._all()
            self._lanes[lane] = models
            if self._all() != before:
                self._outbox.put(Loaded(request_id=0, models=self._all()))

    def answer(self, request_id: int) -> Reply:
        """The answer to a request that loads or unloads."""
        return Loaded(request_id=request_id, models=self.models), b""

    def _all(self) -> tuple[LoadedModel, ...]:
        return tuple(model for models in self._lanes.values() for model in models)


@dataclass(frozen=True, kw_only=True)
class BackendContext:
    """What a backend is given: where to say what it holds, and how to let more urgent work go first.

    Attributes:
        put: says what this lane holds now.
        loaded: the answer to a request that loads or unloads.
        serve_urgent: (job, fits): answer, here and now, whatever is more urgent than the job and fits.
        models_dir: folder where verdicts are kept; None: they are forgotten at the end.
    """

    put: Callable[[tuple[LoadedModel, ...]], None]
    loaded: Callable[[int], Reply]
    serve_urgent: Callable[[Job, Callable[[Job], bool]], None]
    models_dir: Path | None = None
