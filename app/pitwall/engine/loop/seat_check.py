"""Makes sure before a run that presses are safe, and that the agent's own keyboard reaches the game."""

from __future__ import annotations

from pitwall.core.errors import PitwallError, UnsafeStart
from pitwall.core.paths import DataFolder
from pitwall.desktops.here import this_desktop
from pitwall.engine.loop.aimed_broker import AimedBroker
from pitwall.engine.loop.trial_press import Take, TrialPress
from pitwall.engine.session.game_session import GameSession
from pitwall.games.seat_checks import keep_seat_check, seat_check


def check_before_run(session: GameSession, broker: AimedBroker, data: DataFolder, take: Take) -> str:
    """Check the broker, and its own seat where no check with these versions is kept.

    Returns:
        A sentence for the operator where the agent shares the person's devices now; else "".

    Raises:
        UnsafeStart: no agent may play; says why.
    """
    try:
        broker.check(session, take)
        kept = seat_check(data, session.game.game_id)
        if (
            not session.settings.broker.own_seat
            or session.beside
            or (kept is not None and kept.holds(session.game, this_desktop().version()))
        ):
            return ""
        return try_own_seat(session, broker, data, take)
    except UnsafeStart:
        session.end_run()
        raise
    except PitwallError:  # the game took no press now: the run waits for it, and the next one tries again
        return ""


def try_own_seat(session: GameSession, broker: AimedBroker, data: DataFolder, take: Take) -> str:
    """Press with the agent's own devices, and keep whether it arrived; where it did not, share the person's.

    Returns:
        See `check_before_run`.

    Raises:
        PitwallError: the game does not take the focus, or the press was refused.
    """
    session.own_seat_arrives = True
    if not session.settings.broker.own_seat or session.beside:
        return ""
    broker.check(session, take)
    trial = TrialPress(session, broker.link, take)
    with trial.armed():  # the seat exists only while the broker is armed
        arrives = trial.arrives() if broker.link.own_seat else None
    if arrives is None:
        return ""
    keep_seat_check(data, session.game, this_desktop().version(), arrives=arrives)
    if arrives:
        return ""
    session.own_seat_arrives = False
    broker.check(session, take)
    return (
        f"{session.game.profile.game.name} does not hear the agent's own keyboard: the agent shares yours, "
        "and waits while you use it."
    )
