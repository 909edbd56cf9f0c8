"""Text recognition by rapidocr, whose ONNX models come inside its package: nothing is downloaded."""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray
from rapidocr import RapidOCR

from pitwall.core.geometry import Rect
from pitwall.host.backends.pictures import raw_picture
from pitwall.host.requests.faults import WrongKind
from pitwall.host.requests.job import Job, Reply
from pitwall.models.host_requests import ReadText, TextLine, TextRead

_OPTIONS = {
    "Global.log_level": "critical",
    "Global.use_cls": False,  # a game's text is upright
    "Det.limit_type": "max",  # the default enlarges small crops to 736 px: forty times slower
    "Det.limit_side_len": 960,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
_LOW_PX, _EDGE_PX = 96, 24
"""Text that reaches the edge of a low picture is not found: an edge is put around it."""


class TextRecogniser:
    """Finds and reads lines of text. Construction takes no time; the first `read` loads the models."""

    def __init__(self) -> None:
        onnxruntime.disable_telemetry_events()  # nothing leaves this machine
        self._engine = RapidOCR(params=_OPTIONS)

    def answer(self, job: Job) -> Reply:
        if not isinstance(job.request, ReadText):
            raise WrongKind("text recognition reads pictures and does nothing else.")
        return self.read(job.request, job.blob), b""

    def read(self, request: ReadText, blob: bytes) -> TextRead:
        """Read one picture.

        Raises:
            BadPicture: the blob is not height × width × 3 bytes.
        """
        started = time.perf_counter()
        picture = raw_picture(blob, request.width, request.height)
        edge = _EDGE_PX if request.height < _LOW_PX else 0
        lines = _lines(self._engine(_edged(picture, edge)), edge)
        return TextRead(
            request_id=request.request_id,
            text="\n".join(_rows(lines)),
            lines=lines,
            confidence=min((line.confidence for line in lines), default=1.0),
            took_ms=(time.perf_counter() - started) * 1e3,
        )


def _edged(picture: NDArray[np.uint8], edge: int) -> NDArray[np.uint8]:
    """Return the picture with a margin in its own background colour."""
    if not edge:
        return picture
    ground = [float(part) for part in np.median(picture.reshape(-1, 3), axis=0)]
    around = cv2.copyMakeBorder(picture, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=ground)
    return np.asarray(around, np.uint8)


def _lines(output: Any, edge: int) -> tuple[TextLine, ...]:
    """Convert rapidocr's answer (boxes of four corners) to lines, top to bottom, without the margin."""
    if output.boxes is None or output.txts is None or output.scores is None:
        return ()
    lines: list[TextLine] = []
    for corners, text, score in zip(output.boxes, output.txts, output.scores, strict=True):
        if text:
            x, y = (int(value) for value in np.floor(np.min(corners, axis=0) - edge))
            right, bottom = (int(value) for value in np.ceil(np.max(corners, axis=0) - edge))
            lines.append(TextLine(text=text, confidence=float(score), box=Rect(x, y, right - x, bottom - y)))
    return tuple(lines)


def _rows(lines: tuple[TextLine, ...]) -> list[str]:
    """Return the texts from top to bottom; pieces side by side are one row."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.box.y):
        if rows and line.box.y + line.box.height / 2 < rows[-1][0].box.bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [" ".join(piece.text for piece in sorted(row, key=lambda line: line.box.x)) for row in rows]
