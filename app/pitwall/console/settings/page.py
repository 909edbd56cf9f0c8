"""The settings page: every declared setting, searchable, checked as it is entered, saved at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from pitwall.console.kit.command import Command
from pitwall.console.kit.elements import Button, Card, Chip, EmptyState, Label, SectionTitle, column, row
from pitwall.console.kit.page import Page
from pitwall.console.kit.search_field import SearchField
from pitwall.console.kit.setting_editors.editors import SettingEditor
from pitwall.console.kit.setting_editors.fields import (
    Scalar,
    SettingField,
    SettingSection,
    declared_sections,
    is_changed,
    value_of,
    with_checked,
)
from pitwall.console.kit.theme import GAP, PAD, WIDE, Look
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import SettingsError
from pitwall.core.settings import Settings

_NAV_WIDTH = 168
_BODY_WIDTH = 820


class SettingRow(QWidget):
    """One setting: what it means, its editor, whether it was changed, and what is wrong with an entry.

    Signals:
        edited(field, value). reset(field).
    """

    edited = Signal(object, object)
    reset = Signal(object)

    def __init__(self, field: SettingField) -> None:
        super().__init__()
        self.field = field
        self.editor = SettingEditor(field)
        self.editor.edited.connect(lambda value: self.edited.emit(field, value))
        self.editor.unusable.connect(self.show_error)
        self._mark = Chip("changed")
        self._reset = Button(
            "Reset", lambda: self.reset.emit(field), kind="quiet", name=f"Reset: {field.label}"
        )
        self._reset.setToolTip(f"Back to {field.with_unit(field.default)}")
        for widget in (self._mark, self._reset):
            keep = widget.sizePolicy()
            keep.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(keep)
        self._error = Label("", "error", wrap=True)
        self._error.hide()
        note = Label(" · ".join(filter(None, (field.key, field.fits, _default(field)))), "note")
        layout = QGridLayout(self)
        layout.setContentsMargins(0, GAP // 2, 0, GAP // 2)
        layout.setHorizontalSpacing(PAD)
        layout.setVerticalSpacing(2)
        layout.addWidget(Label(field.label, wrap=True), 0, 0)
        layout.addWidget(note, 1, 0)
        layout.addWidget(self._mark, 0, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.editor, 0, 2, 2, 1)
        layout.addWidget(self._reset, 0, 3, 2, 1)
        layout.addWidget(self._error, 2, 0, 1, 4)
        layout.setColumnStretch(0, 1)

    def show_settings(self, settings: Settings) -> None:
        """Show the value in force."""
        self.editor.show_value(value_of(settings, self.field))
        changed = is_changed(settings, self.field)
        self._mark.setVisible(changed)
        self._reset.setVisible(changed)
        self.show_error("")

    def show_error(self, text: str) -> None:
        """Say beside the field why an entry was not taken; empty clears it."""
        self._error.set_text(text)
        self._error.setVisible(bool(text))
        self.editor.control.setToolTip(text)

    @property
    def error(self) -> str:
        return self._error.full_text()

    @property
    def marked(self) -> bool:
        """Whether it stands marked as changed."""
        return not self._mark.isHidden()


class SettingsPage(Page):
    """Every setting of core.settings.

    Signals:
        changed(settings): settings were put in force. preflight_wanted(): run the first-start checks.
    """

    key = "settings"
    title = "Settings"
    icon = "mdi6.cog-outline"
    at_bottom = True

    changed = Signal(object)
    preflight_wanted = Signal()

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._sections = declared_sections()
        self.rows: dict[str, SettingRow] = {}
        self._blocks: dict[str, QWidget] = {}
        self._links: dict[str, Button] = {}
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setAccessibleName("Settings by section")
        self._scroll.setWidget(self._build_body())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._build_head())
        inside = row(self._build_nav(), self._scroll, gap=0)
        inside.setStretch(1, 1)
        layout.addLayout(inside, 1)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._search.setFocus)
        bridge.settings_changed.connect(self._show)
        self._show(bridge.settings)

    def opened(self) -> None:
        self._show(self.bridge.settings)

    def commands(self) -> Sequence[Command]:
        return (Command(name="Run the first-start checks", run=self.preflight_wanted.emit),)

    def search(self, words: str) -> None:
        """Show only settings that hold every word; empty shows all."""
        self._search.setText(words)

    @property
    def trouble(self) -> str:
        """Why the last change could not be kept; empty where it was."""
        return self._trouble_text.full_text()

    # ---- parts

    def _build_head(self) -> QWidget:
        self._search = SearchField("Search settings   Ctrl+F", "Search settings")
        self._search.setFixedWidth(260)
        self._search.textChanged.connect(self._filter)
        self._count = Label("", "note")
        checks = Button("Run the first-start checks", self.preflight_wanted.emit)
        self._trouble = Card(tone="stop")
        self._trouble_text = Label("", wrap=True)
        self._trouble.body.addWidget(self._trouble_text)
        self._trouble.hide()
        line = row(Label("Settings", "heading"), self._search, self._count, None, checks, gap=PAD)
        head = QWidget()
        layout = column(gap=PAD)
        layout.addLayout(line)
        layout.addWidget(self._trouble)
        layout.setContentsMargins(WIDE, PAD, WIDE, PAD)
        head.setLayout(layout)
        return head

    def _build_nav(self) -> QWidget:
        nav = QWidget()
        nav.setFixedWidth(_NAV_WIDTH)
        nav.setAccessibleName("Sections")
        layout = column(gap=2)
        layout.setContentsMargins(WIDE, 0, 0, PAD)
        for section in self._sections:
            link = Button(section.title, partial(self._go_to, section.name), kind="quiet")
            link.setStyleSheet("text-align: left;")
            self._links[section.name] = link
            layout.addWidget(link)
        layout.addStretch(1)
        nav.setLayout(layout)
        return nav

    def _build_body(self) -> QWidget:
        body = QWidget()
        body.setMaximumWidth(_BODY_WIDTH)
        layout = column(*(self._build_section(section) for section in self._sections), gap=WIDE)
        layout.setContentsMargins(WIDE, 0, WIDE, WIDE)
        self._none = EmptyState(
            "No setting holds these words",
            "The search looks at names, descriptions, units and choices.",
            Button("Show every setting", lambda: self._search.clear()),
        )
        self._none.hide()
        layout.addWidget(self._none)
        layout.addStretch(1)
        body.setLayout(layout)
        return body

    def _build_section(self, section: SettingSection) -> QWidget:
        card = Card(gap=GAP // 2)
        for field in section.fields:
            line = SettingRow(field)
            line.edited.connect(self._enter)
            line.reset.connect(self._reset)
            self.rows[field.key] = line
            card.body.addWidget(line)
        block = QWidget()
        block.setAccessibleName(section.title)
        block.setLayout(column(SectionTitle(section.title, section.summary), card))
        self._blocks[section.name] = block
        return block

    # ---- what the operator does

    def _enter(self, field: SettingField, value: Scalar) -> None:
        if value == value_of(self.bridge.settings, field):
            self.rows[field.key].show_settings(self.bridge.settings)
            return
        try:
            settings = with_checked(self.bridge.settings, field, value)
        except SettingsError as error:
            self.rows[field.key].show_error(f"Not saved. {error}")
            return
        self._save(settings)

    def _reset(self, field: SettingField) -> None:
        self.rows[field.key].editor.setFocus()
        self._enter(field, field.default)

    def _save(self, settings: Settings) -> None:
        trouble = ""
        try:
            self.bridge.save_settings(settings)
        except SettingsError as error:
            trouble = f"In force until the console closes, but not kept: {error.what} {error.fix}".strip()
        self._trouble_text.set_text(trouble)
        self._trouble.setVisible(bool(trouble))
        self.changed.emit(settings)

    def _show(self, settings: Settings) -> None:
        for line in self.rows.values():
            if not line.error or line.hasFocus() or line.editor.control.hasFocus():
                line.show_settings(settings)
        changed = [line.field.section for line in self.rows.values() if line.marked]
        for section in self._sections:
            count = changed.count(section.name)
            self._links[section.name].setText(section.title + (f"  · {count}" if count else ""))
            self._links[section.name].setAccessibleName(f"{section.title}, {count} changed")
        self._note_count()

    def _filter(self, words: str) -> None:
        for section in self._sections:
            held = [field for field in section.fields if field.matches(words)]
            for field in section.fields:
                self.rows[field.key].setVisible(field in held)
            self._blocks[section.name].setVisible(bool(held))
            self._links[section.name].setEnabled(bool(held))
        self._none.setVisible(
            not any(self._blocks[section.name].isVisibleTo(self) for section in self._sections)
        )
        self._note_count()

    def _note_count(self) -> None:
        shown = sum(line.field.matches(self._search.text()) for line in self.rows.values())
        changed = sum(line.marked for line in self.rows.values())
        of = f"{shown} of {len(self.rows)}" if self._search.text() else f"{len(self.rows)}"
        self._count.set_text(f"{of} settings · {changed} changed from the default")

    def _go_to(self, section: str) -> None:
        block = self._blocks[section]
        QTimer.singleShot(0, lambda: self._scroll.verticalScrollBar().setValue(block.y()))
        first = next(line for line in self.rows.values() if line.field.section == section)
        first.editor.setFocus()


def _default(field: SettingField) -> str:
    return f"default {field.with_unit(field.default)}"
