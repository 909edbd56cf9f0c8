"""The newest retrievals of a run, by step. No Qt."""

from __future__ import annotations

from collections import OrderedDict

from pitwall.core.telemetry import Retrieved

MOST_RETRIEVALS = 50


class Retrievals:
    """Retrievals before the newest decisions of one run.

    Attributes:
        forgotten_step: newest step whose retrieval is not kept any more; 0 while all are. The run log has it.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[int, Retrieved] = OrderedDict()
        self.forgotten_step = 0

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, step: object) -> bool:
        return step in self._found

    def add(self, record: Retrieved) -> None:
        """Add a retrieval; a repeated one for a step becomes the newest."""
        step = record.retrieval.step
        self._found.pop(step, None)
        self._found[step] = record
        while len(self._found) > MOST_RETRIEVALS:
            forgotten, _ = self._found.popitem(last=False)
            self.forgotten_step = max(self.forgotten_step, forgotten)

    @property
    def newest(self) -> Retrieved | None:
        """Return the last retrieval."""
        return next(reversed(self._found.values()), None)

    def of_step(self, step: int) -> Retrieved | None:
        """Return the retrieval of a step; None where there was none or it is no longer kept."""
        return self._found.get(step)

    def steps(self) -> tuple[int, ...]:
        """Steps whose retrievals are kept, ascending."""
        return tuple(sorted(self._found))
