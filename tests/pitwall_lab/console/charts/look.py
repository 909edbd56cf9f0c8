"""Look at the lab's widgets in a real window, and keep a picture of it:

python -m tests.pitwall_lab.console.charts.look curves --theme light --shot out.png
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from tests.pitwall_lab.console.charts import logs as lab_logs
from tests.pitwall_lab.console.charts.logs import ANALYSIS

from pitwall.console.charts.data import Reference
from pitwall.console.kit.theme import PAD, Look
from pitwall_lab.console.charts.actions import ActionsPanel
from pitwall_lab.console.charts.analysis_view import AnalysisView
from pitwall_lab.console.charts.clips import ClipsPanel
from pitwall_lab.console.charts.curves import CurvesPanel
from pitwall_lab.console.charts.trends import Group, TrendsPanel

Scene = Callable[[Look, Path], QWidget]


def curves(look: Look, folder: Path) -> QWidget:
    """Three runs, the reference, and the crosshair."""
    panel = CurvesPanel(look)
    panel.set_trial("pipes", [Reference(28.3, "paper, mean 28.3 pipes")])
    panel.show_runs(
        [
            lab_logs.run(folder / "v2", "v2", 212, label="v2 · training", top=151),
            lab_logs.run(folder / "v1", "v1", 200, colour=1, label="v1 · gap centre term", top=92),
            lab_logs.run(folder / "v0", "v0", 150, colour=2, label="first reward", top=31),
        ]
    )

    def read() -> None:
        chart = panel.card("score").chart
        place = QPointF(chart.width() * 0.55, chart.height() * 0.5)
        chart.read_at(place)

    QTimer.singleShot(500, read)
    return panel


def empty(look: Look, folder: Path) -> QWidget:
    """Nothing yet."""
    assert folder
    return CurvesPanel(look)


def table(look: Look, folder: Path) -> QWidget:
    """The twin."""
    panel = curves(look, folder)
    assert isinstance(panel, CurvesPanel)
    next(item for item in panel.findChildren(QPushButton) if item.text() == "Table").click()
    return panel


def actions(look: Look, folder: Path) -> QWidget:
    """Action use."""
    panel = ActionsPanel(look)
    panel.show_run(lab_logs.run(folder / "v2", "v2", 212))
    QTimer.singleShot(500, lambda: panel.chart.read_at(QPointF(400, 60)))
    return panel


def trends(look: Look, folder: Path, group: Group = "states") -> QWidget:
    """Means over the training."""
    panel = TrendsPanel(look, group)
    panel.set_units({"bird_y": "px", "gap_dx": "px"})
    panel.show_runs([lab_logs.run(folder / f"v{at}", f"v{at}", 212, colour=at) for at in range(2)])
    return panel


def rewards(look: Look, folder: Path) -> QWidget:
    """Parts of the reward."""
    return trends(look, folder, "rewards")


def analysis(look: Look, _folder: Path) -> QWidget:
    """An analysis."""
    view = AnalysisView(look)
    view.show_analysis(ANALYSIS)
    return view


def clips(look: Look, folder: Path) -> QWidget:
    """A clip."""
    panel = ClipsPanel(look)
    made = lab_logs.evaluations(3)
    for item in made:
        lab_logs.write_clip(folder / item.clip)
    panel.show_version(folder, made, "pipes")
    return panel


SCENES: dict[str, Scene] = {
    "actions": actions,
    "trends": trends,
    "rewards": rewards,
    "analysis": analysis,
    "clips": clips,
    "curves": curves,
    "empty": empty,
    "table": table,
}


def main() -> int:
    """Show a scene, and keep a picture of it."""
    options = argparse.ArgumentParser()
    options.add_argument("scene", choices=SCENES)
    options.add_argument("--theme", default="dark", choices=["dark", "light"])
    options.add_argument("--size", default="920x900")
    options.add_argument("--shot", type=Path, required=True)
    arguments = options.parse_args()
    app = QApplication(sys.argv[:1])
    look = Look(app, arguments.theme)
    window = QWidget()
    window.setObjectName("page")
    layout = QVBoxLayout(window)
    layout.setContentsMargins(PAD, PAD, PAD, PAD)
    with tempfile.TemporaryDirectory() as folder:
        layout.addWidget(SCENES[arguments.scene](look, Path(folder)))
        width, height = (int(part) for part in arguments.size.split("x"))
        window.resize(width, height)
        window.show()
        QTimer.singleShot(1_500, lambda: (window.grab().save(str(arguments.shot)), app.quit()))
        app.exec()
    return 0


if __name__ == "__main__":
    sys.exit(main())
