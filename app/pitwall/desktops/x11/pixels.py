"""Reads pixels from the X server: through shared memory, or through the socket of another machine."""

from __future__ import annotations

import ctypes
import logging
import weakref
from typing import Any

import numpy as np
import xcffib
import xcffib.shm
import xcffib.xproto

from pitwall.core.errors import WindowLost
from pitwall.core.frames import Pixels
from pitwall.desktops.x11.connection import PreparedRequest
from pitwall.desktops.x11.window_list import X11WindowList

_log = logging.getLogger(__name__)

_ALL_PLANES = 0xFFFF_FFFF
_SHM_GET_IMAGE = 4
_IPC_PRIVATE = 0
_IPC_CREAT = 0o1000
_IPC_RMID = 0
_READABLE_DEPTHS = (24, 32)


def check_format(desktop: X11WindowList, depth: int, visual: int) -> None:
    """Make sure that a drawable's pixels are 32-bit BGRX.

    Raises:
        WindowLost: they are in another format, which the error names.
    """
    if depth not in _READABLE_DEPTHS:
        raise WindowLost(
            f"the window has {depth} bits of colour a pixel; only 24 and 32 can be captured.",
            "Run the screen at 24-bit colour.",
        )
    bits = {fmt.depth: fmt.bits_per_pixel for fmt in desktop.setup.pixmap_formats}
    little = desktop.setup.image_byte_order == xcffib.xproto.ImageOrder.LSBFirst
    red = next(
        (
            kind.red_mask
            for level in desktop.screen.allowed_depths
            for kind in level.visuals
            if kind.visual_id == visual
        ),
        0,
    )
    if bits.get(depth) != 32 or not little or red != 0xFF0000:
        raise WindowLost("this X server does not keep pixels as 32-bit blue, green, red.")


class PixelReader:
    """Reads rectangles of one connection's drawables."""

    def __init__(self, desktop: X11WindowList) -> None:
        self._desktop = desktop
        self._shm: Any = None
        self._segment: _Segment | None = None
        if desktop.has_extension("MIT-SHM"):
            self._shm = desktop.connection(xcffib.shm.key)
        self._get_image = PreparedRequest(
            desktop.connection, _SHM_GET_IMAGE, "IhhHHIB3xII", extension=xcffib.shm.key, answered=True
        )

    def read(self, drawable: int, x: int, y: int, width: int, height: int) -> Pixels:
        """Return a (height, width, 4) BGRX picture; through shared memory it is valid until the next read.

        Raises:
            xcffib.Error: the drawable is gone or smaller than asked.
        """
        segment = self._segment_for(width * height * 4) if self._shm is not None else None
        if segment is None:
            reply = self._desktop.core.GetImage(
                xcffib.xproto.ImageFormat.ZPixmap, drawable, x, y, width, height, _ALL_PLANES
            ).reply()
            return np.frombuffer(reply.data.buf(), np.uint8).reshape(height, width, 4)
        place = (drawable, x, y, width, height)
        asked = self._get_image.send(*place, _ALL_PLANES, xcffib.xproto.ImageFormat.ZPixmap, segment.seg, 0)
        self._get_image.answer(asked)
        return segment.picture(width, height)

    def _segment_for(self, size: int) -> _Segment | None:
        if self._segment is not None and self._segment.size == size:
            return self._segment
        if self._segment is not None:
            self._shm.Detach(self._segment.seg)
        try:
            self._segment = _Segment(self._desktop, self._shm, size)
        except (OSError, xcffib.Error) as error:
            _log.warning("no memory shared with the X server (%r): frames come through its socket", error)
            self._shm = self._segment = None
        return self._segment


class _Segment:
    """System V shared memory, attached by the server and by us.

    It is marked for removal at once, so that nothing stays behind after a crash, and it is unmapped
    only when the last picture that looks into it is gone.
    """

    def __init__(self, desktop: X11WindowList, shm: Any, size: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        libc.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
        libc.shmdt.argtypes = (ctypes.c_void_p,)
        libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
        shm_id = libc.shmget(_IPC_PRIVATE, size, _IPC_CREAT | 0o600)
        if shm_id < 0:
            raise OSError(ctypes.get_errno(), "shmget")
        try:
            address = libc.shmat(shm_id, None, 0)
            if address in (None, ctypes.c_void_p(-1).value):
                raise OSError(ctypes.get_errno(), "shmat")
            memory = (ctypes.c_ubyte * size).from_address(address)
            weakref.finalize(memory, libc.shmdt, address).atexit = False
            self.seg = desktop.connection.generate_id()
            shm.AttachChecked(self.seg, shm_id, False).check()
        finally:
            libc.shmctl(shm_id, _IPC_RMID, None)
        self.size = size
        self._bytes: Pixels = np.frombuffer(memoryview(memory), np.uint8)
        self._bytes.flags.writeable = False

    def picture(self, width: int, height: int) -> Pixels:
        return self._bytes.reshape(height, width, 4)
