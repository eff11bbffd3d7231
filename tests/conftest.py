"""Data that many tests share; read-only, so that a test cannot change them for the next."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

# Machine code of its own for each state of the compiled files: Numba would not see that an inner one changed.
_SOURCES = sorted((Path(__file__).parents[1] / "src").glob("kernelwise/**/*.py"))
_COMPILED = [source for source in (path.read_bytes() for path in _SOURCES) if b"njit" in source]
_STATE = hashlib.sha256(b"".join(_COMPILED)).hexdigest()[:16]
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"kernelwise-numba-{_STATE}"))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


@pytest.fixture(scope="session")
def blobs():
    """60 samples of two overlapping classes in four features, of unequal sizes."""
    random = np.random.default_rng(7)
    X = random.normal(size=(60, 4))
    y = np.where(np.arange(60) < 25, -1, 1)
    X[y == 1] += [1.5, 0.0, -1.0, 0.0]
    return _frozen(X), _frozen(y)


@pytest.fixture(scope="session")
def iris01():
    """Iris scaled to [0, 1], as paper 000 has it."""
    X, y = load_iris(return_X_y=True)
    return _frozen(MinMaxScaler().fit_transform(X)), _frozen(y)
