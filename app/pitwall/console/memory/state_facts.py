"""A remembered state as facts with names and values, those first that tell it from others. No Qt."""

from __future__ import annotations

from collections.abc import Mapping

_LEVELS = frozenset({"empty", "low", "half", "high", "full", "part"})
COMMON = 0.85
"""A word that this share of the states has tells nothing apart."""


def fact(word: str) -> str:
    """Return a word of a state summary (`state_summary`) as a fact: "health = low", "door open"."""
    name, _, value = word.rpartition("_")
    if not name or not (value.isdecimal() or value in _LEVELS):
        return word.replace("_", " ")
    if name.endswith("_minus"):
        name, value = name.removesuffix("_minus"), f"−{value}"
    return f"{name.replace('_', ' ')} = {value}"


def telling_facts(text: str, seen: Mapping[str, int], states: int) -> list[str]:
    """Facts of a state, the rarest first, without those of nearly all states; none where it is prose.

    Args:
        seen: in how many of the states each word stands. states: how many they are.
    """
    words = list(dict.fromkeys(text.split()))
    if not any("_" in word for word in words):
        return []
    own = [word for word in words if seen.get(word, 0) <= COMMON * states] or words
    return [fact(word) for word in sorted(own, key=lambda word: seen.get(word, 0))]
