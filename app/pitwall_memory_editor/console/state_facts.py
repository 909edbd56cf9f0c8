"""Facts of a remembered state, with names and values, the most distinctive first. No Qt."""

from __future__ import annotations

from collections.abc import Mapping

_LEVELS = frozenset({"empty", "low", "half", "high", "full", "part"})
COMMON = 0.85
"""Share of states from which a word distinguishes nothing."""


def fact(word: str) -> str:
    """Return a word of a state summary (`state_summary`) as a fact: "health = low", "door open"."""
    name, _, value = word.rpartition("_")
    if not name or not (value.isdecimal() or value in _LEVELS):
        return word.replace("_", " ")
    if name.endswith("_minus"):
        name, value = name.removesuffix("_minus"), f"−{value}"
    return f"{name.replace('_', ' ')} = {value}"


def telling_facts(text: str, seen: Mapping[str, int], states: int) -> list[str]:
    """Return the facts of a state, the rarest first, without common ones; none for prose.

    Args:
        seen: number of states that contain each word. states: number of all states.
    """
    words = list(dict.fromkeys(text.split()))
    if not any("_" in word for word in words):
        return []
    own = [word for word in words if seen.get(word, 0) <= COMMON * states] or words
    return [fact(word) for word in sorted(own, key=lambda word: seen.get(word, 0))]
