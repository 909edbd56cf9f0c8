"""Replies in parts, thinking before them, replies without a text, strange event streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.host.backends.endpoint_server import EndpointServer, reply, serving
from tests.host.host_driver import HostProcess, chat_message

from pitwall.models.spec import ModelSpec

GO = (chat_message("user", "What now?"),)


@pytest.fixture(scope="module")
def server() -> Iterator[EndpointServer]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def spec(server: EndpointServer) -> ModelSpec:
    server.paths.clear()
    return ModelSpec(name="parts", kind="remote", url=server.address, remote_model="x")


def _pieces(*pieces: str) -> list[Any]:
    texts = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    return [*texts, {"choices": [{"delta": {}, "finish_reason": "stop"}]}]


def _stream(*events: str, end: str = "\n\n") -> bytes:
    return "".join(f"{event}{end}" for event in events).encode()


_HM = {"type": "text", "text": "hm"}
_FINAL = "<|channel|>final<|message|>"
_GO_ON = 'data: {"choices": [{"delta": {"content": "go on"}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (reply([{"type": "thinking", "thinking": [_HM]}, {"type": "text", "text": "go"}]), "go"),
        (reply([{"type": "output_text", "text": "g"}, {"type": "text", "text": {"value": "o"}}, "!"]), "go!"),
        (reply("go", reasoning_content="hm"), "go"),
        (_pieces("<thi", "nk>I should go {}</thi", "nk>\n\ngo"), "go"),
        (_pieces("[THINK]hm[/THINK]", "go"), "go"),
        (_pieces("I think</think>", "\ngo"), "go"),
        (_pieces("<|channel|>analysis<|message|>hm<|end|>", "<|start|>assistant", f"{_FINAL}go"), "go"),
        (_pieces("<", "b> is no thought"), "<b> is no thought"),
        (_pieces("half \ud83d", "\ude00 \ud83d", "!"), "half 😀 \ufffd!"),
        ((200, {"choices": [{"message": {"content": "go"}, "finish_reason": "stop"}]}), "go"),
        ([{"choices": []}, *reply("go"), {"choices": [], "usage": None}], "go"),
        (_stream(": ping", _GO_ON, ": ping", "data: [DONE]", end="\r\n\r\n"), "go on"),
        (_stream("event: message\n" + _GO_ON, "data:", "data:[DONE]"), "go on"),
        (_stream(_GO_ON.replace("go on", "Gr\u00fc\u00dfe")), "Grüße"),
        (_stream(_GO_ON).replace(b"go on", b"go \xff"), "go \ufffd"),
    ],
)  # fmt: skip
def test_the_text_of_a_reply_is_read(
    host: HostProcess, server: EndpointServer, spec: ModelSpec, answer: Any, text: str
) -> None:
    server.way = lambda _: answer
    request = host.request(spec, *GO)
    host.send(request)
    completed = host.answer(request.request_id)
    assert getattr(completed, "text", completed) == text
    if "</think>" not in json.dumps(answer, default=str):
        assert "".join(piece.text for piece in host.streamed(request.request_id)) == text


@pytest.mark.parametrize(
    ("answer", "problem", "error"),
    [
        (reply("", "length", reasoning_content="hard"), "on thinking, none on the reply", "ThoughtOnly"),
        (_pieces("<think>I should go"), "on thinking, none on the reply", "ThoughtOnly"),
        (_pieces("<think>I should go</think>\n"), "on thinking, none on the reply", "ThoughtOnly"),
        (reply(None, "stop", refusal="I must not."), "it refused: 'I must not.'", "EmptyReply"),
        (reply("", "content_filter"), "its filter withheld", "EmptyReply"),
        (reply("", "length"), "wrote nothing within its limit of 1,024 tokens", "EmptyReply"),
        (reply("", "tool_calls", tool_calls=[{"id": "1"}]), "called a tool", "EmptyReply"),
        (reply(" \n"), "its reply is empty", "EmptyReply"),
        ((200, {"choices": []}), "no reply in it", "EndpointFault"),
        (
            [{"choices": [], "error": {"message": "CUDA out of memory"}}],
            "CUDA out of memory",
            "EndpointFault",
        ),
        ((502, b"<html><head><title>Bad gateway</title></head></html>"), "a web page ('Bad gateway')", ""),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_without_text_is_no_success(
    host: HostProcess,
    server: EndpointServer,
    spec: ModelSpec,
    answer: Any,
    problem: str,
    error: str,
    stream: bool,
) -> None:
    server.way = lambda _: answer if stream else _whole(answer)
    fault = host.refuse(spec, *GO, stream=stream)
    assert problem in fault.what and fault.fix
    assert not error or fault.error == error


def _whole(answer: Any) -> Any:
    """Return a streamed answer as the single JSON of a request without streaming."""
    if not isinstance(answer, list) or "error" in answer[0]:
        return (200, answer[0]) if isinstance(answer, list) else answer
    message: dict[str, Any] = {}
    for event in answer:
        message |= event["choices"][0]["delta"]
    return 200, {
        "choices": [{"message": message, "finish_reason": answer[-1]["choices"][0]["finish_reason"]}]
    }


@pytest.mark.parametrize(
    "answer",
    [
        (404, {"error": {"message": "no such path"}}),
        (200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
        (200, b"<html><title>llama.cpp</title></html>"),
    ],
)
def test_an_address_without_v1_is_asked_about(
    host: HostProcess, server: EndpointServer, spec: ModelSpec, answer: Any
) -> None:
    server.way = lambda _: answer
    short = replace(spec, url=f" {server.address.removesuffix('/v1')}/ ")
    assert host.refuse(short, *GO).fix == f"Did you mean {server.address}?"
    assert server.paths == ["/chat/completions"]
