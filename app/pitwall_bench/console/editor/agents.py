"""The agents of a suite as small forms: kind of player, interface and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, clear_layout, column, row
from pitwall.console.kit.form.fields import declared_field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import Line
from pitwall.console.kit.theme import GAP, STEP
from pitwall_bench.suites.spec import AgentSpec

KINDS = (
    ("skills", "skills", "skills and rules of the game's own folder"),
    ("model", "model", "a model that plans: as the settings say, or named here"),
    ("explore", "default agent", "tries actions and keeps what raises the score"),
    ("random", "random", "any legal action: the floor"),
    ("idle", "idle", "does nothing: the other floor"),
    ("person", "person", "a person at these keys, same tasks and budget"),
)
_INTERFACES = (("semantic", "named actions"), ("computer-use", "keys and pointer"))
_MEMORIES = (("layered", "layered"), ("rounds", "last rounds"))
OTHERS = (("same", "as this agent"), *((name, label) for name, label, _ in KINDS))
PROTOCOLS = (("", "as the suite"), ("real-time", "real time"), ("paused", "paused"))
_FIELDS = (
    declared_field(AgentSpec, "name", label="Agent", name="Name of the agent"),
    declared_field(AgentSpec, "kind", label="", name="Kind of agent", options=KINDS, joins=True),
    declared_field(AgentSpec, "interface", label="Acts by", name="Interface", options=_INTERFACES),
    declared_field(AgentSpec, "memory", label="", name="Memory", options=_MEMORIES, joins=True),
    declared_field(AgentSpec, "protocol", label="Protocol", name="Protocol of the agent", options=PROTOCOLS),
    declared_field(
        AgentSpec,
        "model",
        label="Model",
        name="Model, by its name on the Models page",
        hint="the settings' own",
    ),
    declared_field(
        AgentSpec,
        "other",
        label="Other side",
        name="Who plays the other side of a task for two",
        options=OTHERS,
    ),
    declared_field(
        AgentSpec,
        "other_model",
        label="",
        name="Model of the other side, by its name on the Models page",
        hint="this agent's own",
        joins=True,
    ),
)
_MODELS = ("model", "other_model")
_USUAL = {
    name: AgentSpec.model_fields[name].default
    for name in ("interface", "memory", "protocol", *_MODELS, "other")
}
"""Default values, which a suite's text need not contain."""


class AgentCard(Card):
    """Edits one agent. Signals: changed(). removed()."""

    changed = Signal()
    removed = Signal()

    def __init__(self, agent: Mapping[str, Any]) -> None:
        super().__init__(gap=STEP)
        self.form = Form(_FIELDS)
        remove = Button("Remove", self.removed.emit, kind="link", name="Remove this agent")
        self.body.addWidget(self.form)
        self.body.addLayout(row(None, remove))
        self.body.setContentsMargins(GAP, GAP, GAP, GAP)
        self._agent: dict[str, Any] = {}
        self.show_agent(agent)
        self.form.edited.connect(self._edited)

    @property
    def agent(self) -> dict[str, Any]:
        """Return the agent as the text should contain it."""
        return dict(self._agent)

    def suggest_models(self, names: Sequence[str]) -> None:
        """Complete the models' names with these."""
        for key in _MODELS:
            editor = self.form.editor(key)
            assert isinstance(editor, Line)
            editor.suggest(names)

    def show_agent(self, agent: Mapping[str, Any]) -> None:
        """Show another agent."""
        self._agent = dict(agent)
        shown = {"name": "", "kind": "skills", **_USUAL, **agent}
        self.form.show_values({key: str(shown[key]) for key in self.form.fields}, keep_focused=True)
        self._show_use()

    def _edited(self, key: str) -> None:
        value = self.form.value(key)
        self._agent.pop(key, None)
        if value != _USUAL.get(key, "") or key == "kind":
            self._agent[key] = value
        if key == "name":  # first, as one reads it
            self._agent = {"name": value, **self._agent}
        self._show_use()
        self.changed.emit()

    def _show_use(self) -> None:
        kind = self.form.value("kind")
        for key in ("interface", "protocol"):
            self.form.show_field(key, kind in ("model", "skills", "explore", "random"))
        for key in ("memory", "model"):
            self.form.show_field(key, kind == "model")
        self.form.show_field("other_model", self.form.value("other") == "model")
        self.form.editor("kind").setToolTip(next((tip for name, _, tip in KINDS if name == kind), ""))


class AgentCards(QWidget):
    """Every agent of a suite. Signals: changed(agents): a list of mappings for the text."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._lines = column(gap=STEP)
        self._models: Sequence[str] = ()
        self.setLayout(self._lines)

    @property
    def cards(self) -> list[AgentCard]:
        """Return the agents' cards, in order."""
        items = (self._lines.itemAt(at) for at in range(self._lines.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [widget for widget in widgets if isinstance(widget, AgentCard)]

    @property
    def agents(self) -> list[dict[str, Any]]:
        """Return the agents as the text should contain them."""
        return [card.agent for card in self.cards]

    def suggest_models(self, names: Sequence[str]) -> None:
        """Complete the names of models in every card with these."""
        self._models = names
        for card in self.cards:
            card.suggest_models(names)

    def show_agents(self, agents: Sequence[Mapping[str, Any]]) -> None:
        """Show these agents; cards that stay keep the focus."""
        if self.agents == agents:
            return
        cards = self.cards
        if len(cards) == len(agents):
            for card, agent in zip(cards, agents, strict=True):
                card.show_agent(agent)
            return
        clear_layout(self._lines)
        for agent in agents:
            card = AgentCard(agent)
            card.suggest_models(self._models)
            card.changed.connect(lambda: self.changed.emit(self.agents))
            card.removed.connect(lambda card=card: self._remove(card))
            self._lines.addWidget(card)

    def add(self) -> None:
        """Add an agent of a kind that is not there yet."""
        agents = self.agents
        names = {str(agent.get("name")) for agent in agents}
        kind = next((kind for kind, _, _ in KINDS if kind not in names), "skills")
        name = kind if kind not in names else f"{kind}-{len(agents) + 1}"
        self._show([*agents, {"name": name, "kind": kind}])

    def _remove(self, gone: AgentCard) -> None:
        self._show([card.agent for card in self.cards if card is not gone])

    def _show(self, agents: list[dict[str, Any]]) -> None:
        self.show_agents(agents)
        self.changed.emit(agents)
