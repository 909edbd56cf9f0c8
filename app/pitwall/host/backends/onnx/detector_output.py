"""Reads a detector's outputs as boxes, scores and labels, however the export lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.quantities import counted
from pitwall.host.requests.faults import ModelFailed, WrongKind
from pitwall.models.host_requests import Detect

_STRIDES = ((8, 16, 32), (8, 16, 32, 64), (4, 8, 16, 32))
"""Cells of the pyramids that YOLO's heads look at."""
_SHARES_UP_TO = 2.0
"""Boxes none of which reaches beyond this are in shares of the input, not in its pixels."""


class Layout(StrEnum):
    """Names how an export lays out its finds."""

    V8 = "YOLOv8"
    """[1, 4 + labels, boxes]: middle, size, a score for each label."""
    V5 = "YOLOv5"
    """[1, boxes, 5 + labels]: middle, size, objectness, a score for each label."""
    END = "end to end"
    """[1, boxes, 6]: corners, score, number of the label; suppressed inside."""
    WORDS = "words"
    """logits [1, boxes, words] and pred_boxes [1, boxes, 4]: middle and size in shares of the input."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Boxes with at least the confidence that was asked for.

    Attributes:
        boxes: (n, 4) corners in input pixels. scores: (n,). labels: (n,) their numbers.
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    labels: NDArray[np.intp]


def read_outputs(
    model: str, names: Sequence[str], outputs: Sequence[NDArray[Any]], request: Detect, size: tuple[int, int]
) -> tuple[Layout, Candidates]:
    """Return the boxes of a YOLO-style export.

    Raises:
        WrongKind: no output fits the declared labels; the error names the outputs, and fitting ones.
        ModelFailed: scores that are none.
    """
    for output in outputs:
        rows = _rows(output)
        layout = None if rows is None else _layout(rows.shape, len(request.labels), size)
        if rows is None or layout is None:
            continue
        rows = rows.astype(np.float32, copy=False)
        if layout is Layout.V8:
            candidates = _best(model, rows[4:], rows[:4], request.confidence)
        elif layout is Layout.V5:
            candidates = _v5(model, rows, request.confidence)
        else:
            candidates = _end(model, rows, request)
        return layout, _in_pixels(candidates, size)
    raise _unknown(model, names, outputs, len(request.labels))


def read_words(
    model: str, names: Sequence[str], outputs: Sequence[NDArray[Any]], request: Detect, size: tuple[int, int]
) -> tuple[Layout, Candidates]:
    """Return the boxes of a detector that takes words; see `read_outputs`."""
    by_name = dict(zip(names, outputs, strict=True))
    logits, places = by_name.get("logits"), by_name.get("pred_boxes")
    count = len(request.labels)
    fits = (
        logits is not None
        and places is not None
        and logits.ndim == 3
        and logits.shape[0] == 1
        and logits.shape[2] == count
        and places.shape == (1, logits.shape[1], 4)
    )
    if logits is None or places is None or not fits:
        raise WrongKind(
            f"{model} gives {_shapes(names, outputs)}; with {counted(count, 'label')} expected "
            f"logits [1, N, {count}] and pred_boxes [1, N, 4].",
            "Export an OWL-ViT or OWLv2 model for zero-shot object detection.",
        )
    values = np.clip(logits[0].astype(np.float32), -80, 80)  # NaN stays; masked words are −inf
    scores = 1 / (1 + np.exp(-values))
    candidates = _best(model, scores.T, places[0].astype(np.float32).T, request.confidence)
    boxes = candidates.boxes * np.asarray(size * 2, np.float32)
    return Layout.WORDS, Candidates(boxes, candidates.scores, candidates.labels)


def _rows(output: NDArray[Any]) -> NDArray[Any] | None:
    """Return an output without its batch dimension; None if it cannot hold boxes."""
    if output.dtype.kind != "f":
        return None
    if output.ndim == 3 and output.shape[0] == 1:
        return np.asarray(output[0])
    if output.ndim == 2 and output.shape[1] == 7:  # picture's number, corners, label, score: YOLOv7's own
        return np.asarray(output[:, [1, 2, 3, 4, 6, 5]])
    return output if output.ndim == 2 else None


def _layout(shape: tuple[int, ...], labels: int, size: tuple[int, int]) -> Layout | None:
    """Return the layout that fits; if several fit, the number of boxes and cells decides."""
    rows, columns = shape
    fits = {
        Layout.V8: rows == 4 + labels,
        Layout.V5: columns == 5 + labels,
        Layout.END: columns == 6,
    }
    fitting = [layout for layout, yes in fits.items() if yes]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    cells = [sum((size[0] // s) * (size[1] // s) for s in strides) for strides in _STRIDES]
    if Layout.V8 in fitting and columns in cells:
        return Layout.V8
    if Layout.V5 in fitting and rows in [3 * count for count in cells]:
        return Layout.V5
    return Layout.END if Layout.END in fitting else Layout.V8


def _v5(model: str, rows: NDArray[np.float32], confidence: float) -> Candidates:
    _check_scores(model, rows[:, 4])
    rows = rows[rows[:, 4] >= confidence].T
    return _best(model, rows[5:] * rows[4], rows[:4], confidence)


def _end(model: str, rows: NDArray[np.float32], request: Detect) -> Candidates:
    _check_scores(model, rows[:, 4])
    rows = rows[rows[:, 4] >= request.confidence]
    numbers = rows[:, 5].astype(np.intp)
    strange = (numbers < 0) | (numbers >= len(request.labels))
    if strange.any():
        raise WrongKind(
            f"{model} finds label number {int(numbers[strange][0])}, counted from 0; "
            f"{counted(len(request.labels), 'label')} declared.",
            "List every label of the export, in its order.",
        )
    return Candidates(rows[:, :4].copy(), rows[:, 4], numbers)


def _best(
    model: str, scores: NDArray[np.float32], places: NDArray[np.float32], confidence: float
) -> Candidates:
    """Return the boxes with their likeliest label. scores: (labels, n). places: (4, n) middle and size."""
    best = scores.max(axis=0)
    _check_scores(model, best)
    kept = np.flatnonzero(best >= confidence)
    x, y, width, height = places[:, kept]
    boxes = np.stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2], axis=1)
    return Candidates(boxes.astype(np.float32), best[kept], scores[:, kept].argmax(axis=0))


def _check_scores(model: str, scores: NDArray[np.float32]) -> None:
    if not scores.size:
        return
    least, most = float(scores.min()), float(scores.max())
    if not (least >= -0.01 and most <= 1.01):  # also where they are NaN
        raise ModelFailed(
            f"{model} gives scores from {least:.3g} to {most:.3g}; 0 … 1 expected.",
            "Export it with its last step (the sigmoid) inside.",
        )


def _in_pixels(candidates: Candidates, size: tuple[int, int]) -> Candidates:
    if not len(candidates.boxes) or float(np.abs(candidates.boxes).max()) > _SHARES_UP_TO:
        return candidates
    return Candidates(
        candidates.boxes * np.asarray(size * 2, np.float32), candidates.scores, candidates.labels
    )


def _unknown(model: str, names: Sequence[str], outputs: Sequence[NDArray[Any]], labels: int) -> WrongKind:
    layouts = f"[1, {4 + labels}, N] (YOLOv8, YOLO11), [1, N, {5 + labels}] (YOLOv5)"
    expected = f"{layouts} or [1, N, 6] (suppressed inside)"
    fix = "Export the detector with its boxes decoded."
    for output in outputs:
        if output.ndim == 3 and output.shape[0] == 1:
            rows, columns = output.shape[1:]
            has = rows - 4 if rows < columns else columns - 5
            if has > 0:
                fix = f"Such an export has {has} labels: list them all, in its order."
                break
    return WrongKind(
        f"{model} gives {_shapes(names, outputs)}; with {counted(labels, 'label')} expected {expected}.", fix
    )


def _shapes(names: Sequence[str], outputs: Sequence[NDArray[Any]]) -> str:
    return ", ".join(f"{name} {list(output.shape)}" for name, output in zip(names, outputs, strict=True))
