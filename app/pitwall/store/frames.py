"""Writes the pictures of a run: one image a step, and a video of the whole run if wanted.

It imports OpenCV, which the console must not: the console reads images by path only.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DataFolderError
from pitwall.core.frames import Pixels
from pitwall.core.settings import RecordingSettings
from pitwall.store.folder_errors import folder_error, write_file

_CODECS = {".mkv": "mp4v", ".mp4": "mp4v", ".avi": "MJPG"}
_PNG_COMPRESSION = 1
_MIN_FREE_BYTES = 16 * 1024 * 1024


class FrameStore:
    """Saves one image a step under `frames/` of the run's folder.

    Args:
        run_folder: folder of the run; made with the first image.
        settings: whether images are kept, and how.
    """

    def __init__(self, run_folder: Path, settings: RecordingSettings) -> None:
        self._run_folder = run_folder
        self._settings = settings
        self._encoding = (
            [cv2.IMWRITE_JPEG_QUALITY, settings.jpeg_quality]
            if settings.frame_format == "jpg"
            else [cv2.IMWRITE_PNG_COMPRESSION, _PNG_COMPRESSION]
        )

    def save(self, step: int, pixels: Pixels) -> str:
        """Save the frame of a step atomically; `pixels`: (height, width, 4) uint8, BGRX.

        Returns:
            Path relative to the run's folder, with forward slashes; empty where the settings keep none.

        Raises:
            DataFolderError: the folder is full or read-only.
        """
        if not self._settings.step_frames:
            return ""
        name = f"frames/{step:06d}.{self._settings.frame_format}"
        file = self._run_folder / name
        fine, encoded = cv2.imencode(file.suffix, _bgr(pixels), self._encoding)
        if not fine:
            raise DataFolderError(f"{file} cannot be written: the picture could not be encoded.")
        write_file(file, encoded.tobytes())
        return name


def keep_picture(run_folder: Path, name: str, encoded: bytes) -> None:
    """Save a picture as it was sent to a model, atomically.

    Args:
        name: path relative to the run's folder, with forward slashes.

    Raises:
        DataFolderError: the folder is full or read-only.
    """
    write_file(run_folder / name, encoded)


class VideoSink:
    """Writes a video at a constant rate from frames that come at any time.

    The picture at each instant is the newest frame by then, so a second of video is a second of the run. The
    next call fills a gap: call at least about once a second, with the last picture again where nothing
    changed.

    Args:
        path: the suffix chooses the format: .mkv or .mp4 (MPEG-4), .avi (Motion JPEG).
        fps: pictures a second.
        size: width and height in pixels; other sizes are fitted into it with black bars.

    Raises:
        DataFolderError: the file cannot be written, or the disk is nearly full.
    """

    def __init__(self, path: Path, fps: int, size: tuple[int, int]) -> None:
        self._path = path
        self._fps = fps
        self._size = (max(2, size[0] // 2 * 2), max(2, size[1] // 2 * 2))
        self._began_ns: int | None = None
        self._written = 0
        self._last: Pixels | None = None
        codec = _CODECS.get(path.suffix)
        if codec is None:
            raise DataFolderError(f"{path} is no video format: use one of {', '.join(_CODECS)}.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self._require_room()
        except OSError as error:
            raise folder_error(error, path) from error
        self._writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, self._size)
        if not self._writer.isOpened():
            _forget(path)
            raise DataFolderError(f"{path} cannot be written: this OpenCV has no encoder for {codec}.")

    def add(self, pixels: Pixels, at_ns: int) -> None:
        """Take a frame that became current at `at_ns` on the monotonic clock.

        Args:
            pixels: (height, width, 4) uint8, BGRX; copied.

        Raises:
            DataFolderError: the disk is nearly full.
        """
        if self._began_ns is None:
            self._began_ns = at_ns
        self._repeat_until(at_ns)
        self._last = _fitted(_bgr(pixels), self._size)

    def close(self, at_ns: int | None = None) -> int:
        """Show the last picture until `at_ns` (None: once), and finish the file; a second call does nothing.

        Returns:
            The number of pictures written.
        """
        if self._writer.isOpened():
            if self._last is not None:
                self._repeat_until(self._due_ns() + 1 if at_ns is None else at_ns)
            self._writer.release()
        return self._written

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _due_ns(self) -> int:
        return (self._began_ns or 0) + self._written * NS_PER_S // self._fps

    def _repeat_until(self, at_ns: int) -> None:
        while self._last is not None and self._due_ns() < at_ns:
            if self._written % self._fps == 0:
                self._require_room()
            self._writer.write(self._last)
            self._written += 1

    def _require_room(self) -> None:
        # OpenCV reports no error when a write fails.
        if shutil.disk_usage(self._path.parent).free < _MIN_FREE_BYTES:
            if not self._written:
                _forget(self._path)
            raise DataFolderError(
                f"{self._path} cannot grow: the disk is nearly full.",
                "Free some space, or switch the video off in the settings.",
            )


def _bgr(pixels: Pixels) -> Pixels:
    return cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR)  # type: ignore[return-value]


def _fitted(picture: Pixels, size: tuple[int, int]) -> Pixels:
    width, height = size
    if picture.shape[:2] == (height, width):
        return picture
    scale = min(width / picture.shape[1], height / picture.shape[0])
    inside = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    small = cv2.resize(picture, inside, interpolation=cv2.INTER_AREA)
    left, top = (width - inside[0]) // 2, (height - inside[1]) // 2
    right, bottom = width - inside[0] - left, height - inside[1] - top
    return cv2.copyMakeBorder(small, top, bottom, left, right, cv2.BORDER_CONSTANT)  # type: ignore[return-value]


def _forget(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError:
        return
