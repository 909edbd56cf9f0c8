"""Runs one task from its start to its result: listens to the agent, reads the truth, steers the game."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from pathlib import Path
from typing import Any

import cv2

from pitwall.core import telemetry
from pitwall.core.errors import ChannelClosed, PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.observations import GameStatus
from pitwall.games.schema.profile import Game, Task
from pitwall.link.channel import Channel
from pitwall.link.game_control import GameControl, Reset
from pitwall_bench.suites.bounds import bounds_of
from pitwall_bench.suites.results import SideRun, TaskRun
from pitwall_bench.tasks.command import command_of, seconds_of
from pitwall_bench.tasks.messages import GiveUp, PlayTask, TaskProgress
from pitwall_bench.tasks.other_side import OtherSide, side_run
from pitwall_bench.tasks.verdict import RunCircumstances, task_run
from pitwall_bench.tasks.watch import BEFORE_PLAY, TaskWatch
from pitwall_evaluation.agent_process import AgentProcess, agent_process, last_complaints
from pitwall_evaluation.sandbox import Sandbox
from pitwall_evaluation.truth.fields import FieldsTruth
from pitwall_evaluation.truth.source import optional_paths, source_of
from pitwall_evaluation.truth.state import TrueState
from pitwall_evaluation.worker_process import WorkCancelled

PICTURE_FILE = "picture.png"
"""Name of the picture in a session's folder."""
_WIDEST_PX = 320


def write_picture(file: Path, pixels: Pixels) -> bool:
    """Write a frame as a PNG at most 320 pixels wide, atomically; return whether it was written.

    Args:
        pixels: (height, width, 4) uint8 BGRX.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, _WIDEST_PX / width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(pixels[:, :, :3], size, interpolation=cv2.INTER_AREA)
    made, png = cv2.imencode(".png", small, [cv2.IMWRITE_PNG_COMPRESSION, 3])
    aside = file.with_name(f".{file.name}.tmp")
    with contextlib.suppress(OSError):
        aside.write_bytes(png.tobytes())
        aside.replace(file)
        return bool(made)
    return False


_NOTICED_S = 2.0


class SleepWatch:
    """Compares the monotonic clock with the boot clock; without a boot clock, no sleep is detected."""

    def __init__(self) -> None:
        self._behind_s = _behind_s()

    def slept_s(self) -> float:
        """Return the seconds slept since this watch began; 0 if under two."""
        slept = _behind_s() - self._behind_s
        return slept if slept >= _NOTICED_S else 0.0


def _behind_s() -> float:
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(boot) - time.monotonic() if boot is not None else 0.0


_log = logging.getLogger(__name__)

_LOOK_EVERY_S = 0.03
_TELL_EVERY_S = 0.5
_LAST_S = 0.3
_RESET_EVERY_S = 5.0
_LOST_S = 5.0
"""Seconds after which a true state that can no longer be read counts as lost."""
_SILENT_S = 60.0
"""Seconds of silence after which the agent counts as hanging; it reports every second, even in thought."""
_BEYOND_S = 15.0
"""Seconds after the worker's own deadline at which the run ends itself."""
_WORDS = 400


class TaskRunner:
    """Plays one order.

    Args:
        sandbox: its session. channel: sends progress, and may receive a GiveUp.
    """

    def __init__(
        self, order: PlayTask, game: Game, task: Task, sandbox: Sandbox, channel: Channel[Any, Any]
    ) -> None:
        self._order, self._game, self._task, self._sandbox, self._channel = (
            order,
            game,
            task,
            sandbox,
            channel,
        )
        limits = order.limits
        self._bounds = bounds_of(game, task, limits)
        steps, unsaid = self._bounds.steps, optional_paths(game)
        self._watch = TaskWatch(task, steps=steps, seconds=limits.seconds, unsaid=unsaid)
        if self._watch.seconds_cap is None:
            self._watch.seconds_cap = seconds_of(order, self._watch.steps_cap)
        self._source = source_of(game, sandbox.data, sandbox.truth)
        assert sandbox.control is not None
        self._control = GameControl(sandbox.control)
        self._sleep = SleepWatch()
        self._around = RunCircumstances(started_s=time.monotonic())
        self._last: TrueState | None = None
        self._read_s = self._told_s = self._reset_s = 0.0
        self._picture = ""
        self._other = OtherSide(order, game, task, sandbox) if task.other_role else None
        self._together = self._other is None
        self._before_ms: float | None = None

    def play(self) -> TaskRun:
        """Play the task to its end.

        Raises:
            GivenUp: nobody waits for the result any more; everything was ended.
        """
        cap = self._watch.seconds_cap
        longest = None if cap is None else self._order.limits.opening_s + cap + _BEYOND_S
        command = command_of(
            self._order, self._task, self._sandbox.data, bounds=self._bounds, seconds=longest
        )
        around = self._around
        try:
            other = (
                contextlib.nullcontext()
                if self._other is None
                else self._other.playing(self._bounds, longest)
            )
            with agent_process(command, self._sandbox, self._game, self._on_frame) as play, other:
                self._follow(play)
                died = play.ended
                around.ended_s = play.heard.over_s or time.monotonic()
                if play.heard.over_s is not None and self._watch.ended is None:
                    time.sleep(_LAST_S)  # what the last step did is written down a little later
                    self._look(play)
                around.screen_gone = not screen_exists(self._sandbox.display)
            self._watch.stepped(play.heard.steps)
            around.slept_s = self._sleep.slept_s()
            around.complaint = self._source.complaint()
            around.words = self._game_words()
            if died and play.heard.run_id is None and not play.heard.complaint:
                play.heard.complaint = last_complaints(self._sandbox)
            run = task_run(self._order, self._game, self._task, self._watch, play.heard, around)
            return (
                run
                if self._other is None
                else run.model_copy(update={"sides": self._sides(self._other, play)})
            )
        finally:
            self._source.close()
            self._control.close()

    # ---- while it plays

    def _follow(self, play: AgentProcess) -> None:
        """Follow the run until it is over, for whatever reason."""
        while True:
            play.hear()
            if self._other is not None:
                self._other.hear()
                self._around.other_fault = self._other.fault
            ended = play.ended or play.heard.over_s is not None  # before the look: that state is the last
            self._watch.stepped(play.heard.steps)
            self._look(play)
            now_s = time.monotonic()
            if ended or self._over(play, now_s):
                return
            self._heed()
            if self._around.asked:
                return
            if now_s - self._told_s >= _TELL_EVERY_S:
                self._told_s = now_s
                self._tell(play, now_s)
            time.sleep(_LOOK_EVERY_S)

    def _look(self, play: AgentProcess) -> None:
        """Take in the true state, once the run has begun."""
        state, now_s = self._source.read(), time.monotonic()
        if state is not None:
            self._read_s = now_s
            self._around.loading = state.status is GameStatus.LOADING
        if play.heard.began_s is None or state is None or self._around.loading:
            return
        if not self._together and not self._begin_together(state):
            return
        if self._around.opened_s is None:
            self._around.opened_s = now_s
        if state != self._last:
            self._last = state
            if self._watch.take(state) == "reset":
                self._reset_s = 0.0
        if self._watch.down:
            self._reset(now_s)

    def _begin_together(self, state: TrueState) -> bool:
        """Begin the game anew once both sides play; return whether the state is of that play."""
        if self._other is None or not self._other.begun:
            return False
        if self._before_ms is None:
            self._before_ms = state.game_time_ms
            self._together = not self._control.listening
            if not self._together:
                self._reset(time.monotonic())
        elif state.status in BEFORE_PLAY or state.game_time_ms < self._before_ms:
            self._together = True
        return self._together

    def _sides(self, other: OtherSide, play: AgentProcess) -> tuple[SideRun, SideRun]:
        """Return the figures of both sides, the judged side first."""
        judged = side_run(self._game, self._task.role, self._order.agent.name, play.heard, self._last)
        return judged, other.side(self._last)

    def _over(self, play: AgentProcess, now_s: float) -> bool:
        """Return whether the run is over although its process continues."""
        around = self._around
        if self._watch.ended is not None or self._sleep.slept_s() or around.other_fault:
            return True
        if play.heard.run_id is not None and now_s - play.heard.told_s >= _SILENT_S:
            around.silent_s = now_s - play.heard.told_s
            return True
        if around.opened_s is None:
            around.ended_s = now_s
            return around.unopened_s >= self._order.limits.opening_s
        around.lost = now_s - self._read_s >= _LOST_S
        return around.lost or self._watch.late(now_s - around.opened_s)

    def _reset(self, now_s: float) -> None:
        """Restart the game if it accepts commands; else its own skills do, or nobody."""
        if now_s - self._reset_s < _RESET_EVERY_S or not self._control.listening:
            return
        self._reset_s = now_s
        try:
            self._control.ask(Reset())
        except PitwallError as error:
            _log.warning("%s: %s", self._order.cell.key, error)

    def _on_frame(self, note: telemetry.FrameNote) -> None:
        if isinstance(self._source, FieldsTruth):
            self._source.hear(note.status, {reading.name: reading.value for reading in note.readings})

    # ---- to and from whoever asked

    def _heed(self) -> None:
        try:
            for message, _ in self._channel.receive():
                self._around.asked = self._around.asked or isinstance(message, GiveUp)
        except ChannelClosed:
            raise WorkCancelled from None

    def _tell(self, play: AgentProcess, now_s: float) -> None:
        frame = play.ring.newest() if play.ring is not None else None
        if frame is not None and write_picture(self._sandbox.data.root / PICTURE_FILE, frame.pixels):
            self._picture = PICTURE_FILE
        around, watch = self._around, self._watch
        self._channel.send(
            TaskProgress(
                state=self._state(play),
                steps=watch.steps,
                budget=watch.steps_cap,
                progress=watch.progress,
                score=watch.score,
                seconds=0.0 if around.opened_s is None else now_s - around.opened_s,
                picture=self._picture,
            ),
            lossy=True,
        )

    def _state(self, play: AgentProcess) -> str:
        if self._around.opened_s is None:
            return "opening"
        if self._watch.down:
            return "beginning anew"
        return play.heard.state.state.value if play.heard.state is not None else "playing"

    def _game_words(self) -> str:
        """Return the end of the game program's output, on one line."""
        log = self._sandbox.data.logs / f"game-{self._game.game_id}.log"
        try:
            return " ".join(log.read_text(encoding="utf-8", errors="replace").split())[-_WORDS:]
        except OSError:
            return ""


def screen_exists(display: str) -> bool:
    """Return whether the X server of this name still answers; True if that cannot be known."""
    number = display.removeprefix(":").split(".")[0]
    if not display.startswith(":") or not number.isdecimal():
        return True
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(f"/tmp/.X11-unix/X{number}")
        except OSError:
            return False
    return True
