"""Copies one keyboard's layout to another, as the bytes that the server gives (xcffib packs them wrongly)."""

from __future__ import annotations

import io
import struct

import xcffib.xkb

from pitwall.desktops.x11.display import Display

_SET_MAP, _SET_NAMES = 9, 18
_HEAD_BYTES = 8
"""A reply's kind, keyboard, number and length."""
_EVERY_PART = 0xFF
_NOTHING_PARTIAL = (0,) * 16
_NAMES = int(xcffib.xkb.NameDetail.KeyNames | xcffib.xkb.NameDetail.GroupNames)
_RESIZE_TYPES = 1
"""SetMap's flag; the other one would have the server compute the keys' actions anew."""
_MAP = struct.Struct("=8x2xBBHBBBBHBBHB12BxH")
"""GetMap's reply: the range of keycodes, the parts, and each part's first, number and total."""
_SET_MAP_HEAD = struct.Struct("=4xHHH6BHBBH12BH")
_NO_PARTS = (0,) * 21
_NAMES_HEAD = struct.Struct("=8xIBBBBHBB4x8x")
_SET_NAMES_HEAD = struct.Struct("=4xHHI4x4xBxBB2xH")
_TYPE_BYTES, _ENTRY, _SET_ENTRY, _KEPT_BYTES = 8, struct.Struct("=2xBBH2x"), struct.Struct("=BBH"), 4


def copy_layout(display: Display, source: int, target: int) -> None:
    """Give a keyboard the layout of another; does nothing where it has it already.

    Raises:
        xcffib.Error: the server refuses it, or a keyboard is gone.
    """
    layout = _map_of(display, source)
    if layout[_HEAD_BYTES:] != _map_of(display, target)[_HEAD_BYTES:]:
        _send(display, _SET_MAP, _map_request(layout, target))
    names = _names_of(display, source)
    if names[_HEAD_BYTES:] != _names_of(display, target)[_HEAD_BYTES:]:
        which, _, _, _, groups, _, first, count = _NAMES_HEAD.unpack_from(names)
        head = _SET_NAMES_HEAD.pack(target, 0, which, groups, first, count, 0)
        _send(display, _SET_NAMES, head + names[_NAMES_HEAD.size :])


def announce(display: Display, keyboard: int) -> None:
    """Make every program hear of a keyboard as of a new one; it has a keycode less from then on.

    Raises:
        xcffib.Error: the server refuses it, or the keyboard is gone.
    """
    lowest, highest, *_ = _MAP.unpack_from(_map_of(display, keyboard))
    _send(display, _SET_MAP, _SET_MAP_HEAD.pack(keyboard, 0, 0, lowest, highest - 1, *_NO_PARTS))


def _map_request(layout: bytes, target: int) -> bytes:
    low, high, parts, first_type, types, _, first, all_symbols, symbols, *rest = _MAP.unpack_from(layout)
    first_action, all_actions, actions, *rest = rest
    about_types = (target, parts, _RESIZE_TYPES, low, high, first_type, types)
    about_keys = (first, symbols, all_symbols, first_action, actions, all_actions)
    request = [_SET_MAP_HEAD.pack(*about_types, *about_keys, *rest)]
    at = _MAP.size
    for _ in range(types):
        entries, keeps = layout[at + 5], layout[at + 6]
        request.append(layout[at : at + _TYPE_BYTES])
        at += _TYPE_BYTES
        for _ in range(entries):
            request.append(_SET_ENTRY.pack(*_ENTRY.unpack_from(layout, at)))
            at += _ENTRY.size
        kept = entries * _KEPT_BYTES if keeps else 0
        request.append(layout[at : at + kept])
        at += kept
    return b"".join((*request, layout[at:]))


def _map_of(display: Display, keyboard: int) -> bytes:
    cookie = display.xkb.GetMap(keyboard, _EVERY_PART, *_NOTHING_PARTIAL)
    return bytes(display.connection.wait_for_reply(cookie.sequence).buf)


def _names_of(display: Display, keyboard: int) -> bytes:
    cookie = display.xkb.GetNames(keyboard, _NAMES)
    return bytes(display.connection.wait_for_reply(cookie.sequence).buf)


def _send(display: Display, opcode: int, request: bytes) -> None:
    display.xkb.send_request(opcode, io.BytesIO(request), is_checked=True).check()
