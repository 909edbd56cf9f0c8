"""The Live page: the game's picture, the trigger's signals, the controller in charge and its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QIcon, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from pitwall.console.inspector.panel import INSPECT_KEYS
from pitwall.console.kit import places
from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.format import EMERGENCIES, HUMAN_CAUSES
from pitwall.console.kit.icon_font import FontIcon
from pitwall.console.kit.kept_panes import KeptPanes
from pitwall.console.kit.page import Page
from pitwall.console.kit.panes import stacked
from pitwall.console.kit.picture.live_view import LiveView, PictureOverlay
from pitwall.console.kit.theme import COMPACT_WIDTH, DARK, GAP, RAIL_WIDTH, STEP, Look
from pitwall.console.live.event_list import EventList
from pitwall.console.live.game_choice import ChooseGame
from pitwall.console.live.inspection import LiveInspection
from pitwall.console.live.panes import LivePanes
from pitwall.console.live.placeholders import Banner, Disconnected, Failed, Offers, Opening
from pitwall.console.live.side_column import SideColumn
from pitwall.console.live.signals.panel import SignalsPanel
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.start_command import start_command
from pitwall.console.state.subject import Subject
from pitwall.console.state.view_state import HALTED, IN_VIEW, RUNNING, Part, Phase
from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.telemetry import UNSAFE
from pitwall.games.registry import GameEntry

_LIT_NS = 160 * NS_PER_MS
"""A tapped key stays lit this long, so that it can be seen."""
_EYES = {True: "mdi6.eye-outline", False: "mdi6.eye-off-outline"}
_LAYERS = (
    ("show_boxes", "Boxes"),
    ("show_detections", "Detections"),
    ("show_keys", "Keys"),
    ("show_badge", "Route"),
)


class LivePage(Page):
    """Picture and plan above, signals and events below; narrow windows put three into tabs.

    Signals:
        window_wanted: the operator wants to click the game's window. games_changed: a game was renamed.
    """

    place = places.LIVE

    window_wanted = Signal()
    games_changed = Signal()

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self.view = LiveView(look)
        self._banner = Banner(self.view)
        icon = self.icon_label("mdi6.gamepad-variant-outline")
        self._choose = ChooseGame(bridge, look, icon, lambda: self.page_wanted.emit(places.NEW_GAME.key))
        self._choose.renamed.connect(self.games_changed)
        self._opening = Opening(bridge)
        self._failed = Failed(bridge, self.window_wanted.emit)
        self._lost = Disconnected(bridge)
        self._stack = stacked(self._choose, self._opening, self._failed, self._lost, self.view)
        self._stack.setObjectName("well")
        self.middle = self._stack
        self._layers = self._layer_buttons()
        self._signals = SignalsPanel(bridge, look)
        self._events = EventList(bridge, look)
        self._side = SideColumn(
            bridge,
            look,
            inspect=self.inspect,
            show_page=self.page_wanted.emit,
            installed=bridge.has_models,
        )
        self.inspection = LiveInspection(bridge, look)
        self.inspection.inspector.left.connect(self._leave_inspector)
        self._signals.step_wanted.connect(self.inspect)
        self._events.step_wanted.connect(self.inspect)
        self._stack.setMinimumSize(self.view.minimumSizeHint())
        self.panes = LivePanes(bridge, self._stack, self._signals, self._side, self._events)
        self._views = QStackedLayout(self)
        self._views.addWidget(self.panes)
        self._views.addWidget(self.inspection.inspector)
        self.kept = KeptPanes(bridge, self)
        bind_keys(self, (INSPECT_KEYS, self.inspect), anywhere=True)
        bridge.frame.connect(lambda *_: self._show_frame())
        bridge.settings_changed.connect(lambda *_: self._show_layers())
        self._show_layers()

    def read_games(self) -> None:
        """List the games again where the choice of games is in view."""
        if self.bridge.state.phase is Phase.EMPTY:
            self._choose.show_games(self.bridge.games())

    def opened(self) -> None:
        self._choose.show_games(self.bridge.games())

    def close_reading(self) -> None:
        """End jobs and readings; before the data folder goes away."""
        self.panes.save()
        self._choose.close_reading()
        self._side.close_reading()

    def use_subject(self, subject: Subject) -> None:
        if not subject.game_id:
            self.view.set_frame(None)
        self._opening.begin()
        self._signals.use_subject()
        self._side.use_subject()
        self.inspection.follow()

    def refresh(self, changed: Part) -> None:
        if changed & (Part.PHASE | Part.GAME):
            self._show_phase()
        if changed & (Part.FRAME | Part.PHASE | Part.ROUTE | Part.STEP):
            self._show_sight()
        self._signals.refresh(changed)
        self._events.refresh(changed)
        self._side.refresh(changed)
        self.inspection.refresh(changed)

    def inspect(self, step: int | None = None) -> None:
        """Open the decision inspector at a step, or at the newest decision; again: leave it."""
        inspector = self.inspection.inspector
        if step is None and self._views.currentWidget() is inspector:
            self._leave_inspector()
            return
        self._views.setCurrentWidget(inspector)
        if step:
            self.inspection.show_step(step)
        else:
            self.inspection.follow()
        inspector.setFocus()

    def _turn_inspector(self) -> None:
        self.kept.turn("inspector")

    def _reset_layout(self) -> None:
        self.panes.reset()
        self.kept.reset()

    def _leave_inspector(self) -> None:
        self._views.setCurrentWidget(self.panes)
        self.refresh(Part.ALL)

    def commands(self) -> Sequence[Command]:
        return [
            Command(
                name="Inspect the newest decision",
                run=self.inspect,
                keys=INSPECT_KEYS,
                possible=lambda: bool(self.bridge.state.steps or len(self.bridge.state.thinking.calls)),
            ),
            Command(
                name="Rename this game…",
                run=self._rename,
                possible=lambda: self._entry is not None,
            ),
            Command(
                name="Teach: record how you play",
                run=self.bridge.teach,
                possible=lambda: self.bridge.state.phase is Phase.READY,
            ),
            Command(name="Move plan and events to the other side", run=self.panes.change_sides),
            Command(name="Move the inspector's panes to the other side", run=self._turn_inspector),
            Command(name="Reset the layout of the Live page", run=self._reset_layout),
        ] + [
            Command(name=f"{words} on the picture: show or hide", run=partial(self._toggle, name))
            for name, words in _LAYERS
        ]

    @property
    def _entry(self) -> GameEntry | None:
        """Return the entry of the game that is open."""
        game_id = self.bridge.state.subject.game_id
        return next((game for game in self.bridge.games() if game.game_id == game_id), None)

    def _rename(self) -> None:
        if (entry := self._entry) is not None:
            self._choose.rename(entry)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.panes.arrange(compact=self.width() + RAIL_WIDTH < COMPACT_WIDTH)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.bridge.last_frame is not None and self.bridge.state.phase in IN_VIEW:
            self.view.set_frame(self.bridge.last_frame)
        self.panes.arrange(compact=self.width() + RAIL_WIDTH < COMPACT_WIDTH)

    # ---- layout

    def _layer_buttons(self) -> dict[str, Button]:
        """Make the toggles of the marks over the picture, at its upper right corner."""
        self._layer_bar = QWidget(self.view)
        layout = row(gap=STEP)
        buttons = {}
        for name, words in _LAYERS:
            button = Button(words, partial(self._toggle, name), name=f"Show {words.lower()} on the picture")
            button.setCheckable(True)
            button.setProperty("kind", "layer")
            button.setIconSize(QSize(14, 14))
            layout.addWidget(button)
            buttons[name] = button
        self._layer_bar.setLayout(layout)
        self.view.placed = self._place_layers
        return buttons

    def _place_layers(self) -> None:
        hint = self._layer_bar.sizeHint()
        self.view.kept_free = hint + QSize(GAP, GAP)
        self._layer_bar.setGeometry(self.view.width() - hint.width() - GAP, GAP, hint.width(), hint.height())

    # ---- what is shown

    def _toggle(self, name: str) -> None:
        settings = self.bridge.settings
        now = bool(getattr(settings.console, name))
        self.bridge.save_settings(settings.with_value("console", name, not now))

    def _show_layers(self) -> None:
        console = self.bridge.settings.console
        for name, button in self._layers.items():
            shown = bool(getattr(console, name))
            setattr(self.view, name, shown)
            button.setChecked(shown)
            colour = QColor(DARK.text if shown else DARK.dim)
            button.setIcon(QIcon(FontIcon(_EYES[shown], colour, colour, colour)))
        self.view.update()

    def _show_frame(self) -> None:
        if self.isVisible():
            self.view.set_frame(self.bridge.last_frame)

    def _show_phase(self) -> None:
        state = self.bridge.state
        phase = state.phase
        if phase is Phase.EMPTY:
            self._choose.show_games(self.bridge.games())
            self._stack.setCurrentWidget(self._choose)
        elif phase in (Phase.OPENING, Phase.CLOSING):
            self._stack.setCurrentWidget(self._opening)
        elif phase is Phase.FAILED:
            self._failed.show_failure()
            self._stack.setCurrentWidget(self._failed)
        elif phase is Phase.LOST:
            self._lost.show_loss()
            self._stack.setCurrentWidget(self._lost)
        else:
            self._stack.setCurrentWidget(self.view)
            self._show_banner()
        self._layer_bar.setVisible(phase not in HALTED)
        self.panes.share_room()

    def _show_banner(self) -> None:
        state, banner = self.bridge.state, self._banner
        text = state.text
        fix = f"Every key is up. {state.fix}".rstrip()
        if state.phase is Phase.LATCHED:
            title = "■ Emergency stop" if state.cause in EMERGENCIES else "■ Stopped"
            banner.show_big("stop", title, text, fix)
        elif state.phase is Phase.PAUSED:
            human = state.cause in HUMAN_CAUSES
            title = "✋ You have taken over" if human else "▮▮ Paused"
            banner.show_big("human" if human else "neutral", title, text, fix, self._offers())
        elif state.phase is Phase.WAITING:
            banner.show_slim("neutral", f"◌ {text} {state.fix}".rstrip())
        elif state.cause == UNSAFE:
            fix = "An agent plays only while you can stop it." if state.stop_keys else state.fix
            text = f"{text[:1].upper()}{text[1:]}"
            banner.show_big("stop", "■ No agent may play", text, fix, self._offers())
        else:
            banner.hide()

    def _offers(self) -> Offers:
        """Return the banner's buttons: open the game again, or take another stop key."""
        state, bridge = self.bridge.state, self.bridge
        if start_command(state) == ("Open again", True):
            return (("Open again", bridge.start),)
        return tuple((f"Use {key} instead", partial(bridge.use_stop_key, key)) for key in state.stop_keys)

    def _show_sight(self) -> None:
        state = self.bridge.state
        note = state.note
        playing, halted = state.phase in RUNNING, state.phase in HALTED
        now = now_ns()
        keys = tuple(
            (key, key in state.held or now - last < _LIT_NS)
            for key, last in state.keys_used.items()
            if playing
        )
        self.view.set_sight(
            PictureOverlay(
                readings=note.readings if note is not None and not halted else (),
                detections=note.detections if note is not None and not halted else (),
                keys=keys,
                route=note.route if note is not None and playing else None,
                action=note.last_action if note is not None else "",
                badge=note.badge if note is not None and playing else "",
                veil=halted,
            )
        )
