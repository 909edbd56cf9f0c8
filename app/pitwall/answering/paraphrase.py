"""Questions in a model's words, as the source has them (Table 6): checked, and refused where they stray.

A paraphrase keeps every number, as often as it stood, everything in quotes, the game's own terms, and what it
wants as an answer; it is one sentence and not the same one. What cannot be checked without understanding is
whether it still asks the same: the exam keeps the template's own words beside it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pitwall.answering.answerer import ShouldStop
from pitwall.answering.model_calls import ModelCall, ModelCaller
from pitwall.answering.prompts import prompts
from pitwall.core.errors import PitwallError
from pitwall.exam.reading.bare_question import asks_yes_no
from pitwall.exam.reading.tokens import NUMBER_WORDS, stems
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.grammars.gbnf import an_object, free_text
from pitwall.models.replies.reply_object import BadReply, read_object

LONGEST = 400
TRIES = 3
_TOKENS = 200
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_QUOTED = re.compile(r"(?<!\w)['\"](.+?)['\"](?!\w)")
_MORE = re.compile(r"[.!?]\s+\S")
_SHAPE = Shape(
    f"root ::= {an_object([('text', free_text(1, LONGEST))])}\n",
    '{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":400}},'
    '"required":["text"],"additionalProperties":false}',
)


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A question in other words; empty text: it keeps its own, and why."""

    text: str = ""
    problem: str = ""


class Paraphraser:
    """Asks a model for other words, a few times with other seeds where what it gives does not pass.

    Args:
        tries: for one question.
    """

    def __init__(self, asker: ModelCaller, *, tries: int = TRIES) -> None:
        self._asker = asker
        self._tries = max(1, tries)

    def paraphrase(self, text: str, terms: Iterable[str], stopped: ShouldStop) -> Paraphrase | None:
        """A question in other words; None where one was told to stop.

        Args:
            terms: that must stand in it as they are: what the template's slots hold.
        """
        kept = tuple(terms)
        problem = ""
        for seed in range(self._tries):
            try:
                reply = self._asker.ask(_asked(text), stopped, seed=seed)
                if reply is None:
                    return None
                said = read_object(reply, invalid=None).text("text", most=LONGEST, needed=True)
            except BadReply as error:
                problem = error.what
                continue
            except PitwallError as error:
                return Paraphrase(problem=error.what)
            problem = fault_of(said, text, kept)
            if not problem:
                return Paraphrase(said)
        return Paraphrase(problem=problem)

    def all(
        self, questions: Mapping[str, tuple[str, tuple[str, ...]]], stopped: ShouldStop
    ) -> dict[str, Paraphrase]:
        """Paraphrase many questions, by id → text and terms. Ends early if it is told to stop."""
        found: dict[str, Paraphrase] = {}
        for key, (text, terms) in questions.items():
            one = self.paraphrase(text, terms, stopped)
            if one is None:
                break
            found[key] = one
        return found


def fault_of(said: str, text: str, terms: Iterable[str] = ()) -> str:
    """Describe the fault of a paraphrase, as half a sentence; "" if it passes."""
    if stems(said) == stems(text):
        return "it is the same sentence"
    if not said.isascii():
        return "it is not plain English"
    if _MORE.search(said.strip()):
        return "it is more than one sentence"
    if _numbers(said) != _numbers(text):
        return "it has other numbers"
    spoken = said.casefold()
    for term in (*_QUOTED.findall(text), *terms):
        if not _stands(str(term).casefold(), spoken):
            return f"it lost {str(term)!r}"
    if asks_yes_no(text) != asks_yes_no(said):
        return "it wants another kind of answer"
    if not 0.3 <= len(said) / max(1, len(text)) <= 3.0:
        return "it is much shorter or longer"
    return ""


def _asked(text: str) -> ModelCall:
    words = prompts()
    user = words["paraphrase"].format(text=text)
    return ModelCall(system=words["paraphrase_system"], user=user, shape=_SHAPE, max_tokens=_TOKENS)


def _numbers(text: str) -> Counter[str]:
    return Counter(_NUMBERS.findall(text))


def _stands(term: str, text: str) -> bool:
    """Whether a term stands in a text by itself; a small number may be written as a word."""
    if re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text):
        return True
    return any(word in text.split() for word, number in NUMBER_WORDS.items() if str(number) == term)
