"""A game that is being added: everything that the operator has entered so far, as one value.

A draft may be unfinished (no window yet, no actions); `folder.write_game` writes the game's folder of a
finished draft. Boxes are in pixels of `screen`, as in a profile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from pitwall.core.errors import PitwallError
from pitwall.core.geometry import WindowRef
from pitwall.core.keys import KeyMeaning
from pitwall.core.signals import Thresholds
from pitwall.games.checks.browser import CONTRACT
from pitwall.games.drafting.page_keys import meaning_on_page
from pitwall.games.drafting.play import Play, play_of
from pitwall.games.drafting.start_command import start_command
from pitwall.games.drafting.templates import Template
from pitwall.games.schema.actions import MouseLook
from pitwall.games.schema.fields import (
    DigitsField,
    Identifier,
    ReaderField,
    SpriteField,
    Table,
    TemplateField,
)
from pitwall.games.schema.passages import Passage
from pitwall.games.schema.profile import GameId, Screen, StatusRules, WindowMatch

_LONGEST_NAME = 60
_LONGEST_TITLE = 80
_FIRST_SCREEN = Screen(width=1280, height=720)
"""Screen size of a page or program whose window was never open."""


HOLD_MS = (10, 5_000)
"""Shortest and longest hold of an action."""


class DraftAction(Table):
    """A named action: keys pressed together, a click at a point, a look or turn by the mouse, or a wait.

    Attributes:
        look: units of the mouse right and down. turn: degrees. "any" makes them arguments of the action.
    """

    name: Identifier
    keys: list[str] = Field(default_factory=list)
    click: tuple[int, int] | None = None
    look: tuple[int, int] | Literal["any"] | None = None
    turn: float | Literal["any"] | None = None
    button: Literal["left", "middle", "right"] = "left"
    hold_ms: int = Field(60, ge=HOLD_MS[0], le=HOLD_MS[1])
    description: str = ""

    @property
    def words(self) -> str:
        """Describe the action: "ArrowLeft", "click 40, 60", "wait"."""
        if self.click is not None:
            return f"click {self.click[0]}, {self.click[1]}"
        if self.look is not None:
            return "look" if self.look == "any" else f"look {self.look[0]:+d}, {self.look[1]:+d}"
        if self.turn is not None:
            return "turn" if self.turn == "any" else f"turn {self.turn:+g}°"
        return "+".join(self.keys) or "wait"

    @property
    def presses(self) -> bool:
        """Return whether it presses keys or clicks."""
        return bool(self.keys) or self.click is not None

    @property
    def looks(self) -> bool:
        """Return whether it turns the view with the mouse."""
        return self.look is not None or self.turn is not None


class DraftTask(Table):
    """A task: a state-reader field (or a path of a page's own state) and its target."""

    id: Identifier
    score: str = Field(min_length=1)
    target: float
    start: float | Literal["first"] = 0.0
    instruction: str = ""
    steps: int = Field(100, ge=1, le=100_000)


class Draft(Table):
    """Everything known about a game that is being added.

    Attributes:
        window: how to find its window again. url: a web page in place of a program. command: starts the
            program when its window is not open.
        keys_mean: what the game reads of a key (see `Controls`).
        own_size: the page keeps its own size, and `screen` does not know it yet.
        init: JavaScript that starts the page's game. state: path of its true state → JavaScript expression.
        shortest_hold_ms: nothing is held for a shorter time: one and a half of the game's frames.
        pictures: file inside the game's folder → PNG, base64.
        mouse_look: how its view turns with the mouse; None: it does not, or nothing is known of it.
        passages: ways out of menus and end screens. name_entry: condition under which it asks for a name.
        pause: keys that pause the game, and continue it.
        why: threshold → the reason for its value, in a sentence.
        truth: "fields": scores are read from the picture, and shown as read; "file": the page's own state.
    """

    draft: Literal[1] = 1
    game_id: GameId
    name: str = Field(min_length=1, max_length=_LONGEST_TITLE)
    summary: str = ""
    window: WindowMatch = WindowMatch()
    url: str = ""
    own_size: bool = False
    keys_mean: KeyMeaning = "auto"
    init: str = ""
    state: dict[str, str] = Field(default_factory=dict)
    command: list[str] = Field(default_factory=list)
    screen: Screen
    mouse_look: MouseLook | None = None
    actions: list[DraftAction] = Field(default_factory=list)
    shortest_hold_ms: int = Field(20, ge=10, le=5_000)
    fields: list[ReaderField] = Field(default_factory=list)
    pictures: dict[str, str] = Field(default_factory=dict)
    status: StatusRules = StatusRules()
    passages: list[Passage] = Field(default_factory=list)
    name_entry: str = ""
    pause: list[str] = Field(default_factory=list)
    thresholds: Thresholds = Thresholds()
    why: dict[str, str] = Field(default_factory=dict)
    tasks: list[DraftTask] = Field(default_factory=list)
    templates: list[Template] = Field(default_factory=list)
    truth: Literal["fields", "file"] = "fields"

    def changed(self, **values: Any) -> Draft:
        """Return a validated copy with some values changed.

        Raises:
            pydantic.ValidationError: a value does not fit.
        """
        return Draft.model_validate({**dict(self), **values})

    def with_pause(self, keys: Sequence[str]) -> Draft:
        """Return a copy with these pause keys, and without actions that would press the same keys."""
        return self.changed(
            pause=list(keys), actions=[action for action in self.actions if action.keys != [*keys]]
        )

    def field(self, name: str) -> ReaderField | None:
        """Return the state-reader field of this name."""
        return next((field for field in self.fields if field.name == name), None)

    def tidy(self) -> Draft:
        """Return a copy without pictures that nothing refers to."""
        used = {field.template for field in self.fields if isinstance(field, TemplateField | SpriteField)}
        used |= {step.screen for passage in self.passages for step in passage.steps}
        digits = tuple(f"{field.templates}/" for field in self.fields if isinstance(field, DigitsField))
        kept = {
            name: text
            for name, text in self.pictures.items()
            if name in used or (digits and name.startswith(digits))
        }
        return self if kept == self.pictures else self.changed(pictures=kept)

    @property
    def play(self) -> Play:
        """Return the rules, skills, fields and actions that the templates make."""
        return play_of(self.templates, self.fields)

    @property
    def readings(self) -> list[ReaderField]:
        """Return the draft's own fields, and those that its templates need."""
        return [*self.fields, *self.play.fields]

    @property
    def missing(self) -> list[str]:
        """List the missing parts of a playable game, in the operator's words."""
        match = self.window
        known = bool(match.title or match.wm_class or self.url or self.command)
        wants = [(known, "a window or a page"), (bool(self.actions), "an action")]
        return [words for there, words in wants if not there]


# ---- names


def identifier(text: str, taken: Set[str] = frozenset(), otherwise: str = "thing") -> str:
    """Return a valid manifest name that is close to a text and not taken."""
    words = re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
    name = re.sub(r"^[0-9_]+", "", words)[: _LONGEST_NAME - 4].rstrip("_") or otherwise
    return next(
        candidate for candidate in (name, *(f"{name}_{n}" for n in range(2, 1000))) if candidate not in taken
    )


def game_id_of(name: str, taken: Set[str] = frozenset()) -> str:
    """Return an id for a game of this name."""
    plain = identifier(name, otherwise="game").replace("_", "-")
    return next(
        candidate
        for candidate in (plain, *(f"{plain}-{n}" for n in range(2, 1000)))
        if candidate not in taken
    )


def window_match(window: WindowRef) -> WindowMatch:
    """Build the pattern that finds a window again: its title with any numbers, or its class.

    The title is preferred because programs of one toolkit often share a class.
    """
    if not window.title.strip():
        return WindowMatch(wm_class=f"^{_escaped(window.wm_class)}$" if window.wm_class else "")
    return WindowMatch(title=f"^{re.sub('[0-9]+', lambda _: '[0-9]+', _escaped(window.title))}$")


def draft_of_window(window: WindowRef, taken: Set[str] = frozenset()) -> Draft:
    """Return the first draft of a window's game."""
    name = re.sub(r"\s+", " ", window.title or window.wm_class).strip()[:_LONGEST_TITLE] or "A game"
    return Draft(
        game_id=game_id_of(name, taken),
        name=name,
        window=window_match(window),
        command=start_command(window.pid),
        screen=Screen(width=window.rect.width, height=window.rect.height),
    )


def page_address(text: str) -> str:
    """Return the address of a page as it is, or the file address of a path on this machine.

    Raises:
        PitwallError: the text has no scheme, and there is no such file.
    """
    if re.match(r"[a-z][a-z0-9+-]+:", text, re.IGNORECASE):
        return text
    file = Path(text).expanduser()
    if not file.is_file():
        fix = "Give a file that is there, or an address with its scheme, like https://example.org/game."
        raise PitwallError(f"{text!r} is no page: there is no such file.", fix)
    return file.resolve().as_uri()


def state_path(name: str) -> str:
    """Return the path of a value in a page's true state: `score` is short for `game_state.score`."""
    return name if name.partition(".")[0] in CONTRACT else f"game_state.{name}"


def draft_of_page(url: str, taken: Set[str] = frozenset(), screen: Screen | None = None) -> Draft:
    """Return the first draft of a page's game, in the page's own size where none is given."""
    page = page_address(url)
    return draft_of_command([url], taken, screen).changed(
        url=page, own_size=screen is None, keys_mean=meaning_on_page(page)
    )


def draft_of_command(
    words: Sequence[str], taken: Set[str] = frozenset(), screen: Screen | None = None
) -> Draft:
    """Return the first draft of the game that a command starts, named after its last word."""
    named = [word for word in words if not word.startswith("-")] or list(words)
    plain = named[-1].split("?")[0].rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    name = re.sub(r"[\s_-]+", " ", plain).strip().capitalize()[:_LONGEST_NAME] or "A game"
    return Draft(game_id=game_id_of(name, taken), name=name, screen=screen or _FIRST_SCREEN)


def _escaped(text: str) -> str:
    """Escape a text for a regular expression, but leave spaces and dashes readable."""
    return re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)
