"""The header of a GGUF file, read and checked before any library opens the file.

llama.cpp may abort the whole process on a damaged file, so whatever the header shows is reported here: in
bounded time and memory, and in words that say how to mend it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pitwall.core.errors import BadModelFile
from pitwall.models.files.gguf_reader import LONGEST_KEY, GgufReader, Value
from pitwall.models.files.wrong_file import AGAIN, first_bytes, open_model_file, unexpected_file

MAGIC = b"GGUF"
_MOST_KEYS = 65_536
_MOST_TENSORS = 131_072
_LONGEST_TENSOR_NAME = 63
_MOST_DIMENSIONS = 4
_MOST_LAYERS = 4_096

# https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h, enum llama_ftype
_FILE_TYPE_NAMES = (
    "F32 F16 Q4_0 Q4_1 - - - Q8_0 Q5_0 Q5_1 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M Q6_K "
    "IQ2_XXS IQ2_XS Q2_K_S IQ3_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ3_M IQ2_S IQ2_M IQ4_XS IQ1_M BF16 - - - "
    "TQ1_0 TQ2_0 MXFP4 NVFP4 Q1_0"
)
_FILE_TYPES = dict(enumerate(_FILE_TYPE_NAMES.split()))
# https://github.com/ggml-org/ggml/blob/master/include/ggml.h, enum ggml_type: name, entries and bytes a block
_TENSOR_TYPES: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    9: ("Q8_1", 32, 40),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56),
    30: ("BF16", 1, 2),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
    40: ("NVFP4", 64, 36),
    41: ("Q1_0", 128, 18),
}
_REMOVED_TYPES = frozenset({4, 5, 31, 32, 33, 36, 37, 38})
_PROJECTOR = "clip"


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """Holds the header of a GGUF file.

    Attributes:
        architecture: "llama", "qwen2", …; "clip" for a projector.
        quantisation: "Q4_K_M", "F16", …
        parameters: entries of all tensors.
        tensor_bytes: of all tensors; file_bytes the whole file.
        context: tokens the model was trained for.
        embedding: width of a token's vector; of a projector: of a picture patch's.
        heads, kv_heads: of one layer, the widest where layers differ.
        key_length, value_length: entries of one head.
        vocabulary: tokens.
        chat_template: as Jinja; empty if it has none.
        is_projector: no text model, but the part that lets one see.
        kv_width: entries that all layers together keep for one token, keys and values.
        embedding_bytes, output_bytes: of the token table and the output matrix (0: the table is both).
        embeds: gives embeddings rather than text.
        feed_forward: entries inside a layer's feed-forward part, of all experts that a token passes; 0
            if it does not say.
        projects_to: width of the text models that a projector fits; 0 if it does not say.
    """

    architecture: str
    name: str
    quantisation: str
    parameters: int
    file_bytes: int
    tensor_bytes: int
    context: int
    layers: int
    embedding: int
    heads: int
    kv_heads: int
    key_length: int
    value_length: int
    vocabulary: int
    chat_template: str
    is_projector: bool
    kv_width: int = 0
    embedding_bytes: int = 0
    output_bytes: int = 0
    projects_to: int = 0
    embeds: bool = False
    feed_forward: int = 0


@dataclass(frozen=True, slots=True)
class _Tensor:
    shape: tuple[int, ...]
    kind: str
    bytes: int


class _Metadata:
    """The keys of a header, read by name; an unfit value raises `BadModelFile`."""

    def __init__(self, reader: GgufReader, values: dict[str, Value], counts: dict[str, int]) -> None:
        self._reader = reader
        self.values = values
        self.counts = counts

    def text(self, key: str) -> str:
        """Return a text; empty if it is missing."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            raise self._reader.damaged(f"{key} is no text")
        return value

    def whole(self, key: str, *, default: int | None = None, most: int = 1 << 40, least: int = 1) -> int:
        """Return a whole number inside its bounds; the largest where each layer has its own."""
        value = self.values.get(key)
        if isinstance(value, tuple) and value:
            value = max(value)
        if value is None and default is not None:
            return default
        if value is None:
            raise BadModelFile(
                str(self._reader.path),
                f"has no {key} in its header",
                expected="a model of text, or a projector",
                fix="If it is a text model, download it again; other kinds cannot be used here.",
            )
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self._reader.damaged(f"{key} is {value!r}", expected=f"a whole number {least} … {most}")
        return value


def read_header(path: Path) -> GgufHeader:
    """Read and check the header of a GGUF file, in bounded time and memory whatever the file holds.

    Raises:
        BadModelFile: damaged, cut off, empty, foreign, of a kind or format version that is not known.
    """
    file, size = open_model_file(path)
    with file:
        start = first_bytes(file)
        if not start.startswith(MAGIC):
            raise unexpected_file(path, start, size, wanted="a GGUF file")
        reader = GgufReader(path, file, size)
        metadata, tensors = _read(reader)
    architecture = metadata.text("general.architecture")
    _check_kind(path, metadata, architecture)
    if architecture == _PROJECTOR:
        return _projector(reader, metadata, tensors)
    return _text_model(reader, metadata, tensors, architecture)


def _read(reader: GgufReader) -> tuple[_Metadata, dict[str, _Tensor]]:
    reader.take(4, "the header")
    version = reader.uint32("the header")
    if version in (0x0200_0000, 0x0300_0000):
        raise BadModelFile(
            str(reader.path),
            "is written for a big-endian machine",
            fix="Download the usual, little-endian one.",
        )
    if version not in (2, 3):
        raise BadModelFile(
            str(reader.path),
            f"has GGUF version {version}",
            expected="2 or 3",
            fix="Download a newer build of the model." if version < 2 else AGAIN,
        )
    tensor_count, key_count = reader.uint64("the header"), reader.uint64("the header")
    if key_count > _MOST_KEYS or tensor_count > _MOST_TENSORS:
        raise reader.damaged(f"it announces {key_count:,} keys and {tensor_count:,} tensors")
    values: dict[str, Value] = {}
    counts: dict[str, int] = {}
    for _ in range(key_count):
        key = reader.text("a key of the header", longest=LONGEST_KEY)
        if key in values:
            raise reader.damaged(f"the key {key} occurs twice")
        values[key], counts[key] = reader.value(key)
    metadata = _Metadata(reader, values, counts)
    alignment = metadata.whole("general.alignment", default=32, most=1 << 20)
    if alignment & (alignment - 1):
        raise reader.damaged(f"general.alignment is {alignment}", expected="a power of two")
    return metadata, _read_tensors(reader, tensor_count, alignment)


def _read_tensors(reader: GgufReader, count: int, alignment: int) -> dict[str, _Tensor]:
    tensors: dict[str, _Tensor] = {}
    end = 0
    for _ in range(count):
        name = reader.text("the name of a tensor", longest=_LONGEST_TENSOR_NAME)
        if name in tensors:
            raise reader.damaged(f"the tensor {name} occurs twice")
        place = f"the description of the tensor {name}"
        dimensions = reader.uint32(place)
        if dimensions > _MOST_DIMENSIONS:
            raise reader.damaged(f"the tensor {name} has {dimensions} dimensions", expected="at most 4")
        shape = tuple(reader.uint64(place) for _ in range(dimensions))
        tensors[name] = tensor = _tensor(reader, name, shape, reader.uint32(place))
        offset = reader.uint64(place)
        if offset != end:
            raise reader.damaged(f"the tensor {name} is at {offset:,}", expected=f"{end:,}")
        end += math.ceil(tensor.bytes / alignment) * alignment
    if not tensors:
        raise BadModelFile(
            str(reader.path),
            "holds no tensors",
            expected="a whole model",
            fix="It is a vocabulary or the first part of a split model: download the whole one.",
        )
    data = math.ceil(reader.place / alignment) * alignment
    last = data + end - math.ceil(tensor.bytes / alignment) * alignment + tensor.bytes
    if last > reader.size:
        raise BadModelFile(
            str(reader.path),
            f"is cut off: it has {reader.size:,} of {last:,} bytes",
            fix="Download the rest, or all of it again.",
        )
    return tensors


def _tensor(reader: GgufReader, name: str, shape: tuple[int, ...], kind: int) -> _Tensor:
    if kind not in _TENSOR_TYPES:
        state = "abandoned" if kind in _REMOVED_TYPES else "unknown"
        raise BadModelFile(
            str(reader.path),
            f"has the tensor {name} in the {state} type {kind}",
            expected="a type of GGUF up to Q1_0",
            fix="Download another quantisation of the model, or this one again.",
        )
    called, block, block_bytes = _TENSOR_TYPES[kind]
    entries = math.prod(shape)
    if not 0 < entries < 1 << 48:
        raise reader.damaged(f"the tensor {name} has the shape {list(shape)}")
    if (shape[0] if shape else 1) % block:
        raise reader.damaged(
            f"rows of the tensor {name} are {shape[0]} long", expected=f"a multiple of {block}"
        )
    return _Tensor(shape, called, entries // block * block_bytes)


def _check_kind(path: Path, metadata: _Metadata, architecture: str) -> None:
    if not architecture:
        raise BadModelFile(str(path), "names no general.architecture", expected="a model", fix=AGAIN)
    kind = metadata.text("general.type")
    if kind in ("adapter", "imatrix") or architecture == "controlvector":
        description = "a LoRA adapter" if kind == "adapter" else "an aid for quantising or steering"
        raise BadModelFile(
            str(path),
            f"is no model but {description}",
            expected="a model",
            fix="Add the model that it belongs to.",
        )
    parts = metadata.whole("split.count", default=0, least=0)
    if parts > 1:
        raise BadModelFile(
            str(path),
            f"is part {metadata.whole('split.no', default=0, least=0) + 1} of {parts}",
            expected="the whole model in one file",
            fix="Join the parts with llama.cpp's llama-gguf-split --merge, and add the result.",
        )


def _text_model(
    reader: GgufReader, metadata: _Metadata, tensors: dict[str, _Tensor], architecture: str
) -> GgufHeader:
    layers = metadata.whole(f"{architecture}.block_count", most=_MOST_LAYERS)
    embedding = metadata.whole(f"{architecture}.embedding_length", most=1 << 20)
    recurrent = any(
        key.startswith((f"{architecture}.ssm.", f"{architecture}.wkv.")) for key in metadata.values
    )
    heads = metadata.whole(
        f"{architecture}.attention.head_count", default=1 if recurrent else None, most=1 << 16, least=0
    )
    kv_key = f"{architecture}.attention.head_count_kv"
    kv_heads = metadata.whole(kv_key, default=heads, most=1 << 16, least=0)
    head_size = embedding // max(1, heads)
    key_length = metadata.whole(f"{architecture}.attention.key_length", default=head_size, most=1 << 20)
    value_length = metadata.whole(f"{architecture}.attention.value_length", default=head_size, most=1 << 20)
    by_layer = metadata.values.get(kv_key)
    all_kv_heads = sum(int(n) for n in by_layer) if isinstance(by_layer, tuple) else layers * kv_heads
    table = tensors.get("token_embd.weight")
    if table is None:
        raise reader.damaged("it has no tensor token_embd.weight", expected="a model of text")
    if table.shape[0] != embedding:
        raise reader.damaged(f"its token table is {table.shape[0]} wide", expected=f"{embedding}")
    vocabulary = table.shape[1] if len(table.shape) > 1 else 1
    tokens = metadata.counts.get("tokenizer.ggml.tokens", vocabulary)
    if tokens > vocabulary:
        raise reader.damaged(f"it has {vocabulary:,} rows for {tokens:,} tokens")
    output = tensors.get("output.weight")
    return GgufHeader(
        **_common(reader, metadata, tensors, architecture),
        context=metadata.whole(f"{architecture}.context_length", most=1 << 31),
        layers=layers,
        embedding=embedding,
        heads=heads,
        kv_heads=kv_heads,
        key_length=key_length,
        value_length=value_length,
        vocabulary=vocabulary,
        chat_template=metadata.text("tokenizer.chat_template"),
        is_projector=False,
        embeds=metadata.whole(f"{architecture}.pooling_type", default=0, least=0) > 0,
        kv_width=all_kv_heads * (key_length + value_length),
        embedding_bytes=table.bytes,
        output_bytes=0 if output is None else output.bytes,
        feed_forward=_feed_forward(metadata, architecture),
    )


def _feed_forward(metadata: _Metadata, architecture: str) -> int:
    def known(key: str) -> int:
        return metadata.whole(f"{architecture}.{key}", default=0, most=1 << 24, least=0)

    return max(known("feed_forward_length"), known("expert_feed_forward_length") * known("expert_used_count"))


def _projector(reader: GgufReader, metadata: _Metadata, tensors: dict[str, _Tensor]) -> GgufHeader:
    kind = metadata.text("clip.projector_type") or metadata.text("clip.vision.projector_type") or "mlp"
    if metadata.values.get("clip.has_vision_encoder") is False:
        raise BadModelFile(str(reader.path), "is a projector for sound", expected="one for pictures")
    if kind == "mlp" and "mm.0.weight" not in tensors:
        raise reader.damaged("the projector has no tensor mm.0.weight")
    last = tensors.get("mm.2.weight", tensors.get("mm.0.weight"))
    heads = metadata.whole("clip.vision.attention.head_count", most=1 << 16)
    embedding = metadata.whole("clip.vision.embedding_length", most=1 << 20)
    return GgufHeader(
        **_common(reader, metadata, tensors, _PROJECTOR),
        context=0,
        layers=metadata.whole("clip.vision.block_count", most=_MOST_LAYERS, least=0),
        embedding=embedding,
        heads=heads,
        kv_heads=heads,
        key_length=embedding // heads,
        value_length=embedding // heads,
        vocabulary=0,
        chat_template="",
        is_projector=True,
        projects_to=last.shape[-1] if kind == "mlp" and last is not None else 0,
    )


def _common(
    reader: GgufReader, metadata: _Metadata, tensors: dict[str, _Tensor], architecture: str
) -> dict[str, Any]:
    return {
        "architecture": architecture,
        "name": metadata.text("general.name"),
        "quantisation": _quantisation(metadata, tensors),
        "parameters": sum(math.prod(tensor.shape) for tensor in tensors.values()),
        "file_bytes": reader.size,
        "tensor_bytes": sum(tensor.bytes for tensor in tensors.values()),
    }


def _quantisation(metadata: _Metadata, tensors: dict[str, _Tensor]) -> str:
    kind = metadata.values.get("general.file_type")
    named = _FILE_TYPES.get(kind & ~1024, "-") if isinstance(kind, int) else "-"
    if named != "-":
        return named
    sizes: dict[str, int] = {}
    for tensor in tensors.values():
        sizes[tensor.kind] = sizes.get(tensor.kind, 0) + tensor.bytes
    return max(sizes, key=lambda name: sizes[name])
