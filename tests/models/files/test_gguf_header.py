"""Headers of GGUF files: what they tell, what is refused, and that no file makes reading them long or big."""

from __future__ import annotations

import os
import random
import struct
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest

from pitwall.core.errors import BadModelFile
from pitwall.models.files.gguf_header import read_header
from workshop.fixtures.tiny_models import (
    CHAT_TEMPLATE,
    QUANTISED,
    tiny_encoder,
    tiny_projector,
    tiny_text_model,
)

_KEY = struct.Struct("<Q")


def _key(name: str, kind: int, value: bytes) -> bytes:
    return _KEY.pack(len(name)) + name.encode() + struct.pack("<I", kind) + value


def _file(*keys: bytes, tensors: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, len(keys)) + b"".join(keys)


def _refused(path: Path, content: bytes) -> BadModelFile:
    path.write_bytes(content)
    with pytest.raises(BadModelFile) as caught:
        read_header(path)
    assert str(path) in caught.value.what
    return caught.value


def test_a_text_model_tells_what_it_is(tmp_path: Path) -> None:
    path = tiny_text_model(tmp_path / "m.gguf", seed=7, context=2048, layers=3, width=128)
    header = read_header(path)
    assert (header.architecture, header.name, header.quantisation) == ("llama", "tiny-7", "F32")
    assert (header.context, header.layers, header.embedding) == (2048, 3, 128)
    assert (header.heads, header.kv_heads, header.key_length, header.value_length) == (8, 4, 16, 16)
    assert header.kv_width == 3 * 4 * 32
    assert header.chat_template == CHAT_TEMPLATE
    assert header.file_bytes == path.stat().st_size
    assert header.tensor_bytes == 4 * header.parameters
    assert not header.is_projector


@pytest.mark.parametrize("quantised", QUANTISED)
def test_sizes_agree_with_the_format_s_own_library(tmp_path: Path, quantised: str) -> None:
    path = tiny_text_model(tmp_path / "m.gguf", quantised=quantised)
    header = read_header(path)
    tensors = gguf.GGUFReader(path).tensors
    assert header.quantisation == quantised
    assert header.tensor_bytes == sum(int(tensor.n_bytes) for tensor in tensors)
    assert header.parameters == sum(int(tensor.n_elements) for tensor in tensors)


def test_every_type_has_the_size_the_library_gives_it() -> None:
    from pitwall.models.files.gguf_header import _FILE_TYPES, _TENSOR_TYPES

    for kind, (block, size) in gguf.GGML_QUANT_SIZES.items():
        assert _TENSOR_TYPES[kind] == (kind.name, block, size)
    for file_type in gguf.LlamaFileType:
        name = file_type.name.removeprefix("ALL_").removeprefix("MOSTLY_").removesuffix("_MOE")
        if name != "GUESSED":
            assert _FILE_TYPES[file_type] == name


def test_a_projector_tells_which_models_it_fits(tmp_path: Path) -> None:
    header = read_header(tiny_projector(tmp_path / "p.gguf", width=128))
    assert header.is_projector
    assert header.projects_to == 128


def test_heads_may_differ_from_layer_to_layer(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    writer = gguf.GGUFWriter(path, "decilm")
    writer.add_context_length(1024)
    writer.add_embedding_length(64)
    writer.add_block_count(3)
    writer.add_head_count([4, 4, 0])
    writer.add_head_count_kv([2, 1, 0])
    writer.add_key_length(16)
    writer.add_value_length(8)
    writer.add_tensor("token_embd.weight", np.zeros((10, 64), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    header = read_header(path)
    assert (header.heads, header.kv_heads, header.kv_width) == (4, 2, 3 * 24)


@pytest.mark.parametrize(
    ("content", "problem", "fix"),
    [
        (b"", "is empty", "again"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer", "git lfs pull"),
        (b"\n <!doctype html><title>Sign in</title>", "web page", "itself"),
        (struct.pack("<Q", 40) + b'{"a":{"dtype":"F32"' + b" " * 60, "safetensors", "convert"),
        (b"PK\x03\x04rest", "ZIP", "GGUF"),
        (b"tjgg" + bytes(8), "old GGML", "GGUF"),
        (b'{"architectures": []}', "JSON", "own file"),
        (bytes(300), "zeros", "again"),
        (b"something else", "not known", "GGUF"),
    ],
)
def test_foreign_files_are_named(tmp_path: Path, content: bytes, problem: str, fix: str) -> None:
    error = _refused(tmp_path / "m.gguf", content)
    assert problem in error.what
    assert fix in error.fix


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    for path, problem in (
        (tmp_path, "is a folder"),
        (tmp_path / "none.gguf", "does not exist"),
        *(((Path("/dev/zero"), "not a regular file"),) if os.name == "posix" else ()),
    ):
        with pytest.raises(BadModelFile, match=problem):
            read_header(path)


def test_an_onnx_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadModelFile, match="is an ONNX file"):
        read_header(tiny_encoder(tmp_path / "e.gguf"))


def test_a_file_that_is_cut_off_says_how_much_is_there(tmp_path: Path) -> None:
    whole = tiny_text_model(tmp_path / "m.gguf").read_bytes()
    for length in range(4, len(whole), 4_001):
        error = _refused(tmp_path / "cut.gguf", whole[:length])
        assert "cut off" in error.what
        assert "ownload" in error.fix
    assert f"{length:,} of {len(whole):,} bytes" in error.what


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (_file(version=1), "version 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0), "announces"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "announces"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + _KEY.pack(1 << 62), "long"),
        (_file(_key("a", 8, _KEY.pack(1 << 62))), "cut off"),
        (_file(_key("a", 9, struct.pack("<IQ", 4, 1 << 61))), "cut off"),
        (_file(_key("a", 9, struct.pack("<IQ", 8, 1 << 61))), "entries"),
        (_file(_key("a", 9, struct.pack("<IQ", 9, 1 << 61))), "type 9"),
        (_file(_key("a", 77, b"")), "type 77"),
        (_file(_key("a", 4, bytes(4)), _key("a", 4, bytes(4))), "twice"),
        (_file(_key("general.alignment", 4, struct.pack("<I", 24)), tensors=0), "power of two"),
        (_file(), "no tensors"),
    ],
)
def test_hostile_headers_are_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    tracemalloc.start()
    error = _refused(tmp_path / "m.gguf", content)
    assert problem in error.what
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.skipif(sys.platform == "win32", reason="a file is written whole there, its gaps too")
def test_a_sparse_file_of_endless_strings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_file(_key("a", 9, struct.pack("<IQ", 8, 1_900_000)), _key("b", 4, bytes(4))))
    with path.open("r+b") as file:
        file.truncate(64 << 30)
    with pytest.raises(BadModelFile):
        read_header(path)


def test_aids_and_parts_of_models_are_told_apart(tmp_path: Path) -> None:
    tensor = _KEY.pack(1) + b"t" + struct.pack("<IQIQ", 1, 32, 0, 0)

    def with_keys(*keys: bytes) -> bytes:
        content = _file(*keys, tensors=1) + tensor
        return content + bytes(-len(content) % 32) + bytes(128)

    def text(name: str, value: str) -> bytes:
        return _key(name, 8, _KEY.pack(len(value)) + value.encode())

    llama = text("general.architecture", "llama")
    path = tmp_path / "m.gguf"
    assert "LoRA" in _refused(path, with_keys(llama, text("general.type", "adapter"))).what
    split = with_keys(
        llama, _key("split.count", 2, struct.pack("<H", 3)), _key("split.no", 2, struct.pack("<H", 1))
    )
    assert "part 2 of 3" in _refused(path, split).what
    assert "gguf-split" in _refused(path, split).fix
    assert "general.architecture" in _refused(path, with_keys()).what
    assert "flux.block_count" in _refused(path, with_keys(text("general.architecture", "flux"))).what


def test_a_projector_without_its_first_layer_is_refused(tmp_path: Path) -> None:
    whole = tiny_projector(tmp_path / "p.gguf").read_bytes()
    assert "mm.0.weight" in _refused(tmp_path / "q.gguf", whole.replace(b"mm.0.weight", b"mm.8.weight")).what


def test_a_real_vocabulary_takes_little_memory(tmp_path: Path) -> None:
    path, tokens = tmp_path / "m.gguf", 150_000
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(4096)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_head_count(2)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"token{index}" for index in range(tokens)])
    writer.add_token_merges([f"left{index} right{index}" for index in range(tokens)])
    writer.add_token_types([1] * tokens)
    writer.add_tensor("token_embd.weight", np.zeros((tokens, 32), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    tracemalloc.start()
    assert read_header(path).vocabulary == tokens
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


def test_damaged_files_end_in_a_header_or_in_a_sentence(
    tmp_path: Path, campaign_size: Callable[[int], int]
) -> None:
    wholes = [
        tiny_text_model(tmp_path / "a.gguf").read_bytes(),
        tiny_text_model(tmp_path / "q.gguf", quantised="Q4_0").read_bytes(),
        tiny_projector(tmp_path / "p.gguf").read_bytes(),
    ]
    chance = random.Random(11)
    refused = 0
    for case in range(campaign_size(300)):
        content = bytearray(wholes[case % len(wholes)])
        match case // len(wholes) % 4:
            case 0:
                del content[chance.randrange(len(content)) :]
            case 1:
                place = chance.randrange(8_000)
                content[place : place + 8] = chance.randbytes(8)
            case flips:
                for _ in range(flips):
                    content[chance.randrange(8_000)] ^= 1 << chance.randrange(8)
        path = tmp_path / "damaged.gguf"
        path.write_bytes(content)
        try:
            read_header(path)
        except BadModelFile as error:
            refused += 1
            assert error.file == str(path)
    assert refused > 100
