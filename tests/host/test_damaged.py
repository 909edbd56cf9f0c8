"""Damaged model files through a real host: it may die of one, but its asker always gets an answer."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.host.host_driver import HostProcess, chat_message, spec

from pitwall.core.errors import ChannelClosed
from pitwall.models.host_requests import HostFault, HostRequest, Loaded, RunOnnx, Tensor
from pitwall.models.spec import ModelSpec

_log = logging.getLogger(__name__)

SAMPLE = 25
GO = chat_message("user", "Go on.")
LOOK = chat_message("user", "What is it?", image=True)
PICTURE = bytes(cv2.imencode(".png", np.zeros((64, 64, 3), np.uint8))[1])

Asked = tuple[HostRequest, bytes]
Damage = Callable[[bytes, np.random.Generator], bytes]


def _cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: int(rng.integers(1, len(data)))]


def _flip(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bits, half of the time all of them near the beginning, where the header is."""
    raw = np.frombuffer(data, np.uint8).copy()
    end = len(raw) if rng.random() < 0.5 else min(len(raw), 12_000)
    places = rng.integers(0, end, int(rng.integers(1, 64)))
    raw[places] ^= (1 << rng.integers(0, 8, len(places))).astype(np.uint8)
    return raw.tobytes()


def _blank(data: bytes, rng: np.random.Generator) -> bytes:
    start = int(rng.integers(0, len(data)))
    length = int(rng.integers(1, 4096))
    filling = bytes(length) if rng.random() < 0.5 else b"\xff" * length
    return (data[:start] + filling + data[start + length :])[: len(data)]


def _insert(data: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(0, len(data)))
    return data[:at] + rng.bytes(int(rng.integers(1, 64))) + data[at:]


def _number(data: bytes, rng: np.random.Generator) -> bytes:
    """A length or a count of the header becomes an extreme one."""
    at = int(rng.integers(4, min(len(data) - 8, 12_000)))
    extreme = int(rng.choice(np.array([0, 1, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 2**62], np.uint64)))
    return data[:at] + extreme.to_bytes(8, "little") + data[at + 8 :]


def _foreign(_data: bytes, rng: np.random.Generator) -> bytes:
    starts = [b"GGUF", b"\x7fELF", b"PK\x03\x04", b"<!DOCTYPE html>", b"\x08\x09\x12", b""]
    return starts[int(rng.integers(len(starts)))] + rng.bytes(int(rng.integers(1, 2000)))


DAMAGES: tuple[Damage, ...] = (_cut, _flip, _flip, _blank, _insert, _number, _foreign)


class _Asker:
    """Asks a host about one damaged file after the other; takes a new host where one died."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._host: HostProcess | None = None
        self.ends: Counter[str] = Counter()

    def ask(self, make: Callable[[HostProcess], Asked]) -> str:
        """How it ended: a reply, a fault, or the host's death; anything else fails."""
        if self._host is None:
            self._host = HostProcess(self._folder / "host.log")
        host, end = self._host, "death"
        try:
            reply = host.answer(host.send(*make(host)))
            end = reply.error if isinstance(reply, HostFault) else "reply"
        except ChannelClosed:
            assert host.close() != 0, "it died without saying why"
            self._host = None
        self.ends[end] += 1
        return end

    def close(self) -> None:
        if self._host is not None:
            assert self._host.close() == 0


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[_Asker]:
    """Its host is another one than the tests share."""
    asker = _Asker(tmp_path)
    yield asker
    asker.close()


def _asks_text(host: HostProcess, name: str, path: Path, models: Path) -> Asked:  # noqa: ARG001
    return host.request(spec(name, "gguf", path, context=256), GO, max_tokens=4), b""


def _asks_picture(host: HostProcess, name: str, path: Path, models: Path) -> Asked:
    text = models / "text.gguf"
    model = spec(name, "gguf", text, context=256, projector=str(path), sees=True)
    return host.request(model, LOOK, max_tokens=4), PICTURE


def _asks_policy(host: HostProcess, name: str, path: Path, models: Path) -> Asked:  # noqa: ARG001
    state = Tensor(name="state", shape=(1, 8))
    request = RunOnnx(request_id=host.number(), model=spec(name, "onnx", path), inputs=(state,))
    return request, np.zeros((1, 8), np.float32).tobytes()


def _asks_encoder(host: HostProcess, name: str, path: Path, models: Path) -> Asked:  # noqa: ARG001
    names = ("input_ids", "attention_mask")
    inputs = tuple(Tensor(name=name, shape=(1, 2), dtype="int64") for name in names)
    request = RunOnnx(request_id=host.number(), model=spec(name, "onnx", path), inputs=inputs)
    return request, np.ones((2, 2), np.int64).tobytes()


KINDS = (
    ("text.gguf", _asks_text),
    ("policy.onnx", _asks_policy),
    ("text.gguf", _asks_text),
    ("projector.gguf", _asks_picture),
    ("encoder.onnx", _asks_encoder),
)


@pytest.mark.timeout(7_200)
@pytest.mark.usefixtures("llama")
def test_damaged_files_never_leave_the_asker_alone(
    asker: _Asker, models: Path, tmp_path: Path, campaign_size: Callable[[int], int]
) -> None:
    """Hashed as they are, so that nothing but the header's check and the library stand in their way."""
    cases = campaign_size(SAMPLE)
    for number in range(cases):
        file, request = KINDS[number % len(KINDS)]
        rng = np.random.default_rng(number)
        path = tmp_path / f"{number} {file}"  # on Windows a file that is in use cannot be written anew
        path.write_bytes(DAMAGES[number % len(DAMAGES)]((models / file).read_bytes(), rng))
        asker.ask(partial(request, name=f"damaged {number % 3}", path=path, models=models))
    _log.info("%s of %d damaged files", dict(asker.ends), cases)
    assert sum(asker.ends.values()) == cases
    assert asker.ends["BadModelFile"] > cases // 4
    assert asker.ends["death"] < max(3, cases // 20)


def _ends_with(host: HostProcess, model: ModelSpec) -> HostFault:
    fault = host.refuse(model, GO)
    assert fault.fix and "Traceback" in fault.traceback and host.child.alive
    return fault


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda _data: b"", "empty"),
        (lambda data: data[: len(data) // 2], "cut off"),
        (lambda data: data[:100], "cut off"),
        (lambda _data: b"PK\x03\x04" + bytes(100), "ZIP"),
        (lambda _data: b"<!DOCTYPE html><html></html>", "GGUF"),
        (lambda data: data[:8] + b"\xff" * 16 + data[24:], "announces"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_damaged_file_is_named_with_its_fault(
    host: HostProcess, text: ModelSpec, tmp_path: Path, damage: Callable[[bytes], bytes], problem: str
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(damage(Path(text.path).read_bytes()))
    model = replace(
        text,
        name="named",
        path=str(path),
        size_bytes=path.stat().st_size,
        mtime_ns=path.stat().st_mtime_ns,
    )
    fault = _ends_with(host, model)
    assert fault.error == "BadModelFile" and str(path) in fault.what
    assert problem in fault.what


def test_a_file_that_is_not_the_one_that_was_added_is_refused(
    host: HostProcess, text: ModelSpec, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    data = bytearray(Path(text.path).read_bytes())
    data[-1000] ^= 1
    path.write_bytes(data)
    fault = _ends_with(host, replace(text, name="swapped", path=str(path)))
    assert fault.error == "BadModelFile" and "changed since it was added" in fault.what
    gone = _ends_with(host, replace(text, name="gone", path=str(tmp_path / "gone.gguf")))
    assert gone.error == "BadModelFile"


def test_a_model_that_does_not_fit_says_what_is_missing(host: HostProcess, text: ModelSpec) -> None:
    fault = _ends_with(host, replace(text, name="vast", context=1 << 34))
    assert fault.error == "NotEnoughMemory" and "missing" in fault.what
    loaded = [message for message in host.replies if isinstance(message, Loaded)]
    assert not any(model.name == "vast" for message in loaded for model in message.models)
