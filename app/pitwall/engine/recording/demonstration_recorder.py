"""Records what a person does in a game as a demonstration: a thread reads, shrinks and writes.

The loop only hands over. If the thread cannot keep up, pictures are left out, but never an event. Whatever
the disk refuses waits here in order until a retry, or until the recording ends.
"""

from __future__ import annotations

import base64
import contextlib
import logging
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import DataFolderError, PitwallError, reason_of
from pitwall.core.frames import Pixels
from pitwall.core.injection import PersonActed
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder
from pitwall.core.settings import TeachSettings
from pitwall.core.telemetry import TeachNote
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.manifest import Demonstration, id_of
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.games.actions.press_reading import PressReader, ReadPress
from pitwall.store.components import absence, component_of
from pitwall.store.lease import FileLock, holder_of

_log = logging.getLogger(__name__)

IN_PLAY = frozenset({GameStatus.READY, GameStatus.PLAYING})
_MOST_WAITING = 4
"""While so many pictures wait, the next one is left out."""
_TURN_S = 0.25
_CLOSE_S = 15.0


@dataclass(frozen=True, slots=True)
class _Sight:
    """A picture of the game, and the fields read from it."""

    at_ns: int
    pixels: Pixels
    status: GameStatus
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class _Deed:
    acted: PersonActed
    would: str


@dataclass(frozen=True, slots=True)
class _Before:
    seen: Sequence[PerceivedFrame]


class _Unwatched:
    """The person is not watched from now on."""


class _Again:
    """Whatever the disk refused is to be tried again."""


_Job = _Sight | _Before | _Deed | _Unwatched | _Again


class DemonstrationRecorder:
    """Writes one demonstration.

    Args:
        begun: the manifest so far; gets a new id if a folder has that id already.
        reader: reads presses; its labels are counted.

    Raises:
        PitwallError: the same game is being recorded already.
        DataFolderError: the folder cannot be written.
    """

    def __init__(
        self, data: DataFolder, begun: Demonstration, reader: PressReader, settings: TeachSettings
    ) -> None:
        self._folder = DemonstrationFolder(data)
        self._lock = _only_one(data, begun)
        self.begun = begun.model_copy(update={"id": self._folder.free_id(begun.started_at, begun.title)})
        try:
            self._writer = DemonstrationWriter(self._folder.root / self.begun.id, self.begun)
        except PitwallError:
            self._lock.release()
            raise
        self._reader, self._settings = reader, settings
        self._every_ns = int(NS_PER_S / begun.rate_fps)
        self._due_ns = self._taken_ns = self._left_out = self._handing_ns = 0
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._sights = threading.Semaphore(_MOST_WAITING)
        self._unwritten: deque[Callable[[], None]] = deque()
        self._faults: queue.SimpleQueue[DataFolderError] = queue.SimpleQueue()
        self._refused = self._in_play = False
        self._episode = -1
        self._pictures = self._event_ns = self._cpu_ns = 0
        self._size = begun.window_size
        self._last: Pixels | None = None
        self._presses: Counter[str] = Counter(dict.fromkeys(reader.labels, 0))
        self.counts: dict[str, int] = dict(self._presses)
        self._thread = threading.Thread(target=self._work, name="demonstration", daemon=True)
        self._thread.start()

    # ---- the loop's side

    def picture(self, seen: PerceivedFrame, now: int) -> None:
        """Hand over the newest frame if a picture is due.

        Called at each turn, so that the last picture before a still screen is kept once it is due.
        """
        at_ns = seen.frame.captured_ns
        if at_ns == self._taken_ns or now < self._due_ns or self._refused:
            return
        self._due_ns = max(self._due_ns + self._every_ns, now + self._every_ns // 2)
        if not self._sights.acquire(blocking=False):
            self._left_out += 1
            return
        began, self._taken_ns = now_ns(), at_ns
        self._jobs.put(_Sight(at_ns, seen.frame.pixels.copy(), seen.observation.status, seen.values))
        self._handing_ns += now_ns() - began

    def before(self, seen: Sequence[PerceivedFrame]) -> None:
        """Hand over small frames from before the recording began; they are kept as outside of play."""
        self._jobs.put(_Before(seen))

    def press(self, acted: PersonActed, would: str = "") -> None:
        """Hand over a press of the person. `would`: what the agent was about to do (corrections)."""
        self._jobs.put(_Deed(acted, would))

    def unwatched(self) -> None:
        """Stop watching (a pause, the focus elsewhere): keys come up, the episode ends."""
        self._taken_ns = 0
        self._jobs.put(_Unwatched())

    def retry(self) -> None:
        """Try again to write what the disk refused."""
        self._jobs.put(_Again())

    def fault(self) -> DataFolderError | None:
        """Return what the disk refused since the last call."""
        with contextlib.suppress(queue.Empty):
            return self._faults.get_nowait()
        return None

    @property
    def leaves_out_typing(self) -> bool:
        """Return whether the game is played by typing, and typing is not kept."""
        return self._reader.types_text and not self._settings.keep_typing

    @property
    def full(self) -> bool:
        """Return whether it has reached the size that the settings allow."""
        return self._writer.size_bytes >= self._settings.most_mib << 20

    def progress(self, seconds: float, *, complete: bool = False) -> TeachNote:
        """Return a note of the progress. `seconds`: how long the person has been watched."""
        return TeachNote(
            demonstration=self.begun.id,
            seconds=round(seconds, 1),
            presses=self.counts,
            enough=self._settings.enough,
            episodes=self._episode + 1,
            pictures=self._pictures,
            left_out=self._left_out,
            typed=self._reader.typed,
            dropped=self._writer.dropped,
            bytes=self._writer.size_bytes,
            most_bytes=self._settings.most_mib << 20,
            rate_fps=self.begun.rate_fps,
            picture_size=self.begun.picture_size,
            cpu_ms=round((self._cpu_ns + self._handing_ns) / NS_PER_MS, 1),
            complete=complete,
        )

    def close(self, *, keep: bool = True) -> bool:
        """Write everything and end; return whether something was kept.

        What the disk refused counts as dropped; see `fault`. Without `keep` the recording is deleted.
        """
        self._jobs.put(None)
        self._thread.join(_CLOSE_S)
        self._lock.release()
        if keep and (self._pictures or self._presses.total()):
            return True
        with contextlib.suppress(PitwallError):
            self._folder.delete(self.begun.id)
        return False

    # ---- the thread

    def _work(self) -> None:
        going = True
        while going:
            try:
                job = self._jobs.get(timeout=_TURN_S)
                going = job is not None
                self._do(job)
            except queue.Empty:
                pass
            except Exception as error:
                self._lose(error)
            try:
                self._note(self._reader.ready(now_ns(), self._size))
            except Exception as error:
                self._lose(error)
            self._write()
            self._cpu_ns = time.thread_time_ns()
        self._end()

    def _do(self, job: _Job | None) -> None:
        match job:
            case _Sight():
                self._sights.release()
                self._see(job)
            case _Before(seen=seen):
                for picture in seen:
                    small, status = self._small(picture.frame.pixels), picture.observation.status
                    self._keep(picture.frame.captured_ns, small, -1, status, picture.values)
            case _Deed(acted=acted, would=would):
                self._reader.take(acted.at_ns, acted.event, would)
            case _Again():
                self._refused = False
            case _:
                self._note(self._reader.let_go(now_ns(), self._size))
                self._in_play, self._last = False, None

    def _see(self, sight: _Sight) -> None:
        playing = sight.status in IN_PLAY
        self._episode += playing and not self._in_play
        changed = playing != self._in_play
        self._in_play = self._reader.playing = playing
        height, width = sight.pixels.shape[:2]
        self._size = (width, height)
        small = self._small(sight.pixels)
        if self._last is not None and not changed and np.array_equal(small, self._last):
            return
        self._last = small
        self._unwritten.append(partial(setattr, self._writer, "window_size", self._size))
        self._keep(sight.at_ns, small, self._episode if playing else -1, sight.status, sight.values)

    def _small(self, pixels: Pixels) -> Pixels:
        """Shrink a picture; an edge beyond a whole multiple is cut, which halves the cost."""
        width, height = self.begun.picture_size
        whole = max(1, min(pixels.shape[0] // height, pixels.shape[1] // width))
        if max(pixels.shape[0] - whole * height, pixels.shape[1] - whole * width) < whole:
            pixels = pixels[: whole * height, : whole * width]
        small = cv2.resize(pixels, self.begun.picture_size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGRA2BGR), np.uint8)

    def _keep(
        self, at_ns: int, small: Pixels, episode: int, status: GameStatus, values: dict[str, Value]
    ) -> None:
        self._pictures += 1
        fields = {name: value for name, value in values.items() if name != "status"}
        self._unwritten.append(partial(self._writer.picture, at_ns, small))
        self._unwritten.append(partial(self._writer.moment, at_ns, episode, status.value, fields))

    def _note(self, presses: list[ReadPress]) -> None:
        for press in presses:
            self._event_ns = max(self._event_ns, press.at_ns)
            event = partial(self._writer.event, self._event_ns, press.event, press.action, press.would)
            self._unwritten.append(event)
            if press.counts:
                self._presses[press.label or ("" if self._reader.labels else press.pressed)] += 1
        if presses:
            self.counts = dict(self._presses)

    def _write(self) -> None:
        """Write what waits, in order, until the disk refuses."""
        while self._unwritten and not self._refused:
            try:
                self._unwritten[0]()
            except DataFolderError as error:
                self._refused = True
                self._faults.put(error)
                return
            except Exception as error:
                self._lose(error)
            self._unwritten.popleft()

    def _lose(self, error: Exception) -> None:
        """Go on without what could not be recorded, and say why and what to do."""
        _log.exception("a part of the demonstration could not be recorded")
        part = component_of(error.name or "") if isinstance(error, ImportError) else None
        lacking, fix = absence(part.key, meanwhile=False) if part is not None else ("", "")
        what = "a part of it could not be recorded."
        why = lacking or f"The log holds the details: {reason_of(error)}."
        self._faults.put(DataFolderError(f"{what} {why}", fix or "See logs/engine.log."))

    def _end(self) -> None:
        self._refused = False
        self._write()
        lost = sum(isinstance(job, partial) and job.func == self._writer.event for job in self._unwritten)
        self._writer.dropped += lost
        try:
            self._writer.close()
        except DataFolderError as error:
            self._faults.put(error)
        except Exception as error:
            self._lose(error)


def _only_one(data: DataFolder, begun: Demonstration) -> FileLock:
    """Lock a game's recording; another game may be recorded beside it."""
    file = data.demonstrations / f".{id_of('', begun.title).strip('-')}.lock"
    if holder := holder_of(file):
        raise PitwallError(
            f"{begun.title} is being recorded already, by process {holder.pid}.",
            "Stop that recording first; another game can be recorded beside it.",
        )
    lock = FileLock(file, role="recording", subject=f"the recording of {begun.title}")
    lock.acquire()
    return lock


_EVERY_NS = NS_PER_S // 10
_LONGEST_PX = 320
_JPEG_QUALITY = 75


class RecentFrames:
    """Keeps small pictures of the last seconds: ten a second at most, 320 pixels wide or high."""

    def __init__(self, *, seconds: float) -> None:
        self._kept: deque[PerceivedFrame] = deque(maxlen=max(1, int(seconds * NS_PER_S / _EVERY_NS)))

    def add(self, seen: PerceivedFrame) -> None:
        """Keep a frame, unless one was kept a moment ago."""
        frame = seen.frame
        if self._kept and frame.captured_ns - self._kept[-1].frame.captured_ns < _EVERY_NS:
            return
        scale = min(1.0, _LONGEST_PX / max(frame.width, frame.height))
        size = (max(1, round(frame.width * scale)), max(1, round(frame.height * scale)))
        small = cv2.resize(frame.pixels, size, interpolation=cv2.INTER_AREA)
        self._kept.append(replace(seen, frame=replace(frame, pixels=np.array(small, np.uint8))))

    def take(self) -> tuple[PerceivedFrame, ...]:
        """Return the kept frames, oldest first, and forget them."""
        kept = tuple(self._kept)
        self._kept.clear()
        return kept

    def jpeg_at(self, at_ns: int) -> str:
        """Return the picture shown at a time, as JPEG in base64; empty if none reaches back that far."""
        shown = [seen.frame.pixels for seen in self._kept if seen.frame.captured_ns <= at_ns]
        if not shown:
            return ""
        _, content = cv2.imencode(".jpg", shown[-1][:, :, :3], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        return base64.b64encode(content.tobytes()).decode()
