"""Writes a span of a run as a clip, from its video or its step images."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.store.clip_overlay import ClipBand, scale_for
from pitwall.store.export_source import ExportError
from pitwall.store.film import Film
from pitwall.store.film_writer import FilmWriter
from pitwall.store.folder_errors import folder_error
from pitwall.store.run_reader import RunReader
from pitwall.store.run_track import RunTrack, read_track, step_picture

_STEP_CLIP_HZ = 15.0
_LAG_S = 1.0
_MOST_CLIP_S = 3_600.0


def write_clip(
    data: DataFolder,
    run_id: int | None,
    begin_s: float,
    end_s: float,
    out: Path,
    *,
    overlay: bool = True,
    force: bool = False,
    progress: Callable[[int, int], bool | None] | None = None,
) -> str:
    """Write a span of a run as a video: .webm (VP9) and .mp4 (H.264) play in browsers; also .mkv and .avi.

    Args:
        run_id: None: the newest run. force: replace an existing file.
        begin_s, end_s: seconds since the run began; a negative begin counts from the end.
        overlay: add a band below the picture: route, action, keys, signals, score and time.
        progress: called with the pictures done and their total; returning False cancels.

    Returns:
        The source of its pictures: "video" or "step images".

    Raises:
        UnknownRun: there is no such run.
        ExportError: the span holds no picture or is longer than an hour, or `out` exists.
        DataFolderError: it cannot be written, or the format is unknown. DamagedFile: the film is damaged.
    """
    if out.exists() and not force:
        raise ExportError(f"{out} is there already.", "Choose another name, or replace it with --force.")
    reader = RunReader.open(data)
    run_id = run_id or next((run.run_id for run in reader.runs(1)), 0)
    track = read_track(data, reader, run_id)
    begin_s, end_s = _span(track, begin_s, end_s)
    if track.is_playing:
        time.sleep(_LAG_S)  # the film's newest pictures are not in the file yet
    film = Film(data.video(run_id)) if data.video(run_id).is_file() else None
    hz = film.hz if film is not None else _STEP_CLIP_HZ
    pictures = film if film is not None else _StepPictures(reader, track, data.run(run_id))
    count = max(1, round((end_s - begin_s) * hz))
    first = pictures.picture_at(begin_s)
    if first is None:
        raise ExportError(f"run {run_id} kept no pictures there.", "Switch on recording.step_frames.")
    drawn = _WithBand(track, _shown_steps(reader, track, begin_s, end_s), first) if overlay else None
    height, width = (first if drawn is None else drawn.at(begin_s, first)).shape[:2]
    sound = _ClipSound(film, begin_s, end_s)
    try:
        with _whole(out) as aside, FilmWriter(aside, round(hz), (width, height), sound=sound.there) as writer:
            for at in range(count):
                second = begin_s + at / hz
                picture = pictures.picture_at(second)
                shown = picture if drawn is None or picture is None else drawn.at(second, picture)
                if shown is not None:
                    writer.add(_bgrx(shown), at * NS_PER_S // round(hz))
                sound.write_until(second, writer)
                if progress is not None and progress(at + 1, count) is False:
                    raise ExportError("the clip was cancelled.")
    finally:
        if film is not None:
            film.close()
    return "video" if film is not None else "step images"


@contextlib.contextmanager
def _whole(file: Path) -> Iterator[Path]:
    """Give a file's place beside it; the written file takes its name at the end, or is deleted."""
    aside = file.with_name(f".partial-{file.name}")
    try:
        yield aside
        aside.replace(file)
    except OSError as error:
        raise folder_error(error, file) from error
    finally:
        aside.unlink(missing_ok=True)


def _span(track: RunTrack, begin_s: float, end_s: float) -> tuple[float, float]:
    end_s = min(end_s, track.seconds)
    begin_s = max(0.0, end_s + begin_s if begin_s < 0 else begin_s)
    if not 0 < end_s - begin_s <= _MOST_CLIP_S:
        raise ExportError(
            f"a clip of run {track.run.run_id} from {begin_s:.1f} s to {end_s:.1f} s cannot be made: "
            f"the run is {track.seconds:.1f} s long, and a clip at most an hour.",
            "Name a span inside the run: --from SECONDS --to SECONDS.",
        )
    return begin_s, end_s


def _shown_steps(reader: RunReader, track: RunTrack, begin_s: float, end_s: float) -> list[StepRecord]:
    """Read the steps of a span, and the one that it begins in."""
    first, last = max(0, track.row_at(begin_s)), track.row_at(end_s)
    if last < first or not len(track.steps):
        return []
    return reader.steps(track.run.run_id, int(track.steps[first]), last - first + 1)


def _bgrx(picture: Pixels) -> Pixels:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA)  # type: ignore[return-value]


class _StepPictures:
    """A run's step images by the second: each is shown until the next step's."""

    def __init__(self, reader: RunReader, track: RunTrack, folder: Path) -> None:
        self._reader, self._track, self._folder = reader, track, folder
        self._name = ""
        self._shown: Pixels | None = None

    def picture_at(self, second: float) -> Pixels | None:
        """Return the picture of the newest step that kept one."""
        name = step_picture(self._reader, self._track, second)
        if name and name != self._name:
            self._name = name
            try:
                content = np.frombuffer((self._folder / name).read_bytes(), np.uint8)
            except OSError:
                return self._shown
            picture = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
            self._shown = picture if picture is not None else self._shown  # type: ignore[assignment]
        return self._shown


class _ClipSound:
    """The sound of a clip's span, in the order of its pictures.

    Attributes:
        there: the span has sound.
    """

    def __init__(self, film: Film | None, begin_s: float, end_s: float) -> None:
        self._begin_s = begin_s
        self._portions = film.sound(begin_s, end_s) if film is not None else iter(())
        self._next = next(self._portions, None)
        self.there = self._next is not None

    def write_until(self, second: float, writer: FilmWriter) -> None:
        """Write what was heard until a second of the run."""
        while self._next is not None and self._next[0] <= second:
            writer.add_sound(self._next[1], round((self._next[0] - self._begin_s) * NS_PER_S))
            self._next = next(self._portions, None)


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
