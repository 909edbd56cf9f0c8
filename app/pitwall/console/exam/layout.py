"""Where an exam's marks and questions lie: side by side where there is room, behind tabs elsewhere."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QWidget

from pitwall.console.exam.marks.panel import MarksPanel
from pitwall.console.exam.questions.panel import QuestionsPanel
from pitwall.console.kit.elements import column

_BOTH_PX = 1180
_MARKS_PX = 540


class ExamLayout(QWidget):
    """Marks and questions."""

    def __init__(self, marks: MarksPanel, questions: QuestionsPanel) -> None:
        super().__init__()
        self._marks, self._questions = marks, questions
        self._both: bool | None = None
        self._side = QSplitter(Qt.Orientation.Horizontal)
        self._side.setChildrenCollapsible(False)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.tabBar().setDrawBase(False)
        self._tabs.setAccessibleName("Marks, and questions")
        layout = column(self._side, self._tabs, gap=0)
        self.setLayout(layout)
        self._arrange()

    def show_marks(self) -> None:
        """Bring the marks into view."""
        self._tabs.setCurrentIndex(0)

    def show_questions(self) -> None:
        """Bring the questions into view."""
        self._tabs.setCurrentIndex(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        both = self.width() >= _BOTH_PX
        if both == self._both:
            return
        self._both = both
        if both:
            for widget in (self._marks, self._questions):
                self._side.addWidget(widget)
                widget.show()
            self._side.setStretchFactor(1, 1)
            self._side.setSizes([_MARKS_PX, max(_MARKS_PX, self.width() - _MARKS_PX)])
        else:
            self._tabs.addTab(self._marks, "Marks")
            self._tabs.addTab(self._questions, "Questions")
            self._tabs.setCurrentIndex(0)
        self._side.setVisible(both)
        self._tabs.setVisible(not both)
