"""Asks the evolution tier's model in its own host, with prompts that fit and replies bound by a grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pitwall.core.calls import Purpose
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Prompt
from pitwall.core.settings import Settings
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed, Priority, Tokenise, Tokenised
from pitwall.models.registry import ModelRegistry
from pitwall.models.spec import ModelSpec
from pitwall_lab.improvement.changes import NoProposal

_TEMPLATE_TOKENS = 64
_CHARACTERS_A_TOKEN = 3.0
_PICTURE_TOKENS = 1_024
"""Room that is left for a picture."""
_DEADLINE_MS = 600_000
_WARM = 0.7
"""Temperature of further tries: the first try takes the likeliest reply, which would only come again."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply and its prompt."""

    reply: str
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class EvolutionModel:
    """The evolution tier's model, ready to answer."""

    client: HostClient
    spec: ModelSpec
    settings: Settings

    @property
    def sees(self) -> bool:
        """Tell whether it may be shown pictures."""
        return self.spec.sees and self.settings.models.look != "never"

    def ask(
        self,
        purpose: Purpose,
        shape: Shape,
        written: Callable[[int], Prompt],
        lengths: Sequence[int],
        *,
        seed: int,
        again: int,
        picture: bytes = b"",
    ) -> ModelReply:
        """Ask for one reply.

        Args:
            written: writes the prompt with at most so much optional text. lengths: amounts to try, largest
                first; the first prompt that fits is sent.
            seed: added to the settings' seed. again: how many replies were refused before.
            picture: JPEG, for a model that sees; a message of the prompt says where it stands.

        Raises:
            NoProposal: no prompt fits into the model's context.
            RequestFailed, ChildDied: the host could not answer.
        """
        reply_tokens = min(self.settings.models.planning_tokens, self.spec.context // 2)
        room = self.spec.context - reply_tokens - (_PICTURE_TOKENS if picture else 0)
        prompt = self._fitting(written, lengths, room)
        answer = self.client.answer(
            Complete(
                request_id=self.client.number(),
                model=self.spec,
                messages=prompt.messages,
                slot=purpose.tier.value,
                grammar=shape.grammar,
                schema=shape.schema,
                max_tokens=reply_tokens,
                temperature=_WARM if again else 0.0,
                seed=self.settings.models.seed + seed + again,
                deadline_ms=_DEADLINE_MS,
                priority=Priority.ANALYSIS,
                stream=False,
            ),
            picture,
            kind=Completed,
        )
        return ModelReply(answer.text, prompt)

    def _fitting(self, written: Callable[[int], Prompt], lengths: Sequence[int], room: int) -> Prompt:
        tokens = 0
        for most in lengths:
            prompt = written(most)
            tokens = self._tokens(prompt) + _TEMPLATE_TOKENS
            if tokens <= room:
                return prompt
        raise NoProposal(
            f"the prompt has {tokens:,} tokens, but {self.spec.name} has room for {room:,} beside its reply.",
            "Give it a longer context: "
            f"pitwall models set {self.spec.name} --context {2 * self.spec.context}",
        )

    def _tokens(self, prompt: Prompt) -> int:
        texts = tuple(span.text for span in prompt.spans)
        if self.spec.kind == "remote":
            return round(sum(map(len, texts)) / _CHARACTERS_A_TOKEN)
        asked = Tokenise(request_id=self.client.number(), model=self.spec, texts=texts)
        return sum(self.client.answer(asked, kind=Tokenised).counts)


@contextmanager
def evolution_model(data: DataFolder, settings: Settings, *, otherwise: str) -> Iterator[EvolutionModel]:
    """Open the evolution tier's model in a host process that ends with the block.

    Args:
        otherwise: advice for an operator who has chosen no model.

    Raises:
        NoProposal: no model is chosen for the tier. UnknownModel: the registry has none of that name.
    """
    name = settings.models.evolution
    if not name:
        raise NoProposal(
            "no model is chosen for the evolution tier.", f"Choose one (models.evolution), or {otherwise}."
        )
    spec = ModelRegistry(data).get(name).spec
    with HostClient(data.logs, data=data.root) as client:
        yield EvolutionModel(client, spec, settings)
