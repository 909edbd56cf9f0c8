"""ONNX files are looked into without a library, and what is wrong with one is said in a second."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from pitwall.core.errors import BadModelFile
from pitwall.models.files.onnx_header import read_onnx
from workshop.fixtures.tiny_models import tiny_encoder, tiny_policy, tiny_text_model


def test_inputs_and_outputs_are_told_without_the_constants(tmp_path: Path) -> None:
    encoder = read_onnx(tiny_encoder(tmp_path / "e.onnx"))
    assert encoder.inputs == ("input_ids", "attention_mask")
    assert encoder.outputs == ("sentence_embedding",)
    assert (encoder.ir_version, encoder.opset) == (9, 18)
    model = onnx.load(tiny_policy(tmp_path / "p.onnx"))
    model.graph.input.extend([onnx.helper.make_tensor_value_info("w1", onnx.TensorProto.FLOAT, [8, 16])])
    model.producer_name = "somebody"
    onnx.save(model, tmp_path / "p.onnx")
    policy = read_onnx(tmp_path / "p.onnx")
    assert (policy.inputs, policy.outputs, policy.producer) == (("state",), ("values",), "somebody")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><p>no</p>", "web page"),
        (b"\x08\x09\x3a\xff\xff\xff\x7f" + b"x" * 40, "cut off"),
        (b"\x08\x09\x12" + b"\xff" * 40, "number without an end"),
        (b"\x08\x09\x12\x02ab", "no graph"),
        (b"\x08\x09\x42\x02\x10\x12\x3a\x04\x0a\x7fab", "longer than the whole"),
        (b"\x08\x09\x42\x02\x10\x12\x3a\x02\x12\x00", "no outputs"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "m.onnx").write_bytes(content)
    with pytest.raises(BadModelFile, match=r"m\.onnx") as caught:
        read_onnx(tmp_path / "m.onnx")
    assert problem in caught.value.what


def test_another_kind_of_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadModelFile, match="is a GGUF model"):
        read_onnx(tiny_text_model(tmp_path / "m.onnx"))


def test_weights_in_another_file_are_refused(tmp_path: Path) -> None:
    model = onnx.load(tiny_encoder(tmp_path / "e.onnx"))
    onnx.save(model, tmp_path / "split.onnx", save_as_external_data=True, location="weights.bin")
    with pytest.raises(BadModelFile, match="in a file beside it"):
        read_onnx(tmp_path / "split.onnx")


def test_damaged_files_end_in_a_header_or_in_a_sentence(
    tmp_path: Path, campaign_size: Callable[[int], int]
) -> None:
    whole = tiny_encoder(tmp_path / "e.onnx").read_bytes()
    chance = random.Random(5)
    refused = 0
    for case in range(campaign_size(150)):
        content = bytearray(whole)
        if case % 3 == 0:
            del content[chance.randrange(len(content)) :]
        for _ in range(case % 3):
            content[chance.randrange(600)] ^= 1 << chance.randrange(8)
        path = tmp_path / "damaged.onnx"
        path.write_bytes(content)
        try:
            read_onnx(path)
        except BadModelFile as error:
            refused += 1
            assert error.file == str(path)
    assert refused > 50
