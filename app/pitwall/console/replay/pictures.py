"""A run's pictures for its replay, decoded in the background: from its video, else from its step images."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from pitwall.console.services.background import BackgroundWorker, read_image
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.link.film_channel import FilmReaderProcess
from pitwall.store.run_reader import RunReader
from pitwall.store.run_track import RunTrack, step_picture

_FROM_VIDEO = "From the film"
_FROM_STEPS = "Step pictures: this run has no film"
_NONE = "This run kept no pictures: see Settings, Recording"


class ReplayPictures(QObject):
    """Gives the picture of a moment; while one is decoded only the newest wish is kept.

    Signals:
        ready(image): the picture of the last moment asked for; empty where there is none.
        source_changed(): `source` says something else now.
    """

    ready = Signal(object)
    source_changed = Signal()

    def __init__(self, data: DataFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._aside = BackgroundWorker("replay", self)
        self._aside.failed.connect(self._without_video)
        self._track: RunTrack | None = None
        self._film: FilmReaderProcess | None = None
        self._reader: RunReader | None = None  # made and used in the thread
        self._ended: list[FilmReaderProcess] = []
        self._has_video = self._busy = False
        self._wanted: tuple[float, int] | None = None
        self._step_image = ("", QImage())

    @property
    def source(self) -> str:
        """Name the source of the pictures."""
        if self._has_video:
            return _FROM_VIDEO
        kept = self._track is not None and self._track.has_pictures
        return _FROM_STEPS if kept else _NONE

    def open(self, track: RunTrack) -> None:
        """Turn to another run, or to more of the same: what is decoded goes on."""
        if self._track is None or self._track.run.run_id != track.run.run_id:
            self._end_film()
            self._step_image, self._has_video = ("", QImage()), False
        self._track = track
        video = self._data.video(track.run.run_id)
        self._has_video = self._has_video or (video.is_file() and video.stat().st_size > 0)
        self.source_changed.emit()

    def ask(self, at_s: float, most_width: int) -> None:
        """Decode the picture of a moment, at most so wide in pixels."""
        self._wanted = (at_s, most_width)
        self._go_on()

    def close(self) -> None:
        """End the decoding process."""
        self._wanted = self._track = None
        self._aside.close()
        self._end_film()
        self._close_ended()

    def _go_on(self) -> None:
        track = self._track
        if self._busy or self._wanted is None or track is None:
            return
        (at_s, most_width), self._wanted = self._wanted, None
        self._busy = True
        read = self._from_video if self._has_video else self._from_steps
        self._aside.ask(lambda: read(track, at_s, most_width), lambda image: self._deliver(track, image))

    def _deliver(self, track: RunTrack, image: QImage) -> None:
        self._busy = False
        if self._track is not None and track.run.run_id == self._track.run.run_id:
            self.ready.emit(image)
        self._go_on()

    def _without_video(self, _: PitwallError) -> None:
        """Continue with the step images: the film cannot be read, or its first pictures are still to come."""
        self._end_film()
        self._busy, self._has_video = False, False
        self.source_changed.emit()
        self._go_on()

    def _end_film(self) -> None:
        film, self._film = self._film, None
        if film is not None:
            self._ended.append(film)
            self._aside.ask(self._close_ended, lambda _: None)

    # ---- in the thread

    def _close_ended(self) -> None:
        while self._ended:
            self._ended.pop().close()

    def _from_video(self, track: RunTrack, at_s: float, most_width: int) -> QImage:
        if self._film is None:
            self._film = FilmReaderProcess(self._data, self._data.video(track.run.run_id))
        pixels = self._film.picture_at(at_s, most_width)
        if pixels is None:
            return QImage()
        height, width = pixels.shape[:2]
        return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()

    def _from_steps(self, track: RunTrack, at_s: float, _most_width: int) -> QImage:
        self._reader = self._reader or RunReader(self._data)
        name = step_picture(self._reader, track, at_s)
        if name != self._step_image[0]:
            self._step_image = (name, read_image(self._data.run(track.run.run_id), name))
        return self._step_image[1]
