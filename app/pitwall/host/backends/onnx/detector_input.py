"""Lays a picture into a detector's input, and maps boxes back out of it."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.host.backends.onnx.session import DTYPES, Session
from pitwall.host.requests.faults import WrongKind
from pitwall.models.files.onnx_header import beside

PREPROCESSOR = "preprocessor_config.json"
_USUAL_SIDE = 640
_STRIDE = 32
_GREY = 114.0
"""What YOLO's own training puts around a picture that has another shape."""
_TEXT_INPUTS = frozenset({"input_ids", "attention_mask"})
_CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
_CLIP_STD = (0.26862954, 0.26130258, 0.27577711)


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """Describes the inputs that a family of detectors was trained with.

    Attributes:
        keeps_shape: the picture keeps its proportions and is padded; else it is stretched.
        centred: the padding is on both sides; else to the right and below.
        fill: of the padding, 0 … 255. mean, std: of red, green and blue, in shares of 255.
        side: of an input whose size the graph leaves open.
    """

    keeps_shape: bool = True
    centred: bool = True
    fill: float = _GREY
    mean: tuple[float, ...] = (0.0, 0.0, 0.0)
    std: tuple[float, ...] = (1.0, 1.0, 1.0)
    side: int = _USUAL_SIDE


@dataclass(frozen=True, slots=True)
class InputPlacement:
    """Locates a picture in the input.

    Attributes:
        size: width and height of the input. fit: of the picture in it. corner: its upper left one.
        scale: input pixels for each of the picture's, across and down.
    """

    size: tuple[int, int]
    fit: tuple[int, int]
    corner: tuple[int, int]
    scale: tuple[float, float]

    def to_picture(self, boxes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Convert corners in input pixels to corners in the picture's: (n, 4)."""
        scale = np.asarray(self.scale * 2, np.float32)
        return np.asarray((boxes - np.asarray(self.corner * 2, np.float32)) / scale, np.float32)


class PictureInput:
    """The picture's input of a model.

    Args:
        size: width and height; 0 if the graph leaves them open.
        channels_last: [1, height, width, 3] instead of [1, 3, height, width].
    """

    def __init__(
        self, name: str, dtype: str, size: tuple[int, int], habit: Preprocessing, *, channels_last: bool
    ) -> None:
        self.name = name
        self._dtype = np.dtype(dtype)
        self._size = size
        self._habit = habit
        self._channels_last = channels_last
        raw = self._dtype.kind in "ui"  # whole numbers: scaled inside the graph
        self._gain = np.asarray([1.0 if raw else 1 / (255 * std) for std in habit.std], np.float32)
        self._lift = np.asarray(
            [0.0 if raw else -mean / std for mean, std in zip(habit.mean, habit.std, strict=True)], np.float32
        )
        self._laid: tuple[InputPlacement, NDArray[np.float32]] | None = None

    def prepare(self, picture: NDArray[np.uint8]) -> tuple[NDArray[Any], InputPlacement]:
        """Convert a BGR picture, (height, width, 3), for the model. Valid until the next call."""
        view = self._view(picture.shape[1], picture.shape[0])
        if view.fit != (picture.shape[1], picture.shape[0]):
            resized = cv2.resize(picture, view.fit, interpolation=cv2.INTER_LINEAR)
            picture = np.asarray(resized, np.uint8)
        planes = self._planes(view)
        (left, top), (width, height) = view.corner, view.fit
        for channel, plane in enumerate(reversed(cv2.split(picture))):  # blue first becomes red first
            inside = planes[0, channel, top : top + height, left : left + width]
            np.multiply(plane, self._gain[channel], out=inside)
            if self._lift[channel]:
                inside += self._lift[channel]
        tensor = np.ascontiguousarray(planes.transpose(0, 2, 3, 1)) if self._channels_last else planes
        return tensor.astype(self._dtype, copy=False), view

    def _planes(self, view: InputPlacement) -> NDArray[np.float32]:
        """Return the padded planes, kept between calls; the picture always covers the same part of them."""
        if self._laid is None or self._laid[0] != view:
            planes = np.empty((1, 3, view.size[1], view.size[0]), np.float32)
            planes[:] = (self._habit.fill * self._gain + self._lift)[None, :, None, None]
            self._laid = (view, planes)
        return self._laid[1]

    def _view(self, width: int, height: int) -> InputPlacement:
        size = self._size
        if not all(size):
            scale = self._habit.side / max(width, height)
            open_ = tuple(_up(max(1, round(side * scale))) for side in (width, height))
            size = (size[0] or open_[0], size[1] or open_[1])
        fit, corner = size, (0, 0)
        if self._habit.keeps_shape:
            scale = min(size[0] / width, size[1] / height)
            fit = (max(1, min(size[0], round(width * scale))), max(1, min(size[1], round(height * scale))))
            if self._habit.centred:
                corner = ((size[0] - fit[0]) // 2, (size[1] - fit[1]) // 2)
        return InputPlacement(size, fit, corner, (fit[0] / width, fit[1] / height))


def picture_input_of(session: Session) -> PictureInput:
    """Return which input of a model takes the picture.

    Raises:
        WrongKind: the model takes something else, which the error names.
    """
    words = "input_ids" in session.inputs
    others = [name for name in session.inputs if name not in _TEXT_INPUTS or not words]
    takes = ", ".join(f"{name} {list(node.shape)}" for name, node in session.inputs.items())
    trouble = WrongKind(
        f"{session.spec.name} takes {takes}: it is no detector that is known.",
        "Export it with one picture as its input, [1, 3, height, width].",
    )
    if len(others) != 1:
        raise trouble
    node = session.inputs[others[0]]
    shape = list(node.shape)
    if len(shape) != 4 or node.type not in DTYPES or (isinstance(shape[0], int) and shape[0] != 1):
        raise trouble
    channels_last = shape[3] == 3 and shape[1] != 3
    if not channels_last and shape[1] not in (3, None) and not isinstance(shape[1], str):
        raise trouble
    height, width = (
        side if isinstance(side, int) else 0 for side in (shape[1:3] if channels_last else shape[2:])
    )
    habit = _word_habit(session) if words else Preprocessing(side=_side(session))
    return PictureInput(others[0], DTYPES[node.type], (width, height), habit, channels_last=channels_last)


def _side(session: Session) -> int:
    """Return the side length that the model was exported for, as the export notes it."""
    try:
        noted = ast.literal_eval(session.native.get_modelmeta().custom_metadata_map.get("imgsz", ""))
    except (ValueError, SyntaxError):
        return _USUAL_SIDE
    sides = [
        side for side in (noted if isinstance(noted, list | tuple) else [noted]) if isinstance(side, int)
    ]
    return _up(max(sides)) if sides and 0 < max(sides) <= 4096 else _USUAL_SIDE


def _word_habit(session: Session) -> Preprocessing:
    """Return how a model resizes (OWL-ViT stretches, OWLv2 pads below and right); colours as for CLIP."""
    try:
        config = json.loads(beside(Path(session.spec.path), PREPROCESSOR).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = {}
    config = config if isinstance(config, dict) else {}
    kind = f"{config.get('image_processor_type', '')} {config.get('feature_extractor_type', '')}".lower()
    size = config.get("size")
    side = size.get("height") if isinstance(size, dict) else size
    padded = "owlv2" in kind
    return Preprocessing(
        keeps_shape=padded,
        centred=False,
        fill=127.5,
        mean=_three(config.get("image_mean"), _CLIP_MEAN),
        std=_three(config.get("image_std"), _CLIP_STD),
        side=side if isinstance(side, int) and 32 <= side <= 4096 else (960 if padded else 768),
    )


def _three(values: Any, usual: Sequence[float]) -> tuple[float, ...]:
    fits = (
        isinstance(values, list)
        and len(values) == 3
        and all(isinstance(value, int | float) for value in values)
    )
    return tuple(float(value) for value in values) if fits else tuple(usual)


def _up(side: int) -> int:
    return math.ceil(side / _STRIDE) * _STRIDE
