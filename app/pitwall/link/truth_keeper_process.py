"""The process that keeps the true states of a session's runs: its words, and the end that starts it.

Playing does not need it: if it cannot be started, or dies, runs go on without it. A package brings it
(`pitwall_evaluation/truth/keeper.py`).
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from pitwall.core import rail
from pitwall.core.errors import ChannelClosed, DataFolderError
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.vocabulary import Vocabulary

ROLE = "truth-keeper"
_END_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepRun:
    """A run began. at_ns: then, monotonic."""

    kind: Literal["keep"] = "keep"
    run_id: int
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRun:
    """The run is over."""

    kind: Literal["enough"] = "enough"


TOLD = Vocabulary(Annotated[KeepRun | EndRun, Field(discriminator="kind")])


class TruthKeeperProcess:
    """The operator's end of a truth keeper.

    Args:
        game: id of a known game, or path of its folder.
        written: the file into which the game writes its true state; empty: its usual place.
    """

    def __init__(self, data: DataFolder, game: str, *, written: str = "") -> None:
        self.follows = game, written
        self._kept = False
        self._channel: Channel[KeepRun | EndRun, KeepRun | EndRun] | None = None
        if ROLE not in rail.contributions(rail.ROLES):
            return
        ours, theirs = pair()
        try:
            self._child = Child(
                ROLE,
                ["--data", str(data.root), "--game", game],
                sockets={CHANNEL_OPTION: theirs},
                log=data.logs / f"{ROLE}.log",
                env={TRUTH_VARIABLE: written} if written else {},
            )
        except (OSError, DataFolderError):
            ours.close()
            theirs.close()
            return
        self._channel = Channel(ours, TOLD, TOLD)

    def tell(self, message: KeepRun | EndRun) -> None:
        if self._channel is not None:
            self._kept = True
            with contextlib.suppress(ChannelClosed):
                self._channel.send(message)

    def close(self) -> None:
        """Let the keeper write the last states and end; without a run it has nothing to write."""
        if self._channel is None:
            return
        if not self._kept:
            self._child.process.kill()
        with contextlib.suppress(ChannelClosed):
            self._channel.flush(0.5)
        self._channel.close()
        self._channel = None
        self._child.end(_END_S)
