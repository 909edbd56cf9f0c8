"""The engine's state as the operator sees it, derived from the game in view, the run and the focus."""

from __future__ import annotations

from pitwall.core.clock import now_ns
from pitwall.core.geometry import WindowHealth
from pitwall.core.injection import FocusHolder
from pitwall.core.telemetry import REVIEWING, UNSAFE, EngineState, StateChanged
from pitwall.engine.action.broker_link import GIVES_WAY, BrokerLink
from pitwall.engine.loop.active_run import ActiveRun
from pitwall.engine.loop.run_review import RunReview
from pitwall.engine.session.game_session import GameSession


def may_play(session: GameSession, run: ActiveRun | None) -> bool:
    return (
        run is not None
        and run.held_back is None
        and not (run.keyboard_lent or run.lasting_pause.text or run.kept_waiting)
        and run.focus is FocusHolder.GAME
        and session.view.health is WindowHealth.VISIBLE
    )


def phase(
    session: GameSession,
    run: ActiveRun | None,
    broker: BrokerLink | None,
    *,
    loading: bool = False,
    review: RunReview | None = None,
) -> StateChanged:
    """Return the state now, its cause, and what the operator can do about it.

    Args:
        loading: a policy is being loaded.
        review: the review of the previous run, while it goes on.
    """
    name = session.game.profile.game.name
    obstacle = broker.obstacle if broker is not None else None
    if run is not None and run.held_back is not None:
        held = run.held_back
        keys = obstacle.stop_keys if obstacle is not None and held.cause == UNSAFE else ()
        return StateChanged(state=held.state, cause=held.cause, text=held.text, fix=held.fix, stop_keys=keys)
    opening = ("", "")
    if session.view.source is None:
        opening = ("window", f"Waiting for the window of {name}.")
    elif run is None and loading:
        opening = ("modules", "Loading the game sense modules.")
    elif run is None and session.awaits_clock(now_ns()):
        opening = ("steering", f"Waiting until {name} can be paused.")
    elif run is None and (broker is None or not broker.listens):
        opening = ("broker", "Waiting until the start and stop keys are heard.")
    if opening[0]:
        return StateChanged(state=EngineState.OPENING, cause=opening[0], text=opening[1])
    if run is None and obstacle is not None and not session.mode.by_person:
        return StateChanged(
            state=EngineState.READY,
            cause=UNSAFE,
            text=obstacle.what,
            fix=obstacle.fix,
            stop_keys=obstacle.stop_keys,
        )
    if run is None and review is not None:
        return StateChanged(
            state=EngineState.READY, cause=REVIEWING, text=review.text, fix="Start, or Stop, ends that."
        )
    if run is None:
        return StateChanged(state=EngineState.READY, text=f"{name} is in view.", fix="Press Start.")
    if may_play(session, run):
        return StateChanged(state=EngineState.PLAYING, text=run.player.state_text)
    return _waiting(session, run)


def _waiting(session: GameSession, run: ActiveRun) -> StateChanged:
    """Return the state of a run that waits for the game's window or for the keyboard."""
    if run.keyboard_lent:
        text = f"You type in the console. {run.keyboard_lent}"
        fix = "The agent goes on when the keyboard is back in the game."
        return StateChanged(state=EngineState.WAITING, cause=FocusHolder.CONSOLE.value, text=text, fix=fix)
    name = session.game.profile.game.name
    if run.kept_waiting == GIVES_WAY:
        fix = "The agent goes on two seconds after your last key there, or when you leave it."
        return StateChanged(state=EngineState.WAITING, cause=FocusHolder.OTHER.value, text=GIVES_WAY, fix=fix)
    if run.kept_waiting and run.focus is FocusHolder.GAME:
        fix = "" if run.mode.by_person else "Let it go; the agent goes on then."
        return StateChanged(state=EngineState.WAITING, cause="broker", text=run.kept_waiting, fix=fix)
    if run.lasting_pause.text:
        fix = f"{run.lasting_pause.text} The agent goes on by itself then."
        return StateChanged(
            state=EngineState.WAITING, cause="game_paused", text=f"{name} is paused.", fix=fix
        )
    minimised = session.view.health is not WindowHealth.VISIBLE
    text, fix = (
        f"{name} does not have the keyboard focus.",
        "Bring its window to the front: play goes on then.",
    )
    if minimised:
        text = f"{name} is minimised, or on another workspace."
        fix = "Bring its window back into view: play goes on by itself then."
    return StateChanged(
        state=EngineState.WAITING,
        cause="minimised" if minimised else run.focus.value,
        text=text,
        fix=fix,
    )
