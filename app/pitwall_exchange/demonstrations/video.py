"""Reads and writes videos picture by picture, for datasets that store their pictures as videos."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from pitwall.core.errors import DamagedFile, DataFolderError
from pitwall.core.frames import Pixels


def video_frames(file: Path, from_s: float = 0.0) -> Iterator[Pixels]:
    """Yield a video's (height, width, 3) BGR pictures, beginning at a time.

    Raises:
        DamagedFile: it does not exist, or cannot be decoded here.
    """
    film = cv2.VideoCapture(str(file)) if file.is_file() else None
    if film is None or not film.isOpened():
        raise DamagedFile(file, "cannot be decoded" if film else "is not there", expected="a video (MP4)")
    try:
        if from_s:
            film.set(cv2.CAP_PROP_POS_FRAMES, round(from_s * film.get(cv2.CAP_PROP_FPS)))
        while True:
            fine, pixels = film.read()
            if not fine:
                return
            yield pixels  # type: ignore[misc]
    finally:
        film.release()


class VideoWriter:
    """Writes BGR pictures as an MPEG-4 video, each resized to one size.

    Raises:
        DataFolderError: it cannot be written.
    """

    def __init__(self, file: Path, fps: float, size: tuple[int, int]) -> None:
        self._size = size
        self._film = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"mp4v"), fps, size)
        if not self._film.isOpened():
            raise DataFolderError(
                f"{file} cannot be written.", "Is the folder writable, and the disk not full?"
            )

    def add(self, pixels: Pixels) -> None:
        """Write one picture."""
        self._film.write(cv2.resize(pixels, self._size, interpolation=cv2.INTER_AREA))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._film.release()
