"""Texts that others wrote (a model, a game's screen) on the operator's terminal: shown, never obeyed."""

from __future__ import annotations

import os
import unicodedata

import typer

_KEPT = "\n\t"
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They change the direction of what follows."""


def without_control_characters(text: str) -> str:
    """A text without what a terminal would obey: control characters and their like show as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def print_safely(text: str = "", *, colour: str | None = None, bold: bool = False, dim: bool = False) -> None:
    """Print a text harmlessly, in colour on a terminal; plain where it is piped or $NO_COLOR is set."""
    shown = without_control_characters(text)
    if colour or bold or dim:
        shown = typer.style(shown, fg=colour, bold=bold or None, dim=dim or None)
    typer.echo(shown, color=False if os.environ.get("NO_COLOR") else None)


def _shown(character: str) -> str:
    if character in _KEPT:
        return character
    if character in _TURNING or unicodedata.category(character) in ("Cc", "Cs"):
        return character.encode("unicode_escape").decode("ascii")
    return character
