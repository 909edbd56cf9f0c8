"""`pitwall games new`: a game is added from its window, its page or its command."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.games.draft_arguments import (
    Propose,
    press_of,
    with_arguments,
    with_page,
    with_play,
    with_status,
)
from pitwall.cli.games.rehearsal import rehearsal
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError, WindowLost
from pitwall.core.frames import Frame
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.engine.capture.display_check import check_display
from pitwall.engine.capture.window_search import window_by_id
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser, still_frame
from pitwall.engine.drafting.key_listening import KeyListener
from pitwall.engine.drafting.observer import PAGE_VALUES, open_draft_view, page_values
from pitwall.engine.drafting.told_guesses import ToldGuess, told_guess
from pitwall.engine.drafting.window_sampling import Watched
from pitwall.engine.drafting.window_sampling import watch as watch_window
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import (
    Draft,
    draft_of_command,
    draft_of_page,
    draft_of_window,
    game_id_of,
    page_address,
)
from pitwall.games.drafting.folder import add_game
from pitwall.games.drafting.found import with_found
from pitwall.games.drafting.signs import NAME_ENTRY
from pitwall.games.drafting.store import read_draft, save_draft
from pitwall.games.drafting.templates import TEMPLATES
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Screen

TEXT_WAIT_S = 30.0
"""How long a command waits for a text: the first one loads the models."""
_PATIENCE_S = 2.0
"""How long a box is looked at in which nothing stands out."""
WindowOption = Annotated[
    str, typer.Option("--window", "--from-window", help="A window's id; see: pitwall windows")
]
UrlOption = Annotated[str, typer.Option("--url", help="A web page; it is opened in a browser of its own.")]
CommandOption = Annotated[str, typer.Option("--command", help="The command that starts the game.")]
DraftOption = Annotated[Path | None, typer.Option("--draft", help="Go on with this draft's file.")]


def new(
    window: WindowOption = "",
    url: UrlOption = "",
    command: CommandOption = "",
    draft: DraftOption = None,
    name: Annotated[str, typer.Option(help="What the game is called; default: its window's title.")] = "",
    game_id: Annotated[str, typer.Option("--id", help="Its id; default: from its name.")] = "",
    size: Annotated[
        str,
        typer.Option(
            help="WIDTHxHEIGHT at which boxes are drawn, where no window says it; a page has its own."
        ),
    ] = "",
    action: Annotated[
        list[str] | None, typer.Option(help="NAME=KEYS, NAME=click:X,Y or NAME=wait. Repeatable.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=[KIND:]X,Y,W,H[:R,G,B]; kind and colour are guessed from the picture where not given. "
            "Repeatable."
        ),
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(help="PATH=JAVASCRIPT: a page's true state, like score=game.score. Repeatable."),
    ] = None,
    init: Annotated[str, typer.Option(help="JavaScript that begins a page, like startGame().")] = "",
    status: Annotated[
        list[str] | None, typer.Option(help="STATUS=CONDITION, like terminal=game_over. Repeatable.")
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            help="KEYS or click:X,Y that lead out of its menu, one for each screen. Repeatable, in order."
        ),
    ] = None,
    again: Annotated[
        list[str] | None, typer.Option(help="The same for the screen after a game. Repeatable, in order.")
    ] = None,
    name_entry: Annotated[
        list[str] | None, typer.Option(help="The same for a question for a name. Repeatable, in order.")
    ] = None,
    pause: Annotated[str, typer.Option(help="KEYS that pause it, and let it go on.")] = "",
    tries: Annotated[
        bool,
        typer.Option(
            "--try",
            help="Press each in the game and say what changed. It shows its menu now; or, without --start, "
            "the screen that --again or --name-entry leaves.",
        ),
    ] = False,
    task: Annotated[
        list[str] | None, typer.Option(help="FIELD=TARGET, or FIELD=TARGET: what to do. Repeatable.")
    ] = None,
    template: Annotated[
        list[str] | None,
        typer.Option(
            help="KIND:SLOT=VALUE,… of how it plays, like "
            "follow:me=paddle,thing=ball,less=left,more=right. Kinds: "
            f"{', '.join(TEMPLATES)}. Repeatable."
        ),
    ] = None,
    watch_s: Annotated[
        float, typer.Option("--watch", min=0, max=600, help="Watch for so many seconds to set thresholds.")
    ] = 0.0,
    take: Annotated[
        float | None,
        typer.Option(min=25, max=100, help="Take what is found while watching and at least so sure, in %."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write; default: among your games.")] = None,
    replace: Annotated[bool, typer.Option(help="Replace a folder that is there.")] = False,
    only_draft: Annotated[bool, typer.Option("--draft-only", help="Keep the draft; write no game.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add a game: from its window, its page or its command. It is checked, and trusted as you made it.

    Its menus and end screens are left by what --start, --again and --name-entry press; no agent presses that.
    """
    folder = data_folder(data)
    begun = with_page(
        begun_draft(folder, window, url, command, draft, name, game_id, size, replace=replace),
        state or [],
        init,
    )
    presses = {
        option: [press_of(text, f"--{option.replace('_', '-')}") for text in texts or []]
        for option, texts in (("start", start), (NAME_ENTRY, name_entry), ("again", again))
    }
    pausing = press_of(pause, "--pause").keys if pause else []
    looks = bool(field) or watch_s > 0 or tries or bool(begun.url and begun.own_size)
    watched: Watched | None = None
    seen: list[ToldGuess] = []
    offers: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        if looks and window_number(window) is None:
            stack.enter_context(screen_or_virtual())
        view = stack.enter_context(opened_view(begun, window_number(window), folder)) if looks else None
        first = _first_frame(view) if view is not None and (tries or begun.own_size) else None
        if first is not None and begun.own_size:
            begun = begun.changed(screen={"width": first.width, "height": first.height}, own_size=False)
        shown = stack.enter_context(rehearsal(view if tries else None, begun, folder))
        made = begun.with_pause(pausing) if pausing else begun
        for option, steps in presses.items():
            made = shown.passage(made, option, steps, now=option == "start" or not start)
        texts = Recogniser(folder.logs, wait_s=TEXT_WAIT_S) if looks else None
        recogniser = stack.enter_context(contextlib.closing(texts)) if texts is not None else None
        proposing = _proposing(view, made, recogniser, seen) if view is not None and field else None
        made = with_arguments(
            made, actions=action or [], fields=field or [], tasks=task or [], propose=proposing
        )
        values = _values(view, made, recogniser) if view is not None and status else {}
        made = with_play(with_status(made, status or [], values), template or [])
        offers = page_values(view.game.folder) if view is not None and made.url else []
        made = shown.play(made) if start or action else made
        made = shown.pause(made, pausing) if pausing else made
        if view is not None and watch_s > 0:
            keys = stack.enter_context(
                contextlib.closing(KeyListener(load_settings(folder.settings), folder.logs))
            )
            watched = watch_window(
                view, made, watch_s, recogniser=recogniser, progress=lambda *_: None, keys=keys
            )
            suggestion = watched.suggestion
            made = made.changed(thresholds=suggestion.thresholds.model_dump(), why=suggestion.why)
            for one in watched.found if take is not None else ():
                made = with_found(made, one.as_json()) if 100 * one.confidence >= (take or 0) else made
    report = Reporter(json)
    found = watched.found if watched is not None else ()
    told = {"tried": shown.facts, "page": offers, "read": seen, "found": [one.as_json() for one in found]}
    paged = (f"the page offers {one['kind']} {one['expression']}: {one['value']}" for one in offers)
    for line in (
        *shown.said,
        *paged,
        *(one.words for one in seen),
        *(f"found: {one.words}" for one in found),
    ):
        report.line(line)
    if only_draft:
        file = save_draft(folder, made)
        body = {"game": made.game_id, "draft_file": file, "draft": made, **told}
        report.result(body, [f"The draft of {made.name} is kept: {file}"])
        return
    if out is None:
        save_draft(folder, made)  # what was done by hand outlives a fault that the checker finds
    written = add_game(folder, made, out=out, replace=replace, goes_on=draft is not None)
    named = made.game_id if out is None else shlex.quote(str(written))
    report.result(
        {
            "game": made.game_id,
            "folder": written,
            "checked": True,
            "watched": watched and watched.suggestion,
            "draft": made,
            **told,
        },
        [f"{made.name} is added: {written}", f"Play it: pitwall run --game {named}"],
    )


# ---- parts


def begun_draft(
    folder: DataFolder,
    window: str,
    url: str,
    command: str,
    draft: Path | None,
    name: str,
    game_id: str,
    size: str,
    *,
    replace: bool = False,
) -> Draft:
    """The draft as the first options have it; one that replaces a game takes its id."""
    known = Registry(folder).games()
    taken = {entry.game_id for entry in known if not (replace and entry.source == "user")}
    native_id = window_number(window)
    if draft is not None:
        begun = read_draft(draft)
    elif native_id is not None:
        check_display()
        found = window_by_id(native_id)
        if found is None:
            raise WindowLost(f"there is no window {native_id:#x} on this screen.", "See: pitwall windows")
        begun = draft_of_window(found, taken)
    elif url or command:
        screen = _screen(size) if size else None
        begun = (
            draft_of_page(url, taken, screen)
            if url
            else draft_of_command(shlex.split(command), taken, screen).changed(own_size=screen is None)
        )
    else:
        raise PitwallError(
            "nothing says which game it is.",
            "Give --from-window ID, --url URL, --command CMD or --draft FILE.",
        )
    changes: dict[str, Any] = {"command": shlex.split(command) or begun.command}
    if url:
        changes["url"] = page_address(url)
    if name:
        changes |= {"name": name, "game_id": begun.game_id if draft else game_id_of(name, taken)}
    if game_id:
        changes["game_id"] = game_id_of(game_id)
    return begun.changed(**changes)


def _screen(size: str) -> Screen:
    try:
        width, height = (int(part) for part in size.casefold().split("x"))
        return Screen(width=width, height=height)
    except ValueError:
        raise PitwallError(f"{size!r} is no size.", "Write WIDTHxHEIGHT, like 1280x720.") from None


def window_number(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise PitwallError(f"{text!r} is no window's id.", "See: pitwall windows") from None


@contextlib.contextmanager
def opened_view(draft: Draft, window_id: int | None, folder: DataFolder) -> Iterator[GameView]:
    check_display()
    with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as aside:
        view = open_draft_view(draft, window_id, folder.root, Path(aside))
        try:
            yield view
        finally:
            view.close(close_game=True)


def _proposing(view: GameView, draft: Draft, recogniser: Recogniser | None, seen: list[ToldGuess]) -> Propose:
    """Propose a field for each box; what was seen in it is added to `seen`.

    A thing may be out of its box just now: a box in which nothing stands out is looked at for a while.
    """
    first = _first_frame(view)

    def look(box: tuple[int, int, int, int], kind: str, name: str) -> tuple[dict[str, Any], dict[str, str]]:
        frame, until_s = first, time.monotonic() + _PATIENCE_S
        while True:
            try:
                guess, told = told_guess(frame, box, draft, kind=kind, name=name, recogniser=recogniser)
                break
            except PitwallError:
                if time.monotonic() > until_s:
                    raise
                frame = _first_frame(view)
        seen.append(told)
        return guess.field.model_dump(), guess.pictures

    return look


def _values(view: GameView, draft: Draft, recogniser: Recogniser | None) -> dict[str, Value]:
    """What the draft's fields read now."""
    readings = DraftReader(draft, recogniser).read_now(_first_frame(view))
    return {name: one.value for name, one in readings.items()}


def _first_frame(view: GameView) -> Frame:
    """Its picture, once there is one; a page's once it can be played and its values are told."""
    if view.source is None:
        view.begin()
    while True:
        frame = view.fresh() if view.look(now_ns()) and _page_told(view) else None
        if frame is not None:
            return still_frame(frame.pixels.copy())
        time.sleep(0.02)


def _page_told(view: GameView) -> bool:
    return view.game.profile.browser is None or (view.game.folder / PAGE_VALUES).exists()
