"""The order of `pitwall games new`: the game, and the parts of its draft as texts."""

from __future__ import annotations

from pathlib import Path

from pitwall.games.drafting.templates import TEMPLATES
from pitwall.link.orders import Order, order_field


class GameSource(Order):
    """Names the game that is added: its window, its page, its command, or an existing draft."""

    window: str = order_field("", "A window's id; see: pitwall windows", "--window", "--from-window")
    url: str = order_field("", "A web page; it opens in a browser of its own.")
    command: str = order_field("", "The command that starts the game.")
    draft: Path | None = order_field(None, "Go on with this draft's file.")
    name: str = order_field("", "Name of the game; default: the title of its window.")
    game_id: str = order_field("", "Id of the game; default: made from its name.", "--id")
    size: str = order_field(
        "", "WIDTHxHEIGHT of the screen in which boxes are drawn; default: the window's or page's own size."
    )
    replace: bool = order_field(False, "Replace a game's folder that exists.")


class NewGameOrder(GameSource):
    """Describes a game that is added by command; see each option's help."""

    action: tuple[str, ...] = order_field(
        (),
        "NAME=KEYS[:HOLD_MS], NAME=click:X,Y, NAME=look:DX,DY, NAME=turn:DEGREES or NAME=wait. Repeatable.",
    )
    field: tuple[str, ...] = order_field(
        (),
        "NAME=[KIND:]X,Y,W,H[:R,G,B]; without a kind or colour the picture decides. Repeatable.",
    )
    state: tuple[str, ...] = order_field(
        (), "PATH=JAVASCRIPT: a part of a page's true state, like score=game.score. Repeatable."
    )
    init: str = order_field("", "JavaScript that starts a page's game, like startGame().")
    status: tuple[str, ...] = order_field((), "STATUS=CONDITION, like terminal=game_over. Repeatable.")
    start: tuple[str, ...] = order_field(
        (), "KEYS or click:X,Y that lead out of the game's menu, once for each screen. Repeatable, in order."
    )
    again: tuple[str, ...] = order_field(
        (), "KEYS or click:X,Y that start another game from the end screen. Repeatable, in order."
    )
    name_entry: tuple[str, ...] = order_field(
        (), "KEYS or click:X,Y that leave a screen that asks for a name. Repeatable, in order."
    )
    pause: str = order_field("", "KEYS that pause the game, and continue it.")
    tries: bool = order_field(
        False,
        "Press each of these in the game and report what changed. The game must show its menu or, without "
        "--start, the screen that --again or --name-entry leaves.",
        "--try",
    )
    task: tuple[str, ...] = order_field((), "FIELD=TARGET, or FIELD=TARGET: the instruction. Repeatable.")
    template: tuple[str, ...] = order_field(
        (),
        "KIND:SLOT=VALUE,… that says how the agent plays, like "
        f"follow:me=paddle,thing=ball,less=left,more=right. Kinds: {', '.join(TEMPLATES)}. Repeatable.",
    )
    watch_s: float = order_field(
        0.0,
        "Watch the game for so many seconds to set thresholds; where nobody plays, it presses the actions.",
        "--watch",
        ge=0,
        le=600,
    )
    take: float | None = order_field(
        None,
        "Add each field that is found while watching with at least this confidence, in %.",
        ge=25,
        le=100,
    )
    out: Path | None = order_field(None, "Folder to write; default: among your games.")
    only_draft: bool = order_field(False, "Keep the draft and write no game.", "--draft-only")

    @property
    def needs_view(self) -> bool:
        """Return whether the game's picture is needed."""
        return bool(self.field) or self.watch_s > 0 or self.tries
