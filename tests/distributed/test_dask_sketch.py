"""The distance sketch of dask collections: the one of the same rows in memory, also when a worker dies."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_friedman1

from kernelwise import TunedSVC, TunedSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import KMOD, RBF, DiagonalGaussian, Mahalanobis
from kernelwise.sketch import DistanceSketch

dask = pytest.importorskip("dask", reason="dask (extra 'dask') is not installed")
da = pytest.importorskip("dask.array", reason="dask (extra 'dask') is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask (extra 'dask') is not installed")

RNG = np.random.default_rng(4)
N = 900
# Sorted: most chunks lack a class.
INDEX = np.sort(RNG.integers(3, size=N))
X = RNG.normal(size=(N, 5)) + RNG.normal(size=(3, 5))[INDEX] + 3.0
Y = np.array(["ant", "bee", "cat"])[INDEX]
WEIGHT = RNG.random(N) * (np.arange(N) >= 130)  # the first chunk has no weight
GAMMAS = np.geomspace(1e-3, 30.0, 7)


def chunked(array, chunks=130):
    return da.from_array(array, chunks=(chunks, 2) if array.ndim == 2 else chunks)


def assert_same(found, expected):
    assert found.bins == expected.bins
    assert found.classes.tolist() == expected.classes.tolist()
    np.testing.assert_allclose(found.n, expected.n, rtol=1e-14)
    for gamma in GAMMAS:
        np.testing.assert_allclose(found.derivatives(gamma), expected.derivatives(gamma), rtol=1e-12)
    np.testing.assert_allclose(
        found.curve("kta", GAMMAS, return_std=True), expected.curve("kta", GAMMAS, return_std=True), rtol=1e-9
    )


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.BLOCK", 40)
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.TASK", 5000)


@pytest.mark.parametrize("n_blocks", [None, 12])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_arrays(small_blocks, n_blocks, weight):
    expected = DistanceSketch.from_data(X, Y, sample_weight=weight, n_blocks=n_blocks)
    with dask.config.set(scheduler="threads"):
        found = DistanceSketch.from_data(
            chunked(X),
            chunked(Y, 200),
            sample_weight=None if weight is None else chunked(weight),
            n_blocks=n_blocks,
        )
    assert_same(found, expected)


def test_bands_of_chunks(monkeypatch):
    monkeypatch.setattr("kernelwise.distributed.dask_sketch.BAND", 3)
    monkeypatch.setattr("kernelwise.distributed.chunks.FAN_IN", 2)
    kernel = DiagonalGaussian(q=np.array([1.0, 0.5, 0.1, 2.0, 1.0]))
    with dask.config.set(scheduler="synchronous"):
        found = DistanceSketch.from_data(chunked(X), Y, kernel=kernel)
    assert_same(found, DistanceSketch.from_data(X, Y, kernel=kernel))


def test_dataframes_whose_lengths_are_not_known():
    frame = dd.from_pandas(pd.DataFrame(X).assign(label=Y), npartitions=6)
    frame = frame[frame[0] > -100.0]
    empty = frame[frame[0] > 100.0]  # partitions without rows
    frame = dd.concat([frame, empty], interleave_partitions=True)
    found = DistanceSketch.from_data(frame.drop(columns="label"), frame["label"])
    assert_same(found, DistanceSketch.from_data(X, Y))
    with pytest.raises(ValueError, match="lengths of the chunks of X are unknown"):
        DistanceSketch.from_data(frame.drop(columns="label"), Y)


def test_bad_input_gets_one_sentence():
    with_nan = X.copy()
    with_nan[140, 3] = np.nan
    with pytest.raises(ValueError, match="Chunk 1 of the rows: X contains NaN in row 10, column 3"):
        DistanceSketch.from_data(chunked(with_nan), Y)
    with pytest.raises(ValueError, match="X has 900 rows, and y has 899"):
        DistanceSketch.from_data(chunked(X), Y[1:])
    with pytest.raises(ValueError, match="y has one class only"):
        DistanceSketch.from_data(chunked(X), np.zeros(N))
    with pytest.raises(ValueError, match="All samples of class 'ant' have weight zero"):
        DistanceSketch.from_data(chunked(X), Y, sample_weight=(Y != "ant").astype(float))
    with pytest.raises(ValueError, match="dask divides the work itself"):
        DistanceSketch.from_data(chunked(X), Y, part=(0, 2))
    with pytest.raises(ValueError, match="Mahalanobis kernel without a covariance"):
        DistanceSketch.from_data(chunked(X), Y, kernel=Mahalanobis())
    with pytest.raises(IncompatibleError, match="A distance sketch needs a kernel"):
        DistanceSketch.from_data(chunked(X), Y, kernel=KMOD())
    with pytest.raises(ValueError, match="Sparse chunks cannot be centred"):
        DistanceSketch.from_data(chunked(X).rechunk((130, 5)).map_blocks(sparse.csr_matrix), Y)
    with pytest.raises(ValueError, match="rows and columns"):
        DistanceSketch.from_data(chunked(X)[:, 0], Y)


def test_arrays_in_memory_do_not_need_dask(monkeypatch):
    rows = chunked(X)
    monkeypatch.delitem(sys.modules, "kernelwise.distributed.dask_sketch", raising=False)
    monkeypatch.setitem(sys.modules, "dask", None)
    DistanceSketch.from_data(X, Y)
    with pytest.raises(ImportError):
        DistanceSketch.from_data(rows, Y)


# -- a cluster ----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="distributed (extra 'dask') is not installed")
    with (
        dask.config.set({"distributed.admin.system-monitor.disk": False}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_two_processes_make_the_same_sketch(client):
    assert len(pids(client) - {os.getpid()}) == 2
    assert_same(DistanceSketch.from_data(chunked(X), chunked(Y)), DistanceSketch.from_data(X, Y))
    sampled = DistanceSketch.from_data(chunked(X), chunked(Y), n_blocks=2)
    assert_same(sampled, DistanceSketch.from_data(X, Y, n_blocks=2))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_two_processes_run_the_same_paths_of_C(client, n_classes):
    """It is here because a cluster is dear to start."""
    shape = {"n_features": 4, "n_informative": 3, "n_redundant": 0, "n_classes": n_classes}
    Z, labels = make_classification(160, **shape, flip_y=0.05, random_state=1)
    for kernel, samples in (("rbf", Z), ("precomputed", RBF(0.1)(Z))):
        expected = TunedSVC(kernel).fit(samples, labels)
        found = TunedSVC(kernel, backend="dask").fit(samples, labels)
        assert found.best_params_ == expected.best_params_
        assert found.best_score_ == expected.best_score_
        # The final machine is trained here; the sigmoids come from held-out decision values of the workers.
        values = found.decision_function(samples), expected.decision_function(samples)
        np.testing.assert_allclose(*values, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found.predict_proba(samples), expected.predict_proba(samples), atol=1e-3)


@pytest.mark.parametrize("kernel", ["rbf", "diagonal"])
def test_two_processes_run_the_same_paths_of_a_regression(client, kernel):
    Z, targets = make_friedman1(90, n_features=5, noise=0.5, random_state=1)
    expected = TunedSVR(kernel, cv=3).fit(Z, targets)
    found = TunedSVR(kernel, cv=3, backend="dask").fit(Z, targets)
    # ε follows the held-out error, and so differs within the stopping rule, too.
    np.testing.assert_allclose(found.epsilon_, expected.epsilon_, rtol=1e-3)
    assert (found.kernel_, found.C_) == (expected.kernel_, expected.C_)
    assert found.best_score_ == pytest.approx(expected.best_score_, abs=1e-4)
    atol = 1e-3 * found.target_scale_
    np.testing.assert_allclose(found.predict(Z), expected.predict(Z), atol=atol)


def test_a_worker_that_dies_in_the_middle_changes_nothing(client, tmp_path):
    before = pids(client)
    doomed = chunked(X).rechunk((130, 5)).map_blocks(partial(kill_once, tmp_path), dtype=float)
    found = DistanceSketch.from_data(doomed, chunked(Y))
    assert_same(found, DistanceSketch.from_data(X, Y))
    assert int((tmp_path / "killed").read_text()) in before


def kill_once(folder: Path, block: np.ndarray, block_info=None) -> np.ndarray:
    """End this process when the fifth chunk is read for the third time: by then, its pairs are computed."""
    place = block_info[0]["chunk-location"][0] if block_info else None
    if place == 4:
        reads = folder / "reads"
        with reads.open("a") as file:
            file.write("x")
        if reads.stat().st_size >= 3 and not (folder / "killed").exists():
            (folder / "killed").write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
    return block


def pids(client):
    return set(client.run(os.getpid).values())
