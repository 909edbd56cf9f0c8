"""Separates a question from instructions about the form of its answer, like "Answer in 'yes' or 'no'."."""

from __future__ import annotations

import re

_ASIDE = re.compile(r"\((?![^()]*(?:\d\s*(?:-|–|to|and|through)\s*\d|steps?\s*\d))[^()]*\)")
"""Text in parentheses, unless it names steps."""
_HOW = re.compile(
    r"(?:[.?!;:,]|^)\s*(?:please\s+)?(?:answer|reply|respond|state)\s+(?:it\s+)?(?:in|as|with|by|using|either|only|yes|just)\b[^.?!]*[.?!]?"
    r"|(?:[.?!;:,])\s*(?:as\s+(?:a\s+list|a\s+number|an\s+integer))\b[^.?!]*[.?!]?"
    r"|(?:[.?!;:,]|\s-)\s*(?:just\s+)?['\"]?yes['\"]?\s*(?:or|/)\s*['\"]?no['\"]?\s*[.?!]*",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"\byes['\"]?\s*(?:or|/)\s*['\"]?no\b", re.IGNORECASE)
_AUXILIARY = r"(?:did|do|does|is|are|was|were|have|had|has|could|can|would|will|should)"
_OPENS_YES_NO = re.compile(
    rf"^(?:(?:at|on|in|by|before|after|from|within|during|between|when|once|while)\b[^?]*?,\s*)?{_AUXILIARY}\b"
    r"|\b(?:is it (?:true|right|correct)|true or false|whether)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:what|which|who|when|where|why|how|name|list|give|count|tell|state)\b", re.IGNORECASE)
_COUNTS = re.compile(r"\bhow (?:many|much|often|long|far)\b", re.IGNORECASE)


def bare(question: str) -> str:
    """Blank out parentheses and answer instructions; the question keeps its length."""

    def blanked(match: re.Match[str]) -> str:
        return " " * len(match.group())

    plain = _ASIDE.sub(blanked, question)
    kept = _HOW.sub(blanked, plain)
    return kept if kept.strip() else plain


def asks_yes_no(question: str) -> bool:
    """Return whether a question asks for yes or no."""
    if _YES_NO.search(question):
        return True
    asked = question.strip()
    if _ASKS.match(asked) or _COUNTS.search(asked):
        return False
    return _OPENS_YES_NO.search(asked) is not None
