"""Answers as they are compared: normalised texts, numbers in the forms that people write, parts of lists.

Source: appendix A.5 of the exam's paper. Every function takes any text at all and raises nothing.
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
    """A text in lower case, without quotes around it, spare space, or what stands in parentheses; parameters
    of an action ("say(text=north)") are no aside and stay."""
    plain = " ".join(_PARENTHESES.sub("", text).lower().split())
    while plain and (plain[0] in _QUOTES or plain[-1] in _QUOTES):
        plain = plain.strip(_QUOTES).strip()
    return plain


def as_integer(text: str) -> int | None:
    """ "1", "1.0", " 1 %"; None where it is no whole number."""
    match = _INTEGER.fullmatch(normal(text))
    return int(match.group(1)) if match else None


def as_float(text: str) -> float | None:
    """A finite number, with or without a percent sign behind it; None where it is none."""
    match = _FLOAT.fullmatch(normal(text))
    if match is None:
        return None
    value = float(match.group(1))
    return value if math.isfinite(value) else None


def digits_after_point(text: str) -> int:
    """Count the digits behind the point of a number."""
    _, _, behind = normal(text).rstrip("% ").partition(".")
    return len(behind) if behind.isdigit() else 0


def is_exact(text: str) -> bool:
    """Whether a normalised text is something of which a part is nothing: an address, a file, a date."""
    return any(pattern.fullmatch(text) for pattern in _EXACT)


def parts(text: str) -> list[str]:
    """Split a list into its normalised parts, in order; empty if it names nothing."""
    lines = (" ".join(line.split()) for line in _PARENTHESES.sub("", text).split("\n"))
    listed = _PARTED.split("\n".join(line for line in lines if line).strip(_BRACKETS))
    return [part for item in listed if (part := normal(item))]
