"""The calls of one step as a list: purpose, model, outcome and time of each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from pitwall.console.inspector import format as texts
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.theme import ROUTE_SIGNS, SMALL_PX, TINY_PX, Look
from pitwall.console.state.model_calls import Call
from pitwall.core.clock import now_ns
from pitwall.core.quantities import NONE, number

_ROW_PX, _SIGN_PX = 54, 18
_MOST_ROWS = 8


def took_text(call: Call) -> str:
    """Say how long a call took, or has taken: 0.41 s, 12.3 s."""
    return number(call.seconds(now_ns()), "s")


def _row(call: Call) -> ListRow:
    route, outcome = texts.tier_route(call.tier), texts.outcome(call)
    purpose, took = texts.purpose(call.purpose), took_text(call)
    sign = Words(ROUTE_SIGNS[route], route.value, SMALL_PX, width=_SIGN_PX)
    model = Words(call.model or NONE, "dim", TINY_PX)
    upper = Line((sign, Words(purpose, bold=True)), Words(str(outcome), outcome.tone, SMALL_PX))
    lower = Line((Words("", width=_SIGN_PX), model), Words(took, "dim", TINY_PX))
    spoken = ", ".join((purpose, call.tier.value, call.model, outcome.word, took))
    return ListRow(call.number, (upper, lower), spoken, spoken)


class CallList(RowList):
    """Chooses one call.

    Signals:
        call_chosen(Call or None).
    """

    call_chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Calls of the step", _ROW_PX, most=_MOST_ROWS)
        self._calls: Sequence[Call] = ()
        self.chosen.connect(lambda *_: self.call_chosen.emit(self.call))

    @property
    def call(self) -> Call | None:
        """Return the chosen call."""
        return next((call for call in self._calls if call.number == self.current), None)

    def show_calls(self, calls: Sequence[Call]) -> None:
        """Show a step's calls; the chosen one stays, unless it was the last: then the last is chosen."""
        before = self.call
        at_last = before is None or before is self._calls[-1] or all(call is not before for call in calls)
        self._calls = calls
        chosen = calls[-1] if calls and at_last else before
        self.show_rows([_row(call) for call in calls], chosen.number if chosen is not None else None)
        if self.call is not before:
            self.call_chosen.emit(self.call)

    def draw_again(self) -> None:
        """Draw times and outcomes of open calls as they are now."""
        self.show_rows([_row(call) for call in self._calls])
