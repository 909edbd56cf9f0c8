"""Finds keywords in reasons and observations: whole words, any case (SPEC §7, rule set paper)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]{4,24}")
_TOKEN = re.compile(r"\w+")
_PLAIN = frozenset(
    (
        *("about", "above", "after", "again", "also", "another", "because", "been", "before", "being"),
        *("below", "between", "both", "cannot", "could", "does", "doing", "done", "down", "each", "either"),
        *("else", "even", "every", "first", "from", "have", "having", "here", "however", "into", "itself"),
        *("just", "least", "less", "like", "made", "make", "makes", "many", "might", "more", "most"),
        *("much", "must", "near", "need", "needs", "next", "none", "nothing", "once", "only", "other"),
        *("over", "same", "seen", "should", "since", "some", "step", "still", "such", "than", "that"),
        *("their", "them", "then", "there", "these", "they", "thing", "this", "those", "through", "toward"),
        *("towards", "under", "until", "upon", "very", "want", "wants", "well", "were", "what", "when"),
        *("where", "whether", "which", "while", "will", "with", "within", "without", "would", "your"),
    )
)
"""Common words that tell nothing about an episode."""

UNLIKELY = (
    *("ambush", "anchor", "bridge", "candle", "castle", "compass", "dragon", "elevator", "escape", "feather"),
    *("ghost", "harvest", "ladder", "lantern", "magic", "mirror", "portal", "potion", "puzzle", "rescue"),
    *("riddle", "river", "rocket", "shield", "spider", "storm", "teleport", "tower", "treasure", "wizard"),
)
"""Words of games. An episode mentions few of them; the others make questions without an answer."""


def mentions(text: str, keyword: str) -> bool:
    """Return whether a text contains a keyword as whole words."""
    return _pattern(keyword.casefold()).search(text.casefold()) is not None


def unmistakable(words: Iterable[str], texts: Iterable[str]) -> list[str]:
    """List the words that stand alone in some texts, and in no other word of them.

    Whether "trees" mentions "tree" would be a matter of opinion.
    """
    tokens = dict.fromkeys(token for text in texts for token in _TOKEN.findall(text.casefold()))
    listed = f"\n{chr(10).join(tokens)}\n"
    return [word for word in words if word in tokens and listed.count(word) == 1]


def unlike(stock: Iterable[str], seen: Iterable[str]) -> list[str]:
    """List the names of a stock that are no part of a seen name, nor the other way round.

    A question about a "sword" has no right answer only where nobody carried an "elvish sword" either.
    """
    known = [name.casefold() for name in seen]
    return [
        name
        for name in stock
        if not any(name.casefold() in other or other in name.casefold() for other in known)
    ]


def vocabulary(texts: Iterable[str]) -> list[str]:
    """List the words worth asking about, in lower case, the most frequent first, then alphabetical."""
    counted = Counter(
        word for text in texts for word in set(_WORD.findall(text.casefold())) if word not in _PLAIN
    )
    return sorted(counted, key=lambda word: (-counted[word], word))


@lru_cache(maxsize=256)
def _pattern(keyword: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(keyword)}(?!\w)")
