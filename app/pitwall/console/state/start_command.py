"""Names the command that starts the agent, lets it go on, or opens its game again."""

from __future__ import annotations

from pitwall.console.state.view_state import HALTED, Phase, ViewState


def start_command(state: ViewState) -> tuple[str, bool]:
    """Return the name of the command that starts, resumes or opens again, and whether it is possible."""
    if state.phase in HALTED and state.cause == "window_gone":
        return "Open again", state.game is not None and state.game.starts and bool(state.fix)
    return ("Resume", True) if state.phase in HALTED else ("Start", state.phase is Phase.READY)
