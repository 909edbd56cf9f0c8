"""Copies parts of an output into shared memory, by wlroots' screencopy protocol."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.desktops.contract import CaptureUnsupported
from pitwall_desktops.sway.ipc import SwayWindow
from pitwall_desktops.sway.wayland_connection import Event, WaylandConnection

_MANAGER, _MANAGER_VERSION = "zwlr_screencopy_manager_v1", 3
_CAPTURE_REGION = 1
_COPY, _DESTROY, _COPY_ON_CHANGE = 0, 1, 2
_UPSIDE_DOWN = 1
_CREATE_POOL, _CREATE_BUFFER, _POOL_DESTROY, _BUFFER_DESTROY = 0, 0, 1, 0
_OUTPUT_NAME = 4
_BGR = (0, 1)
"""wl_shm's ARGB8888 and XRGB8888: blue first in memory."""
_RGB = (0x34324241, 0x34324258)
"""DRM's ABGR8888 and XBGR8888: red first in memory."""


class _Event(IntEnum):
    """Numbers of a copy's events."""

    BUFFER = 0
    FLAGS = 1
    READY = 2
    FAILED = 3
    BUFFER_DONE = 6


@dataclass(slots=True)
class _Memory:
    """Shared memory that the compositor writes one copy into."""

    shape: tuple[int, int, int, int] = (0, 0, 0, 0)
    buffer: int = 0
    rows: Pixels = field(default_factory=lambda: np.zeros((0, 0, 4), np.uint8))


@dataclass(slots=True)
class Copy:
    """A copy of a part of the screen that was asked for.

    Attributes:
        place: the copied area, in logical units over all outputs.
        ready: the pixels are there. failed: they will not come.
        at_ns: monotonic time at which they were on the screen.
    """

    place: Rect
    memory: _Memory
    number: int = 0
    on_change: bool = True
    ready: bool = False
    failed: bool = False
    at_ns: int = 0
    upside_down: bool = False

    def pixels(self) -> Pixels:
        """Return the picture, (height, width, 4) BGRX. It is valid until its memory is used again."""
        width, height, _, form = self.memory.shape
        rows = self.memory.rows[:height, :width]
        rows = rows[::-1] if self.upside_down else rows
        return rows[..., [2, 1, 0, 3]] if form in _RGB else rows


class Screencopy:
    """Asks one compositor for copies, into three memories.

    Raises:
        CaptureUnsupported: it does not offer them.
    """

    def __init__(self, wayland: WaylandConnection) -> None:
        self._wayland = wayland
        self._shm = wayland.bind("wl_shm", 1)
        self._manager = wayland.bind(_MANAGER, _MANAGER_VERSION)
        offered = wayland.globals.get(_MANAGER, [(0, 0)])[0][1]
        if not self._shm or offered < _MANAGER_VERSION:
            raise CaptureUnsupported("this Wayland compositor copies no screen (screencopy, version 3).")
        self._outputs: dict[str, int] = {}
        for which in range(len(wayland.globals.get("wl_output", []))):
            self._bind_output(which)
        wayland.roundtrip()
        self._memories = [_Memory(), _Memory(), _Memory()]

    def copy(self, window: SwayWindow, output_place: Rect, *kept: Copy | None, on_change: bool) -> Copy:
        """Ask for a copy of a window's part of its output.

        Args:
            output_place: where the output lies, in logical units.
            kept: at most two copies whose pixels are still needed.
            on_change: wait until something on it changes; else at its next refresh.
        """
        output = self._outputs.get(window.output) or next(iter(self._outputs.values()), 0)
        place = window.place
        used = [copy.memory for copy in kept if copy is not None]
        memory = next(memory for memory in self._memories if not any(memory is other for other in used))
        copy = Copy(place, memory, on_change=on_change)
        copy.number = self._wayland.new_id(lambda event: self._on_frame(copy, event))
        x, y = place.x - output_place.x, place.y - output_place.y
        arguments = (copy.number, 0, output, x, y, place.width, place.height)
        self._wayland.request(self._manager, _CAPTURE_REGION, "nioiiii", *arguments)
        return copy

    def end(self, copy: Copy) -> None:
        """Cancel a copy, or free one that is done."""
        self._wayland.forget(copy.number)
        self._wayland.request(copy.number, _DESTROY)

    # ---- inside

    def _bind_output(self, which: int) -> None:
        def named(event: Event) -> None:
            if event.opcode == _OUTPUT_NAME:
                self._outputs[event.text()] = number

        number = self._wayland.bind("wl_output", 4, named, which=which)
        self._outputs[f"unnamed {which}"] = number

    def _on_frame(self, copy: Copy, event: Event) -> None:
        match event.opcode:
            case _Event.BUFFER:
                form, width, height, stride = (event.unsigned() for _ in range(4))
                self._fit(copy.memory, (width, height, stride, form))
            case _Event.FLAGS:
                copy.upside_down = bool(event.unsigned() & _UPSIDE_DOWN)
            case _Event.BUFFER_DONE:
                how = _COPY_ON_CHANGE if copy.on_change else _COPY
                self._wayland.request(copy.number, how, "o", copy.memory.buffer)
            case _Event.READY:
                high, low, ns = (event.unsigned() for _ in range(3))
                copy.at_ns = ((high << 32) + low) * NS_PER_S + ns
                copy.ready = True
            case _Event.FAILED:
                copy.failed = True

    def _fit(self, memory: _Memory, shape: tuple[int, int, int, int]) -> None:
        """Replace the shared memory if the picture's size or format has changed."""
        if memory.shape == shape:
            return
        width, height, stride, form = shape
        if form not in (*_BGR, *_RGB):
            raise CaptureUnsupported(f"this compositor copies the screen in an unknown format ({form:#x}).")
        if memory.buffer:
            self._wayland.request(memory.buffer, _BUFFER_DESTROY)
        size = stride * height
        fd = os.memfd_create("pitwall-frame", os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, size)
            pages = mmap.mmap(fd, size)
            pool = self._wayland.new_id()
            self._wayland.request(self._shm, _CREATE_POOL, "ni", pool, size, fd=fd)
        finally:
            os.close(fd)
        memory.buffer = self._wayland.new_id()
        arguments = (memory.buffer, 0, width, height, stride, form)
        self._wayland.request(pool, _CREATE_BUFFER, "niiiiu", *arguments)
        self._wayland.request(pool, _POOL_DESTROY)
        memory.rows = np.frombuffer(pages, np.uint8).reshape(height, stride // 4, 4)
        memory.shape = shape
