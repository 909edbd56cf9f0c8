"""A game as decisions see it: a captured window (`game_session`) or a recorded run
(`engine.replaying.recorded_session`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pitwall.core.settings import Settings
from pitwall.core.signals import Thresholds
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.engine.session.moments import SceneSnapshot
from pitwall.games.actions.computer_use import ComputerUse
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game


class SeenGame(Protocol):
    """The questions that controllers and the trigger ask of the game."""

    @property
    def game(self) -> Game: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def thresholds(self) -> Thresholds: ...
    @property
    def vocabulary(self) -> Vocabulary | ComputerUse: ...
    @property
    def role(self) -> str: ...
    @property
    def seed(self) -> int | None: ...
    @property
    def seen(self) -> PerceivedFrame | None:
        """Return the newest frame; None before the first."""
        ...

    def change(self) -> float:
        """Return d of the newest frame against the previous step's (SPEC §1)."""
        ...

    def moment(self) -> SceneSnapshot: ...
    def change_since(self, moment: SceneSnapshot) -> float: ...
    def descriptor(self) -> NDArray[np.float32] | None: ...
