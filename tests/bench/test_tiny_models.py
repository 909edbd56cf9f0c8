"""Tiny models are real ones: the libraries load them, and they do what tests rely on."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime
import pytest
from llama_cpp import Llama
from llama_cpp.llama_chat_format import MTMDChatHandler
from llama_cpp.llama_grammar import LlamaGrammar
from tokenizers import Tokenizer

from pitwall.bench.tiny_models import (
    QUANTISED,
    tiny_encoder,
    tiny_policy,
    tiny_projector,
    tiny_text_model,
)

_SCHEMA = {
    "type": "object",
    "properties": {"why": {"type": "string", "maxLength": 60}, "act": {"enum": ["flap", "wait"]}},
    "required": ["why", "act"],
}


def _loaded(path: Path, handler: Any = None) -> Any:
    return Llama(str(path), n_ctx=1024, n_threads=1, verbose=False, chat_handler=handler)


def _data_url(shade: int) -> str:
    picture = np.full((64, 64, 3), shade, np.uint8)
    return "data:image/png;base64," + base64.b64encode(cv2.imencode(".png", picture)[1].tobytes()).decode()


def test_the_same_seed_writes_the_same_small_file(tmp_path: Path) -> None:
    first = tiny_text_model(tmp_path / "a.gguf", seed=3).read_bytes()
    assert first == tiny_text_model(tmp_path / "b.gguf", seed=3).read_bytes()
    assert first != tiny_text_model(tmp_path / "c.gguf", seed=4).read_bytes()
    assert len(first) < 1_000_000


def test_any_text_becomes_tokens_and_back(tmp_path: Path) -> None:
    model = _loaded(tiny_text_model(tmp_path / "a.gguf"))
    for text in ("".join(map(chr, range(32, 127))) + "\n\t", '{"a": [1, -2.5]}', "Höhe × 3 … 🕹"):
        tokens = model.tokenize(text.encode(), add_bos=False)
        assert model.detokenize(tokens).decode() == text


@pytest.mark.parametrize("quantised", [None, *QUANTISED])
def test_a_reply_follows_its_grammar_and_ends(tmp_path: Path, quantised: str | None) -> None:
    model = _loaded(tiny_text_model(tmp_path / "a.gguf", quantised=quantised))
    grammar = LlamaGrammar.from_json_schema(json.dumps(_SCHEMA), verbose=False)
    reply = model.create_chat_completion(
        [{"role": "user", "content": "what now?"}], max_tokens=400, temperature=0.0, grammar=grammar
    )
    choice = reply["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert json.loads(choice["message"]["content"])["act"] in {"flap", "wait"}


def test_free_replies_are_ascii(tmp_path: Path) -> None:
    model = _loaded(tiny_text_model(tmp_path / "a.gguf"))
    for seed in range(4):
        reply = model.create_chat_completion(
            [{"role": "user", "content": f"say {seed}"}], max_tokens=80, temperature=0.8, seed=seed
        )
        text = reply["choices"][0]["message"]["content"]
        assert text
        assert text.isascii()


def test_a_picture_changes_what_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    handler = MTMDChatHandler(clip_model_path=str(tiny_projector(tmp_path / "p.gguf")), verbose=False)
    model = _loaded(tiny_text_model(tmp_path / "a.gguf"), handler)
    said = [
        model.create_chat_completion(
            [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": _data_url(shade)}},
                        {"type": "text", "text": "what is it?"},
                    ],
                }
            ],
            max_tokens=20,
            temperature=0.0,
        )
        for shade in (0, 255)
    ]
    capfd.readouterr()
    assert said[0]["choices"][0]["message"]["content"] != said[1]["choices"][0]["message"]["content"]
    assert said[0]["usage"]["prompt_tokens"] > 16


def test_the_encoder_embeds_what_its_tokeniser_makes(tmp_path: Path) -> None:
    session = onnxruntime.InferenceSession(
        str(tiny_encoder(tmp_path / "e.onnx")), providers=["CPUExecutionProvider"]
    )
    tokeniser = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    vectors = []
    for text in ("the fox jumps!", "over a pipe"):
        coded = tokeniser.encode(text)
        inputs = {"input_ids": np.array([coded.ids]), "attention_mask": np.array([coded.attention_mask])}
        vectors.append(session.run(["sentence_embedding"], inputs)[0][0])
    assert all(abs(np.linalg.norm(vector) - 1) < 1e-5 for vector in vectors)
    assert float(vectors[0] @ vectors[1]) < 0.999


def test_the_policy_values_each_action(tmp_path: Path) -> None:
    session = onnxruntime.InferenceSession(
        str(tiny_policy(tmp_path / "p.onnx", state=5, actions=3)), providers=["CPUExecutionProvider"]
    )
    (values,) = session.run(["values"], {"state": np.ones((2, 5), np.float32)})
    assert values.shape == (2, 3)
