"""Judges commands on damaged files: each succeeds, or fails with a sentence that names the fault."""

from __future__ import annotations

from pathlib import Path

from workshop.campaigns.harness import FellShort
from workshop.campaigns.isolation import Ran, command

_SENTENCE = 4_000
"""Longest sentence of a failure, in characters; only `check` may print more."""


def ends_in_words(data: Path, *words: str, names: tuple[str, ...] = ()) -> Ran:
    """Run a command; if it fails it must say why.

    Args:
        names: one of these must occur in a failure's sentence; empty: any sentence will do.

    Raises:
        FellShort: it ends otherwise.
    """
    shown = f"pitwall {' '.join(words)}"
    try:
        ran = command(data, *words)
    except Exception as error:
        raise FellShort(f"{shown} ends in {type(error).__name__}: {str(error)[:300]}") from error
    sentence = ran.sentence
    if "Traceback (most recent call last)" in ran.err:
        raise FellShort(f"{shown} shows a traceback: {sentence[-300:]}")
    if ran.status not in (0, 1, 2):
        raise FellShort(f"{shown} ends with status {ran.status}: {sentence[:300]}")
    if ran.status and not sentence:
        raise FellShort(f"{shown} ends with status {ran.status} without a word")
    if ran.status and len(sentence) > _SENTENCE and "check" not in words:
        raise FellShort(f"{shown} says {len(sentence):,} characters: {sentence[:200]} …")
    if ran.status and names and not any(name in sentence for name in names):
        raise FellShort(f"{shown} does not name {names[0]}: {sentence[:300]}")
    return ran
