"""Too large a matrix is refused before it is made, with the figure, or not made at all."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy as np
import pytest

from kernelwise import GridSearchSVC, TunedSVC
from kernelwise._core import memory as _memory
from kernelwise.exceptions import NotEnoughMemoryError
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path

MIB = 2**20
N = 3500  # a Gram matrix of 93 MiB
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
X = RNG.normal(size=(N, 2)) + 3.0 * Y[:, None]


@pytest.fixture
def little_memory(monkeypatch):
    """100 MiB, of which 90 may be used."""
    monkeypatch.setattr(_memory, "available_memory", lambda: 100.0 * MIB)


FIGURE = r"matrices of \d+ × \d+ kernel values would need .* MiB, and 100 MiB of memory are available\."


def test_one_matrix(little_memory):
    with pytest.raises(NotEnoughMemoryError, match=r"A matrix of 3500 × 3500 .* need 93\.5 MiB"):
        RBF()(X)
    assert RBF()(X.astype(np.float32)).shape == (N, N)  # half as large
    assert RBF()(X, X[:3000]).shape == (N, 3000)  # 80 MiB
    assert issubclass(NotEnoughMemoryError, MemoryError)


def test_searches_and_paths(little_memory):
    with pytest.raises(NotEnoughMemoryError, match=FIGURE):
        TunedSVC("poly", n_jobs=1).fit(X, Y)
    with pytest.raises(NotEnoughMemoryError, match=FIGURE):
        GridSearchSVC({"C": [1.0], "gamma": [0.1]}, cv=2, n_jobs=2).fit(X, Y)
    # Each thread has the part of one machine, two thirds of the samples, and a copy in single precision.
    # A copy of all has the samples of a class side by side, unless they are.
    halves = [(np.arange(0, N, 2), np.arange(1, N, 2)), (np.arange(1, N, 2), np.arange(0, N, 2))]
    with pytest.raises(NotEnoughMemoryError, match=r"2\.33\d* matrices of 3500 × 3500 kernel values"):
        svm_path(np.eye(N), np.arange(N) % 3, [1.0], halves, n_jobs=2)
    with pytest.raises(NotEnoughMemoryError, match=r"A matrix of 3500 × 3500 kernel values"):
        svm_path(np.eye(N), np.arange(N) // 2 % 2, [1.0], halves, n_jobs=2)  # of all samples that copy alone


def test_a_search_in_single_precision(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 70.0 * MIB)
    many = RNG.normal(size=(4200, 2))  # a Gram matrix of 135 MiB, or 67 MiB
    with pytest.raises(NotEnoughMemoryError, match=r"A matrix of 4200 × 4200 .* need 67\.3 MiB"):
        TunedSVC("rbf", n_jobs=1).fit(many, many[:, 0] > 0)


def test_a_precomputed_matrix_is_not_copied(little_memory):
    with pytest.raises(NotEnoughMemoryError, match="A matrix of 3500 × 3500 kernel values"):
        TunedSVC("precomputed").fit(np.eye(N), Y)


def test_what_the_system_says(monkeypatch, tmp_path):
    assert 0 < _memory.available_memory() < 2**60
    meminfo = tmp_path / "meminfo"
    monkeypatch.setattr(_memory, "MEMINFO", meminfo)
    monkeypatch.setattr(_memory, "GROUPS", tmp_path / "none")
    meminfo.write_text("MemTotal:  2000 kB\nMemFree:  10 kB\nMemAvailable:  1000 kB\n")
    assert _memory.available_memory() == 1024_000
    meminfo.unlink()
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(_memory.os, "sysconf_names", pages)  # as on macOS
    monkeypatch.setattr(_memory.os, "sysconf", pages.get)
    assert _memory.available_memory() == 4096_000
    monkeypatch.setattr(_memory.os, "sysconf_names", {})
    assert _memory.available_memory() == float("inf")


@pytest.mark.parametrize(("is_known", "expected"), [(1, 2**33), (0, float("inf"))])
def test_what_windows_says(is_known, expected):
    class Kernel32:
        def GlobalMemoryStatusEx(self, reference):
            status = reference._obj
            assert status.length == 64  # the size that Windows documents
            status.available = 2**33
            return is_known

    class Libraries:
        kernel32 = Kernel32()

    assert _memory._of_windows(Libraries()) == expected


def group(folder, limit, usage, cached, names=("memory.max", "memory.current"), prefix=""):
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in zip(names, (limit, usage), strict=True):
        (folder / name).write_text(f"{value}\n")
    (folder / "memory.stat").write_text(
        f"anon 100\n{prefix}inactive_file {cached - 20}\n{prefix}active_file 20\n"
    )


def test_what_control_groups_say(monkeypatch, tmp_path):
    monkeypatch.setattr(_memory, "ROOT", tmp_path)
    monkeypatch.setattr(_memory, "GROUPS", tmp_path / "cgroup")
    (tmp_path / "cgroup").write_text("0::/slice/job\n")
    assert _memory._of_groups() == float("inf")
    group(tmp_path / "slice" / "job", "max", 400_000, 50_000)
    assert _memory._of_groups() == float("inf")
    group(tmp_path / "slice", 600_000, 500_000, 70_000)
    assert _memory._of_groups() == 170_000
    group(tmp_path / "slice" / "job", 500_000, 400_000, 50_000)
    assert _memory._of_groups() == 150_000


def test_what_control_groups_of_version_1_say(monkeypatch, tmp_path):
    monkeypatch.setattr(_memory, "ROOT", tmp_path)
    monkeypatch.setattr(_memory, "GROUPS", tmp_path / "cgroup")
    (tmp_path / "cgroup").write_text("5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n")
    names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
    group(tmp_path / "memory", 500_000, 100_000, 3000, names, "total_")
    assert _memory._of_groups() == 403_000


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep what they like")
def test_memory_that_arrays_have_left_goes_back_to_the_system():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    arrays = [np.ones(2**12) for _ in range(2000)]  # 62 MiB, below the last one in the heap
    last = np.ones(2**12)
    del arrays
    before = resident()
    _memory.give_back()
    assert before - resident() > 30 * MIB
    assert last.all()


def test_systems_without_such_a_call_are_left_alone(monkeypatch):
    monkeypatch.setattr(_memory.os, "name", "nt")
    monkeypatch.setattr(_memory.ctypes, "CDLL", None)  # Windows has no library without a name
    _memory.give_back()
