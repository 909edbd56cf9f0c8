"""Keeps where a page's panes stand and how wide they are, in the settings.

splitter = split(runs, detail, keep="runs")  # or Panes(…, keep="inspector")
self.kept = KeptPanes(bridge, self)  # once the page is built
self.kept.turn("runs")  # the panes in the opposite order
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QSplitter, QWidget

from pitwall.console.kit.panes import KEPT, USUAL
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.pane_layout import PaneLayout, layouts_text, parse_layouts

_SAVE_MS = 800
"""A layout is saved this long after the last border was moved."""


class KeptPanes(QObject):
    """Follows the splitters of a page that have a name; splitters of one name share a layout."""

    def __init__(self, bridge: Bridge, page: QWidget) -> None:
        super().__init__(page)
        self._bridge = bridge
        self._splitters: dict[QSplitter, list[QWidget]] = {}
        self._layouts = parse_layouts(bridge.settings.console.pane_layout)
        for splitter in page.findChildren(QSplitter):
            if splitter.property(KEPT):
                self._splitters[splitter] = _panes_of(splitter)
                splitter.installEventFilter(self)
                splitter.splitterMoved.connect(partial(self._border_moved, splitter))
        self._saving = QTimer(self, singleShot=True, interval=_SAVE_MS)
        self._saving.timeout.connect(self._save)
        bridge.settings_changed.connect(self._read)

    def turn(self, name: str) -> None:
        """Put the panes of a name into the opposite order."""
        self._layouts[name] = self._layouts.get(name, PaneLayout()).mirrored
        self._apply_all()
        self._save()

    def reset(self) -> None:
        """Give every pane of the page its delivered place and size."""
        for name in self._names():
            self._layouts.pop(name, None)
        for splitter in self._splitters:
            self._order(splitter)
            self._size_as_delivered(splitter)
        self._save()

    # ---- Qt's own

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Resize) and isinstance(watched, QSplitter):
            QTimer.singleShot(0, watched, partial(self._apply, watched))  # after its own layout
        return False

    # ---- inside

    def _names(self) -> set[str]:
        return {str(splitter.property(KEPT)) for splitter in self._splitters}

    def _border_moved(self, splitter: QSplitter, *_: int) -> None:
        sizes = splitter.sizes()
        room = sum(sizes)
        if room and 0 not in sizes:  # a hidden pane says nothing of its size
            name = str(splitter.property(KEPT))
            turned = self._layout_of(splitter).turned
            self._layouts[name] = PaneLayout(tuple(round(size / room, 3) for size in sizes), turned)
            self._saving.start()

    def _apply_all(self) -> None:
        for splitter in self._splitters:
            self._apply(splitter)

    def _apply(self, splitter: QSplitter) -> None:
        """Put the panes in their order and give them their shares."""
        self._order(splitter)
        shares = self._layout_of(splitter).shares
        if len(shares) == splitter.count():
            room = max(1, sum(splitter.sizes()))
            splitter.setSizes([round(share * room) for share in shares])

    def _layout_of(self, splitter: QSplitter) -> PaneLayout:
        return self._layouts.get(str(splitter.property(KEPT)), PaneLayout())

    def _order(self, splitter: QSplitter) -> None:
        """Put the panes in their order, each as wide as before."""
        panes = self._splitters[splitter]
        wanted = panes[::-1] if self._layout_of(splitter).turned else panes
        now = _panes_of(splitter)
        if now != wanted:
            widths = dict(zip(now, splitter.sizes(), strict=True))
            for at, pane in enumerate(wanted):
                splitter.insertWidget(at, pane)
            splitter.setSizes([widths.get(pane, 0) for pane in wanted])

    def _size_as_delivered(self, splitter: QSplitter) -> None:
        usual: list[int] = splitter.property(USUAL) or []
        if len(usual) == splitter.count():
            rest = max(1, sum(splitter.sizes()) - sum(usual))
            splitter.setSizes([size or rest for size in usual])

    def _save(self) -> None:
        self._saving.stop()
        settings = self._bridge.settings
        others = parse_layouts(settings.console.pane_layout)
        mine = {name: layout for name, layout in self._layouts.items() if name in self._names()}
        kept = {name: layout for name, layout in others.items() if name not in self._names()}
        text = layouts_text({**kept, **mine})
        if settings.console.pane_layout != text:
            self._bridge.save_settings(settings.with_value("console", "pane_layout", text))

    def _read(self, _settings: object) -> None:
        """Follow what another page, or another window of settings, has changed."""
        if self._saving.isActive():
            return
        layouts = parse_layouts(self._bridge.settings.console.pane_layout)
        if layouts != self._layouts:
            self._layouts = layouts
            self._apply_all()


def _panes_of(splitter: QSplitter) -> list[QWidget]:
    widgets = (splitter.widget(at) for at in range(splitter.count()))
    return [widget for widget in widgets if widget is not None]
