"""Runs a pixel policy in a host process, outside the loop: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import PixelPolicy
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import HostFault, HostReply, OnnxRan, RunOnnx
from pitwall.models.spec import ModelSpec
from pitwall.models.tensors import packed, unpacked

Arrays = dict[str, NDArray[Any]]
_THREADS = 2
_TIMEOUT_S = 120.0


class PixelRunner(Protocol):
    """Decides one picture after another, without blocking."""

    @property
    def busy(self) -> bool:
        """Return whether a question is open, or its answer was not taken yet."""
        ...

    @property
    def answered(self) -> bool:
        """Return whether `answer` would return one."""
        ...

    def ask(self, inputs: Mapping[str, NDArray[Any]]) -> None: ...

    def answer(self) -> Arrays | None:
        """Return the outputs of the last question, once; None: not yet.

        Raises:
            BadPolicy: it cannot be run.
        """
        ...

    def drop(self) -> None:
        """Forget the question."""
        ...


class HostLetters(Protocol):
    """A connection with a host process, like `engine.inference.host_link.HostConnection`."""

    @property
    def generation(self) -> int: ...
    def send(self, request: RunOnnx, blob: bytes = b"") -> bool: ...
    def pump_letters(self) -> list[tuple[HostReply, bytes]]: ...


class LinkedRunner:
    """A `PixelRunner` that has the engine's model host compute the policy's outputs."""

    def __init__(self, host: HostLetters, spec: ModelSpec) -> None:
        self._host, self._spec = host, spec
        self._last = self._asked = self._generation = 0
        self._came: Arrays | PitwallError | None = None

    @property
    def busy(self) -> bool:
        self._listen()
        return bool(self._asked) or self._came is not None

    @property
    def answered(self) -> bool:
        self._listen()
        return self._came is not None

    def ask(self, inputs: Mapping[str, NDArray[Any]]) -> None:
        """See `PixelRunner`; while the host is dead nothing is sent, and the next frame tries again."""
        tensors, blob = packed(inputs)
        self._last += 1
        if self._host.send(RunOnnx(request_id=self._last, model=self._spec, inputs=tensors), blob):
            self._asked, self._generation = self._last, self._host.generation

    def answer(self) -> Arrays | None:
        self._listen()
        came, self._came = self._came, None
        if isinstance(came, PitwallError):
            raise came
        return came

    def drop(self) -> None:
        self._asked, self._came = 0, None

    def _listen(self) -> None:
        for reply, blob in self._host.pump_letters():
            if reply.request_id != self._asked:
                continue
            self._asked = 0
            if isinstance(reply, OnnxRan):
                self._came = unpacked(reply.outputs, blob)
            elif isinstance(reply, HostFault):
                self._came = BadPolicy(reply.what, reply.fix)
        if self._asked and self._generation != self._host.generation:
            self._asked = 0  # that host died: the next frame asks again


class WaitingRunner:
    """Asks a host of its own and waits for it, for callers without a loop; a `PixelRunner`.

    Attributes:
        took_ms: time of the newest decision, in the host. device: that ran it.
    """

    def __init__(self, host: HostClient, spec: ModelSpec) -> None:
        self._host, self._spec = host, spec
        self._came: Arrays | None = None
        self.took_ms = 0.0
        self.device = ""

    @property
    def busy(self) -> bool:
        return self._came is not None

    @property
    def answered(self) -> bool:
        return self._came is not None

    def ask(self, inputs: Mapping[str, NDArray[Any]]) -> None:
        """See `PixelRunner`.

        Raises:
            RequestFailed, ChildDied: the host refused, or crashed.
        """
        tensors, blob = packed(inputs)
        request = RunOnnx(request_id=self._host.number(), model=self._spec, inputs=tensors)
        reply = self._host.answer(request, blob, kind=OnnxRan, timeout_s=_TIMEOUT_S)
        self._came = unpacked(reply.outputs, self._host.blob)
        self.took_ms, self.device = reply.took_ms, reply.device

    def answer(self) -> Arrays | None:
        came, self._came = self._came, None
        return came

    def drop(self) -> None:
        self._came = None


def spec_of(policy: PixelPolicy, file: Path) -> ModelSpec:
    """Return the specification by which the host loads a policy: on the GPU where there is one."""
    return ModelSpec(
        name=f"pixel policy {policy.name} {policy.sha256[:12]}",
        kind="onnx",
        path=str(file),
        sha256=policy.sha256,
        gpu_layers=-1,
        threads=_THREADS,
    )
