"""Lists what the operator can do from any page, as commands of the palette."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pitwall.console.kit.command import Command
from pitwall.console.kit.elements import key_words
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.places import NEW_GAME, Place
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.top_bar import STOP_KEYS
from pitwall.console.state.view_state import HALTED, IN_VIEW, RUNNING, Phase


def _phase(bridge: Bridge, *wanted: Phase) -> Callable[[], bool]:
    return lambda: bridge.state.phase in wanted


def run_commands(bridge: Bridge) -> list[Command]:
    """Return the commands over the agent, its run and its game."""
    hotkeys = bridge.settings.hotkeys
    start = key_words(hotkeys.start)
    phase = partial(_phase, bridge)
    return [
        Command(name="Start", run=bridge.start, keys=start, possible=phase(Phase.READY)),
        Command(name="Resume", run=bridge.start, keys=start, possible=phase(*HALTED)),
        Command(name="Pause", run=bridge.pause, keys=key_words(hotkeys.pause), possible=phase(*RUNNING)),
        Command(name="Stop the run", run=bridge.stop, keys=STOP_KEYS, possible=phase(*RUNNING, *HALTED)),
        Command(
            name="Emergency stop",
            run=bridge.emergency_stop,
            keys=key_words(hotkeys.stop),
            possible=lambda: bridge.connected,
        ),
        Command(name="Close the game", run=bridge.close_game, possible=phase(*IN_VIEW, Phase.FAILED)),
        Command(name="Restart the engine", run=bridge.restart, possible=phase(Phase.LOST, Phase.FAILED)),
    ]


def going_commands(
    bridge: Bridge,
    choose_window: Callable[[], None] | None,
    places: Sequence[Place],
    show_page: Callable[[str], None],
) -> list[Command]:
    """Return the commands that choose a window, play a game and go to a page.

    Args:
        choose_window: opens the window picker; None where there is none.
        places: of the pages, in the order of the rail. show_page: brings one into view by its key.
    """
    commands: list[Command] = []
    if choose_window is not None:
        possible = _phase(bridge, *IN_VIEW, Phase.FAILED)
        commands.append(Command(name="Choose the game's window…", run=choose_window, possible=possible))
    commands += [
        Command(name=spoken("Play {}").format(entry.name), run=partial(bridge.open_game, entry.game_id))
        for entry in bridge.games()
        if entry.playable and bridge.state.phase not in RUNNING
    ]
    commands += [
        Command(name=f"Go to {place.title}", run=partial(show_page, place.key), keys=f"Ctrl+{n}")
        for n, place in enumerate(places, 1)
        if place.in_rail
    ]
    if NEW_GAME in places:
        commands.append(Command(name="Add a game…", run=partial(show_page, NEW_GAME.key)))
    return commands
