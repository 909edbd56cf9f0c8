"""Keeps the true states of every run beside its run log, in a process of its own (SPEC §7).

`pitwall truth-keeper --channel FD --data DIR --game GAME` is started by the operator's end of an engine
(link.session), which reports the begin and end of runs; it dies with it. It follows the game's true state;
the engine knows nothing of it, and the agent never sees what it reads.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import ChannelClosed, PitwallError
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.plugin_table import reads_true_states
from pitwall.games.schema.profile import Game
from pitwall.link.channel import CHANNEL_OPTION, Channel
from pitwall.link.child_process import inherited
from pitwall.link.truth_keeper_process import ROLE, TOLD, EndRun, KeepRun
from pitwall.store.true_scores import TrueScoreLog
from pitwall_evaluation.truth.log import TruthLog, truth_file
from pitwall_evaluation.truth.source import TruthReading, source_of
from pitwall_evaluation.truth.state import TrueState, TruthReader, score

_LOOK_IDLE_S = 0.1
_NICE = 5
"""Niceness: lower priority than the game and its engine."""
_BETWEEN_NS = 40 * NS_PER_MS
_BETWEEN_UNASKED_NS = 200 * NS_PER_MS
"""Seconds between readings of a game that writes its state on every frame; longer if no [exam] needs it."""
_TRIES = 3
_BEFORE = 64
"""States kept from before a run: its first state may be among them when its begin is reported."""
KeeperChannel = Channel[KeepRun | EndRun, KeepRun | EndRun]
_log = logging.getLogger(__name__)


class TruthKeeper:
    """Follows one game's true state, and writes it while a run is on.

    Args:
        written: the file that a game of the kind "file" writes.

    Raises:
        PitwallError: the game has no [truth].
    """

    def __init__(self, game: Game, data: DataFolder, written: Path) -> None:
        self._game, self._data = game, data
        self._source: TruthReading = source_of(game, data, written)
        self._written = written if isinstance(self._source, TruthReader) else None
        self._between_ns = _BETWEEN_NS if reads_true_states(game.profile) else _BETWEEN_UNASKED_NS
        self._before: deque[tuple[int, TrueState]] = deque(maxlen=_BEFORE)
        self._last: tuple[int, TrueState] | None = None
        self._taken_ns = 0
        self._log: TruthLog | None = None
        self._scores: TrueScoreLog | None = None
        self._began_ns = 0

    @property
    def look_every_s(self) -> float:
        """Return the seconds between two readings: during a run, half the interval of kept states."""
        return self._between_ns / 2 / NS_PER_S if self._log is not None else _LOOK_IDLE_S

    def look(self, *, at_once: bool = False) -> None:
        """Take in a new state.

        Args:
            at_once: even if the last one came only just before.
        """
        now = now_ns()
        if not at_once and now - self._taken_ns < self._between_ns:
            return
        new_state = self._read(now)
        if new_state is None:
            return
        written_ns, state = new_state
        if self._last is not None and _same(state, self._last[1]):
            return
        self._last, self._taken_ns = (written_ns, state), now
        if self._log is None:
            self._before.append(self._last)
        else:
            self._keep(state, written_ns)

    def begin(self, run_id: int, began_ns: int) -> None:
        """Start the log of a run that began at this monotonic time."""
        self.end()
        self._began_ns = began_ns
        truth = self._game.profile.truth
        self._log = TruthLog(truth_file(self._data, run_id), run_id=run_id, game_id=self._game.game_id)
        self._scores = TrueScoreLog(self._data, run_id, truth.unit if truth is not None else "")
        first = [state_before for state_before in self._before if state_before[0] <= began_ns][-1:]
        for at_ns, state in (
            *first,
            *(state_before for state_before in self._before if state_before[0] > began_ns),
        ):
            self._keep(state, at_ns)
        self._before.clear()

    def end(self) -> None:
        """Finish the run's log after taking in the last state."""
        if self._log is None:
            return
        self.look(at_once=True)
        self._log.end(now_ns() - self._began_ns)
        if self._scores is not None:
            self._scores.flush()
        self._log = self._scores = None
        if self._last is not None:
            self._before.append(self._last)

    def close(self) -> None:
        """End the current run, and close all files."""
        self.end()
        self._source.close()

    def _keep(self, state: TrueState, at_ns: int) -> None:
        truth = self._game.profile.truth
        assert self._log is not None and self._scores is not None and truth is not None
        self._log.append(state, at_ns - self._began_ns)
        with contextlib.suppress(PitwallError):  # a state that says no score yet
            self._scores.add(score(state, truth.score), at_ns - self._began_ns)

    def _read(self, now: int) -> tuple[int, TrueState] | None:
        """Return the newest state and its monotonic time; None while there is none."""
        if self._written is None:
            state = self._source.read()
            return None if state is None else (now, state)
        for _ in range(_TRIES):
            try:
                written_ns = self._written.stat().st_mtime_ns
                state = self._source.read()
                if self._written.stat().st_mtime_ns == written_ns:  # else another state was read than dated
                    return None if state is None else (now_ns() - (time.time_ns() - written_ns), state)
            except OSError:
                self._before.clear()  # an earlier game's
                self._last = None
                break
        return None


def _same(first: TrueState, other: TrueState) -> bool:
    """Return whether only the time has changed."""
    return first.model_copy(update={"timestamp_ms": 0.0, "game_time_ms": 0.0}) == other.model_copy(
        update={"timestamp_ms": 0.0, "game_time_ms": 0.0}
    )


def main(argv: Sequence[str]) -> int:
    """Keep true states until the other end of the channel is gone; returns the exit status."""
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="data folder")
    parser.add_argument("--game", required=True, help="id or folder")
    options = parser.parse_args(argv)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the channel's end is what ends it
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format=f"%(asctime)s {ROLE} %(levelname)s %(message)s"
    )
    if hasattr(os, "nice"):
        os.nice(_NICE)
    channel: KeeperChannel = Channel(inherited(options.channel), TOLD, TOLD)
    try:
        return _serve(channel, DataFolder(options.data), options.game)
    except (PitwallError, OSError) as error:
        _log.error("%s", error)
        return 1
    finally:
        channel.close()


def _serve(channel: KeeperChannel, data: DataFolder, name: str) -> int:
    game = Registry(data).load(name)
    if game.profile.truth is None or not game.profile.truth.verified:
        return 0
    written = Path(os.environ.get(TRUTH_VARIABLE) or data.truth(game.game_id))
    keeper = TruthKeeper(game, data, written)
    try:
        while True:
            for message, _ in channel.wait(keeper.look_every_s):
                if isinstance(message, KeepRun):
                    keeper.begin(message.run_id, message.at_ns)
                else:
                    keeper.end()
            keeper.look()
    except ChannelClosed:
        return 0
    finally:
        keeper.close()
