"""A command's own host: replies in order, failures with the host's words, a death told as one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwall.core.errors import ChildDied, RequestFailed
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Span
from pitwall.desktops.here import processes
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import (
    Complete,
    Completed,
    Loaded,
    LoadModel,
    Streamed,
    Tokenise,
    Tokenised,
)
from pitwall.models.registry import ModelRegistry
from pitwall.models.spec import ModelSpec
from pitwall.models.speed import measure
from workshop.fixtures.processes import KILLED_IN_WORDS, freeze, kill, resume
from workshop.fixtures.tiny_models import tiny_text_model


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory, llama: str) -> ModelSpec:
    assert llama
    folder = tmp_path_factory.mktemp("client")
    path = tiny_text_model(folder / "tiny.gguf")
    return ModelRegistry(DataFolder(folder / "data")).add_file(path, context=2048, threads=1).spec


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostClient]:
    with HostClient(tmp_path_factory.mktemp("logs")) as client:
        yield client


def _complete(client: HostClient, spec: ModelSpec, *, tokens: int = 40, grammar: str = "") -> Complete:
    message = Message(role="user", spans=(Span(layer=Layer.STATE, text="what now?"),))
    return Complete(
        request_id=client.number(), model=spec, messages=(message,), max_tokens=tokens, grammar=grammar
    )


def test_pieces_come_before_the_answer(shared: HostClient, spec: ModelSpec) -> None:
    replies = list(shared.ask(_complete(shared, spec)))
    whole = replies[-1]
    assert isinstance(whole, Completed)
    pieces = [reply.text for reply in replies[:-1] if isinstance(reply, Streamed)]
    assert "".join(pieces) == whole.text
    assert whole.output_tokens > 1


def test_the_host_s_refusal_is_an_error_here(shared: HostClient, spec: ModelSpec) -> None:
    with pytest.raises(RequestFailed) as caught:
        list(shared.ask(_complete(shared, spec, grammar="root ::= (")))
    assert caught.value.error == "BadGrammar"
    assert caught.value.what
    counted = shared.answer(
        Tokenise(request_id=shared.number(), model=spec, texts=("", "wait")), kind=Tokenised
    )
    assert counted.counts[0] <= counted.counts[1]


def test_another_answer_than_was_wanted_is_said(shared: HostClient, spec: ModelSpec) -> None:
    with pytest.raises(RequestFailed, match="something else"):
        shared.answer(LoadModel(request_id=shared.number(), model=spec), kind=Completed)


def test_leaving_early_cancels_and_the_next_is_answered(shared: HostClient, spec: ModelSpec) -> None:
    endless = _complete(shared, spec, tokens=1900, grammar="root ::= [a-z]*")
    for reply in shared.ask(endless):
        assert isinstance(reply, Streamed)
        break
    assert shared.answer(LoadModel(request_id=shared.number(), model=spec), kind=Loaded).models


def test_a_host_that_says_nothing_is_given_up(tmp_path: Path, spec: ModelSpec) -> None:
    with HostClient(tmp_path) as client:
        freeze(client.pid)
        try:
            with pytest.raises(RequestFailed, match="did not answer within 0 s"):
                list(client.ask(_complete(client, spec), timeout_s=0.2))
        finally:
            resume(client.pid)


def test_a_host_that_dies_is_told_with_its_signal(tmp_path: Path, spec: ModelSpec) -> None:
    with HostClient(tmp_path) as client:
        client.answer(LoadModel(request_id=client.number(), model=spec), kind=Loaded)
        freeze(client.pid)
        asked = client.ask(_complete(client, spec))
        kill(client.pid)
        with pytest.raises(ChildDied, match=KILLED_IN_WORDS):
            list(asked)


def test_the_host_ends_with_its_client(tmp_path: Path) -> None:
    with HostClient(tmp_path) as client:
        pid = client.pid
    deadline = time.monotonic() + 60
    while processes().born(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not processes().born(pid)


def test_a_model_is_measured(shared: HostClient, spec: ModelSpec) -> None:
    reports: list[tuple[int, int]] = []
    speed = measure(shared, spec, lambda done, total: reports.append((done, total)))
    assert speed.tokens_per_s > 0
    assert speed.prompt_tokens_per_s is not None
    assert speed.first_token_ms is not None
    assert speed.memory_bytes > 500_000
    assert speed.device
    assert reports[0][0] == 0
    assert reports[-1][0] == reports[-1][1] >= 3
