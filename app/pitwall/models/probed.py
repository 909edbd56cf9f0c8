"""The abilities that a probe found in a model, and their consequences for its calls."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pitwall.core import quantities

Favours = Literal["", "first", "last"]


class PromptForm(StrEnum):
    """Names how a prompt's messages become one text; an endpoint knows only the first three."""

    AUTO = "auto"
    """By the model's own template, or with plain headings if it has none."""
    TEMPLATE = "template"
    FOLDED = "folded"
    """Its template, with the system's text in the user's turn: a system turn spoils some models."""
    CHATML = "chatml"
    """ChatML, for a file whose template is missing or wrong."""
    CHATML_FOLDED = "chatml_folded"
    PLAIN = "plain"
    """Headings: Instructions, User, Assistant."""
    RAW = "raw"
    """The texts alone."""


FORM_WORDS = {
    PromptForm.AUTO: "its own template, or plain headings",
    PromptForm.TEMPLATE: "its own template with a system turn",
    PromptForm.FOLDED: "its own template without a system turn",
    PromptForm.CHATML: "ChatML with a system turn",
    PromptForm.CHATML_FOLDED: "ChatML without a system turn",
    PromptForm.PLAIN: "plain headings",
    PromptForm.RAW: "the texts alone",
}
PROBING = "probing"
"""The stage that a command reports while it probes."""
CHOOSES_WELL = 0.5
"""Least share of right choices among three options, of which chance gets a third (choice)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """Holds the findings of one probe (`models/probe.py`).

    Attributes:
        language: whether its answers are language.
        instruction: share of short instructions that it followed, 0 … 1; json: of JSON objects that it wrote
            without a grammar; choice: of choices among three that were right, at whatever place.
        favours: the place that it chose most, whatever option was there; empty for none.
        form: the form of its prompts from now on: the one in which it answered best.
        right_by_form: share of the same questions that it answered right in each form that was tried.
        only: the only task it was made for; empty for a general model.
        at: ISO 8601, UTC.
    """

    language: bool
    instruction: float = 0.0
    json: float = 0.0
    choice: float = 0.0
    favours: Favours = ""
    form: PromptForm = PromptForm.AUTO
    right_by_form: dict[PromptForm, float] | None = None
    only: str = ""
    at: str = ""

    @property
    def follows(self) -> bool:
        """Return whether it mostly follows instructions."""
        return self.instruction > 0.5

    @property
    def writes_json(self) -> bool:
        """Return whether it writes a JSON object on request."""
        return self.json > 0.5

    @property
    def no_text(self) -> str:
        """Return why it is not asked for free text; empty if it may be."""
        if self.only:
            return f"it was made for {self.only} alone"
        if not self.language:
            return "its probe found that its answers are not language"
        if not self.follows:
            return (
                f"its probe found that it followed {quantities.share(self.instruction)} of short instructions"
            )
        return ""

    def __hash__(self) -> int:
        """Hash the plain fields; a table of forms cannot be hashed."""
        return hash((self.language, self.instruction, self.json, self.choice, self.form, self.at))


def card_lines(probed: Probed, *, remote: bool = False) -> list[tuple[str, str]]:
    """Write the card: the questions and their results; `remote`: of a model behind an endpoint."""
    suspect = "the model served there" if remote else "its file"
    place = f"; likes the {probed.favours} place" if probed.favours else ""
    tried = probed.right_by_form or {}
    shares = ", ".join(f"{FORM_WORDS[form]} {quantities.share(share)}" for form, share in tried.items())
    return [
        ("Language", "yes" if probed.language else f"no: {suspect} may be damaged, or speaks no English"),
        ("Follows instructions", f"{quantities.share(probed.instruction)} of short ones"),
        ("Writes JSON", f"{quantities.share(probed.json)} of tries"),
        ("Chooses", f"{quantities.share(probed.choice)} right among three{place}"),
        ("Prompts", FORM_WORDS[probed.form]),
        *([("Forms tried", f"{shares} right")] if len(tried) > 1 else []),
        ("Free text", "is not asked for" if probed.no_text else "is asked for"),
    ]
