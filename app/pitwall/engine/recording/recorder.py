"""Recording beside the loop: a thread writes, the loop only hands over.

A step counts once its commit returned; only then its note goes to the console. Whatever the disk refuses (it
is full) waits here in order until a retry, or until the run ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from pitwall.core.clock import NS_PER_S, ms_between, now_ns
from pitwall.core.errors import DataFolderError, PitwallError, reason_of, unexpected
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.steps import ReflexRecord, RunEvent, StepRecord
from pitwall.core.telemetry import Fault, RunEnded, StepNote
from pitwall.engine.inference.model_calls import SettledCall
from pitwall.engine.recording.sound import SoundCapture, sound_absence
from pitwall.link.wake_queue import WakeQueue
from pitwall.store.film_budget import MIB, drop_old_films
from pitwall.store.film_writer import FilmWriter, film_size
from pitwall.store.frames import FrameStore, SmallPicture, keep_picture, keep_seen
from pitwall.store.run_log import RunLog

_log = logging.getLogger(__name__)

_DECISIONS_AT_ONCE = 15
_MOST_WAITING = 8
"""While so many jobs wait, frames of the video are left out: it shows the previous one for longer."""
_ROOM_NS = 60 * NS_PER_S
"""How often old films are dropped while a film grows."""


@dataclass(slots=True)
class _Run:
    """A run that is recorded. Its jobs hold it, so the next run may begin before its last job is done."""

    run_id: int
    frames: FrameStore | None
    film: FilmWriter | None = None
    sound: SoundCapture | None = None
    recording: RecordingSettings = field(default_factory=RecordingSettings)
    next_picture_ns: int = 0
    room_checked_ns: int = 0
    decisions: list[ReflexRecord] = field(default_factory=list)
    seen: list[tuple[int, SmallPicture]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to write, tried again in order if the disk refuses it.

    Attributes:
        at_once: try it, and what waits before it, even though the disk refused the last time.
        kept: it waits for another try; otherwise (a picture of the video) it is lost.
    """

    write: Callable[[], None]
    at_once: bool = False
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """A part of a run that the disk has not taken (yet)."""

    fault: Fault


Committed = StepNote | RunEnded | Fault | Unrecorded


class Recorder:
    """Writes one data folder's run log from a thread of its own.

    Raises:
        DataFolderError: the folder is read-only, full, or its database cannot be opened.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._run_log = RunLog.open(data)
        self.notices: list[str] = list(self._run_log.notices)
        self._run: _Run | None = None
        self._ended: _Run | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._unwritten: deque[_Job] = deque()
        self._refused = False
        self._done: WakeQueue[Committed] = WakeQueue()
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._done.fileno()

    def begin(self, manifest: RunManifest, settings: RecordingSettings) -> int:
        """Write a run's manifest; return the run's id once committed.

        Raises:
            DataFolderError: it could not be written.
        """
        run_id = self._run_log.begin(manifest)
        folder = self._data.run(run_id)
        self._run = _Run(run_id, FrameStore(folder, settings) if settings.step_frames else None)
        self._run.recording = settings
        if settings.video:
            self._begin_film(self._run, manifest.screen)
        return run_id

    def _begin_film(self, run: _Run, screen: tuple[int, int]) -> None:
        """Open the film; the run goes on without it where it cannot be made."""
        size = film_size(screen, run.recording.video_px)
        sound = run.recording.sound and not sound_absence()
        try:
            run.film = FilmWriter(self._data.video(run.run_id), run.recording.video_fps, size, sound=sound)
        except DataFolderError as error:
            self._done.put(Fault.of(error))
            return
        self._jobs.put(_Job(partial(self._make_room, run), kept=False))
        if sound:
            run.sound = SoundCapture(
                lambda at_ns, content: self._jobs.put(
                    _Job(partial(self._film, run, lambda film: film.add_sound(content, at_ns)), kept=False)
                ),
                lost=self._sound_lost,
            )

    def _sound_lost(self, error: Exception) -> None:
        fault = unexpected("the film's sound", error, "The film goes on without it.")
        self._done.put(Fault.of(fault))

    def step(self, step: StepRecord, pixels: Pixels | None) -> None:
        """Hand over a step and the frame it was decided on (a copy that stays unchanged)."""
        if self._run is not None:
            self._put(partial(self._write_step, self._run, step, pixels))

    def event(self, event: RunEvent) -> None:
        if self._run is not None:
            self._put(partial(self._run_log.add_event, self._run.run_id, event))

    def call(self, settled: SettledCall) -> None:
        """Hand over a call; a call after a run's end belongs to that run."""
        run = self._run or self._ended
        if run is not None:
            self._put(partial(self._write_call, run, settled))

    def retrieval(self, retrieval: Retrieval) -> None:
        """Hand over a question to the memory before a step, with its answer."""
        if self._run is not None:
            self._put(partial(self._run_log.add_retrieval, self._run.run_id, retrieval))

    def reflex(self, reflex: ReflexRecord, seen: SmallPicture | None = None) -> None:
        """Hand over a policy's decision on a frame, and the picture it saw if a training wants that.

        Several are written together.
        """
        if self._run is not None:
            self._put(partial(self._write_reflexes, self._run, reflex, seen))

    def retry(self) -> None:
        """Try again to write what the disk refused; each new refusal gives a fault."""
        self._jobs.put(_Job(lambda: None, at_once=True))

    def wants_picture(self, at_ns: int) -> bool:
        """Return whether the film has a place for a frame of this time, and the disk keeps up."""
        run = self._run
        if run is None or run.film is None or self._jobs.qsize() >= _MOST_WAITING:
            return False
        return at_ns >= run.next_picture_ns

    def video(self, at_ns: int, pixels: Pixels) -> None:
        """Hand over a frame for the film (a copy that stays unchanged)."""
        run = self._run
        if run is None:
            return
        run.next_picture_ns = at_ns + NS_PER_S * 9 // (10 * run.recording.video_fps)
        self._jobs.put(_Job(partial(self._film, run, lambda film: film.add(pixels, at_ns)), kept=False))
        if at_ns - run.room_checked_ns > _ROOM_NS:
            run.room_checked_ns = at_ns
            self._jobs.put(_Job(partial(self._make_room, run), kept=False))

    def finish(self, summary: RunSummary, keys_down: int) -> None:
        """Hand over the run's end; `committed` then returns its `RunEnded`, or the fault."""
        if self._run is not None:
            if self._run.sound is not None:
                self._run.sound.close()
            write_end = partial(self._write_end, self._run, summary, keys_down, now_ns())
            self._jobs.put(_Job(write_end, at_once=True))
            self._ended, self._run = self._run, None

    def committed(self) -> list[Committed]:
        """Return the commits and failures since the last call; also after `close`.

        A bare `Fault` costs no part of the run: a video that cannot be made.
        """
        return self._done.take_all()

    def close(self, timeout_s: float = 10.0) -> None:
        """Write everything that was handed over, then close."""
        self._jobs.put(None)
        self._thread.join(timeout_s)
        self._run_log.close()
        self._done.close()

    def _put(self, write: Callable[[], None]) -> None:
        self._jobs.put(_Job(write))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if not job.kept:
                self._try(job)
                continue
            self._unwritten.append(job)
            if job.at_once or not self._refused:
                self._write_all()
        self._write_all()

    def _try(self, job: _Job) -> None:
        """Do a job of the film; the run goes on where it fails."""
        try:
            job.write()
        except Exception as error:
            _log.exception("a job of the film failed")
            self._done.put(Fault.of(unexpected("the film", error)))

    def _write_all(self) -> None:
        """Write what waits, in order, until the disk refuses."""
        self._refused = False
        while self._unwritten:
            try:
                self._unwritten[0].write()
            except DataFolderError as error:
                self._refused = True
                self._done.put(Unrecorded(Fault.of(error)))
                return
            except PitwallError as error:
                self._done.put(Unrecorded(Fault.of(error)))
            except Exception as error:
                _log.exception("recording failed")
                what = f"a part of the run could not be recorded: {reason_of(error)}."
                fault = Fault(what=what, fix="See logs/engine.log.")
                self._done.put(Unrecorded(fault))
            self._unwritten.popleft()

    def _write_end(self, run: _Run, summary: RunSummary, keys_down: int, at_ns: int) -> None:
        self._write_reflexes(run, None)
        self._film(run, lambda film: film.close(at_ns))
        run.film = None
        self._run_log.finish(run.run_id, summary)
        self._done.put(RunEnded(run_id=run.run_id, summary=summary, keys_down=keys_down))

    def _write_reflexes(
        self, run: _Run, reflex: ReflexRecord | None, seen: SmallPicture | None = None
    ) -> None:
        """Commit decisions by the dozen, and before the run's end: they come at frame rate."""
        batch = [*run.decisions, reflex] if reflex is not None else run.decisions
        pictures = [*run.seen, (reflex.at_ns, seen)] if reflex and seen is not None else run.seen
        if reflex is None or len(batch) >= _DECISIONS_AT_ONCE:
            keep_seen(self._data.run(run.run_id), pictures)  # first: who reads a decision needs its picture
            run.seen = pictures = []
            self._run_log.add_reflexes(run.run_id, batch)
            batch = []
        run.decisions, run.seen = batch, pictures

    def _write_step(self, run: _Run, step: StepRecord, pixels: Pixels | None) -> None:
        began = now_ns()
        if run.frames is not None and pixels is not None:
            step = dataclasses.replace(step, frame_ref=run.frames.save(step.step, pixels))
        timings = dataclasses.replace(step.timings, record_ms=ms_between(began, now_ns()))
        step = dataclasses.replace(step, timings=timings)
        self._run_log.add_step(run.run_id, step)
        self._done.put(StepNote(run_id=run.run_id, step=step))

    def _write_call(self, run: _Run, settled: SettledCall) -> None:
        record = settled.record
        if settled.image and run.frames is not None:
            keep_picture(self._data.run(run.run_id), record.image_ref, settled.image)
        elif record.image_ref:
            record = dataclasses.replace(record, image_ref="")
        self._run_log.add_call(run.run_id, record, prompt=settled.prompt, grammar=settled.grammar)

    def _film(self, run: _Run, add: Callable[[FilmWriter], object]) -> None:
        """Add to the film; if it cannot grow it ends here, and the run goes on without it."""
        if run.film is None:
            return
        try:
            add(run.film)
        except Exception as error:
            film, run.film = run.film, None
            if not isinstance(error, DataFolderError):
                _log.exception("the film failed")
            with contextlib.suppress(Exception):
                film.close()
            self._done.put(Fault.of(unexpected("the film", error, "The run goes on without it.")))

    def _make_room(self, run: _Run) -> None:
        drop_old_films(self._data, run.recording.video_most_mib * MIB, run.run_id)


NO_RUN = 0
"""Number of a run that is not in the log."""


class Unlogged:
    """Keeps nothing, in place of a `Recorder`: a demonstration is no run of the log."""

    def begin(self, manifest: RunManifest, settings: RecordingSettings) -> int:  # noqa: ARG002
        return NO_RUN

    def wants_picture(self, at_ns: int) -> bool:  # noqa: ARG002
        return False

    def step(self, *_: object) -> None:
        """Keep nothing."""

    event = call = retrieval = reflex = video = retry = finish = step
