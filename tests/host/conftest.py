"""One host process that serves many tests, and tiny models for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.host.host_driver import HostProcess, spec

from pitwall.engine.inference.host_link import HostLink
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_models import tiny_encoder, tiny_policy, tiny_projector, tiny_text_model


@pytest.fixture
def link(tmp_path: Path) -> Iterator[HostLink]:
    """A link whose host starts at the first request; closed afterwards."""
    link = HostLink(tmp_path / "logs")
    yield link
    link.close()


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tiny models: text.gguf, projector.gguf, encoder.onnx (and its tokenizer), policy.onnx."""
    folder = tmp_path_factory.mktemp("models")
    tiny_text_model(folder / "text.gguf", context=4096)
    tiny_projector(folder / "projector.gguf")
    tiny_encoder(folder / "encoder.onnx")
    tiny_policy(folder / "policy.onnx")
    return folder


@pytest.fixture(scope="session")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], HostProcess]]:
    log = tmp_path_factory.mktemp("host") / "host.log"
    hosts: list[HostProcess] = []

    def living() -> HostProcess:
        if not hosts or not hosts[-1].child.alive:
            hosts.append(HostProcess(log))
        return hosts[-1]

    yield living
    for host in hosts:
        host.close()


@pytest.fixture
def host(_shared: Callable[[], HostProcess]) -> HostProcess:
    """The host that the tests share; a test that leaves it dead leaves the next one a new one."""
    return _shared()


@pytest.fixture
def text(models: Path, llama: str) -> ModelSpec:
    """A model of text."""
    assert llama
    return spec("text", "gguf", models / "text.gguf", context=1024)


@pytest.fixture
def endless(models: Path, llama: str) -> ModelSpec:
    """The same with room for long replies."""
    assert llama
    return spec("endless", "gguf", models / "text.gguf", context=32_768)


@pytest.fixture
def seeing(models: Path, llama: str) -> ModelSpec:
    """A model of text that sees."""
    assert llama
    projector = str(models / "projector.gguf")
    return spec("seeing", "gguf", models / "text.gguf", context=1024, projector=projector, sees=True)
