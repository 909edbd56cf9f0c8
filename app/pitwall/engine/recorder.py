"""Recording beside the loop: a thread writes, the loop only hands over.

A step counts once its commit returned; only then does its note go to the console.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import queue
import socket
import threading
from collections import deque
from dataclasses import dataclass

from pitwall.core.clock import ms_between, now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.core.telemetry import Fault, RunEnded, StepNote
from pitwall.store.frames import VIDEO_NAME, FrameStore, VideoSink
from pitwall.store.run_log import RunLog

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Step:
    step: StepRecord
    pixels: Pixels | None


@dataclass(frozen=True, slots=True)
class _VideoFrame:
    at_ns: int
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class _Finish:
    summary: RunSummary
    keys_down: int


_Job = _Step | _VideoFrame | RunEvent | _Finish | None


class Recorder:
    """Writes one data folder's run log from a thread of its own.

    Args:
        data: where to write. Opened at once.

    Raises:
        DataFolderError: the folder is read-only, full, or its database cannot be opened.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._run_log = RunLog.open(data)
        self.notices: list[str] = list(self._run_log.notices)
        self.run_id: int | None = None
        self._frames: FrameStore | None = None
        self._video: VideoSink | None = None
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._done: deque[StepNote | RunEnded | Fault] = deque()
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """For select: readable when `committed` has something."""
        return self._wake_reader.fileno()

    def begin(self, manifest: RunManifest, settings: RecordingSettings) -> int:
        """Write a run's manifest; returns its id once committed.

        Raises:
            DataFolderError: it could not be written.
        """
        self.run_id = self._run_log.begin(manifest)
        folder = self._data.run(self.run_id)
        self._frames = FrameStore(folder, settings) if settings.step_frames else None
        self._video = None
        if settings.video:
            width, height = manifest.screen
            self._video = VideoSink(folder / VIDEO_NAME, fps=settings.video_fps, size=(width, height))
        return self.run_id

    def step(self, step: StepRecord, pixels: Pixels | None) -> None:
        """Hand over a step and the frame it was decided on (a copy that stays unchanged)."""
        self._jobs.put(_Step(step, pixels))

    def event(self, event: RunEvent) -> None:
        """Hand over an event of the run."""
        self._jobs.put(event)

    @property
    def wants_video(self) -> bool:
        return self._video is not None

    def video(self, at_ns: int, pixels: Pixels) -> None:
        """Hand over a video frame (a copy)."""
        self._jobs.put(_VideoFrame(at_ns, pixels))

    def finish(self, summary: RunSummary, keys_down: int) -> None:
        """Hand over the run's end; `committed` then returns its `RunEnded`."""
        self._jobs.put(_Finish(summary, keys_down))

    def committed(self) -> list[StepNote | RunEnded | Fault]:
        """What was committed (or failed) since the last call; also after `close`."""
        with contextlib.suppress(OSError):  # nothing to read, or closed
            while self._wake_reader.recv(4096):
                pass
        done = []
        while self._done:
            done.append(self._done.popleft())
        return done

    def close(self, timeout_s: float = 10.0) -> None:
        """Write everything that was handed over, then close."""
        self._jobs.put(None)
        self._thread.join(timeout_s)
        self._run_log.close()
        self._wake_reader.close()
        self._wake_writer.close()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._write(job)
            except PitwallError as error:
                self._tell(Fault(what=error.what, fix=error.fix, error=type(error).__name__))
            except Exception:
                _log.exception("recording failed")
                self._tell(Fault(what="a step could not be recorded.", fix="See logs/engine.log."))

    def _write(self, job: _Step | _VideoFrame | RunEvent | _Finish) -> None:
        if self.run_id is None:
            return
        match job:
            case _Step(step=step, pixels=pixels):
                self._write_step(step, pixels)
            case _VideoFrame(at_ns=at_ns, pixels=pixels):
                if self._video is not None:
                    self._video.add(pixels, at_ns)
            case RunEvent():
                self._run_log.add_event(self.run_id, job)
            case _Finish(summary=summary, keys_down=keys_down):
                if self._video is not None:
                    self._video.close()
                    self._video = None
                self._run_log.finish(self.run_id, summary)
                self._tell(RunEnded(run_id=self.run_id, summary=summary, keys_down=keys_down))
                self.run_id = None

    def _write_step(self, step: StepRecord, pixels: Pixels | None) -> None:
        assert self.run_id is not None
        began = now_ns()
        if self._frames is not None and pixels is not None:
            step = dataclasses.replace(step, frame_ref=self._frames.save(step.step, pixels))
        timings = dataclasses.replace(step.timings, record_ms=ms_between(began, now_ns()))
        step = dataclasses.replace(step, timings=timings)
        self._run_log.add_step(self.run_id, step)
        self._tell(StepNote(run_id=self.run_id, step=step))

    def _tell(self, note: StepNote | RunEnded | Fault) -> None:
        self._done.append(note)
        with contextlib.suppress(OSError):  # woken already, or closed
            self._wake_writer.send(b".")
