"""Names, aliases and arguments to timed events; anything else to a counted no-op (SPEC §5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwall.core.actions import NO_OP, Invalid, ResolvedAction, SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.manifest import load_profile


@pytest.fixture
def words(game_folder: Path) -> Vocabulary:
    return Vocabulary(load_profile(game_folder), "left")


def resolved(words: Vocabulary, text: str, width: int = 200, height: int = 100) -> ResolvedAction:
    return words.resolve(words.parse(text), width=width, height=height)


def timeline(action: ResolvedAction) -> list[tuple[float, str, str]]:
    return [(timed.at_ms, timed.event.kind, timed.event.key) for timed in action.events]


def test_names_fold_and_aliases_count(words: Vocabulary) -> None:
    for text in ("serve", " SERVE ", "Start", "start()"):
        assert words.parse(text) == SemanticAction(name="serve")
    for text in ("tap_at(x=1, y=2)", "Tap At( X=1 ,y=2)".replace("X", "x"), "tap-at(y='2', x=1)"):
        assert words.parse(text) == SemanticAction(name="tap_at", arguments={"x": 1, "y": 2})


def test_arguments_are_merged_with_their_defaults(words: Vocabulary) -> None:
    assert words.parse("move(way=UP)").arguments == {"way": "up", "ms": 100}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("srve", "Did you mean 'serve'?"),
        ("move", "needs the argument 'way'"),
        ("move(way=left)", "none of up, down"),
        ("move(way=up, ms=401)", "outside"),
        ("move(way=up, ms=1.5)", "is no int"),
        ("move(wey=up)", "Did you mean 'way'?"),
        ("move(up)", "Write name=value"),
        ("", "there is no action"),
        ("serve(", "there is no action"),
    ],
)
def test_what_is_illegal_says_why(words: Vocabulary, text: str, part: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        words.parse(text)
    assert part in str(caught.value)


def test_keys_go_down_together_and_up_after_the_hold(words: Vocabulary) -> None:
    action = resolved(words, "move(way=down, ms=150)")
    assert timeline(action) == [
        (0, "key_down", "Shift"),
        (0, "key_down", "ArrowDown"),
        (150, "key_up", "ArrowDown"),
        (150, "key_up", "Shift"),
    ]
    assert (action.duration_ms, action.invalid, action.expect) == (200, None, "ball_x > 10")


def test_a_sequence_taps_one_after_the_other(words: Vocabulary) -> None:
    assert timeline(resolved(words, "combo")) == [
        (0, "key_down", "ArrowUp"),
        (40, "key_up", "ArrowUp"),
        (50, "key_down", "ArrowDown"),
        (90, "key_up", "ArrowDown"),
    ]


def test_clicks_scale_with_the_window_and_stay_inside(words: Vocabulary) -> None:
    events = resolved(words, "tap_at(x=100, y=99)", width=400, height=300).events
    assert [(timed.event.kind, timed.event.x, timed.event.y) for timed in events] == [
        ("mouse_move", 200, 297),
        ("mouse_down", 200, 297),
        ("mouse_up", 200, 297),
    ]


def test_cells_become_coordinates(words: Vocabulary) -> None:
    first, last = (resolved(words, f"tap_cell(column={c}, row={r})").events[1] for c, r in ((0, 0), (7, 3)))
    assert (first.event.x, first.event.y) == (15, 25)
    assert (last.event.x, last.event.y) == (85, 55)
    with pytest.raises(IllegalAction):
        words.parse("tap_cell(column=8, row=0)")


def test_waiting_sends_nothing_and_is_valid(words: Vocabulary) -> None:
    action = resolved(words, "watch")
    assert (action.events, action.invalid, action.duration_ms) == ((), None, 250)
    assert words.resolve(NO_OP, width=1, height=1).invalid is None


def test_roles_bound_actions_keys_and_holds(game_folder: Path) -> None:
    server = Vocabulary(load_profile(game_folder), "server")
    assert server.legal == ("serve", "watch")
    assert server.allowed_keys == {"Space"}
    assert timeline(resolved(server, "serve"))[-1][0] == 60
    with pytest.raises(IllegalAction):
        server.parse("combo")
    outside = server.resolve(SemanticAction(name="combo"), width=1, height=1)
    assert (outside.events, outside.invalid) == ((), Invalid.OUT_OF_SPACE)
    with pytest.raises(IllegalAction, match="Did you mean 'server'"):
        Vocabulary(load_profile(game_folder), "servr")


def test_no_call_and_out_of_space_are_told_apart(words: Vocabulary) -> None:
    assert words.resolve(SemanticAction(name=" "), width=1, height=1).invalid is Invalid.NO_CALL
    assert words.resolve(SemanticAction(name="fly"), width=1, height=1).invalid is Invalid.OUT_OF_SPACE


def test_forms_tell_what_is_legal(game_folder: Path, words: Vocabulary) -> None:
    forms = {form.name: form for form in words.forms}
    assert tuple(forms) == words.legal
    way, ms = forms["move"].arguments
    assert (way.name, way.kind, way.choices, way.default) == ("way", "choice", ("up", "down"), None)
    assert (ms.kind, ms.minimum, ms.maximum, ms.default) == ("int", 20, 400, 100)
    assert forms["move"].expect == "ball_x > 10"
    server = Vocabulary(load_profile(game_folder), "server")
    assert [form.name for form in server.forms] == ["serve", "watch"]


def test_forms_leave_out_what_the_roles_controls_forbid(damaged: Callable[..., Path]) -> None:
    folder = damaged(
        ('controls = { keys = ["Space"], hold_ms = [30, 60] }', 'controls = { keys = ["up", "Shift"] }'),
        ('actions = ["serve", "watch"]', ""),
    )
    forms = {form.name: form for form in Vocabulary(load_profile(folder), "server").forms}
    assert list(forms) == ["move", "watch"]
    assert forms["move"].arguments[0].choices == ("up",)


@pytest.mark.parametrize("choice", [",", "'", '"', "=", "(", ")", " ", "", "a, b=c", "it's", "-", "_"])
def test_any_choice_is_read_back_from_its_text(damaged: Callable[..., Path], choice: str) -> None:
    folder = damaged(
        ('choices = ["up", "down"]', f"choices = ['up', '-x', {json.dumps(choice)}]"),
    )
    space = Vocabulary(load_profile(folder), "left")
    action = SemanticAction(name="move", arguments={"way": choice, "ms": 100})
    assert space.parse(str(action)) == action


_TEXT = st.one_of(
    st.text(),
    st.text("move serv(ayup=sx1,)'\"$- \n"),
    st.builds(
        "{}({}={})".format,
        st.sampled_from(["move", "tap_at", "serve"]),
        st.sampled_from(["way", "ms", "x"]),
        st.one_of(st.text(), st.integers().map(str), st.floats().map(str)),
    ),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=_TEXT)
def test_any_text_is_an_action_or_illegal(words: Vocabulary, text: str) -> None:
    try:
        action = words.parse(text)
    except IllegalAction:
        return
    resolved_action = words.resolve(action, width=200, height=100)
    assert resolved_action.invalid is None
    assert words.parse(str(action)) == action


_VALUE = st.one_of(st.text(), st.integers(), st.floats())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.one_of(st.text(), st.sampled_from(["move", "tap_at", "combo"])),
    arguments=st.dictionaries(st.one_of(st.text(), st.sampled_from(["way", "ms", "x", "y"])), _VALUE),
)
def test_resolving_never_raises(
    words: Vocabulary, name: str, arguments: dict[str, str | int | float]
) -> None:
    action = words.resolve(SemanticAction(name=name, arguments=arguments), width=640, height=480)
    held: set[str] = set()
    for timed in action.events:
        assert 0 <= timed.at_ms <= action.duration_ms
        if timed.event.kind == "key_down":
            held.add(timed.event.key)
        elif timed.event.kind == "key_up":
            held.remove(timed.event.key)
        else:
            assert timed.event.x is not None
            assert 0 <= timed.event.x < 640
    assert not held
    assert action.invalid is None or not action.events
