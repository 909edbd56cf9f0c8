"""Chooses runs for the archive by rules: best, newest and kept runs stay, of the others the oldest go."""

from __future__ import annotations

import contextlib
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pitwall.core.paths import DataFolder
from pitwall.store.film_budget import film_is_kept
from pitwall.store.run_reader import RunReader, RunRow
from pitwall_exchange.archive.moving import folder_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRules:
    """The rules.

    Attributes:
        keep_best: runs of each game with the highest scores. keep_newest: newest runs of all.
        keep_flagged: runs whose film is kept on purpose.
        most_bytes: room for the folders of all runs; None: every run that no other rule keeps goes.
    """

    keep_best: int = 3
    keep_newest: int = 20
    keep_flagged: bool = True
    most_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """Names a run, and why the rules keep it.

    Attributes:
        bytes: of its folder. kept: why it stays; empty: it goes.
    """

    run_id: int
    game: str
    started_at: str
    steps: int
    score: float | None
    bytes: int
    kept: str

    @property
    def goes(self) -> bool:
        return not self.kept


def plan(data: DataFolder, rules: RetentionRules) -> list[PlannedRun]:
    """Apply the rules to every run, oldest first; nothing is moved.

    Raises:
        DataFolderError: the run log cannot be read.
    """
    with contextlib.closing(RunReader.open(data)) as reader:
        rows = sorted(reader.runs(sys.maxsize), key=lambda row: row.run_id)
    reasons = dict(_reasons(data, rows, rules))
    sizes = {row.run_id: folder_bytes(data.run(row.run_id)) for row in rows}
    room = sum(sizes.values())
    planned = []
    for row in rows:
        kept = reasons.get(row.run_id, "")
        if not kept and rules.most_bytes is not None and room <= rules.most_bytes:
            kept = "there is room for it"
        if not kept:
            room -= sizes[row.run_id]
        planned.append(
            PlannedRun(
                run_id=row.run_id,
                game=row.manifest.game_id,
                started_at=row.manifest.started_at,
                steps=row.summary.steps,
                score=row.score.best if row.score is not None else None,
                bytes=sizes[row.run_id],
                kept=kept,
            )
        )
    return planned


def _reasons(data: DataFolder, rows: list[RunRow], rules: RetentionRules) -> Iterator[tuple[int, str]]:
    """Yield each run that a rule keeps, with why; the last word on a run counts."""
    scores: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for row in rows[max(0, len(rows) - rules.keep_newest) :]:
        yield row.run_id, "among the newest"
    for row in rows:
        if row.score is not None:
            scores[row.manifest.game_id].append((row.score.best, row.run_id))
    for game_scores in scores.values():
        for _, run_id in sorted(game_scores, reverse=True)[: rules.keep_best]:
            yield run_id, "among the best of its game"
    for row in rows:
        if rules.keep_flagged and film_is_kept(data, row.run_id):
            yield row.run_id, "its film is kept"
        if row.summary.outcome == "playing":
            yield row.run_id, "it is being played"
