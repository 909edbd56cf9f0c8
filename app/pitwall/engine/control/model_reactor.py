"""The model reactor: the reactive controller with the fast tier's model (SPEC §2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pitwall.core.settings import Settings
from pitwall.engine.control.caller import Caller
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.thinking import LegalActions

if TYPE_CHECKING:
    from pitwall.memory.book import LayerBook


class ModelReactor:
    """Grounds one action with the fast tier's model; a `Reactor`.

    A call with a usable reply (`ReactReply.call`) is left to whoever uses or drops it; every other one
    is settled here.

    Args:
        caller: asks models.
        book: the layers for the settings in force; asked at each request.
        space: which actions are legal.
        settings: in force; read at each request.
    """

    def __init__(
        self,
        *,
        caller: Caller,
        book: Callable[[], LayerBook],
        space: LegalActions,
        settings: Callable[[], Settings],
    ) -> None:
        raise NotImplementedError

    @property
    def available(self) -> bool:
        """See `Reactor.available`."""
        raise NotImplementedError

    def request(self, request: ReactRequest) -> None:
        """See `Reactor.request`."""
        raise NotImplementedError

    def poll(self) -> ReactReply | None:
        """See `Reactor.poll`."""
        raise NotImplementedError

    def cancel(self) -> None:
        """See `Reactor.cancel`."""
        raise NotImplementedError
