"""Asks a model of the registry through a host of its own: grammar, deadline, token counts, cancellation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Self

from pitwall.core.errors import RequestFailed
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.prompts import Layer, Message, Span
from pitwall.models.entry import ModelEntry
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed, Priority, Tokenise, Tokenised
from pitwall_exam.answering.answerer import ShouldStop, Tokens

_LOADING_S = 300.0
"""Seconds beyond its own deadline that a call waits for a model that is still loading."""
_CHARACTERS_A_TOKEN = 3
_SLOT = "exam"
CUT = "Cut"
"""Error name of a reply that was cut off because the context was full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model.

    Attributes:
        system, user: the two messages. pictures: PNG or JPEG, each with a line of text, sent before the user
            message.
        shape: grammar of the reply.
    """

    system: str
    user: str
    shape: Shape
    max_tokens: int
    pictures: tuple[tuple[str, bytes], ...] = ()


class ModelCaller:
    """Asks one model; its host starts with the first call.

    Args:
        deadline_s: seconds for one call, without loading.
        seed: seed for sampling tokens in calls with a temperature above 0.
    """

    def __init__(self, data: DataFolder, entry: ModelEntry, *, deadline_s: float, seed: int = 0) -> None:
        self._data = data
        self._entry = entry
        self._deadline_s = deadline_s
        self._seed = seed
        self._client: HostClient | None = None
        self.tokens = Tokens()

    @property
    def name(self) -> str:
        """Return the model's name in the registry."""
        return self._entry.name

    @property
    def identity(self) -> str:
        """Return the hash of the file or endpoint behind the name."""
        return self._entry.identity

    @property
    def sees(self) -> bool:
        """Return whether the model takes pictures."""
        return self._entry.sees

    @property
    def context(self) -> int:
        """Return the length of the model's context, in tokens."""
        return self._entry.context

    def token_counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Count the tokens of each text; for an endpoint they are estimated, at 3 characters a token."""
        if self._entry.kind == "gguf":
            client = self._host()
            request = Tokenise(
                request_id=client.number(),
                model=self._entry.spec,
                texts=tuple(texts),
                priority=Priority.ANALYSIS,
            )
            return client.answer(request, kind=Tokenised, timeout_s=_LOADING_S).counts
        return [-(-len(text) // _CHARACTERS_A_TOKEN) for text in texts]

    def ask(
        self, asked: ModelCall, stopped: ShouldStop, *, seed: int | None = None, temperature: float = 0.0
    ) -> str | None:
        """Return the reply; None if stopped.

        Args:
            temperature: 0 always takes the likeliest token, whatever the seed.

        Raises:
            RequestFailed: the model could not answer, or not in time; `error` names the host's error.
            ChildDied: the host died.
        """
        client = self._host()
        request = Complete(
            request_id=client.number(),
            model=self._entry.spec,
            messages=_messages(asked),
            pictures=tuple(len(picture) for _, picture in asked.pictures),
            slot=_SLOT,
            grammar=asked.shape.grammar,
            schema=asked.shape.schema,
            max_tokens=asked.max_tokens,
            temperature=temperature,
            seed=self._seed if seed is None else seed,
            deadline_ms=int(self._deadline_s * 1000),
            priority=Priority.ANALYSIS,
        )
        blob = b"".join(picture for _, picture in asked.pictures)
        limit_s = self._deadline_s + _LOADING_S
        with closing(client.ask(request, blob, timeout_s=limit_s)) as replies:  # type: ignore[type-var]
            for reply in replies:
                if stopped():
                    return None
                if isinstance(reply, Completed):
                    return self._taken(reply)
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _host(self) -> HostClient:
        self._client = self._client or HostClient(self._data.logs, data=self._data.root)
        return self._client

    def _taken(self, reply: Completed) -> str:
        self.tokens.prompt += reply.prompt_tokens
        self.tokens.output += reply.output_tokens
        if reply.finish == "deadline":
            raise RequestFailed(
                f"{self.name} did not finish within {self._deadline_s:.0f} s.",
                "Allow more by --deadline, or fewer questions at once by --batch.",
                error="Deadline",
            )
        if reply.finish == "length":
            raise RequestFailed(
                f"{self.name}'s reply was cut off: its context left no room for it.",
                "Give the model a longer context: pitwall models set --context",
                error=CUT,
            )
        return reply.text


def _messages(asked: ModelCall) -> tuple[Message, ...]:
    pictures: Sequence[Message] = [
        Message(role="user", spans=(Span(layer=Layer.STATE, text=f"{line}\n"),), image=True)
        for line, _ in asked.pictures
    ]
    return (
        Message(role="system", spans=(Span(layer=Layer.PROTOCOL, text=asked.system),)),
        *pictures,
        Message(role="user", spans=(Span(layer=Layer.STATE, text=asked.user),)),
    )


@lru_cache(maxsize=1)
def prompts() -> Mapping[str, str]:
    """Read every prompt by its name, with {placeholders}."""
    text = (resources_dir() / "exam" / "prompts.toml").read_text(encoding="utf-8")
    return {name: str(words).lstrip("\n") for name, words in tomllib.loads(text).items()}
