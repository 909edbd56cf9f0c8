"""Defines the contract of a desktop: list windows, capture one, press keys in it, follow processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, Self

from pitwall.core.errors import DisplayError, PitwallError
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.desktops.process_contract import Processes

if TYPE_CHECKING:  # a broker needs neither numpy nor the models of all settings: half its memory
    from pitwall.core.frames import Frame, Pixels
    from pitwall.core.settings import CaptureSettings
    from pitwall.desktops.input_backend import InputBackend

Colour = tuple[int, int, int]
"""Red, green, blue."""


class CaptureUnsupported(PitwallError):
    """This system cannot give the window's own pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """The state of a window when it was looked at.

    Attributes:
        depth: bits of colour per pixel.
        border: width in pixels of the border that X itself draws around the client area.
        visual: X visual id; 0 on desktops without visuals.
    """

    window: WindowRef
    health: WindowHealth
    depth: int = 24
    border: int = 0
    visual: int = 0


class WindowList(ABC):
    """A connection that answers questions about windows. Use it as a context manager, or close it.

    Opening it, and every method, raises DisplayError when the display cannot be reached or was lost.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:  # noqa: B027  (a desktop may need no connection)
        """Close the connection."""

    @property
    @abstractmethod
    def screen_size(self) -> tuple[int, int]:
        """Return width and height of the screen, in pixels."""

    @abstractmethod
    def look(self, window_id: int) -> WindowState | None:
        """Return the window's state now; None if there is no such window."""

    @abstractmethod
    def client_ids(self) -> list[int]:
        """List the top-level windows in stacking order, bottom first."""

    def unmanaged_ids(self) -> list[int]:
        """List the large windows that bypass the window manager (old full-screen games), bottom first."""
        return []

    @abstractmethod
    def playable(self, window_id: int) -> bool:
        """Return whether this is more than a panel, a splash screen or the desktop's background."""

    @abstractmethod
    def at(self, x: int, y: int) -> int | None:
        """Return the topmost window at a point of the screen; None if there is none."""

    def answers(self, window_id: int, wait_s: float) -> bool | None:
        """Return whether the window's program still takes its events; waits for its answer.

        Returns:
            None: it cannot be asked. A desktop without such a question answers True.
        """
        del window_id, wait_s
        return True

    def dialogs(self, window_id: int) -> list[WindowRef]:
        """List the visible windows above this one that call themselves its dialogs, topmost first."""
        del window_id
        return []

    def pointer_is_captive(self, window_id: int) -> bool:
        """Return whether this window's program hides the pointer and keeps it: it reads only its motion."""
        del window_id
        return False

    def covering(self, window_id: int) -> list[Rect]:
        """List areas of the screen where other windows cover this one and must be blacked out."""
        del window_id
        return []


class CaptureSource(Protocol):
    """Frames of one window.

    Attributes:
        backend: "x11-pixmap", "wlr-screencopy", "screen-region" or "windows-capture".
        window: the window as it is now; replaced when it moves or is resized.
        health: visible, minimised (or unmapped, or on another desktop), gone.
        dropped: changes that a newer change overwrote before they were read.

    Every method raises DisplayError when the display is lost.
    """

    backend: str
    window: WindowRef
    health: WindowHealth
    dropped: int

    def fileno(self) -> int:
        """Return a descriptor for a selector: readable when `take` has something to do."""

    def take(self) -> Frame | None:
        """Return the newest changed frame, or None if nothing changed. Never waits for a change.

        Also follows moves, resizes, minimising and the end of the window: compare `window` and
        `health` afterwards. The pixels are valid until the next `take` or `fresh`.
        """

    def fresh(self) -> Frame | None:
        """Return a frame now, changed or not; None where the window is minimised or gone."""

    def close(self) -> None:
        """Stop capturing."""


class Marker(Protocol):
    """A coloured window laid over the screen."""

    def screen_pixels(self) -> Pixels:
        """Return the screen's true pixels where the marker is: (height, width, 4) BGRX."""


Arriving = Literal["key", "pointer"]


class Arrivals(Protocol):
    """Sees the input that a window's program is given."""

    def any(self, kind: Arriving, timeout_s: float) -> bool:
        """Return whether a key press, or the pointer, came since the beginning; wait at most this long."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of the machine."""

    name: str
    passed: bool
    text: str
    fix: str = ""


class Desktop(ABC):
    """One kind of desktop. Constructing it connects to nothing; it must be importable on every system.

    Attributes:
        name: "x11", or that of a package's, as "sway" or "windows".
        free_placement: programs may place their windows freely and lay them over others.
        processes: questions about processes, and how a game's are ended.
    """

    name: str
    free_placement: bool = True
    processes: Processes

    @abstractmethod
    def is_here(self) -> bool:
        """Return whether this process runs in a session of this desktop."""

    @abstractmethod
    def check(self) -> None:
        """Make sure that windows can be captured here.

        Raises:
            DisplayError: there is no display, or it cannot be reached; says what to do.
        """

    def notes(self) -> list[str]:
        """Return notes for the operator on a desktop that works but not for every window or purpose.

        Raises:
            DisplayError: the display cannot be reached.
        """
        return []

    def describe_seat(self, *, wanted: bool) -> str:
        """Return whether the agent has a keyboard and pointer of its own here, in a sentence.

        Args:
            wanted: the setting `broker.own_seat` is on.

        Raises:
            DisplayError: the display cannot be reached.
        """
        del wanted
        return "The agent shares your keyboard and pointer: it waits while you use them."

    def findings(self) -> Iterator[Finding]:
        """Yield the checks of how this desktop draws, scales and protects windows now."""
        yield from ()

    def display_adapters(self) -> list[str]:
        """Return the names of the graphics adapters, where this desktop knows them."""
        return []

    @abstractmethod
    def windows(self) -> WindowList:
        """Open a connection for questions about windows.

        Raises:
            DisplayError: the display cannot be reached.
        """

    @abstractmethod
    def capture(self, window: WindowRef, settings: CaptureSettings, *, after_frame: int = 0) -> CaptureSource:
        """Capture a window. The first frame counts as a change.

        Args:
            settings: "window" requires the window's own pixels, "screen" the screen's, "auto" takes
                the first if it is possible.
            after_frame: number of the last frame of an earlier source; frames count on from it.

        Raises:
            WindowLost: the window is gone or cannot be captured.
            PitwallError: "window" was required, but this system cannot do it.
            DisplayError: there is no usable display.
        """

    @abstractmethod
    def input(self) -> InputBackend:
        """Open the input of this desktop: it hears and presses keys and buttons.

        Raises:
            DisplayError: this desktop cannot be reached, or lets no program press keys.
        """

    def version(self) -> str:
        """Name this desktop's server and its version, as far as they are known.

        Raises:
            DisplayError: the display cannot be reached.
        """
        return self.name

    def watch_arrivals(self, window: WindowRef) -> AbstractContextManager[Arrivals]:
        """Watch which input a window's program is given, until the context ends.

        Raises:
            DisplayError: this desktop does not show that.
        """
        del window
        raise DisplayError(f"{self.name} does not show which presses arrive.")

    def show_marker(self, rect: Rect, colour: Colour) -> AbstractContextManager[Marker]:
        """Lay a coloured rectangle over the screen until the context ends.

        It lets clicks through, is no window for the window manager and never takes the focus.

        Raises:
            DisplayError: this desktop cannot show such a marker.
        """
        del rect, colour
        raise DisplayError(f"the leak probe has no marker for {self.name}.")

    def give_focus(self, window_id: int) -> None:  # noqa: B027  (the window system's own way may be at once)
        """Give a window of ours the keyboard focus at once, without waiting for a window manager."""

    def keep_out_of_captures(self, window_id: int) -> bool:
        """Exclude a window of ours from pictures of the screen; return whether captures are free of it."""
        del window_id
        return True
