"""Dialogs of the Exam page: a new exam of a run, and choosing an answerer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.form.fields import Field, Option
from pitwall.console.kit.form.form import Form
from pitwall_exam.answering.systems.catalogue import SYSTEMS, installed_systems
from pitwall_exam.console.choices import ExamChoices
from pitwall_exam.console.commands import AnswerOrder, MakeOrder
from pitwall_exam.console.format import ANSWERERS, RULES_EXPLAINED
from pitwall_exam.repository import StoredExam

_OWN, _FREER = "/own", "/freer"
"""Values of the wording field that are no models: names of models do not begin with a slash."""

_INVENTORIES = (
    ("own", "of its kind of game", "Grid world or text game; else the general set"),
    ("general", "general", "Works for any run: actions, routes, fields, reasons"),
    ("both", "both", "Both sets in one exam"),
)
_WITHOUT_MODEL = ("recall", "system")
"""Answerers that can do without a model."""
_SYSTEMS = tuple((name, SYSTEMS[name].title) for name in installed_systems())
_HORIZONS = (
    ("all", "the whole episode", "Every step with a known outcome"),
    ("first", "its first steps", "Questions and truths as if the episode ended there"),
)


class NewExam(OrderDialog):
    """Makes an exam of a run. Signals: ordered(MakeOrder)."""

    def __init__(self, choices: ExamChoices, run_id: int = 0, parent: QWidget | None = None) -> None:
        text = "Questions about one run, with truths that are computed from its log."
        super().__init__("New exam", text, go="Make the exam", parent=parent)
        self._choices = choices
        self.form = Form(_make_fields(choices))
        self.form.show_values({"run_id": run_id})
        self.form.edited.connect(lambda _: self._show())
        self.body.addWidget(self.form)
        self._show()

    @property
    def order(self) -> MakeOrder:
        values = self.form.values
        wording, about = values.pop("wording"), values.pop("about")
        horizon = values["horizon"] if about == "first" else 0
        return MakeOrder(
            **values | {"run_id": values["run_id"] or 0, "horizon": horizon},
            reworded=wording == _FREER,
            paraphrase="" if wording in (_OWN, _FREER) else wording,
        )

    def _show(self) -> None:
        values = self.form.values
        self.form.enable("horizon", values["about"] == "first")
        self.form.enable("inventory", values["rules"] == "paper")
        self.form.show_help("rules", RULES_EXPLAINED[values["rules"]])
        self.go.setEnabled(bool(self._choices.runs))


def _make_fields(choices: ExamChoices) -> list[Field]:
    rules = tuple((rules, rules, explanation) for rules, explanation in RULES_EXPLAINED.items())
    wordings = (
        (_OWN, "the templates' own"),
        (_FREER, "free words, as people ask"),
        *((model, f"in the words of {model}, checked") for model in choices.models),
    )
    return [
        Field(key="run_id", label="Run", kind="choice", options=choices.runs),
        Field(key="rules", label="Rules", kind="segments", options=rules),
        Field(key="inventory", label="Questions", kind="segments", options=_INVENTORIES),
        Field(key="about", label="About", name="Asks about", kind="segments", options=_HORIZONS),
        Field(
            key="horizon",
            label="",
            name="First steps",
            kind="number",
            default=50,
            least=1,
            most=1_000_000,
            joins=True,
        ),
        Field(key="wording", label="Wording", kind="choice", options=wordings),
        Field(
            key="per_template",
            label="Of one template",
            name="Questions of one template, at most",
            kind="number",
            default=2,
            least=1,
            most=50,
            help="at most",
        ),
        Field(
            key="seed",
            label="Seed",
            kind="number",
            default=42,
            most=2**31 - 1,
            help="the same seed gives the same exam",
        ),
        Field(key="persons", label="For persons: no questions about the agent's reasons", kind="flag"),
    ]


class AnswerDialog(OrderDialog):
    """Has an exam answered.

    Signals: ordered(AnswerOrder). models_wanted(): a model is to be added first.
    """

    models_wanted = Signal()

    def __init__(self, shown: StoredExam, choices: ExamChoices, parent: QWidget | None = None) -> None:
        super().__init__("Answer this exam", go="Answer", name="Have the exam answered", parent=parent)
        self._exam, self._choices = shown, choices
        self.form = Form(_answer_fields(shown, choices))
        self.form.edited.connect(lambda _: self._show())
        self._missing = Label("", "error", wrap=True)
        self._add = Button("Add a model…", self._to_models, kind="link")
        self._begun = Label("", "dim", wrap=True)
        self.body.addWidget(self.form)
        self.body.addLayout(row(self._missing, self._add))
        self.body.insertWidget(0, self._begun)
        exam = shown.exam
        self.form.show_field("declared", exam is not None and bool(exam.paraphrased))
        self._show()

    @property
    def order(self) -> AnswerOrder:
        values = self.form.values
        return AnswerOrder(
            exam_id=self._exam.exam_id,
            **values
            | {
                "turns": int(values["turns"]),
                "memory": values["memory"] if values["answerer"] == "retrieval" else "",
                "model": values["model"] or "",
                "fresh": values["fresh"] and bool(self._begun.full_text()),
            },
        )

    def choose(self, kind: str) -> None:
        self.form.enter({"answerer": kind})

    def _show(self) -> None:
        form, kind = self.form, self.form.value("answerer")
        models = [(name, name) for name in self._choices.models]
        form.offer("model", [("", "no model: rules alone"), *models] if kind in _WITHOUT_MODEL else models)
        form.show_field("system", kind == "system")
        form.show_field("memory", kind == "retrieval")
        form.show_field("turns", kind == "in-context")
        needs = kind not in _WITHOUT_MODEL and not models
        self._missing.show_text("It needs a model that writes text; there is none yet." if needs else "")
        self._add.setVisible(needs)
        self.go.setEnabled(not needs)
        begun = _begun(
            self._exam, self.order, {snapshot.content_hash for snapshot in self._choices.snapshots}
        )
        self._begun.show_text(begun)
        form.show_field("fresh", bool(begun))
        self.go.setText("Go on" if begun else "Answer")

    def _to_models(self) -> None:
        self.models_wanted.emit()
        self.reject()


def _answer_fields(shown: StoredExam, choices: ExamChoices) -> list[Field]:
    game = shown.exam.game_id if shown.exam is not None else ""
    snapshots = [snapshot for snapshot in choices.snapshots if snapshot.game_id in ("", game)]
    return [
        Field(
            key="answerer",
            label="Answerer",
            kind="radio",
            options=tuple(
                Option(kind, *ANSWERERS[kind]) for kind in ("recall", "retrieval", "system", "in-context")
            ),
        ),
        Field(key="system", label="System", kind="choice", options=_SYSTEMS),
        Field(key="model", label="Model", kind="choice"),
        Field(
            key="memory",
            label="Memory",
            kind="choice",
            options=(
                ("", "as it is now"),
                *((snapshot.content_hash, snapshot.words) for snapshot in snapshots),
            ),
        ),
        Field(
            key="turns",
            label="Turns",
            kind="segments",
            options=(
                ("0", "whole episode", "Shortened where it exceeds the model's context"),
                ("5", "last 5"),
                ("10", "last 10"),
            ),
        ),
        Field(key="declared", label="Ask in the templates' own words", kind="flag"),
        Field(key="fresh", label="Start over", kind="flag"),
    ]


def _begun(exam: StoredExam, order: AnswerOrder, kept: set[str]) -> str:
    """Return a sentence if this answerer did not finish the exam; empty if it did, or never began.

    Args:
        kept: hashes of the memory's snapshots.
    """
    for side in exam.sides:
        sheet = side.sheet
        same = (sheet.answerer, sheet.model) == (order.answerer, order.model)
        same = same and (order.answerer != "system" or sheet.name.startswith(SYSTEMS[order.system].title))
        memory = sheet.memory == order.memory if order.memory else sheet.memory not in kept
        if same and memory and not side.whole:
            unless = ", unless the memory changed since" if sheet.memory and not order.memory else ""
            count = f"{len(side.answers):,} of {side.of:,} questions"
            return f"It answered {count} before, and goes on there{unless}."
    return ""
