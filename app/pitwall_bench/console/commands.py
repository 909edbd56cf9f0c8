"""The operator's commands on the Evaluate page, for the run or the suite in view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.command import Command
from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import key_words
from pitwall.console.kit.notification import Notification, open_path
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import PitwallError
from pitwall_bench.console.editor.view import SuiteEditor
from pitwall_bench.console.play_dialog import PlayableTask, PlayDialog
from pitwall_bench.console.suite_runner import SuiteRunner
from pitwall_bench.suites.catalogue import SuiteFile, SuiteRun
from pitwall_bench.suites.own_suites import NEW_SUITE, OwnSuites, write_task_suite

EXPORTS = (
    ("HTML report", "html"),
    ("CSV tables", "csv"),
    ("JSON", "json"),
    ("LaTeX tables", "latex"),
)


class EvaluateCommands(QObject):
    """Acts on the run or suite in view.

    Signals:
        begun(key): a suite begins, show it. wanted(path): show this suite; None: it is gone.

    Attributes:
        tasks: tasks that a person can play. against: the suite that results are compared with; empty: none.
    """

    begun = Signal(str)
    wanted = Signal(object)

    def __init__(self, bridge: Bridge, editor: SuiteEditor, doing: SuiteRunner, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._editor, self._doing, self._window = bridge, editor, doing, window
        self.own = OwnSuites(bridge.data)
        self.tasks: tuple[PlayableTask, ...] = ()
        self._run: SuiteRun | None = None
        self._file: SuiteFile | None = None
        self._smoke: SuiteFile | None = None
        self.against: Callable[[], str] = lambda: ""

    def use(self, run: SuiteRun | None, file: SuiteFile | None, smoke: SuiteFile | None) -> None:
        """Set the run or suite in view, and the suite that an empty page offers."""
        self._run, self._file, self._smoke = run, file, smoke

    # ---- suites that play

    def start(self) -> None:
        """Start the suite in the editor."""
        file, plan = self._file, self._editor.plan
        if file is None or plan is None or not self._editor.ready:
            return
        edited = self._editor.dirty
        path = self.save() if edited else file.path
        if path is not None:
            pictures = self._editor.form.keep_frames.isChecked()
            name = path.stem if edited else plan.spec.name
            self.begun.emit(self._doing.start(path, name, keep_frames=pictures))

    def start_smoke(self) -> None:
        """Start the bundled smoke suite."""
        if self._smoke is not None:
            key = self._doing.start(self._smoke.path, self._smoke.name, keep_frames=True)
            self.begun.emit(key)

    def resume(self) -> None:
        """Play what is missing of the run in view."""
        if self._run is not None:
            self._doing.resume(self._run)

    def play_failed_again(self) -> None:
        """Play again what could not be played, and what is missing."""
        if self._run is not None:
            self._doing.resume(self._run, failed_again=True)

    def cancel(self) -> None:
        """Stop the run in view."""
        if self._run is not None:
            self._doing.cancel(self._run)

    def play_yourself(self) -> None:
        """Ask for a task, and let the operator play it."""
        if not self.tasks:
            return
        hotkey = key_words(self._bridge.settings.hotkeys.stop)
        dialog = PlayDialog(self.tasks, hotkey, self._window)
        run = self._run
        if run is not None and run.runs:
            dialog.choose(run.runs[-1].cell.game, run.runs[-1].cell.task)
        dialog.ordered.connect(lambda order: self._play(*order))
        dialog.open()

    # ---- results

    def export(self, kind: str) -> None:
        """Write a report of the run in view, with the suite that it is compared with, if any."""
        if self._run is not None and self._run.runs:
            self._doing.report(self._run, kind, self.against())

    def open_folder(self) -> None:
        """Open the folder of the run or suite in view."""
        run, file = self._run, self._file
        folder = run.folder if run is not None else file.path.parent if file is not None else None
        if folder is not None:
            open_path(folder)

    # ---- files

    def new_suite(self) -> None:
        """Create a suite of the operator's own."""
        self._add(NEW_SUITE)

    def edit_asked(self) -> None:
        """Create a suite of the operator's own from what the run in view asked for."""
        if self._run is not None:
            self._add(self._run.text)

    def save(self) -> Path | None:
        """Save the text in the editor as the operator's own; None if it could not be saved."""
        if self._file is None:
            return None
        try:
            path, text = self.own.save(self._file, self._editor.text.text())
        except PitwallError as error:
            self._doing.notified.emit(Notification.of_error(error))
            return None
        self._editor.was_saved(path, text)
        self._doing.notified.emit(Notification(f"Saved {path.name} in {path.parent}."))
        self.wanted.emit(path)
        return path

    def delete_file(self) -> None:
        """Delete the operator's own suite in the editor after a confirmation."""
        file = self._file
        if file is None or file.source != "own":
            return
        dialog = Confirm(
            f"Delete {file.path.name}?",
            ["The suite's file is deleted from the disk. Results of its runs stay."],
            f"Delete {file.path.name}",
            "Keep it",
            self._window,
        )
        dialog.confirmed.connect(lambda: self._delete(file.path))
        dialog.open()

    # ---- the palette and the menu

    def commands(self) -> Sequence[Command]:
        """List the palette's commands besides those of the buttons."""
        run = self._run
        written = run is not None and bool(run.runs)
        return [
            Command(name="New suite", run=self.new_suite),
            Command(name="Save the suite as your own", run=self.save, keys="Ctrl+S", possible=self._can_save),
            Command(name="Play a task yourself…", run=self.play_yourself, possible=lambda: bool(self.tasks)),
            Command(
                name="Run the smoke suite", run=self.start_smoke, possible=lambda: self._smoke is not None
            ),
            *(
                Command(
                    name=f"Export: {title}",
                    run=partial(self.export, kind),
                    keys="Ctrl+E" if kind == "html" else "",
                    possible=lambda: written,
                )
                for title, kind in EXPORTS
            ),
            *self.more(),
        ]

    def more(self) -> list[Command]:
        """List the menu's commands."""
        run, file = self._run, self._file
        failed = run is not None and not run.live and run.failed > 0
        own = file is not None and file.source == "own"
        there = run is not None or file is not None
        return [
            Command(
                name="Play again what could not be played",
                run=self.play_failed_again,
                possible=lambda: failed,
            ),
            Command(name="Edit a copy of this suite", run=self.edit_asked, possible=lambda: run is not None),
            Command(name="Open its folder", run=self.open_folder, possible=lambda: there),
            Command(name="Delete this suite…", run=self.delete_file, possible=lambda: own),
        ]

    # ---- inside

    def _play(self, game: str, task: str, seed: int, other: str) -> None:
        try:
            file = write_task_suite(self._bridge.data.suites, game, task, seed, other=other)
        except OSError as error:
            text = f"The task could not be prepared: {error.strerror}."
            self._doing.notified.emit(Notification(text, done=False))
            return
        self.begun.emit(self._doing.start(file, f"you-{game}-{task}", keep_frames=True))

    def _add(self, text: str) -> None:
        try:
            self.wanted.emit(self.own.add(text))
        except PitwallError as error:
            self._doing.notified.emit(Notification.of_error(error))

    def _delete(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._editor.forget(path)
        self.wanted.emit(None)

    def _can_save(self) -> bool:
        return self._file is not None and self._editor.dirty
