"""Writes the step images of a run.

It imports OpenCV, which the console must not: the console reads images by path only.
"""

from __future__ import annotations

from pathlib import Path

import cv2

from pitwall.core.errors import DataFolderError
from pitwall.core.frames import Pixels
from pitwall.core.settings import RecordingSettings
from pitwall.store.folder_errors import write_file

_PNG_COMPRESSION = 1


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
