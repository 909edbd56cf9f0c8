"""Turns a page's own report into the state contract of SPEC §6."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from pitwall.core.errors import PitwallError
from pitwall.core.validation import first_fault
from pitwall_evaluation.truth.state import TrueState


class StateFault(PitwallError):
    """The page reported a state that breaks the contract."""


def true_state(report: dict[str, Any], *, game_id: str, seed: int) -> TrueState:
    """Build the state, and fill in the values that a page may leave out.

    Args:
        report: nested, with the contract's names. seed: of this play.

    Raises:
        StateFault: a value has the wrong type; names its path.
    """
    terminal = report.get("terminal")
    over = isinstance(terminal, dict) and bool(terminal.get("isTerminal"))
    status = report.get("status") or ("terminal" if over else "playing")
    state = {"gameId": game_id, "seed": seed, **_present(report), "status": status}
    if status == "terminal" and terminal is None:
        state["terminal"] = {"isTerminal": True}
    try:
        return TrueState.model_validate(state)
    except ValidationError as error:
        path, problem = first_fault(error)
        raise StateFault(
            f"the page's state is wrong: {path}: {problem}.",
            "Mend getState() of the page, or this path of [browser.state].",
        ) from None


def _present(report: dict[str, Any]) -> dict[str, Any]:
    """Drop null values, for which the contract has defaults."""
    return {name: value for name, value in report.items() if value is not None}
