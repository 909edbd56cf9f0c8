"""A link to the step of a run that something was learnt from."""

from __future__ import annotations

from PySide6.QtCore import Signal

from pitwall.console.kit.elements import Button
from pitwall.core.memories import Provenance


class StepLink(Button):
    """Leads to a run's step on the Runs page; hidden where no run is named.

    Signals:
        wanted(run_id, step): show that step; 0 where the step is not known.
    """

    wanted = Signal(int, int)

    def __init__(self, *places: Provenance) -> None:
        super().__init__("", lambda: self.wanted.emit(*self._place), kind="link")
        self._place = (0, 0)
        self.show_place(*places)

    def show_place(self, *places: Provenance) -> None:
        """Lead to the first of these places that names a run."""
        run_id, step = next(((by.run_id, by.step or 0) for by in places if by.run_id is not None), (0, 0))
        self._place = (run_id, step)
        self.setText(f"Open run {run_id}" + (f", step {step:,}" if step else ""))
        self.setAccessibleName(f"{self.text()} on the Runs page")
        if self.parentWidget() or not run_id:
            self.setVisible(run_id > 0)
