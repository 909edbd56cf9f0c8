"""The likeness of texts (ANLS' normalised Levenshtein similarity, Biten et al. 2019) and of lists."""

from __future__ import annotations

from pitwall_exam.questions.normalisation import as_integer, parts

THRESHOLD = 0.5
"""A likeness up to this counts as none."""


def likeness(truth: str, given: str) -> float:
    """Compute 1 − edit distance / the longer text's length; 0 if that is at most 0.5."""
    longer, shorter = max(len(truth), len(given)), min(len(truth), len(given))
    if truth == given:
        return 1.0
    if shorter <= THRESHOLD * longer:  # so many letters are missing that no distance could be small enough
        return 0.0
    like = 1.0 - distance(truth, given) / longer
    return like if like > THRESHOLD else 0.0


def distance(first: str, other: str) -> int:
    """Compute Levenshtein's edit distance: insertions, deletions and replacements of single letters."""
    row = list(range(len(other) + 1))
    for line, letter in enumerate(first, start=1):
        corner, row[0] = row[0], line
        for at, against in enumerate(other, start=1):
            corner, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, corner + (letter != against))
    return row[-1]


def list_likeness(truth: str, given: str) -> float:
    """Compare the items of two lists in any order: the best pairs' likeness by the longer list's length;
    0 if that is at most 0.5. Whole numbers are equal or unlike.
    """
    wanted, named = parts(truth), parts(given)
    longer, shorter = max(len(wanted), len(named)), min(len(wanted), len(named))
    if not longer or shorter <= THRESHOLD * longer:
        return 0.0
    left, sure = list(named), 0.0
    for part in list(wanted):
        if part in left:
            left.remove(part)
            wanted.remove(part)
            sure += 1.0
    like = (sure + _paired(wanted, left)) / longer
    return like if like > THRESHOLD else 0.0


def _paired(wanted: list[str], named: list[str]) -> float:
    pairs = sorted(
        (
            (_part(part, other), mine, theirs)
            for mine, part in enumerate(wanted)
            for theirs, other in enumerate(named)
        ),
        reverse=True,
    )
    mine_taken, theirs_taken, total = set[int](), set[int](), 0.0
    for like, mine, theirs in pairs:
        if like and mine not in mine_taken and theirs not in theirs_taken:
            mine_taken.add(mine)
            theirs_taken.add(theirs)
            total += like
    return total


def _part(truth: str, given: str) -> float:
    wanted, named = as_integer(truth), as_integer(given)
    if wanted is not None or named is not None:
        return float(wanted == named)
    return likeness(truth, given)
