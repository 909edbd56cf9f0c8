"""Parts play into what is learned from and what a clone is judged by; the same play falls on one side."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall_lab.cloning.stretches import Stretch

_FEW = 5
_PIECE_S = 10
_CUT_GAP_NS, _LEAST_HELD_NS = NS_PER_S, NS_PER_S // 2
_MOST_HELD, _ENOUGH = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class _Piece:
    """Holds a piece of an episode: its moments, its presses by action, and its rank, 0 … 1, by a hash."""

    episode: Stretch
    first: int
    last: int
    presses: Counter[str]
    rank: float


def parted(stretches: Sequence[Stretch], share: float) -> tuple[list[Stretch], list[Stretch], str]:
    """Part play into what is learned from and what is kept for judging.

    Long episodes are cut into pieces of some ten seconds. Pieces are kept by a hash of their names, but none
    that would leave less than half of an action's presses to learn from: an action that nobody learned says
    nothing about the rest. A second beside a cut is neither learned nor judged. Where there are fewer than
    five pieces, the last part of each episode is kept instead, a tenth of it (at most a second) after what
    was learned from.

    Returns:
        Those to learn from, those to judge by, and in words how they were parted.
    """
    pieces = [piece for one in stretches for piece in _pieces(one)]
    if len(pieces) < _FEW:
        return _last_parts(stretches, share)
    kept = _kept(pieces, share)
    learn: list[Stretch] = []
    judge: list[Stretch] = []
    for one in stretches:
        for held, first, last in _runs([piece for piece in pieces if piece.episode is one], kept):
            (judge if held else learn).append(one.part(first, last))
    what = "episodes" if len(pieces) == len(stretches) else f"parts of some {_PIECE_S} s"
    return learn, judge, f"{len(kept)} of {len(pieces)} {what} are held out"


def _pieces(one: Stretch) -> list[_Piece]:
    begin, end = int(one.at_ns[0]), int(one.at_ns[-1]) + 1
    cuts = np.linspace(begin, end, max(1, round((end - begin) / (_PIECE_S * NS_PER_S))) + 1)
    found = []
    for from_ns, to_ns in pairwise(cuts):
        first, last = (int(row) for row in np.searchsorted(one.at_ns, (from_ns, to_ns)))
        counted = {
            name: sum(from_ns <= hold.down_ns < to_ns for hold in holds) for name, holds in one.holds.items()
        }
        if first < last:
            found.append(_Piece(one, first, last, Counter(counted), _rank(one, first)))
    return found


def _kept(pieces: Sequence[_Piece], share: float) -> list[_Piece]:
    """Choose pieces to judge by: those of a low rank, and more of them while there is too little."""
    total = sum(one.last - one.first for one in pieces)
    presses = sum((one.presses for one in pieces), Counter[str]())
    kept, held = list[_Piece](), Counter[str]()
    for one in sorted(pieces, key=lambda one: one.rank):
        count = sum(other.last - other.first for other in kept)
        if one.rank >= share and count > _ENOUGH * share * total:
            break
        after = held + one.presses
        many = count + one.last - one.first > _MOST_HELD * total
        if not many and all(after[name] <= _MOST_HELD * presses[name] for name in one.presses):
            kept, held = [*kept, one], after
    return kept


def _runs(pieces: Sequence[_Piece], kept: Sequence[_Piece]) -> list[tuple[bool, int, int]]:
    """Join neighbouring pieces of one side; what is judged ends a gap before what is learned."""
    runs: list[tuple[bool, int, int]] = []
    for one in pieces:
        held = any(one is other for other in kept)
        joined = bool(runs) and runs[-1][0] == held
        runs = [*runs[:-1], (held, runs[-1][1], one.last)] if joined else [*runs, (held, one.first, one.last)]
    found = []
    for number, (held, first, last) in enumerate(runs):
        if held:
            at_ns = pieces[0].episode.at_ns
            if number:
                first = int(np.searchsorted(at_ns, at_ns[first] + _CUT_GAP_NS))
            if number + 1 < len(runs):
                last = int(np.searchsorted(at_ns, at_ns[last - 1] - _CUT_GAP_NS))
        if first < last:
            found.append((held, first, last))
    return found


def _last_parts(stretches: Sequence[Stretch], share: float) -> tuple[list[Stretch], list[Stretch], str]:
    cut = [(one, *_last_part(one, share)) for one in stretches]
    learn = [one.part(0, until) for one, until, _ in cut]
    judge = [one.part(again, len(one.at_ns)) for one, _, again in cut]
    held = 1 - sum(len(one.at_ns) for one in learn) / sum(len(one.at_ns) for one in stretches)
    return learn, judge, f"the last {held:.0%} of each of {len(stretches)} episodes is held out"


def _last_part(one: Stretch, share: float) -> tuple[int, int]:
    """Say up to which moment of a stretch is learned, and from which one on it is judged."""
    begin, end = int(one.at_ns[0]), int(one.at_ns[-1])
    gap_ns = min(_CUT_GAP_NS, (end - begin) // 10)
    held_ns = max(share * (end - begin), min(gap_ns + _LEAST_HELD_NS, _MOST_HELD * (end - begin)))
    until = int(np.searchsorted(one.at_ns, end - held_ns))
    return max(1, until), min(int(np.searchsorted(one.at_ns, end - held_ns + gap_ns)), len(one.at_ns) - 1)


def _rank(one: Stretch, first: int) -> float:
    name = f"{one.source} {one.number} {one.at_ns[first]}"
    return hashlib.sha256(name.encode()).digest()[0] / 256
