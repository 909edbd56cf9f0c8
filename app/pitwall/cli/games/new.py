"""`pitwall games new`: adds a game from its window, its page or its command."""

from __future__ import annotations

import contextlib
import shlex
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from pitwall.cli.games.draft_arguments import (
    Propose,
    press_of,
    with_arguments,
    with_page,
    with_play,
    with_status,
)
from pitwall.cli.games.opening import first_draft, next_picture, opened_view, window_number
from pitwall.cli.games.order import NewGameOrder
from pitwall.cli.games.rehearsal import Rehearsal, rehearsal
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.order_command import order_command
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.desktops.window_search import RELATIVE_MOUSE, turns_by_mouse
from pitwall.engine.drafting.field_reading import DescribedGuess, DraftReader, Recogniser, described_guess
from pitwall.engine.drafting.observer import page_values
from pitwall.engine.drafting.self_playing import SelfPlayer
from pitwall.engine.drafting.window_sampling import KeyListener, Watched
from pitwall.engine.drafting.window_sampling import watch as watch_window
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import add_game
from pitwall.games.drafting.signs import NAME_ENTRY, with_proposal
from pitwall.games.drafting.start_command import UNKNOWN_COMMAND
from pitwall.games.drafting.store import save_draft

TEXT_WAIT_S = 30.0
"""Longest wait for a text to be read: the first reading loads the models."""
_SHOWN_VALUES = 8
"""Most values of a page that are printed: what was read must not be lost among them."""
_BLANK_BOX_S = 2.0
"""Time to watch a blank box, in seconds: a moving object may come back into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Findings:
    """The results of looking at the game, beside the draft.

    Attributes:
        page: values that the page reports. guesses: one for each field whose kind the picture decided.
    """

    rehearsal: Rehearsal
    page: list[dict[str, Any]]
    guesses: list[DescribedGuess]
    watched: Watched | None
    relative_mouse: bool

    def as_json(self) -> dict[str, Any]:
        proposals = [proposal.as_json() for proposal in self.watched.proposals] if self.watched else []
        return {
            "tried": self.rehearsal.facts,
            "page": self.page,
            "read": self.guesses,
            "found": proposals,
        } | {"relative_mouse": self.relative_mouse}

    def lines(self) -> list[str]:
        proposals = self.watched.proposals if self.watched else ()
        more = len(self.page) - _SHOWN_VALUES
        return [
            *self.rehearsal.lines,
            *(
                f"the page offers {offer['kind']} {offer['expression']}: {offer['value']}"
                for offer in self.page[:_SHOWN_VALUES]
            ),
            *([f"the page offers {more} more values; --json lists them all"] if more > 0 else []),
            *(guess.words for guess in self.guesses),
            *(f"found: {proposal.words}" for proposal in proposals),
            *([RELATIVE_MOUSE] if self.relative_mouse else []),
        ]


@order_command
def new(order: NewGameOrder, data: DataOption = None, json: JsonOption = False) -> None:
    """Add a game from its window, its page or its command; it is checked, and trusted as you made it.

    The steps of --start, --again and --name-entry leave its menus and end screens; the agent never does.
    """
    report = Reporter(json)
    report.result(*added(order, data_folder(data), report))


def added(order: NewGameOrder, folder: DataFolder, report: Reporter) -> tuple[dict[str, Any], list[str]]:
    """Add a game, or keep only its draft; return the result as JSON and in lines."""
    begun = with_page(first_draft(folder, order), order.state, order.init)
    draft, findings = _drafted(order, begun, folder)
    for line in findings.lines():
        report.line(line)
    if order.only_draft:
        file = save_draft(folder, draft)
        body = {"game": draft.game_id, "draft_file": file, "draft": draft, **findings.as_json()}
        return body, [f"The draft of {draft.name} is kept: {file}"]
    if order.out is None:
        save_draft(folder, draft)  # before the checker may refuse it: the work done by hand survives
    written = add_game(folder, draft, out=order.out, replace=order.replace, goes_on=order.draft is not None)
    name = draft.game_id if order.out is None else shlex.quote(str(written))
    body = {
        "game": draft.game_id,
        "folder": written,
        "checked": True,
        "watched": findings.watched and findings.watched.suggestion,
        "draft": draft,
        **findings.as_json(),
    }
    unknown = [] if draft.command or draft.url else [UNKNOWN_COMMAND]
    lines = [f"{draft.name} is added: {written}", *unknown, f"Play it: pitwall run --game {name}"]
    return body, lines


def _drafted(order: NewGameOrder, draft: Draft, folder: DataFolder) -> tuple[Draft, _Findings]:
    """Complete a draft by the options, the game's picture and the presses that are tried in it."""
    window_id = window_number(order.window)
    steps = {
        name: [press_of(text, f"--{name.replace('_', '-')}") for text in texts]
        for name, texts in (("start", order.start), (NAME_ENTRY, order.name_entry), ("again", order.again))
    }
    pause_keys = press_of(order.pause, "--pause").keys if order.pause else []
    page: list[dict[str, Any]] = []
    guesses: list[DescribedGuess] = []
    watched: Watched | None = None
    with contextlib.ExitStack() as stack:
        view: GameView | None = None
        texts: Recogniser | None = None
        if order.needs_view or bool(draft.url and draft.own_size):
            if window_id is None:
                stack.enter_context(screen_or_virtual())
            view = stack.enter_context(opened_view(draft, window_id, folder))
            if order.tries or draft.own_size:
                first = next_picture(view)
                if draft.own_size:
                    draft = draft.changed(
                        screen={"width": first.width, "height": first.height}, own_size=False
                    )
            texts = stack.enter_context(contextlib.closing(Recogniser(folder.logs, wait_s=TEXT_WAIT_S)))
        presses = stack.enter_context(rehearsal(view if order.tries else None, draft, folder))
        draft = draft.with_pause(pause_keys) if pause_keys else draft
        for name, passage in steps.items():
            draft = presses.passage(draft, name, passage, now=name == "start" or not order.start)
        draft = _with_fields(order, draft, view, texts, guesses)
        if view is not None and draft.url:
            page = page_values(view.game.folder)
        draft = presses.play(draft) if order.start or order.action else draft
        draft = presses.pause(draft, pause_keys) if pause_keys else draft
        if view is not None and order.watch_s > 0:
            watched = _watched(order, draft, view, texts, folder)
            draft = _with_watched(order, draft, watched)
        shown = view.window if view is not None else None
        seen = window_id if shown is None else shown.native_id
        relative = seen is not None and turns_by_mouse(seen)
    return draft, _Findings(
        rehearsal=presses, page=page, guesses=guesses, watched=watched, relative_mouse=relative
    )


def _with_fields(
    order: NewGameOrder,
    draft: Draft,
    view: GameView | None,
    texts: Recogniser | None,
    guesses: list[DescribedGuess],
) -> Draft:
    """Add the actions, fields, tasks, status rules and templates of the options."""
    propose = _proposing(view, draft, texts, guesses) if view is not None and order.field else None
    draft = with_arguments(draft, actions=order.action, fields=order.field, tasks=order.task, propose=propose)
    values = {}
    if view is not None and order.status:
        readings = DraftReader(draft, texts).read_now(next_picture(view))
        values = {name: reading.value for name, reading in readings.items()}
    return with_play(with_status(draft, order.status, values), order.template)


def _proposing(
    view: GameView, draft: Draft, texts: Recogniser | None, guesses: list[DescribedGuess]
) -> Propose:
    """Return a function that proposes a field for a box, and adds its guess to `guesses`."""
    first = next_picture(view)

    def look(box: tuple[int, int, int, int], kind: str, name: str) -> tuple[dict[str, Any], dict[str, str]]:
        frame, until_s = first, time.monotonic() + _BLANK_BOX_S
        while True:
            try:
                guess, in_words = described_guess(frame, box, draft, kind=kind, name=name, recogniser=texts)
                break
            except PitwallError:
                if time.monotonic() > until_s:
                    raise
                frame = next_picture(view)
        guesses.append(in_words)
        return guess.field.model_dump(), guess.pictures

    return look


def _watched(
    order: NewGameOrder, draft: Draft, view: GameView, texts: Recogniser | None, folder: DataFolder
) -> Watched:
    with contextlib.closing(KeyListener(load_settings(folder.settings), folder.logs)) as keys:
        presses = any(action.presses for action in draft.actions)
        return watch_window(
            view,
            draft,
            order.watch_s,
            recogniser=texts,
            progress=lambda *_: None,
            keys=keys,
            plays=partial(SelfPlayer, view, draft, folder) if presses else None,
        )


def _with_watched(order: NewGameOrder, draft: Draft, watched: Watched) -> Draft:
    """Take the suggested thresholds, and the proposals that are at least as sure as `--take` asks."""
    suggestion = watched.suggestion
    draft = draft.changed(thresholds=suggestion.thresholds.model_dump(), why=suggestion.why)
    for proposal in watched.proposals if order.take is not None else ():
        if 100 * proposal.confidence >= (order.take or 0):
            draft = with_proposal(draft, proposal.as_json())
    return draft
