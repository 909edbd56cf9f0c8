"""Reads videos picture by picture, for datasets that store their pictures as videos."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from pitwall.core.bounded_reading import open_regular
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import Pixels
from pitwall.demonstrations.manifest import MOST_SIDE

_CODECS = {"av01": "AV1", "hev1": "H.265", "hvc1": "H.265", "vp09": "VP9", "avc1": "H.264"}
_HEADS = ((4, b"ftyp"), (0, b"\x1a\x45\xdf\xa3"), (0, b"RIFF"))
"""Beginnings of MP4, Matroska and AVI files: FFmpeg would also follow the addresses of a playlist."""


class VideoReader:
    """Reads the (height, width, 3) BGR pictures of a video.

    Raises:
        DamagedFile: it does not exist, is no video, or is too large.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            with open_regular(file) as stream:
                head = stream.read(16)
        except FileNotFoundError:
            raise DamagedFile(file, "is not there", expected="a video (MP4)") from None
        if not any(head[at : at + len(mark)] == mark for at, mark in _HEADS):
            raise DamagedFile(file, "cannot be decoded", expected="a video (MP4)")
        os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # FFmpeg's own lines name no file
        self._film = cv2.VideoCapture(str(file), cv2.CAP_FFMPEG)
        if not self._film.isOpened():
            raise DamagedFile(file, "cannot be decoded", expected="a video (MP4)")
        self.size = (self._number(cv2.CAP_PROP_FRAME_WIDTH), self._number(cv2.CAP_PROP_FRAME_HEIGHT))
        if not all(0 < side <= MOST_SIDE for side in self.size):
            self.close()
            raise DamagedFile(
                file,
                "has pictures of {} × {} pixels".format(*self.size),
                expected=f"at most {MOST_SIDE} a side",
            )
        self._next = 0

    def seek(self, seconds: float) -> None:
        """Continue with the picture at a time."""
        wanted = round(seconds * self._film.get(cv2.CAP_PROP_FPS))
        if wanted != self._next:
            self._film.set(cv2.CAP_PROP_POS_FRAMES, wanted)
            self._next = wanted

    def read(self) -> Pixels | None:
        """Return the next picture; None at the end.

        Raises:
            DamagedFile: not even the first picture can be decoded here.
        """
        fine, pixels = self._film.read()
        if fine:
            self._next += 1
            return pixels  # type: ignore[return-value]
        if self._next == 0:
            code = self._number(cv2.CAP_PROP_FOURCC) & 0xFFFFFFFF
            name = code.to_bytes(4, "little").decode("latin-1").strip("\0 ")
            codec = _CODECS.get(name.lower(), name or "an unknown codec")
            raise DamagedFile(
                self.file,
                f"is a video in {codec}, which cannot be decoded here",
                expected="H.264 or MPEG-4",
                fix=f"Re-encode it: ffmpeg -i {self.file.name} -c:v libx264 -crf 12 new.mp4",
            )
        return None

    def close(self) -> None:
        """Close the file."""
        self._film.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _number(self, which: int) -> int:
        return int(self._film.get(which))
