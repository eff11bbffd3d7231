"""Too large a matrix is refused before it is made, with the figure, or not made at all."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import GridSearchSVC, TunedSVC, _memory
from kernelwise.estimators._kernel_choice import Rows, gram_or_rows
from kernelwise.exceptions import NotEnoughMemoryError
from kernelwise.kernels import RBF, Polynomial
from kernelwise.solvers import svm_path
from kernelwise.solvers.blocks import DenseBlocks, MappedBlocks
from kernelwise.solvers.nystroem import NystroemMap

MIB = 2**20
N = 3500  # a Gram matrix of 93 MiB
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
X = RNG.normal(size=(N, 2)) + 3.0 * Y[:, None]


@pytest.fixture
def little_memory(monkeypatch):
    """100 MiB, of which 90 may be used."""
    monkeypatch.setattr(_memory, "available_memory", lambda: 100.0 * MIB)


FIGURE = r"matrices of \d+ × \d+ kernel values would take .* MiB, and 100 MiB of memory are available\."


def test_one_matrix(little_memory):
    with pytest.raises(NotEnoughMemoryError, match=r"A matrix of 3500 × 3500 .* take 93\.5 MiB"):
        RBF()(X)
    assert RBF()(X.astype(np.float32)).shape == (N, N)  # half as large
    assert RBF()(X, X[:3000]).shape == (N, 3000)  # 80 MiB
    assert issubclass(NotEnoughMemoryError, MemoryError)


def test_searches_and_paths(little_memory):
    with pytest.raises(NotEnoughMemoryError, match=FIGURE):
        TunedSVC(n_jobs=1).fit(X, Y)
    with pytest.raises(NotEnoughMemoryError, match=FIGURE):
        GridSearchSVC({"C": [1.0], "gamma": [0.1]}, cv=2, n_jobs=2).fit(X, Y)
    with pytest.raises(NotEnoughMemoryError, match=r"2\.5 matrices of 3500 × 3500 kernel values"):
        svm_path(np.eye(N), np.arange(N) % 3, [1.0], [(np.arange(1, N), [0])], n_jobs=1)


def test_a_precomputed_matrix_is_not_copied(little_memory):
    with pytest.raises(NotEnoughMemoryError, match="A matrix of 3500 × 3500 kernel values"):
        TunedSVC("precomputed").fit(np.eye(N), Y)


def test_a_machine_is_trained_by_rows_instead(little_memory):
    rows = gram_or_rows(Polynomial(), X, N, memory_limit=4096)
    assert isinstance(rows, Rows)
    assert rows.memory_limit == 45 * MIB
    assert isinstance(gram_or_rows(Polynomial(), X[:2000], 2000, memory_limit=4096), np.ndarray)


def test_features_are_computed_again_instead(monkeypatch):
    map_ = NystroemMap.from_landmarks(RBF(), X[:50])
    assert isinstance(map_.blocks(X, 4096), DenseBlocks)
    monkeypatch.setattr(_memory, "available_memory", lambda: 0.5 * MIB)
    assert isinstance(map_.blocks(X, 4096), MappedBlocks)


def test_what_the_system_says(monkeypatch, tmp_path):
    assert 0 < _memory.available_memory() < 2**60
    meminfo = tmp_path / "meminfo"
    monkeypatch.setattr(_memory, "MEMINFO", meminfo)
    monkeypatch.setattr(_memory, "GROUP", tmp_path)
    meminfo.write_text("MemTotal:  2000 kB\nMemFree:  10 kB\nMemAvailable:  1000 kB\n")
    assert _memory.available_memory() == 1024_000
    (tmp_path / "memory.max").write_text("max\n")
    assert _memory.available_memory() == 1024_000
    (tmp_path / "memory.max").write_text("500000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    (tmp_path / "memory.stat").write_text("anon 100\ninactive_file 30000\nactive_file 20000\n")
    assert _memory.available_memory() == 150_000
    meminfo.unlink()
    monkeypatch.setattr(_memory.os, "sysconf_names", {})
    (tmp_path / "memory.max").unlink()
    assert _memory.available_memory() == float("inf")
