"""Finds the retrieval to show: the newest as the agent plays, or that of a step, live or recorded."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from pitwall.console.services.background import RunLogWorker
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Part
from pitwall.core.retrieval import Retrieval
from pitwall.core.runs import RunManifest
from pitwall.core.settings import MemorySettings
from pitwall.store.run_log import RunReader, RunRow
from pitwall_memory_editor.console.why.format import NOTHING_YET, why_not_asked

_MOST_RUNS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRetrieval:
    """The retrieval of a step, or the reason why it has none.

    Attributes:
        run_id: None for a game in view that plays no run.
        step: 0 if the memory was not searched yet.
        retrieval: None if the memory was not searched; `why` is then a title and a sentence.
        steps: steps with a retrieval, ascending.
        last: the newest step.
    """

    game_id: str = ""
    run_id: int | None = None
    step: int = 0
    retrieval: Retrieval | None = None
    why: tuple[str, str] = NOTHING_YET
    steps: tuple[int, ...] = ()
    last: int = 0
    live: bool = True

    @property
    def before(self) -> int:
        """Return the nearest earlier step with a retrieval; 0 without one."""
        at = bisect_left(self.steps, self.step)
        return self.steps[at - 1] if at else 0

    @property
    def after(self) -> int:
        """Return the nearest later step with a retrieval; 0 without one."""
        at = bisect_right(self.steps, self.step)
        return self.steps[at] if at < len(self.steps) else 0


class WhySource(QObject):
    """Finds retrievals.

    Args:
        reading: of the run log.

    Signals:
        retrieved(shown): show this retrieval. loading(): it is being read. runs_read(runs): recorded runs,
        newest first.
    """

    retrieved = Signal(object)
    loading = Signal()
    runs_read = Signal(object)

    def __init__(self, bridge: Bridge, reading: RunLogWorker) -> None:
        super().__init__()
        self._bridge = bridge
        self._reading = reading
        self._run: int | None = None
        self._step: int | None = None
        self._steps: dict[int, tuple[int, ...]] = {}
        self._asked = 0

    @property
    def following(self) -> bool:
        """Return whether the newest retrieval of the live game is followed."""
        return self._run is None and self._step is None

    @property
    def run(self) -> int | None:
        """Return the recorded run that is shown; None: the live game."""
        return self._run

    def read_runs(self) -> None:
        """Read which runs there are; where nothing plays and nothing was chosen, the newest is shown."""

        def take(runs: list[RunRow]) -> None:
            self.runs_read.emit(runs)
            if self.following and self._bridge.state.retrieval is None and runs and not self._playing:
                self.open(runs[0].run_id)

        self._reading.ask(lambda reader: reader.runs(_MOST_RUNS), take)

    def follow(self) -> None:
        """Show the newest retrieval from now on."""
        self._run = self._step = None
        self._show_live()

    def show_live(self, step: int) -> None:
        """Show a step of the live game."""
        self._run, self._step = None, step
        self._show_live()

    def hold(self) -> None:
        """Stay with the shown step."""
        newest = self._bridge.state.retrieval
        if self.following and newest is not None:
            self._step = newest.retrieval.step
            self._show_live()

    def go(self, step: int) -> None:
        """Show another step of the same run, or of the live game."""
        if self._run is not None:
            self.open(self._run, step)
        else:
            self.show_live(step)

    def open(self, run_id: int, step: int = 0) -> None:
        """Show a step of a recorded run; 0: its last step with a retrieval."""
        state = self._bridge.state
        if state.run is not None and state.run.run_id == run_id:
            self._run, self._step = None, step or None
            self._show_live()
            return
        self._run, self._step = run_id, step
        self._read(run_id, step)

    def refresh(self, changed: Part) -> None:
        """Follow changes of the live game."""
        if self._run is None and changed & Part.MEMORY and self._step is None:
            self._show_live()

    # ---- inside

    @property
    def _playing(self) -> bool:
        return self._bridge.state.phase in IN_VIEW

    def _show_live(self) -> None:
        self._asked += 1
        state = self._bridge.state
        newest = state.retrieval
        step = self._step if self._step is not None else newest.retrieval.step if newest else 0
        run_id = state.run.run_id if state.run is not None else None
        kept = state.retrievals.of_step(step)
        if kept is None and step and run_id is not None and step <= state.retrievals.forgotten_step:
            self._read(run_id, step)
            return
        steps = state.retrievals.steps()
        trouble = state.memory.text if state.memory is not None else ""
        why = why_not_asked(step, self._bridge.settings.memory, trouble) if step else self._nothing(trouble)
        self.retrieved.emit(
            ShownRetrieval(
                game_id=state.game.game_id if state.game is not None else "",
                run_id=run_id,
                step=step,
                retrieval=kept.retrieval if kept is not None else None,
                why=why,
                steps=(*self._steps.get(run_id or 0, ()), *steps) if run_id is not None else steps,
                last=max(step, state.steps[-1].step if state.steps else 0),
            )
        )

    def _nothing(self, trouble: str) -> tuple[str, str]:
        memory = self._bridge.settings.memory
        if self._playing and (memory.global_only or not (memory.action_bank or memory.knowledge_graph)):
            return why_not_asked(0, memory, trouble)
        return (NOTHING_YET[0], trouble) if trouble else NOTHING_YET

    def _read(self, run_id: int, step: int) -> None:
        self._asked += 1
        ticket = self._asked
        live = self._run is None
        self.loading.emit()

        def show(read: ShownRetrieval) -> None:
            if ticket != self._asked:
                return
            if live:
                earlier = [
                    step for step in read.steps if step <= self._bridge.state.retrievals.forgotten_step
                ]
                self._steps = {run_id: tuple(earlier)}
            else:
                self._step = read.step
            self.retrieved.emit(read)

        self._reading.ask(lambda reader: _read_step(reader, run_id, step, live=live), show)


def _read_step(reader: RunReader, run_id: int, step: int, *, live: bool) -> ShownRetrieval:
    """Read a step's retrieval from the run log."""
    row = reader.run(run_id)
    steps = tuple(reader.retrieved_steps(run_id))
    wanted = step or (steps[-1] if steps else row.summary.steps)
    read = reader.retrieval(run_id, wanted) if wanted else None
    return ShownRetrieval(
        game_id=row.manifest.game_id,
        run_id=run_id,
        step=wanted,
        retrieval=read,
        why=why_not_asked(wanted, _settings_of(row.manifest)),
        steps=steps,
        last=max(wanted, row.summary.steps),
        live=live,
    )


def _settings_of(manifest: RunManifest) -> MemorySettings | None:
    """Return the memory settings of a run; None if an older run does not have them."""
    recorded = manifest.settings.get("memory")
    try:
        return MemorySettings.model_validate(recorded) if recorded is not None else None
    except ValidationError:
        return None
