"""Hostile clients of the watch page are refused or dropped; others are served, and no secret is logged."""

from __future__ import annotations

import re
import ssl
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pitwall_night.watch.served_page import TOKEN, ServedPage, certificate, exchange, served

from pitwall.core.paths import DataFolder
from pitwall_night.watch.server import Answer, Route

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a play cannot be watched there")

_POST = b"POST /stop HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ServedPage]:
    with served(DataFolder(tmp_path), allow_stop=True) as page:
        yield page
    assert TOKEN not in "".join(page.log) and "wrong-" not in "".join(page.log), page.log


def test_the_token_opens_the_state_and_nothing_else_does(page: ServedPage) -> None:
    status, answer = page.request("/state")
    assert status == 200 and b'"live": false' in answer
    for wrong in ("", "wrong-token", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
        assert page.request("/state", token=wrong)[0] == 401
    assert page.request("/state", f"Cookie: token={TOKEN}", token="")[0] == 401
    assert page.request(f"/state?token={TOKEN}", token="")[0] == 401


def test_after_five_wrong_tokens_an_address_waits_and_another_is_served(page: ServedPage) -> None:
    statuses = [page.request("/state", token=f"wrong-{number}")[0] for number in range(8)]
    assert statuses == [401] * 5 + [429] * 3
    assert page.request("/state")[0] == 429, "the right token comes too late"
    assert page.request("/state", source="127.0.0.2")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/watch.css/../../../pyproject.toml",
        "//etc/passwd",
        "/..%5c..%5csettings.json",
        "/watch.css%00.html",
        "http://127.0.0.1/state",
        "/state/",
    ],
)
def test_no_path_leads_to_a_file(page: ServedPage, path: str) -> None:
    status, answer = page.request(path)
    assert status == 404 and b"there is no such page" in answer


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 40_000, 431),
        (b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 9_000, 431),
        (_POST + b"Content-Length: 99999999\r\n\r\n" + b"a" * 3_000, 413),
        (_POST + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\n" + b"a" * 3_000, 413),
        (_POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\na", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(600) + b"\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
    ],
    ids=["header", "headers", "body", "chunk", "two lengths", "no host", "TLS", "HTTP 0.9"],
)
def test_what_is_no_small_request_is_refused(page: ServedPage, sent: bytes, status: int) -> None:
    answer = page.raw(sent)
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer[:80]
    assert page.request("/state")[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:80", ""]
)
def test_another_sites_name_is_not_served(page: ServedPage, host: str) -> None:
    """A site whose name was pointed here (DNS rebinding) gets not even the page."""
    assert page.request("/", f"Host: {host}")[0] == 421
    assert page.request("/state", f"Host: {host}")[0] == 421


@pytest.mark.parametrize(
    "line", ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"]
)
def test_a_request_from_another_site_is_refused(page: ServedPage, line: str) -> None:
    assert page.request("/stop", line, method="POST")[0] == 403
    assert page.request("/state", line)[0] == 403
    preflight = page.request("/state", "Origin: https://evil.example", method="OPTIONS", token="")
    assert preflight[0] == 405 and b"access-control" not in preflight[1].lower()


def test_pause_and_stop_need_their_switch_their_method_and_the_token(
    page: ServedPage, tmp_path: Path
) -> None:
    assert page.request("/stop")[0] == 405
    assert page.request("/stop", method="POST", token="wrong-")[0] == 401
    assert page.request("/stop", f"Origin: http://{page.host}", method="POST")[0] == 200
    with served(DataFolder(tmp_path)) as read_only:
        assert read_only.request("/stop", method="POST")[0] == 404
        assert read_only.request("/pause", method="POST")[0] == 404
        assert b"Emergency stop" not in read_only.request("/")[1]


def test_many_requests_are_slowed_down(page: ServedPage) -> None:
    statuses = [page.request("/watch.css")[0] for _ in range(120)]
    assert statuses[:40] == [200] * 40 and 429 in statuses
    assert page.request("/", source="127.0.0.2")[0] == 200
    assert sum("(429)" in line for line in page.log) == 1, "a flood fills no log"


def test_many_connections_of_one_address_leave_room_for_others(page: ServedPage) -> None:
    crowd = [page.connect() for _ in range(40)]
    try:
        assert page.request("/", source="127.0.0.2")[0] == 200
        dropped = 0
        for client in crowd[20:]:
            client.settimeout(5)
            try:
                dropped += client.recv(1) == b""
            except ConnectionError:
                dropped += 1
        assert dropped == 20
    finally:
        for client in crowd:
            client.close()


def test_a_client_that_sends_slowly_is_dropped(tmp_path: Path) -> None:
    with served(DataFolder(tmp_path), request_s=0.5) as page, page.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        began_s = time.monotonic()
        with pytest.raises(ConnectionError):
            while time.monotonic() - began_s < 30:
                slow.sendall(b"a")
                assert page.request("/", source="127.0.0.2")[0] == 200, "others are served meanwhile"
                time.sleep(0.1)


def test_a_client_that_does_not_read_is_dropped(tmp_path: Path) -> None:
    big = {"/big": Route(lambda _: Answer(bytes(30_000_000)), open=True)}
    with served(DataFolder(tmp_path), more=big, send_s=0.5) as page, page.connect() as slow:
        slow.sendall(f"GET /big HTTP/1.1\r\nHost: {page.host}\r\n\r\n".encode())
        assert page.request("/", source="127.0.0.2")[0] == 200
        time.sleep(1.5)
        assert len(exchange(slow, b"")) < 30_000_000


def test_over_tls_plain_and_half_open_clients_are_dropped(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made, key = certificate(tmp_path)
    context.load_cert_chain(made, key)
    with served(DataFolder(tmp_path), tls=context) as page:
        assert b"HTTP" not in page.raw(f"GET / HTTP/1.1\r\nHost: {page.host}\r\n\r\n".encode())
        with page.connect() as silent, page.connect() as plain:
            silent.sendall(b"\x16\x03\x01")
            trusting = ssl.create_default_context(cafile=str(made))
            with trusting.wrap_socket(plain, server_hostname="localhost") as client:
                assert exchange(client, page.head("/state")).startswith(b"HTTP/1.1 200")


def test_every_answer_tells_the_browser_to_keep_and_load_nothing_else(page: ServedPage) -> None:
    for path in ("/", "/state", "/nothing"):
        answer = page.request(path)[1].decode().lower()
        assert "content-security-policy: default-src 'none'" in answer and "cache-control: no-store" in answer
        assert "referrer-policy: no-referrer" in answer and "x-frame-options: deny" in answer
        assert not re.search(r"^(server|set-cookie|access-control[^:]*):", answer, re.MULTILINE)
