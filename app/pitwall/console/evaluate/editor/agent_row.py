"""One agent of a suite as a small form: who plays, through which interface, with what memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from pitwall.console.kit.elements import Button, Card, row
from pitwall.console.kit.theme import GAP, STEP

KINDS = (
    ("skills", "skills", "skills and rules of the game's own folder"),
    ("model", "model", "a model that plans: as the settings say, or named here"),
    ("random", "random", "any legal action: the floor"),
    ("idle", "idle", "does nothing: the other floor"),
    ("person", "person", "a person at these keys, same tasks and budget"),
)
_INTERFACES = (("semantic", "named actions"), ("computer-use", "keys and pointer"))
_MEMORIES = (("layered", "layered"), ("rounds", "last rounds"))
PROTOCOLS = (("", "as the suite"), ("real-time", "real time"), ("paused", "paused"))


class AgentRow(Card):
    """One agent. Signals: changed(). removed()."""

    changed = Signal()
    removed = Signal()

    def __init__(self, agent: Mapping[str, Any]) -> None:
        super().__init__(gap=STEP)
        self.name = QLineEdit()
        self.name.setAccessibleName("Name of the agent")
        self.name.setMinimumWidth(70)
        self.kind = combo_of("Kind of agent", [(kind, word) for kind, word, _ in KINDS])
        self.interface = combo_of("Interface", _INTERFACES)
        self.memory = combo_of("Memory", _MEMORIES)
        self.protocol = combo_of("Protocol of the agent", PROTOCOLS)
        self.model = QLineEdit()
        self.model.setPlaceholderText("model: the settings'")
        self.model.setAccessibleName("Model, by its name on the Models page")
        remove = Button("Remove", self.removed.emit, kind="link", name="Remove this agent")
        head = row(self.name, self.kind, remove, gap=GAP)
        head.setStretch(0, 1)
        self.body.addLayout(head)
        self._more = QWidget()
        self._more.setLayout(row(self.interface, self.memory, self.protocol, gap=STEP))
        self.body.addWidget(self._more)
        self.body.addWidget(self.model)
        self.body.setContentsMargins(GAP, GAP, GAP, GAP)
        self._said: dict[str, Any] = {}
        self.show_agent(agent)
        self.name.textEdited.connect(lambda text: self._set("name", text.strip(), ""))
        self.model.textEdited.connect(lambda text: self._set("model", text.strip(), ""))
        for combo, key, usual in (
            (self.kind, "kind", "skills"),
            (self.interface, "interface", "semantic"),
            (self.memory, "memory", "layered"),
            (self.protocol, "protocol", ""),
        ):
            combo.currentIndexChanged.connect(
                lambda _, combo=combo, key=key, usual=usual: self._set(key, combo.currentData(), usual)
            )

    @property
    def agent(self) -> dict[str, Any]:
        """What the text is to say of it."""
        return dict(self._said)

    def show_agent(self, agent: Mapping[str, Any]) -> None:
        """Show another agent."""
        self._said = dict(agent)
        blocked = [QSignalBlocker(one) for one in (self.kind, self.interface, self.memory, self.protocol)]
        if not self.name.hasFocus():
            self.name.setText(str(agent.get("name", "")))
        if not self.model.hasFocus():
            self.model.setText(str(agent.get("model", "")))
        take(self.kind, str(agent.get("kind", "skills")))
        take(self.interface, str(agent.get("interface", "semantic")))
        take(self.memory, str(agent.get("memory", "layered")))
        take(self.protocol, str(agent.get("protocol", "")))
        for one in blocked:
            one.unblock()
        self._show_use()

    def _set(self, key: str, value: Any, usual: str) -> None:
        self._said.pop(key, None)
        if value != usual or key == "kind":
            self._said[key] = value
        if key == "name":  # first, as one reads it
            self._said = {"name": value, **{k: v for k, v in self._said.items() if k != "name"}}
        self._show_use()
        self.changed.emit()

    def _show_use(self) -> None:
        kind = self.kind.currentData()
        self.model.setVisible(kind == "model")
        self._more.setVisible(kind in ("model", "skills", "random"))
        self.memory.setVisible(kind == "model")
        self.kind.setToolTip(next((tip for name, _, tip in KINDS if name == kind), ""))


def combo_of(name: str, options: Sequence[tuple[str, str]]) -> QComboBox:
    combo = QComboBox()
    for key, word in options:
        combo.addItem(word, key)
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(5)
    combo.setMinimumWidth(72)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo


def take(combo: QComboBox, value: str) -> None:
    at = combo.findData(value)
    combo.setCurrentIndex(at if at >= 0 else 0)
