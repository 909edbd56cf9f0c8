"""Judges commands on damaged files: each ends well, or in one sentence that says what is wrong and where."""

from __future__ import annotations

from pathlib import Path

from workshop.campaigns.harness import FellShort
from workshop.campaigns.isolation import Ran, command

_SENTENCE = 4_000
"""A sentence longer than this is none; `check` lists every fault."""


def ends_in_words(data: Path, *words: str, names: tuple[str, ...] = ()) -> Ran:
    """Run a command; where it fails it must say why.

    Args:
        names: one of these must stand in the sentence of a failure; empty: any sentence will do.

    Raises:
        FellShort: it ends otherwise.
    """
    shown = f"pitwall {' '.join(words)}"
    try:
        ran = command(data, *words)
    except Exception as error:
        raise FellShort(f"{shown} ends in {type(error).__name__}: {str(error)[:300]}") from error
    said = ran.sentence
    if "Traceback (most recent call last)" in ran.err:
        raise FellShort(f"{shown} shows a traceback: {said[-300:]}")
    if ran.status not in (0, 1, 2):
        raise FellShort(f"{shown} ends with status {ran.status}: {said[:300]}")
    if ran.status and not said:
        raise FellShort(f"{shown} ends with status {ran.status} without a word")
    if ran.status and len(said) > _SENTENCE and "check" not in words:
        raise FellShort(f"{shown} says {len(said):,} characters: {said[:200]} …")
    if ran.status and names and not any(name in said for name in names):
        raise FellShort(f"{shown} does not name {names[0]}: {said[:300]}")
    return ran
