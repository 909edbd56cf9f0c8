"""Prepared requests and raw events against a real X server: the same bytes as the library's own."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

import pytest
import xcffib
import xcffib.damage
import xcffib.xproto

from pitwall.desktops.x11.connection import Connection, DamageReport, PreparedRequest

_QUERY_POINTER, _GET_GEOMETRY, _MAP_WINDOW = 38, 14, 8
_NO_WINDOW = 1


@pytest.fixture
def connection(screen: str) -> Iterator[Connection]:
    assert screen
    connection = Connection()
    yield connection
    connection.disconnect()


def test_an_answer_holds_what_the_library_reads(connection: Connection) -> None:
    root = connection.setup.roots[0].root
    ask = PreparedRequest(connection, _GET_GEOMETRY, "I", answered=True)
    numbers = [ask.send(root) for _ in range(3_000)]  # more than the library's buffer of 16 KiB holds
    answers = {struct.unpack_from("=16xHH", ask.answer(number)) for number in numbers}
    geometry = connection.core.GetGeometry(root).reply()
    assert answers == {(geometry.width, geometry.height)}


def test_a_refused_request_raises_the_servers_error(connection: Connection) -> None:
    ask = PreparedRequest(connection, _QUERY_POINTER, "I", answered=True)
    with pytest.raises(xcffib.xproto.WindowError):
        ask.answer(ask.send(_NO_WINDOW))
    assert ask.answer(ask.send(connection.setup.roots[0].root))


def test_damage_comes_as_its_time_and_an_unchecked_error_as_an_error(connection: Connection) -> None:
    damage, core = connection(xcffib.damage.key), connection.core
    damage.QueryVersion(1, 1).reply()
    window, screen = connection.generate_id(), connection.setup.roots[0]
    core.CreateWindow(
        screen.root_depth,
        window,
        screen.root,
        0,
        0,
        9,
        9,
        0,
        xcffib.xproto.WindowClass.InputOutput,
        screen.root_visual,
        xcffib.xproto.CW.BackPixel | xcffib.xproto.CW.OverrideRedirect,
        [screen.white_pixel, 1],
    )
    damage.Create(connection.generate_id(), window, xcffib.damage.ReportLevel.RawRectangles)
    core.MapWindow(window)
    PreparedRequest(connection, _MAP_WINDOW, "I").send(_NO_WINDOW)
    core.GetInputFocus().reply()
    events = connection.events()
    assert any(isinstance(event, xcffib.xproto.WindowError) for event in events)
    assert any(isinstance(event, DamageReport) and event > 0 for event in events)


def test_a_connection_that_ended_says_so(connection: Connection) -> None:
    ask = PreparedRequest(connection, _QUERY_POINTER, "I", answered=True)
    with socket.socket(fileno=os.dup(connection.get_file_descriptor())) as line:
        line.shutdown(socket.SHUT_RDWR)
    with pytest.raises(xcffib.ConnectionException):
        ask.answer(ask.send(connection.setup.roots[0].root))
