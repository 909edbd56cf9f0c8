"""The way to the host process, as those who ask it see it."""

from __future__ import annotations

from typing import Protocol

from pitwall.models.host_requests import HostReply, HostRequest


class HostAccess(Protocol):
    """Sends requests and takes their replies; nothing waits.

    Attributes:
        generation: counts the host's starts; requests to an earlier host are never answered.
    """

    @property
    def generation(self) -> int: ...
    def fileno(self) -> int | None:
        """Return a descriptor for `select`; None while there is no host."""

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        """Send a request; return False if the host is dead and may not be started again yet."""
        ...

    def pump(self) -> list[HostReply]:
        """Return the replies that have come."""
        ...
