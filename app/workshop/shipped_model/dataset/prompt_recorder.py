"""Records the prompts that the controllers send to a model, and answers with the teacher's replies.

The engine's own planner and reactor compose every prompt; the recorder takes the place of `engine.calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pitwall.core.actions import Invalid
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.prompts import Prompt
from pitwall.engine.control.model_caller import CompletionReply, CompletionRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A prompt and the teacher's reply.

    Attributes:
        grammar: the grammar of every reply to it.
        about: its source, like "crafter" or "invented".
    """

    purpose: Purpose
    prompt: Prompt
    grammar: str
    reply: str
    about: str = ""


class PromptRecorder:
    """A `Caller` that answers at once.

    Args:
        count: counts the tokens of a text.
        about: noted in each lesson.

    Attributes:
        lessons: recorded since `take` was last called.
        says: the teacher's reply to the next request, set before a controller asks.
        rejected: replies that the controllers could not use, with the reason: errors of the teacher.
    """

    def __init__(self, count: Callable[[str], int], about: str = "") -> None:
        self._count = count
        self._about = about
        self._answers: dict[int, str] = {}
        self.lessons: list[Lesson] = []
        self.says: Callable[[CompletionRequest], str] = lambda _ask: ""
        self.rejected: list[str] = []
        self._last = 0

    def available(self, purpose: Purpose) -> bool:  # noqa: ARG002
        """See `Caller.available`."""
        return True

    def sees(self, purpose: Purpose) -> bool:  # noqa: ARG002
        """See `Caller.sees`."""
        return False

    def picture_size(self, *, before: bool = False) -> tuple[int, int]:  # noqa: ARG002
        return 0, 0

    def picture_tokens(self, purpose: Purpose) -> int:  # noqa: ARG002
        return 0

    def chooses(self, purpose: Purpose) -> bool:  # noqa: ARG002
        """See `Caller.chooses`; lessons teach to write."""
        return False

    def prompt_budget(self, purpose: Purpose) -> int:  # noqa: ARG002
        """See `Caller.prompt_budget`; lessons are whole."""
        return 0

    def no_text(self, purpose: Purpose) -> str:  # noqa: ARG002
        """See `Caller.no_text`."""
        return ""

    def ask(self, ask: CompletionRequest) -> int:
        """See `Caller.ask`."""
        self._last += 1
        reply = self.says(ask)
        self._answers[self._last] = reply
        self.lessons.append(
            Lesson(
                purpose=ask.purpose, prompt=ask.prompt, grammar=ask.grammar, reply=reply, about=self._about
            )
        )
        return self._last

    def answer(self, call: int) -> CompletionReply | None:
        """See `Caller.answer`."""
        text = self._answers.pop(call, None)
        return None if text is None else CompletionReply(call=call, text=text, finish="stop")

    def settle(
        self,
        call: int,
        outcome: CallOutcome,
        *,
        problem: str = "",
        invalid: Invalid | None = None,  # noqa: ARG002
        proposed: int = 0,  # noqa: ARG002
        illegal: int = 0,
        step: int = 0,  # noqa: ARG002
    ) -> None:
        """See `Caller.settle`."""
        if outcome is CallOutcome.INVALID or illegal:
            self.rejected.append(f"call {call}: {problem or 'an illegal action'}")

    def cancel(self, call: int) -> None:
        """See `Caller.cancel`."""
        self._answers.pop(call, None)

    def count(self, purpose: Purpose, text: str) -> int:  # noqa: ARG002
        """See `Caller.count`."""
        return self._count(text)

    def room(self, purpose: Purpose) -> int:  # noqa: ARG002
        """See `Caller.room`."""
        return 0

    def counted(self, purpose: Purpose, texts: Iterable[str]) -> bool:  # noqa: ARG002
        """See `Caller.counted`."""
        return True

    def take(self) -> list[Lesson]:
        """Return the recorded lessons, and forget them."""
        lessons, self.lessons = self.lessons, []
        return lessons
