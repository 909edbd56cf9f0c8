"""ONNX models through the real onnxruntime: policies, encoders, and inputs that do not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from tests.host.host_driver import HostProcess, chat_message, spec

from pitwall.models.host_requests import (
    Embed,
    Embedded,
    HostFault,
    Loaded,
    LoadModel,
    OnnxRan,
    RunOnnx,
    Tensor,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_models import tiny_encoder, tiny_policy

STATE = Tensor(name="state", shape=(2, 8))
VALUES = np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 8)


@pytest.fixture
def policy(models: Path) -> ModelSpec:
    """A policy of 8 state values and 4 actions."""
    return spec("policy", "onnx", models / "policy.onnx")


@pytest.fixture
def encoder(models: Path) -> ModelSpec:
    """A sentence encoder."""
    return spec("encoder", "onnx", models / "encoder.onnx", embeds=True)


def _run(host: HostProcess, model: ModelSpec, *inputs: Tensor, blob: bytes) -> OnnxRan | HostFault:
    request = RunOnnx(request_id=host.number(), model=model, inputs=inputs)
    reply = host.answer(host.send(request, blob))
    assert isinstance(reply, OnnxRan | HostFault)
    return reply


def test_a_policy_gives_what_onnxruntime_gives(host: HostProcess, policy: ModelSpec) -> None:
    reply = _run(host, policy, STATE, blob=VALUES.tobytes())
    assert isinstance(reply, OnnxRan)
    (output,) = reply.outputs
    assert (output.name, output.shape, output.dtype) == ("values", (2, 4), "float32")
    assert reply.device == "CPU" and reply.took_ms > 0
    got = np.frombuffer(host.blob_of(reply.request_id), np.float32).reshape(2, 4)
    session = onnxruntime.InferenceSession(policy.path, providers=["CPUExecutionProvider"])
    assert np.array_equal(got, session.run(None, {"state": VALUES})[0])


@pytest.mark.parametrize(
    ("inputs", "blob", "problem"),
    [
        ((), b"", "also takes"),
        ((replace(STATE, name="stat"),), VALUES.tobytes(), "did you mean 'state'"),
        ((STATE,), VALUES.tobytes()[:-4], "more than the 60 bytes"),
        ((STATE,), VALUES.tobytes() + b"1234", "68 bytes came for arrays of 64"),
        ((STATE, STATE), VALUES.tobytes() * 2, "twice"),
        ((replace(STATE, shape=(2, -8)),), b"", "negative"),
        ((replace(STATE, shape=(1 << 40, 1 << 40)),), b"", "more than the 0 bytes"),
        ((replace(STATE, shape=(4, 4)),), VALUES.tobytes(), "['batch', 8], not [4, 4]"),
        ((replace(STATE, shape=(16,)),), VALUES.tobytes(), "not [16]"),
        ((replace(STATE, dtype="int32"),), VALUES.tobytes(), "float32, not int32"),
        ((replace(STATE, dtype="object"),), VALUES.tobytes(), "type 'object'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_inputs_that_do_not_fit_are_refused(
    host: HostProcess, policy: ModelSpec, inputs: tuple[Tensor, ...], blob: bytes, problem: str
) -> None:
    fault = _run(host, policy, *inputs, blob=blob)
    assert isinstance(fault, HostFault) and fault.error == "BadInput"
    assert problem.lower() in f"{fault.what} {fault.fix}".lower()


def _embed(host: HostProcess, model: ModelSpec, *texts: str) -> NDArray[np.float32]:
    request = Embed(request_id=host.number(), model=model, texts=texts)
    reply = host.ask(request, kind=Embedded)
    return np.frombuffer(host.blob_of(request.request_id), np.float32).reshape(reply.count, reply.width)


def test_an_encoder_embeds_texts(host: HostProcess, encoder: ModelSpec) -> None:
    rows = _embed(host, encoder, "open the door", "", "open the door", "lava " * 500, "🎮")
    assert rows.shape == (5, 32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.allclose(rows[0], rows[2], atol=1e-6) and rows[0] @ rows[3] < 0.999
    assert np.allclose(_embed(host, encoder, "open the door")[0], rows[0], atol=1e-6), "padding counts"
    many = _embed(host, encoder, *(f"text {number}" for number in range(70)))
    assert many.shape == (70, 32)
    request = Tokenise(request_id=host.number(), model=encoder, texts=("ab cd", "", "lava " * 500))
    counts = host.ask(request, kind=Tokenised).counts
    assert counts[:2] == (4, 0) and counts[2] == 2000


def test_an_encoder_needs_its_tokeniser(host: HostProcess, policy: ModelSpec, tmp_path: Path) -> None:
    alone = tiny_encoder(tmp_path / "encoder.onnx")
    (tmp_path / "tokenizer.json").unlink()
    request = Embed(request_id=host.number(), model=spec("alone", "onnx", alone), texts=("a",))
    assert "tokenizer.json" in host.ask(request, kind=HostFault).what
    (tmp_path / "tokenizer.json").write_text("{}")
    again = Embed(request_id=host.number(), model=spec("alone", "onnx", alone), texts=("a",))
    assert host.ask(again, kind=HostFault).error == "BadModelFile"
    no_text = Embed(request_id=host.number(), model=policy, texts=("a",))
    assert "no encoder" in host.ask(no_text, kind=HostFault).what


def test_onnx_models_are_listed_and_replaced(host: HostProcess, policy: ModelSpec, tmp_path: Path) -> None:
    other = spec("policy", "onnx", tiny_policy(tmp_path / "other.onnx", seed=1))
    first = _run(host, policy, STATE, blob=VALUES.tobytes())
    before = host.blob_of(first.request_id)
    second = _run(host, other, STATE, blob=VALUES.tobytes())
    assert host.blob_of(second.request_id) != before
    loaded = host.ask(LoadModel(request_id=host.number(), model=other), kind=Loaded)
    (model,) = (model for model in loaded.models if model.name == "policy")
    assert model.device == "CPU" and model.memory_bytes > 0
    left = host.ask(UnloadModel(request_id=host.number(), name="policy"), kind=Loaded)
    assert "policy" not in {model.name for model in left.models}


def test_a_policy_writes_no_text(host: HostProcess, policy: ModelSpec, text: ModelSpec) -> None:
    assert host.refuse(policy, chat_message("user", "Go.")).error == "WrongKind"
    fault = _run(host, text, STATE, blob=VALUES.tobytes())
    assert isinstance(fault, HostFault) and fault.error == "WrongKind"
