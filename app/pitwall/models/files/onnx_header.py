"""The outline of an ONNX file, read without any library: whether it is complete, its inputs and outputs.

An ONNX file is one protobuf message, ModelProto. Only its outer fields, and those of its graph, are stepped
over by their lengths; no tensor is read. Format: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pitwall.core.errors import BadModelFile
from pitwall.models.files.wrong_file import (
    AGAIN,
    first_bytes,
    looks_like_onnx,
    open_model_file,
    unexpected_file,
)

_MOST_FIELDS = 1_000_000
_LONGEST_NAME = 4_096
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
# Field numbers of ModelProto, GraphProto, ValueInfoProto, TensorProto and OperatorSetIdProto.
_IR_VERSION, _PRODUCER, _GRAPH, _OPSETS = 1, 2, 7, 8
_INITIALISER, _INPUT, _OUTPUT = 5, 11, 12
_VALUE_NAME, _TENSOR_NAME = 1, 8
_OPSET_DOMAIN, _OPSET_VERSION = 1, 2
_DATA_LOCATION, _EXTERNAL = 14, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxHeader:
    """Holds the outline of an ONNX file; inputs without those that are constants."""

    ir_version: int
    opset: int
    producer: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    file_bytes: int


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    wire: int
    value: int
    """Of a varint; of bytes: where they begin."""
    length: int


def read_onnx(path: Path) -> OnnxHeader:
    """Read the outline of an ONNX file, in bounded time and memory whatever it holds.

    Raises:
        BadModelFile: damaged, cut off, empty, foreign, or with its weights in another file.
    """
    file, size = open_model_file(path)
    with file:
        start = first_bytes(file)
        if not looks_like_onnx(start):
            raise unexpected_file(path, start, size, wanted="an ONNX file")
        return _Outline(path, file, size).read()


class _Outline:
    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self._path = path
        self._file = file
        self._size = size
        self._fields_left = _MOST_FIELDS

    def read(self) -> OnnxHeader:
        versions: dict[int, int] = {}
        producer, opset = "", 0
        graph: _Field | None = None
        for field in self._fields(0, self._size, "the model"):
            if field.wire == _VARINT:
                versions[field.number] = field.value
            elif field.number == _PRODUCER:
                producer = self._text(field)
            elif field.number == _OPSETS and field.wire == _BYTES:
                opset = max(opset, self._opset(field))
            elif field.number == _GRAPH and field.wire == _BYTES:
                graph = field
        if graph is None or not opset:
            raise self._damaged(f"it has no {'operator version' if graph else 'graph'}")
        inputs, outputs = self._ends(graph)
        return OnnxHeader(
            ir_version=versions.get(_IR_VERSION, 0),
            opset=opset,
            producer=producer,
            inputs=inputs,
            outputs=outputs,
            file_bytes=self._size,
        )

    def _ends(self, graph: _Field) -> tuple[tuple[str, ...], tuple[str, ...]]:
        names: dict[int, list[str]] = {_INPUT: [], _OUTPUT: [], _INITIALISER: []}
        for field in self._fields(graph.value, graph.value + graph.length, "the graph"):
            if field.number in names and field.wire == _BYTES:
                names[field.number].append(self._name(field))
        if not names[_OUTPUT]:
            raise self._damaged("its graph has no outputs")
        constants = set(names[_INITIALISER])
        return tuple(name for name in names[_INPUT] if name not in constants), tuple(names[_OUTPUT])

    def _name(self, field: _Field) -> str:
        wanted = _TENSOR_NAME if field.number == _INITIALISER else _VALUE_NAME
        name = ""
        for part in self._fields(field.value, field.value + field.length, "a name"):
            if part.number == wanted and part.wire == _BYTES:
                name = self._text(part)
            if field.number == _INITIALISER and part.number == _DATA_LOCATION and part.value == _EXTERNAL:
                raise BadModelFile(
                    str(self._path),
                    "keeps its weights in a file beside it",
                    expected="all of the model in one file",
                    fix="Save it as one file: onnx.save(onnx.load(FILE), OTHER).",
                )
        return name

    def _opset(self, field: _Field) -> int:
        domain, version = "", 0
        for part in self._fields(field.value, field.value + field.length, "an operator version"):
            if part.number == _OPSET_DOMAIN and part.wire == _BYTES:
                domain = self._text(part)
            elif part.number == _OPSET_VERSION and part.wire == _VARINT:
                version = part.value
        return version if domain in ("", "ai.onnx") else 0

    def _fields(self, place: int, end: int, part: str) -> Iterator[_Field]:
        while place < end:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise self._damaged(f"{part} has more than {_MOST_FIELDS:,} parts")
            head = self._read(place, 20)
            tag, used = self._varint(head, 0, part)
            number, wire = tag >> 3, tag & 7
            if wire == _VARINT:
                value, used = self._varint(head, used, part)
                length = 0
                place += used
            elif wire == _BYTES:
                length, used = self._varint(head, used, part)
                value = place + used
                place = value + length
            elif wire in (_EIGHT, _FOUR):
                value, length = place + used, 8 if wire == _EIGHT else 4
                place = value + length
            else:
                raise self._damaged(f"{part} has a part of the kind {wire}")
            if number == 0:
                raise self._damaged(f"{part} has a part without a number")
            if place > end:
                if part == "the model":
                    raise BadModelFile(
                        str(self._path), f"is cut off after {self._size:,} bytes", fix="Download it again."
                    )
                raise self._damaged(f"a part of {part} is longer than the whole")
            yield _Field(number, wire, value, length)

    def _varint(self, data: bytes, at: int, part: str) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= len(data):
                raise self._damaged(f"{part} ends inside a number")
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value, at
        raise self._damaged(f"{part} holds a number without an end")

    def _text(self, field: _Field) -> str:
        if field.length > _LONGEST_NAME:
            raise self._damaged(f"a name is {field.length:,} bytes long")
        try:
            return self._read(field.value, field.length).decode()
        except UnicodeDecodeError:
            raise self._damaged("a name is no text") from None

    def _read(self, place: int, count: int) -> bytes:
        try:
            self._file.seek(place)
            return self._file.read(count)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise BadModelFile(str(self._path), f"cannot be read: {why}") from error

    def _damaged(self, problem: str) -> BadModelFile:
        return BadModelFile(str(self._path), f"is damaged: {problem}", fix=AGAIN)


TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"


def beside(model: Path, name: str) -> Path:
    """Return a file beside a model, or above it if the model is in a folder called `onnx`."""
    near = model.parent / name
    if not near.exists() and model.parent.name == "onnx":
        return model.parent.parent / name
    return near
