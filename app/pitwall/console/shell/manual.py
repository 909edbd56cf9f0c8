"""The user's manual in a window of its own: Markdown pages and pictures from `resources/manual`, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import QImage, QKeySequence, QResizeEvent, QShortcut, QTextDocument
from PySide6.QtWidgets import QFrame, QLineEdit, QTextBrowser, QWidget

from pitwall.console.kit.elements import Button, column, row
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.shell.manual_typesetting import typeset
from pitwall.core.paths import resources_dir

CONTENTS = "index"
_FIRST = QSize(820, 720)
_MARGIN = 28
_SETTLED_MS = 120
_IMAGE = QTextDocument.ResourceType.ImageResource


def manual_dir() -> Path:
    """Return the folder of the manual's pages."""
    return resources_dir() / "manual"


def manual_page(key: str) -> Path:
    """Return the manual's file about a page of the console; the contents where it has none."""
    file = manual_dir() / f"{key}.md"
    return file if file.is_file() else manual_dir() / f"{CONTENTS}.md"


class ManualWindow(QWidget):
    """Shows the manual; links lead from page to page, also back and forward."""

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("page")
        self.setWindowTitle("Pitwall manual")
        self.resize(_FIRST)
        self.browser = _Pages(look)
        self._back = Button("‹ Back", self.browser.backward, name="Back", tip="Alt+←")
        self._forward = Button("Forward ›", self.browser.forward, name="Forward", tip="Alt+→")
        contents = Button("Contents", lambda: self.open_page(CONTENTS), tip="All pages of the manual")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find on this page   Ctrl+F")
        self.search.setAccessibleName("Find on this page")
        self.search.setClearButtonEnabled(True)
        self.search.returnPressed.connect(self.find_next)
        layout = column(self.browser, gap=GAP)
        layout.insertLayout(0, row(self._back, self._forward, contents, None, self.search))
        layout.setContentsMargins(PAD, PAD, PAD, PAD)
        self.setLayout(layout)
        self.browser.backwardAvailable.connect(self._back.setEnabled)
        self.browser.forwardAvailable.connect(self._forward.setEnabled)
        for button in (self._back, self._forward):
            button.setEnabled(False)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.search.setFocus)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)

    def open_page(self, key: str) -> None:
        """Show the page about a page of the console, and bring the window into view."""
        self.browser.setSource(QUrl.fromLocalFile(str(manual_page(key))))
        self.show()
        self.raise_()
        self.activateWindow()
        self.browser.setFocus()

    def find_next(self) -> None:
        """Go to where the text stands next; from the end on to the beginning."""
        text = self.search.text()
        if text and not self.browser.find(text):
            self.browser.moveCursor(self.browser.textCursor().MoveOperation.Start)
            self.browser.find(text)


class _Pages(QTextBrowser):
    """Markdown pages whose pictures are as wide as there is room."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        look.changed.connect(self._fit)
        self.setAccessibleName("Manual")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(_MARGIN)
        self._pictures: set[QUrl] = set()
        self._width = 0
        self._settle = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settle.timeout.connect(self._fit)

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        if type != _IMAGE.value:
            return super().loadResource(type, name)
        self._pictures.add(QUrl(name))
        return self._fitted(QUrl(name))

    def _fitted(self, name: QUrl) -> QImage:
        picture = QImage(self.source().resolved(name).toLocalFile())
        room = self._room()
        if picture.width() <= room:
            return picture
        ratio = self.devicePixelRatioF()
        fitted = picture.scaledToWidth(int(room * ratio), Qt.TransformationMode.SmoothTransformation)
        fitted.setDevicePixelRatio(ratio)
        return fitted

    def doSetSource(
        self,
        name: QUrl | str,
        /,
        type: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource,
    ) -> None:
        self._pictures.clear()
        super().doSetSource(name, type)
        typeset(self.document(), self._look.palette)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._room() != self._width:
            self._settle.start()

    def _room(self) -> int:
        """Pixels for a picture."""
        return max(200, self.viewport().width() - 2 * _MARGIN)

    def _fit(self) -> None:
        """Lay the page out again for another width or theme."""
        self._width = self._room()
        document = self.document()
        for name in self._pictures:
            document.addResource(_IMAGE.value, name, self._fitted(name))
        typeset(document, self._look.palette)
        document.markContentsDirty(0, document.characterCount())
