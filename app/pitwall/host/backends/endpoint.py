"""HTTP to one OpenAI-compatible endpoint, with connections that can be cut while they are waited for.

The socket is accessible from the start (hence `http.client`): shutting it down ends a
wait for the first token at once, and shows the server that the reader is gone.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from pitwall.host.requests.faults import EndpointFault
from pitwall.models.spec import ModelSpec

_CONNECT_S = 10.0
_LONGEST_SILENCE_S = 600.0
_LONGEST_LINE = 1 << 22
_LONGEST_BODY = 1 << 26
_QUOTED = 300

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
        where = f"{self._parts.path.rstrip('/').removesuffix('/v1')}/{path}" if at_root else self._below(path)
        with self._answer("POST", where, body, on_open) as response:
            return self._object(response)

    def stream(self, path: str, body: Json, on_open: OnOpen) -> Iterator[Json]:
        """Post JSON, and yield the JSON objects of the server-sent events until [DONE].

        Raises:
            EndpointFault: as of `post`; also if the stream ends without [DONE].
        """
        with self._answer("POST", self._below(path), body, on_open) as response:
            if "text/event-stream" not in (response.headers.get("Content-Type") or ""):
                yield self._object(response)
                return
            while line := _line(response):
                data = line.strip()
                if not data.startswith(b"data:"):
                    continue
                data = data[5:].strip()
                if data == b"[DONE]":
                    return
                yield self._parsed(data)
        raise self._cut()

    def fault(self, what: str, fix: str = "") -> EndpointFault:
        return EndpointFault(self.redacted(f"{self.spec.name} ({self.host}): {what}"), self.redacted(fix))

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
            if response.status != 200:
                raise self._refused(response)
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from None
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        parts = self._parts
        assert parts.hostname is not None
        if parts.scheme == "http":
            return http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=_CONNECT_S)
        context = ssl.create_default_context()
        port = parts.port or 443
        proxy = "" if proxy_bypass(parts.hostname) else getproxies().get("https", "")
        if not proxy:
            return http.client.HTTPSConnection(parts.hostname, port, timeout=_CONNECT_S, context=context)
        through = urlsplit(proxy)
        connection = http.client.HTTPSConnection(
            through.hostname or "", through.port or 80, timeout=_CONNECT_S, context=context
        )
        connection.set_tunnel(parts.hostname, port)
        return connection

    def _below(self, path: str) -> str:
        return f"{self._parts.path.rstrip('/')}/{path}"

    def _object(self, response: http.client.HTTPResponse) -> Json:
        data = response.read(_LONGEST_BODY)
        if response.length:
            raise self._cut()
        return self._parsed(data)

    def _parsed(self, data: bytes) -> Json:
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self.fault(f"it answered no JSON object but {_quoted(data)}.", "Check its address.")
        if isinstance(answer.get("error"), dict | str) and "choices" not in answer:
            raise self.fault(f"it reports an error: {_message(data)}.")
        return answer

    def _refused(self, response: http.client.HTTPResponse) -> EndpointFault:
        status = response.status
        message = _message(response.read(1 << 16))
        fixes = {
            400: "The model or the server may lack what was asked for.",
            401: f"Check the key in {self.spec.key_variable or 'a variable that you name for it'}.",
            403: f"Check the key in {self.spec.key_variable or 'a variable that you name for it'}.",
            404: f"Check the address and the model's name there ({self.spec.remote_model!r}).",
            429: "It takes no more requests now: wait, or raise its limit.",
        }
        fix = fixes.get(status, "Look into the server's log." if status >= 500 else "Check its address.")
        return RefusedByEndpoint(
            self.redacted(f"{self.spec.name} ({self.host}): HTTP {status}: {message}."), fix, status
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
    with contextlib.suppress(ValueError):
        parts = urlsplit(spec.url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    raise EndpointFault(
        f"{spec.name}: {spec.url!r} is no address of an endpoint.",
        "Write it as http://host:port/v1 or https://host/v1.",
    )


class RefusedByEndpoint(EndpointFault):
    """The endpoint answered with another HTTP status than 200."""

    def __init__(self, what: str, fix: str, status: int) -> None:
        super().__init__(what, fix)
        self.status = status


def _cut_off(sock: socket.socket) -> None:
    with contextlib.suppress(OSError, ValueError):
        sock.shutdown(socket.SHUT_RDWR)


def _line(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.readline(_LONGEST_LINE)
    except ValueError as error:  # raised by a secure connection that this end cut
        raise ConnectionAbortedError from error


def _message(data: bytes) -> str:
    with contextlib.suppress(ValueError, RecursionError):
        answer = json.loads(data)
        error = answer.get("error", answer) if isinstance(answer, dict) else answer
        for key in ("message", "detail"):
            if isinstance(error, dict) and isinstance(error.get(key), str):
                return str(error[key])[:_QUOTED].rstrip(". ")
    return _quoted(data)


def _quoted(data: bytes) -> str:
    text = " ".join(data.decode("utf-8", "replace").split())
    return repr(text[:_QUOTED] + ("…" if len(text) > _QUOTED else ""))
