"""The gate: each refusal by a case of its own, and what must hold whatever happens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.broker.gate import UNFOCUSED, Gate
from pitwall.core.actions import InputEvent, Refusal
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import Configure, HotkeyChords, InputLimits, StopCause
from pitwall.desktops.input_backend import DesktopState, held_name

TARGET = WindowRef(native_id=7, pid=1, title="", wm_class="", rect=Rect(0, 0, 9, 9))
KEYS = ("w", "a", "s", "Shift", "Control", "Alt", "Meta", "F4", "F1", "Tab", "Pause", "ScrollLock", "Space")
CLEAR = DesktopState(focused=True, over_game=True)


def armed_gate(limits: InputLimits | None = None, *, keys: tuple[str, ...] = KEYS) -> Gate:
    gate = Gate()
    gate.configure(
        Configure(
            limits=limits or InputLimits(),
            hotkeys=HotkeyChords(),
            target=TARGET,
            allowed_keys=keys,
            allow_mouse=True,
        )
    )
    gate.rearm(0)
    return gate


def down(key: str) -> InputEvent:
    return InputEvent(kind="key_down", key=key)


def up(key: str) -> InputEvent:
    return InputEvent(kind="key_up", key=key)


CLICK = InputEvent(kind="mouse_down", x=3, y=3)
MOVE = InputEvent(kind="mouse_move", x=3, y=3)


def test_a_press_passes_and_is_in_the_ledger() -> None:
    gate = armed_gate()
    assert gate.admit(down("w"), CLEAR, now_ns=5) is None
    assert gate.admit(CLICK, CLEAR, now_ns=6) is None
    assert gate.ledger.names == ("w", "MouseLeft")
    assert [event.kind for event in gate.release_all()] == ["mouse_up", "key_up"]
    assert len(gate.ledger) == 0


@pytest.mark.parametrize(
    ("event", "desktop", "refusal"),
    [
        (down("w"), DesktopState(focused=False), Refusal.FOCUS),
        (CLICK, DesktopState(focused=False, over_game=True), Refusal.FOCUS),
        (CLICK, DesktopState(focused=True, over_game=False), Refusal.POINTER),
        (MOVE, DesktopState(focused=True, over_game=False), Refusal.POINTER),
        (InputEvent(kind="scroll", dy=1), DesktopState(focused=True), Refusal.POINTER),
        (down("z"), CLEAR, Refusal.NOT_ALLOWED),
    ],
)
def test_refused_by_where_it_would_go(event: InputEvent, desktop: DesktopState, refusal: Refusal) -> None:
    assert armed_gate().admit(event, desktop, now_ns=1) is refusal


def test_refused_before_arming_after_disarming_and_while_latched() -> None:
    gate = armed_gate()
    gate.disarm()
    assert gate.admit(down("w"), CLEAR, now_ns=1) is Refusal.DISARMED
    gate.rearm(1)
    gate.latch(StopCause.HOTKEY)
    assert gate.admit(down("w"), CLEAR, now_ns=1) is Refusal.LATCHED
    assert Gate().admit(down("w"), CLEAR, now_ns=1) is Refusal.DISARMED


def test_refused_without_a_window() -> None:
    gate = armed_gate()
    gate.has_target = False
    assert gate.admit(down("w"), CLEAR, now_ns=1) is Refusal.WINDOW_GONE


def test_mouse_is_refused_where_the_role_has_none() -> None:
    gate = Gate()
    gate.configure(Configure(limits=InputLimits(), hotkeys=HotkeyChords(), target=TARGET))
    gate.rearm(0)
    assert gate.admit(CLICK, CLEAR, now_ns=1) is Refusal.NOT_ALLOWED
    assert gate.admit(down("w"), CLEAR, now_ns=1) is Refusal.NOT_ALLOWED


@pytest.mark.parametrize("observed_ms", [0, 1])
def test_a_stale_look_is_refused(observed_ms: int) -> None:
    gate = armed_gate(InputLimits(observation_age_ms=100))
    observed_ns = 1_000 * NS_PER_MS
    age_ns = 100 * NS_PER_MS + observed_ms
    refusal = gate.admit(down("w"), CLEAR, now_ns=observed_ns + age_ns, observed_ns=observed_ns)
    assert refusal is (Refusal.STALE if observed_ms else None)


@pytest.mark.parametrize(
    "keys",
    [
        ("Alt", "F4"),
        ("F4", "Alt"),
        ("Alt", "Tab"),
        ("Alt", "Space"),
        ("Meta",),
        ("w", "Meta"),
        ("Control", "Alt", "w"),
        ("w", "Control", "Alt"),
        ("Alt", "w", "Control"),
        ("Pause",),
        ("Control", "Pause"),
        ("ScrollLock",),
        ("Shift", "F1"),
        ("F1", "Shift"),
    ],
)
def test_forbidden_combinations_in_any_order(keys: tuple[str, ...]) -> None:
    gate = armed_gate()
    *before, last = keys
    assert [gate.admit(down(key), CLEAR, now_ns=1) for key in before] == [None] * len(before)
    assert gate.admit(down(last), CLEAR, now_ns=1) is Refusal.FORBIDDEN


@pytest.mark.parametrize("keys", [("F4",), ("Alt", "w"), ("Control", "Alt"), ("F1",), ("Control", "F1")])
def test_near_misses_pass(keys: tuple[str, ...]) -> None:
    gate = armed_gate()
    assert [gate.admit(down(key), CLEAR, now_ns=1) for key in keys] == [None] * len(keys)


def test_the_operators_modifiers_count_too() -> None:
    gate = armed_gate()
    desktop = DesktopState(focused=True, over_game=True, modifiers=frozenset({"Alt"}))
    assert gate.admit(down("F4"), desktop, now_ns=1) is Refusal.FORBIDDEN
    meta = DesktopState(focused=True, over_game=True, modifiers=frozenset({"Meta"}))
    assert gate.admit(CLICK, meta, now_ns=1) is Refusal.FORBIDDEN


def test_held_cap_and_a_second_press_of_a_held_key() -> None:
    gate = armed_gate(InputLimits(held_keys=2))
    assert gate.admit(down("w"), CLEAR, now_ns=1) is None
    assert gate.admit(down("a"), CLEAR, now_ns=1) is None
    assert gate.admit(down("s"), CLEAR, now_ns=1) is Refusal.HELD_CAP
    assert gate.admit(down("w"), CLEAR, now_ns=9) is None
    assert gate.ledger.since("w") == 1
    gate.admit(up("a"), UNFOCUSED, now_ns=2)
    assert gate.admit(down("s"), CLEAR, now_ns=3) is None


def test_rate_cap_over_any_second_and_the_wheel_counts_by_notches() -> None:
    gate = armed_gate(InputLimits(actions_per_second=3))
    for at in (0, 1, 2):
        assert gate.admit(down("w"), CLEAR, now_ns=at) is None
        gate.admit(up("w"), UNFOCUSED, now_ns=at)
    assert gate.admit(down("w"), CLEAR, now_ns=NS_PER_S - 1) is Refusal.RATE
    assert gate.admit(MOVE, CLEAR, now_ns=NS_PER_S - 1) is None
    assert gate.admit(InputEvent(kind="scroll", dy=-2), CLEAR, now_ns=NS_PER_S) is Refusal.RATE
    assert gate.admit(InputEvent(kind="scroll", dy=-2), CLEAR, now_ns=NS_PER_S + 1) is None
    assert gate.admit(down("w"), CLEAR, now_ns=NS_PER_S + 1) is Refusal.RATE


def test_longest_hold_and_its_deadline() -> None:
    gate = armed_gate(InputLimits(hold_ms=50, heartbeat_ms=5_000))
    gate.admit(down("w"), CLEAR, now_ns=0)
    gate.admit(down("a"), CLEAR, now_ns=10 * NS_PER_MS)
    assert gate.next_deadline_ns() == 50 * NS_PER_MS
    assert gate.overdue(50 * NS_PER_MS - 1) == []
    assert gate.overdue(50 * NS_PER_MS) == [up("w")]
    assert gate.ledger.names == ("a",)


def test_silence_counts_only_while_armed() -> None:
    gate = armed_gate(InputLimits(heartbeat_ms=250))
    assert not gate.hung(250 * NS_PER_MS)
    assert gate.hung(250 * NS_PER_MS + 1)
    gate.beat(200 * NS_PER_MS)
    assert not gate.hung(250 * NS_PER_MS + 1)
    gate.latch(StopCause.CONSOLE)
    assert not gate.hung(9 * NS_PER_S)
    assert gate.next_deadline_ns() is None


# ---- whatever happens

_EVENTS = st.one_of(
    st.builds(InputEvent, kind=st.sampled_from(["key_down", "key_up"]), key=st.sampled_from([*KEYS, "z"])),
    st.builds(
        InputEvent,
        kind=st.sampled_from(["mouse_down", "mouse_up", "mouse_move"]),
        button=st.sampled_from(["left", "middle", "right"]),
        x=st.just(1),
        y=st.just(1),
    ),
    st.builds(InputEvent, kind=st.just("scroll"), dy=st.integers(-3, 3)),
)
_STEPS = st.lists(
    st.tuples(
        st.one_of(_EVENTS, st.sampled_from(["rearm", "disarm", "latch", "lose focus", "get focus", "clock"])),
        st.integers(0, 400),
    ),
    max_size=80,
)
_PRESSES = ("key_down", "mouse_down")
_RELEASES = ("key_up", "mouse_up")


class Machine:
    """What the game would feel of a gate's decisions."""

    def __init__(self) -> None:
        self.limits = InputLimits(held_keys=3, actions_per_second=5, hold_ms=900)
        self.gate = armed_gate(self.limits)
        self.gate.disarm()
        self.down: dict[str, int] = {}
        self.presses: list[int] = []
        self.focused = True
        self.now_ns = 0

    def step(self, action: InputEvent | str) -> None:
        if isinstance(action, InputEvent):
            self.event(action)
        elif action == "rearm":
            self.gate.rearm(self.now_ns)
        elif action == "disarm":
            self.apply(self.gate.disarm())
        elif action == "latch":
            self.apply(self.gate.latch(StopCause.TAKEOVER))
        elif action == "lose focus":
            self.focused = False
            self.apply(self.gate.release_all())
        elif action == "get focus":
            self.focused = True
        self.apply(self.gate.overdue(self.now_ns))

    def event(self, event: InputEvent) -> None:
        free = self.gate.live and self.focused
        desktop = DesktopState(focused=self.focused, over_game=self.focused)
        refusal = self.gate.admit(event, desktop, now_ns=self.now_ns)
        if event.kind in _RELEASES:
            assert refusal is None
            self.down.pop(held_name(event), None)
        elif refusal is None:
            assert free
            self.passed(event)

    def passed(self, event: InputEvent) -> None:
        assert event.key not in ("Meta", "Pause", "ScrollLock", "z")
        count = abs(event.dy)
        if event.kind in _PRESSES and held_name(event) not in self.down:
            self.down[held_name(event)] = self.now_ns
            count = 1
        self.presses += [self.now_ns] * count

    def apply(self, events: list[InputEvent]) -> None:
        for event in events:
            assert event.kind in _RELEASES
            assert self.down.pop(held_name(event), None) is not None

    def check(self) -> None:
        assert set(self.gate.ledger.names) == set(self.down)
        assert len(self.down) <= self.limits.held_keys
        if not self.gate.live or not self.focused:
            assert not self.down
        assert all(self.now_ns - since < self.limits.hold_ms * NS_PER_MS for since in self.down.values())
        recent = [at for at in self.presses if self.now_ns - at < NS_PER_S]
        assert len(recent) <= self.limits.actions_per_second
        held = set(self.down)
        assert not {"Alt", "F4"} <= held
        assert not ({"Control", "Alt"} <= held and len(held) > 2)


@settings(max_examples=150, deadline=None)
@given(_STEPS)
def test_whatever_happens_nothing_is_down_that_may_not_be(steps: list[tuple[InputEvent | str, int]]) -> None:
    machine = Machine()
    for action, pause_ms in steps:
        machine.now_ns += pause_ms * NS_PER_MS
        machine.step(action)
        machine.check()
