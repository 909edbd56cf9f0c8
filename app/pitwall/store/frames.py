"""Writes the step images of a run, and the small pictures that a learning module saw.

The small pictures lie in `seen.u8`, a row for each decision: its time in nanoseconds since the run began
(int64, little-endian), then the picture's bytes. All of a run have the size that the module's version names.

It imports OpenCV, which the console must not: the console reads images by path only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import DataFolderError
from pitwall.core.frames import Pixels
from pitwall.core.settings import RecordingSettings
from pitwall.store.folder_errors import folder_error, write_file

_PNG_COMPRESSION = 1
SEEN = "seen.u8"
SmallPicture = NDArray[np.uint8]
_TIME = np.dtype("<i8")
_ROWS_AT_ONCE = 256


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


def _bgr(pixels: Pixels) -> Pixels:
    return cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR)  # type: ignore[return-value]


def keep_seen(run_folder: Path, pictures: Sequence[tuple[int, SmallPicture]]) -> None:
    """Append pictures with their times; a row that an earlier failure cut off is overwritten.

    Raises:
        DataFolderError: the folder is full or read-only.
    """
    if not pictures:
        return
    file, size = run_folder / SEEN, _TIME.itemsize + pictures[0][1].size
    rows = b"".join(
        np.int64(at_ns).astype(_TIME).tobytes() + picture.tobytes() for at_ns, picture in pictures
    )
    try:
        run_folder.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stream:
            stream.truncate(stream.tell() // size * size)
            stream.write(rows)
    except OSError as error:
        raise folder_error(error, file) from error


class SeenPictures:
    """Reads a run's pictures while they are written.

    Args:
        shape: height and width of a picture.
    """

    def __init__(self, run_folder: Path, shape: tuple[int, int]) -> None:
        self._file, self._shape = run_folder / SEEN, shape
        self._row = np.dtype([("at_ns", _TIME), ("picture", np.uint8, shape)])
        self._read = 0
        self._pictures: dict[int, SmallPicture] = {}

    def at(self, at_ns: int) -> SmallPicture | None:
        """Return the picture of the decision at a time, and forget those before it; None if there is none."""
        while at_ns not in self._pictures and self._read_on():
            self._pictures = {time: kept for time, kept in self._pictures.items() if time >= at_ns}
        picture = self._pictures.get(at_ns)
        self._pictures = {time: kept for time, kept in self._pictures.items() if time > at_ns}
        return picture

    def _read_on(self) -> bool:
        """Read further rows; return whether there were any."""
        try:
            with self._file.open("rb") as stream:
                stream.seek(self._read)
                fresh = stream.read(_ROWS_AT_ONCE * self._row.itemsize)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise folder_error(error, self._file) from error
        rows = np.frombuffer(fresh[: len(fresh) // self._row.itemsize * self._row.itemsize], self._row)
        self._read += rows.nbytes
        self._pictures |= {int(row["at_ns"]): row["picture"] for row in rows}
        return len(rows) > 0
