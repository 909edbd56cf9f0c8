"""The editor of a suite: its text with its faults on the left, its form on the right."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, column, holder, row
from pitwall.console.kit.panes import Pane, Panes
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import Fault
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall_bench.console.editor.faults import FaultList, fault_words
from pitwall_bench.console.editor.form import SuiteForm
from pitwall_bench.suites.catalogue import SuiteFile
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.yaml_edit import checked, count_runs
from pitwall_evaluation.console.code_editor.editor import CodeEditor

_CHECK_MS = 350
_FORM_PX, _FOLDED_BELOW_PX = 400, 720


class SuiteEditor(QWidget):
    """Edits one suite's text; unsaved edits are kept while the console runs.

    Signals:
        save_wanted(). checked(): the result of checking the text changed.
    """

    save_wanted = Signal()
    checked = Signal()

    def __init__(self, data: DataFolder, look: Look, aside: BackgroundWorker) -> None:
        super().__init__()
        self._data, self._aside = data, aside
        self._file: Path | None = None
        self._saved: dict[Path, str] = {}
        self._drafts: dict[Path, str] = {}
        self._checking = ""
        self._known = ""
        self.plan: Plan | None = None
        self.text = CodeEditor(look, "The suite's YAML", "yaml")
        self.faults = FaultList(look)
        self.form = SuiteForm()
        self._title = Label("", "dim")
        self._save = Button("Save", self.save_wanted.emit, name="Save as your own suite")
        self._revert = Button("Revert", self.revert, kind="quiet", name="Revert to the saved text")
        self._later = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._later.timeout.connect(self._check)
        head = row(self._title, None, self._revert, self._save)
        lines = column(head, self.text, self.faults, stretch=1, margins=(PAD, GAP, GAP, PAD))
        left = self._left = holder(lines)
        self._panes = Panes(
            Pane("Text", left), Pane("Form", self.form, width=_FORM_PX), fold_below=_FOLDED_BELOW_PX
        )
        self.setLayout(column(self._panes))
        self.text.edited.connect(self._edited)
        self.form.changed.connect(self.text.put)
        self.faults.chosen.connect(self._jump)

    @property
    def dirty(self) -> bool:
        """Return whether the text differs from the file."""
        return self._file is not None and self.text.text() != self._saved.get(self._file, "")

    @property
    def ready(self) -> bool:
        """Return whether the current text was checked and has no fault."""
        return self.plan is not None and self._known == self.text.text()

    @property
    def touched(self) -> int:
        """List the suites with unsaved edits."""
        return len(self._drafts)

    def show_file(self, file: SuiteFile, text: str) -> None:
        """Edit a file, with its unsaved edits from before.

        Args:
            text: the file's text.
        """
        same = file.path == self._file
        changed = self._saved.get(file.path) != text
        if same and not changed:
            return
        self._keep()
        self._file = file.path
        self._saved[file.path] = text
        shown = self._drafts.get(file.path, text)
        if not same or not self.dirty:
            self.text.fill(shown)
            self.plan = None
            self.form.show_text(shown)
            self._check()
        self._show_state()

    def forget_drafts(self) -> None:
        """Discard all unsaved edits."""
        self._drafts.clear()

    def forget(self, path: Path) -> None:
        """Discard the edits of a deleted file."""
        self._drafts.pop(path, None)
        if path == self._file:
            self._file = None

    def revert(self) -> None:
        """Restore the file's text; this can be undone."""
        if self._file is not None:
            self.text.put(self._saved.get(self._file, ""))

    def was_saved(self, path: Path, text: str) -> None:
        """Continue with the file that the text was written to."""
        if self._file is not None:
            self._drafts.pop(self._file, None)
        self._file = path
        self._saved[path] = text
        if text != self.text.text():  # a copy has another name
            self.text.fill(text)
            self.form.show_text(text)
            self._check()
        self._show_state()

    # ---- inside

    def _keep(self) -> None:
        if self._file is None:
            return
        if self.dirty:
            self._drafts[self._file] = self.text.text()
        else:
            self._drafts.pop(self._file, None)

    def _edited(self) -> None:
        self._keep()
        self.form.show_text(self.text.text())
        self._later.start()
        self._show_state()
        self.checked.emit()

    def _show_state(self) -> None:
        self._save.setEnabled(self.dirty)
        self._revert.setVisible(self.dirty)
        name = self._file.name if self._file is not None else ""
        self._title.set_text(f"{name} · edited, not saved" if self.dirty else name)

    def _check(self) -> None:
        text, file = self.text.text(), self._file
        if file is None or self._checking:
            self._later.start()
            return
        self._checking = text or " "
        data = self._data
        self._aside.ask(lambda: checked(text, file, data), lambda result: self._was_checked(text, result))

    def _was_checked(self, text: str, result: Plan | tuple[Fault, ...]) -> None:
        self._checking = ""
        if text != self.text.text():
            self._later.start()
            return
        self._known = text
        self.plan = result if isinstance(result, Plan) else None
        faults = result if isinstance(result, tuple) else ()
        self.faults.show_faults(faults, f"✓ {_comes_to(self.plan)}" if self.plan is not None else "")
        first = next((fault for fault in faults if fault.line), None)
        self.text.mark_fault(first.line if first else 0, fault_words(first) if first else "", go=False)
        self.checked.emit()

    def _jump(self, fault: Fault) -> None:
        self._panes.bring(self._left)
        self.text.mark_fault(fault.line, fault_words(fault))
        self.text.setFocus()


def _comes_to(plan: Plan) -> str:
    """Format a plan's size: "No faults: 24 runs of 12 tasks of 6 games by 2 agents"."""
    cells = plan.cells(0)
    tasks = len({(cell.game, cell.task) for cell in cells})
    games = len({cell.game for cell in cells} | {climb.game for climb in plan.climbs(0)})
    climbs = len(plan.climbs(0)) * plan.spec.repeats
    words = f"No faults: {counted(count_runs(plan), 'run')}"
    words += f" of {counted(tasks, 'task')} of {counted(games, 'game')}" if tasks else ""
    words += f" by {counted(len(plan.spec.agents), 'agent')}"
    return words + (f", {counted(climbs, 'climb')} among them" if climbs else "")
