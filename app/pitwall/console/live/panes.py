"""The panes of the Live page with movable borders; their places and sizes are kept in the settings."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QSplitter, QWidget

from pitwall.console.kit.elements import column, holder
from pitwall.console.kit.panes import plain_tabs, scrolled, split
from pitwall.console.live.layout import LOWER_SHARE, SIDE_LEAST, SIDE_MOST, LiveLayout
from pitwall.console.live.signals.panel import SignalsPanel
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import IN_VIEW, Phase

_LOWER_LEAST = 236
_SAVE_MS = 800
"""A layout is saved this long after the last border was moved."""


class LivePanes(QWidget):
    """Picture and plan above, signals and events below; a narrow window puts the last three into tabs."""

    def __init__(
        self, bridge: Bridge, picture: QWidget, signals: SignalsPanel, plan: QWidget, events: QWidget
    ) -> None:
        super().__init__()
        self._bridge, self._signals, self._events = bridge, signals, events
        self._scroll = scrolled(plan, "Plan, reasons and readings")
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._signals_place = column(gap=0)
        self.plan_side, self.events_side = _side(), _side()
        self._upper = split(picture, self.plan_side)
        self._lower = split(holder(self._signals_place), self.events_side)
        self._lower.setObjectName("lower")
        self._tabs = plain_tabs("Signals, plan and events")
        self._tabs.hide()
        self._tabs.currentChanged.connect(self._tab_chosen)
        self._split = split(self._upper, self._lower, self._tabs, vertical=True)
        for index, share in enumerate((62, 38, 38)):
            self._split.setStretchFactor(index, share)
        self.setLayout(column(self._split, gap=0))
        self._compact: bool | None = None
        self._compact_lower = LOWER_SHARE
        """Share of the tabs' height in a narrow window, which is not kept."""
        self.layout_now = LiveLayout.parse(bridge.settings.console.live_layout)
        self._put_sides()
        for splitter in (self._upper, self._lower, self._split):
            splitter.splitterMoved.connect(lambda *_, splitter=splitter: self._border_moved(splitter))
        self._saving = QTimer(self, singleShot=True, interval=_SAVE_MS)
        self._saving.timeout.connect(self.save)
        bridge.settings_changed.connect(lambda *_: self._show_settings())

    def arrange(self, *, compact: bool) -> None:
        """Lay the panes side by side, or three of them as tabs."""
        if compact != self._compact:
            self._compact, self._compact_lower = compact, LOWER_SHARE
            (self._fold if compact else self._unfold)()
        self.share_room()

    def share_room(self) -> None:
        """Show plan and signals once a game was chosen, and give each pane the size that the layout says."""
        compact, phase = bool(self._compact), self._bridge.state.phase
        for part in (self._lower, self.plan_side):
            part.setVisible(phase is not Phase.EMPTY and not compact)
        if self._tabs.isHidden() and compact and phase in IN_VIEW:
            self._tabs.setCurrentWidget(self._scroll if phase is Phase.READY else self._signals)
        self._tabs.setVisible(compact and phase in IN_VIEW)
        room = max(1, self.height())
        share = self._compact_lower if compact else self.layout_now.lower
        below = max(_LOWER_LEAST, int(room * share)) if compact else int(room * share)
        self._split.setSizes([room - below, 0 if compact else below, below if compact else 0])
        for splitter, side in ((self._upper, self.layout_now.plan), (self._lower, self.layout_now.events)):
            sizes = [max(1, self.width() - side), side]
            splitter.setSizes(sizes if self.layout_now.side == "right" else sizes[::-1])

    def change_sides(self) -> None:
        """Move plan and events to the other side of the page."""
        other = replace(self.layout_now, side="left" if self.layout_now.side == "right" else "right")
        self._use(other)
        self.save()

    def reset(self) -> None:
        """Give every pane its delivered place and size."""
        self._use(LiveLayout())
        self.save()

    def save(self) -> None:
        """Keep the layout in the settings."""
        self._saving.stop()
        settings, text = self._bridge.settings, self.layout_now.text
        if settings.console.live_layout != text:
            self._bridge.save_settings(settings.with_value("console", "live_layout", text))

    # ---- inside

    def _fold(self) -> None:
        parts = ((self._signals, "Signals"), (self._scroll, "Plan · Teach"), (self._events, "Events"))
        for widget, title in parts:
            self._tabs.addTab(widget, title)
        self._tabs.setCornerWidget(self._signals.give_tools())
        self._signals.tools.setVisible(self._tabs.currentIndex() == 0)

    def _unfold(self) -> None:
        self._signals.keep_tools()
        self._signals_place.addWidget(self._signals)
        for place, widget in ((self.plan_side, self._scroll), (self.events_side, self._events)):
            layout = place.layout()
            assert layout is not None
            layout.addWidget(widget)
        for widget in (self._signals, self._scroll, self._events):
            widget.show()

    def _put_sides(self) -> None:
        """Put plan and events at the side that the layout says; the other pane takes new room."""
        at = 1 if self.layout_now.side == "right" else 0
        for splitter, side in ((self._upper, self.plan_side), (self._lower, self.events_side)):
            splitter.insertWidget(at, side)
            splitter.setStretchFactor(at, 0)
            splitter.setStretchFactor(1 - at, 1)

    def _border_moved(self, splitter: QSplitter) -> None:
        """Note the sizes after the operator moved a border, and save them a moment later."""
        if splitter is self._split:
            above, lower, tabs = self._split.sizes()
            share = round((tabs if self._compact else lower) / max(1, above + lower + tabs), 3)
            if self._compact:
                self._compact_lower = share
                return
            self.layout_now = replace(self.layout_now, lower=share)
        elif splitter is self._upper:
            self.layout_now = replace(self.layout_now, plan=self.plan_side.width())
        else:
            self.layout_now = replace(self.layout_now, events=self.events_side.width())
        self._saving.start()

    def _use(self, layout: LiveLayout) -> None:
        self.layout_now = layout
        self._put_sides()
        self.share_room()

    def _show_settings(self) -> None:
        layout = LiveLayout.parse(self._bridge.settings.console.live_layout)
        if layout != self.layout_now and not self._saving.isActive():
            self._use(layout)

    def _tab_chosen(self, index: int) -> None:
        if self._compact:
            self._signals.tools.setVisible(index == 0)


def _side() -> QFrame:
    side = QFrame()
    side.setObjectName("side")
    side.setMinimumWidth(SIDE_LEAST)
    side.setMaximumWidth(SIDE_MOST)
    side.setLayout(column(gap=0))
    return side
