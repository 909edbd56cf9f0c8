"""A run that is not in the run log: a demonstration, which is kept by itself, beside others' runs."""

from __future__ import annotations

from pitwall.core.frames import Pixels
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord
from pitwall.engine.inference.model_calls import SettledCall

NO_RUN = 0
"""Number of a run that the log does not know."""


class Unlogged:
    """Keeps nothing; with the interface of `Recorder`, as far as a run uses it."""

    wants_video = False

    def begin(self, manifest: RunManifest, settings: RecordingSettings) -> int:  # noqa: ARG002
        return NO_RUN

    def step(self, step: StepRecord, pixels: Pixels | None) -> None:
        """Keep nothing."""

    def event(self, event: RunEvent) -> None:
        """Keep nothing."""

    def call(self, settled: SettledCall) -> None:
        """Keep nothing."""

    def retrieval(self, retrieval: Retrieval) -> None:
        """Keep nothing."""

    def reflex(self, reflex: ReflexRecord) -> None:
        """Keep nothing."""

    def video(self, at_ns: int, pixels: Pixels) -> None:
        """Keep nothing."""

    def retry(self) -> None:
        """Nothing waits."""

    def finish(self, summary: RunSummary, keys_down: int) -> None:
        """Nothing is left to write."""
