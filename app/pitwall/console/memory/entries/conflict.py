"""Two versions of an entry side by side: keep mine, take theirs, or merge by hand. Nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
    row,
)
from pitwall.console.kit.theme import GAP, PAD, WIDE
from pitwall.console.memory.entries.form import EntryForm
from pitwall.console.memory.format import WHO, content_fields, field_title, named, value_text, where
from pitwall.core.memories import MemoryContent, MemoryEntry
from pitwall.memory.game_rules import Rules

_FORM_WIDTH = 640


def merged(base: MemoryContent | None, yours: MemoryContent, theirs: MemoryContent) -> MemoryContent:
    """Both changes where they touch different fields; yours where they touch the same.

    Args:
        base: what both began with; None where that is not known.
    """
    if base is None or type(base) is not type(yours) or type(theirs) is not type(yours):
        return yours
    taken: dict[str, Any] = {
        name: getattr(theirs, name)
        for name, value in content_fields(base).items()
        if getattr(yours, name) == value
    }
    return replace(yours, **taken)


class ConflictView(QScrollArea):
    """One conflict at a time.

    Signals:
        kept(content, theirs): save this content over theirs; theirs is None where the entry is gone.
        took(theirs): theirs stays, yours is dropped. later(content, theirs): decided later; yours is
            typed in the entry's form.
    """

    kept = Signal(object, object)
    took = Signal(object)
    later = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Two versions of an entry")
        self._yours: MemoryContent | None = None
        self._theirs: MemoryEntry | None = None
        self._title = Label("", "title", wrap=True)
        self._text = Label("", "dim", wrap=True)
        self._grid_box = QWidget()
        self._grid = QGridLayout(self._grid_box)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP)
        for at, share in enumerate((0, 1, 1)):
            self._grid.setColumnStretch(at, share)
        self.form = EntryForm()
        self.form.edited.connect(self._allow)
        self._mine = Button("Keep mine", self._keep_mine, name="Keep my version")
        self._take = Button("Take theirs", self._take_theirs, name="Take their version")
        self._merge = PrimaryButton("Save the merge", self._save_merge)
        self._later = Button("Later", self._put_off, kind="quiet", name="Decide later; what I typed stays")
        self._merge_head = SectionTitle("Merge by hand", "begins with both changes where they differ")
        self._merge_card = Card(self.form)
        self._merge_card.setMaximumWidth(_FORM_WIDTH)
        holder = QWidget()
        layout = column(self._title, self._text, gap=GAP)
        layout.setContentsMargins(WIDE, WIDE, WIDE, WIDE)
        layout.addLayout(row(self._mine, self._take, self._merge, None, self._later))
        layout.addSpacing(GAP)
        layout.addWidget(self._grid_box)
        layout.addSpacing(GAP)
        layout.addWidget(self._merge_head)
        layout.addWidget(self._merge_card)
        layout.addStretch(1)
        holder.setLayout(layout)
        self.setWidget(holder)

    def use_rules(self, rules: Rules) -> None:
        """What the game allows."""
        self.form.use_rules(rules)

    def show_conflict(
        self, base: MemoryContent | None, yours: MemoryContent, theirs: MemoryEntry | None
    ) -> None:
        """Show both versions.

        Args:
            base: what both began with, where it is known.
            theirs: the entry as it stands; None where it was removed for good.
        """
        self._yours, self._theirs = yours, theirs
        gone = theirs is None
        self._title.set_text("The entry is gone" if theirs is None else f"Two versions of {named(theirs)}")
        self._text.set_text(_told(theirs))
        self._take.setText("Leave it gone" if gone else "Take theirs")
        self._mine.setText("Add mine anew" if gone else "Keep mine")
        self._merge.setVisible(not gone)
        self._merge_head.setVisible(not gone)
        self._merge_card.setVisible(not gone)
        self._fill(base, yours, theirs.content if theirs is not None else None)
        if theirs is not None:
            self.form.show_content(theirs.content)
            self.form.type_content(merged(base, yours, theirs.content))
        self._allow()
        (self._mine if gone else self._merge).setFocus()

    # ---- inside

    def _fill(self, base: MemoryContent | None, yours: MemoryContent, theirs: MemoryContent | None) -> None:
        clear_layout(self._grid)
        for at, text in enumerate(("", "Yours, not saved", "Theirs, as it stands")):
            self._grid.addWidget(Label(text, "note"), 0, at)
        began = content_fields(base) if base is not None else {}
        other = content_fields(theirs) if theirs is not None else {}
        line = 1
        for name, value in content_fields(yours).items():
            against = other.get(name)
            if theirs is not None and value == against:
                continue
            self._grid.addWidget(Label(field_title(name), "dim"), line, 0, Qt.AlignmentFlag.AlignTop)
            sides = ((1, value, "Yours"), (2, against, "Theirs"))
            for at, one, who in sides:
                if at == 2 and theirs is None:
                    continue
                changed = name not in began or one != began[name]
                self._grid.addWidget(self._side(name, one, who, changed=changed), line, at)
            line += 1

    def _side(self, name: str, value: Any, who: str, *, changed: bool) -> QWidget:
        text = value_text(name, value) or "empty"
        words = Label(text, "" if changed else "dim", wrap=True)
        words.setAccessibleName(f"{who}, {field_title(name)}: {text}")
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        use = Button(
            "Use", lambda: self._use(name, value), kind="link", name=f"Use {who.lower()}: {field_title(name)}"
        )
        note = Label("changed" if changed else "as before", "note")
        card = Card(words, gap=GAP // 2)
        card.body.addLayout(row(note, None, use))
        card.body.setContentsMargins(PAD, GAP, PAD, GAP)
        return card

    def _use(self, name: str, value: Any) -> None:
        content = self.form.content
        if content is not None and self._theirs is not None:
            fields: dict[str, Any] = {name: value}
            self.form.type_content(replace(content, **fields))
            self._allow()

    def _allow(self) -> None:
        self._merge.setEnabled(not self.form.blocked)

    def _keep_mine(self) -> None:
        self.kept.emit(self._yours, self._theirs)

    def _take_theirs(self) -> None:
        self.took.emit(self._theirs)

    def _save_merge(self) -> None:
        if not self.form.blocked:
            self.kept.emit(self.form.content, self._theirs)

    def _put_off(self) -> None:
        content = self.form.content if self._theirs is not None else self._yours
        self.later.emit(content, self._theirs)


def _told(theirs: MemoryEntry | None) -> str:
    if theirs is None:
        return "It was removed for good while you were editing it. What you wrote is still here."
    by = theirs.changed_by
    place = f" ({where(by)})" if where(by) else ""
    why = f" Why: {by.reason}." if by.reason else ""
    return f"{WHO[by.author]} changed it while you were editing{place}: version {theirs.version}.{why}"
