"""Draws what was seen into the picture of a run's last decision, for a model that improves a module."""

from __future__ import annotations

import logging
from contextlib import closing

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import FrameNote
from pitwall.store.run_reader import RunReader

Picture = NDArray[np.uint8]
_log = logging.getLogger(__name__)
_HEIGHT, _MOST_WIDTH = 300, 960
"""Size of one picture, and the widest row of pictures, in pixels."""
_DETECTION, _READING, _INK = (80, 220, 80), (0, 170, 255), (255, 255, 255)
_JPEG_QUALITY = 85


def last_picture(data: DataFolder, notes: list[FrameNote]) -> bytes:
    """Return the newest picture of the data folder's newest run as JPEG, with boxes around what was seen.

    Args:
        notes: of the frames in which the game was played; the one nearest to the picture names the boxes.

    Returns:
        Empty where nothing was played, or no picture was kept.
    """
    try:
        with closing(RunReader(data)) as reader:
            runs = reader.runs(limit=1)
            steps = reader.steps(runs[0].run_id) if runs else []
    except PitwallError as error:
        _log.warning("no picture of the run: %s", error)
        return b""
    shown = [step for step in steps if step.frame_ref and step.status is GameStatus.PLAYING]
    if not shown or not notes:
        return b""
    step = shown[-1]
    picture = cv2.imread(str(data.run(runs[0].run_id) / step.frame_ref))
    if picture is None:
        return b""
    note = min(notes, key=lambda note: abs(note.frame_id - step.frame_id))
    return _encoded(_drawn(picture.astype(np.uint8), note))


def row_of_pictures(pictures: list[bytes]) -> bytes:
    """Join JPEG pictures side by side into one; empty for none."""
    if not pictures:
        return b""
    images = [decoded(picture) for picture in pictures]
    row = np.hstack(
        [cv2.copyMakeBorder(image, 0, 0, 0, 4, cv2.BORDER_CONSTANT, value=_INK) for image in images]
    )
    if row.shape[1] > _MOST_WIDTH:
        row = cv2.resize(row, None, fx=_MOST_WIDTH / row.shape[1], fy=_MOST_WIDTH / row.shape[1])
    return _encoded(row.astype(np.uint8))


def decoded(jpeg: bytes) -> Picture:
    """Return the pixels of a JPEG picture that was made here, (height, width, 3), BGR."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture.astype(np.uint8)


def _drawn(picture: Picture, note: FrameNote) -> Picture:
    """Return the picture at its size for a model, with labelled boxes."""
    scale = _HEIGHT / picture.shape[0]
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
    readings: dict[Rect, list[str]] = {}
    for reading in note.readings:
        box = reading.found or reading.box
        if box is not None and not isinstance(reading.value, bool):
            value = "?" if reading.value is None else f"{reading.value}"
            readings.setdefault(box, []).append(f"{reading.name} {value}")
    for box, texts in readings.items():
        _label(small, box, scale, ", ".join(texts), _READING)
    for detection in note.detections:
        _label(small, detection.box, scale, f"{detection.label} {detection.confidence:.0%}", _DETECTION)
    return small


def _label(picture: Picture, box: Rect, scale: float, text: str, colour: tuple[int, int, int]) -> None:
    left, top = round(box.x * scale), round(box.y * scale)
    bottom = round(box.bottom * scale)
    cv2.rectangle(picture, (left, top), (round(box.right * scale), bottom), colour, 1)
    above = colour == _READING and top > 12
    place = (left, top - 3 if above else bottom + 11)
    cv2.putText(picture, text[:40], place, cv2.FONT_HERSHEY_SIMPLEX, 0.35, colour, 1, cv2.LINE_AA)


def _encoded(picture: Picture) -> bytes:
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return data.tobytes()
