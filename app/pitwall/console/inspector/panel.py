"""The decision inspector: a step's calls, the prompt of the chosen call by layer, and its reply.

The Live page and the Runs page feed it with steps.
"""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage, QShowEvent
from PySide6.QtWidgets import QFrame, QWidget

from pitwall.console.inspector import format as texts
from pitwall.console.inspector.bars import LayerBar, LayerLegend
from pitwall.console.inspector.call_facts import CallFacts
from pitwall.console.inspector.call_list import CallList
from pitwall.console.inspector.format import Decision
from pitwall.console.inspector.prompt_view import PromptView
from pitwall.console.inspector.step_facts import StepFacts
from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import Button, EmptyState, Label, SectionTitle, column, holder, row
from pitwall.console.kit.panes import Pane, Panes, scrolled, stacked
from pitwall.console.kit.places import MEMORY_PAGE, brought
from pitwall.console.kit.theme import GAP, PAD, Look, route_tone
from pitwall.console.state.model_calls import Call
from pitwall.core.calls import CallTokens
from pitwall.core.clock import NS_PER_S
from pitwall.core.quantities import clock_tenths

INSPECT_KEYS = "Ctrl+I"
KEYS = (
    ("Esc", "Back to the page"),
    ("Alt+←", "The step before; Alt+→ the next one"),
    ("Alt+Shift+←", "The nearest step before with a model call; Alt+Shift+→ after"),
    ("Alt+End", "The newest decision, and stay with it"),
)
"""Its keys, for the help."""
_WRITING_MS = 100
"""An open call's reply and times are drawn so often."""
_STEP_WIDTH, _FACTS_WIDTH = 244, 352
_COMPACT = 940


class DecisionInspector(QWidget):
    """Steps at the left, the prompt in the middle, the call at the right; tabs where it is narrow.

    Args:
        live: the newest decision can be followed.

    Signals:
        left(): back to the page. wanted(step): show this step. newest_wanted(): the newest, from now on.
        picture_wanted(Call): answer with `show_picture`, or not at all.
        why_wanted(step): show what the memory was asked for the step.
    """

    left = Signal()
    wanted = Signal(int)
    newest_wanted = Signal()
    picture_wanted = Signal(object)
    why_wanted = Signal(int)

    def __init__(self, look: Look, *, live: bool) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAccessibleName("Decision inspector")
        self._look = look
        self._live = live
        self._decision: Decision | None = None
        self._call: Call | None = None
        self.calls = CallList(look)
        self.calls.call_chosen.connect(self._choose)
        self.prompt = PromptView(look)
        self.prompt.folded.connect(self._show_layers)
        self.facts = CallFacts(look)
        self._bar = LayerBar(look)
        self._legend = LayerLegend(look, self.prompt.toggle)
        self._whole = Label("", "note", wrap=True)
        self._build_head()
        self._step_side = self._build_step()
        self._prompt_side = self._build_prompt()
        self._nearest = Button("", self._go_nearest, name="Go to the nearest step with a model call")
        self._empty = EmptyState("", "", self._nearest, width=420)
        self._lay_out()
        bind_keys(
            self,
            ("Esc", self.left.emit),
            ("Alt+Left", lambda: self._go(-1)),
            ("Alt+Right", lambda: self._go(1)),
            ("Alt+Shift+Left", lambda: self._jump(-1)),
            ("Alt+Shift+Right", lambda: self._jump(1)),
            ("Alt+End", self._follow),
            anywhere=True,
        )
        self._writing = QTimer(self, interval=_WRITING_MS)
        self._writing.timeout.connect(self._show_writing)

    @property
    def decision(self) -> Decision | None:
        """Return the shown step."""
        return self._decision

    @property
    def call(self) -> Call | None:
        """Return the shown call."""
        return self._call

    def show_decision(self, decision: Decision, *, following: bool = False) -> None:
        """Show a step, or the same step's newer state."""
        self._decision = decision
        self._newest.setChecked(following)
        self._show_head(decision)
        record = decision.record
        self._step_card.show_step(record)
        self._step_card.set_tone(route_tone(record.route) if record is not None else "neutral")
        self.why.setVisible(decision.retrieved and brought(MEMORY_PAGE))
        self._calls_title.setVisible(bool(decision.calls))
        self.calls.setVisible(bool(decision.calls))
        self._calls_title.set_note(f"{len(decision.calls)}")
        self.calls.show_calls(decision.calls)
        if not decision.calls:
            self._call = None
            self._writing.stop()
            self._empty.say(*((decision.note, "") if decision.note else texts.why_no_call(decision.record)))
            self._nearest.setVisible(decision.nearest > 0)
            self._nearest.setText(f"Go to step {decision.nearest:,}, where a model was asked")
        with_calls = self._decision is None or bool(self._decision.calls)
        self._middle.setCurrentWidget(self._prompt_side if with_calls else self._empty)
        self._panes.show_pane(self.facts, with_calls)
        if self._call is not None:
            self._show_call(self._call)

    def show_picture(self, call: Call, image: QImage, note: str = "") -> None:
        """Show the picture of a call, unless another call is in view by now."""
        if call is self._call:
            self.facts.show_picture(image, note)

    # ---- parts

    def _build_head(self) -> None:
        self._title = Label("", "title")
        self._when = Label("", "dim")
        self._back = Button("← Back", self.left.emit, kind="quiet", name="Back to the page", tip="Esc")
        self._before = Button("‹", lambda: self._go(-1), name="The step before", tip="Alt+←")
        self._after = Button("›", lambda: self._go(1), name="The next step", tip="Alt+→")
        self._call_before = Button(
            "« call", lambda: self._jump(-1), name="The step before with a model call", tip="Alt+Shift+←"
        )
        self._call_after = Button(
            "call »", lambda: self._jump(1), name="The next step with a model call", tip="Alt+Shift+→"
        )
        self._newest = Button("Newest", self._follow, name="Stay with the newest decision", tip="Alt+End")
        self._newest.setCheckable(True)
        if not self._live:  # a widget that is shown without a parent becomes a window
            self._newest.hide()
        walk = (self._call_before, self._before, self._after, self._call_after, self._newest)
        line = row(self._back, self._title, self._when, *walk, stretch=2, margins=(PAD, GAP, PAD, GAP))
        self._head = QFrame()
        self._head.setObjectName("pageHead")
        self._head.setLayout(line)

    def _build_step(self) -> QWidget:
        self._calls_title = SectionTitle("Model calls")
        names = ("Route", "Trigger", "Subgoal", "Action", "Sent", "Effect", "Refused")
        unfinished = "The step is not finished: it is recorded when its action was carried out."
        self._step_card = StepFacts(names, unfinished)
        self.why = Button("Why these hints?", self._ask_why, tip="What the memory was asked, and its answer")
        parts = (self._calls_title, self.calls, SectionTitle("The step"), self._step_card, self.why, None)
        side = scrolled(holder(column(*parts, margins=PAD)), "Calls and facts of the step")
        side.setMinimumWidth(_STEP_WIDTH - 24)
        return side

    def _build_prompt(self) -> QWidget:
        self._copy = Button("Copy", self._copy_prompt, kind="link", name="Copy the whole prompt")
        self._prompt_title = SectionTitle("Prompt", "", self._copy)
        parts = (self._prompt_title, self._bar, self._legend, self._whole, self.prompt)
        return holder(column(*parts, stretch=4, margins=PAD))

    def _lay_out(self) -> None:
        self.facts.setMinimumWidth(_FACTS_WIDTH - 52)
        self._middle = stacked(self._prompt_side, self._empty)
        self._panes = Panes(
            Pane("Step", self._step_side, width=_STEP_WIDTH),
            Pane("Prompt", self._middle),
            Pane("Reply", self.facts, width=_FACTS_WIDTH),
            fold_below=_COMPACT,
            keep="inspector",
        )
        self._panes.refolded.connect(self._shorten_buttons)
        self.setLayout(column(self._head, self._panes, gap=0, stretch=1))

    def _shorten_buttons(self, short: bool) -> None:
        self._call_before.setText("«" if short else "« call")
        self._call_after.setText("»" if short else "call »")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._pace()

    # ---- walking

    def _go(self, by: int) -> None:
        decision = self._decision
        if decision is not None and decision.first <= decision.step + by <= decision.last:
            self.wanted.emit(decision.step + by)

    def _jump(self, by: int) -> None:
        decision = self._decision
        step = 0 if decision is None else decision.before if by < 0 else decision.after
        if step:
            self.wanted.emit(step)

    def _go_nearest(self) -> None:
        if self._decision is not None and self._decision.nearest:
            self.wanted.emit(self._decision.nearest)

    def _follow(self) -> None:
        if self._live:
            self.newest_wanted.emit()

    def _ask_why(self) -> None:
        if self._decision is not None:
            self.why_wanted.emit(self._decision.step)

    # ---- what is shown

    def _show_head(self, decision: Decision) -> None:
        self._title.set_text(f"Decision at step {decision.step:,}" if decision.step else "Decision")
        record = decision.record
        at = clock_tenths(record.at_ns / NS_PER_S) if record is not None else ""
        open_now = "being decided" if record is None and any(call.open for call in decision.calls) else ""
        self._when.set_text(" · ".join(part for part in (at, open_now) if part))
        self._before.setEnabled(decision.step > decision.first)
        self._after.setEnabled(decision.step < decision.last)
        self._call_before.setEnabled(decision.before > 0)
        self._call_after.setEnabled(decision.after > 0)

    def _choose(self, call: Call | None) -> None:
        if call is not None and call is not self._call:
            self._show_call(call)

    def _show_call(self, call: Call) -> None:
        other = call is not self._call
        self._call = call
        self.facts.show_call(call)
        self._show_layers()
        if other or call.record is not None:
            self.picture_wanted.emit(call)
        self._pace()

    def _show_layers(self) -> None:
        call = self._call
        if call is None:
            return
        tokens = call.record.tokens if call.record is not None else CallTokens()
        sizes, counted = texts.layer_sizes(call.prompt, tokens.by_layer)
        known = tokens if call.record is not None and tokens.prompt else None
        self._bar.show_layers(sizes, known if counted else None)
        self.prompt.show_prompt(call.prompt, tokens.by_layer)
        self._legend.show_layers(sizes, counted=counted, folded=self.prompt.folded_layers)
        self._whole.show_text(texts.whole_sentences(call.prompt, tokens.by_layer))
        note = "tokens are counted when the call has ended" if call.open else "tokens were not counted"
        self._prompt_title.set_note(texts.cached_words(known) if known is not None else note)
        self._copy.setEnabled(call.prompt is not None)
        self.prompt.setPlaceholderText("" if call.prompt is not None else "The prompt was not kept.")

    def _pace(self) -> None:
        if self._call is not None and self._call.open and self.isVisible():
            self._writing.start()
        else:
            self._writing.stop()

    def _show_writing(self) -> None:
        if self._call is None or not self.isVisible():
            self._writing.stop()
            return
        self.facts.show_progress()
        self.calls.draw_again()

    def _copy_prompt(self) -> None:
        if self._call is not None and self._call.prompt is not None:
            QGuiApplication.clipboard().setText(texts.prompt_text(self._call.prompt))
