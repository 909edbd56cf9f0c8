"""The sentence-embedding model that the installer built: is it there, is it whole, and how is it loaded?"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import BadModelFile, DamagedFile
from pitwall.core.paths import embedder_dir
from pitwall.core.quantities import byte_size
from pitwall.models.files.integrity import sha256_of
from pitwall.models.spec import ModelSpec

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
ABOUT = "about.json"

NONE_INSTALLED = "none installed: texts are compared by hashed words"
INSTALL = "With a network, installer/run builds it."
_BUILD_AGAIN = "Build it again: delete its folder, then run installer/run."


class Agreement(BaseModel):
    """Measures how near the built model's vectors are to those of the weights it was made from.

    Attributes:
        texts: how many were compared. cosine_least, cosine_mean: over them.
        text_ms: time of one text in the host, median, one at a time.
    """

    model_config = ConfigDict(frozen=True)

    texts: int
    cosine_least: float
    cosine_mean: float
    text_ms: float


class AboutEmbedder(BaseModel):
    """The `about.json` of a built model; it is written last, so its presence means the rest is complete.

    Attributes:
        name: identifies its vectors. width: of a vector. tokens: of a text that count.
        package, version, source_hashes: its sources; SHA-256 by file.
        quantisation: of its weights, in words.
        built_at: ISO 8601, UTC.
    """

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1)
    width: int = Field(gt=0)
    tokens: int = Field(gt=0)
    package: str
    version: str
    source_hashes: dict[str, str]
    quantisation: str
    model_sha256: str
    model_bytes: int
    tokenizer_sha256: str
    agreement: Agreement
    built_at: str


class InstalledEmbedder(BaseModel):
    """A built model in its folder."""

    model_config = ConfigDict(frozen=True)

    folder: Path
    about: AboutEmbedder

    @property
    def spec(self) -> ModelSpec:
        """Return how the host loads it: on one thread of the processor, and only with the right hash."""
        return model_spec(self.folder, self.about.name, self.about.model_sha256)

    @property
    def text(self) -> str:
        """Describe it in one line."""
        about, agreement = self.about, self.about.agreement
        return (
            f"{about.name}: {about.width} numbers a text, {byte_size(about.model_bytes)}, "
            f"{agreement.text_ms:.1f} ms a text; cosine to its original at least {agreement.cosine_least:.4f}"
        )


def model_spec(folder: Path, name: str, sha256: str) -> ModelSpec:
    """Return the spec of a built model. It has no stamp of its file, so the host takes the hash."""
    return ModelSpec(
        name=name,
        kind="onnx",
        path=str(folder / MODEL),
        sha256=sha256,
        gpu_layers=0,
        threads=1,
        embeds=True,
    )


def installed_embedder(folder: Path | None = None) -> InstalledEmbedder | None:
    """Return the model that the installer built, or None.

    Its tokenizer is checked here; the model's own hash is taken by the host, before it loads it.

    Args:
        folder: its place; None: the environment's own.

    Raises:
        BadModelFile: it is there, but damaged.
    """
    folder = folder or embedder_dir()
    file = folder / ABOUT
    try:
        about = read_model(AboutEmbedder, file)
    except FileNotFoundError:
        return None
    except DamagedFile as error:
        problem = f"is damaged: {error.key}: {error.problem}" if error.key else error.problem
        raise BadModelFile(str(file), problem, fix=_BUILD_AGAIN) from None
    _check(folder / TOKENIZER, about.tokenizer_sha256)
    return InstalledEmbedder(folder=folder, about=about)


def check_model(embedder: InstalledEmbedder) -> None:
    """Take the model's hash.

    Raises:
        BadModelFile: it is not the model that was built.
    """
    _check(embedder.folder / MODEL, embedder.about.model_sha256)


def _check(file: Path, expected: str) -> None:
    digest = sha256_of(file)
    if digest != expected:
        raise BadModelFile(
            str(file),
            f"is not the file that was built: its SHA-256 is {digest[:12]}…",
            expected=f"{expected[:12]}…",
            fix=_BUILD_AGAIN,
        )
