"""Judges whether a text is language: damaged weights load and answer too, in words of none."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_COMMONEST = """
the a an and or but of to in on at by for from with as into is are was be been it its they their them
this that these those he she his her you your we our i my not no can will would do does all when what
which who there then so some up out about
"""
_COMMON = frozenset(_COMMONEST.split())
_LEAST_WORDS, _LEAST_COMMON, _LEAST_DIFFERENT, _LEAST_LETTERS = 8, 0.2, 3, 0.6
_MOST_REPEATED = 0.5
_LONGEST_PHRASE = 4


def is_language(text: str) -> bool:
    """Judge whether a reply is English: it contains words, and common ones among them.

    Of at least 8 words a fifth are among the commonest of English, 3 different ones at least; and of all that
    is no blank 60 % are letters of words.
    """
    words = _WORD.findall(text.lower())
    common = [word for word in words if word in _COMMON]
    return (
        len(words) >= _LEAST_WORDS
        and len(common) >= _LEAST_COMMON * len(words)
        and len(set(common)) >= _LEAST_DIFFERENT
        and sum(map(len, words)) >= _LEAST_LETTERS * len("".join(text.split()))
    )


def repeats_itself(text: str) -> bool:
    """Return whether a text is mostly a single word or short phrase over and over."""
    words = text.casefold().split()
    if len(words) < 2:
        return False
    if len(words) < _LEAST_WORDS:
        return len(set(words)) == 1
    return any(
        Counter(zip(*(words[at:] for at in range(size)), strict=False)).most_common(1)[0][1] * size
        > _MOST_REPEATED * len(words)
        for size in range(1, _LONGEST_PHRASE + 1)
    )
