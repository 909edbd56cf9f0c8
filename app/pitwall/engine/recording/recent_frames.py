"""Keeps small pictures of the last seconds, for what is found to matter only once it has happened."""

from __future__ import annotations

import base64
from collections import deque
from dataclasses import replace

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.engine.session.game_session import PerceivedFrame

_EVERY_NS = NS_PER_S // 10
_LONGEST_PX = 320
_JPEG_QUALITY = 75


class RecentFrames:
    """Keeps ten frames a second at most, brought to 320 pixels, as far back as asked."""

    def __init__(self, *, seconds: float) -> None:
        self._kept: deque[PerceivedFrame] = deque(maxlen=max(1, int(seconds * NS_PER_S / _EVERY_NS)))

    def add(self, seen: PerceivedFrame) -> None:
        """Keep a frame, unless one was kept a moment ago."""
        frame = seen.frame
        if self._kept and frame.captured_ns - self._kept[-1].frame.captured_ns < _EVERY_NS:
            return
        scale = min(1.0, _LONGEST_PX / max(frame.width, frame.height))
        size = (max(1, round(frame.width * scale)), max(1, round(frame.height * scale)))
        small = cv2.resize(frame.pixels, size, interpolation=cv2.INTER_AREA)
        self._kept.append(replace(seen, frame=replace(frame, pixels=np.array(small, np.uint8))))

    def take(self) -> tuple[PerceivedFrame, ...]:
        """Return the kept frames, oldest first, and keep none of them."""
        kept = tuple(self._kept)
        self._kept.clear()
        return kept

    def jpeg_at(self, at_ns: int) -> str:
        """Return the picture that was shown at a time, as JPEG in base64; empty where none reaches back."""
        shown = [seen.frame.pixels for seen in self._kept if seen.frame.captured_ns <= at_ns]
        if not shown:
            return ""
        _, content = cv2.imencode(".jpg", shown[-1][:, :, :3], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        return base64.b64encode(content.tobytes()).decode()
