"""Games: every bundled game is started once in its window; state, frame rate and pause are judged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder, bundled_games_dir
from pitwall.games.registry import Registry
from pitwall.link.game_control import AskStatus, GameControl, Hold, Release
from pitwall_evaluation.truth.state import TrueState
from workshop.campaigns.harness import Campaign, Case, Ended, FellShort, Trial
from workshop.fixtures.games.bare_window import bare_window
from workshop.fixtures.games.played_game import Look, PlayedGame, played_game

AIM = 55 / 60
"""Share of its own frame rate that a game keeps at least."""
_USUAL_HZ = 60.0
OWN_HZ = {"arena": 30.0, "flappy": 30.0, "doom": 35.0, "shooting": 35.0}
"""Frame rates that games have by their rules, where it is not the display's."""
LIVELY_PX = {"doom": 80}
"""Rows at the bottom that live on while a game is paused: Doom's face looks round."""
_PATIENCE_S = 60.0
_SLICE_S, _SLICES, _MOST_SLICES = 0.5, 10, 60
"""The rate is taken of slices in which a play was on from begin to end."""
_IDLE_HZ = 3.0
"""A game that draws less while nothing is pressed draws only what changes."""
_STILL_S, _STILL_LOOKS, _SETTLE_S = 2.0, 3, 1.5


Moment = tuple[TrueState | None, Pixels, float | None]
"""A game's state, picture and clock at the same time."""


@cache
def games() -> tuple[str, ...]:
    """Return the id of every bundled game."""
    return tuple(sorted(file.parent.name for file in bundled_games_dir().glob("*/plugin.toml")))


@dataclass
class Finding:
    """What a game showed; its figures are the row of the result.

    Attributes:
        faults: why it falls short.
    """

    figures: dict[str, Any]
    faults: list[str] = field(default_factory=list)


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    yield lambda case: started(games()[case.index], case)


def started(game_id: str, case: Case) -> Ended:
    """Start a game, play it, pause it and let it go on.

    Raises:
        FellShort: it does not start, tells no valid state, keeps no frame rate on a machine at rest, or its
            pause is not exact.
    """
    finding = Finding({"game": game_id})
    try:
        data = DataFolder(case.folder / "data")
        with played_game(Registry(data).load(game_id), data, case.chance) as play:
            outcome = _judge(play, finding, case)
    except PitwallError as error:
        raise FellShort(f"{game_id}: {error}", finding.figures) from None
    if finding.faults:
        raise FellShort(f"{game_id}: {'; '.join(finding.faults)}", finding.figures)
    return Ended(outcome, finding.figures)


def _judge(play: PlayedGame, finding: Finding, case: Case) -> str:
    truth = play.game.profile.truth
    tells = truth is not None and truth.verified
    if tells and not play.until(lambda: play.state() is not None, _PATIENCE_S):
        raise PitwallError(f"it tells no state: {play.last_words()}")
    play.focus()
    if not play.until(play.playing, _PATIENCE_S, press=True):
        raise PitwallError(f"no play begins, its state stays {play.state()}")
    finding.figures["state"] = "as the contract says" if tells else "none told"
    outcome = _rate(play, finding, case)
    _pause(play, finding)
    return outcome


def _rate(play: PlayedGame, finding: Finding, case: Case) -> str:
    """Measure the frame rate while the game is played; return the verdict in words."""
    own_hz = OWN_HZ.get(play.game.game_id, _USUAL_HZ)
    play.let_go()
    on_change = _rests(play)
    (look, _), bare_hz = _played(play), None
    if not on_change and _hz(look) < own_hz * AIM:
        with bare_window(case.folder / "bare") as bare:
            play.focus()
            again, beside = _played(play, bare)
        look, bare_hz = max(look, again, key=_hz), round(_hz(beside), 1)
    load = os.getloadavg()[0]
    finding.figures |= {
        "frames_per_s": round(_hz(look), 1),
        "own_hz": None if on_change else own_hz,
        "bare_window": bare_hz,
        "changed_share": round(look.changed / max(1, look.taken), 2),
        "cpu_ms_a_frame": round(look.cpu_s * 1000 / max(1, look.redraws), 1),
        "load": round(load, 1),
    }
    if look.seconds < _SLICE_S:
        finding.faults.append("no play lasted half a second")
    if on_change:
        return "draws what changes"
    if _hz(look) >= own_hz * AIM:
        return "keeps its rate"
    if load <= (os.cpu_count() or 1):
        finding.faults.append(f"{_hz(look):.1f} frames a second of {own_hz:g}")
    return "below its rate, under load"


def _rests(play: PlayedGame) -> bool:
    """Return whether the game draws nothing in mid-play once the last press is drawn to its end."""
    for _ in range(_STILL_LOOKS):
        before = play.playing()
        if _hz(play.watch(_STILL_S, press=False)) < _IDLE_HZ and before and play.playing():
            return True
    return False


def _played(play: PlayedGame, bare: PlayedGame | None = None) -> tuple[Look, Look]:
    """Return the figures of some seconds of play, without menus and endings.

    Args:
        bare: a window beside it whose figures are taken by turns, for the second result.
    """
    whole, beside, slices = Look(), Look(), 0
    for _ in range(_MOST_SLICES):
        before = play.playing()
        look = play.watch(_SLICE_S)
        if before and play.playing():
            whole.add(look)
            slices += 1
        if bare is not None:
            beside.add(bare.watch(_SLICE_S, press=False))
        if slices == _SLICES:
            break
    return whole, beside


def _hz(look: Look) -> float:
    return look.redraws / look.seconds if look.seconds else 0.0


def _pause(play: PlayedGame, finding: Finding) -> None:
    """Hold the game in mid-play for some seconds, compare, and let it go on."""
    play.let_go()
    if not play.until(play.playing, _PATIENCE_S, press=True):
        raise PitwallError("no play begins again")
    control = GameControl(play.launched.control)
    try:
        by = _hold(play, control)
        finding.figures["paused_by"] = by
        if not by:
            finding.faults.append("it has no pause")
            return
        play.let_go()
        _settle(play)
        before = play.state(), play.picture(), _game_ms(control)
        play.watch(_STILL_S, press=False)
        after = play.state(), play.picture(), _game_ms(control)
        _release(play, control, by)
    finally:
        control.close()
    faults = list(_changes(before, after, LIVELY_PX.get(play.game.game_id, 0)))
    if not _goes_on(play, after):
        faults.append("it does not go on after the pause")
    finding.figures["pause"] = "not exact" if faults else "exact"
    finding.faults += faults


def _changes(before: Moment, after: Moment, lively_px: int) -> Iterator[str]:
    """Describe what changed between the begin and the end of a pause."""
    if _timeless(before[0]) != _timeless(after[0]):
        yield f"its state changed while it was paused: {', '.join(_unlike(before[0], after[0]))}"
    high = before[1].shape[0] - lively_px
    if not np.array_equal(before[1][:high], after[1][:high]):
        yield "its picture changed while it was paused"
    if before[2] != after[2]:
        yield f"its clock went from {before[2]} to {after[2]} ms while it was paused"


def _unlike(before: TrueState | None, after: TrueState | None) -> Iterator[str]:
    """Name the parts in which two states differ, with their values where these are short."""
    for name in sorted(TrueState.model_fields):
        first, second = getattr(before, name, None), getattr(after, name, None)
        if first != second and name != "timestamp_ms":
            yield f"{name} {first} → {second}" if isinstance(first, str | int | float) else name


def _goes_on(play: PlayedGame, held: Moment) -> bool:
    """Return whether picture and state of a game change again while it is played."""
    moves = play.until(lambda: not np.array_equal(play.picture(), held[1]), _PATIENCE_S, press=True)
    state = _timeless(held[0])
    if not moves or state is None:
        return moves
    return play.until(lambda: _timeless(play.state()) != state, _PATIENCE_S, press=True)


def _hold(play: PlayedGame, control: GameControl) -> str:
    """Pause the game; return by which means, or nothing if there is none."""
    if control.listening:
        control.ask(Hold())
        return "its clock"
    pause = play.game.profile.pause
    if pause is not None:
        play.tap(*pause.keys)
        return "its key"
    return "turns" if play.game.profile.game.by_turns else ""


def _release(play: PlayedGame, control: GameControl, by: str) -> None:
    pause = play.game.profile.pause
    if by == "its clock":
        control.ask(Release())
    elif by == "its key" and pause is not None:
        play.focus()
        play.tap(*(pause.resume or pause.keys))


def _settle(play: PlayedGame) -> None:
    """Wait until the last picture before the pause is drawn and the last state written."""

    def same() -> bool:
        state, picture = play.state(), play.picture()
        play.watch(_SETTLE_S, press=False)
        return _timeless(play.state()) == _timeless(state) and np.array_equal(picture, play.picture())

    play.until(same, _PATIENCE_S / 3)


def _timeless(state: TrueState | None) -> object:
    """Return a state without the wall clock's time."""
    return state and state.model_copy(update={"timestamp_ms": 0.0})


def _game_ms(control: GameControl) -> float | None:
    return control.ask(AskStatus()).game_ms if control.listening else None


CAMPAIGN = Campaign(
    tries="every bundled game is started once: its window and its state come, it keeps 55 of 60 frames a "
    "second while it is played, and a pause of two seconds changes nothing",
    rig=_rig,
    screen=True,
    alone=False,
    cases=lambda: len(games()),
)
