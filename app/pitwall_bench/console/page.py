"""The Evaluate page: suites, their progress, and their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QLabel

from pitwall.console.kit.command import Command, bind_keys, offered
from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import Button, EmptyState, PrimaryButton, column
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.notification import NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.panes import Pane, Panes, stacked
from pitwall.console.kit.theme import Look
from pitwall.console.services.background import BackgroundWorker, RepeatedReading
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.errors import PitwallError
from pitwall_bench.console.commands import EvaluateCommands
from pitwall_bench.console.editor.task_tree import Games
from pitwall_bench.console.editor.view import SuiteEditor
from pitwall_bench.console.figures import precompute
from pitwall_bench.console.head import EvaluateHead
from pitwall_bench.console.play_dialog import PlayableTask, model_names, read_games
from pitwall_bench.console.results.cell_runs import CellRuns
from pitwall_bench.console.results.view import ResultsView
from pitwall_bench.console.suite_list import SuitesColumn
from pitwall_bench.console.suite_runner import SuiteRunner
from pitwall_bench.place import EVALUATE
from pitwall_bench.suites.catalogue import SuiteCatalogue, SuiteFile, SuiteRepository, SuiteRun
from pitwall_bench.suites.yaml_text import text_of

SMOKE = "smoke"
"""The bundled suite that an empty page offers."""
_LIST_PX, _LIST_LEAST_PX = 262, 210
_ICON_PX = 40


class EvaluatePage(Page):
    """The suites of the data folder and the bundled ones; works with no game open."""

    place = EVALUATE

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._shelf = SuiteRepository(bridge.data)
        self._aside = BackgroundWorker("suites", self)
        self._pictures = BackgroundWorker("suite pictures", self)
        self.read_now: SuiteCatalogue | None = None
        self.games: Games = {}
        self._run_key = ""
        self._file: Path | None = None
        self._again = RepeatedReading(self._aside, self._read_all, self)
        self.left = SuitesColumn(look)
        self.editor = SuiteEditor(bridge.data, look, self._aside)
        self.results = ResultsView(bridge.data, look, self._pictures)
        self.runs = CellRuns(bridge.data, look)
        self.doing = SuiteRunner(bridge.data, self)
        self.acts = EvaluateCommands(bridge, self.editor, self.doing, self)
        self.head = EvaluateHead(self.acts)
        self.acts.against = lambda: self.results.against
        self.notifications = NotificationBar(self)
        self._build()
        self._connect()

    # ---- what the window asks

    def opened(self) -> None:
        self._again.start()
        self._aside.ask(partial(read_games, self.bridge.data), self._take_games)
        self._aside.ask(partial(model_names, self.bridge.data), self.editor.form.agents.suggest_models)

    def closed(self) -> None:
        self._again.stop()

    def refresh(self, changed: Part) -> None:
        """Ignore the change: this page shows nothing of an engine."""

    def commands(self) -> Sequence[Command]:
        head, acts, read = self.head, self.acts, self.read_now
        return [
            offered(head.start, "Ctrl+Enter"),
            offered(head.resume, "Ctrl+Enter"),
            offered(head.cancel),
            *acts.commands(),
            *(
                Command(name=f"Show results of {run.key}", run=partial(self.choose_run, run.key))
                for run in (read.runs if read is not None else ())
            ),
            *(
                Command(name=f"Edit suite {file.name}", run=partial(self.choose_file, file.path))
                for file in (read.files if read is not None else ())
            ),
        ]

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:
        """Ask before unsaved text of a suite is lost; running suites continue."""
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
        """Stop reading before the data folder goes away; running suites continue."""
        self._again.stop()
        self.doing.close()
        self.runs.close_reading()
        self._pictures.close()
        self._aside.close()

    # ---- what is in view

    @property
    def run(self) -> SuiteRun | None:
        """Return the run in view, as it was last read."""
        return self.read_now.run(self._run_key) if self.read_now is not None and self._run_key else None

    @property
    def file(self) -> SuiteFile | None:
        """Return the suite in the editor."""
        return self.read_now.file(self._file) if self.read_now is not None else None

    def choose_run(self, key: str) -> None:
        """Show a suite that was run."""
        self._run_key, self._file = key, None
        run = self.run
        if run is None:
            self._show()
        else:
            self._aside.ask(partial(precompute, run.runs), lambda _: self._show())

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
        """Read every suite again in the background, and once more if a reading is already running."""
        self._again.now()

    def _read_all(self) -> SuiteCatalogue:
        """Read every suite, and compute the figures of the one in view, on the worker's thread."""
        read = self._shelf.read()
        shown = read.run(self._run_key) or next(iter(read.runs), None)
        if shown is not None:
            precompute(shown.runs)
        return read

    # ---- parts

    def _build(self) -> None:
        self._loading = EmptyState("Reading the suites …", "")
        self._smoke = PrimaryButton("Run the smoke suite", self.acts.start_smoke)
        picture = QLabel()
        self._empty = EmptyState(
            "No suite was run here yet",
            "A suite plays tasks of several games by several agents, each in a session of its own. Its live "
            "sessions, results with intervals, and comparisons appear here.",
            self._smoke,
            icon=picture,
        )

        def paint() -> None:
            picture.setPixmap(self.look.icon(self.place.icon, "faint").pixmap(_ICON_PX, _ICON_PX))

        paint()
        self.look.changed.connect(paint)
        self._error = EmptyState("", "", Button("Try again", self.read))
        self._begins = EmptyState(
            "The suite begins …", "Its games are checked, then the first sessions open."
        )
        states = (self._loading, self._empty, self._error, self._begins)
        self._main = stacked(*states, self.editor, self.results, self.runs)
        self.left.setMinimumWidth(_LIST_LEAST_PX)
        sides = Panes(Pane("Suites", self.left, width=_LIST_PX), Pane("Chosen", self._main), front=self._main)
        self.setLayout(column(self.head, sides, gap=0, stretch=1))

    def _connect(self) -> None:
        doing, acts = self.doing, self.acts
        self.left.run_chosen.connect(self.choose_run)
        self.left.file_chosen.connect(self.choose_file)
        self.left.new_wanted.connect(acts.new_suite)
        self.left.menu_wanted.connect(self.head.show_menu)
        self.editor.save_wanted.connect(acts.save)
        self.editor.checked.connect(self._show_head)
        self.results.opened.connect(self.open_cells)
        self.runs.left.connect(self._back)
        doing.notified.connect(self.notifications.notify)
        acts.begun.connect(self._wait_for)
        acts.wanted.connect(self._show_file)
        doing.busy.connect(self.notifications.show_busy)
        doing.changed.connect(self.read)
        doing.gave_up.connect(self._gave_up)
        bind_keys(
            self,
            ("Ctrl+Return", self._go),
            ("Ctrl+Enter", self._go),
            ("Ctrl+S", acts.save),
            ("Ctrl+E", lambda: acts.export("html")),
            anywhere=True,
        )
        self._again.took.connect(self._take)
        self._again.failed.connect(self._not_read)

    # ---- what was read

    def _take(self, read: SuiteCatalogue) -> None:
        first = self.read_now is None
        self.read_now = read
        if first and not self._run_key and self._file is None and read.runs:
            self._run_key = next((run.key for run in read.runs if run.live), read.runs[0].key)
        self._show()
        self._again.be_live(any(run.live for run in read.runs) or bool(self.doing.starting))

    def _take_games(self, games_and_tasks: tuple[Games, tuple[PlayableTask, ...]]) -> None:
        self.games, self.acts.tasks = games_and_tasks
        self.editor.form.show_games(self.games)
        self.left.name_games({game: name for game, (name, _) in self.games.items()})
        self.head.play.setEnabled(bool(self.acts.tasks))

    def _not_read(self, error: PitwallError) -> None:
        self._error.say(error_sentence(error), error.fix)
        self._main.setCurrentWidget(self._error)

    def _show(self) -> None:
        read = self.read_now
        if read is None:
            return
        run, file = self.run, self.file
        self.acts.use(run, file, self._bundled(SMOKE))
        self.left.show_read(read, self._run_key, self._file)
        if file is not None:
            text = text_of(file.path)
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
        self._again.be_live(True)
        self._show()

    def _show_file(self, path: Path | None) -> None:
        self._run_key, self._file = "", path
        self.read()

    def _gave_up(self, key: str) -> None:
        """Return to the suite's file if it ended before it began."""
        if self._run_key == key and (self.read_now is None or self.read_now.run(key) is None):
            self._run_key = ""
            self._show()

    def _go(self) -> None:
        if self.head.start.isVisible() and self.head.start.isEnabled():
            self.acts.start()
        elif self.head.resume.isVisible():
            self.acts.resume()

    def _back(self) -> None:
        if self._main.currentWidget() is self.runs:
            self._main.setCurrentWidget(self.results)
            self.results.setFocus()

    def _bundled(self, name: str) -> SuiteFile | None:
        files = self.read_now.files if self.read_now is not None else ()
        return next((file for file in files if file.source == "bundled" and file.path.stem == name), None)
