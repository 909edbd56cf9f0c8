"""Keeps small pictures of the last seconds, for what is found to matter only once it has happened."""

from __future__ import annotations

import base64
from collections import deque

import cv2

from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Frame, Pixels

_EVERY_NS = NS_PER_S // 10
_LONGEST_PX = 320
_JPEG_QUALITY = 75


class RecentFrames:
    """Keeps ten frames a second at most, brought to 320 pixels, as far back as asked."""

    def __init__(self, *, seconds: float) -> None:
        self._frames: deque[tuple[int, Pixels]] = deque(maxlen=max(1, int(seconds * NS_PER_S / _EVERY_NS)))

    def add(self, frame: Frame) -> None:
        """Keep a frame, unless one was kept a moment ago."""
        if self._frames and frame.captured_ns - self._frames[-1][0] < _EVERY_NS:
            return
        scale = min(1.0, _LONGEST_PX / max(frame.width, frame.height))
        size = (max(1, round(frame.width * scale)), max(1, round(frame.height * scale)))
        small = cv2.resize(frame.pixels[:, :, :3], size, interpolation=cv2.INTER_AREA)
        self._frames.append((frame.captured_ns, small))  # type: ignore[arg-type]

    def jpeg_at(self, at_ns: int) -> str:
        """Return the picture that was shown at a time, as JPEG in base64; empty where none reaches back."""
        shown = [pixels for captured_ns, pixels in self._frames if captured_ns <= at_ns]
        if not shown:
            return ""
        _, content = cv2.imencode(".jpg", shown[-1], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        return base64.b64encode(content.tobytes()).decode()
