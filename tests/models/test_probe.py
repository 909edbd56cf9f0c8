"""A model is asked a few things when it is added: an endpoint plays each kind of model."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.host.backends.endpoint_server import serving

from pitwall.core.errors import RequestFailed
from pitwall.models.entry import ModelEntry
from pitwall.models.host_client import HostClient
from pitwall.models.probe import probe
from pitwall.models.probed import Probed, PromptForm, card_lines
from pitwall.models.spec import ModelSpec


@dataclass(frozen=True)
class Asked:
    """What an endpoint was asked: a system's text, a user's, and the options that may be chosen."""

    system: str
    user: str
    options: list[str]


Says = Callable[[Asked], str | None]
"""The reply; None: it dies."""
KNOWN = {
    "capital of France": "Paris.",
    "says meow": "A cat.",
    "sky": "Blue.",
    "word stone": "stone",
    "fire hot": "Yes",
    "Count": "1, 2, 3, 4, 5",
    "grass": '{"colour": "green"}',
    '"jump"': 'Sure: {"action": "jump"}',
    '"count"': '{"count": 3}',
    "bird": "A bird flies to the trees and it eats. Then it sings, and in the night it sleeps on a branch.",
}
RIGHT = ("cut the tree", "eat the food", "use the key")


def clever(asked: Asked) -> str:
    """Knows everything."""
    if asked.options:
        return json.dumps({"choice": next(option for option in asked.options if option in RIGHT)})
    return next(answer for key, answer in KNOWN.items() if key in asked.user)


def spoilt(asked: Asked) -> str:
    """Babbles where there is a system turn."""
    return "azzo vex" if asked.system else clever(asked)


def first_liking(asked: Asked) -> str:
    """Takes whatever is listed first."""
    listed = re.findall(r"^- (.+)$", asked.user, re.MULTILINE)
    return json.dumps({"choice": listed[0]}) if asked.options else clever(asked)


def dying(asked: Asked) -> str | None:
    """Dies in the middle of a choice."""
    return None if asked.options else clever(asked)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Says], ModelSpec]]:
    """Makes an endpoint that answers as it is told."""
    monkeypatch.setenv("NO_PROXY", "*")
    servers: list[http.server.ThreadingHTTPServer] = []

    def serve(says: Says) -> ModelSpec:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = says(_asked(body))
                answer = {"choices": [{"message": {"content": reply}, "finish_reason": "stop"}]}
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data if reply is not None else data[:10])

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        url = f"http://127.0.0.1:{server.server_port}/v1"
        return ModelSpec(name="far", kind="remote", url=url, remote_model="m")

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def _asked(body: dict[str, Any]) -> Asked:
    messages = {message["role"]: message["content"] for message in body["messages"]}
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    options = schema.get("properties", {}).get("choice", {}).get("enum", [])
    return Asked(messages.get("system", ""), messages["user"], options)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostClient]:
    with HostClient(tmp_path_factory.mktemp("logs")) as client:
        yield client


def test_what_a_model_can_do_is_found(client: HostClient, served: Callable[[Says], ModelSpec]) -> None:
    reports: list[tuple[int, int]] = []
    probed = probe(
        client, served(clever), template=True, progress=lambda done, most: reports.append((done, most))
    )
    assert (probed.language, probed.instruction, probed.json, probed.choice) == (True, 1.0, 1.0, 1.0)
    assert (probed.favours, probed.form, probed.no_text) == ("", PromptForm.TEMPLATE, "")
    assert [done for done, _ in reports[:-1]] == list(range(len(reports) - 1))
    assert reports[-1][0] == reports[-1][1]


def test_a_system_turn_that_spoils_a_model_is_left_out(
    client: HostClient, served: Callable[[Says], ModelSpec]
) -> None:
    probed = probe(client, served(spoilt), template=True)
    assert (probed.form, probed.choice, probed.no_text) == (PromptForm.FOLDED, 1.0, "")
    assert probed.right_by_form == {PromptForm.TEMPLATE: 0.0, PromptForm.FOLDED: 1.0}
    assert "without a system turn" in dict(card_lines(probed))["Prompts"]


def test_a_liking_for_a_place_is_found(client: HostClient, served: Callable[[Says], ModelSpec]) -> None:
    probed = probe(client, served(first_liking), template=True)
    assert probed.favours == "first"
    assert probed.choice == pytest.approx(1 / 3)


def test_a_model_that_repeats_itself_is_asked_for_no_text(
    client: HostClient, served: Callable[[Says], ModelSpec]
) -> None:
    probed = probe(client, served(lambda _: "pipesaea6 " * 40), template=True)
    assert not probed.language and not probed.writes_json
    assert "not language" in probed.no_text


def test_an_endpoint_that_dies_in_mid_choice_is_told(
    client: HostClient, served: Callable[[Says], ModelSpec]
) -> None:
    with pytest.raises(RequestFailed, match="cut before the reply was whole"):
        probe(client, served(dying), template=True)


def test_a_model_that_follows_no_instruction_writes_no_text() -> None:
    assert "followed 33 % of short instructions" in Probed(language=True, instruction=1 / 3).no_text
    assert not Probed(language=True, instruction=2 / 3).no_text
    assert Probed(language=True, instruction=1, only="plans").no_text == "it was made for plans alone"


def test_a_model_that_thinks_first_gets_room_and_an_empty_reply_ends_no_probe(client: HostClient) -> None:
    def thinks(body: dict[str, Any]) -> Any:
        if body["max_tokens"] < 1000:
            return 200, {"choices": [{"message": {"reasoning_content": "hm"}, "finish_reason": "length"}]}
        asked = _asked(body)
        text = "" if "grass" in asked.user else clever(asked)
        return 200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}

    with serving() as endpoint:
        endpoint.way = thinks
        spec = ModelSpec(name="thinker", kind="remote", url=endpoint.address, remote_model="m")
        probed = probe(client, spec, template=True)
        cut_off = [body for body in endpoint.asked if body["max_tokens"] < 1000]
    assert (probed.language, probed.instruction, round(probed.json, 1)) == (True, 1.0, 0.7)
    assert len(cut_off) == 1


def test_an_endpoint_has_no_file_that_may_be_damaged() -> None:
    babble = Probed(language=False)
    assert "its file may be damaged" in dict(card_lines(babble))["Language"]
    assert "file" not in dict(card_lines(babble, remote=True))["Language"]
    entry = ModelEntry(
        name="far", kind="remote", url="http://127.0.0.1:9/v1", remote_model="m", probed=babble
    )
    assert "endpoint" in entry.doubt and "file" not in entry.doubt
