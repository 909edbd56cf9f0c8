"""The left column's lists: modules with what drives them, versions as a tree with their scores."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QPoint,
    QPointF,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QListWidgetItem,
    QStyleOptionViewItem,
)

from pitwall.console.kit.elements import plain_tip
from pitwall.console.kit.row_list import ROW_DATA, Index, RowDelegate, RowList
from pitwall.console.kit.theme import GAP, SMALL_PX, TEXT_PX, Look
from pitwall.console.lab.format import (
    NO_SCORE,
    PLACES,
    ScorePlace,
    module_sign,
    module_words,
    origin,
    score_sentence,
    score_words,
    version_sign,
    version_title,
)
from pitwall.console.lab.invented import at_rest, invented_words
from pitwall.console.lab.versions.tree import VersionBranch, branches
from pitwall.console.lab.view_model import ModuleKey, ModuleViewModel, VersionViewModel
from pitwall.gsm.version_record import VersionStatus

_MODULE_HEIGHT = 30
_VERSION_HEIGHT = 44
_INDENT = 13


class ModulesList(RowList):
    """Signals: chosen(key): a `ModuleKey`."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__("Game sense modules", _MODULE_HEIGHT, 9)
        self.setAccessibleDescription("Arrow keys choose a module; its versions stand below.")
        self.setItemDelegate(_ModuleRow(look, self))
        self.currentItemChanged.connect(self._changed)
        look.changed.connect(self.viewport().update)

    def show_modules(self, modules: Sequence[ModuleViewModel], chosen: ModuleKey | None) -> None:
        """Show these, with one marked."""
        rows = [(one, f"{one.title}, {module_words(one)}", _module_tip(one)) for one in modules]
        keys = [one.key for one in modules]
        self.fill(rows, keys.index(chosen) if chosen in keys else -1)

    def names(self) -> list[str]:
        return [self.item(at).data(ROW_DATA).title for at in range(self.count())]

    def choose(self, key: ModuleKey) -> None:
        """Choose a module, as a click does."""
        for at in range(self.count()):
            if self.item(at).data(ROW_DATA).key == key:
                self.setCurrentRow(at)

    def _changed(self, now: QListWidgetItem | None, _: QListWidgetItem | None) -> None:
        if now is not None:
            self.chosen.emit(now.data(ROW_DATA).key)


class VersionTree(RowList):
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

    def show_versions(self, versions: Sequence[VersionViewModel], chosen: str, where: ScorePlace) -> None:
        """Show these as a tree, with one marked and the scores of one place."""
        tree = branches(versions)
        self._row.where = where
        rows = [((one, where), _said(one.version, where), _version_tip(one.version)) for one in tree]
        names = [one.version.name for one in tree]
        self.fill(rows, names.index(chosen) if chosen in names else -1)
        self.viewport().update()

    def names(self) -> list[str]:
        return [self.item(at).data(ROW_DATA)[0].version.name for at in range(self.count())]

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
            self.chosen.emit(now.data(ROW_DATA)[0].version.name)


def _module_tip(module: ModuleViewModel) -> str:
    declared = module.declared
    parts = [declared.description, f"{module.driving} drives" if module.driving else ""]
    parts += [invented_words(declared), at_rest(declared)]
    parts += [fault.what for fault in module.faults]
    return plain_tip("\n".join(filter(None, parts)))


def _said(version: VersionViewModel, where: ScorePlace) -> str:
    score = version.score(where)
    parts = [
        version_title(version.about),
        version_sign(version).word,
        f"iteration {version.about.iteration}" if version.learned else "",
        f"{score_words(score)} {PLACES[where]}" if score is not None else NO_SCORE,
        "drives" if version.drives else "",
    ]
    return ", ".join(filter(None, parts))


def _version_tip(version: VersionViewModel) -> str:
    newest: dict[tuple[str, str], str] = {}
    for score in sorted(version.about.scores, key=lambda one: one.at):
        newest[score.where, score.trial] = score_sentence(score)
    lines = [origin(version.about), *newest.values(), version.about.note]
    return plain_tip("\n".join(filter(None, lines)))


class _ModuleRow(RowDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        module: ModuleViewModel = index.data(ROW_DATA)
        sign = module_sign(module)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.ground(painter, option)
        self.words(painter, QRect(room.left(), room.top(), 18, room.height()), sign.shape, sign.tone)
        word = self.words(painter, room, module_words(module), "dim", px=SMALL_PX, right=True)
        place = room.adjusted(22, 0, -word - GAP, 0)
        self.words(painter, place, module.title, "text", bold=True)
        painter.restore()


class _VersionRow(RowDelegate):
    where: ScorePlace = "twin"

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        branch: VersionBranch = index.data(ROW_DATA)[0]
        version = branch.version
        faded = version.about.standing is VersionStatus.ROLLED_BACK
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

    def _rails(self, painter: QPainter, room: QRect, branch: VersionBranch) -> None:
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
