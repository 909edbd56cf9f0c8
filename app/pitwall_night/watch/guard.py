"""Decides which requests are answered: host name, origin, token, rate. It knows no sockets."""

from __future__ import annotations

import hmac
import ipaddress
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

_PER_S, _BURST = 20.0, 60.0
"""A page asks about four times a second, and two phones may share an address."""
_WRONG_TOKENS, _LOCKED_S = 5, 60.0
_MOST_CLIENTS = 1_024


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused request: its status and a sentence for the client and the operator."""

    status: int
    why: str


@dataclass(slots=True)
class _Client:
    """Counts the requests that an address may still send, and its wrong tokens."""

    allowance: float = _BURST
    seen_s: float = 0.0
    wrong: list[float] = field(default_factory=list)


class Guard:
    """Judges requests.

    Args:
        token: every client must know it; it is compared in constant time, and never shown.
        hosts: values of the Host header that name this server, in small letters.
        origin_scheme: http or https.
    """

    def __init__(self, token: str, hosts: frozenset[str], origin_scheme: str) -> None:
        self._token = token.encode()
        self._hosts = hosts
        self._origins = frozenset(f"{origin_scheme}://{host}" for host in hosts)
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def refuses_host(self, headers: Mapping[str, str], address: str, now_s: float) -> Refusal | None:
        """Judge any request: its rate, and whether its Host header is a name of this server.

        A page of another site whose name was pointed at this address (DNS rebinding) sends that site's name.
        """
        client = self._client(address)
        client.allowance = min(_BURST, client.allowance + _PER_S * (now_s - client.seen_s))
        client.seen_s = now_s
        if client.allowance < 1:
            return Refusal(429, "too many requests; wait a moment.")
        client.allowance -= 1
        if headers.get("host", "").lower() not in self._hosts:
            return Refusal(421, "the Host header is no name of this server; add it with --name.")
        return None

    def refuses_data(self, headers: Mapping[str, str], address: str, now_s: float) -> Refusal | None:
        """Judge a request for what is played: where it comes from, and its token."""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return Refusal(403, "another site sent this request.")
        if headers.get("origin", "").lower() not in self._origins | {""}:
            return Refusal(403, "another site sent this request.")
        client = self._client(address)
        client.wrong = [at_s for at_s in client.wrong if now_s - at_s < _LOCKED_S]
        if len(client.wrong) >= _WRONG_TOKENS:
            return Refusal(429, "too many wrong tokens; wait a minute.")
        given = headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, b"Bearer " + self._token):
            if given:
                client.wrong.append(now_s)
            return Refusal(401, "the token is missing or wrong.")
        return None

    def _client(self, address: str) -> _Client:
        key = _network(address)
        client = self._clients.get(key)
        if client is None:
            client = self._clients[key] = _Client()
            while len(self._clients) > _MOST_CLIENTS:
                self._clients.popitem(last=False)
        self._clients.move_to_end(key)
        return client


def _network(address: str) -> str:
    """Return the address, or of IPv6 the network of 64 bits: whoever has one has all of it."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(known) if known.version == 4 else str(ipaddress.ip_network((known, 64), strict=False))
