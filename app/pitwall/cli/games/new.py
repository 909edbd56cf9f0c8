"""`pitwall games new`, `watch`, `read`: a game is added from its window, its page or its command."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import cv2
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
from pitwall.engine.capture.display_check import check_display
from pitwall.engine.capture.window_search import window_by_id
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser, propose, still_frame
from pitwall.engine.drafting.observer import PAGE_VALUES, open_draft_view, page_values, reading_as_json
from pitwall.engine.drafting.threshold_suggestions import Suggestion
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
from pitwall.games.drafting.signs import NAME_ENTRY
from pitwall.games.drafting.store import read_draft, save_draft
from pitwall.games.drafting.templates import TEMPLATES
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Screen

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
        typer.Option(help="NAME=[KIND:]X,Y,W,H; without a kind it is guessed from the picture. Repeatable."),
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
    begun = with_page(_begun(folder, window, url, command, draft, name, game_id, size), state or [], init)
    presses = {
        option: [press_of(text, f"--{option.replace('_', '-')}") for text in texts or []]
        for option, texts in (("start", start), (NAME_ENTRY, name_entry), ("again", again))
    }
    pausing = press_of(pause, "--pause").keys if pause else []
    looks = bool(field) or watch_s > 0 or tries or begun.own_size
    suggestion: Suggestion | None = None
    offers: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        if begun.url and looks:
            stack.enter_context(screen_or_virtual())
        view = stack.enter_context(_view(begun, _window_id(window), folder)) if looks else None
        first = _first_frame(view) if view is not None and (tries or begun.own_size) else None
        if first is not None and begun.own_size:
            begun = begun.changed(screen={"width": first.width, "height": first.height}, own_size=False)
        shown = stack.enter_context(rehearsal(view if tries else None, begun, folder))
        made = begun.changed(pause=pausing or begun.pause)
        for option, steps in presses.items():
            made = shown.passage(made, option, steps, now=option == "start" or not start)
        recogniser = stack.enter_context(contextlib.closing(Recogniser(folder.logs))) if looks else None
        proposing = _proposing(_first_frame(view), made, recogniser) if view is not None and field else None
        made = with_arguments(
            made, actions=action or [], fields=field or [], tasks=task or [], propose=proposing
        )
        values = _values(view, made, recogniser) if view is not None and status else {}
        made = with_play(with_status(made, status or [], values), template or [])
        offers = page_values(view.game.folder) if view is not None and made.url else []
        made = shown.play(made) if start or action else made
        made = shown.pause(made, pausing) if pausing else made
        if view is not None and watch_s > 0:
            suggestion = watch_window(view, made, watch_s, recogniser=recogniser, progress=lambda *_: None)
            made = made.changed(thresholds=suggestion.thresholds.model_dump(), why=suggestion.why)
    report = Reporter(json)
    if only_draft:
        file = save_draft(folder, made)
        body = {
            "game": made.game_id,
            "draft_file": file,
            "tried": shown.facts,
            "page": offers,
            "draft": made,
        }
        report.result(body, [*shown.said, f"The draft of {made.name} is kept: {file}"])
        return
    written = add_game(folder, made, out=out, replace=replace)
    if out is None:
        save_draft(folder, made)
    named = made.game_id if out is None else shlex.quote(str(written))
    report.result(
        {
            "game": made.game_id,
            "folder": written,
            "checked": True,
            "tried": shown.facts,
            "watched": suggestion,
            "page": offers,
            "draft": made,
        },
        [
            *shown.said,
            *(f"the page offers {one['kind']} {one['expression']}: {one['value']}" for one in offers),
            f"{made.name} is added: {written}",
            f"Play it: pitwall run --game {named}",
        ],
    )


def watch(
    window: WindowOption = "",
    draft: DraftOption = None,
    game: Annotated[str, typer.Option(help="A game that is there, in place of a draft.")] = "",
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long to watch.")] = 60.0,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Watch a game being played, and say which trigger thresholds would fit it, and why."""
    folder = data_folder(data)
    begun = _draft_of_game(folder, game) if game else _begun(folder, window, "", "", draft, "", "", "")
    report = Reporter(json)

    def progress(done_s: float, of_s: float) -> None:
        report.progress(round(1000 * done_s), round(1000 * of_s), f"watching: {done_s:.0f} of {of_s:.0f} s")

    with (
        _view(begun, _window_id(window), folder) as view,
        contextlib.closing(Recogniser(folder.logs)) as texts,
    ):
        suggestion = watch_window(view, begun, seconds, recogniser=texts, progress=progress)
    nothing = ["Too little was seen to suggest anything: watch for longer, while the game is played."]
    found = [f"{key} = {getattr(suggestion.thresholds, key):g}: {why}" for key, why in suggestion.why.items()]
    lines = [
        f"{suggestion.steps} steps in {suggestion.seconds:.0f} s, {suggestion.frames} pictures",
        "d by step: " + ", ".join(f"{key} {value:.3f}" for key, value in suggestion.quantiles.items()),
    ]
    report.result(suggestion, [*lines, *(found or nothing)])


def read(
    draft: Annotated[Path, typer.Option("--draft", help="A draft's file.")],
    frame: Annotated[Path, typer.Option(help="A picture of the game: PNG or JPEG.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Read every field of a draft in one picture."""
    begun = read_draft(draft)
    pixels = cv2.imread(str(frame)) if frame.is_file() else None
    if pixels is None:
        raise PitwallError(f"{frame} is no picture that can be read.", "Give a PNG or JPEG file.")
    with contextlib.closing(Recogniser(data_folder(data).logs)) as texts:
        readings = DraftReader(begun, texts).read(still_frame(pixels), wait_s=5.0)  # type: ignore[arg-type]
    lines = (
        f"{name:16s} {'–' if one.value is None else one.value} {one.unit}".rstrip()
        for name, one in readings.items()
    )
    Reporter(json).result({name: reading_as_json(one) for name, one in readings.items()}, lines)


# ---- parts


def _begun(
    folder: DataFolder,
    window: str,
    url: str,
    command: str,
    draft: Path | None,
    name: str,
    game_id: str,
    size: str,
) -> Draft:
    """The draft as the first options have it."""
    taken = {entry.game_id for entry in Registry(folder).games()}
    native_id = _window_id(window)
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
            else draft_of_command(shlex.split(command), taken, screen)
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


def _window_id(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text, 0)
    except ValueError:
        raise PitwallError(f"{text!r} is no window's id.", "See: pitwall windows") from None


def _draft_of_game(folder: DataFolder, game: str) -> Draft:
    """A game that is there, as far as watching needs it; its pictures stay where they are."""
    profile = Registry(folder).load(game).profile
    plain = [
        field for field in profile.fields if field.kind in ("bar", "colour", "text", "change", "blob", "gap")
    ]
    return Draft(
        game_id=profile.game.id,
        name=profile.game.name,
        window=profile.window,
        command=[],
        screen=profile.screen,
        fields=plain,
        thresholds=profile.trigger,
    )


@contextlib.contextmanager
def _view(draft: Draft, window_id: int | None, folder: DataFolder) -> Iterator[GameView]:
    check_display()
    with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as aside:
        view = open_draft_view(draft, window_id, folder.root, Path(aside))
        try:
            yield view
        finally:
            view.close(close_game=True)


def _proposing(frame: Frame, draft: Draft, recogniser: Recogniser | None) -> Propose:
    def look(box: tuple[int, int, int, int], kind: str, name: str) -> tuple[dict[str, Any], dict[str, str]]:
        guess = propose(frame, box, draft.screen, kind=kind, name=name, recogniser=recogniser)
        return guess.field.model_dump(), guess.pictures

    return look


def _values(view: GameView, draft: Draft, recogniser: Recogniser | None) -> dict[str, Value]:
    """What the draft's fields read now."""
    readings = DraftReader(draft, recogniser).read(_first_frame(view), wait_s=5.0)
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
