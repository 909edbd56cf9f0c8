"""The prompts for models (`resources/exam/prompts.toml`; after Table 6 of the exam's source)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache

from pitwall.core.paths import resources_dir


@lru_cache(maxsize=1)
def prompts() -> Mapping[str, str]:
    """Read every prompt by its name, with {placeholders}."""
    text = (resources_dir() / "exam" / "prompts.toml").read_text(encoding="utf-8")
    return {name: str(words).lstrip("\n") for name, words in tomllib.loads(text).items()}
