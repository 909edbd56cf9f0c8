"""Questions in free words: `resources/exam/rewordings.toml` words them as people would ask them.

No answerer may read that file: it tests whether answerers understand free wordings.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pitwall.core.errors import ExamError
from pitwall.core.paths import resources_dir
from pitwall_exam.questions.forms import read_horizon
from pitwall_exam.questions.making import paraphrased
from pitwall_exam.questions.paper import Exam, Question

PARAPHRASED_BY = "rewordings"
_HORIZONS = "horizons"
_SLOT = re.compile(r"\{([a-z_]+)(?::(clause|plain))?\}")
_CLAUSE = "the step when "
_ONE = re.compile(r"(?<![\d.,])1 (step|move|time|turn)s\b")

Wordings = Mapping[str, Mapping[str, Sequence[str]]]
"""Inventory → template → wordings with {slots}; and "horizons" → wordings of a horizon.

{slot:plain} is written without underscores; {event:clause} without "the step when ".
"""


def rewordings(file: Path | None = None) -> Wordings:
    """Read the free wordings of every inventory.

    Raises:
        ExamError: the file is missing or damaged.
    """
    return _read(file or resources_dir() / "exam" / "rewordings.toml")


def reworded(exam: Exam, wordings: Wordings | None = None) -> Exam:
    """Return the exam in free words; a question without a free wording keeps its own.

    Which wording is drawn depends only on the exam's seed and the question.

    Raises:
        ExamError: the exam uses the rule set compat, whose templates have no free wordings.
    """
    if exam.rule_set == "compat":
        raise ExamError(
            "The rule set compat asks in the published words, of which there are no freer ones.",
            "Use --rules paper, or have a model word it: --paraphrase MODEL.",
        )
    known = rewordings() if wordings is None else wordings
    horizons = known.get(_HORIZONS, {}).get("prefix", ())
    offered = {
        name: wording
        for inventory in exam.inventory.split("+")
        for name, wording in known.get(inventory, {}).items()
    }
    texts = {
        question.id: _sentence_of(question, offered[question.template], horizons, exam.seed)
        for question in exam.questions
        if offered.get(question.template)
    }
    return paraphrased(exam, texts, by=PARAPHRASED_BY)


def _sentence_of(question: Question, offered: Sequence[str], horizons: Sequence[str], seed: int) -> str:
    chance = random.Random(f"{seed}/{question.id}/{question.text}")
    words = _filled(chance.choice(offered), question.slots)
    _, horizon = read_horizon(question.text)
    if not horizon or not horizons:
        return words
    return _filled(chance.choice(horizons), {"horizon": horizon, "question": words[:1].lower() + words[1:]})


def _filled(words: str, slots: Mapping[str, str | int]) -> str:
    return _ONE.sub(r"1 \1", _SLOT.sub(lambda slot: _put(slots, *slot.groups()), words))


def _put(slots: Mapping[str, str | int], name: str, manner: str | None) -> str:
    text = str(slots[name])
    if manner == "clause":
        return text.removeprefix(_CLAUSE)
    return text.replace("_", " ") if manner == "plain" else text


@lru_cache(maxsize=4)
def _read(file: Path) -> Wordings:
    try:
        read: Wordings = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExamError(f"{file} cannot be read ({error.strerror}).", "Install Pitwall again.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExamError(f"{file} is damaged: {error}.", "Install Pitwall again.") from None
    return read
