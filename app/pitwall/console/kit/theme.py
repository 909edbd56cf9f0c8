"""Defines the console's look: colours, spacing, fonts. Each colour has one meaning everywhere.

Strategic is violet, reactive cyan, reflex amber, stopped or refused red, human and good green; all else is
neutral. Widgets take colours from a `Look`, which emits `changed` with another theme. The stylesheet is
`resources/console.qss`, whose `$names` are the fields of `Palette`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from string import Template
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from pitwall.console.kit.format import Tone as Tone
from pitwall.console.kit.icon_font import FontIcon
from pitwall.core.calls import PICTURE
from pitwall.core.paths import resources_dir
from pitwall.core.signals import Route

ThemeName = Literal["dark", "light"]

STEP = 4
"""Spacing unit in pixels: every gap is a multiple of it."""
GAP = 2 * STEP
PAD = 3 * STEP
WIDE = 4 * STEP
RADIUS = 8
"""Corners of cards and buttons, in pixels."""
RAIL_WIDTH = 56
TOP_HEIGHT = 52
BOTTOM_HEIGHT = 32
SIDE_WIDTH = 348
"""Width of the column beside the picture."""
COMPACT_WIDTH = 1080
"""Narrower windows put the side column into tabs under the picture."""

TEXT_PX = 13
SMALL_PX = 12
TINY_PX = 11
_STYLE = "fusion"
FAMILIES = ["Inter", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans"]
MONO_FAMILIES = ["JetBrains Mono", "Cascadia Mono", "SF Mono", "DejaVu Sans Mono"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours by meaning, as #RRGGBB.

    Attributes:
        well: behind the picture. raised: cards and buttons. hover: a raised thing under the pointer.
        faint: figures' names, axes; never the only carrier of a message.
        *_soft: the meaning's colour as a background.
        inverse: text on `text` (the primary button) and on a filled meaning colour.
        layer_*: where a span of a prompt came from (core.prompts.Layer); none of them means a controller.
        score_*: what a retrieval's score is made of: likeness of texts, worth of the action, the graph.
    """

    background: str
    well: str
    panel: str
    raised: str
    hover: str
    line: str
    text: str
    dim: str
    faint: str
    focus: str
    inverse: str
    strategic: str
    reactive: str
    reflex: str
    stop: str
    human: str
    ok: str
    strategic_soft: str
    reactive_soft: str
    reflex_soft: str
    stop_soft: str
    ok_soft: str
    layer_l1: str
    layer_l2: str
    layer_l3: str
    layer_l4: str
    layer_l5: str
    layer_rounds: str
    layer_state: str
    layer_template: str
    score_likeness: str
    score_worth: str
    score_graph: str


_COLOURS = {
    "background": ("#0D1014", "#EEF1F4"),
    "well": ("#080A0D", "#DFE4EA"),
    "panel": ("#13181F", "#F8FAFB"),
    "raised": ("#1A212A", "#FFFFFF"),
    "hover": ("#222B36", "#EEF2F6"),
    "line": ("#252E39", "#D3DAE2"),
    "text": ("#DCE3EB", "#17202B"),
    "dim": ("#8793A2", "#566273"),
    "faint": ("#6B7787", "#6C7888"),
    "focus": ("#8FA6C4", "#4A6FA5"),
    "inverse": ("#0D1014", "#FFFFFF"),
    "strategic": ("#A78BFA", "#6A45DE"),
    "reactive": ("#38BDF8", "#04719F"),
    "reflex": ("#F5A524", "#945400"),
    "stop": ("#F0526B", "#C4203E"),
    "human": ("#3FCF8E", "#0B7A4B"),
    "ok": ("#3FCF8E", "#0B7A4B"),
    "strategic_soft": ("#231F38", "#ECE7FD"),
    "reactive_soft": ("#122937", "#DEF1FA"),
    "reflex_soft": ("#30240F", "#FBEED9"),
    "stop_soft": ("#33161D", "#FCE5E9"),
    "ok_soft": ("#12291F", "#DDF3E8"),
    "layer_l1": ("#93A1B3", "#556373"),
    "layer_l2": ("#7E9BDB", "#3B5BA5"),
    "layer_l3": ("#5FB0A6", "#176F78"),
    "layer_l4": ("#DE86BE", "#9C3879"),
    "layer_l5": ("#B3BC5C", "#5F6610"),
    "layer_rounds": ("#E6C6F2", "#2E3350"),
    "layer_state": ("#DCA587", "#8F4B2A"),
    "layer_template": ("#6B7787", "#6C7888"),
    "score_likeness": ("#9CC3E8", "#2F6BA8"),
    "score_worth": ("#E3CF8F", "#877B33"),
    "score_graph": ("#D6A6C9", "#7C5295"),
}
"""Each colour in the dark theme, and in the light one."""
DARK, LIGHT = (Palette(**{name: pair[at] for name, pair in _COLOURS.items()}) for at in (0, 1))
PALETTES: dict[ThemeName, Palette] = {"dark": DARK, "light": LIGHT}

ROUTE_SIGNS = {Route.STRATEGIC: "▲", Route.REACTIVE: "●", Route.REFLEX: "◆", Route.PERSON: "★"}
"""Shape of each route: colour is never the only sign."""


def route_tone(route: Route | None) -> Tone:
    """Return the tone of a controller; neutral for None."""
    if route is None:
        return "neutral"
    tones: dict[Route, Tone] = {
        Route.STRATEGIC: "strategic",
        Route.REACTIVE: "reactive",
        Route.REFLEX: "reflex",
        Route.PERSON: "human",
    }
    return tones[route]


def layer_colour(layer: str) -> str:
    """Return the palette's field for a layer (`core.prompts.Layer`), `PICTURE` or `TEMPLATE`."""
    return "layer_template" if layer == PICTURE else f"layer_{layer.lower()}"


def ui_font(pixels: int = TEXT_PX, *, bold: bool = False) -> QFont:
    """Return the console's font with tabular figures, in logical pixels."""
    font = QFont()
    font.setFamilies(FAMILIES)
    font.setPixelSize(pixels)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def mono_font(pixels: int = SMALL_PX) -> QFont:
    """Return a monospaced font, for logs and tracebacks."""
    font = QFont()
    font.setFamilies(MONO_FAMILIES)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(pixels)
    return font


@cache
def stylesheet(palette: Palette) -> str:
    """Return the stylesheet in the colours of a palette."""
    text = (resources_dir() / "console.qss").read_text(encoding="utf-8")
    icons = (resources_dir() / "icons").as_posix()
    side = "dark" if palette == DARK else "light"
    return Template(text).substitute(asdict(palette), icons=icons, side=side)


def app_icon() -> QIcon:
    """Return the program's icon."""
    return QIcon(str(resources_dir() / "icons" / "pitwall.svg"))


class Look(QObject):
    """The theme in force; emits `changed` for painted widgets.

    Args:
        app: the application whose stylesheet, palette and font it sets.
        theme: the initial theme.
    """

    changed = Signal()

    def __init__(self, app: QApplication, theme: ThemeName = "dark") -> None:
        super().__init__()
        self._app = app
        self.theme: ThemeName = theme
        self.palette = PALETTES[theme]
        app.setFont(ui_font())
        app.setWindowIcon(app_icon())
        if app.style().name() != _STYLE:
            app.setStyle(_STYLE)
        app.setPalette(_qt_palette(self.palette))

    def use(self, theme: ThemeName) -> None:
        """Change the theme of visible windows at once, and of the others when they are shown."""
        if theme == self.theme:
            return
        self.theme = theme
        self.palette = PALETTES[theme]
        self._app.setPalette(_qt_palette(self.palette))
        self.changed.emit()

    def dress(self, part: QWidget) -> None:
        """Keep a part of the window, or a dialog, in the theme in force.

        The application has no stylesheet of its own: it would restyle new widgets in each layout they enter.
        """
        _Dress(self, part)

    def colour(self, name: str, alpha: int = 255) -> QColor:
        """Return a colour of the palette; "neutral" is dim text."""
        colour = QColor(getattr(self.palette, "dim" if name == "neutral" else name))
        colour.setAlpha(alpha)
        return colour

    def icon(self, name: str, colour: str = "dim", active: str = "text") -> QIcon:
        """Return a QtAwesome icon in colours of the palette."""
        return QIcon(FontIcon(name, self.colour(colour), self.colour(active), self.colour("line")))


class _Dress(QObject):
    """Gives a widget the theme's stylesheet as it comes into view, and another theme's while it is."""

    def __init__(self, look: Look, part: QWidget) -> None:
        super().__init__(part)
        self._look, self._part = look, part
        self._worn: ThemeName | None = None
        if part.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            self._wear()
        look.changed.connect(self._change)
        part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Polish, QEvent.Type.Show):
            self._wear()
        return super().eventFilter(watched, event)

    def _change(self) -> None:
        if self._part.isVisible():
            self._wear()

    def _wear(self) -> None:
        if self._worn != self._look.theme:
            self._worn = self._look.theme
            self._part.setStyleSheet(stylesheet(self._look.palette))


def _qt_palette(colours: Palette) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in (
        (role.Window, colours.panel),
        (role.WindowText, colours.text),
        (role.Base, colours.background),
        (role.AlternateBase, colours.raised),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.faint),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.focus),
        (role.HighlightedText, colours.inverse),
        (role.Link, colours.text),
    ):
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(colours.faint))
    return palette
