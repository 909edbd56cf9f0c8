"""Messages reach a real server and a real program, and a failed one is a sentence without the address."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from pitwall_night.messages import Message, Messenger, Receivers

_MESSAGE = Message(night=1, game="flappy", event="crashed", at_s=2.0, text="It closed.", run_id=7)


@dataclass
class _Server:
    address: str
    status: int = 200
    received: list[dict[str, object]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[_Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.received.append(json.loads(body))
            kept.paths.append(self.path)
            self.send_response(kept.status)
            self.send_header("Location", f"{kept.address}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept = _Server(f"http://127.0.0.1:{listening.server_port}")
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield kept
    listening.shutdown()
    listening.server_close()
    thread.join()


def _send(receivers: Receivers) -> list[str]:
    """Send a message; return what could not be sent."""
    failed: list[str] = []
    messenger = Messenger(receivers.senders(), failed.append)
    messenger.send(_MESSAGE)
    messenger.close()
    return failed


def test_a_webhook_gets_the_event_as_json(server: _Server) -> None:
    assert _send(Receivers(webhook=f"{server.address}/hook?key=secret")) == []
    assert server.received == [_MESSAGE.model_dump()]
    assert server.paths == ["/hook?key=secret"]


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_refusing_server_is_not_followed_nor_named(server: _Server, status: int) -> None:
    server.status = status
    failed = _send(Receivers(webhook=f"{server.address}/hook?key=secret"))
    assert failed == [f"The webhook could not be sent: the server answered {status}."]
    assert server.paths == ["/hook?key=secret"]


def test_a_server_that_is_not_there_costs_a_sentence() -> None:
    (sentence,) = _send(Receivers(webhook="http://127.0.0.1:9/hook?key=secret"))
    assert "was not reached" in sentence
    assert "secret" not in sentence


def test_a_program_reads_the_event_and_its_failure_is_said(tmp_path: Path) -> None:
    program = tmp_path / "told"
    program.write_text('#!/bin/sh\ncat > "$0.json"\necho "$PITWALL_EVENT" > "$0.event"\nexit $1\n')
    program.chmod(0o755)
    assert _send(Receivers(command=f"{program} 0")) == []
    assert json.loads((tmp_path / "told.json").read_text()) == _MESSAGE.model_dump()
    assert (tmp_path / "told.event").read_text() == "crashed\n"
    failed = _send(Receivers(command=f"{program} 3"))
    assert failed == ["The command could not be sent: it ended with status 3."]


@pytest.mark.parametrize(
    "receivers",
    [
        Receivers(webhook="file:///etc/passwd"),
        Receivers(webhook="https://"),
        Receivers(webhook="https://host/a secret"),
        Receivers(webhook="https://host/secret\x7f"),
        Receivers(webhook="https://host:port/secret"),
        Receivers(webhook="https://[host/secret"),
        Receivers(command="no-such-program"),
    ],
    ids=["file", "no host", "a blank", "a control character", "no port", "half a bracket", "no program"],
)
def test_a_receiver_that_cannot_be_used_is_refused_at_once(receivers: Receivers) -> None:
    with pytest.raises(PitwallError) as refused:
        receivers.senders()
    assert "secret" not in f"{refused.value.what} {refused.value.fix}"


def test_a_malformed_answer_costs_a_sentence_and_no_later_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        answers = threading.Thread(target=_answer_badly, args=(listening, 2))
        answers.start()
        failed: list[str] = []
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/secret"
        messenger = Messenger(Receivers(webhook=address).senders(), failed.append)
        messenger.send(_MESSAGE)
        messenger.send(_MESSAGE)
        messenger.close()
        answers.join()
    assert failed == ["The webhook could not be sent: the server's answer could not be read."] * 2


def test_a_sentence_that_cannot_be_printed_costs_no_later_message() -> None:
    sent: list[Message] = []

    def send(message: Message) -> None:
        sent.append(message)
        raise OSError

    def is_closed(_: str) -> None:
        raise BrokenPipeError

    messenger = Messenger({"command": send}, is_closed)
    messenger.send(_MESSAGE)
    messenger.send(_MESSAGE)
    messenger.close()
    assert len(sent) == 2


def _answer_badly(listening: socket.socket, times: int) -> None:
    for _ in range(times):
        client, _ = listening.accept()
        with client:
            client.recv(65_536)
            client.sendall(b"no such protocol\r\n\r\n")
