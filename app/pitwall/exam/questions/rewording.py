"""Questions in freer words: `resources/exam/rewordings.toml`, as people would ask what the templates ask.

Nobody who answers may read that file: it is what free wordings are tested with.
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
from pitwall.exam.questions.horizon import read_horizon
from pitwall.exam.questions.making import paraphrased
from pitwall.exam.questions.paper import Exam, Question

PARAPHRASED_BY = "rewordings"
_HORIZONS = "horizons"
_SLOT = re.compile(r"\{([a-z_]+)(?::(clause|plain))?\}")
_CLAUSE = "the step when "
_ONE = re.compile(r"(?<![\d.,])1 (step|move|time|turn)s\b")

Wordings = Mapping[str, Mapping[str, Sequence[str]]]
"""Inventory → template → wordings with {slots}; and "horizons" → how a horizon is said.

{slot:plain} is said without underscores; {event:clause} without "the step when ".
"""


def rewordings(file: Path | None = None) -> Wordings:
    """Every inventory's freer wordings.

    Raises:
        ExamError: the file is gone or damaged.
    """
    return _read(file or resources_dir() / "exam" / "rewordings.toml")


def reworded(exam: Exam, wordings: Wordings | None = None) -> Exam:
    """The exam in freer words; a question whose template has none keeps its own.

    Which wording is drawn follows from the exam's seed and the question alone.

    Raises:
        ExamError: the exam is of the rule set compat, whose templates are others.
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
