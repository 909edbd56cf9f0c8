"""Declares the [[detectors]] of a profile, by kind: they find things in the picture for `detected` fields."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pitwall.games.schema.fields import Box, Colour, Identifier, Table

MOTION = "motion"
"""The only label of a motion detector."""


class _DetectorBase(Table):
    name: Identifier = Field(description="Name that fields refer to")
    description: str = Field("", description="What it finds")
    box: Box | None = Field(None, description="Where it looks; None: the whole frame")
    most: int = Field(20, ge=1, le=200, description="Most detections of one frame, the surest first")


class ColourDetector(_DetectorBase):
    """Finds patches of colours, each colour with its own label."""

    kind: Literal["colour"] = Field(description="Kind of detector")
    colours: dict[str, Colour] = Field(min_length=1, description="Label → colour")
    tolerance: int = Field(30, ge=0, le=255, description="Difference of a colour's channel that still counts")
    least_px: int = Field(12, ge=1, description="Smaller patches are not seen (screen pixels)")
    join_px: int = Field(0, ge=0, le=200, description="Patches this near belong to one thing")


class TemplateDetector(_DetectorBase):
    """Finds pictures by normalised correlation, in several sizes."""

    kind: Literal["template"] = Field(description="Kind of detector")
    templates: dict[str, str] = Field(min_length=1, description="Label → picture file of the folder")
    threshold: float = Field(0.8, gt=0, le=1, description="Least correlation")
    scales: list[float] = Field(
        default_factory=lambda: [1.0],
        description="Sizes in which each picture is looked for, 1.0 being its own",
    )


class MotionDetector(_DetectorBase):
    """Finds patches that changed between the last two frames; label "motion"."""

    kind: Literal["motion"] = Field(description="Kind of detector")
    threshold: int = Field(25, ge=1, le=255, description="Least change of a pixel's brightness")
    least_px: int = Field(30, ge=1, description="Smaller patches are not seen (screen pixels)")
    join_px: int = Field(6, ge=0, le=200, description="Patches this near belong to one thing")


class OnnxDetector(_DetectorBase):
    """An object detector as ONNX, run by the host: any YOLO-style export, or one that takes words."""

    kind: Literal["onnx"] = Field(description="Kind of detector")
    model: str = Field(description="File of the folder (NAME.onnx), or a name of the model registry")
    labels: list[str] = Field(
        min_length=1,
        description="Class names in the order of the export; for an open-vocabulary model what to look for",
    )
    confidence: float = Field(0.35, gt=0, le=1, description="Least score")
    iou: float = Field(0.5, gt=0, le=1, description="Boxes of one label that overlap more are one")
    every_ms: int = Field(
        0,
        ge=0,
        le=10_000,
        description="A new frame is looked at this often; between two the last boxes stand",
    )

    @property
    def in_folder(self) -> bool:
        """Return whether `model` is a file of the folder."""
        return self.model.endswith(".onnx")


Detector = Annotated[
    ColourDetector | TemplateDetector | MotionDetector | OnnxDetector, Field(discriminator="kind")
]


def labels_of(detector: Detector) -> tuple[str, ...]:
    """Return every label that a detector may find."""
    match detector:
        case ColourDetector():
            return tuple(detector.colours)
        case TemplateDetector():
            return tuple(detector.templates)
        case MotionDetector():
            return (MOTION,)
        case OnnxDetector():
            return tuple(detector.labels)
