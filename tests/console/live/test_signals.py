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

    def show(signals: Signals) -> None:
        record = note(now_ns(), signals=signals)
        room.session.tell(record)
        room.bot.waitUntil(lambda: room.console.bridge.state.note == record)

    show(Signals(repetition=9))
    room.bot.waitUntil(lambda: len(chart._values) > 0 and float(chart._values[-1].max()) >= 9)
    assert len(chart._over.data) == 0
    show(Signals(repetition=9, stall=3))
    room.bot.waitUntil(lambda: len(chart._over.data) == 1)
