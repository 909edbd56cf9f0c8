"""Tries a module's new version in the host: a bad policy file can end the process that loads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import PitwallError
from pitwall.engine.inference.host_link import HostConnection
from pitwall.gsm.inference import BadPolicy, input_shapes
from pitwall.gsm.pixel_manifest import PixelPolicy, PixelSpace
from pitwall.gsm.pixels.probe import require_rate
from pitwall.gsm.pixels.runner import spec_of
from pitwall.gsm.version_record import MeasuredRate, VersionRecord
from pitwall.models.host_requests import HostFault, HostReply, OnnxRan, RunOnnx, UnloadModel
from pitwall.models.spec import ModelSpec
from pitwall.models.tensors import packed

_PATIENCE_NS = 60 * NS_PER_S
"""For the host: to start on a busy machine, and to try a policy."""
_TRIES = 25
"""Decisions of a pixel policy on trial; the first, which loads it, does not count."""


@dataclass(slots=True)
class Candidate:
    """A version on trial.

    Attributes:
        generation: of the host that tries it. until_ns: deadline of the trial.
        times: durations of a pixel policy's decisions on trial, in ms.
    """

    name: str
    version: str
    about: VersionRecord
    file: Path
    content: bytes = b""
    generation: int = 0
    until_ns: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def pixels(self) -> PixelPolicy | None:
        """Return the manifest of a pixel policy; None for others."""
        return self.about.learned.pixels if isinstance(self.about.learned, PixelSpace) else None

    @property
    def first_inputs(self) -> dict[str, NDArray[Any]]:
        """Return inputs to try it with; none for a version without a space."""
        if self.pixels is not None:
            return self.pixels.first_inputs()
        shapes = input_shapes(self.about.learned) if self.about.learned is not None else {}
        return {name: np.zeros(shape, kind) for name, (shape, kind) in shapes.items()}

    @property
    def spec(self) -> ModelSpec:
        """Return the policy's specification for the host."""
        if self.pixels is not None:
            return spec_of(self.pixels, self.file)
        return ModelSpec(
            name=f"policy {self.about.game_id}/{self.name} {self.version}",
            kind="onnx",
            path=str(self.file),
            sha256=self.about.policy_sha256,
            gpu_layers=0,
            threads=1,
        )


class PolicyTrials:
    """Tries candidates in the host, without waiting.

    Args:
        passed: called with each candidate that the host could run.
        refused: called with each candidate that failed, and its error.
    """

    def __init__(
        self,
        host: HostConnection,
        *,
        passed: Callable[[Candidate], None],
        refused: Callable[[Candidate, PitwallError], None],
    ) -> None:
        self._host, self._passed, self._refused = host, passed, refused
        self._unsent: list[Candidate] = []
        self._asked: dict[int, Candidate] = {}
        self._last_id = 0

    def add(self, candidate: Candidate) -> None:
        """Try a candidate from now on."""
        candidate.until_ns = now_ns() + _PATIENCE_NS
        self._unsent.append(candidate)

    def follow(self, now: int) -> None:
        """Send candidates to the host, and take its answers."""
        for candidate in list(self._unsent):
            tensors, blob = packed(candidate.first_inputs)
            self._last_id += 1
            request = RunOnnx(request_id=self._last_id, model=candidate.spec, inputs=tensors)
            if self._host.send(request, blob):
                self._unsent.remove(candidate)
                candidate.generation = self._host.generation
                self._asked[self._last_id] = candidate
            elif now > candidate.until_ns:
                self._unsent.remove(candidate)
                self._refused(candidate, BadPolicy(f"{candidate.file} could not be tried: no host starts."))
        for reply in self._host.pump():
            if tried := self._asked.pop(reply.request_id, None):
                self._take(tried, reply)
        for number, candidate in list(self._asked.items()):
            died = candidate.generation != self._host.generation
            if died or now > candidate.until_ns:
                del self._asked[number]
                why = "ended the host that tried it" if died else "was not answered for"
                self._refused(candidate, BadPolicy(f"{candidate.file} {why}.", "Train it again."))

    def _take(self, candidate: Candidate, reply: HostReply) -> None:
        match reply:
            case OnnxRan() if candidate.pixels is not None:
                self._measure(candidate, candidate.pixels, reply)
            case OnnxRan():
                self._last_id += 1
                self._host.send(UnloadModel(request_id=self._last_id, name=candidate.spec.name))
                self._passed(candidate)
            case HostFault():
                self._refused(candidate, BadPolicy(reply.what, reply.fix))
            case _:
                self._refused(candidate, BadPolicy(f"{candidate.file}: the host answered {reply.kind}."))

    def _measure(self, candidate: Candidate, pixels: PixelPolicy, reply: OnnxRan) -> None:
        """Let a pixel policy decide several times: it may drive only if it keeps up with its rate."""
        candidate.times.append(reply.took_ms)
        if len(candidate.times) < _TRIES:
            self._unsent.append(candidate)
            return
        p50, p95 = (float(np.percentile(candidate.times[1:], share)) for share in (50, 95))
        rate = MeasuredRate(p50_ms=p50, p95_ms=p95, hz=pixels.picture.hz, device=reply.device)
        try:
            require_rate(f"{candidate.name} {candidate.version}", rate)
        except BadPolicy as error:
            self._refused(candidate, error)
        else:
            self._passed(candidate)
