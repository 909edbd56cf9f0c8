"""Plays run after run until an end that was ordered; a crashed game is kept as evidence and started again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import unexpected
from pitwall.core.quantities import counted, duration_text
from pitwall.games.game_process import ENDED_WELL
from pitwall_night.record import ENDS, EventKind, NightEvent, NightFolder

_LONGEST_PAUSE_S, _DOUBLINGS = 300.0, 20
_STEADY_S = 60.0
"""A run that lasted so long before its crash begins a new row of failures."""
_SHORTEST_RUN_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRun:
    """A run as the night sees it.

    Attributes:
        run_id: None: nothing was begun. seconds, steps: how long it was played.
        score: the best on the screen; None: none was read.
        broke: why it broke off; empty: it did not.
        by_person: what a person did that ended it; empty: nothing.
        own_restarts: times the game began anew by itself, under another process id, and was played on.
        keys_down: keys and buttons that were still held at its end; None: not known.
    """

    run_id: int | None
    seconds: float = 0.0
    steps: int = 0
    score: float | None = None
    broke: str = ""
    by_person: str = ""
    own_restarts: int = 0
    keys_down: int | None = None


Play = Callable[[float], PlayedRun]
"""Plays one run of so many seconds."""
Clip = Callable[[int, Path], None]
"""Writes the last seconds of a run to a file."""
Tell = Callable[[NightEvent], None]


class NightSession:
    """One session of a night.

    Args:
        play: plays a run.
        clip: may fail: the run kept no pictures.
        tell: takes each event, also one that could not be written.
        rest: waits so many seconds.
    """

    def __init__(
        self,
        night: NightFolder,
        play: Play,
        clip: Clip,
        tell: Tell,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        self._night, self._order = night, night.order()
        self._play, self._clip, self._tell, self._rest = play, clip, tell, rest
        past = night.events()
        self._runs = sum(event.kind in ("played", "crashed") for event in past)
        self._best = max((event.score for event in past if event.score is not None), default=None)
        self._row = 0
        self._over = False

    def run(self) -> None:
        """Play until an ordered end, a person, or too many failures in a row.

        Any error that ends it is told as an event, and raised.
        """
        try:
            first = not self._night.events()
            self._add("started", "The night begins." if first else "The night goes on.")
            while not self._over:
                if ending := self._ending():
                    self._add("finished", ending)
                    break
                self._one_run()
        except KeyboardInterrupt:
            self._add("stopped", "You stopped it.")
        except Exception as error:
            with contextlib.suppress(Exception):  # the disk may be full
                self._add("needs-you", unexpected("The night", error).what)
            raise

    def _ending(self) -> str:
        """Return why the ordered end is reached; empty while it is not."""
        order = self._order
        if order.runs is not None and self._runs >= order.runs:
            return f"{counted(self._runs, 'run')} were played."
        if self._score_is_reached:
            return f"The score {self._best:,g} was reached."
        if order.until_s is not None and time.time() >= order.until_s:
            return "The time is up."
        return ""

    @property
    def _score_is_reached(self) -> bool:
        wanted, best = self._order.score, self._best
        return wanted is not None and best is not None and best >= wanted

    def _one_run(self) -> None:
        seconds = 60.0 * self._order.run_minutes
        if self._order.until_s is not None:
            seconds = max(_SHORTEST_RUN_S, min(seconds, self._order.until_s - time.time()))
        run = self._play(seconds)
        self._runs += 1
        for _ in range(run.own_restarts):
            self._add("restarted", "The game began anew by itself, and play went on.")
        if run.broke and f"ended {ENDED_WELL}." in run.broke and not self._order.again_when_closed:
            self._add("closed", f"{run.broke} It may have been closed on purpose.", run)
        elif run.broke:
            self._crashed(run)
        elif run.by_person:
            self._add("person", run.by_person, run)
        else:
            self._played(run)

    def _played(self, run: PlayedRun) -> None:
        self._row = 0
        time_played, steps = duration_text(run.seconds), counted(run.steps, "step")
        score = None if run.score is None else f"{run.score:,g}"
        text = (
            f"Played {time_played}, {steps}."
            if score is None
            else f"Played {time_played}, {steps}, score {score}."
        )
        self._add("played", text, run)
        self._count_score(run)

    def _count_score(self, run: PlayedRun) -> None:
        if run.score is not None and (self._best is None or run.score > self._best):
            self._best = run.score
            self._add("best", f"New best score: {run.score:,g}.", run)

    def _crashed(self, run: PlayedRun) -> None:
        """Keep the evidence and wait; stop after too many failures in a row."""
        self._row = 1 if run.seconds >= _STEADY_S else self._row + 1
        evidence, why = "", run.broke
        if run.run_id is not None:
            evidence = f"crash-{run.run_id}.webm"
            try:
                self._clip(run.run_id, self._night.root / evidence)
            except Exception as error:
                evidence, why = "", f"{why} No pictures: {unexpected('the clip', error).what}"
        self._add("crashed", why, run, evidence)
        self._count_score(run)
        if self._row >= self._order.failures and not self._score_is_reached:
            row = counted(self._row, "run")
            self._add("needs-you", f"{row} in a row broke off: look at the game, then resume the night.")
            return
        if self._ending():
            return
        pause_s = min(_LONGEST_PAUSE_S, self._order.backoff_s * 2.0 ** min(self._row - 1, _DOUBLINGS))
        self._rest(pause_s)
        if not self._ending():
            self._add("restarted", f"The game is started again after {duration_text(pause_s)}.")

    def _add(self, kind: EventKind, text: str, run: PlayedRun | None = None, evidence: str = "") -> None:
        event = NightEvent(
            kind=kind,
            at_s=time.time(),
            text=text,
            run_id=run.run_id if run is not None else None,
            seconds=run.seconds if run is not None else None,
            steps=run.steps if run is not None else None,
            score=run.score if run is not None else None,
            evidence=evidence,
        )
        self._over = kind in ENDS
        try:
            self._night.add(event)
        finally:
            self._tell(event)
