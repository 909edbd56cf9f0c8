"""The last minute of signals and routes, for strips and lanes: fixed memory, no Qt.

Signals come with every frame (up to 144 a second). They are kept as the largest value of each tenth
of a second, so that a cut that lasts one frame stays visible and a minute is never more than some
hundred points a line.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.model_telemetry import Disagreement, ShadowNote, ShownPress
from pitwall.core.signals import WEIGHED, Reason, Route, Signals
from pitwall.core.telemetry import Retrieved


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Holds one line of the event list.

    Attributes:
        number: 1, 2, 3 … over the session; a view knows by it what it has shown.
        run_s: seconds since the run began; None outside a run.
    """

    number: int
    run_s: float | None
    kind: str
    text: str
    step: int


SPAN_S = 60.0
BUCKET_MS = 100
_BUCKETS = int(SPAN_S * 1000 / BUCKET_MS) + 2


class SignalHistory:
    """The last minute of all signals."""

    def __init__(self) -> None:
        self._bucket = np.full(_BUCKETS, -1, np.int64)
        self._values = np.zeros((_BUCKETS, len(WEIGHED)), np.float32)

    def add(self, at_ns: int, signals: Signals) -> None:
        """Take the signals of one frame; older than the newest by a minute are ignored."""
        number = at_ns // (BUCKET_MS * NS_PER_MS)
        slot = number % _BUCKETS
        values = [float(getattr(signals, name)) for name in WEIGHED]
        if self._bucket[slot] == number:
            np.maximum(self._values[slot], values, out=self._values[slot])
        elif number > self._bucket[slot]:
            self._bucket[slot] = number
            self._values[slot] = values

    def since(self, now_ns: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return ages in seconds (n,), oldest first, and values (n, signals) of the last minute."""
        now = now_ns / NS_PER_S
        order = np.argsort(self._bucket, kind="stable")
        numbers = self._bucket[order]
        ages = now - numbers * (BUCKET_MS / 1000)
        keep = (numbers >= 0) & (ages <= SPAN_S) & (ages >= -1.0)
        return np.maximum(ages[keep], 0.0), self._values[order][keep]


@dataclass(frozen=True, slots=True)
class Mark:
    """A step that escalated: when, and every reason that held."""

    at_ns: int
    step: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class DroppedAnswer:
    """An answer that came too late and was dropped: when, on whose lane, and which."""

    at_ns: int
    route: Route
    late_answer: str


RouteActivity = Literal["", "thinking", "waiting"]


@dataclass(frozen=True, slots=True)
class RouteStretch:
    """A controller drove, thought or waited from `start_ns` to `end_ns` (`RouteSpan.state`)."""

    start_ns: int
    end_ns: int
    route: Route
    state: RouteActivity = ""


class RouteHistory:
    """Keeps who drove, as stretches; the last is open."""

    def __init__(self, most: int = 4_000) -> None:
        self._changes: deque[tuple[int, Route | None, RouteActivity]] = deque(maxlen=most)
        self._halted: tuple[Route, RouteActivity] | None = None

    def add(self, at_ns: int, route: Route | None, state: RouteActivity = "") -> None:
        """Note which controller drives, thinks or waits from this time on."""
        self._changes.append((at_ns, route, state))
        self._halted = None

    def halt(self, at_ns: int) -> None:
        """Note that nobody drives while the run is paused or stopped."""
        if self.current is not None:
            halted = self.current, self.state
            self.add(at_ns, None)
            self._halted = halted

    def go_on(self, at_ns: int) -> None:
        """Note that the controller of before the halt drives again."""
        if self._halted is not None:
            self.add(at_ns, *self._halted)

    @property
    def current(self) -> Route | None:
        return self._changes[-1][1] if self._changes else None

    @property
    def state(self) -> RouteActivity:
        """Return the current controller's activity: empty while it drives, else thinking or waiting."""
        return self._changes[-1][2] if self._changes else ""

    def since(self, now_ns: int) -> list[RouteStretch]:
        """Return the stretches that touch the last minute, clipped to it, oldest first."""
        begin = now_ns - int(SPAN_S * NS_PER_S)
        stretches: list[RouteStretch] = []
        end = now_ns
        for start, route, state in reversed(self._changes):
            if route is not None and start < end:
                stretches.append(RouteStretch(max(start, begin), end, route, state))
            end = min(end, start)
            if start <= begin:
                break
        return stretches[::-1]


class ThoughtHistory:
    """Keeps when the strategic controller was thinking, also while another one drove."""

    def __init__(self, most: int = 1_000) -> None:
        self._thoughts: deque[tuple[int, int | None]] = deque(maxlen=most)

    @property
    def open(self) -> bool:
        return bool(self._thoughts) and self._thoughts[-1][1] is None

    def begin(self, at_ns: int) -> None:
        """Begin a thought, unless one is open."""
        if not self.open:
            self._thoughts.append((at_ns, None))

    def end(self, at_ns: int) -> None:
        """End the open thought: it answered, or is awaited no more."""
        if self.open:
            begun, _ = self._thoughts.pop()
            self._thoughts.append((begun, max(begun, at_ns)))

    def since(self, now_ns: int) -> list[RouteStretch]:
        """Return the thoughts that touch the last minute, clipped to it, oldest first."""
        begin = now_ns - int(SPAN_S * NS_PER_S)
        return [
            RouteStretch(
                max(start, begin),
                min(now_ns, end if end is not None else now_ns),
                Route.STRATEGIC,
                "thinking",
            )
            for start, end in self._thoughts
            if start < now_ns and (end is None or end > begin)
        ]


_MOMENTS = 200
LANE_S = 10
"""Length of the lanes."""


class ShadowHistory:
    """Keeps the newest note, every disagreement of the run, and the presses of the last seconds."""

    def __init__(self) -> None:
        self.note: ShadowNote | None = None
        self.moments: dict[int, Disagreement] = {}
        self.presses: dict[tuple[str, str, int], ShownPress] = {}

    def add(self, note: ShadowNote) -> None:
        """Take a note of the run."""
        self.note = note
        self.moments.update((moment.at_ns, moment) for moment in note.moments)
        for at_ns in sorted(self.moments)[:-_MOMENTS]:
            del self.moments[at_ns]
        unchanged = {(press.by, press.label, press.down_ns): press for press in note.presses}
        oldest = note.at_ns - LANE_S * NS_PER_S
        ended = {
            key: replace(press, up_ns=press.up_ns or note.at_ns)
            for key, press in self.presses.items()
            if (press.up_ns or note.at_ns) > oldest
        }
        self.presses = ended | unchanged


MOST_RETRIEVALS = 50


class Retrievals:
    """Retrievals before the newest decisions of one run.

    Attributes:
        forgotten_step: newest step whose retrieval is not kept any more; 0 while all are. The run log has it.
    """

    def __init__(self) -> None:
        self._records: OrderedDict[int, Retrieved] = OrderedDict()
        self.forgotten_step = 0

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, step: object) -> bool:
        return step in self._records

    def add(self, record: Retrieved) -> None:
        """Add a retrieval; a repeated one for a step becomes the newest."""
        step = record.retrieval.step
        self._records.pop(step, None)
        self._records[step] = record
        while len(self._records) > MOST_RETRIEVALS:
            forgotten, _ = self._records.popitem(last=False)
            self.forgotten_step = max(self.forgotten_step, forgotten)

    @property
    def newest(self) -> Retrieved | None:
        """Return the last retrieval."""
        return next(reversed(self._records.values()), None)

    def of_step(self, step: int) -> Retrieved | None:
        """Return the retrieval of a step; None where there was none or it is no longer kept."""
        return self._records.get(step)

    def steps(self) -> tuple[int, ...]:
        """Return the steps whose retrievals are kept, ascending."""
        return tuple(sorted(self._records))
