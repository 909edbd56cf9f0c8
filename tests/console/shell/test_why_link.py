"""From a decision to why its hints were told, and back, in the whole window."""

from __future__ import annotations

from tests.console.conftest import ConsoleHarness
from tests.console.models.models_page import texts
from tests.console.scripted_session import step
from tests.pitwall_memory_editor.console.why.retrieval_case import retrieval
from tests.pitwall_memory_editor.editor_page import memory_page

from pitwall.console.live.page import LivePage
from pitwall.core.clock import now_ns
from pitwall.core.telemetry import Retrieved, StepNote
from pitwall_memory_editor.console.page import MemoryPage


def test_a_decision_leads_to_its_retrieval_and_back(room: ConsoleHarness) -> None:
    room.play()
    run = room.console.bridge.state.run
    assert run is not None
    first = room.console.bridge.state.steps[-1].step + 1
    for number in (first, first + 1):
        asked = [Retrieved(retrieval=retrieval(number))] if number == first else []
        room.session.tell(*asked, StepNote(run_id=run.run_id, step=step(number, now_ns() - run.at_ns)))
    room.bot.waitUntil(lambda: room.console.bridge.state.steps[-1].step == first + 1)
    inspector = room.console.live.inspection.inspector

    room.console.live.inspect(first + 1)
    assert inspector.why.isHidden()
    room.console.live.inspect(first)
    room.button("Why these hints?", inspector).click()
    why = memory_page(room.console).why
    page: object = room.console.window.page
    assert isinstance(page, MemoryPage)
    assert why.isVisible()
    room.bot.waitUntil(lambda: why.shown is not None and why.shown.step == first)
    assert "✓ 2 hints for the controllers" in texts(why.view)

    room.button("Inspect the decision", why).click()
    page = room.console.window.page
    assert isinstance(page, LivePage)
    decision = inspector.decision
    assert decision is not None and decision.step == first
