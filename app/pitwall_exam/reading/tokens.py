"""Splits texts into tokens: stems shared by inflected words, numbers in words, concepts of related words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r"[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)?|[0-9]+(?:\.[0-9]+)?")
_OWNER = re.compile(r"(?<=[a-z])'s\b")
_CURLY = str.maketrans("‘’‚‛“”„–—−", "''''\"\"\"---")
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
NUMBER_WORDS = {word: number for number, word in enumerate(_NUMBERS)} | {"single": 1}

_IRREGULAR = {
    base: forms.split()
    for base, forms in {
        "be": "am is are was were been being",
        "have": "has had having",
        "do": "does did done doing",
        "go": "goes went gone",
        "get": "got gotten getting gets",
        "take": "took taken",
        "stand": "stood",
        "see": "saw seen",
        "eat": "ate eaten",
        "drink": "drank drunk",
        "sleep": "slept asleep",
        "make": "made",
        "build": "built",
        "find": "found",
        "hold": "held",
        "come": "came",
        "begin": "began begun",
        "run": "ran",
        "say": "said",
        "think": "thought thoughts",
        "keep": "kept",
        "lose": "lost losing",
        "read": "reading readings",
        "choose": "chose chosen choice choices",
        "give": "gave given",
        "hit": "hits hitting",
        "wake": "woke woken",
        "fall": "fell fallen",
        "dead": "died die dies dying death deaths",
        "speak": "spoke spoken",
        "lie": "lay lain lying",
        "far": "farther further",
        "farthest": "furthest",
        "leave": "leaving leaves",
        "near": "nearer",
        "nearest": "closest",
    }.items()
}
_BASE = {form: base for base, forms in _IRREGULAR.items() for form in forms}

_CONCEPTS = {
    "obtain": "obtain get gain acquire collect gather receive pick take grab harvest",
    "own": "have carry hold possess own inventory stock bag pocket",
    "action": "action act move command input press deed execute perform do issue choose",
    "reason": "reason reasoning rationale thought think why justification explanation argue thinking motive",
    "mention": "mention contain include bring refer talk word cite name say speak feature appear keyword",
    "stand": "stand underfoot under beneath feet foot ground tile on step",
    "place": "location place room area spot where position whereabouts scene",
    "often": "often frequent frequently common commonest usual most popular mostly",
    "streak": "run streak row consecutive straight successive consecutively unbroken uninterrupted back",
    "peak": "peak maximum max most highest largest greatest top biggest",
    "change": "change difference net delta shift gain loss",
    "visible": "see view visible sight frame screen spot appear show notice display look",
    "adjacent": "adjacent beside next neighbour neighbouring neighbor neighboring border touch alongside",
    "distinct": "distinct different unique separate individual various",
    "displacement": "displacement displaced moved shift net overall offset end relative",
    "walk": "walk move go head travel step stride march",
    "route": "route path way navigate reach get directions steer guide arrive",
    "near": "near nearest close nearby",
    "far": "far farthest distant away",
    "before": "before prior earlier precede ahead preceding previous sooner",
    "after": "after later following follow subsequent next afterwards since past then once",
    "attack": "attack hit hurt damage strike wound injure assault harm",
    "dead": "dead kill end perish",
    "cause": "cause why reason kill due",
    "enough": "enough sufficient suffice afford able can could resources materials required",
    "craft": "craft build make construct produce create forge",
    "list": "list items contents everything all inventory",
    "enter": "enter arrive reach begin start come",
    "leave": "leave exit depart quit",
    "stay": "stay remain dwell spend linger duration long",
    "score": "score reward points return cumulative total",
    "observe": "observation observe text output response print description message game say tell read",
    "valid": "valid legal allowed possible permitted available accept work",
    "reach": "reach reachable accessible get arrive",
    "value": "value level reading amount stat points number figure",
    "repeat": "again second repeat next another",
    "ask": "planner escalate escalation ask strategic consult call",
    "route_taken": "controller route reactive strategic reflex decide",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a number of a text.

    Attributes:
        stem: the form that is compared. raw: in lower case. start, end: position in characters.
        number: its value if it is a whole number, in digits or words; None: it is none.
        written: the number is in digits.
    """

    stem: str
    raw: str
    start: int
    end: int
    number: int | None = None
    written: bool = False


def plain(text: str) -> str:
    """Return the lower-case a text, with straight quotes and dashes; positions stay the same."""
    lower = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    return lower.translate(_CURLY)


def tokens(text: str) -> list[Token]:
    """Return the words and numbers of a text, in order; underscores separate words."""
    low = _OWNER.sub("  ", plain(text))
    return [_token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(_ascii(low))]


def stems(text: str) -> tuple[str, ...]:
    """Return the stems of a text, in order."""
    return tuple(token.stem for token in tokens(text))


def concepts(word: str) -> tuple[str, ...]:
    """Return the concepts that a stem belongs to, as marked words."""
    return _concepts_by_stem().get(word, ())


def all_concept_stems() -> frozenset[str]:
    """Return every stem that belongs to a concept: the everyday words of questions."""
    return frozenset(_concepts_by_stem())


@lru_cache(maxsize=1)
def _concepts_by_stem() -> dict[str, tuple[str, ...]]:
    concepts_by_stem: dict[str, tuple[str, ...]] = {}
    for concept, members in _CONCEPTS.items():
        for member in sorted(set(members.split())):
            known = concepts_by_stem.get(stem(member), ())
            if f"~{concept}" not in known:
                concepts_by_stem[stem(member)] = (*known, f"~{concept}")
    return concepts_by_stem


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a word's stem, which regular and common irregular inflections share."""
    if word in _BASE:
        return stem(_BASE[word])
    if word in _IRREGULAR or len(word) <= 3:
        return word
    return _without_e(_singular_or_bare(word))


def _singular_or_bare(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    if word.endswith("ing") and len(word) > 5:
        return _undoubled(word[:-3])
    if word.endswith("ied"):
        return word[:-3] + "y"
    if word.endswith("ed") and not word.endswith("eed") and len(word) > 4:
        return _undoubled(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("e") and not word.endswith("ee") else word


def _token(raw: str, start: int, end: int) -> Token:
    if raw[0].isdecimal():
        return Token(raw, raw, start, end, int(raw[:9]) if raw.isdecimal() else None, raw.isdecimal())
    number = NUMBER_WORDS.get(raw)
    return Token(stem(raw), raw, start, end, number)


def _ascii(low: str) -> str:
    """Strip accents from letters, one for one."""
    if low.isascii():
        return low
    return "".join(unicodedata.normalize("NFKD", letter)[:1] or " " for letter in low)
