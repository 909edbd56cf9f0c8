"""Writes the shipped model's file: weights, sizes and tokens for llama.cpp, quantised or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

from workshop.shipped_model.tokenizer import BYTES, CHAT_TEMPLATE, CONTROL_TOKENS, END, UNKNOWN, Tokenizer

Weights = Mapping[str, npt.NDArray[np.float32]]
_QUANTISED = gguf.GGMLQuantizationType.Q8_0
_NAMES = {
    "attention_norm": "attn_norm",
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "out": "attn_output",
    "gated_norm": "ffn_norm",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}
"""Parts of a block: the trainer's name → the file's name."""
_ROPE_BASE = 10_000.0
_STILL = 1e12
"""Factor by which a pair that does not turn is slowed down."""


def write_model(
    file: Path,
    weights: Weights,
    tokenizer: Tokenizer,
    *,
    heads: int,
    context: int,
    norm_epsilon: float,
    speeds: npt.NDArray[np.float64],
    name: str,
    about: str,
    quantised: bool,
) -> Path:
    """Write a model file through a temporary file; return `file`.

    Args:
        weights: by the trainer's names: "table.weight", "norm.weight", "blocks.0.q.weight" and so on.
        speeds: radians a token by which each pair of a head turns.
        about: one sentence that describes the model in the file.
        quantised: matrices in 8 bits a weight; otherwise 32.
    """
    table = weights["table.weight"]
    width = table.shape[1]
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blocks."))
    aside = file.with_suffix(".tmp")
    file.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(aside, "llama")
    writer.add_name(name)
    writer.add_description(about)
    kind = gguf.LlamaFileType.MOSTLY_Q8_0 if quantised else gguf.LlamaFileType.ALL_F32
    writer.add_file_type(kind)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(weights["blocks.0.up.weight"].shape[0])
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_key_length(2 * len(speeds))
    writer.add_value_length(2 * len(speeds))
    writer.add_rope_dimension_count(2 * len(speeds))
    writer.add_rope_freq_base(_ROPE_BASE)
    writer.add_layer_norm_rms_eps(norm_epsilon)
    writer.add_vocab_size(tokenizer.size)
    _add_tokens(writer, tokenizer)
    writer.add_tensor("rope_freqs.weight", _slowed(speeds))
    for key, values in weights.items():
        values = np.ascontiguousarray(values, np.float32)
        if values.ndim == 2 and quantised:
            packed = gguf.quants.quantize(values, _QUANTISED)
            writer.add_tensor(_name_of(key), packed, raw_dtype=_QUANTISED)
        else:
            writer.add_tensor(_name_of(key), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    aside.replace(file)
    return file


def _name_of(key: str) -> str:
    if key == "table.weight":
        return "token_embd.weight"
    if key == "norm.weight":
        return "output_norm.weight"
    _, layer, part, kind = key.split(".")
    return f"blk.{layer}.{_NAMES[part]}.{kind}"


def _slowed(speeds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return the factors by which each pair's usual speed is divided."""
    usual = _ROPE_BASE ** (-np.arange(len(speeds)) / len(speeds))
    return np.where(speeds > 0, usual / np.maximum(speeds, 1 / _STILL), _STILL).astype(np.float32)


def _add_tokens(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    """Add the tokens: phrases with their spaces unchanged first, then pieces, which are merged by score."""
    kinds = gguf.TokenType
    texts = [text.encode() for text in CONTROL_TOKENS]
    types: list[int] = [
        kinds.UNKNOWN if at == UNKNOWN else kinds.CONTROL for at in range(len(CONTROL_TOKENS))
    ]
    texts += [f"<0x{byte:02X}>".encode() for byte in range(BYTES)]
    types += [kinds.BYTE] * BYTES
    texts += [text.encode() for text in tokenizer.phrases]
    types += [kinds.USER_DEFINED] * len(tokenizer.phrases)
    texts += [text.replace(" ", "\u2581").encode() for text in tokenizer.pieces]
    types += [kinds.NORMAL] * len(tokenizer.pieces)
    scores = [0.0] * (len(texts) - len(tokenizer.pieces))
    scores += [-1.0 - rank for rank in range(len(tokenizer.pieces))]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(texts)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_unk_token_id(UNKNOWN)
    writer.add_bos_token_id(END)
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(CHAT_TEMPLATE)
