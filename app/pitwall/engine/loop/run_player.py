"""The interface through which a run drives its player."""

from __future__ import annotations

from typing import Protocol

from pitwall.core.injection import PersonActed, Receipt
from pitwall.engine.decision.controllers import Controllers
from pitwall.engine.recording.run_figures import RunFigures
from pitwall.engine.session.game_session import AgentStatus


class RunPlayer(Protocol):
    """Plays one run: an agent, or a person who is watched. A method with a body here is optional.

    Attributes:
        dropped_before: frames that the capture had dropped when the run began.
        controllers: what decides; None if a person plays.
    """

    figures: RunFigures
    dropped_before: int
    run_id: int | None
    controllers: Controllers | None = None

    @property
    def step(self) -> int:
        """Return the number of the step that is open, or was last."""
        ...

    @property
    def budget_spent(self) -> bool:
        """Return whether the player has reached its cap."""
        ...

    @property
    def state_text(self) -> str:
        """Describe play for the operator; empty if there is nothing to say."""
        return ""

    def turn(self, *, fresh: bool) -> None:
        """Play one turn of the loop. `fresh`: a new frame was perceived in it."""
        ...

    def rest(self, *, plan_stays: bool = False) -> None:
        """Spend a turn in which nothing may be played."""
        ...

    def next_due_ns(self) -> int | None:
        """Return when `turn` is due even without a new frame; None if it is not."""
        ...

    def look_afresh(self) -> None:
        """Take a fresh look at the screen before anything else (start, resume)."""
        ...

    def interrupt(self, *, plan_stays: bool = False) -> None:
        """Stop playing now; the open step ends. Harmless twice.

        Args:
            plan_stays: the game stands still meanwhile, so that plan and module go on afterwards.
        """
        ...

    def close(self) -> None:
        """Finish open steps and end every model call."""
        ...

    def shown(self) -> AgentStatus | None:
        """Return the player's state for the console; None if no agent plays."""
        ...

    def acted(self, deed: PersonActed) -> None:  # noqa: ARG002
        """Take a press of the person who plays; an agent ignores it."""
        return

    def receipt(self, receipt: Receipt) -> None:  # noqa: ARG002
        """Take what the broker did with a batch; a person's run sends none."""
        return

    def hold_game(self, *, by_keys: bool) -> str:  # noqa: ARG002
        """Hold the game still for the operator, and say how; a person pauses their game themselves."""
        return ""

    def lasting_pause(self, now: int) -> str:  # noqa: ARG002
        """Say what a person must do where the game's own pause cannot be lifted; empty for nothing."""
        return ""

    def release_game(self, *, by_keys: bool = False) -> None:  # noqa: ARG002
        """Let a held game go on; `by_keys`: also where that takes a tap of keys."""
        return
