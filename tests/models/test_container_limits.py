"""Limits of containers: made folders of both versions of cgroups, and a real group where root may."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.models.container_limits import memory_left, processors
from pitwall.models.free_memory import free_memory

MIB = 1 << 20


def _made(root: Path, groups: str, **files: dict[str, str]) -> Path:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(groups)
    for group, content in files.items():
        folder = root / "sys/fs/cgroup" / group.replace("__", "/")
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in content.items():
            (folder / name.replace("_", ".", 1)).write_text(text)
    return root


def _v2(limit: int | str, used: int, cached: int = 0) -> dict[str, str]:
    stat = f"anon 1\ninactive_file {cached}\n"
    return {"memory_max": f"{limit}\n", "memory_current": f"{used}\n", "memory_stat": stat}


def _v1(limit: int, used: int, cached: int = 0) -> dict[str, str]:
    stat = f"cache 5\ninactive_file 1\ntotal_inactive_file {cached}\n"
    return {"memory_limit_in_bytes": str(limit), "memory_usage_in_bytes": str(used), "memory_stat": stat}


def test_the_tightest_limit_of_version_2_counts(tmp_path: Path) -> None:
    root = _made(
        tmp_path,
        "0::/outer/inner\n",
        outer=_v2(700 * MIB, 300 * MIB, 100 * MIB),
        outer__inner=_v2("max", 10),
    )
    assert memory_left(root) == 500 * MIB


def test_in_a_namespace_the_mount_is_the_own_group(tmp_path: Path) -> None:
    root = _made(tmp_path, "0::/../../docker/4711\n", **{".": _v2(64 * MIB, 100 * MIB)})
    assert memory_left(root) == 0


def test_version_1_is_read_and_its_huge_number_is_no_limit(tmp_path: Path) -> None:
    groups = "4:memory:/job\n3:cpu,cpuacct:/job\n0::/\n"
    root = _made(tmp_path, groups, memory=_v1(2**63 - 4096, 1), memory__job=_v1(90 * MIB, 50 * MIB, 5 * MIB))
    assert memory_left(root) == 45 * MIB
    free = _made(tmp_path / "free", groups, memory=_v1(2**63 - 4096, 1))
    assert memory_left(free) is None and memory_left(tmp_path / "nothing") is None


@pytest.mark.parametrize(
    ("groups", "group", "files", "most"),
    [
        ("0::/a", "a", {"cpu_max": "100000 100000"}, 1),
        ("0::/a", "a", {"cpu_max": "50000 100000"}, 1),
        ("0::/a", "a", {"cpu_max": "max 100000"}, 4096),
        ("2:cpu:/a", "cpu__a", {"cpu_cfs_quota_us": "100000", "cpu_cfs_period_us": "100000"}, 1),
        ("2:cpu:/a", "cpu__a", {"cpu_cfs_quota_us": "-1", "cpu_cfs_period_us": "100000"}, 4096),
    ],
)
def test_a_quota_bounds_the_processors(
    tmp_path: Path, groups: str, group: str, files: dict[str, str], most: int
) -> None:
    root = _made(tmp_path, groups, **{group: files})
    assert processors(root) == min(most, processors(tmp_path / "nothing"))


def test_affinity_bounds_the_processors() -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system has no affinity")
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from pitwall.models.container_limits import processors;"
        "from pitwall.host.backends.gguf.library import threads_for; print(processors(), threads_for(0))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "1 1\n"


def test_a_real_limit_is_seen() -> None:
    own = [line.split(":")[2] for line in _groups() if line.split(":")[1:2] == ["memory"]]
    folder = Path(f"/sys/fs/cgroup/memory{own[0]}/pitwall-test") if own else None
    try:
        assert folder is not None
        folder.mkdir()
    except (OSError, AssertionError):
        pytest.skip("no group can be made here")
    try:
        (folder / "memory.limit_in_bytes").write_text("700M")
        code = (
            "from pathlib import Path; import os, sys; Path(sys.argv[1]).write_text(str(os.getpid()));"
            "from pitwall.models.free_memory import free_memory; print(free_memory().ram_bytes)"
        )
        command = [sys.executable, "-c", code, str(folder / "cgroup.procs")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert 0 < int(done.stdout) < 700 * MIB <= free_memory().ram_bytes
    finally:
        folder.rmdir()


def _groups() -> list[str]:
    file = Path("/proc/self/cgroup")
    return file.read_text().splitlines() if file.exists() else []
