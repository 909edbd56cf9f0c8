"""Guesses what a box stands for and says how sure that is; what is not sure is refused."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame
from pitwall.core.observations import Value
from pitwall.engine.drafting.field_guesses import FieldGuess
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser, expects_number, propose
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import Box, TextField

_LEAST_SURE = 0.5
_NUMBERS = ("number", "bar")
"""Kinds that count; a thing is read as its place, which no score is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldGuess:
    """A guess in words: kind, how sure (0 … 1), what it reads now, and all that as one line."""

    name: str
    kind: str
    sure: float
    value: Value
    words: str


def told_guess(
    frame: Frame, box: Box, draft: Draft, *, kind: str, name: str, recogniser: Recogniser | None
) -> tuple[FieldGuess, ToldGuess]:
    """The field that a box most likely stands for, and what is to be said of it.

    Raises:
        PitwallError: nobody said what the box is, and the picture does not say it surely; or as `propose`.
    """
    guess = propose(frame, box, draft.screen, kind=kind, name=name, recogniser=recogniser)
    field = guess.field
    was = "number" if isinstance(field, TextField) and field.number else field.kind
    sure = f"{100 * guess.sure:.0f} % sure"
    if not kind and (guess.sure < _LEAST_SURE or (expects_number(name) and was not in _NUMBERS)):
        likely = "number" if expects_number(name) else was
        raise PitwallError(
            f"field {name}: its box looks like a {was}, {sure}; that is not taken unsaid.",
            f"Say what it is: --field {name}={likely}:{','.join(map(str, box))}, or let it be found "
            "while it is played: --watch 60 --take 80.",
        )
    alone = draft.changed(fields=[field], pictures={**draft.pictures, **guess.pictures})
    value = DraftReader(alone, recogniser).read_now(frame)[field.name].value
    how = "as you said" if kind else sure
    words = f"{field.name}: {was} ({how}), reads {'nothing' if value is None else value}"
    return guess, ToldGuess(name=field.name, kind=was, sure=guess.sure, value=value, words=words)
