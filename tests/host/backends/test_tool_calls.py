"""Native tool calls: an endpoint's calls become text, and a model's own template gets the functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.host.backends.endpoint_server import EndpointServer, reply, serving
from tests.host.host_driver import HostProcess, chat_message

from pitwall.models.call_forms.contract import function
from pitwall.models.call_forms.written_call import read_call
from pitwall.models.spec import ModelSpec

GO = (chat_message("user", "What now?"),)
TOOLS = json.dumps([function("go", "go on", {"ms": {"type": "integer"}}, ["ms"])])


@pytest.fixture(scope="module")
def server() -> Iterator[EndpointServer]:
    with serving() as endpoint:
        yield endpoint


def _spec(server: EndpointServer, name: str) -> ModelSpec:
    server.asked.clear()
    return ModelSpec(name=name, kind="remote", url=server.address, remote_model=name)


def _events(*calls: dict[str, Any], finish: str = "tool_calls") -> list[Any]:
    parts = [{"choices": [{"delta": {"tool_calls": [call]}}]} for call in calls]
    return [*parts, {"choices": [{"delta": {}, "finish_reason": finish}]}]


def test_a_call_in_pieces_becomes_one_text(host: HostProcess, server: EndpointServer) -> None:
    server.way = lambda _: _events(
        {"index": 0, "id": "1", "function": {"name": "go", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"ms"'}},
        {"index": 0, "function": {"arguments": ": 5}"}},
    )
    answer = host.complete(_spec(server, "caller"), *GO, tools=TOOLS, must_call=True)
    call = read_call(answer.text)
    assert (call.name, call.arguments) == ("go", {"ms": 5})
    body = server.asked[-1]
    assert (body["tools"], body["tool_choice"]) == (json.loads(TOOLS), "required")


def test_a_reply_without_a_call_is_an_answer_to_be_counted(host: HostProcess, server: EndpointServer) -> None:
    server.way = lambda _: reply("", reasoning_content="long thoughts")
    assert host.complete(_spec(server, "thinker"), *GO, tools=TOOLS).text == ""
    assert server.asked[-1]["tool_choice"] == "auto"


def test_an_endpoint_that_cannot_force_a_call_is_asked_without_force(
    host: HostProcess, server: EndpointServer
) -> None:
    def way(body: dict[str, Any]) -> Any:
        if "tool_choice" in body:
            return 400, {"error": {"message": "tool_choice is not supported with these tools"}}
        return _events({"function": {"name": "go", "arguments": '{"ms": 7}'}})

    server.way = way
    answer = host.complete(_spec(server, "unforced"), *GO, tools=TOOLS, must_call=True)
    assert read_call(answer.text).arguments == {"ms": 7}
    assert "tools" in server.asked[-1] and "tool_choice" not in server.asked[-1]
