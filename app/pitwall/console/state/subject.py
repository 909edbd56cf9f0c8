"""Names the game and the run that the console shows: the one owner of "which game, which run". No Qt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Names the game and the run that the console shows now.

    `ViewState` makes it, `Bridge.subject_changed` reports each change, and `Page.use_subject` takes it: there
    a page drops everything that it keeps of another game or run.

    Attributes:
        begun: counts the openings of a game, the runs and the recordings of this console. Two subjects with
            the same number belong to the same of these.
        game_id: the game whose engine is open; empty while none is.
        run_id: its newest run; 0 before the first, and while a person's play is recorded as a demonstration.
    """

    begun: int = 0
    game_id: str = ""
    run_id: int = 0
