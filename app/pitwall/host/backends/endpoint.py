"""HTTP to one OpenAI-compatible endpoint, with connections that can be cut while they are waited for.

The socket is accessible from the start (hence `http.client`): shutting it down ends a
wait for the first token at once, and shows the server that the reader is gone.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit
from urllib.request import getproxies, proxy_bypass

from pitwall.core.bounded_reading import foreign_json, valid_text
from pitwall.host.requests.faults import EndpointFault
from pitwall.models.address import split_address, without_login
from pitwall.models.spec import ModelSpec

_CONNECT_S = 10.0
_LONGEST_SILENCE_S = 600.0
_LONGEST_LINE = 1 << 22
_LONGEST_BODY = 1 << 26
_LONGEST_WAIT_S = 600.0
_QUOTED = 300
_PLAIN = "/%:@+,;=~"
"""Characters of a path that stay as they are."""
_EVENT_LINES = (b"data:", b"event:", b"id:", b":", b"retry:")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE)
_NO_PATH = re.compile(
    r"unexpected endpoint|not found|no such (?:path|route)|method not allowed", re.IGNORECASE
)

Json = dict[str, Any]
OnOpen = Callable[[Callable[[], None]], None]
"""Is given a function that cuts the connection, from any thread."""


class Endpoint:
    """Holds one endpoint.

    Raises:
        EndpointFault: its address is no http(s) URL, or the variable with its key is not set.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._parts = _parts_of(spec)
        self._root = quote(self._parts.path.rstrip("/"), safe=_PLAIN)
        self._query = quote(self._parts.query, safe=f"{_PLAIN}&?")
        self._key = os.environ.get(spec.key_variable, "").strip() if spec.key_variable else ""
        if spec.key_variable and not self._key:
            raise EndpointFault(
                f"{spec.name} needs a key and the environment variable {spec.key_variable} is not set.",
                f"Set {spec.key_variable} before Pitwall is started.",
            )
        if not (self._key.isascii() and (self._key.isprintable() or not self._key)):
            raise EndpointFault(
                f"the environment variable {spec.key_variable} holds characters that no key has.",
                f"Set {spec.key_variable} to the key alone.",
            )

    @property
    def host(self) -> str:
        return self._parts.netloc.rpartition("@")[2]

    def redacted(self, text: str) -> str:
        return text.replace(self._key, "•••") if self._key else text

    def get(self, path: str, on_open: OnOpen) -> Json:
        """Return the JSON object at a path below the base address. Raises as `post`."""
        with self._answer("GET", self._below(path), None, on_open) as response:
            return self._object(response)

    def post(self, path: str, body: Json, on_open: OnOpen, *, at_root: bool = False) -> Json:
        """Post JSON, and return the JSON object that is answered.

        Args:
            at_root: the path is next to the /v1 of the base address, not below it.

        Raises:
            EndpointFault: unreachable, refused, cut off, or no JSON object.
        """
        where = f"{self._root.removesuffix('/v1')}/{path}" if at_root else self._below(path)
        with self._answer("POST", where, body, on_open) as response:
            return self._object(response)

    def stream(self, path: str, body: Json, on_open: OnOpen) -> Iterator[Json]:
        """Post JSON, and yield the JSON objects of the server-sent events until [DONE].

        Raises:
            EndpointFault: as of `post`; also if the stream ends without [DONE].
        """
        with self._answer("POST", self._below(path), body, on_open) as response:
            line = _line(response)
            events = "text/event-stream" in (response.headers.get("Content-Type") or "")
            if not events and not line.startswith(_EVENT_LINES):
                yield self._object(response, line)
                return
            while line:
                data = line.strip()
                if data.startswith(b"data:"):
                    data = data[5:].strip()
                    if data == b"[DONE]":
                        return
                    if data:
                        yield self._parsed(data)
                line = _line(response)
        raise self._cut()

    def fault(self, what: str, fix: str = "") -> EndpointFault:
        return EndpointFault(self._sentence(what), self.redacted(fix))

    def _sentence(self, what: str) -> str:
        """Return a sentence about the endpoint, without its key and without characters that are obeyed."""
        text = valid_text(self.redacted(f"{self.spec.name} ({self.host}): {what}"))
        return "".join(letter if letter.isprintable() else " " for letter in text)

    @contextmanager
    def _answer(
        self, method: str, path: str, body: Json | None, on_open: OnOpen
    ) -> Iterator[http.client.HTTPResponse]:
        connection = self._connection()
        headers = {"Accept": "application/json, text/event-stream", "Connection": "close"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        try:
            connection.connect()
            sock = connection.sock
            on_open(lambda: _cut_off(sock))
            sock.settimeout(_LONGEST_SILENCE_S)
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            if not 200 <= response.status < 300:
                raise self._refused(response)
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from None
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        parts = self._parts
        host = (parts.hostname or "").encode("idna").decode()
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, parts.port or 80, timeout=_CONNECT_S)
        context = ssl.create_default_context()
        port = parts.port or 443
        proxy = "" if proxy_bypass(host) else getproxies().get("https", "")
        if not proxy:
            return http.client.HTTPSConnection(host, port, timeout=_CONNECT_S, context=context)
        through = urlsplit(proxy)
        connection = http.client.HTTPSConnection(
            through.hostname or "", through.port or 80, timeout=_CONNECT_S, context=context
        )
        connection.set_tunnel(host, port)
        return connection

    def _below(self, path: str) -> str:
        return f"{self._root}/{path}" + (f"?{self._query}" if self._query else "")

    @property
    def _address_fix(self) -> str:
        """Return how to mend an address at which something else than the interface answers."""
        if re.search(r"/v\d", self._root):
            return "Check its address."
        return f"Did you mean {self._parts.scheme}://{self.host}{self._root}/v1?"

    def _object(self, response: http.client.HTTPResponse, start: bytes = b"") -> Json:
        data = start + response.read(_LONGEST_BODY)
        if response.length:
            raise self._cut()
        return self._parsed(data)

    def _parsed(self, data: bytes) -> Json:
        try:
            answer = json.loads(data.decode("utf-8-sig", "replace"))  # halves of pairs may meet in the next
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self.fault(f"it answered no JSON object but {_quoted(data)}.", self._address_fix)
        if isinstance(answer.get("error"), dict | str) and answer["error"] and not answer.get("choices"):
            fix = self._address_fix if _NO_PATH.search(_message(data)) else "Look into its log."
            raise self.fault(f"it reports an error: {_message(data)}.", fix)
        return answer

    def _refused(self, response: http.client.HTTPResponse) -> EndpointFault:
        status, answer = response.status, response.read(1 << 16)
        message = _message(answer)
        wait_s = _wait_s(response.headers.get("Retry-After", ""))
        key = self.spec.key_variable
        key_fix = (
            f"Check the key in {key}."
            if key
            else "Put its key into an environment variable, and name that with --key-variable."
        )
        wait = f"wait {wait_s:.0f} s" if wait_s else "wait"
        if 300 <= status < 400:
            place = without_login(response.headers.get("Location", "nowhere")).partition("?")[0]
            message = f"it sends on to {place}"
        fixes = {
            400: "The model or the server may lack what was asked for.",
            401: key_fix,
            403: key_fix,
            404: f"Check the address and the model's name there ({self.spec.remote_model!r}).",
            429: f"It takes no more requests now: {wait}, or raise its limit.",
        }
        if status in (404, 405) and "v1" in self._address_fix:
            fixes[status] = self._address_fix
        if status in (503, 529) or (wait_s and status >= 500):
            fixes[status] = f"It is busy: {wait}."
        fix = fixes.get(status, "Look into the server's log." if status >= 500 else "Check its address.")
        return RefusedByEndpoint(
            self._sentence(f"HTTP {status}: {message}."),
            fix,
            status,
            answer=answer.decode("utf-8", "replace"),
            wait_s=wait_s,
        )

    def _unreachable(self, error: Exception) -> EndpointFault:
        if isinstance(error, ConnectionRefusedError):
            return self.fault("nothing listens there.", "Start its server, or check its address.")
        if isinstance(error, socket.gaierror):
            return self.fault("the name of its host is not known.", "Check its address and the network.")
        if isinstance(error, ssl.SSLError):
            return self.fault(f"no secure connection: {error.reason or error}.", "Check its certificate.")
        if isinstance(error, TimeoutError):
            return self.fault("it does not answer.", "Check its address and the network.")
        if isinstance(error, ConnectionError | http.client.IncompleteRead | http.client.RemoteDisconnected):
            return self._cut()
        return self.fault(f"the connection failed: {type(error).__name__}: {error}.", "Check its address.")

    def _cut(self) -> EndpointFault:
        return self.fault("the connection was cut before the reply was whole.", "Look into its log.")


def _parts_of(spec: ModelSpec) -> SplitResult:
    parts = split_address(spec.url.strip())
    if parts is not None:
        return parts
    raise EndpointFault(
        f"{spec.name}: {without_login(spec.url)!r} is no address of an endpoint.",
        "Write it as http://host:port/v1 or https://host/v1.",
    )


class RefusedByEndpoint(EndpointFault):
    """The endpoint answered with an HTTP status of failure.

    Args:
        what, fix: as of every error.
        status: of HTTP. answer: the answer's whole text.
        wait_s: how long it asks to be left alone; 0: it does not say.
    """

    def __init__(self, what: str, fix: str, status: int, *, answer: str = "", wait_s: float = 0.0) -> None:
        super().__init__(what, fix)
        self.status = status
        self.answer = answer
        self.wait_s = wait_s


def _cut_off(sock: socket.socket) -> None:
    with contextlib.suppress(OSError, ValueError):
        sock.shutdown(socket.SHUT_RDWR)


def _line(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.readline(_LONGEST_LINE)
    except ValueError as error:  # raised by a secure connection that this end cut
        raise ConnectionAbortedError from error


def _wait_s(text: str) -> float:
    """Return the seconds of a Retry-After header, of either form; 0 where it has none."""
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        seconds = float(text) if text[:1].isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
        return min(max(0.0, seconds), _LONGEST_WAIT_S)
    return 0.0


def _message(data: bytes) -> str:
    with contextlib.suppress(ValueError, RecursionError):
        answer = foreign_json(data)
        error = answer.get("error", answer) if isinstance(answer, dict) else answer
        if isinstance(error, str):
            return error[:_QUOTED].rstrip(". ")
        for key in ("message", "detail"):
            if isinstance(error, dict) and isinstance(error.get(key), str):
                return str(error[key])[:_QUOTED].rstrip(". ")
    return _quoted(data)


def _quoted(data: bytes) -> str:
    text = " ".join(data.decode("utf-8", "replace").split())
    if title := _TITLE.search(text):
        return f"a web page ({title[1].strip()[:_QUOTED]!r})"
    return repr(text[:_QUOTED] + ("…" if len(text) > _QUOTED else ""))
