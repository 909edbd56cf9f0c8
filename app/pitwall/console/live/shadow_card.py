"""The agent beside you: how far it agrees while you play, what it would press, and giving it control."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import (
    Button,
    Card,
    KeyValue,
    Label,
    PrimaryButton,
    SectionTitle,
    clear_layout,
    column,
)
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import STEP, Look, Tone
from pitwall.console.live.trust_card import IntervalBar
from pitwall.console.services.beside import Beside
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.histories import LANE_S
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase
from pitwall.core import quantities
from pitwall.core.clock import NS_PER_S
from pitwall.core.model_telemetry import Agreement, Disagreement, ModuleState
from pitwall.core.quantities import clock_tenths

_INVITES = (
    "Play it yourself with the agent beside you: it decides as if it played, sends nothing, and you see how "
    "far the two of you agree. Then you may give it control."
)
_BESIDE = "You play; the agent only decides."
_LANE_PX = 18
_SHOWN = 6
"""Newest disagreements that are listed."""
_ROWS: tuple[tuple[str, str, Tone], ...] = (("person", "You", "human"), ("agent", "Agent", "reflex"))


class PressLanes(QWidget):
    """What both had down in the last ten seconds, a lane each; a bar is a key, named where it fits."""

    def __init__(self, bridge: Bridge, look: Look) -> None:
        super().__init__()
        self._bridge, self._look = bridge, look
        self.setFixedHeight(len(_ROWS) * _LANE_PX)
        look.changed.connect(self.update)

    def show_presses(self) -> None:
        """Draw the newest presses."""
        note = self._bridge.state.shadow.note
        you, agent = (
            ", ".join(keys) or "nothing" for keys in ((note.person, note.agent) if note else ((), ()))
        )
        self.setAccessibleName(f"Held now: you {you}, the agent {agent}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        shadow = self._bridge.state.shadow
        painter = QPainter(self)
        head = painter.fontMetrics().horizontalAdvance("Agent ") + STEP
        scale = (self.width() - head) / (LANE_S * NS_PER_S)
        for place, (by, name, tone) in enumerate(_ROWS):
            top = place * _LANE_PX
            painter.setPen(self._look.colour("dim"))
            painter.drawText(QRectF(0, top, head, _LANE_PX), Qt.AlignmentFlag.AlignVCenter, name)
            painter.fillRect(
                QRectF(head, top + 2, self.width() - head, _LANE_PX - 4), self._look.colour("line")
            )
            if shadow.note is None:
                continue
            end = shadow.note.at_ns
            for press in shadow.presses.values():
                if press.by != by:
                    continue
                left = max(float(head), self.width() - (end - press.down_ns) * scale)
                right = self.width() - max(0, end - (press.up_ns or end)) * scale
                bar = QRectF(left, top + 2, max(3.0, right - left), _LANE_PX - 4)
                painter.fillRect(bar, self._look.colour(tone))
                if painter.fontMetrics().horizontalAdvance(press.label) + 4 < bar.width():
                    painter.setPen(self._look.colour("well"))
                    painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, press.label)


class ShadowCard(QWidget):
    """Invites to play beside the agent, and shows the comparison until the next run.

    Args:
        beside: begins the runs and gives control.
    """

    def __init__(self, bridge: Bridge, look: Look, beside: Beside) -> None:
        super().__init__()
        self._bridge, self._beside = bridge, beside
        self._title = SectionTitle("Agent beside you")
        self._text = Label("", wrap=True)
        self._share, self._kappa = KeyValue("Agreement"), KeyValue("Beyond chance (kappa)")
        self._bar = IntervalBar(look, "human")
        self._lanes = PressLanes(bridge, look)
        self._moments = column(gap=STEP)
        self._picture = StillImage(look)
        self._chosen = Label("", "note", wrap=True)
        self._why = Label("", "note", wrap=True)
        self._listed: tuple[tuple[int, int], ...] = ()
        self._begin = Button("Play beside the agent", self._beside.begin)
        self._grant = PrimaryButton("Give it control", self._beside.give_control)
        self._insist = Button(
            "Give it control anyway",
            partial(beside.give_control, insist=True),
            kind="quiet",
            tip="It plays at once; any key of yours takes over",
        )
        self._stop = Button("Stop", bridge.stop, name="Stop playing beside the agent")
        self._score = QWidget()
        score = (self._share, self._bar, self._kappa, self._lanes)
        self._score.setLayout(column(*score, self._moments, self._picture, self._chosen, gap=STEP))
        buttons = Flow(STEP)
        for button in (self._begin, self._grant, self._insist, self._stop):
            buttons.flow.addWidget(button)
        self._card = Card(self._text, buttons, self._why, self._score, gap=STEP + 2)  # the list grows below
        self.setLayout(column(self._title, self._card))
        self.use_subject()

    def use_subject(self) -> None:
        """Drop the former run's comparison."""
        for hidden in (self._picture, self._chosen):
            hidden.hide()
        self._title.set_note("")
        self._list([])
        self.refresh(Part.ALL)

    def refresh(self, changed: Part) -> None:
        if not changed & (Part.PHASE | Part.BUDGETS | Part.GAME):
            return
        state, shadow = self._bridge.state, self._bridge.state.shadow
        beside = self._beside.playing and state.phase in RUNNING | HALTED
        ready = state.phase is Phase.READY
        self.setVisible(beside or (ready and not self._beside.taught))
        self._begin.setVisible(ready)
        self._stop.setVisible(beside)
        self._grant.setVisible(beside)
        self._insist.setVisible(beside and self._beside.insisting_helps)
        self._card.set_tone("human" if beside else "neutral")
        idle = _idle_words(state.modules.values())
        self._text.set_text(" ".join(filter(None, (_BESIDE if beside else _INVITES, idle))))
        self._text.setVisible(beside or shadow.note is None or bool(idle))
        self._score.setVisible(shadow.note is not None)
        refusal = self._beside.refusal if beside else ""
        self._grant.setEnabled(not refusal)
        self._why.set_text(refusal)
        self._why.setVisible(bool(refusal))
        if shadow.note is not None:
            self._show_agreement(shadow.note.agreement)
            self._lanes.show_presses()
            self._list(list(shadow.moments.values()))

    def _show_agreement(self, agreement: Agreement) -> None:
        interval = (agreement.share, agreement.low, agreement.high) if agreement.share is not None else None
        share = quantities.share_with_interval(*interval) if interval else quantities.NONE
        self._share.set_value(share)
        self._bar.show_interval(interval)
        self._bar.setAccessibleName(f"Agreement {share}")
        kappa = "–"
        if agreement.kappa is not None:
            kappa = f"{agreement.kappa:.2f} ({agreement.kappa_low:.2f} to {agreement.kappa_high:.2f})"
        self._kappa.set_value(kappa)
        self._title.set_note(f"{agreement.decisions:,} decisions")

    def _list(self, moments: list[Disagreement]) -> None:
        """List the newest disagreements; a click shows the picture of one."""
        newest = moments[: -_SHOWN - 1 : -1]
        listed = tuple((moment.at_ns, moment.until_ns) for moment in newest)
        if listed == self._listed:
            return
        self._listed = listed
        clear_layout(self._moments)
        for moment in newest:
            self._moments.addWidget(Button(self._words(moment), partial(self._show, moment), kind="link"))

    def _show(self, moment: Disagreement) -> None:
        image = QImage.fromData(base64.b64decode(moment.picture))
        self._picture.show_image(
            image, f"The game as it began: {self._words(moment)}", "No picture was kept."
        )
        self._chosen.set_text(self._words(moment))
        for shown in (self._picture, self._chosen):
            shown.show()

    def _words(self, moment: Disagreement) -> str:
        run = self._bridge.state.run
        at_s = (moment.at_ns - (run.at_ns if run is not None else moment.at_ns)) / NS_PER_S
        you, agent = (", ".join(keys) or "nothing" for keys in (moment.person, moment.agent))
        return f"{clock_tenths(at_s)}  you: {you} · agent: {agent}"


def _idle_words(modules: Iterable[ModuleState]) -> str:
    """Say which modules have versions of which none drives: they take no part."""
    idle = [
        f"{module.name} ({', '.join(module.made)})"
        for module in modules
        if not module.version and module.made
    ]
    if not idle:
        return ""
    return f"No version of {' or '.join(idle)} drives, so it takes no part: promote one in the GSM lab."
