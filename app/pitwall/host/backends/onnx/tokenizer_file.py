"""The tokenizer.json beside a model that takes text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pitwall.core.errors import BadModelFile
from pitwall.models.files.encoder_files import TOKENIZER, beside
from pitwall.models.spec import ModelSpec

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def read_tokenizer(spec: ModelSpec, kind: str) -> Tokenizer:
    """Return the tokenizer of a model.

    Args:
        kind: what the model is, for the error ("encoder").

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
