"""The live board: a tile for each session that plays, and what became of those that ended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QProgressBar

from pitwall.console.kit.elements import (
    Card,
    EmptyState,
    Label,
    SectionTitle,
    column,
    holder,
    row,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, PAD, SMALL_PX, STEP, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.quantities import number, share
from pitwall_bench.console.format import (
    cell_more,
    cell_title,
    end_sign,
    playing_words,
    score_words,
    why_words,
)
from pitwall_bench.suites.catalogue import SuiteRun
from pitwall_bench.suites.results import RunningSession, TaskRun

_TILE_WIDTH, _PICTURE_HEIGHT = 252, 142
_ENDED_MOST, _ROW_PX = 30, 26
_END_PX, _CELL_PX = 160, 200
_PER_MILLE = 1000


class Tile(Card):
    """Shows a session that plays now."""

    def __init__(self, look: Look) -> None:
        super().__init__(gap=STEP)
        self.setFixedWidth(_TILE_WIDTH)
        self.picture = StillImage(look)
        self.picture.setFixedHeight(_PICTURE_HEIGHT)
        self._title = Label("", "strong")
        self._more = Label("", "dim")
        self._state = Label("", "note")
        self._score = Label("", "")
        self._share = Label("", "dim")
        self._bar = _bar("Progress to the target")
        self._steps = Label("", "note")
        self._budget = _bar("Budget that is used")
        self.shown: RunningSession | None = None
        self.stamp = 0
        self.body.addWidget(self.picture)
        self.body.addWidget(self._title)
        self.body.addWidget(self._more)
        self.body.addSpacing(STEP)
        self.body.addLayout(row(self._score, None, self._share))
        self.body.addWidget(self._bar)
        self.body.addLayout(row(self._steps, None, self._state))
        self.body.addWidget(self._budget)
        self.body.setContentsMargins(GAP, GAP, GAP, PAD - 2)

    @property
    def description(self) -> str:
        """Return every text of the tile, as shown."""
        labels = (self._title, self._more, self._score, self._share, self._steps, self._state)
        return " ".join(pair.full_text() for pair in labels)

    def show_playing(self, session: RunningSession, unit: str) -> None:
        """Show how it goes."""
        self.shown = session
        self._title.set_text(cell_title(session.cell))
        self._more.set_text(cell_more(session.cell))
        self._state.set_text(session.state)
        score = score_words(session.score, None, unit)
        self._score.set_text(f"score {score}" if session.score is not None else "no score yet")
        self._share.set_text(f"{share(session.progress)} of the way")
        self._bar.setValue(round(_PER_MILLE * min(1.0, max(0.0, session.progress))))
        self._steps.set_text(playing_words(session))
        self._budget.setValue(
            round(_PER_MILLE * min(1.0, session.steps / session.budget)) if session.budget else 0
        )
        self.setAccessibleName(f"{cell_title(session.cell)}, {cell_more(session.cell)}")
        self.setAccessibleDescription(self.description)

    def show_picture(self, image: QImage) -> None:
        """Show the game's picture, or say that there is none yet."""
        title = cell_title(self.shown.cell) if self.shown is not None else ""
        self.picture.show_image(image, f"Picture of {title}", "no picture yet")


class LiveBoard(ScrollPane):
    """Shows sessions that play now, and runs that ended last.

    Args:
        aside: reads pictures.

    Signals:
        opened(keys): the run of a cell is wanted; keys of cells.
    """

    opened = Signal(object)

    def __init__(self, look: Look, aside: BackgroundWorker) -> None:
        super().__init__("Running sessions")
        self._look, self._aside = look, aside
        self.tiles: dict[str, Tile] = {}
        self._folder = Path()
        self._playing = SectionTitle("Playing now")
        self._tiles = Flow(PAD)
        self._quiet = EmptyState("", "")
        self._quiet.setMinimumHeight(120)
        self.failed = self._list("Could not be played")
        self.ended = self._list("Ended last")
        self._titles = {rows: SectionTitle(rows.accessibleName()) for rows in (self.failed, self.ended)}
        lists = [part for rows, title in self._titles.items() for part in (title, rows)]
        parts = (self._playing, self._tiles, self._quiet, *lists, None)
        self.setWidget(holder(column(*parts, margins=(PAD, GAP, PAD, PAD))))

    def show_run(self, run: SuiteRun) -> None:
        """Show a suite's sessions."""
        self._folder = run.folder
        playing = run.board.playing if run.board is not None and run.live else ()
        self._show_tiles(
            playing, {(task_run.cell.game, task_run.cell.task): task_run.unit for task_run in run.runs}
        )
        self._playing.set_note(f"{len(playing)} side by side" if len(playing) > 1 else "")
        self._playing.setVisible(bool(playing))
        self._quiet.setVisible(not playing)
        self._quiet.say(*_quiet_words(run))
        for rows, title in self._titles.items():
            runs = [task_run for task_run in run.runs if task_run.played == (rows is self.ended)]
            newest = runs[: -_ENDED_MOST - 1 : -1]
            title.setVisible(bool(runs))
            rows.setVisible(bool(runs))
            title.set_note(
                f"{len(newest):,} of {len(runs):,}" if len(newest) < len(runs) else f"{len(runs):,}"
            )
            rows.show_rows([_ended_row(session) for session in newest])

    # ---- inside

    def _list(self, name: str) -> RowList:
        rows = RowList(self._look, name, _ROW_PX, most=_ENDED_MOST)
        rows.clicked.connect(lambda _: self.opened.emit([rows.current]))
        rows.opened.connect(lambda key: self.opened.emit([key]))
        return rows

    def _show_tiles(self, playing: Sequence[RunningSession], units: dict[tuple[str, str], str]) -> None:
        keys = [session.cell.key for session in playing]
        for key in [key for key in self.tiles if key not in keys]:
            tile = self.tiles.pop(key)
            self._tiles.flow.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        for session in playing:
            if session.cell.key not in self.tiles:
                tile = self.tiles[session.cell.key] = Tile(self._look)
                self._tiles.flow.addWidget(tile)
                tile.show_picture(QImage())
            self.tiles[session.cell.key].show_playing(
                session, units.get((session.cell.game, session.cell.task), "")
            )
            self._read_picture(session)
        self._tiles.setVisible(bool(playing))
        self._tiles.updateGeometry()

    def _read_picture(self, session: RunningSession) -> None:
        if not session.picture:
            return
        folder, key, seen = self._folder, session.cell.key, self.tiles[session.cell.key].stamp

        def show(picture: tuple[int, QImage] | None) -> None:
            tile = self.tiles.get(key)
            if picture is not None and tile is not None and not picture[1].isNull():
                tile.stamp = picture[0]
                tile.show_picture(picture[1])

        self._aside.ask(lambda: read_picture(folder, session.picture, seen), show)


def read_picture(folder: Path, name: str, seen: int) -> tuple[int, QImage] | None:
    """Read a picture of a suite's folder and its time; None: there is none, or none newer."""
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        return None
    try:
        stamp = file.stat().st_mtime_ns
    except OSError:
        return None
    return None if stamp == seen else (stamp, QImage(str(file)))


def _ended_row(run: TaskRun) -> ListRow:
    """Build an ended run's row: its end, cell, figures and time, or why it could not be played."""
    sign, title, more = end_sign(run), cell_title(run.cell), cell_more(run.cell)
    figures = score_words(run.score, run.target, run.unit) if run.played else why_words(run)
    far = share(run.progress) if run.progress is not None else ""
    left = (
        Words(sign.text, "text" if sign.tone == "neutral" else sign.tone, width=_END_PX),
        Words(title, bold=True, width=_CELL_PX),
        Words(more, "dim", width=_CELL_PX),
        Words(figures, "text" if run.played else "dim"),
    )
    length = Words(f"{far}   {number(run.seconds, 's')}", "dim", SMALL_PX) if run.played else None
    spoken = f"{sign.word}: {title}, {more}: {figures}"
    return ListRow(run.cell.key, (Line(left, length),), spoken=spoken, tip=run.why)


def _quiet_words(run: SuiteRun) -> tuple[str, str]:
    if run.state in ("starting", "playing"):
        return (
            "Opening the first games …",
            "A tile with the game's picture appears for each session that plays.",
        )
    if run.state == "done":
        return "Every run was played", "The results are on the Results tab."
    left = f" {run.of - len(run.runs):,} of {run.of:,} runs are missing." if run.of > len(run.runs) else ""
    return (
        "Nothing plays now",
        f"{run.why}{left} Resume plays the missing runs and keeps the others.".strip(),
    )


def _bar(name: str) -> QProgressBar:
    bar = QProgressBar()
    bar.setRange(0, _PER_MILLE)
    bar.setTextVisible(False)
    bar.setAccessibleName(name)
    return bar
