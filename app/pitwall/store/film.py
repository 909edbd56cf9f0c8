"""Reads a video's pictures by the second or in order, also while it is being written.

It imports PyAV, which the console must not: the console asks a separate process (`link.film_channel`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import av

from pitwall.core.bounded_reading import open_regular
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import MOST_SIDE, SOUND_HZ, Pixels

_USUAL_HZ = 15.0
_MOST_HZ = 60.0
_AHEAD_S = 6.0
"""Up to this far ahead, decoding is faster than a seek, which starts at a key frame."""
_ROUNDING_S = 0.001
"""Files keep times in milliseconds."""
_HEADS = ((4, b"ftyp"), (0, b"\x1a\x45\xdf\xa3"), (0, b"RIFF"))
"""Beginnings of MP4, Matroska and AVI files: FFmpeg would also follow the addresses of a playlist."""


class Film:
    """A video's pictures by the second or in order, also while it is being written. Each is decoded once.

    Attributes:
        file: its path. size: width and height of its pictures. hz: pictures a second.

    Raises:
        DamagedFile: it cannot be read, or its pictures are too large.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._shown: Any = None
        self._open()
        self._next = self._decoded()
        rate = float(self._stream.average_rate or _USUAL_HZ)
        self.hz, self._half_s = min(_MOST_HZ, rate), 0.5 / rate
        self.size = (self._stream.width, self._stream.height)

    @property
    def has_sound(self) -> bool:
        """Return whether sound was recorded with it."""
        return bool(self._container.streams.audio)

    def picture_at(self, second: float) -> Pixels | None:
        """Return the picture at a second, (height, width, 3) uint8 BGR; after the end the last one."""
        if self._ended and self.file.stat().st_size > self._bytes:
            self._container.close()
            self._open()
            self._seek(second)
        self._go_to(second + _ROUNDING_S)
        if self._shown is None:
            self._advance()
        return _pixels(self._shown)

    def seek(self, second: float) -> None:
        """Let `read` go on with the picture at a second; raises DamagedFile."""
        self._go_to(second - self._half_s)

    def read(self) -> Pixels | None:
        """Return the next picture, (height, width, 3) uint8 BGR; None at the end, or before a damaged one."""
        frame = self._advance()
        return None if frame is None or frame.is_corrupt else _pixels(frame)

    def sound(self, begin_s: float, end_s: float) -> Iterator[tuple[float, bytes]]:
        """Yield the sound of a span in portions: second, content as `FilmWriter.add_sound` takes it."""
        if not self.has_sound:
            return
        with av.open(str(self.file)) as file, suppress(av.error.FFmpegError):  # a damaged file ends there
            file.seek(max(0, int(begin_s * av.time_base)))
            to_plain = av.AudioResampler(format="s16", layout="stereo", rate=SOUND_HZ)
            for frame in file.decode(audio=0):
                at_s = float(frame.time or 0.0)
                if at_s >= end_s:
                    return
                if at_s >= begin_s:
                    yield at_s, b"".join(part.to_ndarray().tobytes() for part in to_plain.resample(frame))

    def close(self) -> None:
        """Close the file."""
        self._container.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        """Open the file as it is now, at its first picture; raises DamagedFile."""
        try:
            with open_regular(self.file) as stream:
                head = stream.read(16)
            self._bytes = self.file.stat().st_size
            if not any(head[at : at + len(mark)] == mark for at, mark in _HEADS):
                raise DamagedFile(self.file, "is no video", expected="MP4, Matroska or AVI")
            self._container = av.open(str(self.file), metadata_errors="replace")
            self._stream = self._container.streams.video[0]
        except FileNotFoundError:
            raise DamagedFile(self.file, "is not there", expected="a video") from None
        except (OSError, IndexError, av.error.FFmpegError) as error:
            problem = (
                "holds no pictures" if isinstance(error, IndexError) else f"is damaged: {error.strerror}"
            )
            raise DamagedFile(self.file, problem, expected="a video") from error
        context: Any = self._stream.codec_context
        if context is None:
            self.close()
            fix = f"Re-encode it: ffmpeg -i {self.file.name} -c:v libx264 -crf 12 new.mp4"
            problem = "is a video in a codec that cannot be decoded here"
            raise DamagedFile(self.file, problem, expected="H.264, AV1, VP9 or MPEG-4", fix=fix)
        if not all(0 < side <= MOST_SIDE for side in (context.width, context.height)):
            self.close()
            problem = f"has pictures of {context.width} × {context.height} pixels"
            raise DamagedFile(self.file, problem, expected=f"at most {MOST_SIDE} a side")
        context.options = {"max_pixels": str(MOST_SIDE**2)}
        self._stream.thread_type = "AUTO"
        self._frames = self._container.decode(self._stream)
        self._ended = False

    def _go_to(self, second: float) -> None:
        """Let the last picture at or before a second be the shown one, and none if there is no such."""
        shown = self._shown
        if shown is None or not shown.time <= second <= shown.time + _AHEAD_S:
            self._seek(second)
        while self._next is not None and self._next.time <= second:
            self._advance()

    def _seek(self, second: float) -> None:
        """Go to the key frame before a second, or to the first frame."""
        try:
            self._container.seek(max(0, int(second * av.time_base)))
            self._frames = self._container.decode(self._stream)
            self._ended = False
        except av.error.FFmpegError:
            self._container.close()
            self._open()
        self._shown, self._next = None, self._decoded()

    def _advance(self) -> Any:
        """Show the next frame; None at the end, where the last frame stays the shown one."""
        frame = self._next
        if frame is not None:
            self._shown, self._next = frame, self._decoded()
        return frame

    def _decoded(self) -> Any:
        """Decode the next frame; None at the end, and where a damaged file ends."""
        try:
            frame = next(self._frames)
        except (StopIteration, av.error.FFmpegError):
            self._ended = True
            return None
        if frame.pts is None:
            frame.pts = frame.dts or 0  # AVI may keep no other time
        return frame


def _pixels(frame: Any) -> Pixels | None:
    return frame.to_ndarray(format="bgr24") if frame is not None else None
