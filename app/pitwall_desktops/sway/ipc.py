"""Asks sway over its own socket for its windows, their places and the focus, and receives its events."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pitwall.core.bounded_reading import foreign_json
from pitwall.core.errors import DisplayError
from pitwall.core.geometry import Rect

_MAGIC = b"i3-ipc"
_HEADER = struct.Struct("=6sII")
_RUN, _SUBSCRIBE, _OUTPUTS, _TREE, _CONFIG = 0, 2, 3, 4, 9
_EVENT = 1 << 31
_ANSWER_S = 5.0
_FIX = "Start Pitwall again inside the sway session of the game."
WINDOWS_CHANGED = ("window", "workspace")
"""Events after which places of windows or the focus may have changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwayWindow:
    """One window as sway knows it.

    Attributes:
        con_id: sway's number of it.
        place: its contents in sway's own (logical) coordinates over all outputs. outer: with its frame.
        output: name of the output it is on. scale: pixels of that output to one logical unit.
        visible: on a workspace that is shown, and not behind a tab or a full-screen window.
    """

    con_id: int
    pid: int
    title: str
    app_id: str
    place: Rect
    outer: Rect
    output: str
    scale: float
    visible: bool
    focused: bool

    @property
    def pixels(self) -> Rect:
        """Return where its contents are, in pixels of its output."""
        return self.place.scaled(self.scale, self.scale)


class Sway:
    """One connection to sway. Use it as a context manager, or close it.

    Raises:
        DisplayError: sway cannot be reached; (by every method) it ended, or does not answer.
    """

    def __init__(self) -> None:
        path = os.environ.get("SWAYSOCK", "")
        self._events: list[tuple[str, dict[str, Any]]] = []
        self._part = bytearray()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise DisplayError(f"sway cannot be reached over {path!r}.", _FIX) from None
        self._socket.setblocking(False)

    def __enter__(self) -> Sway:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def subscribe(self, *kinds: str) -> None:
        """Receive these events from now on.

        Raises:
            DisplayError: sway does not know one of these events.
        """
        if not self._ask(_SUBSCRIBE, json.dumps(kinds)).get("success"):
            raise DisplayError(f"this sway does not tell of: {', '.join(kinds)}.", "Install a newer sway.")

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the events since the last call, each with its kind and body. Never waits."""
        self._read()
        for _ in self._messages():
            """Only events can come unasked."""
        heard, self._events = self._events, []
        return heard

    def run(self, command: str) -> list[str]:
        """Run commands; return an error sentence for each that failed."""
        return [
            str(result.get("error", "")) for result in self._ask(_RUN, command) if not result.get("success")
        ]

    def config(self) -> str:
        """Return the text of sway's own configuration."""
        return str(self._ask(_CONFIG).get("config", ""))

    def outputs(self) -> dict[str, Rect]:
        """Return where each output lies, in logical units."""
        rects = {output["name"]: output["rect"] for output in self._ask(_OUTPUTS) if output.get("active")}
        return {
            name: Rect(rect["x"], rect["y"], rect["width"], rect["height"]) for name, rect in rects.items()
        }

    def windows(self) -> list[SwayWindow]:
        """List all windows in stacking order, bottom first; floating windows are above the others."""
        scales = {output["name"]: float(output.get("scale") or 1.0) for output in self._ask(_OUTPUTS)}
        listed: list[SwayWindow] = []
        for output in self._ask(_TREE)["nodes"]:
            name = output["name"]
            listed += _windows_inside(output, name, max(0.1, scales.get(name, 1.0)))
        return listed

    # ---- inside

    def _ask(self, kind: int, text: str = "") -> Any:
        raw = text.encode()
        message = _HEADER.pack(_MAGIC, len(raw), kind) + raw
        until = time.monotonic() + _ANSWER_S
        with _sway_kept():
            self._socket.setblocking(True)
            self._socket.sendall(message)
            self._socket.setblocking(False)
        while True:
            for answered, body in self._messages():
                if answered == kind:
                    return body
            left = until - time.monotonic()
            if left <= 0:
                raise DisplayError("sway does not answer.", _FIX)
            select.select([self._socket], [], [], left)
            self._read()

    def _read(self) -> None:
        with _sway_kept():
            while True:
                try:
                    data = self._socket.recv(1 << 18)
                except BlockingIOError:
                    return
                if not data:
                    raise DisplayError("the sway session was lost: sway ended.", _FIX)
                self._part += data

    def _messages(self) -> Iterator[tuple[int, Any]]:
        """Yield every whole answer that has come, and queue the events among them."""
        while len(self._part) >= _HEADER.size:
            _, length, kind = _HEADER.unpack_from(self._part)
            end = _HEADER.size + length
            if len(self._part) < end:
                return
            body = foreign_json(bytes(self._part[_HEADER.size : end]))
            del self._part[:end]
            if kind & _EVENT:
                self._events.append((_EVENT_NAMES.get(kind & ~_EVENT, ""), body))
            else:
                yield kind, body


_EVENT_NAMES = {0: "workspace", 3: "window", 5: "binding", 6: "shutdown"}


def _windows_inside(node: dict[str, Any], output: str, scale: float) -> Iterator[SwayWindow]:
    for child in (*node.get("nodes", ()), *node.get("floating_nodes", ())):
        if child.get("pid") and not child.get("nodes"):
            outer, inner, title = child["rect"], child["window_rect"], child["deco_rect"]
            floats = child.get("type") == "floating_con"
            above = title["height"] if floats else 0  # its title bar is above its rectangle
            yield SwayWindow(
                con_id=int(child["id"]),
                pid=int(child["pid"]),
                title=str(child.get("name") or ""),
                app_id=str(child.get("app_id") or (child.get("window_properties") or {}).get("class") or ""),
                place=Rect(outer["x"] + inner["x"], outer["y"] + inner["y"], inner["width"], inner["height"]),
                outer=Rect(outer["x"], outer["y"] - above, outer["width"], outer["height"] + above),
                output=output,
                scale=scale,
                visible=bool(child.get("visible")),
                focused=bool(child.get("focused")),
            )
        else:
            yield from _windows_inside(child, output, scale)


@contextlib.contextmanager
def _sway_kept() -> Iterator[None]:
    """Turn the loss of sway into a DisplayError."""
    try:
        yield
    except (BrokenPipeError, ConnectionResetError):
        raise DisplayError("the sway session was lost: sway ended.", _FIX) from None
