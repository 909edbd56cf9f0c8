"""A page is added by a folder of its own and one file outside it, on a copy of the tree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_rail import copied_tree, environment

_PAGE = '''
from PySide6.QtWidgets import QLabel, QVBoxLayout

from pitwall.console.kit.page import Page
from pitwall.console.kit.places import HELLO


class HelloPage(Page):
    """Greets the operator."""

    place = HELLO

    def __init__(self, bridge, look):
        super().__init__(bridge, look)
        QVBoxLayout(self).addWidget(QLabel("Hello, operator"))
'''
_PLACE = """
HELLO = Place(
    key="hello",
    title="Hello",
    icon="mdi6.hand-wave",
    page="pitwall.console.hello.page:HelloPage",
    order=45,
)
CORE = (*CORE, HELLO)
"""
_SHOW = """
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel, QToolButton

from pitwall.console.shell.application import Console
from pitwall.core.paths import DataFolder
from pitwall.link.engine_session import EngineSession

console = Console(QApplication([]), DataFolder(Path(sys.argv[1])), EngineSession, list, preflight=False)
console.window.show()
console.window.show_page("hello")
page = console.window.page
print(type(page).__name__, "|", page.findChild(QLabel).text())
print("rail:", [button.text() for button in console.window.findChildren(QToolButton) if button.text()])
console.close()
"""


@pytest.mark.screen
@pytest.mark.usefixtures("screen")
def test_a_page_needs_one_file_outside_its_folder(project_root: Path, tmp_path: Path) -> None:
    app = copied_tree(project_root, tmp_path / "tree", ())
    places = app / "pitwall" / "console" / "kit" / "places.py"
    text = places.read_text(encoding="utf-8")
    assert text.count("\n\n\ndef all_places(") == 1
    places.write_text(
        text.replace("\n\n\ndef all_places(", f"\n{_PLACE}\n\ndef all_places("), encoding="utf-8"
    )
    folder = app / "pitwall" / "console" / "hello"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "page.py").write_text(_PAGE, encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-c", _SHOW, str(tmp_path / "data")],
        env=environment(app),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert "HelloPage | Hello, operator" in shown.stdout
    assert "Hello" in shown.stdout.partition("rail:")[2]
