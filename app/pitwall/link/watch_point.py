"""Lets programs of the same user look at a play, pause it and stop it: a socket in the private data folder.

A client connects, sends one JSON line (`Ask`) and reads one JSON line (`Seen`). A thread of its own answers;
the play only leaves its newest records here. Pixels stay in the frame ring, whose name is in the answer.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pitwall.core import telemetry
from pitwall.core.paths import DataFolder

_log = logging.getLogger(__name__)

CAN_WATCH = hasattr(socket, "AF_UNIX")
"""True where a play can be watched: Python on Windows has no sockets in the file system."""
_FOLDER = "watch"
_STEPS, _POINTS = 12, 240
_POINT_S = 0.25
_PATIENCE_S = 1.0
_MOST_BYTES = 1 << 20


class Ask(BaseModel):
    """A client's request; pause and stop are answered like look, and reach one play alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: Literal["look", "pause", "stop"] = "look"


class Seen(BaseModel):
    """Holds the newest records of a play.

    Attributes:
        steps: the last ones, oldest first. signals: a note each quarter of a second, without readings.
        ring: name of the frame ring; empty: no picture has come.
        run_id, run_ns: the present run and when it began, on the monotonic clock.
        best: highest score that was read in this run.
    """

    model_config = ConfigDict(ser_json_inf_nan="constants", defer_build=True)

    game: telemetry.GameOpened | None = None
    state: telemetry.StateChanged | None = None
    note: telemetry.FrameNote | None = None
    budgets: telemetry.Budgets | None = None
    fault: telemetry.Fault | None = None
    steps: tuple[telemetry.StepNote, ...] = ()
    signals: tuple[telemetry.FrameNote, ...] = ()
    ring: str = ""
    run_id: int | None = None
    run_ns: int = 0
    best: float | None = None


class WatchPoint:
    """The play's end; opens nothing where the data folder cannot hold a socket.

    Args:
        name: of the socket, unlike that of any other play in this data folder.
        stop: brings every key up at once, from any thread.
    """

    def __init__(self, data: DataFolder, name: str, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._newest: dict[str, Any] = {}
        self._steps: deque[telemetry.StepNote] = deque(maxlen=_STEPS)
        self._signals: deque[telemetry.FrameNote] = deque(maxlen=_POINTS)
        self._point_at_s = 0.0
        self._pause = threading.Event()
        self._file = data.root / _FOLDER / name
        self._socket: socket.socket | None = None
        if CAN_WATCH:
            with contextlib.suppress(OSError):
                self._listen()

    def note(self, record: Any) -> None:
        """Keep a record of the play if watchers are shown it."""
        match record:
            case telemetry.FrameNote():
                self._newest["note"] = record
                self._count_score(record)
                if (now_s := time.monotonic()) - self._point_at_s >= _POINT_S:
                    self._point_at_s = now_s
                    self._signals.append(replace(record, readings=(), detections=()))
            case telemetry.StepNote():
                self._steps.append(record)
            case telemetry.StateChanged():
                self._newest["state"] = record
            case telemetry.GameOpened():
                self._newest["game"] = record
            case telemetry.Budgets():
                self._newest["budgets"] = record
            case telemetry.Fault():
                self._newest["fault"] = record
            case telemetry.RingOpened():
                self._newest["ring"] = record.name
            case telemetry.RunBegan():
                self._steps.clear()
                self._newest |= {"run_id": record.run_id, "run_ns": record.at_ns, "best": None, "fault": None}
            case telemetry.RunEnded():
                self._newest["run_id"] = None

    def pause_requested(self) -> bool:
        """Return whether a watcher asked for a pause since the last call."""
        asked = self._pause.is_set()
        self._pause.clear()
        return asked

    def close(self) -> None:
        """Stop listening and remove the socket."""
        if self._socket is None:
            return
        listening, self._socket = self._socket, None
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)  # wakes the thread
        listening.close()
        self._thread.join()
        self._file.unlink(missing_ok=True)

    def _count_score(self, note: telemetry.FrameNote) -> None:
        game = self._newest.get("game")
        values = (reading.value for reading in note.readings if game and reading.name == game.score_field)
        score = next((value for value in values if isinstance(value, int | float)), None)
        best = self._newest.get("best")
        if score is not None and (best is None or score > best):
            self._newest["best"] = score

    def _listen(self) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _reachable(self._file) as path:
            listening.bind(path)
        self._file.chmod(0o600)
        listening.listen()
        self._socket = listening
        self._thread = threading.Thread(target=self._serve, args=(listening,), name="watchers", daemon=True)
        self._thread.start()

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            with client, contextlib.suppress(OSError, ValueError):
                self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        client.settimeout(_PATIENCE_S)
        ask = Ask.model_validate_json(_line(client))
        if ask.do == "pause":
            self._pause.set()
        elif ask.do == "stop":
            self._stop()
        try:
            seen = self._seen().model_dump_json()
        except Exception:
            _log.exception("a watcher could not be answered")
            return
        client.sendall(seen.encode() + b"\n")

    def _seen(self) -> Seen:
        steps, signals = tuple(self._steps.copy()), tuple(self._signals.copy())
        return Seen.model_construct(**self._newest, steps=steps, signals=signals)


def look(data: DataFolder, ask: Ask | None = None) -> Seen | None:
    """Ask the newest play of a data folder, and remove the sockets of dead plays; None: nothing is played."""
    if not CAN_WATCH:
        return None
    ask, sent = ask or Ask(), False
    files = [file for file in (data.root / _FOLDER).glob("*.sock") if file.is_socket()]
    for file in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True):
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, _reachable(file) as path:
                client.settimeout(2 * _PATIENCE_S)
                client.connect(path)
                client.sendall(ask.model_dump_json().encode() + b"\n")
                sent = ask.do != "look"
                return Seen.model_validate_json(_line(client))
        except ConnectionRefusedError:
            file.unlink(missing_ok=True)
        except (OSError, ValueError):
            if sent:
                break
    return None


def _line(client: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b"\n"):
        part = client.recv(65_536)
        if not part or len(received) > _MOST_BYTES:
            raise ConnectionError("the connection ended")
        received += part
    return received


@contextlib.contextmanager
def _reachable(file: Path) -> Iterator[str]:
    """Yield a path of a socket that is short enough, however deep its folder lies."""
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        short = Path(f"/proc/self/fd/{folder}")
        yield str(short / file.name if short.exists() else file)
    finally:
        os.close(folder)
