"""Endpoints that refuse a parameter: it is changed or left out once, and the reply's schema stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from tests.host.backends.endpoint_server import EndpointServer, Way, reply, serving
from tests.host.host_driver import HostProcess, chat_message

from pitwall.models.spec import ModelSpec

GO = (chat_message("system", "Be quick."), chat_message("user", "What now?"))
SCHEMA = json.dumps({"type": "object", "properties": {"action": {"enum": ["go"]}}, "required": ["action"]})
_NAMES = count()


@pytest.fixture(scope="module")
def server() -> Iterator[EndpointServer]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def spec(server: EndpointServer) -> ModelSpec:
    """A model that no test asked before, behind the server."""
    server.asked.clear()
    server.headers.clear()
    name = f"model-{next(_NAMES)}"
    return ModelSpec(name=name, kind="remote", url=server.address, remote_model=name)


def _refusing(key: str, message: str, *, param: str | None = "", status: int = 400) -> Way:
    """Return a way that refuses a parameter in a server's own words."""

    def way(body: dict[str, Any]) -> Any:
        if key in body:
            return status, {"error": {"message": message, **({"param": param} if param != "" else {})}}
        return reply('{"action": "go"}')

    return way


def _extra_keys(body: dict[str, Any]) -> Any:
    """Answer as a FastAPI server that forbids extra keys."""
    extra = [key for key in ("seed", "stream_options", "stop") if key in body]
    if extra:
        return 422, {
            "detail": [{"loc": ["body", key], "msg": "Extra inputs are not permitted"} for key in extra]
        }
    return reply('{"action": "go"}')


def _too_many(body: dict[str, Any]) -> Any:
    if body["max_tokens"] > 8:
        return 400, {"error": {"message": "Invalid max_tokens value, the valid range is [1, 8]"}}
    return reply('{"action": "go"}')


def _too_large(body: dict[str, Any]) -> Any:
    if body["max_tokens"] > 8:
        message = "max_tokens is too large: 9. This model supports at most 8 completion tokens"
        return 400, {"error": {"message": message}}
    return reply('{"action": "go"}')


def _positive(body: dict[str, Any]) -> Any:
    if body.get("temperature") == 0:
        return 422, {"error": "Input validation error: `temperature` must be strictly positive"}
    return reply('{"action": "go"}')


def _no_system(body: dict[str, Any]) -> Any:
    if body["messages"][0]["role"] == "system":
        return 400, {
            "error": {
                "message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
                "param": "messages[0].role",
            }
        }
    return reply('{"action": "go"}')


def _no_stream(body: dict[str, Any]) -> Any:
    if body.get("stream"):
        return 400, {"error": {"message": "Streaming is not supported for this model."}}
    return 200, {"choices": [{"message": {"content": '{"action": "go"}'}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("way", "changed"),
    [
        (
            _refusing(
                "max_tokens",
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.",
                param="max_tokens",
            ),
            {"max_tokens": None, "max_completion_tokens": 9},
        ),
        (
            _refusing("max_tokens", "Please use max_completion_tokens: this one is unsupported", param=None),
            {"max_tokens": None, "max_completion_tokens": 9},
        ),
        (
            _refusing("temperature", "'temperature' does not support 0.0; only the default (1)", param=None),
            {"temperature": None},
        ),
        (_refusing("seed", "Unknown parameter: 'seed'", status=422), {"seed": None}),
        (_refusing("stop", "Unsupported parameter: stop", param="stop"), {"stop": None}),
        (
            _refusing("stream_options", "unrecognized request argument supplied: stream_options"),
            {"stream_options": None, "stream": True},
        ),
        (_extra_keys, {"seed": None, "stream_options": None, "stop": None, "max_tokens": 9}),
        (_too_many, {"max_tokens": 8}),
        (_positive, {"temperature": 0.01}),
        (_no_system, {"messages": [{"role": "user", "content": "Be quick.\nWhat now?"}]}),
        (_no_stream, {"stream": None, "stream_options": None}),
        (
            _refusing("temperature", "`temperature` is deprecated for this model. \x1b[2J"),
            {"temperature": None},
        ),
        (_too_large, {"max_tokens": 8}),
    ],
)
def test_a_refused_parameter_is_changed_once_and_the_schema_stays(
    host: HostProcess, server: EndpointServer, spec: ModelSpec, way: Way, changed: dict[str, Any]
) -> None:
    server.way = way
    first = host.complete(spec, *GO, schema=SCHEMA, max_tokens=9, stop=("#",), seed=3)
    tries = len(server.asked)
    again = host.complete(spec, *GO, schema=SCHEMA, max_tokens=9, stop=("#",), seed=3)
    assert first.text == again.text == '{"action": "go"}'
    assert tries > 1 and len(server.asked) == tries + 1, "the agreement was forgotten"
    body = server.asked[-1]
    assert {key: body.get(key) for key in changed} == changed
    assert body["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Invalid schema for response_format 'reply': additionalProperties must be false when strict",
            "unstrict",
        ),
        ("response_format.type json_schema is unavailable now", "llama"),
    ],
)
def test_a_refused_schema_takes_the_next_form(
    host: HostProcess, server: EndpointServer, spec: ModelSpec, message: str, kept: str
) -> None:
    def way(body: dict[str, Any]) -> Any:
        asked = body["response_format"]
        strict = asked.get("json_schema", {}).get("strict")
        if strict or (kept == "llama" and asked["type"] == "json_schema"):
            return 400, {"error": {"message": message}}
        return reply('{"action": "go"}')

    server.way = way
    assert host.complete(spec, *GO, schema=SCHEMA).text == '{"action": "go"}'
    taken = server.asked[-1]["response_format"]
    assert taken["type"] == ("json_schema" if kept == "unstrict" else "json_object")
    assert len(server.asked) == 2 and server.asked[-1]["seed"] == 0


def test_a_prompt_that_is_too_long_loses_no_parameter(
    host: HostProcess, server: EndpointServer, spec: ModelSpec
) -> None:
    problem = "This model's maximum context length is 512 tokens; reduce your messages or max_tokens."
    server.way = lambda _: (400, {"error": {"message": problem, "param": "messages"}})
    fault = host.refuse(spec, *GO, schema=SCHEMA)
    assert "maximum context length" in fault.what and len(server.asked) == 1


def test_an_endpoint_that_refuses_everything_is_asked_a_bounded_number_of_times(
    host: HostProcess, server: EndpointServer, spec: ModelSpec
) -> None:
    server.way = lambda body: (400, {"error": {"message": f"invalid: {' '.join(sorted(body))}"}})
    assert "HTTP 400" in host.refuse(spec, *GO, schema=SCHEMA, stop=("#",)).what
    assert len(server.asked) < 12


def test_stop_texts_are_kept_where_the_endpoint_takes_none(
    host: HostProcess, server: EndpointServer, spec: ModelSpec
) -> None:
    def way(body: dict[str, Any]) -> Any:
        if "stop" in body:
            return 400, {"error": {"message": "Unsupported parameter: 'stop'"}}
        return reply("one#two")

    server.way = way
    assert host.complete(spec, *GO, stop=("#",)).text == "one"


def test_an_endpoint_that_wants_rest_is_left_alone(
    host: HostProcess, server: EndpointServer, spec: ModelSpec
) -> None:
    server.headers["Retry-After"] = "20"
    server.way = lambda _: (429, {"error": {"message": "slow down"}})
    first = host.refuse(spec, *GO)
    assert "HTTP 429: slow down" in first.what and "wait 20 s" in first.fix
    again = host.refuse(spec, *GO)
    assert "asked to be left alone" in again.what and "again in" in again.fix
    assert len(server.asked) == 1
