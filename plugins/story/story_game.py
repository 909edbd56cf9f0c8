"""A text adventure in a window: a Z-machine plays the story, we print it and read the keyboard.

The carried things and the possible commands are listed beside the text; the machine finds the commands by
trying.

Run: story_game.py [STORY | --from FOLDER] [--seed N]      (a story file: .z3, .z5, .z8 …; none: our own)
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pygame

try:
    from story_machine import Machine, fault_of, plain
except ImportError as error:
    sys.exit(f"The Z-machine is not installed ({error}): run installer/run once more.")
from story_eyes.layout import HEIGHT, WIDTH
from story_page import StoryPage
from story_print import Printer
from story_truth import StoryRecord, TruthFile, true_state
from story_valid import Scout

FOLDER = Path(__file__).resolve().parent
OWN = FOLDER / "tale" / "lamp.z5"
_LONGEST_LINE = 70
_WAIT_MS = 200
_PAGES = {pygame.K_PAGEUP: 1, pygame.K_PAGEDOWN: -1}


class Window:
    """Draws pages.

    Args:
        surface: of the window.
    """

    def __init__(self, surface: pygame.Surface) -> None:
        self._surface = surface
        self._printer = Printer()

    def draw(self, page: StoryPage) -> None:
        pygame.surfarray.blit_array(self._surface, self._printer.picture(page).transpose(1, 0, 2))
        pygame.display.flip()


class Play:
    """A story that is being played: typed lines go in; the page and the truth follow.

    Args:
        story: its file. seed: of the story's random numbers.
        show: draws the page while the possible commands are not yet known.
    """

    def __init__(self, story: Path, seed: int, truth: TruthFile, show: Callable[[StoryPage], None]) -> None:
        self._machine = Machine(story, seed)
        helper = Machine(story, seed)
        helper.begin()
        self._record = StoryRecord(story.name, seed, most=helper.most())
        self._scout = Scout(helper)
        self._truth = truth
        self._show = show
        self.page = StoryPage()
        self._begin()

    def type(self, line: str) -> None:
        """Send a typed line to the story; a story that has quit begins again."""
        command = plain(" ".join(line.split()))
        if self._machine.stopped:
            self._begin()
            return
        record = self._record
        over = self._machine.ended
        printed = self._machine.say(command)
        if over and not self._machine.ended:
            record.begun, record.turns, record.places = record.begun + 1, 0, set()
        record.turns += 1
        self._turn(command, printed)

    def true_state(self) -> dict[str, object]:
        """Return the true state for an evaluator."""
        return true_state(self._record, self._machine.now())

    def _begin(self) -> None:
        record = self._record
        record.begun, record.turns, record.places = record.begun + 1, 0, set()
        self._turn("", self._machine.begin())

    def _turn(self, command: str, printed: str) -> None:
        """Show the story's answer at once, and the possible commands as soon as they are found."""
        now, record, page = self._machine.now(), self._record, self.page
        page.print(command, printed)
        page.typed = ""
        page.place, page.score, page.moves = now.place, now.score, now.moves
        page.carried, page.possible, page.ended = now.carried, None, self._machine.ended
        self._show(page)
        record.command, record.printed = command, " ".join(printed.split())
        record.possible = self._scout.possible(self._machine)
        record.places.add(now.place)
        page.possible = None if page.ended else record.possible
        self._truth.write(record, now)


def run(window: Window, play: Play) -> None:
    """Run the window until it is closed."""
    window.draw(play.page)
    events: deque[pygame.event.Event] = deque()
    while True:
        events += [pygame.event.wait(_WAIT_MS), *pygame.event.get()]
        changed = False
        while events:
            event = events.popleft()
            if event.type == pygame.QUIT:
                return
            if event.type == pygame.WINDOWEXPOSED:
                changed = True
            elif event.type == pygame.KEYDOWN:
                changed = True
                if event.key in (pygame.K_RETURN, pygame.K_KP_ENTER) and play.page.typed.strip():
                    play.type(play.page.typed)
                else:
                    _edit(play.page, event)
        if changed:
            window.draw(play.page)


def _edit(page: StoryPage, event: pygame.event.Event) -> None:
    """Handle a key other than Enter."""
    if event.key in _PAGES:
        page.turn(_PAGES[event.key])
        return
    page.back = 0
    if event.key == pygame.K_BACKSPACE:
        page.typed = page.typed[:-1]
    elif event.key == pygame.K_ESCAPE:
        page.typed = ""
    elif event.unicode and event.unicode.isprintable() and len(page.typed) < _LONGEST_LINE:
        page.typed += plain(event.unicode)


def _story_in(folder: Path) -> Path:
    """Return the first story file of a folder, by name."""
    files = sorted(path for path in folder.glob("*.z[1-8]") if path.is_file())
    return files[0] if files else folder / "NAME.z5"


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="A text adventure in a window.")
    parser.add_argument("story", nargs="?", type=Path, default=OWN, help="a Z-machine story file")
    parser.add_argument("--from", dest="folder", type=Path, help="a folder with a story file")
    parser.add_argument("--seed", type=int, default=0, help="of what the story leaves to chance")
    options = parser.parse_args()
    story = options.story if options.folder is None else _story_in(options.folder)
    if not story.is_file():
        sys.exit(f"There is no story file {story}.")
    if fault := fault_of(story):
        sys.exit(f"{story} cannot be played: {fault}.")
    with tempfile.TemporaryDirectory(prefix="story-") as saves:
        story = story.resolve()
        os.chdir(saves)  # a story's own save and transcript write where the program stands
        play_in_window(story, options.seed)


def play_in_window(story: Path, seed: int) -> None:
    """Open the window and play a story file until it is closed."""
    pygame.display.init()
    for number in (signal.SIGTERM, signal.SIGINT):  # a background job inherits an ignored interrupt
        signal.signal(number, lambda *_: pygame.event.post(pygame.event.Event(pygame.QUIT)))
    try:
        pygame.display.set_caption("Story")
        window = Window(pygame.display.set_mode((WIDTH, HEIGHT)))
        pygame.key.set_repeat()
        truth = TruthFile(os.environ.get("PITWALL_TRUTH", ""))
        run(window, Play(story, seed, truth, window.draw))
    finally:
        pygame.display.quit()


if __name__ == "__main__":
    main()
