"""Object detectors: any YOLO-style export, and detectors that take words."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import non_maximum_suppression
from pitwall.host.backends.onnx.detector_input import PictureInput, picture_input_of
from pitwall.host.backends.onnx.detector_output import Candidates, read_outputs, read_words
from pitwall.host.backends.onnx.detector_prompts import DetectorPrompts
from pitwall.host.backends.onnx.session import Session
from pitwall.host.backends.pictures import raw_picture
from pitwall.host.requests.faults import BadInput, ModelFailed
from pitwall.models.host_requests import Detect, Detected, FoundBox

_MOST_CANDIDATES = 1_000
"""The surest boxes that are compared with one another."""


class ObjectDetector:
    """Runs one detector.

    Raises:
        WrongKind: the model takes no picture; the error names its inputs.
        BadModelFile: a detector that takes words has no tokenizer beside it.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._eyes: PictureInput = picture_input_of(session)
        self._words = DetectorPrompts(session) if "input_ids" in session.inputs else None

    def look(self, request: Detect, blob: bytes) -> Detected:
        """Find the objects that the labels name.

        Raises:
            BadPicture: the blob is not height × width × 3 bytes. BadInput: a label is empty.
            WrongKind: the outputs fit no known layout with these labels; the error names fitting ones.
            ModelFailed: the model cannot be run, or gives numbers that are none.
        """
        started = time.perf_counter()
        picture = raw_picture(blob, request.width, request.height)
        if not request.labels or not all(label.strip() for label in request.labels):
            raise BadInput("a detector needs labels, and none of them empty.")
        tensor, view = self._eyes.prepare(picture)
        inputs: dict[str, NDArray[Any]] = {self._eyes.name: tensor}
        if self._words is not None:
            inputs |= self._words.inputs(request.labels)
        began = time.perf_counter()
        names, outputs = self._session.run(inputs)
        run_ms = (time.perf_counter() - began) * 1e3
        read = read_words if self._words is not None else read_outputs
        layout, candidates = read(self._session.spec.name, names, outputs, request, view.size)
        return Detected(
            request_id=request.request_id,
            boxes=_standing(candidates, request, view.to_picture(candidates.boxes)),
            fit_width=view.fit[0],
            fit_height=view.fit[1],
            layout=layout.value,
            device=self._session.device,
            run_ms=run_ms,
            took_ms=(time.perf_counter() - started) * 1e3,
        )


def _standing(candidates: Candidates, request: Detect, boxes: NDArray[np.float32]) -> tuple[FoundBox, ...]:
    """Return the boxes that remain after suppression within each label, cut at the picture's edges."""
    scores, labels = candidates.scores, candidates.labels
    if not np.isfinite(boxes).all():
        raise ModelFailed(f"{request.model.name} gives boxes that are no numbers.", "Export it again.")
    if len(scores) > _MOST_CANDIDATES:
        best = np.argpartition(-scores, _MOST_CANDIDATES)[:_MOST_CANDIDATES]
        boxes, scores, labels = boxes[best], scores[best], labels[best]
    boxes[:, 0::2] = boxes[:, 0::2].clip(0, request.width)
    boxes[:, 1::2] = boxes[:, 1::2].clip(0, request.height)
    shown = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    boxes, scores, labels = boxes[shown], scores[shown], labels[shown]
    apart = boxes + labels[:, None].astype(np.float32) * (2.0 * max(request.width, request.height))
    standing = non_maximum_suppression(apart, scores, iou=request.iou, most=request.most)
    return tuple(
        FoundBox(
            label=request.labels[labels[at]],
            confidence=round(float(scores[at]), 4),
            left=round(float(boxes[at, 0]), 2),
            top=round(float(boxes[at, 1]), 2),
            right=round(float(boxes[at, 2]), 2),
            bottom=round(float(boxes[at, 3]), 2),
        )
        for at in standing.tolist()
    )
