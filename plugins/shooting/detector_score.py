"""Judges found boxes in the units that aiming needs. No model is known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_OVERLAP = 0.5
_SAME = 0.5
"""Overlap from which two boxes of one label are the same thing, as in the host."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes found in a picture.

    Attributes:
        corners: (n, 4) in input pixels. scores: (n,). labels: (n,) their numbers.
    """

    corners: NDArray[np.float32]
    scores: NDArray[np.float32]
    labels: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Score:
    """Figures over all pictures.

    Attributes:
        recall: share of the monsters that were found (right label, overlap of at least half).
        precision: share of the boxes that are a monster.
        aim_p50, aim_p95: distance of a found box's middle from the monster's, in shares of its width.
    """

    recall: float
    precision: float
    aim_p50: float
    aim_p95: float

    def __str__(self) -> str:
        return (
            f"recall {self.recall:.3f}, precision {self.precision:.3f}, "
            f"aim off by {self.aim_p50:.3f} (p95 {self.aim_p95:.3f}) of a width"
        )


def score(detected: Sequence[Boxes], true: Sequence[NDArray[np.float32]]) -> Score:
    """Compare detected boxes with true ones, (k, 5): label's number and corners."""
    hits = boxes = monsters = 0
    off: list[float] = []
    for seen, truth in zip(detected, true, strict=True):
        kept = apart(seen)
        boxes += len(kept.corners)
        monsters += len(truth)
        free = np.ones(len(kept.corners), bool)
        for kind, *corner in truth.tolist():
            fits = overlap(kept.corners, np.asarray(corner, np.float32)) * free * (kept.labels == int(kind))
            if not fits.size or fits.max() < _OVERLAP:
                continue
            best = int(fits.argmax())
            free[best] = False
            hits += 1
            middle = (kept.corners[best, 0] + kept.corners[best, 2]) / 2
            off.append(abs(float(middle) - (corner[0] + corner[2]) / 2) / (corner[2] - corner[0]))
    p50, p95 = np.percentile(off, [50, 95]) if off else (np.inf, np.inf)
    return Score(hits / max(1, monsters), hits / max(1, boxes), float(p50), float(p95))


def apart(boxes: Boxes) -> Boxes:
    """Remove boxes that overlap a surer box of their label."""
    kept: list[int] = []
    for index in np.argsort(-boxes.scores):
        rivals = [other for other in kept if boxes.labels[other] == boxes.labels[index]]
        if not rivals or overlap(boxes.corners[rivals], boxes.corners[index]).max() <= _SAME:
            kept.append(int(index))
    return Boxes(boxes.corners[kept], boxes.scores[kept], boxes.labels[kept])


def overlap(boxes: NDArray[np.float32], box: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the intersection over union of each box with one: (n,)."""
    size = np.minimum(boxes[:, 2:], box[2:]) - np.maximum(boxes[:, :2], box[:2])
    shared = np.clip(size, 0, None).prod(1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1) + (box[2:] - box[:2]).prod()
    return np.asarray(shared / np.maximum(areas - shared, 1e-6), np.float32)
