"""Changes of what a policy sees and may do: state variables, picture, actions, and how long one lasts."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwall.core.errors import IllegalAction, PitwallError, suggestion
from pitwall.core.validation import first_fault
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.modules import Learned, StateInput, VisionInput
from pitwall.games.schema.profile import Profile


class SpaceChange(BaseModel):
    """The changed parts of a policy's space; a part that is not given stays.

    Attributes:
        state: the fields that it sees, all of them. vision: the picture that it sees.
        actions: the actions that it chooses from, all of them; "" begins nothing new.
        history: how many of its own past actions it sees.
        decide_every_ms: how long a decision lasts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: tuple[StateInput, ...] | None = None
    vision: VisionInput | None = None
    actions: tuple[str, ...] | None = Field(None, min_length=2)
    history: int | None = Field(None, ge=0, le=64)
    decide_every_ms: float | None = Field(None, ge=0, le=10_000)

    def applied(self, learned: Learned) -> Learned:
        """Return the space with these changes.

        Raises:
            PitwallError: nothing would differ, or the policy would see nothing.
        """
        given: dict[str, Any] = self.model_dump(exclude_none=True)
        try:
            changed = Learned.model_validate({**learned.model_dump(), **given})
        except ValidationError as error:
            where, problem = first_fault(error)
            raise PitwallError(f"space: {where}: {problem}.") from None
        if changed == learned:
            raise PitwallError(
                "the changed space is the same as before.",
                f"Change one of {', '.join(SpaceChange.model_fields)}.",
            )
        return changed

    def check(self, profile: Profile) -> None:
        """Check that fields and actions are the game's.

        Raises:
            PitwallError: one is not; names it, and the nearest.
        """
        known = [field.name for field in profile.fields]
        for place, entry in enumerate(self.state or ()):
            for name in filter(None, (entry.field, entry.minus, *(entry.at or ()))):
                if name not in known:
                    hint = suggestion(name, known, f"Fields: {', '.join(known)}.")
                    raise PitwallError(f"space: state.{place}: the game has no field {name!r}.", hint)
        space = Vocabulary(profile)
        for place, action in enumerate(self.actions or ()):
            try:
                if action:
                    space.parse(action)
            except IllegalAction as error:
                raise PitwallError(f"space: actions.{place}: {error.what}", error.fix) from None
        if self.actions is not None and "" not in self.actions:
            raise PitwallError("space: actions: '' is missing.", "Add '': it begins nothing new.")
        if self.actions is not None and len(set(self.actions)) < len(self.actions):
            raise PitwallError("space: actions: an action stands twice.", "Name each action once.")
