"""The Evaluate page's left column: suites that were run, with their progress, and suites that can be run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QPoint, Signal

from pitwall.console.kit.elements import Button, Label, SectionTitle, column, holder
from pitwall.console.kit.game_filter import GameFilter
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.row_list import Line, ListRow, RowList, Words, line
from pitwall.console.kit.theme import PAD, SMALL_PX, Look
from pitwall.core.quantities import local_time
from pitwall_bench.console.format import STATES, progress_words
from pitwall_bench.suites.catalogue import SuiteCatalogue, SuiteFile, SuiteRun, names_game

_ROW_HEIGHT = 48
_RUNS_MOST, _FILES_MOST = 8, 9


class SuitesColumn(ScrollPane):
    """Signals: run_chosen(key). file_chosen(path). new_wanted(). menu_wanted(point): of the chosen run."""

    run_chosen = Signal(str)
    file_chosen = Signal(object)
    new_wanted = Signal()
    menu_wanted = Signal(QPoint)

    def __init__(self, look: Look) -> None:
        super().__init__("Suites")
        self.runs = RowList(look, "Suites that were run", _ROW_HEIGHT, most=_RUNS_MOST)
        self.files = RowList(look, "Suites that can be run", _ROW_HEIGHT, most=_FILES_MOST)
        self.games = GameFilter()
        self.games.chosen.connect(lambda _: self._show_lists())
        self._names: Mapping[str, str] = {}
        self._read, self._run = SuiteCatalogue(), ""
        self._file: Path | None = None
        self._runs_title = SectionTitle("Results")
        new = Button(
            "New", self.new_wanted.emit, kind="link", name="New suite", tip="Write a suite of your own"
        )
        self._files_title = SectionTitle("Suites", "", new)
        self._no_runs = Label(
            "Suites that were run appear here with their results, newest first.", "dim", wrap=True
        )
        self.runs.chosen.connect(self.run_chosen.emit)
        self.files.chosen.connect(lambda key: self.file_chosen.emit(Path(key)))
        self.runs.clicked.connect(lambda _: self.run_chosen.emit(self.runs.current))
        self.files.clicked.connect(lambda _: self.file_chosen.emit(Path(self.files.current)))
        self.runs.menu_wanted.connect(self.menu_wanted)
        parts = (self.games, self._runs_title, self._no_runs, self.runs, self._files_title, self.files, None)
        self.setWidget(holder(column(*parts, margins=PAD)))

    def show_read(self, read: SuiteCatalogue, run: str, file: Path | None) -> None:
        """Show everything, with a run or a file marked."""
        self._read, self._run, self._file = read, run, file
        self._show_games()
        self._show_lists()

    def name_games(self, names: Mapping[str, str]) -> None:
        """Call the games by their names (id → name)."""
        self._names = names
        self._show_games()

    def _show_games(self) -> None:
        listed = [*(run.games for run in self._read.runs), *(file.games for file in self._read.files)]
        games = {game for several in listed for game in several if "*" not in game}
        self.games.show_games({game: self._names.get(game, game) for game in games})

    def _show_lists(self) -> None:
        game = self.games.current
        runs = [run for run in self._read.runs if not game or names_game(run.games, game)]
        files = [file for file in self._read.files if not game or names_game(file.games, game)]
        self._runs_title.set_note(f"{len(runs):,}" if runs else "")
        self._no_runs.setVisible(not runs)
        self.runs.setVisible(bool(runs))
        self.runs.show_rows([_run_row(run) for run in runs], self._run)
        chosen = str(self._file) if self._file is not None else ""
        self.files.show_rows([_file_row(file) for file in files], chosen)


def _row(
    key: str,
    title: str,
    note: str,
    lower: str,
    tone: str = "dim",
    *,
    share: float | None = None,
    tip: str = "",
) -> ListRow:
    head = Line((Words(title, bold=True),), Words(note, "faint", SMALL_PX))
    return ListRow(key, (head, line(lower, tone)), share=share, tip=tip)


def _run_row(run: SuiteRun) -> ListRow:
    sign = STATES[run.state]
    share = run.done / run.of if run.of and (run.live or run.done < run.of) else None
    tip = "\n".join(filter(None, (run.key, progress_words(run), run.why)))
    done = f"{run.done:,}/{run.of:,}" if run.of else ""
    tone = sign.tone if sign.tone != "neutral" else "dim"
    lower = f"{spoken(sign.text)} {done}".strip()
    return _row(run.key, run.name, local_time(run.at), lower, tone, share=share, tip=tip)


def _file_row(file: SuiteFile) -> ListRow:
    source = "bundled" if file.source == "bundled" else "your own"
    if file.fault:
        return _row(str(file.path), file.name, source, "! cannot be read", "stop", tip=file.fault)
    lower = file.description or file.path.name
    return _row(str(file.path), file.name, source, lower, tip=file.description)
