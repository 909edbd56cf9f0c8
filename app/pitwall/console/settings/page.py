"""The settings page: every declared setting, searchable, checked as it is entered, saved at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from pitwall.console.kit import places
from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.controls import SearchField
from pitwall.console.kit.elements import Button, Card, EmptyState, SectionTitle, column, holder, row
from pitwall.console.kit.form.fields import Kind
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.page_head import PageHead
from pitwall.console.kit.panes import scrolled
from pitwall.console.kit.setting_fields import (
    Scalar,
    SettingField,
    SettingSection,
    declared_sections,
    is_changed,
    value_of,
    with_checked,
)
from pitwall.console.kit.theme import PAD, WIDE, Look
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import PitwallError, SettingsError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.models.registry import ModelEntry, ModelRegistry

_NAV_WIDTH = 168
_BODY_WIDTH = 820
_EMBEDDER = "memory.embedder"
MODEL_SETTINGS = ("models.fast", "models.strategic", "models.analysis", "models.evolution", _EMBEDDER)
"""Settings whose value is the name of a model."""


class SettingsPage(Page):
    """Every setting of core.settings.

    Signals:
        changed(settings): settings were changed. preflight_wanted(): run the first-start checks.
    """

    place = places.SETTINGS

    changed = Signal(object)
    preflight_wanted = Signal()

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._sections = declared_sections()
        self.fields: dict[str, SettingField] = {}
        self._forms: dict[str, Form] = {}
        self._blocks: dict[str, QWidget] = {}
        self._links: dict[str, Button] = {}
        self._search = SearchField("Search settings   Ctrl+F", "Search settings")
        self._search.setFixedWidth(260)
        self._search.textChanged.connect(self._filter)
        self._head = PageHead(self.place.title)
        self.advanced = Button(
            "Advanced",
            lambda: self._enter("console.advanced", self.advanced.isChecked()),
            tip="Show every setting, and the words of the papers in place of plain ones",
        )
        self.advanced.setCheckable(True)
        self._head.add_choice(self._search)
        self._head.add_choice(self.advanced)
        self._head.add_action(Button("Run the first-start checks", self.preflight_wanted.emit))
        self._scroll = scrolled(self._build_body(), "Settings by section")
        self.notifications = NotificationBar(self)
        inside = row(self._build_nav(), self._scroll, gap=0, stretch=1)
        self.setLayout(column(self._head, inside, gap=0, stretch=1))
        bind_keys(self, (QKeySequence.StandardKey.Find, self._search.setFocus), anywhere=True)
        bridge.settings_changed.connect(self._show)
        self._show(bridge.settings)

    def opened(self) -> None:
        self._show(self.bridge.settings)

    def commands(self) -> Sequence[Command]:
        return (Command(name="Run the first-start checks", run=self.preflight_wanted.emit),)

    def renew_texts(self) -> None:
        """Show what each setting does in the language in use."""
        for key, field in self.fields.items():
            self.form(key).show_help(key, _help(field))
        self._show(self.bridge.settings)

    def search(self, words: str) -> None:
        """Show only settings that hold every word; empty shows all."""
        self._search.setText(words)

    def form(self, key: str) -> Form:
        """Return the form that edits a setting."""
        return self._forms[self.fields[key].section]

    # ---- parts

    def _build_nav(self) -> QWidget:
        for section in self._sections:
            link = Button(section.title, partial(self._go_to, section.name), kind="quiet")
            link.setStyleSheet("text-align: left;")
            self._links[section.name] = link
        nav = holder(column(*self._links.values(), None, gap=2, margins=(WIDE, PAD, 0, PAD)))
        nav.setFixedWidth(_NAV_WIDTH)
        nav.setAccessibleName("Sections")
        return nav

    def _build_body(self) -> QWidget:
        self._none = EmptyState(
            "No setting holds these words",
            "The search looks at names, descriptions, units and choices.",
            Button("Show every setting", lambda: self._search.clear()),
        )
        self._none.hide()
        sections = (self._build_section(section) for section in self._sections)
        body = holder(column(*sections, self._none, None, gap=WIDE, margins=(WIDE, PAD, WIDE, WIDE)))
        body.setMaximumWidth(_BODY_WIDTH)
        return body

    def _build_section(self, section: SettingSection) -> QWidget:
        form = Form(
            [
                field.form_field(label=field.title, help=_help(field), more=_more(field), **_kind(field))
                for field in section.fields
            ],
            layout="explained",
            live=False,
            resets=True,
        )
        form.edited.connect(lambda key: self._enter(key, form.value(key)))
        form.reset.connect(self._reset)
        for field in section.fields:
            self.fields[field.key] = field
            form.reset_button(field.key).setToolTip(f"Back to {field.with_unit(field.default)}")
        self._forms[section.name] = form
        block = holder(column(SectionTitle(section.title, section.summary), Card(form)))
        block.setAccessibleName(section.title)
        self._blocks[section.name] = block
        return block

    # ---- what the operator does

    def _enter(self, key: str, value: Scalar) -> None:
        field, form, before = self.fields[key], self.form(key), self.bridge.settings
        try:
            settings = with_checked(before, field, value)
        except SettingsError as error:
            form.show_fault(key, f"Not saved. {error}")
            return
        form.show_values({key: value})
        if settings != before:
            self._save(settings)

    def _reset(self, key: str) -> None:
        self.form(key).editor(key).setFocus()
        self._enter(key, self.fields[key].default)

    def _save(self, settings: Settings) -> None:
        self.notifications.hide()
        try:
            self.bridge.save_settings(settings)
        except SettingsError as error:
            text = f"Applied until the console closes, but not saved: {error.what} {error.fix}".strip()
            self.notifications.notify(Notification(text, done=False))
        self.changed.emit(settings)

    def _show(self, settings: Settings) -> None:
        models = _models(self.bridge.data) if self.isVisible() else ()
        for key in MODEL_SETTINGS:
            self._offer_models(key, models, settings)
        for section in self._sections:
            form = self._forms[section.name]
            shown = [
                field
                for field in section.fields
                if not form.fault(field.key) or form.editor(field.key).hasFocus()
            ]
            form.show_values({field.key: value_of(settings, field) for field in shown})
            count = sum(is_changed(settings, field) for field in section.fields)
            self._links[section.name].setText(section.title + (f"  · {count}" if count else ""))
            self._links[section.name].setAccessibleName(f"{section.title}, {count} changed")
        self.advanced.setChecked(settings.console.advanced)
        self._filter(self._search.text())

    def _offer_models(self, key: str, models: Sequence[ModelEntry], settings: Settings) -> None:
        """Offer the models that can serve a setting, and the chosen name also where it is gone."""
        chosen = str(value_of(settings, self.fields[key]))
        names = [model.name for model in models if (model.embeds if key == _EMBEDDER else model.writes_text)]
        gone = [(chosen, f"{chosen} (gone)" if models else chosen)] if chosen and chosen not in names else []
        options = [("", "None chosen"), *((name, name) for name in names), *gone]
        self.form(key).offer(key, options, chosen)

    def _filter(self, words: str) -> None:
        for section in self._sections:
            held = [field.key for field in section.fields if self._is_shown(field, words)]
            self._forms[section.name].show_only(held)
            self._blocks[section.name].setVisible(bool(held))
            self._links[section.name].setVisible(bool(held))
        self._none.setVisible(not any(self._is_shown(field, words) for field in self.fields.values()))
        self._note_count()

    def _is_shown(self, field: SettingField, words: str) -> bool:
        """Return whether the search matches; without a search, whether it is basic or was changed."""
        if words:
            return field.matches(words)
        return self.bridge.settings.console.advanced or field.basic or is_changed(self.bridge.settings, field)

    def _note_count(self) -> None:
        shown = sum(self._is_shown(field, self._search.text()) for field in self.fields.values())
        changed = sum(is_changed(self.bridge.settings, field) for field in self.fields.values())
        of = f"{shown} of {len(self.fields)}" if shown < len(self.fields) else f"{shown}"
        self._head.set_note(f"{of} settings · {changed} changed from the default")

    def _go_to(self, section: str) -> None:
        block = self._blocks[section]
        QTimer.singleShot(0, lambda: self._scroll.verticalScrollBar().setValue(block.y()))
        self._forms[section].focus_first()


def _kind(field: SettingField) -> dict[str, Kind]:
    """Return what a form's field differs in from the declared one: a model is chosen from a list."""
    return {"kind": "choice"} if field.key in MODEL_SETTINGS else {}


def _models(data: DataFolder) -> Sequence[ModelEntry]:
    """Return the known models; none where their list cannot be read, which the Models page says."""
    try:
        return ModelRegistry(data).all()
    except PitwallError:
        return ()


def _help(field: SettingField) -> str:
    name = field.label if field.label != field.title else ""
    return " · ".join(filter(None, (name, "" if field.choices else field.fits)))


def _more(field: SettingField) -> str:
    default = field.with_unit(field.default) or "empty"
    return f"Default: {default}\nName in commands and files: {field.key}"
