"""Reads demonstrations as stretches of play: what was seen at each picture, and what was held."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.demonstrations.reader import DemonstrationReader, Episode
from pitwall.demonstrations.rows import PRESSES, DemonstratedEvent
from pitwall.games.watched_modules import UNNAMED

_ENDS = {"key_up": "key_down", "mouse_up": "mouse_down"}
_FEW = 5
_CUT_GAP_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Hold:
    """Holds one press: when it went down and came up, and where in the window, as fractions."""

    down_ns: int
    up_ns: int
    x: float = float("nan")
    y: float = float("nan")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Play without a gap.

    Attributes:
        source: the demonstration. number: of the episode in it. correction: taken over from an agent.
        at_ns: of each moment. values: the fields of each, `status` among them.
        holds: presses of each action, by its text; what matches no action by "key NAME".
        pictures: gives (at_ns, (height, width, 3) BGR) of the moments.
    """

    source: str
    number: int
    correction: bool
    at_ns: NDArray[np.int64]
    values: tuple[Mapping[str, Value], ...]
    holds: Mapping[str, tuple[Hold, ...]]
    pictures: Callable[[], Iterator[tuple[int, Pixels]]]

    def part(self, first: int, last: int) -> Stretch:
        """Return the moments from one number up to another, with every press."""
        start_ns = int(self.at_ns[first])
        end_ns = int(self.at_ns[last - 1])
        return replace(
            self,
            at_ns=self.at_ns[first:last],
            values=self.values[first:last],
            pictures=lambda: (one for one in self.pictures() if start_ns <= one[0] <= end_ns),
        )


def stretches_of(reader: DemonstrationReader) -> list[Stretch]:
    """Read a demonstration's stretches of play, those of a single moment left out.

    Raises:
        DamagedFile: a table of it is damaged.
    """
    manifest = reader.manifest
    return [
        Stretch(
            manifest.id,
            one.number,
            manifest.kind == "correction",
            np.asarray([moment.at_ns for moment in one.moments], np.int64),
            tuple({**moment.fields, "status": moment.status or "playing"} for moment in one.moments),
            holds_of(one),
            one.pictures,
        )
        for one in reader.episodes()
        if len(one.moments) > 1
    ]


def action_of(event: DemonstratedEvent) -> str:
    """Name what an event presses: the game's action, else the key itself."""
    return event.action or f"{UNNAMED}{event.pressed}"


def holds_of(episode: Episode) -> dict[str, tuple[Hold, ...]]:
    """Pair each press with its release; what is never let go is held to the end, repeats are one press."""
    found: dict[str, list[Hold]] = {}
    down: dict[str, DemonstratedEvent] = {}

    def close(event: DemonstratedEvent, up_ns: int) -> None:
        place = (float("nan"),) * 2 if event.x is None or event.y is None else (event.x, event.y)
        found.setdefault(action_of(event), []).append(Hold(event.at_ns, max(up_ns, event.at_ns + 1), *place))

    for event in episode.events:
        if event.kind == "scroll":
            close(event, event.at_ns)
        elif event.kind in PRESSES:
            down.setdefault(event.pressed, event)
        elif event.kind in _ENDS and (begun := down.pop(event.pressed, None)) is not None:
            close(begun, event.at_ns)
    for event in down.values():
        close(event, episode.end_ns)
    return {name: tuple(holds) for name, holds in found.items()}


def presses_of(stretches: Sequence[Stretch]) -> Counter[str]:
    """Count the presses of each action."""
    counted: Counter[str] = Counter()
    for one in stretches:
        counted.update({name: len(holds) for name, holds in one.holds.items()})
    return counted


def parted(stretches: Sequence[Stretch], share: float) -> tuple[list[Stretch], list[Stretch], str]:
    """Part play into what is learned from and what is kept for judging; the same play falls on one side.

    Whole episodes are kept, chosen by a hash of their names. Where there are fewer than five, the last part
    of each is kept instead, a second after what was learned from.

    Returns:
        Those to learn from, those to judge by, and in words how they were parted.
    """
    if len(stretches) < _FEW:
        cut = [(one, max(1, round(len(one.at_ns) * (1 - share)))) for one in stretches]
        learn = [one.part(0, at) for one, at in cut]
        late = [(one, int(np.searchsorted(one.at_ns, one.at_ns[at - 1] + _CUT_GAP_NS))) for one, at in cut]
        judge = [one.part(at, len(one.at_ns)) for one, at in late if len(one.at_ns) - at > 1]
        return learn, judge, f"the last {share:.0%} of each of {len(stretches)} episodes is held out"
    ranked = sorted(stretches, key=_rank)
    kept = [one for one in ranked if _rank(one) < share]
    if not 0 < sum(len(one.at_ns) for one in kept) < 0.5 * sum(len(one.at_ns) for one in ranked):
        kept = ranked[: max(1, round(len(ranked) * share))]
    learn = [one for one in stretches if all(one is not other for other in kept)]
    return learn, kept, f"{len(kept)} of {len(stretches)} episodes are held out"


def _rank(one: Stretch) -> float:
    return hashlib.sha256(f"{one.source} {one.number} {one.at_ns[0]}".encode()).digest()[0] / 256
