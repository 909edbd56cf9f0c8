"""Reads demonstrations as stretches of play: what each picture showed, and which keys were held."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.core.observations import GameStatus, Value
from pitwall.demonstrations.manifest import PRESSES, DemonstratedEvent, Moment
from pitwall.demonstrations.reader import DemonstrationReader, Episode
from pitwall.games.watched_modules import UNNAMED

_ENDS = {"key_up": "key_down", "mouse_up": "mouse_down"}
_ENDED = (GameStatus.MENU.value, GameStatus.TERMINAL.value)
_GAP_NS = round(0.8 * NS_PER_S)
"""Time without picture and press after which something else begins; merged demonstrations lie 1 s apart."""


@dataclass(frozen=True, slots=True)
class Hold:
    """One press: when it went down and came up, and where in the window, as fractions."""

    down_ns: int
    up_ns: int
    x: float = float("nan")
    y: float = float("nan")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Play without a gap.

    Attributes:
        source: the demonstration. number: of the episode in it. correction: the person took over from an
            agent.
        at_ns: of each moment. values: the fields of each, `status` among them.
        holds: presses of each action by its text; presses without an action under "key NAME".
        pictures: yields (at_ns, (height, width, 3) BGR) of the moments.
        end: time and fields of the menu or end screen right after it; None: it broke off.
    """

    source: str
    number: int
    correction: bool
    at_ns: NDArray[np.int64]
    values: tuple[Mapping[str, Value], ...]
    holds: Mapping[str, tuple[Hold, ...]]
    pictures: Callable[[], Iterator[tuple[int, Pixels]]]
    end: tuple[int, Mapping[str, Value]] | None = None

    def part(self, first: int, last: int) -> Stretch:
        """Return the moments from `first` up to `last`, with every press."""
        start_ns = int(self.at_ns[first])
        end_ns = int(self.at_ns[last - 1])
        return replace(
            self,
            at_ns=self.at_ns[first:last],
            values=self.values[first:last],
            pictures=lambda: (picture for picture in self.pictures() if start_ns <= picture[0] <= end_ns),
            end=self.end if last >= len(self.at_ns) else None,
        )


def stretches_of(reader: DemonstrationReader) -> list[Stretch]:
    """Read a demonstration's stretches of play, except those of a single moment.

    Raises:
        DamagedFile: a table of it is damaged.
    """
    manifest = reader.manifest
    return [
        Stretch(
            manifest.id,
            episode.number,
            manifest.kind == "correction",
            np.asarray([moment.at_ns for moment in episode.moments], np.int64),
            tuple(_values(moment) for moment in episode.moments),
            holds_of(episode),
            episode.pictures,
            _end(reader, episode),
        )
        for episode in reader.episodes()
        if len(episode.moments) > 1
    ]


def _values(moment: Moment) -> dict[str, Value]:
    return {**moment.fields, "status": moment.status or GameStatus.PLAYING.value}


def _end(reader: DemonstrationReader, episode: Episode) -> tuple[int, Mapping[str, Value]] | None:
    """Return the menu or end screen that ended an episode; None where it broke off or was not watched."""
    moments = reader.all_moments
    at = bisect_left(moments, episode.end_ns, key=lambda moment: moment.at_ns)
    if at == len(moments) or moments[at].status not in _ENDED or reader.manifest.trimmed(moments[at].at_ns):
        return None
    watched_ns = max([episode.moments[-1].at_ns, *(event.at_ns for event in episode.events)])
    return (episode.end_ns, _values(moments[at])) if episode.end_ns - watched_ns <= _GAP_NS else None


def action_of(event: DemonstratedEvent) -> str:
    """Name what an event presses: the game's action, or else the key."""
    return event.action or f"{UNNAMED}{event.pressed}"


def holds_of(episode: Episode) -> dict[str, tuple[Hold, ...]]:
    """Pair each press with its release; else it lasts to the end, and repeats are a single press."""
    paired: dict[str, list[Hold]] = {}
    down: dict[str, DemonstratedEvent] = {}

    def close(event: DemonstratedEvent, up_ns: int) -> None:
        place = (float("nan"),) * 2 if event.x is None or event.y is None else (event.x, event.y)
        paired.setdefault(action_of(event), []).append(Hold(event.at_ns, max(up_ns, event.at_ns + 1), *place))

    for event in episode.events:
        if event.passes:
            close(event, event.at_ns)
        elif event.kind in PRESSES:
            down.setdefault(event.pressed, event)
        elif event.kind in _ENDS and (begun := down.pop(event.pressed, None)) is not None:
            close(begun, event.at_ns)
    for event in down.values():
        close(event, episode.end_ns)
    return {name: tuple(holds) for name, holds in paired.items()}


def presses_of(stretches: Sequence[Stretch]) -> Counter[str]:
    """Count the presses of each action."""
    counted: Counter[str] = Counter()
    for stretch in stretches:
        counted.update({name: len(holds) for name, holds in stretch.holds.items()})
    return counted
