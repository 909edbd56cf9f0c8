"""Tiny random models in real file formats, so that tests and benchmarks run real libraries in milliseconds.

They say nothing sensible, but they tokenise any text without loss, follow grammars, see pictures and end
their replies: a steady first dimension, which no block writes to, works as a bias on each token's logit.
Bytes outside ASCII are never written, quotes and ends often, digits seldom.
The same seed gives the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Weights = npt.NDArray[np.float32]

HEAD_SIZE = 16
TEXT_WIDTH = 64
ENCODER_WIDTH = 32
IMAGE_SIZE = 64
PATCH_SIZE = 16
POLICY_STATE = 8
POLICY_ACTIONS = 4

CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}{{ part['text'] }}{% endfor %}{% endif %}"
    "{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""ChatML; a message's content is a text or, with a picture, parts with a text each."""

_SPECIAL = ("<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>")
_END = 4
_PRINTABLE = [chr(code) for code in range(0x20, 0x7F)]
# fmt: off
_SHORTCUTS = [
    " t", "he", " the", "in", "er", "an", "re", "on", "at", "en", " a", " s", "or", "es", "is",
    "ou", "it", "ar", "nd", "al", "ing", "st", "ed", "le", "ion", " o", " w", " f", " c", " b",
    " p", "to", " of", "ic", "el", "me", "ve", "as", "ro", "ll", "se", "de", "om", "ti", "tion",
    " d", " m", " in", "ac", "action", " and", "su", "te", "ne", "us", "pl", "ch", "ra", " th",
    "il", " l",
]
# fmt: on
"""Pieces of several letters, merged first to last, so that prompts take fewer tokens than letters."""
_UNUSED = "<unused"
_ENDING = 2.0
_LIKED = 3.0
_FORBIDDEN = -40.0

_FILE_TYPES = {
    None: gguf.LlamaFileType.ALL_F32,
    "F16": gguf.LlamaFileType.MOSTLY_F16,
    "BF16": gguf.LlamaFileType.MOSTLY_BF16,
    "Q4_0": gguf.LlamaFileType.MOSTLY_Q4_0,
    "Q4_1": gguf.LlamaFileType.MOSTLY_Q4_1,
    "Q5_0": gguf.LlamaFileType.MOSTLY_Q5_0,
    "Q5_1": gguf.LlamaFileType.MOSTLY_Q5_1,
    "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0,
}
QUANTISED = tuple(name for name in _FILE_TYPES if name)
"""What `tiny_text_model(quantised=…)` takes."""


def tiny_text_model(
    path: Path,
    *,
    seed: int = 0,
    context: int = 4096,
    layers: int = 2,
    width: int = TEXT_WIDTH,
    head_size: int = HEAD_SIZE,
    vocabulary: int = 0,
    ends: bool = True,
    quantised: str | None = None,
) -> Path:
    """Write a random text model of the llama architecture; returns `path`.

    Args:
        width: of the embedding, a multiple of 64. A projector of `tiny_projector` fits 64.
        head_size: width of an attention head; `width` holds an even number of them.
        vocabulary: at least so many tokens, as real models have; those beyond the usual are never written.
        ends: replies end by themselves; else only where a grammar or a limit ends them.
        quantised: one of `QUANTISED` for the matrices; None leaves them F32.
    """
    rng = np.random.default_rng(seed)
    inner, heads, kv_heads = 2 * width, width // head_size, width // head_size // 2
    tokens = _vocabulary(vocabulary)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(f"tiny-{seed}")
    writer.add_file_type(_FILE_TYPES[quantised])
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(head_size)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    _add_tokeniser(writer, tokens)

    def matrix(name: str, values: Weights) -> None:
        if quantised is None:
            writer.add_tensor(name, values)
            return
        kind = gguf.GGMLQuantizationType[quantised]
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def random(rows: int, columns: int, *, keeps_bias: bool = False) -> Weights:
        values = rng.standard_normal((rows, columns), dtype=np.float32) / np.float32(np.sqrt(columns))
        if keeps_bias:
            values[0] = 0.0
        return values

    def ones(name: str) -> None:
        writer.add_tensor(name, np.ones(width, dtype=np.float32))

    embedding = rng.standard_normal((len(tokens), width), dtype=np.float32)
    embedding[:, 0] = 2.0
    output = random(len(tokens), width) * 2
    output[:, 0] = [_bias(text, ends=ends) / 1.5 for text, _, _ in tokens]
    matrix("token_embd.weight", embedding)
    for layer in range(layers):
        block = f"blk.{layer}"
        ones(f"{block}.attn_norm.weight")
        matrix(f"{block}.attn_q.weight", random(width, width))
        matrix(f"{block}.attn_k.weight", random(kv_heads * head_size, width))
        matrix(f"{block}.attn_v.weight", random(kv_heads * head_size, width))
        matrix(f"{block}.attn_output.weight", random(width, width, keeps_bias=True))
        ones(f"{block}.ffn_norm.weight")
        matrix(f"{block}.ffn_gate.weight", random(inner, width))
        matrix(f"{block}.ffn_up.weight", random(inner, width))
        matrix(f"{block}.ffn_down.weight", random(width, inner, keeps_bias=True))
    ones("output_norm.weight")
    matrix("output.weight", output)
    return _written(writer, path)


def tiny_projector(path: Path, *, seed: int = 0, width: int = TEXT_WIDTH) -> Path:
    """Write a random picture projector (clip, `mlp`) for a text model `width` wide; returns `path`.

    Pictures become 64 × 64 px, 16 patches, 16 tokens.
    """
    rng = np.random.default_rng(seed)
    inner, blocks, patches = 2 * ENCODER_WIDTH, 2, (IMAGE_SIZE // PATCH_SIZE) ** 2
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_name(f"tiny-projector-{seed}")
    writer.add_type("mmproj")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_clip_has_vision_encoder(True)
    writer.add_clip_projector_type("mlp")
    writer.add_vision_image_size(IMAGE_SIZE)
    writer.add_vision_patch_size(PATCH_SIZE)
    writer.add_vision_embedding_length(ENCODER_WIDTH)
    writer.add_vision_feed_forward_length(inner)
    writer.add_vision_block_count(blocks)
    writer.add_vision_head_count(2)
    writer.add_vision_projection_dim(width)
    writer.add_vision_attention_layernorm_eps(1e-5)
    writer.add_vision_image_mean([0.5, 0.5, 0.5])
    writer.add_vision_image_std([0.5, 0.5, 0.5])
    writer.add_vision_use_gelu(True)

    def add(name: str, *shape: int) -> None:
        scale = np.float32(1.0 / np.sqrt(np.prod(shape[1:])))
        writer.add_tensor(name, rng.standard_normal(shape, dtype=np.float32) * scale)

    def norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(ENCODER_WIDTH, dtype=np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(ENCODER_WIDTH, dtype=np.float32))

    def linear(name: str, outputs: int, inputs: int) -> None:
        add(f"{name}.weight", outputs, inputs)
        writer.add_tensor(f"{name}.bias", np.zeros(outputs, dtype=np.float32))

    add("v.patch_embd.weight", ENCODER_WIDTH, 3, PATCH_SIZE, PATCH_SIZE)
    add("v.position_embd.weight", patches, ENCODER_WIDTH)
    norm("v.pre_ln")
    for block in range(blocks):
        place = f"v.blk.{block}"
        norm(f"{place}.ln1")
        for part in ("attn_q", "attn_k", "attn_v", "attn_out"):
            linear(f"{place}.{part}", ENCODER_WIDTH, ENCODER_WIDTH)
        norm(f"{place}.ln2")
        linear(f"{place}.ffn_up", inner, ENCODER_WIDTH)
        linear(f"{place}.ffn_down", ENCODER_WIDTH, inner)
    norm("v.post_ln")
    linear("mm.0", width, ENCODER_WIDTH)
    linear("mm.2", width, width)
    return _written(writer, path)


def tiny_encoder(path: Path, *, seed: int = 0, width: int = ENCODER_WIDTH) -> Path:
    """Write a sentence encoder as ONNX, and `tokenizer.json` beside it; returns `path`.

    Inputs `input_ids`, `attention_mask`: batch × length, int64. Output `sentence_embedding`: batch × width
    float32, of length 1, the mean over the mask of the tokens' vectors.
    """
    rng = np.random.default_rng(seed)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    pieces += [mark + piece for piece in _PRINTABLE[1:] for mark in ("", "##")]
    table = rng.standard_normal((len(pieces), width)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["weights"]),
        helper.make_node("Mul", ["vectors", "weights"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "middle"], ["pooled"], keepdims=0),
        helper.make_node("LpNormalization", ["pooled"], ["sentence_embedding"], axis=-1, p=2),
    ]
    shape = ["batch", "length"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", width])
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "middle"),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name("tokenizer.json").write_text(json.dumps(_word_pieces(pieces)), encoding="utf-8")
    return saved_graph(helper.make_graph(nodes, "tiny-encoder", inputs, [output], constants), path)


def tiny_policy(
    path: Path, *, seed: int = 0, state: int = POLICY_STATE, actions: int = POLICY_ACTIONS
) -> Path:
    """Write a policy as ONNX; returns `path`.

    Input `state`: batch × state, float32. Output `values`: batch × actions, float32.
    """
    rng = np.random.default_rng(seed)
    hidden = 16
    nodes = [
        helper.make_node("Gemm", ["state", "w1", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["values"]),
    ]
    weights = {
        "w1": rng.standard_normal((state, hidden)),
        "b1": np.zeros(hidden),
        "w2": rng.standard_normal((hidden, actions)),
        "b2": np.zeros(actions),
    }
    graph = helper.make_graph(
        nodes,
        "tiny-policy",
        [helper.make_tensor_value_info("state", TensorProto.FLOAT, ["batch", state])],
        [helper.make_tensor_value_info("values", TensorProto.FLOAT, ["batch", actions])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()],
    )
    return saved_graph(graph, path)


def _vocabulary(least: int) -> list[tuple[str, float, int]]:
    kinds = gguf.TokenType
    rows: list[tuple[str, float, int]] = [
        (text, 0.0, kinds.UNKNOWN if text == "<unk>" else kinds.CONTROL) for text in _SPECIAL
    ]
    rows += [(f"<0x{byte:02X}>", 0.0, kinds.BYTE) for byte in range(256)]
    rows += [(_piece(text), -1000.0 - index, kinds.NORMAL) for index, text in enumerate(_PRINTABLE)]
    rows += [(_piece(text), -1.0 - index, kinds.NORMAL) for index, text in enumerate(_SHORTCUTS)]
    rows += [(f"{_UNUSED}{number}>", -1e6, kinds.UNUSED) for number in range(len(rows), least)]
    return rows


def _add_tokeniser(writer: gguf.GGUFWriter, tokens: list[tuple[str, float, int]]) -> None:
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text, _, _ in tokens])
    writer.add_token_scores([score for _, score, _ in tokens])
    writer.add_token_types([kind for _, _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(_END)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def _piece(text: str) -> str:
    return text.replace(" ", "\u2581")


def _bias(text: str, *, ends: bool) -> float:
    if text in _SPECIAL:
        return _ENDING if ends and text == _SPECIAL[_END] else _FORBIDDEN
    if text.startswith(_UNUSED):
        return _FORBIDDEN
    if text.startswith("<0x"):
        return 0.0 if text == "<0x0A>" else _FORBIDDEN
    if text.isdigit() or text == "-":
        return -_LIKED
    return _LIKED if text in {'"', "]", "}"} else 0.0


def _word_pieces(pieces: list[str]) -> dict[str, object]:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": False,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 200,
            "vocab": {piece: index for index, piece in enumerate(pieces)},
        },
    }


def _written(writer: gguf.GGUFWriter, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def saved_graph(graph: onnx.GraphProto, path: Path) -> Path:
    """Write a graph as a model; returns `path`."""
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())
    return path
