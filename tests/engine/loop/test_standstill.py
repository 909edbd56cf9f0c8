"""A standstill is noticed once, after presses that changed nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pitwall.core.clock import NS_PER_S
from pitwall.engine.loop.standstill import Standstill, UnreadScore, UnreadScreen
from pitwall.games.schema.actions import ActionBinding
from pitwall.games.schema.fields import TextField
from pitwall.games.schema.profile import GameInfo, Profile, Screen
from pitwall.gsm.number_course import NumberCourses


def test_presses_without_a_new_frame_are_a_standstill_once() -> None:
    standstill = Standstill()
    assert standstill.follow(5, 100, 0) == 0
    assert standstill.follow(5, 120, 11 * NS_PER_S) == 0
    assert standstill.follow(5, 120, 12 * NS_PER_S) == 12
    assert standstill.follow(5, 140, 30 * NS_PER_S) == 0
    assert standstill.follow(6, 140, 31 * NS_PER_S) == 0, "the picture moved"
    assert standstill.follow(6, 160, 44 * NS_PER_S) == 13


def test_a_still_picture_without_presses_is_no_standstill() -> None:
    standstill = Standstill()
    standstill.follow(5, 100, 0)
    assert standstill.follow(5, 109, 60 * NS_PER_S) == 0


def _session() -> Any:
    """Return as much of a session as the notices need: its profile, and the judge of its score."""
    profile = Profile(
        game=GameInfo(id="kite", name="Kite"),
        screen=Screen(width=400, height=200),
        actions=[ActionBinding(name="up", keys=["ArrowUp"])],
        fields=[TextField(kind="text", name="score", box=(0, 0, 90, 30), number=True)],
    )
    return SimpleNamespace(scores=NumberCourses(profile), game=SimpleNamespace(profile=profile))


def test_a_game_of_which_nothing_is_read_while_keys_are_pressed_may_be_in_a_menu() -> None:
    session, screen = _session(), UnreadScreen()
    session.scores.judge("score", None, 0.0, 0)
    assert screen.notice(session, 0, 90 * NS_PER_S) is None, "the run begins"
    assert screen.notice(session, 40, 99 * NS_PER_S) is None, "it is not 10 s yet"
    assert screen.notice(session, 3, 101 * NS_PER_S) is None, "hardly any key was pressed"
    notice = screen.notice(session, 40, 102 * NS_PER_S)
    assert notice is not None and "still in a menu?" in notice.what
    assert screen.notice(session, 80, 130 * NS_PER_S) is None, "it is said once"
    session.scores.judge("score", 7, 0.9, 131 * NS_PER_S)
    assert screen.notice(session, 90, 131 * NS_PER_S) is None
    assert screen.notice(session, 160, 150 * NS_PER_S) is None, "a number is read"


def test_a_score_that_cannot_be_relied_on_is_noticed_once() -> None:
    session, score = _session(), UnreadScore()
    for at in range(40):
        session.scores.judge("score", None, 0.0, at * 300_000_000)
    notice = score.notice(session)
    assert notice is not None and "cannot be read reliably (field score)" in notice.what
    assert score.notice(session) is None
