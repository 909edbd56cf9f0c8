"""Reasons about a board's numbers: a safe cell, a mined cell, or the least risky guess.

Each open number is the number of mines in a group of closed cells. Groups inside one another prove cells safe
or mined; where nothing is proved, every way to lay the mines of a stretch of the border is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SIDE = 10
_MOST_TRIES = 3000
"""Most placements tried in one stretch of the border; a longer search returns a rough figure."""
_START = 4 * SIDE + 4
_EDGE_BONUS = 0.002
"""Bonus of a cell with few neighbours among equal risks: it opens more."""

Cells = frozenset[int]
Group = tuple[Cells, int]


@dataclass(frozen=True, slots=True)
class Thought:
    """The conclusions about a board with a number of mines; cells count row by row.

    Attributes:
        safe: a cell that is surely no mine. mine: a cell that surely is one, and has no flag.
        guess: the least risky cell where none is safe. risk: its chance of a mine, 0 … 1.
    """

    about: tuple[str, int] = ("", 0)
    safe: int | None = None
    mine: int | None = None
    guess: int | None = None
    risk: float = 0.0


def think(board: str, mines: int) -> Thought:
    """Return the conclusions about a board of signs (# closed, F flag, 0 … 8)."""
    about = (board, mines)
    closed = frozenset(cell for cell in range(SIDE * SIDE) if board[cell] in "#F")
    if len(closed) == SIDE * SIDE:
        return Thought(about, guess=_START, risk=0.0)
    groups = set(_groups(board, closed))
    sure = _sure(groups)
    if not any(not mined for mined in sure.values()):
        chances = _chances(groups, sure, closed, mines)
        sure |= {cell: chance > 0.5 for cell, chance in chances.items() if chance in (0.0, 1.0)}
    else:
        chances = {}
    safe = min((cell for cell, mined in sure.items() if not mined), default=None)
    mine = min((cell for cell, mined in sure.items() if mined and board[cell] == "#"), default=None)
    if safe is not None or not chances:
        return Thought(about, safe=safe, mine=mine)
    open_to = [cell for cell in chances if board[cell] == "#" and chances[cell] < 1.0]
    guess = min(open_to, key=lambda cell: chances[cell] + _EDGE_BONUS * len(around(cell)), default=None)
    return Thought(about, mine=mine, guess=guess, risk=chances[guess] if guess is not None else 1.0)


def around(cell: int) -> tuple[int, ...]:
    """Return the neighbours of a cell."""
    row, column = divmod(cell, SIDE)
    rows = range(max(0, row - 1), min(SIDE, row + 2))
    columns = range(max(0, column - 1), min(SIDE, column + 2))
    return tuple(y * SIDE + x for y in rows for x in columns if (y, x) != (row, column))


def _groups(board: str, closed: Cells) -> Iterator[Group]:
    for cell, sign in enumerate(board):
        if sign.isdigit():
            group = frozenset(around(cell)) & closed
            if group:
                yield group, int(sign)


def _sure(groups: set[Group]) -> dict[int, bool]:
    """Return the cells that are surely mined or not; adds the differences of nested groups to `groups`."""
    sure: dict[int, bool] = {}
    while True:
        proved = {
            cell: count > 0
            for group, count in groups
            if count in (0, len(group))
            for cell in group
            if cell not in sure
        }
        apart = {
            (larger - smaller, count - fewer)
            for smaller, fewer in groups
            for larger, count in groups
            if smaller < larger
        } - groups
        sure |= proved
        if not apart or len(groups) > 400:
            return sure
        groups |= apart


def _chances(groups: set[Group], sure: dict[int, bool], closed: Cells, mines: int) -> dict[int, float]:
    """Return chance of a mine of each closed cell."""
    border = frozenset(cell for group, _ in groups for cell in group)
    share = min(0.9, max(0.02, mines / max(1, len(closed))))
    chances: dict[int, float] = {}
    for stretch in _stretches(groups):
        chances |= _counted(stretch, share)
    chances |= {cell: float(mined) for cell, mined in sure.items()}
    inner = closed - border
    rest = min(1.0, max(0.0, (mines - sum(chances.values())) / len(inner))) if inner else 0.0
    chances |= dict.fromkeys(inner, min(0.99, max(0.01, rest)))
    return chances


def _stretches(groups: Iterable[Group]) -> list[list[Group]]:
    """Join the groups that share cells."""
    stretches: list[tuple[set[int], list[Group]]] = []
    for group in groups:
        cells, members = set(group[0]), [group]
        apart = []
        for other_cells, other in stretches:
            if cells.isdisjoint(other_cells):
                apart.append((other_cells, other))
            else:
                cells |= other_cells
                members += other
        stretches = [*apart, (cells, members)]
    return [members for _, members in stretches]


def _counted(stretch: list[Group], share: float) -> dict[int, float]:
    """Return the chances from every way to lay the mines of a stretch, ways with more mines counting less."""
    cells = _in_order(stretch)
    of_cell = {cell: [i for i, (group, _) in enumerate(stretch) if cell in group] for cell in cells}
    need = [count for _, count in stretch]
    room = [len(group) for group, _ in stretch]
    odds = share / (1 - share)
    laid: list[int] = []
    weights = dict.fromkeys(cells, 0.0)
    total, tries = 0.0, 0

    def lay(place: int, weight: float) -> None:
        nonlocal total, tries
        tries += 1
        if tries > _MOST_TRIES:
            return
        if place == len(cells):
            total += weight
            for cell in laid:
                weights[cell] += weight
            return
        mine_of = of_cell[cells[place]]
        for mined in (0, 1):
            for i in mine_of:
                room[i] -= 1
                need[i] -= mined
            if all(0 <= need[i] <= room[i] for i in mine_of):
                if mined:
                    laid.append(cells[place])
                lay(place + 1, weight * (odds if mined else 1.0))
                if mined:
                    laid.pop()
            for i in mine_of:
                room[i] += 1
                need[i] += mined

    lay(0, 1.0)
    if tries > _MOST_TRIES or not total:
        return {cell: max(count / len(group) for group, count in stretch if cell in group) for cell in cells}
    return {cell: weight / total for cell, weight in weights.items()}


def _in_order(stretch: list[Group]) -> list[int]:
    """Return the cells of a stretch, each near the one before, so that a wrong way is found early."""
    cells = sorted({cell for group, _ in stretch for cell in group})
    ordered: list[int] = []
    groups = [group for group, _ in stretch]
    while cells:
        last = ordered[-1] if ordered else None
        beside = [group for group in groups if last in group]
        following = next((cell for cell in cells if any(cell in group for group in beside)), cells[0])
        cells.remove(following)
        ordered.append(following)
    return ordered
