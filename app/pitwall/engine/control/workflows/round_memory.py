"""A rolling memory of rounds, as a workflow asks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pitwall.core.prompts import Message, Prompt


@dataclass(frozen=True, slots=True)
class EarlierRounds:
    """The rounds before a call: messages in order, and a picture for each message that has one."""

    messages: tuple[Message, ...] = ()
    pictures: tuple[bytes, ...] = ()


class RoundMemory(Protocol):
    """A rolling memory of the newest rounds."""

    def recent(self, *, sees: bool) -> EarlierRounds:
        """Return the earlier rounds for a prompt. `sees`: with their pictures."""
        ...


def pictures_in(prompt: Prompt, earlier: EarlierRounds | None) -> tuple[bytes, ...]:
    """Return the pictures of the rounds that fitted into the prompt, oldest first."""
    if earlier is None:
        return ()
    count = sum(message.image for message in prompt.messages[:-1])
    return earlier.pictures[len(earlier.pictures) - count :]
