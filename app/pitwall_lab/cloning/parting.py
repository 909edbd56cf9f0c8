"""Splits play into a part to learn from and a part to judge by; the same play always falls on one side."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pitwall.core import quantities
from pitwall.core.clock import NS_PER_S
from pitwall_lab.cloning.stretches import Stretch

_FEW = 5
_PIECE_S = 10
_CUT_GAP_NS, _LEAST_HELD_NS = NS_PER_S, NS_PER_S // 2
_MOST_HELD, _ENOUGH = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of an episode: its moments, its presses by action, and its rank, 0 … 1, by a hash."""

    episode: Stretch
    first: int
    last: int
    presses: Counter[str]
    rank: float


def parted(stretches: Sequence[Stretch], share: float) -> tuple[list[Stretch], list[Stretch], str]:
    """Split play into a part to learn from and a part to judge by.

    Long episodes are cut into pieces of about ten seconds. A hash of their names chooses the held-out pieces,
    but never more than half of an action's presses are held out: an action that nobody learned says nothing
    about the rest. A second beside each cut is neither learned nor judged. With fewer than five pieces, the
    last part of each episode is held out instead, after a gap of a tenth of it (at most a second).

    Returns:
        The stretches to learn from, those to judge by, and a description of the split.
    """
    pieces = [piece for stretch in stretches for piece in _pieces(stretch)]
    if len(pieces) < _FEW:
        return _last_parts(stretches, share)
    kept = _kept(pieces, share)
    learn: list[Stretch] = []
    judge: list[Stretch] = []
    for stretch in stretches:
        for held, first, last in _runs([piece for piece in pieces if piece.episode is stretch], kept):
            (judge if held else learn).append(stretch.part(first, last))
    kind = "episodes" if len(pieces) == len(stretches) else f"parts of some {_PIECE_S} s"
    return learn, judge, f"{len(kept)} of {len(pieces)} {kind} are held out"


def _pieces(stretch: Stretch) -> list[_Piece]:
    begin, end = int(stretch.at_ns[0]), int(stretch.at_ns[-1]) + 1
    cuts = np.linspace(begin, end, max(1, round((end - begin) / (_PIECE_S * NS_PER_S))) + 1)
    pieces = []
    for from_ns, to_ns in pairwise(cuts):
        first, last = (int(row) for row in np.searchsorted(stretch.at_ns, (from_ns, to_ns)))
        counted = {
            name: sum(from_ns <= hold.down_ns < to_ns for hold in holds)
            for name, holds in stretch.holds.items()
        }
        if first < last:
            pieces.append(_Piece(stretch, first, last, Counter(counted), _rank(stretch, first)))
    return pieces


def _kept(pieces: Sequence[_Piece], share: float) -> list[_Piece]:
    """Choose the held-out pieces: those of a low rank, then more while there are too few."""
    total = sum(piece.last - piece.first for piece in pieces)
    presses = sum((piece.presses for piece in pieces), Counter[str]())
    kept, held = list[_Piece](), Counter[str]()
    for piece in sorted(pieces, key=lambda piece: piece.rank):
        count = sum(other.last - other.first for other in kept)
        if piece.rank >= share and count > _ENOUGH * share * total:
            break
        after = held + piece.presses
        many = count + piece.last - piece.first > _MOST_HELD * total
        if not many and all(after[name] <= _MOST_HELD * presses[name] for name in piece.presses):
            kept, held = [*kept, piece], after
    return kept


def _runs(pieces: Sequence[_Piece], kept: Sequence[_Piece]) -> list[tuple[bool, int, int]]:
    """Join neighbouring pieces of the same side; held-out runs end a gap before the learned ones."""
    runs: list[tuple[bool, int, int]] = []
    for piece in pieces:
        held = any(piece is other for other in kept)
        joined = bool(runs) and runs[-1][0] == held
        runs = (
            [*runs[:-1], (held, runs[-1][1], piece.last)]
            if joined
            else [*runs, (held, piece.first, piece.last)]
        )
    kept_runs = []
    for number, (held, first, last) in enumerate(runs):
        if held:
            at_ns = pieces[0].episode.at_ns
            if number:
                first = int(np.searchsorted(at_ns, at_ns[first] + _CUT_GAP_NS))
            if number + 1 < len(runs):
                last = int(np.searchsorted(at_ns, at_ns[last - 1] - _CUT_GAP_NS))
        if first < last:
            kept_runs.append((held, first, last))
    return kept_runs


def _last_parts(stretches: Sequence[Stretch], share: float) -> tuple[list[Stretch], list[Stretch], str]:
    cut = [(stretch, *_last_part(stretch, share)) for stretch in stretches]
    learn = [stretch.part(0, until) for stretch, until, _ in cut]
    judge = [stretch.part(again, len(stretch.at_ns)) for stretch, _, again in cut]
    held = 1 - sum(len(stretch.at_ns) for stretch in learn) / sum(len(stretch.at_ns) for stretch in stretches)
    return learn, judge, f"the last {quantities.share(held)} of each of {len(stretches)} episodes is held out"


def _last_part(stretch: Stretch, share: float) -> tuple[int, int]:
    """Return the row at which learning ends, and the row from which a stretch is judged."""
    begin, end = int(stretch.at_ns[0]), int(stretch.at_ns[-1])
    gap_ns = min(_CUT_GAP_NS, (end - begin) // 10)
    held_ns = max(share * (end - begin), min(gap_ns + _LEAST_HELD_NS, _MOST_HELD * (end - begin)))
    until = int(np.searchsorted(stretch.at_ns, end - held_ns))
    return max(1, until), min(
        int(np.searchsorted(stretch.at_ns, end - held_ns + gap_ns)), len(stretch.at_ns) - 1
    )


def _rank(stretch: Stretch, first: int) -> float:
    name = f"{stretch.source} {stretch.number} {stretch.at_ns[first]}"
    return hashlib.sha256(name.encode()).digest()[0] / 256
