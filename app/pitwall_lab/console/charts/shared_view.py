"""Shares a view among the charts of one panel: the axis, the stretch in view, the crosshair's place."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from pitwall.console.charts.axes import Axis

_LEAST_SHARE = 1e-4
"""The smallest stretch to look at, as a share of the whole."""


class SharedView(QObject):
    """Holds one stretch of one axis, for all charts at once.

    Signals:
        moved(): another axis or stretch is in view. pointed(): the place that is read changed.

    Attributes:
        axis: what lies along the bottom. whole: least and greatest x there is.
        at: x of the crosshair; None: nothing is read.
    """

    moved = Signal()
    pointed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.axis: Axis = "step"
        self.whole = (0.0, 1.0)
        self.at: float | None = None
        self._zoomed: tuple[float, float] | None = None

    @property
    def zoomed(self) -> bool:
        """Return whether only a part is in view."""
        return self._zoomed is not None

    @property
    def stretch(self) -> tuple[float, float]:
        """Return the least and greatest x in view."""
        return self._zoomed or self.whole

    def use_axis(self, axis: Axis) -> None:
        """Put another axis along the bottom; everything is in view again."""
        if axis != self.axis:
            self.axis, self._zoomed, self.at = axis, None, None
            self.moved.emit()

    def set_whole(self, span: tuple[float, float] | None) -> None:
        """Say what there is; a zoomed stretch stays."""
        low, high = span or (0.0, 1.0)
        if self.axis != "wall":
            low = min(0.0, low)
        if high <= low:
            high = low + 1.0
        if (low, high) != self.whole:
            self.whole = (low, high)
            if self._zoomed is not None and not self._inside(*self._zoomed):
                self._zoomed = None
            self.moved.emit()

    def zoom(self, low: float, high: float) -> None:
        """Show a stretch; a stretch that holds everything resets the zoom."""
        first, last = self.whole
        low, high = max(first, min(low, high)), min(last, max(low, high))
        if high - low < _LEAST_SHARE * (last - first):
            return
        near = 1e-9 * (last - first)
        whole = low <= first + near and high >= last - near
        zoomed = None if whole else (low, high)
        if zoomed != self._zoomed:
            self._zoomed = zoomed
            self.moved.emit()

    def zoom_by(self, factor: float, about: float | None = None) -> None:
        """Look nearer (factor above 1) or farther, keeping the place `about` where it is."""
        low, high = self.stretch
        centre = (low + high) / 2 if about is None else about
        self.zoom(centre - (centre - low) / factor, centre + (high - centre) / factor)

    def pan(self, share: float) -> None:
        """Move by a share of the visible stretch, within the data."""
        low, high = self.stretch
        first, last = self.whole
        by = min(max(share * (high - low), first - low), last - high)
        if by:
            self.zoom(low + by, high + by)

    def reset(self) -> None:
        """Show the whole axis again."""
        if self._zoomed is not None:
            self._zoomed = None
            self.moved.emit()

    def point(self, at: float | None) -> None:
        """Read at another place."""
        if at != self.at:
            self.at = at
            self.pointed.emit()

    def _inside(self, low: float, high: float) -> bool:
        return low < self.whole[1] and high > self.whole[0]
