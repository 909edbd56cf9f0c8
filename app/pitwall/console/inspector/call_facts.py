"""Shows a call's outcome, its reply as written and as parsed, and its times, beside the prompt."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QTextCursor
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QWidget

from pitwall.console.inspector import format as texts
from pitwall.console.inspector.bars import OptionBars, TimingBar
from pitwall.console.kit.elements import (
    Button,
    Card,
    Chip,
    KeyValue,
    Label,
    SectionTitle,
    clear_layout,
    column,
    holder,
    row,
)
from pitwall.console.kit.panes import ScrollPane
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import PAD, ROUTE_SIGNS, SMALL_PX, STEP, Look, mono_font, route_tone
from pitwall.console.state.model_calls import Call, timing_parts
from pitwall.core.clock import now_ns
from pitwall.core.quantities import NONE, counted, figure

_REPLY_HEIGHT = 112
_GRAMMAR_HEIGHT = 160
_MOST_SHOWN = 200_000
"""Characters of a reply or a grammar that are shown."""


class TextBox(QPlainTextEdit):
    """Text of a program, to read, select and copy; appending does not lay it out again."""

    def __init__(self, name: str, height: int, empty: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFont(mono_font(SMALL_PX))
        self.setFixedHeight(height)
        self.setAccessibleName(name)
        self.setPlaceholderText(empty)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self._text = ""

    def show_text(self, text: str) -> None:
        """Show a text; where it only grew, the selection stays and its end stays in view."""
        text = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"
        if text == self._text:
            return
        grown = bool(self._text) and text.startswith(self._text)
        follow = self.verticalScrollBar().value() >= self.verticalScrollBar().maximum()
        if grown:
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(self._text) :])
        else:
            self.setPlainText(text)
        self._text = text
        if grown and follow:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())


class ParsedReply(Card):
    """Shows the fields of a reply as the model wrote them."""

    def __init__(self) -> None:
        super().__init__(gap=STEP)
        self._shown: object = self
        self.show_reply(None, "")

    def show_reply(self, fields: tuple[tuple[str, str], ...] | None, none: str) -> None:
        """Show fields; without any, show the sentence `none`."""
        if (fields, none) == self._shown:
            return
        self._shown = (fields, none)
        clear_layout(self.body)
        if not fields:
            self.body.addWidget(Label(none, "dim", wrap=True))
            return
        grid = QGridLayout()
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(STEP)
        grid.setColumnStretch(1, 1)
        for at, (name, text) in enumerate(fields):
            value = Label(text, wrap=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(Label(name, "dim"), at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, at, 1)
        self.body.addLayout(grid)


class CallFacts(ScrollPane):
    """The column at the right of the inspector."""

    def __init__(self, look: Look) -> None:
        super().__init__("Reply, outcome and time of the call")
        self._call: Call | None = None
        self._outcome = Chip("")
        self._purpose = Label("", "strong")
        self._legality = KeyValue("Legality")
        self._problem = Label("", wrap=True, tone="stop")
        self._problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._who = {name: KeyValue(name) for name in ("Tier", "Model", "Device", "Finish")}
        self._left_out = Label("", "note", wrap=True)
        self._reply_title = SectionTitle("Reply")
        self.reply = TextBox("The model's reply", _REPLY_HEIGHT, "Nothing was written yet.")
        self.parsed = ParsedReply()
        self._options_title = SectionTitle("Chosen among")
        self.options = OptionBars(look)
        self._time_title = SectionTitle("Time")
        self.time = TimingBar(look)
        self._picture_title = SectionTitle("Picture sent")
        self.picture = StillImage(look)
        self._grammar_button = Button("", self._toggle_grammar, kind="link", name="Show the grammar")
        self._grammar_button.setCheckable(True)
        self.grammar = TextBox("The grammar that the reply had to follow", _GRAMMAR_HEIGHT, "")
        self.setWidget(self._build())

    @property
    def call(self) -> Call | None:
        return self._call

    def show_call(self, call: Call) -> None:
        """Show a call, or the same one's newer words."""
        other = call is not self._call
        self._call = call
        outcome = texts.outcome(call)
        self._outcome.set_text(str(outcome))
        self._outcome.set_tone(outcome.tone)
        self._purpose.set_text(f"{texts.purpose(call.purpose)} · call {call.number:,}")
        legality = texts.legality(call)
        self._legality.set_value(str(legality), legality.tone)
        problem = texts.problem(call)
        self._problem.show_text(problem)
        choice = call.record.choice if call.record is not None else None
        self.options.show_choice(choice)
        self._options_title.setVisible(choice is not None)
        record = call.record
        route = texts.tier_route(call.tier)
        self._who["Tier"].set_value(f"{ROUTE_SIGNS[route]} {call.tier.value}", route_tone(route))
        self._who["Model"].set_value(call.model or NONE)
        self._who["Device"].set_value((record.device if record is not None else "") or NONE)
        self._who["Finish"].set_value(texts.finish(call) or NONE)
        self._left_out.show_text(texts.left_out(call))
        if other:
            self.picture.setVisible(False)
            self._show_grammar(call)
        self._picture_title.set_note(texts.picture(call))
        self.show_progress()

    def show_progress(self) -> None:
        """Show the reply, time and speed of an open call; cheap enough for ten times a second."""
        call = self._call
        if call is None:
            return
        now = now_ns()
        self.reply.show_text(call.reply)
        speed = call.tokens_per_s(now)
        parts = (
            counted(call.tokens, "token") if call.tokens else "",
            figure(speed, "tok/s") if speed else "",
        )
        self._reply_title.set_note(" · ".join(filter(None, parts)))
        self.time.show_parts(timing_parts(call, now), known=call.record is not None)
        whole = figure(call.seconds(now) * 1000, "ms")
        deadline = f" of {call.deadline_ms / 1000:g} s" if call.deadline_ms else ""
        self._time_title.set_note(f"{whole}{deadline}")
        none = (
            "The fields are read when the reply is whole." if call.open else "There is no JSON object in it."
        )
        self.parsed.show_reply(None if call.open else texts.parsed(call.reply), none)

    def show_picture(self, image: QImage, note: str) -> None:
        """Show the sent picture, or why it cannot be shown."""
        self.picture.show_image(image, "The picture sent with the call", note)
        self.picture.setVisible(not image.isNull())
        if not image.isNull():
            self._picture_title.set_note(f"{image.width()}×{image.height()} px")
        elif note:
            self._picture_title.set_note(note)

    # ---- inside

    def _build(self) -> QWidget:
        card = Card(gap=STEP)
        card.body.addLayout(row(self._outcome, self._purpose, stretch=1))
        for widget in (self._legality, self._problem, *self._who.values(), self._left_out):
            card.body.addWidget(widget)
        self.grammar.hide()
        self.picture.hide()
        return holder(
            column(
                SectionTitle("Outcome"),
                card,
                self._reply_title,
                self.reply,
                SectionTitle("Parsed reply"),
                self.parsed,
                self._options_title,
                self.options,
                self._time_title,
                self.time,
                self._picture_title,
                self.picture,
                row(self._grammar_button, None),
                self.grammar,
                None,
                margins=PAD,
            )
        )

    def _show_grammar(self, call: Call) -> None:
        size = f"{len(call.grammar):,} characters" if call.grammar else "none: anything might be written"
        sign = "▾" if self._grammar_button.isChecked() else "▸"
        self._grammar_button.setText(f"{sign} Grammar, {size}")
        self._grammar_button.setEnabled(bool(call.grammar))
        self.grammar.setVisible(self._grammar_button.isChecked() and bool(call.grammar))
        self.grammar.show_text(call.grammar)

    def _toggle_grammar(self) -> None:
        if self._call is not None:
            self._show_grammar(self._call)
