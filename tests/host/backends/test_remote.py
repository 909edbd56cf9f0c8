"""Endpoints: llama_cpp.server on loopback as the real peer, and a server that misbehaves in every way."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.host.host_driver import LONG_S, HostProcess, chat_message

from pitwall.models.host_requests import (
    Cancel,
    Completed,
    Embed,
    Embedded,
    HostFault,
    Loaded,
    LoadModel,
    RunOnnx,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec

KEY = "sk-loopback-4711"
KEY_VARIABLE = "PITWALL_TEST_KEY"
GO = (chat_message("system", "Be quick."), chat_message("user", "What now?"))
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"action": {"enum": ["go", "stop"]}},
        "required": ["action"],
        "additionalProperties": False,
    }
)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(models: Path, tmp_path_factory: pytest.TempPathFactory, llama: str) -> Iterator[str]:
    """Address of a llama_cpp.server that wants a key."""
    assert llama
    port, log = _free_port(), tmp_path_factory.mktemp("server") / "server.log"
    options = {
        "--model": str(models / "text.gguf"),
        "--host": "127.0.0.1",
        "--port": str(port),
        "--n_ctx": "4096",
        "--embedding": "true",
        "--api_key": KEY,
    }
    command = [sys.executable, "-m", "llama_cpp.server", *(part for pair in options.items() for part in pair)]
    with log.open("wb") as lines:
        process = subprocess.Popen(command, stdout=lines, stderr=lines)
    deadline = time.monotonic() + LONG_S
    while not _listens(port):
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/v1"
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that knows the key."""
    before = dict(os.environ)
    os.environ.update({KEY_VARIABLE: KEY, "PITWALL_WRONG_KEY": "sk-wrong-0815"})
    host = HostProcess(tmp_path_factory.mktemp("asking") / "host.log")
    os.environ.clear()
    os.environ.update(before)
    yield host
    assert host.close() == 0
    words = host.child.last_words()
    assert KEY not in words and "sk-wrong-0815" not in words


@pytest.fixture
def remote(server: str) -> ModelSpec:
    """The tiny model behind the endpoint."""
    return ModelSpec(name="remote", kind="remote", url=server, remote_model="tiny", key_variable=KEY_VARIABLE)


def test_an_endpoint_completes(asking: HostProcess, remote: ModelSpec) -> None:
    request = asking.request(remote, *GO, max_tokens=20)
    reply = asking.answer(asking.send(request))
    assert isinstance(reply, Completed) and reply.finish == "length"
    assert "".join(piece.text for piece in asking.streamed(request.request_id)) == reply.text
    assert reply.device == remote.url.split("/")[2] and 0 < (reply.first_token_ms or 0) <= reply.took_ms
    whole = asking.complete(remote, *GO, max_tokens=20, stream=False)
    assert whole.text == reply.text and whole.prompt_tokens > 20 and whole.output_tokens == 20


def test_a_schema_is_told_in_a_form_that_the_endpoint_knows(asking: HostProcess, remote: ModelSpec) -> None:
    """llama_cpp.server answers OpenAI's form with HTTP 500 and takes llama.cpp's older one."""
    for seed in range(3):
        reply = asking.complete(remote, *GO, schema=SCHEMA, seed=seed, temperature=1.0, max_tokens=200)
        assert json.loads(reply.text)["action"] in {"go", "stop"}
    assert asking.refuse(remote, *GO, schema="{").error == "BadGrammar"


def test_an_endpoint_writes_a_choice_and_says_so(asking: HostProcess, remote: ModelSpec) -> None:
    options = ['{"action":"go"}', '{"action":"stop"}']
    request = asking.choose(remote, *GO, options=options, schema=SCHEMA, max_tokens=200)
    reply = asking.ask(request, kind=Completed)
    assert json.loads(reply.text)["action"] in {"go", "stop"}
    assert reply.choice is not None and not reply.choice.options
    assert "gives no log-probabilities" in reply.choice.note


def test_a_running_remote_reply_is_cancelled(asking: HostProcess, remote: ModelSpec) -> None:
    schema = json.dumps({"type": "array", "items": {"enum": ["go", "stop"]}, "minItems": 400})
    number = asking.send(asking.request(remote, *GO, schema=schema, max_tokens=3500))
    asking.until_streamed(number)
    asking.send(Cancel(request_id=number))
    reply = asking.answer(number)
    assert isinstance(reply, Completed) and reply.finish == "cancelled" and reply.text
    assert asking.complete(remote, *GO, max_tokens=5).output_tokens == 5


def test_an_endpoint_embeds(asking: HostProcess, remote: ModelSpec) -> None:
    def embed(*texts: str) -> NDArray[np.float32]:
        request = Embed(request_id=asking.number(), model=remote, texts=texts)
        reply = asking.ask(request, kind=Embedded)
        blob = asking.blob_of(request.request_id)
        return np.frombuffer(blob, np.float32).reshape(len(texts), reply.width)

    door, again, lava = embed("door"), embed("door"), embed("lava")
    assert np.allclose(door, again, atol=1e-5) and float(door[0] @ lava[0]) < 0.9999
    assert np.allclose(np.linalg.norm(embed("door", "lava", "key"), axis=1), 1, atol=1e-5)


def test_an_endpoint_is_listed(asking: HostProcess, remote: ModelSpec) -> None:
    model = replace(remote, name="listed")
    reply = asking.ask(LoadModel(request_id=asking.number(), model=model), kind=Loaded)
    (loaded,) = (loaded for loaded in reply.models if loaded.name == "listed")
    assert (loaded.device, loaded.memory_bytes) == (remote.url.split("/")[2], 0)
    left = asking.ask(UnloadModel(request_id=asking.number(), name="listed"), kind=Loaded)
    assert "listed" not in {loaded.name for loaded in left.models}


def test_what_an_endpoint_cannot_do_is_said(asking: HostProcess, remote: ModelSpec) -> None:
    count = Tokenise(request_id=asking.number(), model=remote, texts=("door",))
    assert "cannot tell how many tokens" in asking.ask(count, kind=HostFault).what
    run = RunOnnx(request_id=asking.number(), model=remote, inputs=())
    assert asking.ask(run, kind=HostFault).error == "WrongKind"
    blind = asking.refuse(remote, chat_message("user", "Look.", image=True), blob=b"")
    assert blind.error == "ModelWithoutVision"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"key_variable": "PITWALL_WRONG_KEY"}, "HTTP 401"),
        ({"key_variable": ""}, "HTTP 401"),
        ({"key_variable": "PITWALL_NO_SUCH_KEY"}, "PITWALL_NO_SUCH_KEY is not set"),
        ({"url": "http://127.0.0.1:9/v1"}, "nothing listens"),
        ({"url": "http://nowhere.invalid/v1"}, "name of its host"),
        ({"url": "127.0.0.1:80"}, "no address"),
        ({"url": "http://127.0.0.1:99999/v1"}, "no address"),
        ({"url": "http://[broken/v1"}, "no address"),
        ({"url": "file:///etc/passwd"}, "no address"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_endpoint_that_refuses_is_said_so(
    asking: HostProcess, remote: ModelSpec, change: dict[str, Any], problem: str
) -> None:
    fault = asking.refuse(replace(remote, **change), *GO)
    assert problem in fault.what and fault.fix
    for secret in (KEY, "sk-wrong-0815"):
        assert secret not in f"{fault.what}{fault.fix}{fault.traceback}"


# ---- an endpoint that misbehaves


class _Misbehaving(http.server.BaseHTTPRequestHandler):
    """Answers by what the model's name asks for; remembers what it was asked."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[dict[str, Any]]] = []
    heard_end = threading.Event()

    def do_GET(self) -> None:
        self._say(200, b'{"data": []}')

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        if self.path == "/tokenize":
            self._say(200, json.dumps({"tokens": list(range(len(body["content"])))}).encode())
            return
        way = getattr(self, f"_{body['model']}")
        way(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _say(self, status: int, data: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, *events: object, length: int | None = None) -> None:
        data = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Content-Length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def _busy(self, _body: object) -> None:
        self._say(429, b'{"error": {"message": "slow down"}}')

    def _lost(self, _body: object) -> None:
        self._say(404, b"<html>nothing here</html>")

    def _broken(self, _body: object) -> None:
        self._say(500, b'{"error": "out of memory"}')

    def _echo(self, _body: object) -> None:
        self._say(
            403, json.dumps({"error": {"message": f"{self.headers['Authorization']} is no key"}}).encode()
        )

    def _page(self, _body: object) -> None:
        self._say(200, b"<!DOCTYPE html><p>welcome", "text/html")

    def _list(self, _body: object) -> None:
        self._say(200, b"[1, 2]")

    def _strange(self, _body: object) -> None:
        self._events({"choices": [7]})

    def _cut(self, _body: object) -> None:
        self._events({"choices": [{"delta": {"content": "half of"}}]}, length=5000)
        self.close_connection = True

    def _silent(self, _body: object) -> None:
        """Says nothing until the other end is gone."""
        self.connection.settimeout(LONG_S)
        if self.connection.recv(1) == b"":
            self.heard_end.set()
        self.close_connection = True

    def _whole(self, _body: object) -> None:
        usage = {
            "prompt_tokens": 90,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 64},
        }
        self._events(
            {"choices": [{"delta": {"role": "assistant", "content": None}}]},
            {"choices": [{"delta": {"content": "hé"}}]},
            {"choices": [{"delta": {"content": "llo"}, "finish_reason": "length"}]},
            {"choices": [], "usage": usage},
        )


@pytest.fixture(scope="module")
def misbehaving() -> Iterator[str]:
    """Address of a server that misbehaves as the model's name says."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Misbehaving)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def way(misbehaving: str) -> Callable[[str], ModelSpec]:
    """The model that makes the server misbehave in a way."""
    return lambda name: ModelSpec(
        name=name, kind="remote", url=misbehaving, remote_model=name, key_variable=KEY_VARIABLE, sees=True
    )


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("busy", "HTTP 429: slow down"),
        ("lost", "HTTP 404"),
        ("broken", "out of memory"),
        ("echo", "HTTP 403"),
        ("page", "no JSON object"),
        ("list", "no JSON object"),
        ("strange", "not a chat completion"),
        ("cut", "cut before"),
    ],
)
@pytest.mark.parametrize("schema", ["", SCHEMA])
def test_a_misbehaving_endpoint_is_told_apart(
    asking: HostProcess, way: Callable[[str], ModelSpec], name: str, problem: str, schema: str
) -> None:
    fault = asking.refuse(way(name), *GO, schema=schema)
    assert problem in fault.what and _is_the_endpoints(fault)
    assert KEY not in f"{fault.what}{fault.fix}{fault.traceback}"


def _is_the_endpoints(fault: HostFault) -> bool:
    """Whether a fault is the endpoint's."""
    return fault.error in {"EndpointFault", "RefusedByEndpoint"}


def test_usage_and_its_cached_tokens_are_told(asking: HostProcess, way: Callable[[str], ModelSpec]) -> None:
    """This one also ends without the [DONE] that the others send."""
    reply = asking.complete(way("whole"), *GO)
    assert (reply.text, reply.finish) == ("héllo", "length")
    assert (reply.prompt_tokens, reply.cached_tokens, reply.output_tokens) == (90, 64, 2)


def test_what_is_asked_of_an_endpoint(asking: HostProcess, way: Callable[[str], ModelSpec]) -> None:
    picture = bytes(cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1])
    look = chat_message("user", "Look.", image=True)
    asking.complete(
        way("whole"), GO[0], look, blob=picture, seed=7, temperature=0.5, stop=("#",), max_tokens=9
    )
    asked = _Misbehaving.asked[-1]
    assert (asked["seed"], asked["temperature"], asked["stop"], asked["max_tokens"]) == (7, 0.5, ["#"], 9)
    assert asked["messages"][0] == {"role": "system", "content": "Be quick."}
    shown, text = asked["messages"][1]["content"]
    assert shown["image_url"]["url"].startswith("data:image/jpeg;base64,")
    assert text == {"type": "text", "text": "Look."}
    bad = asking.refuse(way("whole"), look, blob=b"no picture")
    assert bad.error == "BadPicture"


def test_an_endpoint_with_a_tokeniser_counts(asking: HostProcess, way: Callable[[str], ModelSpec]) -> None:
    request = Tokenise(request_id=asking.number(), model=way("whole"), texts=("door", ""))
    assert asking.ask(request, kind=Tokenised).counts == (4, 0)


@pytest.mark.parametrize("stream", [True, False])
def test_a_silent_endpoint_is_left_at_the_deadline(
    asking: HostProcess, way: Callable[[str], ModelSpec], stream: bool
) -> None:
    """And it is told: its connection ends."""
    _Misbehaving.heard_end.clear()
    reply = asking.complete(way("silent"), *GO, deadline_ms=200, stream=stream)
    assert (reply.finish, reply.text) == ("deadline", "")
    assert _Misbehaving.heard_end.wait(LONG_S)


def test_one_silent_endpoint_does_not_hold_another(
    asking: HostProcess, way: Callable[[str], ModelSpec]
) -> None:
    silent = [asking.send(asking.request(way("silent"), *GO)) for _ in range(2)]
    assert asking.complete(way("whole"), *GO).text == "héllo"
    for number in silent:
        asking.send(Cancel(request_id=number))
    for number in silent:
        reply = asking.answer(number)
        assert isinstance(reply, Completed) and reply.finish == "cancelled"
