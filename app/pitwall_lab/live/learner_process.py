"""Runs the training beside play in a process of its own: starts it, starts it again if it dies, ends it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGTERM

from pitwall.core.errors import ChildDied
from pitwall.core.paths import DataFolder
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.child_process import APART, dies_with_parent
from pitwall.store.lease import FileLock
from pitwall_lab.orders import LearnOrder, TrainingOrder
from pitwall_lab.training_log import PLAYS_LOCK, request_control

_READY_S, _ENDS_S, _LOOK_S = 120.0, 120.0, 0.1
_MOST_STARTS = 3
_LAST_WORDS = 600


class LearnerProcess:
    """The training of a version while the version drives a game.

    Args:
        output: file that takes what it prints.

    Attributes:
        deaths: how often it ended by itself.
    """

    def __init__(
        self, data: DataFolder, folder: ModuleFolder, version: str, output: Path, order: LearnOrder
    ) -> None:
        self._folder, self._version = folder, version
        training = TrainingOrder(
            resume=version, drives=True, seed=order.seed, minutes=order.minutes, shown=order.shown
        )
        named = f"{folder.game.reference}/{folder.declared.name}"
        words = ["gsm", "train", named, *training.words(), "--data", str(data.root)]
        self._command = [sys.executable, "-m", "pitwall", *words]
        self._output = output
        self._plays = FileLock(
            folder.folder(version) / PLAYS_LOCK, role="learning", subject=f"{named} {version}"
        )
        self._plays.acquire()
        self.deaths = 0
        self._process = self._started()

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def wait_ready(self, should_stop: Callable[[], bool] = lambda: False) -> bool:
        """Wait until the version has a policy to begin with; return false if it is to stop before.

        Raises:
            ChildDied: the training ended before, or takes too long.
        """
        until_s = time.monotonic() + _READY_S
        while not should_stop():
            if self._folder.about(self._version).policy_sha256:
                return True
            if self._process.poll() is not None:
                raise ChildDied("the training did not begin.", f"See {self._output}.", self._last_words())
            if time.monotonic() > until_s:
                raise ChildDied(
                    f"the training has not begun after {_READY_S:g} s.",
                    f"Begin without what was shown: --not-shown. See also {self._output}.",
                    self._last_words(),
                )
            time.sleep(_LOOK_S)
        return False

    def look(self) -> str:
        """Start the training again if it died; return a sentence about that, or an empty text."""
        if self._process.poll() is None or self.deaths >= _MOST_STARTS:
            return ""
        self.deaths += 1
        words = f"The training ended by itself (status {self._process.returncode}); the last policy plays on."
        if self.deaths == _MOST_STARTS:
            return f"{words} It is not started again: see {self._output}."
        self._process = self._started()
        return f"{words} It is started again where it was saved."

    def stop(self) -> None:
        """Let the training save the best policy, and end it."""
        if self._process.poll() is None:
            request_control(self._folder.folder(self._version), "stop")
            try:
                self._process.wait(_ENDS_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._plays.release()
        (self._folder.folder(self._version) / PLAYS_LOCK).unlink(missing_ok=True)

    def _started(self) -> subprocess.Popen[bytes]:
        request_control(self._folder.folder(self._version), "run")  # here, so that no stop comes before it
        with self._output.open("ab") as stream:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
                creationflags=APART,
                preexec_fn=dies_with_parent(SIGTERM),
            )

    def _last_words(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace")[-_LAST_WORDS:].strip()
