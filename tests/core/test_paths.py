"""A file that is put in place whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_WRITES = """
import sys
from pathlib import Path
from pitwall.core.paths import write_whole
for _ in range(300):
    write_whole(Path(sys.argv[1]), sys.argv[2] * int(sys.argv[3]))
"""


def test_two_programs_that_write_a_file_at_once_write_it_whole_both(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITES, str(file), letter, length])
        for letter, length in (("a", "200000"), ("b", "20"))
    ]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if file.exists():
            seen.add(file.read_text())
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {"a" * 200_000, "b" * 20}
    assert [left.name for left in tmp_path.iterdir()] == ["settings.json"]
