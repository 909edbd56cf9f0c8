"""The strips of the signals: only a signal that is a reason to plan is marked."""

from __future__ import annotations

from tests.console.conftest import ConsoleHarness
from tests.console.scripted_session import note

from pitwall.console.live.signals.strip_chart import StripChart
from pitwall.core.clock import now_ns
from pitwall.core.signals import Signals


def test_the_same_action_is_no_alarm_while_the_game_makes_progress(room: ConsoleHarness) -> None:
    room.play()
    chart = room.console.window.findChild(StripChart)
    assert chart is not None

    def marked(signals: Signals) -> int:
        told = note(now_ns(), signals=signals)
        room.session.tell(told)
        room.bot.waitUntil(lambda: room.console.bridge.state.note == told)
        room.bot.waitUntil(lambda: float(chart._values[-1].max()) >= signals.repetition)
        return len(chart._over.data)

    assert marked(Signals(repetition=9)) == 0
    assert marked(Signals(repetition=9, stall=3)) == 1
