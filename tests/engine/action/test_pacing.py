"""Repeats yield to what is new, before the broker has to refuse it."""

from __future__ import annotations

from pitwall.broker.gate import Gate
from pitwall.core.actions import InputEvent, Refusal, ResolvedAction, SemanticAction, TimedEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import Configure, HotkeyChords, InputLimits
from pitwall.desktops.input_backend import DesktopState
from pitwall.engine.action.executor import Executor
from pitwall.engine.action.pacing import Pacing

FRAME_NS = 33 * NS_PER_MS


def _tap(key: str) -> ResolvedAction:
    events = (
        TimedEvent(at_ms=0.0, event=InputEvent(kind="key_down", key=key)),
        TimedEvent(at_ms=30.0, event=InputEvent(kind="key_up", key=key)),
    )
    return ResolvedAction(action=SemanticAction(name="tap"), events=events, duration_ms=100)


def _gate() -> Gate:
    gate = Gate()
    window = WindowRef(native_id=1, pid=1, title="t", wm_class="t", rect=Rect(0, 0, 9, 9))
    gate.configure(
        Configure(
            limits=InputLimits(heartbeat_ms=5_000),
            hotkeys=HotkeyChords(),
            target=window,
            allowed_keys=("z", "Space"),
        )
    )
    gate.rearm(0)
    return gate


def _fight(executor: Executor) -> tuple[list[str], list[Refusal]]:
    """Ten seconds in which a module attacks on every frame, and dodges now and then: keys, refusals."""
    gate, keys, refused = _gate(), [], []
    for frame in range(300):
        now = (frame + 1) * FRAME_NS
        executor.begin(_tap("Space" if frame % 29 == 28 else "z"), now)
        for at in (now, now + 31 * NS_PER_MS):
            for event in executor.due(at):
                refusal = gate.admit(event, DesktopState(focused=True), now_ns=at)
                if refusal is not None:
                    refused.append(refusal)
                    executor.refused(event, at)
                elif event.kind == "key_down":
                    keys.append(event.key)
    return keys, refused


def test_a_module_that_taps_on_every_frame_is_not_refused_its_dodges() -> None:
    unpaced, refused = _fight(Executor())
    assert set(refused) == {Refusal.RATE}
    assert unpaced.count("Space") < 10
    keys, refused = _fight(Executor(pacing=Pacing(InputLimits().actions_per_second)))
    assert refused == []
    assert keys.count("Space") == 10
    assert keys.count("z") > 100


def test_what_steps_decide_waits_for_room_and_none_of_it_is_left_out() -> None:
    """Ten seconds of steps of 30 ms that press the same key, behind a module's burst: as fast as the broker
    lets them, none refused."""
    executor, gate = Executor(pacing=Pacing(InputLimits().actions_per_second)), _gate()
    for frame in range(30):
        executor.begin(_tap("z"), frame * FRAME_NS)
        for event in executor.due(frame * FRAME_NS):
            gate.admit(event, DesktopState(focused=True), now_ns=frame * FRAME_NS)
        executor.due(frame * FRAME_NS + 31 * NS_PER_MS)
    now, pressed = 30 * FRAME_NS, []
    while now < 30 * FRAME_NS + 10_000 * NS_PER_MS:
        begins = executor.room_ns(now, 1)
        executor.begin(_tap("z"), begins, yields=False)
        for at in (begins, begins + 30 * NS_PER_MS):
            for event in executor.due(at):
                assert gate.admit(event, DesktopState(focused=True), now_ns=at) is None
                pressed += [at] if event.kind == "key_down" else []
        now = begins + 31 * NS_PER_MS
    assert len(pressed) > 9 * InputLimits().actions_per_second
    assert executor.room_ns(now, 1) < executor.room_ns(now, 4) <= now + 1_050 * NS_PER_MS
    assert executor.room_ns(now, 99) == executor.room_ns(now, 20), "never for so many: when all are over"
    assert Executor().room_ns(now, 99) == now, "nothing is counted"


def test_a_refused_press_is_not_taken_for_one_that_is_held() -> None:
    executor = Executor()
    executor.begin(_tap("z"), 0)
    (press,) = executor.due(0)
    executor.refused(press, 9)  # another press of it, which is long over
    assert list(executor.held) == ["z"]
    executor.refused(press, 0)
    assert list(executor.held) == []
    executor.begin(_tap("z"), 5 * NS_PER_MS)
    assert [event.kind for event in executor.due(5 * NS_PER_MS)] == ["key_down"]
