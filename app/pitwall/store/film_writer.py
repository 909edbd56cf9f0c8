"""Writes a film: pictures at the times they came and sound, in one file that can be read while it grows."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import av
import cv2
import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DataFolderError
from pitwall.core.frames import SOUND_BYTES, SOUND_HZ, Pixels
from pitwall.store.folder_errors import folder_error

_VP9 = ("libvpx-vp9", {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "crf": "36"})
_FORMATS: dict[str, tuple[str, dict[str, str], str, str]] = {
    ".mkv": (*_VP9, "yuv420p", "libopus"),
    ".webm": (*_VP9, "yuv420p", "libopus"),
    ".mp4": ("libx264", {"preset": "veryfast", "crf": "23"}, "yuv420p", "aac"),
    ".avi": ("mjpeg", {"qscale": "3"}, "yuvj420p", "pcm_s16le"),
}
"""Suffix: codec of the pictures with its options and pixel format, codec of the sound."""
_GROWING = {"flush_packets": "1", "cluster_time_limit": "500", "max_interleave_delta": "500000"}
"""Of a file that is read while it grows: it lags half a second behind, also where one stream is silent."""
_MATROSKA = (".mkv", ".webm")
_MOST_BITS = 2_500_000
_KEY_FRAME_S = 4
_MIN_FREE_BYTES = 16 * 1024 * 1024
_SILENCE_S = 0.25
"""A longer gap in the sound is filled with silence."""


class FilmWriter:
    """Writes pictures that come at any time on a grid of `fps`; only what changed is stored.

    The picture at each instant of the grid is the newest by then, so a second of film is a second of play.

    Args:
        path: the suffix chooses the format: .mkv or .webm (VP9), .mp4 (H.264), .avi (Motion JPEG).
        fps: most pictures a second.
        size: width and height in pixels; other sizes are fitted into it with black bars.
        sound: the film has sound.

    Raises:
        DataFolderError: the file cannot be written, or the disk is nearly full.
    """

    def __init__(self, path: Path, fps: int, size: tuple[int, int], *, sound: bool = False) -> None:
        self._path, self._fps = path, fps
        self._size = (max(2, size[0] // 2 * 2), max(2, size[1] // 2 * 2))
        self._began_ns: int | None = None
        self._pending: tuple[int, Pixels] | None = None
        self._written = -1
        self._samples = 0
        self._checked_s = -1
        self._closed = False
        if path.suffix not in _FORMATS:
            raise DataFolderError(f"{path} is no video format: use one of {', '.join(_FORMATS)}.")
        codec, codec_options, pixel_format, sound_codec = _FORMATS[path.suffix]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            self._require_room(0)
            options = _GROWING if path.suffix in _MATROSKA else {}
            self._file = av.open(str(path), "w", options=dict(options))
        except OSError as error:
            raise folder_error(error, path) from error
        pictures: Any = self._file.add_stream(codec, rate=fps, options=codec_options)
        pictures.width, pictures.height = self._size
        pictures.pix_fmt, pictures.bit_rate = pixel_format, _MOST_BITS
        pictures.gop_size = fps * _KEY_FRAME_S
        pictures.thread_count = 1  # the other processors are the game's
        self._pictures: Any = pictures
        self._sound: Any = None
        if sound:
            self._sound = self._file.add_stream(sound_codec, rate=SOUND_HZ, layout="stereo")

    def add(self, pixels: Pixels, at_ns: int) -> None:
        """Take a picture that became current at `at_ns` on the monotonic clock.

        Args:
            pixels: (height, width, 4) uint8, BGRX; copied.

        Raises:
            DataFolderError: the disk is full or nearly full.
        """
        if self._began_ns is None:
            self._began_ns = at_ns
        slot = -(-(at_ns - self._began_ns) * self._fps // NS_PER_S)
        self._write_pending(before=slot)
        self._pending = (slot, fitted(cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR), self._size))  # type: ignore[arg-type]

    def add_sound(self, content: bytes, at_ns: int) -> None:
        """Take sound that began at `at_ns`: two channels of 16 bits at SOUND_HZ. Gaps become silence."""
        if self._sound is None or self._began_ns is None or at_ns < self._began_ns:
            return
        place = (at_ns - self._began_ns) * SOUND_HZ // NS_PER_S
        if place - self._samples > _SILENCE_S * SOUND_HZ:
            content = bytes(SOUND_BYTES * (place - self._samples)) + content
        samples = np.frombuffer(content, np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = SOUND_HZ, self._samples, Fraction(1, SOUND_HZ)
        self._samples += samples.shape[1] // 2
        self._mux(self._sound, frame)

    def close(self, at_ns: int | None = None) -> int:
        """Show the last picture until `at_ns` (None: once), and finish the file; a second call does nothing.

        Returns:
            The length in pictures of the grid.

        Raises:
            DataFolderError: the disk is full; the film ends earlier.
        """
        if not self._closed:
            self._closed = True
            self._show_last(at_ns)
            try:
                self._file.close()
            except OSError as error:
                raise folder_error(error, self._path) from error
        return self._written + 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _show_last(self, at_ns: int | None) -> None:
        if self._pending is None or self._began_ns is None:
            return
        last, picture = self._pending
        self._write_pending(before=last + 1)
        end = last + 1 if at_ns is None else -(-(at_ns - self._began_ns) * self._fps // NS_PER_S)
        if end - 1 > last:
            self._pending = (end - 1, picture)
            self._write_pending(before=end)
        self._mux(self._pictures, None)
        if self._samples:
            self._mux(self._sound, None)

    def _write_pending(self, before: int) -> None:
        if self._pending is None or self._pending[0] >= before:
            return
        slot, picture = self._pending
        self._require_room(slot // self._fps)
        frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
        frame.pts, frame.time_base = slot, Fraction(1, self._fps)
        self._written, self._pending = slot, None
        self._mux(self._pictures, frame)

    def _mux(self, stream: Any, frame: Any) -> None:
        try:
            self._file.mux(stream.encode(frame))
        except OSError as error:
            raise folder_error(error, self._path) from error

    def _require_room(self, second: int) -> None:
        """Check the disk once a second: a full disk would also stop the run's log."""
        if second == self._checked_s:
            return
        self._checked_s = second
        if shutil.disk_usage(self._path.parent).free < _MIN_FREE_BYTES:
            if self._written < 0:
                self._path.unlink(missing_ok=True)
            raise DataFolderError(
                f"{self._path} cannot grow: the disk is nearly full.",
                "Free some space, or switch the video off in the settings.",
            )


def film_size(screen: tuple[int, int], most_px: int) -> tuple[int, int]:
    """Return the size of a film whose longer side has at most so many pixels."""
    scale = min(1.0, most_px / max(1, *screen))
    return round(screen[0] * scale), round(screen[1] * scale)


def fitted(picture: Pixels, size: tuple[int, int]) -> Pixels:
    """Fit a picture into a size, with black bars where its shape differs."""
    width, height = size
    if picture.shape[:2] == (height, width):
        return picture
    scale = min(width / picture.shape[1], height / picture.shape[0])
    inside = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    small = cv2.resize(picture, inside, interpolation=cv2.INTER_AREA)
    left, top = (width - inside[0]) // 2, (height - inside[1]) // 2
    right, bottom = width - inside[0] - left, height - inside[1] - top
    return cv2.copyMakeBorder(small, top, bottom, left, right, cv2.BORDER_CONSTANT)  # type: ignore[return-value]
