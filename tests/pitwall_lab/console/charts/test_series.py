"""Columns of a log, smoothing, thinning, scales: what charts are made of."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
import shiboken6
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.pitwall_lab.console.charts import logs as lab_logs

from pitwall.console.charts.axes import Numbers, Scale, place_text, scale_for, tick_text
from pitwall.console.charts.data import ChartData, Line
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import compact, number, share
from pitwall_evaluation.console.axis_items import PlaceAxis, ValueAxis
from pitwall_lab.console.charts.actions import recent_counts
from pitwall_lab.console.charts.chart import Chart, spaced
from pitwall_lab.console.charts.series import Columns, Curves, curves_of, smooth, without_short_gaps
from pitwall_lab.console.charts.shared_view import SharedView
from pitwall_lab.console.charts.stack import Parts, stacked_edges


def test_columns_hold_every_point_and_nan_where_nothing_was_measured() -> None:
    curves = curves_of(lab_logs.points(700))
    assert curves.count == 700
    assert curves.column("step")[[0, -1]].tolist() == [1_000, 700_000]
    assert np.isnan(curves.column("episode_return")[:2]).all()
    assert np.isfinite(curves.column("episode_return")[2:]).all()
    assert curves.actions.shape == (700, 2)
    assert set(curves.actions.sum(axis=1)) == {1_000}
    assert curves.states["bird_y"].shape == (700,)
    assert np.isnan(curves.column("no such")).all()


def test_a_snapshot_does_not_change_when_the_log_grows() -> None:
    columns = Columns()
    columns.take(lab_logs.points(3))
    before = columns.curves()
    columns.take(lab_logs.points(2_000)[3:])
    after = columns.curves()
    assert (before.count, after.count) == (3, 2_000)
    assert before.column("step").tolist() == [1_000, 2_000, 3_000]
    assert after.states["gap_dx"].shape == (2_000,)


def test_a_resumed_training_has_one_value_for_each_step() -> None:
    columns = Columns()
    columns.take(lab_logs.points(10))
    shown = columns.curves()
    columns.take([point.model_copy(update={"loss": 7.0}) for point in lab_logs.points(8)[5:]])
    curves = columns.curves()
    assert curves.column("step").tolist() == [1_000.0 * at for at in range(1, 9)]
    assert curves.column("loss")[5:].tolist() == [7.0, 7.0, 7.0]
    assert shown.count == 10
    assert shown.column("loss")[9] != 7.0


def test_fields_that_come_later_are_unknown_before() -> None:
    made = lab_logs.points(3)
    late = made[-1].model_copy(update={"step": 4_000, "states": {"new": 1.0}, "actions": (1, 2, 3)})
    columns = Columns()
    columns.take(made)
    columns.take([late])
    curves = columns.curves()
    assert np.isnan(curves.states["new"]).tolist() == [True, True, True, False]
    assert np.isnan(curves.states["bird_y"][3])
    assert np.isnan(curves.actions[0, 2])


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.9, 0.99])
def test_smoothing_is_the_weighted_mean_of_what_was_before(weight: float) -> None:
    random.seed(1)
    values = np.asarray([random.uniform(-3, 9) for _ in range(300)])
    values[40:60] = np.nan
    result = smooth(values, weight)
    total = weights = 0.0
    for at, value in enumerate(values):
        if math.isnan(value):
            assert math.isnan(result[at])
            continue
        total, weights = weight * total + value, weight * weights + 1
        assert result[at] == pytest.approx(total / weights)


def test_smoothing_survives_what_is_not_finite() -> None:
    assert np.isnan(smooth(np.full(5, np.nan), 0.9)).all()
    result = smooth(np.asarray([1.0, math.inf, 3.0, -math.inf]), 0.5)
    assert np.isfinite(result).tolist() == [True, False, True, False]
    assert not len(smooth(np.zeros(0), 0.9))


@pytest.fixture
def chart(screen: str, qapp: QApplication, qtbot: QtBot) -> Iterator[Chart]:
    assert screen
    view = SharedView()
    made = Chart(Look(qapp), view, "Loss")
    made.resize(360, 200)
    made.show()
    qtbot.waitExposed(made)
    view.set_whole((0.0, 300.0))
    yield made
    shiboken6.delete(made)


def drawn_points(chart: Chart, line: Line) -> tuple[Numbers, Numbers]:
    """What pyqtgraph draws of a line at the chart's size."""
    chart.show_picture(ChartData(lines=[line]))
    item = next(item for item in chart._drawn if isinstance(item, pg.PlotDataItem))
    x, y = item.getData()
    return x, y


def test_a_long_line_is_thinned_and_keeps_its_extremes(chart: Chart) -> None:
    x = np.linspace(0, 300, 100_000)
    y = np.sin(x)
    y[50_123] = 90.0
    thin_x, thin_y = drawn_points(chart, Line(label="", ink=0, x=x, raw=y))
    assert len(thin_x) <= 12 * 300
    assert thin_y.max() == 90.0
    assert np.all(np.diff(thin_x) >= 0)
    assert np.isfinite(thin_y).all()


def test_a_zoomed_line_is_clipped_to_the_view(chart: Chart) -> None:
    x = np.linspace(0, 300, 100_000)
    chart._view.zoom(100, 103)
    thin_x, _ = drawn_points(chart, Line(label="", ink=0, x=x, raw=np.sin(x)))
    assert 99 < thin_x.min() <= 100
    assert 103 <= thin_x.max() < 104


def test_gaps_break_a_line_unless_it_goes_on_over_them() -> None:
    x = np.arange(9, dtype=np.float64)
    y = np.asarray([1, 2, np.nan, 4, np.nan, np.nan, 7, 8, np.inf])

    def pieces(longest: int) -> list[int]:
        """Points of each piece of the line."""
        result = np.isfinite(without_short_gaps(x, y, longest)[1])
        ends = np.split(result, np.flatnonzero(np.diff(result)) + 1)
        return [len(end) for end in ends if end.all() and len(end)]

    assert pieces(0) == [2, 1, 2]
    assert pieces(2) == [5]
    assert pieces(1) == [3, 2]
    assert not np.isfinite(without_short_gaps(x, np.full(9, np.nan), 3)[1]).any()


def test_a_long_line_keeps_its_long_gap(chart: Chart) -> None:
    wide = np.sin(np.arange(10_000.0))
    wide[4_000:6_000] = np.nan
    x = np.linspace(0, 300, 10_000)
    _, thin_y = drawn_points(chart, Line(label="", ink=0, x=x, raw=wide))
    finite = np.isfinite(thin_y)
    assert np.count_nonzero(np.diff(finite)) == 2


def test_scales_have_room_and_round_ticks() -> None:
    scale = scale_for(-8.0, 200.0)
    assert scale.low <= -8 and scale.high >= 200
    assert (scale.high - scale.low) < 300
    assert ticks(scale) == [0.0, 100.0, 200.0]
    for low, high in ((0.0, 0.0), (5.0, 5.0), (-3.0, -3.0), (math.nan, 1.0), (1e-9, 2e-9), (-1e12, 1e12)):
        for log in (False, True):
            made = scale_for(low, high, log=log)
            assert made.low < made.high
            assert made.ends[0] < made.ends[1]
            assert 0 < len(ticks(made)) <= 101


def ticks(scale: Scale) -> list[float]:
    """The values at which a chart of 120 pixels has ticks."""
    axis = ValueAxis("left")
    axis.shown = scale
    return [scale.value(place) for _, places in axis.tickValues(*scale.ends, 120) for place in places]


def test_a_logarithmic_scale_reaches_from_small_to_large_and_below_zero() -> None:
    scale = scale_for(0.01, 100.0, log=True)
    low, high = scale.ends
    shares = (scale.place(np.asarray([0.01, 0.1, 1.0, 10.0, 100.0])) - low) / (high - low)
    assert np.all(np.diff(shares) > 0.15)
    around = scale_for(-50.0, 1_000.0, log=True)
    places = around.place(np.asarray([-50.0, -1.0, 0.0, 1.0, 1_000.0]))
    assert np.all(np.diff(places) > 0)
    assert around.value(float(places[-1])) == pytest.approx(1_000)


def test_numbers_stand_with_units_and_real_minus_signs() -> None:
    assert number(0.2712) == "0.27"
    assert number(914.4, "Hz") == "914 Hz"
    assert number(-5.4) == "−5.40"
    assert number(math.nan, "px") == "–"
    assert number(0.00123) == "0.0012"
    assert compact(51_200) == "51.2 k"
    assert share(0.19) == "19 %"
    assert number(8.9e-7) == "8.9e−7"
    assert share(0.0001) == "<0.1 %"
    assert share(0.004) == "0.4 %"
    assert place_text("step", 51_200) == "step 51,200"
    assert place_text("relative", 95) == "after 1:35"


@pytest.mark.usefixtures("qapp")
def test_time_axes_have_round_ticks() -> None:
    axis = PlaceAxis()
    axis.kind = "relative"
    assert list(axis.tickValues(0, 600, 352)[0][1]) == [0, 300, 600]
    axis.kind = "wall"
    places = axis.tickValues(lab_logs.BEGAN, lab_logs.BEGAN + 3_000, 352)[0][1]
    assert len(places)
    assert all(time.localtime(tick).tm_sec == 0 for tick in places)
    assert len(axis.tickStrings(places, 1, 300)) == len(places)
    assert tick_text(0.25, 0.25) == "0.25"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".csv"])
def test_a_chart_is_saved_as_picture_and_numbers(chart: Chart, tmp_path: Path, suffix: str) -> None:
    line = Line(label="v1", ink=0, x=np.asarray([0.0, 100.0]), raw=np.asarray([1.5, np.nan]))
    chart.show_picture(ChartData(lines=[line]))
    path = tmp_path / f"loss{suffix}"
    chart.save(path)
    written = path.read_bytes()
    if suffix == ".png":
        assert QImage.fromData(written).width() == 2 * chart.width()
    elif suffix == ".svg":
        assert b"<svg" in written and b"Loss" in written and b"v1" in written
    else:
        assert written.decode().splitlines() == ["series,step,value,smoothed", "v1,0,1.5,", "v1,100,,"]
    with pytest.raises(OSError, match="gone"):
        chart.save(tmp_path / "gone" / f"loss{suffix}")


def test_what_is_read_is_the_nearest_measured_point() -> None:
    line = Line(
        label="v1", ink=0, x=np.asarray([0.0, 10.0, 20.0, 30.0]), raw=np.asarray([1.0, np.nan, 3.0, 4.0])
    )
    assert line.near(11.0, 1.0) == 2
    assert line.near(29.0, 1.0) == 3
    assert line.near(500.0, 1.0) is None
    assert line.last() == 4.0


def test_a_few_wild_values_do_not_flatten_a_chart() -> None:
    raw = np.sin(np.linspace(0, 20, 1_000))
    raw[500] = 5_000.0
    line = Line(label="", ink=0, x=np.arange(1_000.0), raw=raw, smooth=np.zeros(1_000))
    assert ChartData(lines=[line]).scale(0, 999).high < 10


def test_recent_counts_reach_back_over_so_many_decisions() -> None:
    actions = np.asarray([[900, 100], [100, 900], [500, 500]], np.float64)
    counts, decisions = recent_counts(Curves(count=3, actions=actions), 1_500)
    assert (counts.tolist(), decisions) == ([600, 1_400], 2_000)
    assert recent_counts(Curves(count=3, actions=actions), 10**9)[1] == 3_000
    assert recent_counts(Curves())[1] == 0


def test_shares_fill_the_height_and_negative_parts_pile_downwards() -> None:
    x = np.arange(1_000.0)
    counts = np.column_stack((np.full(1_000, 3.0), np.full(1_000, 1.0)))
    shares = stacked_edges(Parts(x=x, values=counts, names=["a", "b"], shares=True), 0, 999)
    assert len(shares.x) <= 160
    assert shares.upper[:, -1] == pytest.approx(np.ones(len(shares.x)))
    means = stacked_edges(
        Parts(x=x, values=np.column_stack((counts, -counts[:, 1])), names=["a", "b", "c"]), 0, 999
    )
    assert means.upper[0].tolist() == pytest.approx([3, 4, 0])
    assert means.lower[0].tolist() == pytest.approx([0, 3, -1])
    assert not len(stacked_edges(Parts(x=x, values=np.full((1_000, 2), np.nan), names=["a", "b"]), 0, 9).x)


def test_evaluations_that_stand_too_near_are_left_out_but_never_the_best() -> None:
    x = np.arange(0.0, 100.0, 3.0)
    shown = spaced(x, 13, 10)
    assert 13 in shown
    assert shown[-1] == len(x) - 1
    assert np.diff(x[shown]).min() >= 10
    assert spaced(x, -1, 1) == list(range(len(x)))
    assert spaced(np.zeros(0), -1, 10) == []
