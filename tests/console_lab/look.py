"""Look at the lab's widgets in a real window, and keep a picture of it:

python -m tests.console_lab.look curves --theme light --shot out.png
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from tests.console_lab import lab_logs

from pitwall.console.lab.chart_data import Reference
from pitwall.console.lab.curves import CurvesPanel
from pitwall.console.theme import PAD, Look

Scene = Callable[[Look, Path], QWidget]


def curves(look: Look, folder: Path) -> QWidget:
    """Three runs, the reference, and the crosshair."""
    panel = CurvesPanel(look)
    panel.set_score_unit("pipes")
    panel.set_references([Reference(28.3, "paper, mean 28.3 pipes")])
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
        chart._point(place)

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
    panel.show_table(True)
    return panel


SCENES: dict[str, Scene] = {"curves": curves, "empty": empty, "table": table}


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
