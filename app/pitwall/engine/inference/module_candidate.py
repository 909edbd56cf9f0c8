"""A version of a module on its way to drive: what the host is asked to try it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.gsm.inference import input_shapes
from pitwall.gsm.pixel_manifest import PixelPolicy, PixelSpace
from pitwall.gsm.pixels.runner import spec_of
from pitwall.gsm.version_record import VersionRecord
from pitwall.models.spec import ModelSpec


@dataclass(slots=True)
class Candidate:
    """Holds a version that is tried.

    Attributes:
        sent, generation: the request that tries it, and of which host. until_ns: how long that may take.
        times: of a pixel policy's decisions on trial, in ms.
    """

    name: str
    version: str
    about: VersionRecord
    file: Path
    content: bytes = b""
    sent: int = 0
    generation: int = 0
    until_ns: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def pixels(self) -> PixelPolicy | None:
        """The manifest of a pixel policy; None for others."""
        return self.about.learned.pixels if isinstance(self.about.learned, PixelSpace) else None

    @property
    def first_inputs(self) -> dict[str, NDArray[Any]]:
        """Inputs to try it with; none for a version without a space."""
        if self.pixels is not None:
            return self.pixels.first_inputs()
        shapes = input_shapes(self.about.learned) if self.about.learned is not None else {}
        return {name: np.zeros(shape, kind) for name, (shape, kind) in shapes.items()}

    @property
    def spec(self) -> ModelSpec:
        """The policy as the host knows it."""
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
