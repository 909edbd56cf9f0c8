"""Sentence embeddings by an ONNX encoder, from the files that are published with one.

`tokenizer.json` is beside the model. An optional `1_Pooling/config.json` defines how tokens' vectors
become a text's. For a model in a folder called `onnx` both may be one folder above, as published.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import BadModelFile
from pitwall.host.requests.faults import WrongKind
from pitwall.models.files.onnx_header import POOLING, TOKENIZER, beside
from pitwall.models.spec import ModelSpec

_USUAL_TOKENS = 256
_MOST_TOKENS = 8192
_AT_ONCE = 32
_FIRST_TOKEN = "pooling_mode_cls_token"
_NO_SENTENCE = "pooler_output"
"""Trained for another task than similarity; it is used only if there is nothing else."""

Run = Callable[[dict[str, NDArray[Any]]], tuple[list[str], list[NDArray[Any]]]]


class Encoder:
    """Texts to vectors of length 1.

    Args:
        inputs: names of the model's inputs. run: runs the model on them.

    Attributes:
        longest: tokens of a text that count, as its tokenizer.json says (256 where it says nothing); what
            follows is left out.

    Raises:
        BadModelFile: there is no tokenizer.json beside the model, or it cannot be read.
        WrongKind: the model takes something else than tokens.
    """

    def __init__(self, spec: ModelSpec, inputs: Sequence[str], run: Run) -> None:
        if "input_ids" not in inputs:
            raise WrongKind(f"{spec.name} takes {', '.join(inputs)}: it is no encoder of texts.")
        self._tokenizer = read_tokenizer(spec, "encoder")
        given = (self._tokenizer.truncation or {}).get("max_length", _USUAL_TOKENS)
        self.longest = max(1, min(int(given), _MOST_TOKENS))
        self._tokenizer.no_padding()
        self._first_token = _takes_first_token(beside(Path(spec.path), POOLING))
        self._spec = spec
        self._inputs = inputs
        self._run = run

    def counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Count the tokens of each text, untruncated."""
        self._tokenizer.no_truncation()
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return tuple(len(entry.ids) for entry in encoded)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts: one row a text, texts × width.

        Raises:
            WrongKind: the model's output is no embedding.
        """
        parts = [self._embed(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
        rows = np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1), np.float32)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._tokenizer.enable_truncation(self.longest)
        entries = self._tokenizer.encode_batch(list(texts))
        width = max(1, *(len(entry.ids) for entry in entries))
        ids = np.zeros((len(entries), width), np.int64)
        mask = np.zeros((len(entries), width), np.int64)
        for row, entry in enumerate(entries):
            ids[row, : len(entry.ids)] = entry.ids
            mask[row, : len(entry.ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        names, outputs = self._run({name: inputs[name] for name in self._inputs if name in inputs})
        return self._pooled(dict(zip(names, outputs, strict=True)), mask)

    def _pooled(self, outputs: dict[str, NDArray[Any]], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return a sentence's vector as the model gives it, else pooled from its tokens' vectors."""
        by_rank: dict[int, NDArray[Any]] = {}
        for name, value in outputs.items():
            if name != _NO_SENTENCE:
                by_rank.setdefault(value.ndim, value)
        sentence = by_rank.get(2)
        if sentence is None and (tokens := by_rank.get(3)) is not None:
            return self._from_tokens(np.asarray(tokens, np.float32), mask)
        if sentence is None:
            sentence = outputs.get(_NO_SENTENCE)
        if sentence is not None and sentence.ndim == 2:
            return np.asarray(sentence, np.float32)
        shapes = ", ".join(f"{name} {list(value.shape)}" for name, value in outputs.items())
        raise WrongKind(f"{self._spec.name} gives {shapes}: no embedding.")

    def _from_tokens(self, tokens: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the first token's vector if the encoder was trained so, else the mean of all."""
        if self._first_token:
            return tokens[:, 0]
        weights = mask[:, :, None].astype(np.float32)
        total: NDArray[np.float32] = (tokens * weights).sum(axis=1)
        return np.asarray(total / np.maximum(weights.sum(axis=1), 1), np.float32)


def _takes_first_token(pooling: Path) -> bool:
    """Return whether the published pooling takes the first token; without a readable one it is the mean."""
    try:
        config = json.loads(pooling.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get(_FIRST_TOKEN) is True


if TYPE_CHECKING:
    from tokenizers import Tokenizer


def read_tokenizer(spec: ModelSpec, kind: str) -> Tokenizer:
    """Return the tokenizer of a model.

    Args:
        kind: kind of the model, for the error ("encoder").

    Raises:
        BadModelFile: it is not beside the model, or cannot be read.
    """
    from tokenizers import Tokenizer  # a policy needs none, and may come before it is installed

    file = beside(Path(spec.path), TOKENIZER)
    if not file.is_file():
        raise BadModelFile(
            str(file), "is missing", expected=f"the tokenizer of the {kind} beside it", fix="Put it there."
        )
    try:
        return Tokenizer.from_str(file.read_text(encoding="utf-8"))
    except Exception as error:  # the library raises plain Exception
        raise BadModelFile(str(file), f"is no tokenizer: {error}", fix="Download it again.") from error
