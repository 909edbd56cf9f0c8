"""Reads a run's pictures by the second, from its video or its step images, and writes a span as a clip.

It imports OpenCV, which the console must not: the console asks a separate process (`link.film_channel`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DataFolderError
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.store.clip_overlay import ClipBand, scale_for
from pitwall.store.export_source import ExportError
from pitwall.store.folder_errors import folder_error
from pitwall.store.frames import VideoSink
from pitwall.store.run_reader import RunReader
from pitwall.store.run_track import RunTrack, read_track

_STEP_CLIP_HZ = 15.0
_AHEAD = 90
"""Up to this many pictures ahead, decoding is faster than a seek, which starts at a key frame."""
_MOST_CLIP_S = 3_600.0


class Film:
    """A video's pictures by the second. Playing forward decodes each picture once.

    Raises:
        DataFolderError: it cannot be read.
    """

    def __init__(self, file: Path) -> None:
        self._video = cv2.VideoCapture(str(file))
        if not self._video.isOpened():
            raise DataFolderError(
                f"{file} is not a readable video.", "The run's step images can still be used."
            )
        self.hz = self._video.get(cv2.CAP_PROP_FPS) or _STEP_CLIP_HZ
        self._at = -1
        self._shown: Pixels | None = None

    def picture_at(self, second: float) -> Pixels | None:
        """Return the picture at a second, (height, width, 3) uint8 BGR; after the end the last one."""
        wanted = max(0, int(second * self.hz + 1e-6))
        count = int(self._video.get(cv2.CAP_PROP_FRAME_COUNT))  # 0 or too low for a video that was cut off
        wanted = min(wanted, count - 1) if count > 0 else wanted
        if not self._at <= wanted <= self._at + _AHEAD:
            self._video.set(cv2.CAP_PROP_POS_FRAMES, wanted)
            self._at = int(self._video.get(cv2.CAP_PROP_POS_FRAMES)) - 1
        while self._at < wanted and self._video.grab():
            self._at += 1
            if self._at == wanted or self._shown is None:
                fine, picture = self._video.retrieve()
                self._shown = picture if fine else self._shown  # type: ignore[assignment]
        return self._shown

    def close(self) -> None:
        """Close the file."""
        self._video.release()


def write_clip(
    data: DataFolder,
    run_id: int,
    begin_s: float,
    end_s: float,
    out: Path,
    *,
    overlay: bool = True,
    force: bool = False,
    progress: Callable[[int, int], bool | None] | None = None,
) -> str:
    """Write a span of a run as a video: .mp4 or .mkv (MPEG-4), .avi (Motion JPEG).

    Args:
        begin_s, end_s: seconds since the run began. force: replace an existing file.
        overlay: add a band below the picture: route, action, keys, signals, score and time.
        progress: called with the pictures done and their total; returning False cancels.

    Returns:
        The source of its pictures: "video" or "step images".

    Raises:
        UnknownRun: there is no such run.
        ExportError: the span holds no picture or is longer than an hour, or `out` exists.
        DataFolderError: it cannot be written, or the format is unknown.
    """
    reader = RunReader.open(data)
    track = read_track(data, reader, run_id)
    begin_s, end_s = _span(track, begin_s, end_s)
    if out.exists() and not force:
        raise ExportError(f"{out} is there already.", "Choose another name, or replace it with --force.")
    film = Film(data.video(run_id)) if data.video(run_id).is_file() else None
    hz = film.hz if film is not None else _STEP_CLIP_HZ
    steps = _StepPictures(track, data.run(run_id))
    picture_at = film.picture_at if film is not None else steps.picture_at
    count = max(1, round((end_s - begin_s) * hz))
    first = picture_at(begin_s)
    if first is None:
        raise ExportError(f"run {run_id} kept no pictures there.", "Switch on recording.step_frames.")
    aside = out.with_name(f".partial-{out.name}")
    drawn = _WithBand(track, reader.steps(run_id), first) if overlay else None
    height, width = (first if drawn is None else drawn.at(begin_s, first)).shape[:2]
    try:
        with VideoSink(aside, fps=round(hz), size=(width, height)) as sink:
            for at in range(count):
                picture = picture_at(begin_s + at / hz)
                if picture is not None:
                    shown = picture if drawn is None else drawn.at(begin_s + at / hz, picture)
                    bgrx = cv2.cvtColor(shown, cv2.COLOR_BGR2BGRA)
                    sink.add(bgrx, at * NS_PER_S // round(hz))  # type: ignore[arg-type]
                if progress is not None and progress(at + 1, count) is False:
                    raise ExportError("the clip was cancelled.")
        aside.replace(out)
    except OSError as error:
        raise folder_error(error, out) from error
    finally:
        aside.unlink(missing_ok=True)
        if film is not None:
            film.close()
    return "video" if film is not None else "step images"


def _span(track: RunTrack, begin_s: float, end_s: float) -> tuple[float, float]:
    begin_s, end_s = max(0.0, begin_s), min(end_s, track.seconds)
    if not 0 < end_s - begin_s <= _MOST_CLIP_S:
        raise ExportError(
            f"a clip of run {track.run.run_id} from {begin_s:.1f} s to {end_s:.1f} s cannot be made: "
            f"the run is {track.seconds:.1f} s long, and a clip at most an hour.",
            "Name a span inside the run: --from SECONDS --to SECONDS.",
        )
    return begin_s, end_s


class _StepPictures:
    """A run's step images by the second: each is shown until the next step's."""

    def __init__(self, track: RunTrack, folder: Path) -> None:
        self._track, self._folder = track, folder
        self._name = ""
        self._shown: Pixels | None = None

    def picture_at(self, second: float) -> Pixels | None:
        """Return the picture of the newest step that kept one."""
        name = self._track.picture_name(second)
        if name and name != self._name:
            self._name = name
            try:
                content = np.frombuffer((self._folder / name).read_bytes(), np.uint8)
            except OSError:
                return self._shown
            picture = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
            self._shown = picture if picture is not None else self._shown  # type: ignore[assignment]
        return self._shown


class _WithBand:
    """Adds the band below pictures, which all get the size of the first."""

    def __init__(self, track: RunTrack, steps: Sequence[StepRecord], first: Pixels) -> None:
        scale = scale_for(first.shape[1])
        self._size = (first.shape[1] * scale, first.shape[0] * scale)
        self._band = ClipBand(track, steps, self._size[0])

    def at(self, second: float, picture: Pixels) -> Pixels:
        """Return a picture with the band of its moment, (height, width, 3) uint8 BGR."""
        enlarged = cv2.resize(picture, self._size, interpolation=cv2.INTER_NEAREST)
        return np.vstack((enlarged, self._band.at(second)))
