"""Forms from lists of fields: values, edits, errors, marks, accessible names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPlainTextEdit, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.form.fields import Field, Kind, Option
from pitwall.console.kit.form.form import Form, Layout
from pitwall.console.kit.form.inputs import Combo, Line, Lines, NumberBox, PathField
from pitwall.console.kit.form.word_completer import WordCompleter

pytestmark = pytest.mark.usefixtures("screen")
SEED = Field(key="seed", label="Seed", kind="number", default=42, most=1000, help="same seed, same exam")
LENGTH = Field(
    key="length",
    label="Length",
    kind="number",
    default=5,
    least=1,
    most=50,
    unit="ms",
    check=lambda value: "" if 1 <= value <= 50 else f"{value} ms does not fit: 1 … 50 ms.",
)
NAME = Field(key="name", label="Name", hint="my-suite", check=lambda text: "" if text else "It needs a name.")
WORDS = ("real-time", "paused")
EVERY_KIND: list[tuple[Kind, dict[str, Any], Any]] = [
    ("text", {}, "skills"),
    ("lines", {}, "one\ntwo"),
    ("code", {}, "a: 1"),
    ("number", {}, 7),
    ("number", {"decimals": 3}, 0.25),
    ("choice", {"options": WORDS}, "paused"),
    ("segments", {"options": WORDS}, "paused"),
    ("radio", {"options": WORDS}, "paused"),
    ("switch", {}, True),
    ("flag", {}, True),
    ("flags", {"options": WORDS}, ["paused"]),
    ("list", {}, [64, 32]),
    ("file", {}, "/tmp/a.gguf"),
    ("new_file", {}, "/tmp/b.jsonl"),
    ("folder", {}, "/tmp"),
    ("chord", {}, "Control+o"),
    ("fixed", {}, "12 sentences"),
]


def _form(qtbot: QtBot, *fields: Field, **options: Any) -> Form:
    form = Form(fields, **options)
    qtbot.addWidget(form)
    form.show()
    qtbot.waitExposed(form)
    return form


@pytest.mark.parametrize(("kind", "options", "value"), EVERY_KIND)
@pytest.mark.parametrize("layout", ["beside", "explained", "above", "compact"])
def test_a_value_of_each_kind_goes_in_and_comes_out(
    qtbot: QtBot, kind: Kind, options: dict[str, Any], value: Any, layout: Layout
) -> None:
    form = _form(qtbot, Field(key="it", label="Thing", kind=kind, **options), layout=layout)
    assert form.editor("it").accessibleName() or kind == "fixed"
    keys: list[str] = []
    form.edited.connect(keys.append)
    form.show_values({"it": value})
    assert form.values == {"it": value}
    assert type(form.value("it")) is type(value)
    assert not form.changed
    assert not keys


def test_what_the_operator_enters_is_told_and_counts_as_changed(qtbot: QtBot) -> None:
    form = _form(qtbot, SEED, NAME, marks=True)
    keys: list[str] = []
    form.edited.connect(keys.append)
    line = form.editor("name")
    line.setFocus()
    QTest.keyClicks(line, "ab")
    assert keys == ["name", "name"]
    assert form.changed == {"name": "ab"}
    assert form.is_marked("name") and not form.is_marked("seed")
    form.show_values({"name": "ab"})
    assert not form.changed and not form.is_marked("name")


def test_an_error_stands_under_its_field_until_it_is_edited(qtbot: QtBot) -> None:
    form = _form(qtbot, NAME)
    assert form.faults == {"name": "It needs a name."}
    assert form.fault("name") == "It needs a name."
    assert form.editor("name").property("fault") == "yes"
    assert form.editor("name").accessibleDescription() == "It needs a name."
    form.show_values({"name": "mine"})
    assert not form.faults and form.editor("name").property("fault") == "no"
    form.show_fault("name", "Taken. Choose another.")
    assert form.faults == {"name": "Taken. Choose another."}
    QTest.keyClicks(form.editor("name"), "2")
    assert not form.faults
    form.show_field("name", False)
    form.show_values({"name": ""})
    assert not form.faults, "a hidden field is not asked"


PROMPTED = Field(key="told", label="Prompt", help="For a model", check=lambda text: "" if text else "Empty.")
LISTED = Field(key="hidden", label="Hidden", kind="list", default=[64, 64])


@pytest.mark.parametrize("layout", ["beside", "explained", "above", "compact"])
def test_a_fault_that_comes_while_typing_moves_no_field(qtbot: QtBot, layout: Layout) -> None:
    fields = (NAME, LENGTH, PROMPTED, LISTED, SEED)
    page = QWidget()
    qtbot.addWidget(page)
    form = Form(fields, layout=layout, live=False)
    form.setParent(page)
    form.setGeometry(
        0, 0, 420, form.heightForWidth(420) if form.hasHeightForWidth() else form.sizeHint().height()
    )
    page.resize(420, 600)
    page.show()
    qtbot.waitExposed(page)
    form.show_values({"name": "a", "told": "b"})
    editors = {field.key: form.editor(field.key) for field in fields}

    def places() -> dict[str, tuple[QPoint, int, int]]:
        QApplication.processEvents()
        origin = QPoint(0, 0)
        return {key: (box.mapTo(form, origin), box.width(), box.height()) for key, box in editors.items()}

    before = places()
    for key, text in (("name", ""), ("told", ""), ("hidden", "64, x"), ("length", "400")):
        editor = editors[key]
        editor.setFocus()
        QTest.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(editor, Qt.Key.Key_Delete)
        QTest.keyClicks(editor, text)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        assert form.fault(key), key
        assert places() == before, key


def test_a_number_is_kept_within_its_bounds_or_answered(qtbot: QtBot) -> None:
    form = _form(qtbot, LENGTH)
    form.number("length").setValue(400)
    assert form.value("length") == 50
    form = _form(qtbot, LENGTH, live=False)
    keys: list[str] = []
    form.edited.connect(keys.append)
    box = form.number("length")
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "400")
    assert not keys
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert keys == ["length"]
    assert form.faults == {"length": "400 ms does not fit: 1 … 50 ms."}
    for _ in range(3):
        box.stepUp()
    assert box.value() == 50, "arrows stay inside"


def test_a_list_says_which_text_it_takes(qtbot: QtBot) -> None:
    form = _form(qtbot, Field(key="hidden", label="Hidden", kind="list", default=[64, 64]))
    line = form.editor("hidden")
    assert isinstance(line, QLineEdit) and line.text() == "64, 64"
    line.setText("64, x")
    assert form.faults == {"hidden": "Whole numbers with commas between them, as 64, 64."}
    assert form.values == {"hidden": [64, 64]}


def test_all_values_together_can_be_wrong(qtbot: QtBot) -> None:
    def check(values: dict[str, Any]) -> dict[str, str]:
        return {"seed": "More than the length."} if values["seed"] > values["length"] else {}

    form = _form(qtbot, SEED, LENGTH, check=check)
    assert form.fault("seed") == "More than the length."
    form.show_values({"seed": 3})
    assert not form.fault("seed")


def test_a_changed_field_can_be_reset_to_its_default(qtbot: QtBot) -> None:
    form = _form(qtbot, SEED, layout="explained", resets=True)
    asked: list[str] = []
    form.reset.connect(asked.append)
    assert not form.is_marked("seed")
    form.enter({"seed": 9})
    assert form.is_marked("seed")
    form.reset_button("seed").click()
    assert asked == ["seed"]


def test_a_refused_option_says_why(qtbot: QtBot) -> None:
    options = (Option("model", "A model", refused="It has no model."), Option("rules", "Rules", "No model"))
    form = _form(qtbot, Field(key="by", label="Who", kind="radio", options=options))
    buttons = form.findChildren(QRadioButton)
    assert [button.isEnabled() for button in buttons] == [False, True]
    assert buttons[0].accessibleDescription() == "It has no model."
    assert form.value("by") == "rules", "the first that can be chosen"


def test_lines_are_as_high_as_what_is_broken_into_them(qtbot: QtBot) -> None:
    form = Form((Field(key="text", label="Text", kind="lines"),))
    qtbot.addWidget(form)
    form.show_values({"text": "two words " * 12})
    form.resize(220, 400)
    form.show()
    lines = form.editor("text")
    qtbot.waitUntil(lambda: lines.height() > lines.fontMetrics().lineSpacing() * 5)
    form.resize(900, 400)
    qtbot.waitUntil(lambda: lines.height() < lines.fontMetrics().lineSpacing() * 5)


def test_ticks_and_lines_are_edited_by_hand(qtbot: QtBot) -> None:
    form = _form(
        qtbot,
        Field(key="which", label="Which", kind="flags", options=WORDS),
        Field(key="text", label="Text", kind="lines"),
    )
    form.findChildren(QCheckBox)[1].click()
    lines = form.editor("text")
    assert isinstance(lines, QPlainTextEdit)
    lines.setPlainText("two\nlines")
    assert form.values == {"which": ["paused"], "text": "two\nlines"}


def test_what_is_not_touched_stays_as_exact_as_it_was_shown(qtbot: QtBot) -> None:
    share = Field(key="share", label="Share", read=float, write=lambda value: f"{value or 0:.2f}")
    form = _form(qtbot, share, NAME)
    form.show_values({"share": 1 / 3, "name": "a"})
    assert form.values["share"] == 1 / 3
    assert not form.changed
    line = form.editor("share")
    assert isinstance(line, QLineEdit)
    line.setText("0.34")
    assert form.changed == {"share": 0.34}


def test_a_fault_that_stood_there_before_is_a_note_until_its_field_is_touched(qtbot: QtBot) -> None:
    form = _form(qtbot, NAME, LENGTH, live=False)
    form.show_values({"name": "", "length": 5})
    blocked = [form.blocked]
    form.accept(form.faults)
    blocked.append(form.blocked)
    assert form.fault("name") == "It needs a name."
    assert form.editor("name").property("fault") == "no"
    form.number("length").setValue(99)
    blocked.append(form.blocked)
    form.number("length").setValue(9)
    blocked.append(form.blocked)
    assert blocked == [True, False, True, False], "only what was touched since keeps it from being saved"


def test_a_combo_offers_other_options_and_keeps_what_was_taken(qtbot: QtBot) -> None:
    combo = Combo("Game", [("a", "Alpha"), ("b", "Beta", "the second")])
    qtbot.addWidget(combo)
    values: list[Any] = []
    combo.chosen.connect(values.append)
    combo.choose("b")
    combo.offer([("b", "Beta"), ("c", "Gamma")])
    assert (combo.current, values) == ("b", [])
    combo.setCurrentIndex(1)
    assert values == ["c"]
    combo.offer(["x"], taken="gone")
    assert combo.current == "x"


def test_a_number_box_has_no_zeros_at_its_end(qtbot: QtBot) -> None:
    for value, decimals, text in ((0.25, 3, "0.25 s"), (2.0, 3, "2 s"), (1200, 0, "1,200 s")):
        box = NumberBox("Delay", most=10_000, decimals=decimals, unit="s", value=value)
        qtbot.addWidget(box)
        assert box.text() == text
        assert box.number == value


def test_the_wheel_scrolls_past_inputs_without_focus(qtbot: QtBot) -> None:
    form = _form(qtbot, NAME, SEED)
    form.editor("name").setFocus()
    turn = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(0, 0),
        QPoint(0, -240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(form.number("seed"), turn)
    assert form.value("seed") == 42


def test_a_path_is_told_once_without_quotes(qtbot: QtBot, tmp_path: Path) -> None:
    field = PathField("Model file")
    qtbot.addWidget(field)
    keys: list[str] = []
    field.changed.connect(keys.append)
    field.set_path(f'"{tmp_path}/a.gguf"')
    field.line.editingFinished.emit()
    assert keys == [f"{tmp_path}/a.gguf"]


def test_an_order_closes_its_dialog(qtbot: QtBot) -> None:
    class Dialog(OrderDialog):
        wanted: object = None

        @property
        def order(self) -> object:
            return self.wanted

    dialog = Dialog("New exam", "Questions about one run.", go="Make it")
    qtbot.addWidget(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    dialog.show()
    values: list[object] = []
    dialog.ordered.connect(values.append)
    dialog.go.click()
    assert not values and dialog.isVisible(), "nothing that can be ordered stands in it"
    dialog.wanted = "this"
    dialog.go.click()
    assert values == ["this"] and not dialog.isVisible()


def test_a_list_that_is_open_stays_until_somebody_chose(qtbot: QtBot) -> None:
    combo, heard = Combo("Value", [("", "None"), ("score", "score = 1")]), list[object]()
    qtbot.addWidget(combo)
    combo.chosen.connect(heard.append)
    combo.show()
    combo.showPopup()
    qtbot.waitUntil(lambda: combo.view().isVisible())
    combo.offer([("", "None"), ("level", "level = 1"), ("score", "score = 2")])
    assert [combo.itemText(at) for at in range(combo.count())] == ["None", "score = 1"]
    QTest.keyClick(combo.view(), Qt.Key.Key_Down)
    QTest.keyClick(combo.view(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: combo.count() == 3)
    assert (heard, combo.current, combo.currentText()) == (["score"], "score", "score = 2")


@pytest.mark.parametrize("kind", [Line, Lines])
def test_the_word_before_the_cursor_is_completed(screen: str, qtbot: QtBot, kind: type[Line | Lines]) -> None:
    assert screen
    editor = kind("Condition")
    qtbot.addWidget(editor)
    WordCompleter(editor).know(["gap_top", "gap_bottom", "status"])
    editor.show()
    qtbot.waitExposed(editor)
    editor.activateWindow()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    QTest.keyClicks(editor, "status == playing and bott")
    popup = QApplication.activePopupWidget()
    assert popup is not None
    QTest.keyClick(popup, Qt.Key.Key_Return)
    text = editor.text() if isinstance(editor, Line) else editor.toPlainText()
    assert text == "status == playing and gap_bottom"
    assert QApplication.activePopupWidget() is None
