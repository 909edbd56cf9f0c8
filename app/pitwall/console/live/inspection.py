"""The decision inspector on the Live page: steps and calls as they come, or the one that was clicked."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from pitwall.console.inspector.format import Decision
from pitwall.console.inspector.panel import DecisionInspector
from pitwall.console.kit.theme import Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.model_calls import Call
from pitwall.console.state.view_state import Part
from pitwall.core.steps import StepRecord

_FORGOTTEN = "Calls of a step so long ago are shown by the Runs page."
_PARTS = Part.GAME | Part.PHASE | Part.CALLS | Part.STEP | Part.RUN | Part.MEMORY


class LiveInspection(QObject):
    """Feeds the inspector from the view state.

    The newest decision is the newest step that a model was asked for; where none was, the newest step.
    """

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge = bridge
        self.inspector = DecisionInspector(look, live=True)
        self.inspector.wanted.connect(self.show_step)
        self.inspector.newest_wanted.connect(self.follow)
        self.inspector.picture_wanted.connect(self._show_picture)
        self._step: int | None = None

    @property
    def following(self) -> bool:
        """Return whether it stays with the newest decision."""
        return self._step is None

    def follow(self) -> None:
        """Show the newest decision from now on."""
        self._step = None
        self._show()

    def show_step(self, step: int) -> None:
        """Show one step, and stay with it."""
        self._step = step
        self._show()

    def refresh(self, changed: Part) -> None:
        """Redraw the inspector where one of these parts is shown in it."""
        if changed & _PARTS and self.inspector.isVisible():
            self._show()

    # ---- inside

    def _show(self) -> None:
        state = self._bridge.state
        calls = state.thinking.calls
        with_calls = calls.steps()
        step = self._step
        if step is None:
            step = with_calls[-1] if with_calls else self._last()
        made = calls.of_step(step)
        self.inspector.show_decision(
            Decision(
                step=step,
                record=self._record(step),
                calls=made,
                note=_FORGOTTEN if not made and 0 < step <= calls.forgotten_step else "",
                first=state.steps[0].step if state.steps else step,
                last=max(self._last(), with_calls[-1] if with_calls else 0),
                with_calls=with_calls,
                retrieved=step in state.retrievals or 0 < step <= state.retrievals.forgotten_step,
            ),
            following=self._step is None,
        )

    def _last(self) -> int:
        steps = self._bridge.state.steps
        return steps[-1].step if steps else 0

    def _record(self, step: int) -> StepRecord | None:
        return next((record for record in reversed(self._bridge.state.steps) if record.step == step), None)

    def _show_picture(self, call: Call) -> None:
        run = self._bridge.state.run
        if run is None or call.record is None or not call.record.image_ref:
            return
        folder = self._bridge.data.run(run.run_id).resolve()
        file = (folder / call.record.image_ref).resolve()
        if file.is_relative_to(folder) and file.is_file():
            self.inspector.show_picture(call, QImage(str(file)))
