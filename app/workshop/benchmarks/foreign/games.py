"""Debian games that nobody made for Pitwall, each with the words of `pitwall games new` that add it.

Each word stands for one gesture of "Add a game": a key pressed, a point clicked, a box drawn, a slot filled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

STEER = "less=left,more=right"
_SIDEWAYS = ("--action", "left=ArrowLeft", "--action", "right=ArrowRight")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignGame:
    """One game: its program, and the words that add it.

    Attributes:
        name: also its program's. start: keys and clicks that leave its menu.
        words: its keys, its score and the signs of its screens. drawn: fields and templates beside these.
        falls: its score counts down, so lower is better.
    """

    name: str
    command: str
    start: tuple[str, ...]
    words: tuple[str, ...]
    drawn: tuple[str, ...] = ()
    score: str = "score"
    falls: bool = False

    @property
    def program(self) -> str:
        """Return the program's name, which must be installed."""
        return self.command.split()[0] if self.command.split()[0] != "dbus-run-session" else self.name

    @property
    def added(self) -> list[str]:
        """Return the words after `pitwall games new`."""
        begun = [word for press in self.start for word in ("--start", press)]
        tried = ["--try"] if begun else []
        return ["--command", self.command, "--name", self.name, *tried, *begun, *self.words, *self.drawn]

    @property
    def gestures(self) -> int:
        """Count the presses, clicks, boxes and slots that a person would make."""
        words = (*self.words, *self.drawn)
        slots = sum(word.count("=") for word in words if ":me=" in word or ":box=" in word)
        return 2 + len(self.start) + sum(word.startswith("--") for word in words) + slots


GAMES = (
    ForeignGame(
        name="lbreakout2",
        command="lbreakout2",
        start=("click:183,270", "click:183,279"),
        words=(
            *_SIDEWAYS,
            *("--action", "fire=Space", "--again", "y", "--field", "score=number:520,0,80,20"),
        ),
        drawn=(
            *(
                "--field",
                "paddle=blob:42,440,560,24:210,190,78",
                "--field",
                "ball=blob:42,330,560,108:146,210,154",
            ),
            *("--template", f"fire:me=paddle,thing=ball,{STEER},fire=fire,every_ms=900"),
        ),
    ),
    ForeignGame(
        name="xgalaga",
        command="xgalaga -window -nosound",
        start=("k",),
        words=(
            *_SIDEWAYS,
            *("--action", "fire=Space", "--name-entry", "Enter", "--field", "score=number:140,0,90,20"),
            *("--field", "title=blob:105,568,255,14:255,255,0", "--status", "menu=title != none"),
            *("--field", "asked=blob:140,264,184,14:255,0,0", "--status", "name_entry=asked != none"),
        ),
        drawn=("--template", "skill:name=fire,when=status == 'playing',actions=fire"),
    ),
    ForeignGame(
        name="xbill",
        command="xbill -l 5",  # at once, and of a level that outlasts the minute
        start=(),
        words=(
            *("--action", "rest=wait", "--field", "score=number:214,416,186,21"),
            *("--field", "bill=blob:0,36,402,384:223,190,93", "--template", "click:thing=bill,cell_px=4"),
        ),
    ),
    ForeignGame(
        name="gnome-mines",
        command="dbus-run-session -- gnome-mines",
        start=("click:200,150",),
        words=(
            *("--action", "rest=wait"),
            *("--template", "board:box=28,72,384,384,columns=8,rows=8,colour=186,189,182"),
        ),
        score="board_left",
        falls=True,
    ),
    ForeignGame(
        name="bugsquish",
        command="bugsquish",
        start=("space",),
        words=(
            *("--action", "rest=wait"),
            *("--field", "score=number:0,452,110,26", "--field", "bug=blob:50,0,590,436:0,0,0"),
            *("--field", "title=blob:15,345,290,110:248,116,248", "--status", "menu=title != none"),
            *("--template", "click:thing=bug,cell_px=4,moving=yes"),
        ),
    ),
    ForeignGame(
        name="madbomber",
        command="madbomber",
        start=("space", "space"),
        words=(
            *_SIDEWAYS,
            *("--action", "fire=Space", "--again", "Escape", "--again", "space"),
            *("--field", "score=number:440,2,178,34"),
        ),
        drawn=(
            *("--field", "bucket=blob:32,340,576,110:160,88,8"),
            *("--field", "bomb=blob:33,130,573,310:0,0,0"),
            *("--field", "over=colour:260,233,24,10:210,210,210", "--status", "terminal=over == true"),
            *("--template", f"catch:me=bucket,thing=bomb,{STEER},slack_px=12"),
            *("--template", "skill:name=fire,when=bomb == none,actions=fire"),
        ),
    ),
)

LEARNED_GAMES = (
    *(replace(game, drawn=()) for game in GAMES if game.name in ("lbreakout2", "madbomber", "xgalaga")),
    ForeignGame(
        name="xjump",
        command="xjump",
        start=("space",),
        words=(
            *_SIDEWAYS,
            *("--action", "jump=ArrowUp", "--again", "space", "--field", "score=number:226,82,134,30"),
        ),
    ),
    ForeignGame(
        name="snake4",
        command="snake4",
        start=("1",),
        words=(
            *_SIDEWAYS,
            *("--action", "up=ArrowUp", "--action", "down=ArrowDown", "--again", "1"),
            *("--field", "score=number:482,572,66,20"),
        ),
    ),
    ForeignGame(
        name="vectoroids",
        command="vectoroids",
        start=("space",),
        words=(
            *_SIDEWAYS,
            *("--action", "thrust=ArrowUp", "--action", "fire=Space", "--again", "space"),
            *("--field", "score=number:0,0,112,36"),
        ),
    ),
)
"""Games to learn from the window alone: their keys and a box around the score are given. The last three are
in no other benchmark."""
