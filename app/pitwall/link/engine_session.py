"""The operator's end of an engine: used by the console, and by every command that plays."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from typing import Any

from pitwall.core import commands, telemetry
from pitwall.core.errors import ChannelClosed, ChildDied, ProtocolError
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.link.channel import CHANNEL_OPTION, STOP_LINE_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.frame_ring import FrameRingReader, RingFrame
from pitwall.link.truth_keeper_process import EndRun, KeepRun, TruthKeeperProcess
from pitwall.link.vocabulary import Vocabulary
from pitwall.link.watch_point import WatchPoint

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""The loop's matrices are small: waiting for a second thread on a busy machine costs more than it saves."""
COMMANDS = Vocabulary(commands.Command)
TELEMETRY = Vocabulary(telemetry.Telemetry)


class EngineSession:
    """Owns an engine process for one game.

    It also holds the stop line: a byte on it, or its end, makes the broker bring every key up and
    latch, whatever the engine does.

    Args:
        opening: the game to open; sent at once.

    Raises:
        DataFolderError: the data folder cannot be written.
    """

    def __init__(self, data: DataFolder, opening: commands.Open) -> None:
        ours, theirs = pair()
        self._stop_line, stop_theirs = pair()
        self._stop_line.setblocking(False)
        try:
            self._child = Child(
                "engine",
                ["--data", str(data.root)],
                sockets={CHANNEL_OPTION: theirs, STOP_LINE_OPTION: stop_theirs},
                log=data.logs / "engine.log",
                env=_ONE_THREAD,
            )
        except BaseException:
            for sock in (ours, theirs, self._stop_line, stop_theirs):
                sock.close()
            raise
        self._channel: Channel[Any, Any] = Channel(ours, COMMANDS, TELEMETRY)
        self._ring: FrameRingReader | None = None
        self._truth: TruthKeeperProcess | None = None
        self._data = data
        self._watch = WatchPoint(data, f"{os.getpid()}-{self._child.pid}.sock", self._pull_stop_line)
        self.send(opening)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        return self._child.alive

    def fileno(self) -> int:
        """Return a descriptor for selectors: readable when telemetry (or the engine's end) has come."""
        return self._channel.fileno()

    def poll(self) -> list[Any]:
        """Return the telemetry that has come, oldest first. Never blocks.

        Raises:
            ChildDied: the engine is gone, and all its messages were returned; carries its last words.
        """
        return self.wait(0.0)

    def send(self, command: Any) -> None:
        """Send a command. A dead engine is reported by the next `poll`, not here."""
        if isinstance(command, commands.Open):
            command = replace(command, owner=os.getpid())
            self._keep_truth(command)
        with contextlib.suppress(ChannelClosed):
            self._channel.send(command)

    def flush(self) -> None:
        """Send the rest of a large command. Never blocks."""
        with contextlib.suppress(ChannelClosed):
            self._channel.flush()

    def emergency_stop(self) -> None:
        """Latch the broker by the stop line, which needs no engine, and tell the engine as well."""
        self._pull_stop_line()
        self.send(commands.EmergencyStop())

    def _pull_stop_line(self) -> None:
        with contextlib.suppress(OSError):
            self._stop_line.send(b"!")

    def frame(self) -> RingFrame | None:
        """Return the newest frame, if it was not returned before; else None."""
        return self._ring.newest() if self._ring is not None else None

    def close(self, timeout_s: float = 5.0) -> int:
        """Ask the engine to quit and wait; then kill it. Returns its exit status."""
        self._watch.close()
        self.send(commands.Quit())
        with contextlib.suppress(ChannelClosed):
            self._channel.flush(0.5)
        status = self._child.end(timeout_s)
        if self._truth is not None:
            self._truth.close()
        self._stop_line.close()
        self._channel.close()
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        return status

    def wait(self, timeout_s: float) -> list[Any]:
        """Poll, but wait for the first message (or the time to pass)."""
        try:
            messages = [message for message, _ in self._channel.wait(timeout_s)]
        except (ChannelClosed, ProtocolError) as error:
            self._child.end(1.0)
            death = self._child.death()
            if isinstance(error, ProtocolError):
                raise ChildDied(f"the engine cannot be understood: {error.what}", "Restart it.") from error
            raise death from error
        if self._watch.pause_requested():
            self.send(commands.Pause())
        for message in messages:
            self._watch.note(message)
            if isinstance(message, telemetry.RingOpened):
                if self._ring is not None:
                    self._ring.close()
                    self._ring = None
                with contextlib.suppress(ProtocolError):  # replaced by a newer one before we came to it
                    self._ring = FrameRingReader(message.name)
            elif self._truth is not None and isinstance(message, telemetry.RunBegan):
                self._truth.tell(KeepRun(run_id=message.run_id, at_ns=message.at_ns))
            elif self._truth is not None and isinstance(message, telemetry.RunEnded):
                self._truth.tell(EndRun())
        return messages

    def _keep_truth(self, opening: commands.Open) -> None:
        """Keep the true states of this game's runs from now on."""
        written = opening.game_env.get(TRUTH_VARIABLE, "")
        if self._truth is not None and self._truth.follows == (opening.game, written):
            return
        if self._truth is not None:
            self._truth.close()
        self._truth = TruthKeeperProcess(self._data, opening.game, written=written)
