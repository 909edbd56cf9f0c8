"""Normalises answers for comparison: texts, numbers in the forms that people write, parts of lists.

Source: appendix A.5 of the exam's paper. Every function accepts any text and never raises.
"""

from __future__ import annotations

import math
import re

_PARENTHESES = re.compile(r"\((?![^()]*=)[^()]*\)")
_QUOTES = "\"'`“”„‟‘’‚‛«»‹›"
_INTEGER = re.compile(r"([+-]?\d{1,300})(?:\.0{0,300})?\s*%?", re.ASCII)
_NUMBER = r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:e[+-]?\d{1,3})?"
_FLOAT = re.compile(rf"({_NUMBER})\s*%?", re.ASCII)
_PARTED = re.compile(r"[,;\n](?:\s*and\s)?|\sand\s", re.IGNORECASE)
_BRACKETS = "[]{}"

_EXACT = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?:https?://|ftp://|www\.)\S+",  # addresses of pages
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",  # of mail
        r"[\w./\\~-]*\w\.(?!\d)[a-z0-9]{1,5}",  # file names
        r"(?:page|p\.?|pp\.?)\s*\d+(?:\s*[-–]\s*\d+)?",  # pages
        r"\+?\d[\d\s().-]{5,}\d",  # phone numbers
        r"\d{1,2}(?::\d{2}){1,2}(?:\s*[ap]\.?m\.?)?",  # times
        r"\d{1,2}\s*[ap]\.?m\.?",
        r"\d{4}-\d{2}(?:-\d{2})?",  # dates
        r"\d{1,2}[./]\d{1,2}[./]\d{2,4}",
    )
)


def normal(text: str) -> str:
    """Return a text in lower case without outer quotes, extra spaces and remarks in parentheses, with a plain
    minus sign. Arguments of an action ("say(text=north)") are no remark and stay.
    """
    plain = " ".join(_PARENTHESES.sub("", text).lower().replace("\N{MINUS SIGN}", "-").split())
    while plain and (plain[0] in _QUOTES or plain[-1] in _QUOTES):
        plain = plain.strip(_QUOTES).strip()
    return plain


def as_integer(text: str) -> int | None:
    """Read a whole number like "1", "1.0" or " 1 %"; None if the text is none."""
    match = _INTEGER.fullmatch(normal(text))
    return int(match.group(1)) if match else None


def as_float(text: str) -> float | None:
    """Read a finite number, with or without a percent sign after it; None if the text is none."""
    match = _FLOAT.fullmatch(normal(text))
    if match is None:
        return None
    value = float(match.group(1))
    return value if math.isfinite(value) else None


def digits_after_point(text: str) -> int:
    """Count a number's digits after the decimal point."""
    _, _, behind = normal(text).rstrip("% ").partition(".")
    return len(behind) if behind.isdigit() else 0


def is_exact(text: str) -> bool:
    """Return whether a normalised text must match exactly, like an address, a file name or a date."""
    return any(pattern.fullmatch(text) for pattern in _EXACT)


def parts(text: str) -> list[str]:
    """Split a list into its normalised parts, in order; empty if it names nothing."""
    lines = (" ".join(line.split()) for line in _PARENTHESES.sub("", text).split("\n"))
    listed = _PARTED.split("\n".join(line for line in lines if line).strip(_BRACKETS))
    return [part for item in listed if (part := normal(item))]
