"""The painted graph: cached squares, marks above them, pointer and keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pitwall.console.kit.elements import as_markup
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.theme import Look
from pitwall_memory_editor.console.graph import format as saying
from pitwall_memory_editor.console.graph.camera import Camera
from pitwall_memory_editor.console.graph.menu import entry_menu
from pitwall_memory_editor.console.graph.model import Graph
from pitwall_memory_editor.console.graph.painting import hit_test as hits
from pitwall_memory_editor.console.graph.painting.drawing import Drawing
from pitwall_memory_editor.console.graph.painting.markers import Marks, find_marks, paint_focus, paint_marks
from pitwall_memory_editor.console.graph.painting.palette import Ink
from pitwall_memory_editor.console.graph.painting.tiles import Tiles
from pitwall_memory_editor.console.graph.scene import NONE, Detail, Scene
from pitwall_memory_editor.console.graph.thumbnails import Thumbnails

_ZOOM = 1.25
_FRAME_S = 0.008
"""Time that a frame may spend on squares that are not painted yet."""
_SETTLE_MS = 90
"""The wheel is still for so long before the squares of the new scale are painted."""
_PAN_PX = 60
_DRAG_FROM = 5
_MOVED_LIVE = 1_000
"""A bigger scene is painted once, when a dragged state is let go."""

_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}


class GraphView(QWidget):
    """Shows a scene, and emits the operator's requests for an entry without changing it.

    Signals:
        entry_chosen(entry_id): a state, an action or a likeness was chosen.
        expand_wanted(entry_id): show further neighbours of a state.
        edit_wanted(entry_id): open an entry for editing.
        pin_wanted(entry_id, pinned), forget_wanted(entry_id): pin, unpin or forget it.
        placed(entry_id, x, y): a state was dragged there, in world units. let_go(entry_id): its place
            need not be held any more.
        search_wanted(): focus the search field. centre_wanted(entry_id): make a state the centre.

    Attributes:
        held: entry ids of states whose places are held. chosen, current: entry ids of the chosen entry and of
            the agent's state.
        frames: number of painted frames. complete: whether the last one left nothing out.
    """

    entry_chosen = Signal(object)
    expand_wanted = Signal(object)
    edit_wanted = Signal(object)
    pin_wanted = Signal(object, bool)
    forget_wanted = Signal(object)
    placed = Signal(object, float, float)
    let_go = Signal(object)
    search_wanted = Signal()
    centre_wanted = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Graph of states and actions (SA-KG); the tables show the same")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._look, self._ink = look, Ink(look)
        self.camera = Camera()
        self.thumbnails = Thumbnails(self)
        self.thumbnails.came.connect(self._redraw)
        nothing = np.zeros(0, np.int64)
        self.scene = Scene(Graph(), nothing, np.zeros((0, 2)), nothing, 1.0)
        self.drawing = Drawing(self.scene, 1.0, self._ink, self.devicePixelRatioF(), {})
        self.held: frozenset[int] = frozenset()
        self.frames = 0
        self.complete = False
        self.marks = Marks()
        self._tiles = Tiles(lambda painter, area: self.drawing.paint(painter, area))
        self.current: int | None = None
        self._lit: tuple[int, ...] = ()
        self._matches: tuple[int, ...] = ()
        self.chosen: int | None = None
        self._pressed: QPoint | None = None
        self._dragged = NONE
        self._moved = False
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._redraw)
        self._idle = QTimer(self, singleShot=True, interval=0)
        self._idle.timeout.connect(self._go_on)
        look.changed.connect(self._use_look)

    def sizeHint(self) -> QSize:
        return QSize(720, 440)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 180)

    # ---- scene

    def show_scene(self, scene: Scene, *, fit: bool) -> None:
        """Show another scene; without `fit` the view does not move."""
        self.scene = scene
        if fit:
            self._tiles.forget_old()
            self.camera.fit(scene.places)
        self._redraw()
        self._find_marks()
        self._describe()

    def show_current(self, entry_id: int | None) -> None:
        """Mark the agent's state."""
        if entry_id != self.current:
            self.current = entry_id
            self._find_marks()

    def light(self, entry_ids: Sequence[int]) -> None:
        """Light the states and actions of a retrieval, best first."""
        if tuple(entry_ids) != self._lit:
            self._lit = tuple(entry_ids)
            self._find_marks()

    def mark_found(self, entry_ids: Sequence[int]) -> None:
        """Mark the hits of a search."""
        self._matches = tuple(entry_ids)
        self._find_marks()

    def choose(self, entry_id: int | None, *, bring: bool = False) -> None:
        """Choose an entry without a signal; `bring` moves the view to it if it is out of sight."""
        self.chosen = entry_id
        self._find_marks()
        if bring and self.marks.chosen != NONE:
            self.camera.bring(self.scene.places[self.marks.chosen])
        self._describe()

    # ---- camera

    def fit(self) -> None:
        """Show the whole scene."""
        self.camera.fit(self.scene.places)
        self._redraw()

    def zoom_by(self, factor: float, about: QPointF | None = None) -> None:
        """Zoom about a point of the view (its middle); squares of the new scale come when it is still."""
        if self.camera.zoom(factor, about):
            self._settle.start()
            self.update()

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the picture by so many pixels."""
        self.camera.pan(dx, dy)
        self.update()

    # ---- painting

    def _redraw(self) -> None:
        """Lay the scene out at this scale and paint its squares again."""
        self._settle.stop()
        ratio, camera = self.devicePixelRatioF(), self.camera
        sight = camera.view()
        within = (sight.left(), sight.top(), sight.right(), sight.bottom()) if camera.fitted else None
        pictures = self.thumbnails.pictures
        self.drawing = Drawing(self.scene, camera.scale, self._ink, ratio, pictures, within)
        self._tiles.renew(camera.scale, self._ink.ground, ratio)
        self.complete = False
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._ink.ground)
        if self.drawing.scale == self.camera.scale:
            self.complete = self._tiles.show(painter, self.camera.view(), _FRAME_S)
            painter.translate(-self.camera.corner)
            paint_marks(painter, self.drawing, self.marks, focused=self.hasFocus())
            self._idle.start()
        else:
            self.complete = False
            self._tiles.show_at(painter, self.camera.view(), self.camera.scale)
        if self.hasFocus():
            paint_focus(painter, self.rect(), self._ink)
        self.frames += 1

    def _go_on(self) -> None:
        """Paint missing squares between frames: those in view first, then those just outside."""
        if self.drawing.scale != self.camera.scale:
            return
        if not self.complete:
            self.update()
        elif not self._tiles.prepare(self.camera.view(), _FRAME_S / 2):
            self._idle.start()
        elif self.drawing.detail is Detail.CHIPS:
            self.thumbnails.see(self.drawing.in_view(self.camera.view()))

    def _use_look(self) -> None:
        self._ink = Ink(self._look)
        self._redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.camera.size = self.size()
        if self.camera.fitted and len(self.scene):
            self.camera.fit(self.scene.places)
            self._settle.start()

    # ---- marks

    def _find_marks(self) -> None:
        self.marks = find_marks(self.scene, self.current, self.chosen, self._lit, self._matches)
        self.update()

    def _describe(self) -> None:
        words = saying.view_words(self.scene, self.chosen)
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    # ---- pointer

    def _at(self, point: QPointF) -> QPointF:
        """Convert a point of the view to the drawing's scaled pixels."""
        place = self.camera.world(point) * self.drawing.scale
        return QPointF(float(place[0]), float(place[1]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed, self._moved = event.position().toPoint(), False
            left = event.button() == Qt.MouseButton.LeftButton
            self._dragged = hits.state_at(self.drawing, self._at(event.position())) if left else NONE

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._pressed is None:
            self._hover(point)
            return
        way = point.toPoint() - self._pressed
        if not self._moved and way.manhattanLength() < _DRAG_FROM:
            return
        self._moved = True
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragged == NONE:
            self.pan_by(way.x(), way.y())
            self._pressed = point.toPoint()
        elif len(self.scene) <= _MOVED_LIVE:
            self._put(self._dragged, point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        dragged, self._dragged = self._dragged, NONE
        self.unsetCursor()
        if pressed is None:
            return
        if not self._moved:
            if event.button() == Qt.MouseButton.LeftButton:
                self._click(event.position())
        elif dragged != NONE:
            self._put(dragged, event.position())
            x, y = self.scene.places[dragged].tolist()
            self.placed.emit(self.scene.entry_id(dragged), x, y)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        entry_id = hits.entry_at(self.drawing, self._at(event.position()))
        if entry_id is not None and event.button() == Qt.MouseButton.LeftButton:
            self.edit_wanted.emit(entry_id)

    def _put(self, number: int, point: QPointF) -> None:
        self.scene.places[number] = self.camera.world(point)
        self._redraw()

    def _click(self, point: QPointF) -> None:
        more = hits.more_at(self.drawing, self._at(point))
        if more != NONE:
            self.expand_wanted.emit(self.scene.entry_id(more))
            return
        entry_id = hits.entry_at(self.drawing, self._at(point))
        line = self.scene.line_of(entry_id)
        if self.chosen is not None and line != NONE and line == self.marks.line:
            entry_id = self.scene.next_beside(self.chosen)
        self._choose(entry_id)

    def _choose(self, entry_id: int | None) -> None:
        self.choose(entry_id)
        if entry_id is not None:
            self.entry_chosen.emit(entry_id)

    def _hover(self, point: QPointF) -> None:
        at = self._at(point)
        number = hits.state_at(self.drawing, at)
        over = number != NONE or hits.more_at(self.drawing, at) != NONE
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        if number != self.marks.hovered:
            self.marks.hovered = number
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.marks.hovered = NONE
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        if turned:
            self.zoom_by(_ZOOM ** (turned / 120), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = self.words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), as_markup(spoken(words)) if words else "", self)
            return True
        return super().event(event)

    def words_at(self, point: QPointF) -> str:
        """Return the tool tip at a point, as plain text."""
        return hits.words_at(self.drawing, self._at(point))

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shift = Qt.Key(event.key()), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in _ARROWS and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            dx, dy = _ARROWS[key]
            if shift:
                self.pan_by(-dx * _PAN_PX, -dy * _PAN_PX)
            else:
                self._walk(dx, dy)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_by(_ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom_by(1 / _ZOOM)
        elif key == Qt.Key.Key_F and not event.modifiers():
            self.fit()
        elif key == Qt.Key.Key_Slash:
            self.search_wanted.emit()
        elif not self._key_on_chosen(key):
            super().keyPressEvent(event)

    def _key_on_chosen(self, key: Qt.Key) -> bool:
        if self.chosen is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_wanted.emit(self.chosen)
        elif key == Qt.Key.Key_E and self.marks.chosen != NONE:
            self.expand_wanted.emit(self.chosen)
        elif key == Qt.Key.Key_C and self.marks.chosen != NONE:
            self.centre_wanted.emit(self.chosen)
        elif key == Qt.Key.Key_Escape and self.chosen is not None:
            self.choose(None)
        else:
            return False
        return True

    def _walk(self, dx: float, dy: float) -> None:
        """Choose the next state in a direction; the first key chooses the agent's, or the middle one."""
        to = self.marks.current
        if self.marks.chosen != NONE:
            to = self.scene.towards(self.marks.chosen, dx, dy)
        elif to == NONE:
            x, y = self.camera.world(QPointF(self.rect().center())).tolist()
            to, _ = self.scene.nearest(x, y)
        if to != NONE:
            self._choose(self.scene.entry_id(to))
            self.camera.bring(self.scene.places[to])

    # ---- what can be done with an entry

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        where = event.globalPos()
        entry_id = self.chosen
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            entry_id = hits.entry_at(self.drawing, self._at(QPointF(event.pos())))
        elif self.marks.chosen != NONE:
            place = self.camera.on_screen(self.scene.places[self.marks.chosen])
            where = self.mapToGlobal(place.toPoint())
        if entry_id is not None and entry_id in self.scene.graph.entries:
            self._choose(entry_id)
            entry_menu(self, entry_id).popup(where)
