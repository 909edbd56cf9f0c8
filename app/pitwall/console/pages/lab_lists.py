"""The left column's lists: modules with what drives them, versions as a tree with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from pitwall.console.pages.lab_facts import ModuleFacts, ModuleKey, VersionFacts
from pitwall.console.pages.lab_tree import Branch, branches
from pitwall.console.pages.lab_words import (
    NO_SCORE,
    PLACES,
    Where,
    module_sign,
    origin,
    score_sentence,
    score_words,
    version_sign,
    version_title,
)
from pitwall.console.theme import GAP, SMALL_PX, TEXT_PX, Look, ui_font
from pitwall.console.widgets.panels import plain_tip
from pitwall.gsm.about import Standing

Index = QModelIndex | QPersistentModelIndex
_DATA = Qt.ItemDataRole.UserRole
_MODULE_HEIGHT = 30
_VERSION_HEIGHT = 44
_INDENT = 13
_LIST_WIDTH = 120
"""It takes the room it is given."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _Rows(QListWidget):
    """As high as its rows, up to a bound; arrows choose."""

    def __init__(self, name: str, row_height: int, most: int) -> None:
        super().__init__()
        self._row_height, self._most = row_height, most
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)

    def sizeHint(self) -> QSize:
        return QSize(_LIST_WIDTH, self._row_height * 3)

    def minimumSizeHint(self) -> QSize:
        return QSize(_LIST_WIDTH, self._row_height)

    def fill(self, rows: Sequence[tuple[Any, str, str]], chosen: int) -> None:
        """Show rows of (data, what a screen reader says, tool tip), and mark one; tells nothing."""
        self.blockSignals(True)
        if self.count() != len(rows):
            self.clear()
            for _ in rows:
                item = QListWidgetItem()
                item.setSizeHint(QSize(10, self._row_height))
                self.addItem(item)
        for at, (data, said, tip) in enumerate(rows):
            item = self.item(at)
            if item.data(_DATA) != data:
                item.setData(_DATA, data)
            if item.data(Qt.ItemDataRole.AccessibleTextRole) != said:
                item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            if item.toolTip() != tip:
                item.setToolTip(tip)
        if 0 <= chosen < len(rows) and self.currentRow() != chosen:
            self.setCurrentRow(chosen)
        self.blockSignals(False)
        height = max(1, min(len(rows), self._most)) * self._row_height + 4
        if self.maximumHeight() != height:
            self.setFixedHeight(height)


class ModulesList(_Rows):
    """Signals: chosen(key): a `ModuleKey`."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__("Game sense modules", _MODULE_HEIGHT, 9)
        self.setAccessibleDescription("Arrow keys choose a module; its versions stand below.")
        self.setItemDelegate(_ModuleRow(look, self))
        self.currentItemChanged.connect(self._changed)
        look.changed.connect(self.viewport().update)

    def show_modules(self, modules: Sequence[ModuleFacts], chosen: ModuleKey | None) -> None:
        """Show these, with one marked."""
        rows = [(one, f"{one.title}, {module_sign(one).word}", _module_tip(one)) for one in modules]
        keys = [one.key for one in modules]
        self.fill(rows, keys.index(chosen) if chosen in keys else -1)

    def names(self) -> list[str]:
        return [self.item(at).data(_DATA).title for at in range(self.count())]

    def choose(self, key: ModuleKey) -> None:
        """Choose a module, as a click does."""
        for at in range(self.count()):
            if self.item(at).data(_DATA).key == key:
                self.setCurrentRow(at)

    def _changed(self, now: QListWidgetItem | None, _: QListWidgetItem | None) -> None:
        if now is not None:
            self.chosen.emit(now.data(_DATA).key)


class VersionTree(_Rows):
    """Versions under those they were made from.

    Signals:
        chosen(name). menu_wanted(point): for the chosen one, at a point of the screen.
    """

    chosen = Signal(str)
    menu_wanted = Signal(QPoint)

    def __init__(self, look: Look) -> None:
        super().__init__("Versions", _VERSION_HEIGHT, 8)
        self.setAccessibleDescription("Arrow keys choose a version; the menu key shows what can be done.")
        self._row = _VersionRow(look, self)
        self.setItemDelegate(self._row)
        self.currentItemChanged.connect(self._changed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda at: self.menu_wanted.emit(self.viewport().mapToGlobal(at))
        )
        look.changed.connect(self.viewport().update)

    def show_versions(self, versions: Sequence[VersionFacts], chosen: str, where: Where) -> None:
        """Show these as a tree, with one marked and the scores of one place."""
        tree = branches(versions)
        self._row.where = where
        rows = [((one, where), _said(one.version, where), _version_tip(one.version)) for one in tree]
        names = [one.version.name for one in tree]
        self.fill(rows, names.index(chosen) if chosen in names else -1)
        self.viewport().update()

    def names(self) -> list[str]:
        return [self.item(at).data(_DATA)[0].version.name for at in range(self.count())]

    def said(self) -> list[str]:
        """Each row as a screen reader says it."""
        return [str(self.item(at).data(Qt.ItemDataRole.AccessibleTextRole)) for at in range(self.count())]

    def choose(self, name: str) -> None:
        """Choose a version, as a click does."""
        names = self.names()
        if name in names:
            self.setCurrentRow(names.index(name))

    def _changed(self, now: QListWidgetItem | None, _: QListWidgetItem | None) -> None:
        if now is not None:
            self.chosen.emit(now.data(_DATA)[0].version.name)


def _module_tip(module: ModuleFacts) -> str:
    parts = [module.declared.description, f"{module.driving} drives" if module.driving else ""]
    parts += [fault.what for fault in module.faults]
    return plain_tip("\n".join(filter(None, parts)))


def _said(version: VersionFacts, where: Where) -> str:
    score = version.score(where)
    parts = [
        version_title(version.about),
        version_sign(version).word,
        f"iteration {version.about.iteration}" if version.learned else "",
        f"{score_words(score)} {PLACES[where]}" if score is not None else NO_SCORE,
        "drives" if version.drives else "",
    ]
    return ", ".join(filter(None, parts))


def _version_tip(version: VersionFacts) -> str:
    newest: dict[tuple[str, str], str] = {}
    for score in sorted(version.about.scores, key=lambda one: one.at):
        newest[score.where, score.trial] = score_sentence(score)
    lines = [origin(version.about), *newest.values(), version.about.note]
    return plain_tip("\n".join(filter(None, lines)))


class _Row(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look

    def ground(self, painter: QPainter, option: QStyleOptionViewItem, colour: str = "hover") -> QRect:
        """Paint what lies under a row; returns the room for its words."""
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour(colour))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
            painter.setBrush(self.look.colour("text"))
            painter.drawRect(QRect(area.left(), area.top() + 6, 2, area.height() - 12))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour("raised"))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
        return area.adjusted(GAP + 2, 0, -GAP, 0)

    def words(
        self,
        painter: QPainter,
        room: QRect,
        text: str,
        colour: str,
        *,
        px: int = TEXT_PX,
        bold: bool = False,
        right: bool = False,
    ) -> int:
        """Draw words, cut where they do not fit; returns how wide they are."""
        painter.setFont(ui_font(px, bold=bold))
        painter.setPen(self.look.colour(colour))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
        painter.drawText(room, _RIGHT if right else _LEFT, cut)
        return painter.fontMetrics().horizontalAdvance(cut)


class _ModuleRow(_Row):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        module: ModuleFacts = index.data(_DATA)
        sign = module_sign(module)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.ground(painter, option)
        self.words(painter, QRect(room.left(), room.top(), 18, room.height()), sign.shape, sign.tone)
        word = self.words(painter, room, sign.word, "dim", px=SMALL_PX, right=True)
        place = room.adjusted(22, 0, -word - GAP, 0)
        self.words(painter, place, module.title, "text", bold=True)
        painter.restore()


class _VersionRow(_Row):
    where: Where = "twin"

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        branch: Branch = index.data(_DATA)[0]
        version = branch.version
        faded = version.about.standing is Standing.ROLLED_BACK
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.ground(painter, option, "reflex_soft" if version.live else "hover")
        self._rails(painter, room, branch)
        room = room.adjusted(_INDENT * branch.depth, 4, 0, -4)
        upper = QRect(room.left(), room.top(), room.width(), room.height() // 2)
        lower = QRect(room.left(), upper.bottom() + 1, room.width(), room.height() // 2)
        score = version.score(self.where)
        colour = "faint" if faded else "text"
        text = score_words(score, unit=False)
        wide = self.words(
            painter,
            upper,
            text,
            colour if score is not None else "faint",
            bold=score is not None and not faded,
            px=TEXT_PX if score is not None else SMALL_PX,
            right=True,
        )
        self.words(
            painter,
            upper.adjusted(0, 0, -wide - GAP, 0),
            version_title(version.about),
            colour,
            bold=not faded,
        )
        sign = version_sign(version)
        unit = f"{score.unit} · {score.runs} runs" if score is not None and score.unit else ""
        wide = self.words(painter, lower, unit, "dim", px=SMALL_PX, right=True)
        room = lower.adjusted(0, 0, -wide - GAP, 0)
        tone = sign.tone if not faded else "faint"
        at = self.words(painter, room, sign.text, tone, px=SMALL_PX)
        if version.drives:
            self.words(painter, room.adjusted(at + GAP, 0, 0, 0), "◆ drives", "reflex", px=SMALL_PX)
        painter.restore()

    def _rails(self, painter: QPainter, room: QRect, branch: Branch) -> None:
        """The lines from a version to the one it was made from."""
        painter.setPen(QPen(self.look.colour("faint"), 1))
        middle = room.top() + room.height() / 4 + 2
        for level, goes_on in enumerate(branch.rails):
            x = room.left() + _INDENT * level + 3.5
            if level < branch.depth - 1:
                if goes_on:
                    painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
                continue
            painter.drawLine(QPointF(x, room.top()), QPointF(x, middle))
            painter.drawLine(QPointF(x, middle), QPointF(x + 6, middle))
            if not branch.last:
                painter.drawLine(QPointF(x, middle), QPointF(x, room.bottom()))
