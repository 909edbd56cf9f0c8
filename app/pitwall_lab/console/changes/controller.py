"""Keeps the operator's changes to a reward function or to rules: drafts, checks, training from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.theme import Look
from pitwall.console.services.job import Job
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Module
from pitwall_evaluation.console.code_editor.editor import CodeEditor
from pitwall_lab.console.changes.checks import Checked, check_rules, reward_checked, rules_checked
from pitwall_lab.console.changes.drafts import DraftKey, Drafts
from pitwall_lab.console.changes.panel import ChangePanel, VersionChange
from pitwall_lab.console.changes.rules_editor import RulesEditor
from pitwall_lab.console.format import rules_text
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel

_SETTLE_MS = 400
"""Pause in typing after which the text is written to disk."""
_LOCKED = "{} is being trained with this; stop it to change it."
_MAKERS = {"project": "the project", "operator": "you", "model": "the model", "rules": "the rules"}


class ChangeController(QObject):
    """Controls the right column; `side` is its widget, with the panels `reward` and `rules`.

    Signals:
        try_wanted(module): make a version of the changed rules. failed(error): a draft cannot be written.
    """

    try_wanted = Signal(object)
    failed = Signal(object)

    def __init__(self, data: DataFolder, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self.drafts = Drafts(data)
        self.touched: set[DraftKey] = set()
        self._module: ModuleViewModel | None = None
        self._version: VersionViewModel | None = None
        self.code = CodeEditor(look, "Reward function, Python")
        self.reward = ChangePanel(look, "Reward", self.code, go="Train with this…", accept="Accept and train")
        self.table = RulesEditor(look)
        self.rules = ChangePanel(
            look, "Rules", self.table, as_lines=_rules_lines, go="Try as a version", accept="Accept"
        )
        self.side = stacked(self.reward, self.rules)
        self.side.setObjectName("side")
        self.check = Job(self, data=data)
        self.check.answered.connect(self._checked)
        self.check.failed.connect(self._check_failed)
        self.check.cancelled.connect(lambda: self.reward.show_busy(False))
        self._checked_key: DraftKey | None = None
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.keep)
        for panel in (self.reward, self.rules):
            panel.edited.connect(self._edited)
            panel.check_wanted.connect(self.run_check)
            panel.discard_wanted.connect(self.discard)
        self.rules.go_wanted.connect(self._try_rules)

    @property
    def panel(self) -> ChangePanel:
        """Return the panel in view."""
        return self.rules if self.side.currentWidget() is self.rules else self.reward

    @property
    def drafting(self) -> bool:
        return self._version is not None and self.panel.drafting

    def show_version(self, module: ModuleViewModel, version: VersionViewModel) -> None:
        """Show a version, after saving the draft of the previous one."""
        if self.key is not None and self.key != _key_of(module, version):
            self.keep()
        self._module, self._version = module, version
        panel = self.reward if version.learned else self.rules
        self.side.setCurrentWidget(panel)
        panel.show_change(self._change(module, version))

    def keep(self) -> None:
        """Save the typed text, if any."""
        if not self._settle.isActive() or self.key is None:
            return
        self._settle.stop()
        self._put(self.key)

    def file(self) -> Path | None:
        """Save the changed text in view and return its file; None without a change."""
        if self.key is None or not self.drafting:
            return None
        return self._put(self.key)

    def drafts_of(self, module: ModuleViewModel) -> dict[str, Path]:
        """Return the files of a module's changed reward functions by version."""
        self.keep()
        return {
            key.version: self.drafts.file(key)
            for key in self.drafts.all()
            if key.module == module.key and key.kind == "reward"
        }

    def forget_file(self, file: Path) -> None:
        """Drop the draft of a file that a version was made from."""
        for key in self.drafts.all():
            if self.drafts.file(key) == file:
                self.forget(key)

    def forget(self, key: DraftKey) -> None:
        """Drop a draft that a version was made from."""
        if key == self.key:
            self.discard()
        self.drafts.drop(key)
        self.touched.discard(key)

    def discard(self) -> None:
        """Discard the change in view."""
        if self.key is None or self._module is None or self._version is None:
            return
        self._settle.stop()
        self.drafts.drop(self.key)
        self.touched.discard(self.key)
        self.panel.show_change(self._change(self._module, self._version))

    def run_check(self) -> None:
        """Check the text in view."""
        module, version = self._module, self._version
        if module is None or version is None:
            return
        if self.panel is self.rules:
            self._check_rules(module)
            return
        if self.check.running:
            return
        file = self.file() or version.folder / "reward.py"
        declared = module.declared.learned
        if not file.is_file() and declared is not None:
            file = module.game.folder / declared.reward
        self._checked_key = self.key
        self.reward.show_busy(True)
        self.check.start(["gsm", "check-reward", module.named, str(file)])

    def close(self) -> None:
        """Save the typed text and cancel the check."""
        self.keep()
        self.check.cancel()

    # ---- inside

    @property
    def key(self) -> DraftKey | None:
        """Return the key of the draft in view, whether it exists or not."""
        if self._module is None or self._version is None:
            return None
        return _key_of(self._module, self._version)

    def _change(self, module: ModuleViewModel, version: VersionViewModel) -> VersionChange:
        parent = module.parent_of(version)
        text, before = _text(module, version), _text(module, parent) if parent is not None else ""
        key = _key_of(module, version)
        draft = self.drafts.get(key)
        if draft == text:
            self.drafts.drop(key)
            draft = None
        if parent is not None and parent.learned != version.learned:
            before, parent = "", None  # a reward function and rules cannot be compared
        return VersionChange(
            version=version.name,
            text=text,
            before=before,
            parent=parent.name if parent is not None else "",
            draft=draft,
            proposed=version.proposed,
            by=_MAKERS[version.about.by],
            why=version.about.why,
            editable=bool(text) and not version.live,
            locked=_LOCKED.format(version.name) if version.live else "",
        )

    def _edited(self, _text_now: str) -> None:
        if self.key is not None:
            self.touched.add(self.key)
            self._settle.start()

    def _put(self, key: DraftKey) -> Path | None:
        if not self.panel.drafting:
            self.drafts.drop(key)
            self.touched.discard(key)
            return None
        try:
            return self.drafts.put(key, self.panel.text)
        except PitwallError as error:
            self.failed.emit(error)
            return None

    def _try_rules(self) -> None:
        if self._module is not None and self._check_rules(self._module).passed:
            self.keep()
            self.try_wanted.emit(self.table.module())

    def _check_rules(self, module: ModuleViewModel) -> Checked:
        rules = self.table.module()
        faults = check_rules(rules, module.game)
        self.table.mark(faults)
        checked = rules_checked(faults, len(rules.rules))
        self.rules.show_checks(checked.lines, checked.sentence)
        return checked

    def _checked(self, answer: Any) -> None:
        self.reward.show_busy(False)
        if self._checked_key != self.key or not isinstance(answer, dict):
            return
        checked = reward_checked(answer)
        self.reward.show_checks(checked.lines, checked.sentence)
        self.code.mark_fault(checked.line, checked.sentence)
        if checked.line:
            self.reward.show_view("edit")

    def _check_failed(self, error: PitwallError) -> None:
        self.reward.show_busy(False)
        if self._checked_key == self.key:
            self.reward.show_checks((), error_sentence(error))


def _key_of(module: ModuleViewModel, version: VersionViewModel) -> DraftKey:
    return DraftKey(module.key, version.name, "reward" if version.learned else "rules")


def _text(module: ModuleViewModel, version: VersionViewModel) -> str:
    if version.learned:
        return version.source
    return (version.about.rules or module.declared).model_dump_json()


def _rules_lines(text: str) -> str:
    return rules_text(Module.model_validate_json(text)) if text else ""


def change_json(module: Module, title: str, why: str) -> str:
    """Write changed rules as JSON for `pitwall gsm improve --change`."""
    body = {"rules": module.model_dump(mode="json"), "title": title, "why": why, "by": "operator"}
    return json.dumps(body, indent=1) + "\n"
