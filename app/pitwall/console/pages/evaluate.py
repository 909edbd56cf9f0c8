"""The Evaluate page: suites, how they run, and what their results say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QStackedWidget, QTabWidget

from pitwall.console.aside import Aside
from pitwall.console.bridge import Bridge
from pitwall.console.deeds import Deed
from pitwall.console.evaluate.reading import SuiteFile, SuiteRun, SuiteShelf, SuitesRead
from pitwall.console.pages.base import Page
from pitwall.console.pages.evaluate_doing import EvaluateDoing
from pitwall.console.pages.evaluate_editor import NEW, SuiteEditor
from pitwall.console.pages.evaluate_facts import read_games
from pitwall.console.pages.evaluate_form import Games
from pitwall.console.pages.evaluate_head import EvaluateHead
from pitwall.console.pages.evaluate_list import SuitesColumn
from pitwall.console.pages.evaluate_play import PlayDialog, TaskFacts, write_own_suite
from pitwall.console.pages.evaluate_results import ResultsView
from pitwall.console.pages.evaluate_runs import CellRuns
from pitwall.console.pages.evaluate_saving import OwnSuites
from pitwall.console.pages.evaluate_wrote import WroteLine
from pitwall.console.pages.lab_ask import Confirm
from pitwall.console.pages.memory_deeds import Telling
from pitwall.console.pages.memory_say import SayLine
from pitwall.console.pages.models_words import said
from pitwall.console.theme import COMPACT_WIDTH, RAIL_WIDTH, Look
from pitwall.console.view_state import Part
from pitwall.console.widgets.panels import Button, EmptyState, PrimaryButton, column, key_words
from pitwall.core.errors import PitwallError

KEYS = (
    ("Ctrl+Enter", "Start the suite, or resume it"),
    ("Ctrl+S", "Save the suite as your own"),
    ("Ctrl+E", "Write the report"),
    ("Esc", "From a cell's runs back to the results"),
)
"""Keys of this page, for the window's help."""
SMOKE = "smoke"
"""The bundled suite that an empty page offers."""
EXPORTS = (
    ("HTML report", "html"),
    ("CSV tables", "csv"),
    ("JSON", "json"),
    ("LaTeX tables", "latex"),
)
_LIVE_MS, _QUIET_MS = 700, 2_500
_LEFT, _LEFT_LEAST = 262, 210


class EvaluatePage(Page):
    """Suites of the data folder and the bundled ones; works with no game open."""

    key = "evaluate"
    title = "Evaluate"
    icon = "mdi6.podium"

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._shelf = SuiteShelf(bridge.data)
        self._aside = Aside("suites", self)
        self._pictures = Aside("suite pictures", self)
        self.read_now: SuitesRead | None = None
        self.games: Games = {}
        self.tasks: tuple[TaskFacts, ...] = ()
        self._run_key = ""
        self._file: Path | None = None
        self._reading, self._again_wanted = False, False
        self._in_view = False
        self._compact: bool | None = None
        self.head = EvaluateHead()
        self.left = SuitesColumn(look)
        self.editor = SuiteEditor(bridge.data, look, self._aside)
        self.results = ResultsView(look, self._pictures)
        self.runs = CellRuns(bridge.data, look)
        self.own = OwnSuites(bridge.data)
        self.doing = EvaluateDoing(bridge.data, self)
        self.say = SayLine()
        self.wrote = WroteLine()
        self._build()
        self._connect()
        self._again = QTimer(self, interval=_QUIET_MS)
        self._again.timeout.connect(self.read)

    # ---- what the window asks

    def opened(self) -> None:
        self._in_view = True
        self._again.start()
        self.read()
        self._aside.ask(partial(read_games, self.bridge.data), self._take_games)

    def closed(self) -> None:
        self._in_view = False
        self._again.stop()

    def refresh(self, changed: Part) -> None:
        """Nothing of an engine is shown here."""

    def deeds(self) -> Sequence[Deed]:
        run, head = self.run, self.head
        smoke = self._bundled(SMOKE)
        deeds = [
            Deed(name="Start this suite", run=self.start, keys="Ctrl+Enter", possible=_offers(head.start)),
            Deed(name="Resume this suite", run=self.resume, keys="Ctrl+Enter", possible=_offers(head.resume)),
            Deed(name="Cancel this suite", run=self.cancel, possible=_offers(head.cancel)),
            Deed(name="New suite", run=self.new_suite),
            Deed(name="Save the suite as your own", run=self.save, keys="Ctrl+S", possible=self._can_save),
            Deed(name="Play a task yourself…", run=self.play_yourself, possible=lambda: bool(self.tasks)),
        ]
        deeds += [
            Deed(
                name=f"Export: {title}",
                run=partial(self.export, kind),
                keys="Ctrl+E" if kind == "html" else "",
                possible=lambda: run is not None and bool(run.runs),
            )
            for title, kind in EXPORTS
        ]
        deeds += self._more()
        if smoke is not None:
            deeds.append(Deed(name="Run the smoke suite", run=self.start_smoke))
        read = self.read_now
        return [
            *deeds,
            *(
                Deed(name=f"Show results of {one.key}", run=partial(self.choose_run, one.key))
                for one in (read.runs if read is not None else ())
            ),
            *(
                Deed(name=f"Edit suite {one.name}", run=partial(self.choose_file, one.path))
                for one in (read.files if read is not None else ())
            ),
        ]

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:
        """Ask before a suite's text that was not saved is lost; suites that play go on."""
        count = self.editor.touched
        if not count:
            return True
        which = "a suite" if count == 1 else f"{count} suites"
        dialog = Confirm(
            f"You edited {which} and did not save",
            ["What was edited is lost with the window. Suites that play go on without it."],
            "Close without saving",
            "Stay",
            self,
        )

        def leave() -> None:
            self.editor.forget_drafts()
            go_on()

        dialog.confirmed.connect(leave)
        dialog.open()
        return False

    def close_reading(self) -> None:
        """Read no more; before the data folder goes away. Suites that play go on."""
        self._again.stop()
        self.doing.close()
        self.runs.close_reading()
        self._pictures.close()
        self._aside.close()

    # ---- what is in view

    @property
    def run(self) -> SuiteRun | None:
        """The run in view, as it was read last."""
        return self.read_now.run(self._run_key) if self.read_now is not None and self._run_key else None

    @property
    def file(self) -> SuiteFile | None:
        """The suite in the editor."""
        return self.read_now.file(self._file) if self.read_now is not None else None

    def choose_run(self, key: str) -> None:
        """Show a suite that was run."""
        self._run_key, self._file = key, None
        self._show()

    def choose_file(self, path: Path) -> None:
        """Edit a suite."""
        self._run_key, self._file = "", path
        self._show()

    def open_cells(self, keys: Sequence[str]) -> None:
        """Show the runs of these cells of the suite in view."""
        run = self.run
        if run is not None and keys:
            self.runs.show_runs(run, list(keys))
            self._main.setCurrentWidget(self.runs)

    def read(self) -> None:
        """Read every suite anew, aside; once more where one reading is on its way."""
        if self._reading:
            self._again_wanted = True
            return
        self._reading = True
        self._aside.ask(self._shelf.read, self._take, self._not_read)

    # ---- deeds

    def start(self) -> None:
        """Begin the suite in the editor."""
        file = self.file
        if file is None or not self.editor.ready or self.editor.plan is None:
            return
        if self.editor.dirty and not self.save():
            return
        path = self._file or file.path
        key = self.doing.start(
            path, self.editor.plan.spec.name, keep_frames=self.editor.form.keep_frames.isChecked()
        )
        self._wait_for(key)

    def start_smoke(self) -> None:
        """Begin the bundled smoke suite."""
        smoke = self._bundled(SMOKE)
        if smoke is not None:
            self._wait_for(self.doing.start(smoke.path, smoke.name, keep_frames=True))

    def resume(self) -> None:
        """Play what is missing of the run in view."""
        if self.run is not None:
            self.doing.resume(self.run)

    def play_failed_again(self) -> None:
        """Play again what could not be played, and what is missing."""
        if self.run is not None:
            self.doing.resume(self.run, failed_again=True)

    def cancel(self) -> None:
        """End what plays of the run in view."""
        if self.run is not None:
            self.doing.cancel(self.run)

    def export(self, kind: str) -> None:
        """Write a report of the run in view; of the suites that are compared, where two are."""
        if self.run is not None:
            against = self.results.against
            self.doing.report(self.run, [kind], against)

    def new_suite(self) -> None:
        """Begin a suite of the operator's own."""
        try:
            path = self.own.add(NEW)
        except PitwallError as error:
            self.say.tell(Telling(said(error), done=False))
            return
        self._run_key, self._file = "", path
        self.read()

    def save(self) -> bool:
        """Keep the text in the editor as the operator's own; returns whether it was."""
        file = self.file
        if file is None:
            return False
        try:
            path, text = self.own.save(file, self.editor.text.text())
        except PitwallError as error:
            self.say.tell(Telling(said(error), done=False))
            return False
        self.editor.was_saved(path, text)
        self.say.tell(Telling(f"Saved {path.name} in {path.parent}."))
        self._file = path
        self.read()
        return True

    def play_yourself(self) -> None:
        """Ask for a task, and let the operator play it."""
        if not self.tasks:
            return
        hotkey = key_words(self.bridge.settings.hotkeys.stop)
        dialog = PlayDialog(self.tasks, hotkey, self)
        run = self.run
        if run is not None and run.runs:
            dialog.choose(run.runs[-1].cell.game, run.runs[-1].cell.task)
        dialog.ordered.connect(self._play)
        dialog.open()

    def delete_file(self) -> None:
        """Delete the operator's own suite in the editor, once they said so."""
        file = self.file
        if file is None or file.source != "own":
            return
        dialog = Confirm(
            f"Delete {file.path.name}?",
            ["The suite's file is deleted from the disk. Results of its runs stay."],
            f"Delete {file.path.name}",
            "Keep it",
            self,
        )

        def delete() -> None:
            file.path.unlink(missing_ok=True)
            self._file = None
            self.read()

        dialog.confirmed.connect(delete)
        dialog.open()

    def open_folder(self) -> None:
        """Show the files of what is in view."""
        run, file = self.run, self.file
        folder = run.folder if run is not None else file.path.parent if file is not None else None
        if folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def edit_asked(self) -> None:
        """A suite of the operator's own out of what the run in view asked for."""
        run = self.run
        if run is None:
            return
        try:
            path = self.own.add(run.text)
        except PitwallError as error:
            self.say.tell(Telling(said(error), done=False))
            return
        self._run_key, self._file = "", path
        self.read()

    # ---- parts

    def _build(self) -> None:
        icon = QLabel()

        def paint_icon() -> None:
            icon.setPixmap(self.look.icon(self.icon, "faint").pixmap(40, 40))

        paint_icon()
        self.look.changed.connect(paint_icon)
        smoke = PrimaryButton("Run the smoke suite", self.start_smoke)
        self._loading = EmptyState("Reading the suites …", "")
        self._empty = EmptyState(
            "No suite was run here yet",
            "A suite plays tasks of several games by several agents, each in a session of its own. Its live "
            "sessions, results with intervals, and comparisons appear here.",
            smoke,
            icon=icon,
        )
        self._smoke = smoke
        self._error = EmptyState("", "", Button("Try again", self.read))
        self._begins = EmptyState(
            "The suite begins …", "Its games are checked, then the first sessions open."
        )
        self._main = QStackedWidget()
        for widget in (
            self._loading,
            self._empty,
            self._error,
            self._begins,
            self.editor,
            self.results,
            self.runs,
        ):
            self._main.addWidget(widget)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.setAccessibleName("Suites, and the chosen one")
        self.left.setMinimumWidth(_LEFT_LEAST)
        layout = column(self.head, self._splitter, self._tabs, self.wrote, self.say, gap=0)
        layout.setStretch(1, 1)
        layout.setStretch(2, 1)
        self.setLayout(layout)
        self._arrange()

    def _connect(self) -> None:
        head, doing = self.head, self.doing
        self.left.run_chosen.connect(self.choose_run)
        self.left.file_chosen.connect(self.choose_file)
        self.left.new_wanted.connect(self.new_suite)
        self.left.menu_wanted.connect(self._show_menu)
        head.start_wanted.connect(self.start)
        head.cancel_wanted.connect(self.cancel)
        head.resume_wanted.connect(self.resume)
        head.play_wanted.connect(self.play_yourself)
        self._exports, self._menu = QMenu(self), QMenu(self)
        for title, kind in EXPORTS:
            self._exports.addAction(title, partial(self.export, kind))
        head.export.setMenu(self._exports)
        self._menu.aboutToShow.connect(self._fill_menu)
        head.more.setMenu(self._menu)
        self.editor.save_wanted.connect(self.save)
        self.editor.checked.connect(self._show_head)
        self.results.opened.connect(self.open_cells)
        self.runs.left.connect(self._back)
        doing.told.connect(self.say.tell)
        doing.busy.connect(self.say.show_busy)
        doing.changed.connect(self.read)
        doing.wrote.connect(self.wrote.show_files)
        doing.gave_up.connect(self._gave_up)
        for chord, deed in (
            ("Ctrl+Return", self._go),
            ("Ctrl+Enter", self._go),
            ("Ctrl+S", self.save),
            ("Ctrl+E", lambda: self.export("html")),
            ("Esc", self._back),
        ):
            key = QShortcut(QKeySequence(chord), self)
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            key.activated.connect(lambda deed=deed: deed())

    # ---- room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        compact = self.width() + RAIL_WIDTH < COMPACT_WIDTH
        if compact == self._compact:
            return
        self._compact = compact
        if compact:
            self._tabs.addTab(self.left, "Suites")
            self._tabs.addTab(self._main, "Chosen")
            self._tabs.setCurrentIndex(1)
        else:
            for widget in (self.left, self._main):
                self._splitter.addWidget(widget)
                widget.show()
            self._splitter.setStretchFactor(1, 1)
            self._splitter.setSizes([_LEFT, max(400, self.width() - _LEFT)])
        self._tabs.setVisible(compact)
        self._splitter.setVisible(not compact)

    # ---- what was read

    def _take(self, read: SuitesRead) -> None:
        self._reading = False
        first = self.read_now is None
        self.read_now = read
        if first and not self._run_key and self._file is None and read.runs:
            self._run_key = next((one.key for one in read.runs if one.live), read.runs[0].key)
        self._show()
        live = any(one.live for one in read.runs) or bool(self.doing.starting)
        self._again.setInterval(_LIVE_MS if live else _QUIET_MS)
        if self._again_wanted:
            self._again_wanted = False
            self.read()

    def _take_games(self, found: tuple[Games, tuple[TaskFacts, ...]]) -> None:
        self.games, self.tasks = found
        self.editor.form.show_games(self.games)
        self.head.play.setEnabled(bool(self.tasks))

    def _not_read(self, error: PitwallError) -> None:
        self._reading = False
        self._error.say(said(error), error.fix)
        self._main.setCurrentWidget(self._error)

    def _show(self) -> None:
        read = self.read_now
        if read is None:
            return
        run, file = self.run, self.file
        self.left.show_read(read, self._run_key, self._file)
        if file is not None:
            text = self.own.text_of(file.path)
            self.editor.show_file(file, text)
            self._main.setCurrentWidget(self.editor)
        elif run is not None:
            self.results.show_run(run, read.runs)
            inside = self._main.currentWidget() is self.runs and self.runs.suite_key == run.key
            if not inside:
                self._main.setCurrentWidget(self.results)
        elif self._run_key:
            self._main.setCurrentWidget(self._begins)
        else:
            self._smoke.setVisible(self._bundled(SMOKE) is not None)
            self._main.setCurrentWidget(self._empty)
        self._show_head()

    def _show_head(self) -> None:
        file = self.file
        why = ""
        if file is not None and not self.editor.ready:
            why = "Mend its faults first." if self.editor.faults.faults else "It is being checked."
        self.head.show_suite(self.run, file, ready=self.editor.ready, why=why)

    # ---- inside

    def _wait_for(self, key: str) -> None:
        self._run_key, self._file = key, None
        self._again.setInterval(_LIVE_MS)
        self._show()

    def _gave_up(self, key: str) -> None:
        """A suite ended before it began: back to where it was started."""
        if self._run_key == key and (self.read_now is None or self.read_now.run(key) is None):
            self._run_key = ""
            self._show()

    def _play(self, game: str, task: str, seed: int) -> None:
        file = write_own_suite(self.bridge.data.suites, game, task, seed)
        self._wait_for(self.doing.start(file, f"you-{game}-{task}", keep_frames=True))

    def _go(self) -> None:
        if self.head.start.isVisible() and self.head.start.isEnabled():
            self.start()
        elif self.head.resume.isVisible():
            self.resume()

    def _back(self) -> None:
        if self._main.currentWidget() is self.runs:
            self._main.setCurrentWidget(self.results)
            self.results.setFocus()

    def _bundled(self, name: str) -> SuiteFile | None:
        files = self.read_now.files if self.read_now is not None else ()
        return next((one for one in files if one.source == "bundled" and one.path.stem == name), None)

    def _can_save(self) -> bool:
        return self.file is not None and self.editor.dirty

    def _more(self) -> list[Deed]:
        run, file = self.run, self.file
        failed = run is not None and not run.live and run.failed > 0
        own = file is not None and file.source == "own"
        return [
            Deed(
                name="Play again what could not be played",
                run=self.play_failed_again,
                possible=lambda: failed,
            ),
            Deed(name="Edit a copy of this suite", run=self.edit_asked, possible=lambda: run is not None),
            Deed(
                name="Open its folder",
                run=self.open_folder,
                possible=lambda: run is not None or file is not None,
            ),
            Deed(name="Delete this suite…", run=self.delete_file, possible=lambda: own),
        ]

    def _fill_menu(self) -> None:
        self._menu.clear()
        for deed in self._more():
            if deed.possible():
                self._menu.addAction(deed.name, deed.run)

    def _show_menu(self, at: QPoint) -> None:
        self._menu.popup(at)


def _offers(button: Button) -> Callable[[], bool]:
    return lambda: button.isVisible() and button.isEnabled()
