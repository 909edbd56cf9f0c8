"""The Exam page: what an agent remembers of an episode, asked and marked; a person can take an exam too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pitwall.console.kit import places
from pitwall.console.kit.command import Command, bind_keys
from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.elements import Button, EmptyState, PrimaryButton, column, holder
from pitwall.console.kit.notification import NotificationBar
from pitwall.console.kit.page import Page
from pitwall.console.kit.panes import Pane, Panes, ReadStack, stacked
from pitwall.console.kit.theme import Look
from pitwall.console.services.background import BackgroundWorker, RepeatedReading, RunLogWorker
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import PitwallError
from pitwall.core.telemetry import RunEnded
from pitwall_exam.console.choices import ExamChoices, read_choices
from pitwall_exam.console.commands import AnswerOrder, ExamCommands
from pitwall_exam.console.dialogs import AnswerDialog, NewExam
from pitwall_exam.console.exam_list import ExamsColumn
from pitwall_exam.console.head import ExamHead
from pitwall_exam.console.marks.panel import MarksPanel
from pitwall_exam.console.person.view import AttemptView
from pitwall_exam.console.questions.panel import QuestionsPanel
from pitwall_exam.place import EXAM
from pitwall_exam.repository import ExamRepository, StoredExam

_LIST_PX, _LIST_LEAST_PX = 262, 210
_MARKS_PX, _FOLDED_BELOW_PX = 540, 1180
"""Width of the marks; width below which marks and questions become tabs."""


class ExamPage(Page):
    """The exams of the data folder; works with no game open.

    Signals: step_wanted(run, step): show a step in the replay; step 0: the run.
    """

    place = EXAM

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__(bridge, look)
        self._shelf = ExamRepository(bridge.data)
        self._aside = BackgroundWorker("exams", self)
        self._steps = RunLogWorker(bridge.data, self)
        self.exams: tuple[StoredExam, ...] | None = None
        self.facts = ExamChoices()
        self._key, self._wanted = "", ""
        self._shown: StoredExam | None = None
        self.doing = ExamCommands(bridge.data, self)
        self.head = ExamHead(self.doing, replay=self._show_run, sit=self.sit, answer=self.answer)
        self.left = ExamsColumn(look)
        self._by_recall = Button("Answer with structured recall", self._recall)
        self.marks = MarksPanel(look, self._by_recall)
        self.questions = QuestionsPanel(look, self._steps)
        self.room = Panes(
            Pane("Marks", self.marks, width=_MARKS_PX),
            Pane("Questions", self.questions),
            fold_below=_FOLDED_BELOW_PX,
        )
        self.sitting = AttemptView(bridge.data, look, self._steps)
        self.notifications = NotificationBar(self)
        self.again = RepeatedReading(self._aside, self._shelf.read, self)
        self._build()
        self._connect()

    # ---- what the window asks

    def opened(self) -> None:
        self.again.start()
        self._aside.ask(partial(read_choices, self.bridge.data), self._take_facts)

    def closed(self) -> None:
        self.again.stop()
        self.sitting.pause()

    def commands(self) -> Sequence[Command]:
        head = self.head
        return [
            Command(name="New exam…", run=self.new_exam, keys="Ctrl+N"),
            Command(
                name="Have this exam answered…",
                run=self.answer,
                keys="Ctrl+Enter",
                possible=lambda: head.answer.isVisible() and head.answer.isEnabled(),
            ),
            Command(name="Cancel what goes on", run=self.doing.cancel, possible=head.cancel.isVisible),
            Command(
                name="Take this exam yourself…",
                run=self.sit,
                keys="Ctrl+T",
                possible=lambda: head.sit.isVisible() and head.sit.isEnabled(),
            ),
            *(
                Command(
                    name=f"Show exam {exam.exam_id} ({exam.game})", run=partial(self.choose, exam.exam_id)
                )
                for exam in self.exams or ()
            ),
        ]

    def ready_to_close(self, go_on: Callable[[], object]) -> bool:
        """Ask the operator before closing the window ends a running command."""
        if self.doing.order is None:
            return True
        dialog = Confirm(
            "An exam is being made or answered",
            ["Closing the window ends it. The answers so far are kept, and answering can continue later."],
            "Close",
            "Stay",
            self,
        )
        dialog.confirmed.connect(go_on)
        dialog.open()
        return False

    def close_reading(self) -> None:
        """Stop reading before the data folder goes away; answers given so far are kept."""
        self.again.stop()
        self.sitting.leave()
        self.doing.close()
        self._aside.close()
        self._steps.close()

    # ---- what is in view

    @property
    def exam(self) -> StoredExam | None:
        """Return the exam in view, as it was last read."""
        return next((exam for exam in self.exams or () if exam.exam_id == self._key), None)

    def choose(self, exam_id: str) -> None:
        self._key = exam_id
        self._show()

    def read(self) -> None:
        """Read every exam again in the background, and once more if a reading is already running."""
        self.again.now()

    # ---- deeds

    def new_exam(self, run_id: int = 0) -> NewExam:
        """Open the dialog for a new exam."""
        dialog = NewExam(self.facts, run_id, self)
        dialog.ordered.connect(self.doing.do)
        dialog.open()
        return dialog

    def take_run(self, run_id: int) -> None:
        """Open the dialog for a new exam of this run, once the choices are read."""

        def choose(facts: ExamChoices) -> None:
            self._take_facts(facts)
            self.new_exam(run_id)

        self._aside.ask(partial(read_choices, self.bridge.data), choose)

    def answer(self) -> AnswerDialog | None:
        """Open the dialog that chooses who answers the exam in view."""
        if self.exam is None or self.exam.exam is None or self.doing.order is not None:
            return None
        dialog = AnswerDialog(self.exam, self.facts, self)
        dialog.ordered.connect(self.doing.do)
        dialog.models_wanted.connect(lambda: self.page_wanted.emit(places.MODELS.key))
        dialog.open()
        return dialog

    def sit(self) -> None:
        if self.exam is not None and self.exam.exam is not None and self.exam.exam.questions:
            self.sitting.show_exam(self.exam)
            self._whole.setCurrentWidget(self.sitting)

    # ---- parts

    def _build(self) -> None:
        self._empty = EmptyState(
            "No exam was made here yet",
            "An exam asks what can be remembered of one run: facts, places, times, causes. The right answers "
            "are computed from the run's log; the agent's memory, a model or you can take it.",
            PrimaryButton("New exam…", self.new_exam),
        )
        self._main = ReadStack("Reading the exams …", self._empty, self.room, again=self.read)
        self.left.setMinimumWidth(_LIST_LEAST_PX)
        sides = Panes(Pane("Exams", self.left, width=_LIST_PX), Pane("Chosen", self._main), front=self._main)
        self._work = holder(column(self.head, sides, gap=0, stretch=1))
        self._whole = stacked(self._work, self.sitting)
        self.setLayout(column(self._whole, gap=0, stretch=0))

    def _connect(self) -> None:
        doing = self.doing
        self.left.chosen.connect(self.choose)
        self.left.new_wanted.connect(self.new_exam)
        self.marks.changed.connect(self._show_questions)
        self.marks.ability_wanted.connect(self._show_ability)
        self.questions.evidence.step_wanted.connect(self.step_wanted)
        self.sitting.left.connect(self._left_sitting)
        self.sitting.kept.connect(self.read)
        doing.notified.connect(self.notifications.notify)
        doing.made.connect(self._made)
        doing.went_on.connect(self._went_on)
        doing.answered.connect(self._answered)
        self.bridge.received.connect(self._receive)
        bind_keys(
            self._work,  # not while one sits
            ("Ctrl+N", self.new_exam),
            ("Ctrl+Return", self.answer),
            ("Ctrl+Enter", self.answer),
            ("Ctrl+T", self.sit),
            ("Ctrl+F", self._find),
            ("Ctrl+R", self.questions.evidence.show_step),
            anywhere=True,
        )
        self.again.took.connect(self._take)
        self.again.failed.connect(self._main.show_error)

    # ---- what was read

    def _take(self, exams: tuple[StoredExam, ...]) -> None:
        changed = self.exams != exams
        self.exams = exams
        if self._wanted in [exam.exam_id for exam in exams]:
            self._key, self._wanted = self._wanted, ""
        if self.exam is None:
            self._key = exams[0].exam_id if exams else ""
        if changed or self._shown is not self.exam:
            self._show()

    def _take_facts(self, facts: ExamChoices) -> None:
        self.facts = facts

    def _show(self) -> None:
        exam = self.exam
        self._shown = exam
        self.left.show_exams(self.exams or (), self._key)
        self.head.show_exam(exam)
        if exam is None and self.exams is None:
            self._main.show_reading()
        elif exam is None:
            self._main.setCurrentWidget(self._empty)
        elif exam.exam is None:
            self._main.show_error(PitwallError("This exam cannot be read", exam.fault))
        else:
            self.marks.show_exam(exam)
            self._show_questions()
            self._main.setCurrentWidget(self.room)

    def _show_questions(self) -> None:
        if self.exam is not None:
            self.questions.show_exam(self.exam, *self.marks.sides)

    # ---- inside

    def _recall(self) -> None:
        if self.exam is not None:
            self.doing.do(AnswerOrder(exam_id=self.exam.exam_id))

    def _went_on(self) -> None:
        rests = self.doing.order is None
        self._by_recall.setEnabled(rests)
        self.again.be_live(not rests)
        if rests:
            self.read()

    def _made(self, exam_id: str) -> None:
        self._wanted = exam_id
        self.read()

    def _answered(self, exam_id: str) -> None:
        if exam_id == self._key:
            self.room.bring(self.marks)

    def _show_ability(self, ability: str) -> None:
        self.questions.filter.show_ability(ability)
        self.room.bring(self.questions)

    def _find(self) -> None:
        self.room.bring(self.questions)
        self.questions.filter.search.setFocus()

    def _show_run(self) -> None:
        if self.exam is not None and self.exam.exam is not None:
            self.step_wanted.emit(self.exam.exam.run_id, 0)

    def _left_sitting(self) -> None:
        self._whole.setCurrentWidget(self._work)
        self.left.list.setFocus()
        self.read()

    def _receive(self, record: object) -> None:
        if isinstance(record, RunEnded):
            self._aside.ask(partial(read_choices, self.bridge.data), self._take_facts)
