"""TunedSVR on dask collections: few rows as if in memory, of many a sample here and sums over chunks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from tests.distributed.conftest import chunked

from kernelwise import NystroemSVR, TunedSVC, TunedSVR, load
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF
from kernelwise.large import LinearMachine, NystroemMap, squared_epsilon_insensitive
from kernelwise.search import FitContext, Regression

da = pytest.importorskip("dask.array", reason="dask (extra 'dask') is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask (extra 'dask') is not installed")
from kernelwise.distributed.chunks import ChunkedRows  # noqa: E402
from kernelwise.distributed.fit import FullRows, sampled  # noqa: E402

N = 1500
X, Y = make_friedman1(N, n_features=5, noise=0.5, random_state=0)
X *= [1.0, 5.0, 1.0, 0.1, 1.0]
WEIGHT = np.random.default_rng(0).integers(0, 3, size=N) * 0.5


@pytest.fixture
def few_here(monkeypatch):
    monkeypatch.setattr("kernelwise.distributed.fit.MANY", 400)


@pytest.mark.parametrize("weight", [None, WEIGHT[:150]])
def test_few_rows_are_as_if_in_memory(weight):
    frame = pd.DataFrame(X[:150], columns=list("abcde"))
    expected = TunedSVR(cv=2).fit(frame, Y[:150], weight)
    found = TunedSVR(cv=2).fit(
        dd.from_pandas(frame, npartitions=3),
        dd.from_pandas(pd.Series(Y[:150]), npartitions=3),
        None if weight is None else dd.from_pandas(pd.Series(weight), npartitions=3),
    )
    assert found.kernel_ == expected.kernel_
    assert (found.C_, found.epsilon_) == (expected.C_, expected.epsilon_)
    assert found.feature_names_in_.tolist() == list("abcde")
    np.testing.assert_array_equal(found.predict(frame), expected.predict(frame))


def assert_trained_on_all(model, weight):
    """The machine is the best one on all rows with its landmarks, C and ε."""
    machine = model.best_estimator_
    assert isinstance(machine, NystroemSVR)
    assert machine.n_trained_ == N
    Z = model.scaler_.transform(X)
    map_ = NystroemMap.from_landmarks(machine.kernel_, machine.support_vectors_)
    loss = partial(squared_epsilon_insensitive, epsilon=model.epsilon_)
    blocks, y = map_.mapped(Z), (Y - model.target_mean_) / model.target_scale_
    alone = LinearMachine(blocks, y, weight, loss=loss).solve(machine.C_)
    np.testing.assert_allclose(machine.predict(Z), alone.values, atol=1e-5)


def test_many_rows_stay_where_they_are(few_here, tmp_path):
    model = TunedSVR().fit(chunked(X), chunked(Y))
    assert not any(isinstance(value, FullRows | ChunkedRows | FitContext) for value in vars(model).values())
    assert_trained_on_all(model, None)
    assert model.score(X, Y) > 0.9
    findings = {finding.name: str(finding) for finding in model.diagnostics_}
    assert "of 1500 rows" in findings["chunks"]
    assert "sketch" not in findings["chunks"]
    assert "because 1500 rows are more than" in findings["nystroem"]
    assert model._record.n_rows == N
    model.save(tmp_path / "model.kw")
    np.testing.assert_array_equal(load(tmp_path / "model.kw").predict(X), model.predict(X))


def test_rows_of_weight_zero_are_not_trained_on(few_here):
    model = TunedSVR(cv=2, Cs=[1.0, 4.0]).fit(chunked(X), chunked(Y, 500), chunked(WEIGHT))
    assert_trained_on_all(model, WEIGHT)
    spoilt = np.where(WEIGHT > 0, Y, 1e3)
    other = TunedSVR(cv=2, Cs=[1.0, 4.0]).fit(chunked(X), spoilt, chunked(WEIGHT))
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-6)
    with pytest.raises(ValueError, match="sample_weight is zero everywhere"):
        TunedSVR().fit(chunked(X), chunked(Y), chunked(np.zeros(N)))


@pytest.mark.parametrize("kind", ["array", "series", "memory"])
def test_rows_of_negative_weight_are_left_out_as_in_memory(kind):
    x, weight = da.from_array(X[:120], chunks=(40, -1)), np.where(np.arange(120) < 50, -1.0, 1.0)
    frames = {"array": da.from_array(weight, chunks=40), "memory": weight.tolist()}
    frames["series"] = dd.from_pandas(pd.Series(weight), npartitions=3)
    settings = {"cv": 2, "Cs": [1.0], "epsilons": 0.1}
    expected = TunedSVR(**settings).fit(X[:120], Y[:120], weight)
    found = TunedSVR(**settings).fit(x, Y[:120], frames[kind])
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    labels = Y[:120] > 14.0
    expected = TunedSVC(cv=2, Cs=[1.0]).fit(X[:120], labels, weight)
    found = TunedSVC(cv=2, Cs=[1.0]).fit(x, labels, frames[kind])
    np.testing.assert_array_equal(found.decision_function(X), expected.decision_function(X))


def test_an_exact_machine_of_many_rows_is_one_of_a_sample(few_here):
    with pytest.warns(KernelwiseWarning, match="final model is trained on that sample only"):
        model = TunedSVR(solver="exact", Cs=[1.0], epsilons=0.1).fit(chunked(X), chunked(Y))
    assert model._record.n_rows == 400


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_sums_over_chunks(weight):
    rows = ChunkedRows.from_data(
        chunked(X), Y, None if weight is None else chunked(weight), is_regression=True
    )
    Z = StandardScaler().fit_transform(X)
    family = Regression(mean=14.0, deviation=5.0)
    training = FullRows(rows, "auto", StandardScaler().fit(X), 0).training_rows(family)
    np.testing.assert_allclose(training.y, (Y - 14.0) / 5.0, atol=2.0**-27)  # targets are on a grid
    np.testing.assert_array_equal(training.weight, np.ones(N) if weight is None else weight)
    np.testing.assert_array_equal(training.bound, training.weight)
    assert training.classes is None
    map_ = NystroemMap.from_landmarks(RBF(0.1), Z[:40])
    blocks, expected = training.blocks(map_, 1.0), map_.mapped(Z)
    rng = np.random.default_rng(1)
    v, w = rng.normal(size=map_.rank + 1), rng.normal(size=N) * (np.arange(N) > 450)
    assert blocks.shape == expected.shape
    for name, argument in (("apply", v), ("dot", w), ("square", w)):
        sums = getattr(expected, name)(argument)
        np.testing.assert_allclose(getattr(blocks, name)(argument), sums, atol=1e-12 * np.abs(sums).max())


def test_a_sample_is_of_rows_that_count():
    rows = ChunkedRows.from_data(chunked(X), chunked(Y), chunked(WEIGHT), is_regression=True)
    found = sampled(rows, 200, 0)
    assert found.X.shape == (200, 5)
    index = np.searchsorted(np.sort(Y), found.y)
    own = np.argsort(Y)[index]
    assert len(np.unique(own)) == 200
    np.testing.assert_array_equal(own, np.sort(own))
    np.testing.assert_array_equal(found.X, X[own])
    np.testing.assert_array_equal(found.weight, WEIGHT[own])
    assert (found.weight > 0).all()


def test_folds_of_a_splitter_are_those_of_the_rows_as_they_come(monkeypatch):
    expected = TunedSVR(cv=KFold(3), Cs=[1.0]).fit(X[:200], Y[:200])
    found = TunedSVR(cv=KFold(3), Cs=[1.0]).fit(chunked(X[:200], 90), Y[:200])
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    monkeypatch.setattr("kernelwise.distributed.fit.MANY", 150)
    with pytest.raises(ValueError, match="'cv' of TunedSVR must be 'auto' or a number of folds for 200 rows"):
        TunedSVR(cv=KFold(3)).fit(chunked(X[:200], 90), Y[:200])


def test_a_constant_target(few_here):
    model = TunedSVR(cv=2, Cs=[1.0], epsilons=0.1).fit(chunked(X), chunked(np.full(N, 7.0)))
    np.testing.assert_allclose(model.predict(X), 7.0)


def test_bad_input_gets_one_sentence():
    y = Y.copy()
    y[450] = np.nan
    with pytest.raises(ValueError, match="Chunk 1 of the rows: y contains nan in row 50"):
        TunedSVR().fit(chunked(X), chunked(y))
    with pytest.raises(ValueError, match="X has 1500 rows, and y has 1499"):
        TunedSVR().fit(chunked(X), chunked(Y[1:]))
    with pytest.raises(ValueError, match="X has 1500 rows, and sample_weight has 3"):
        TunedSVR().fit(chunked(X), chunked(Y), np.ones(3))
    with pytest.raises(ValueError, match="precomputed matrix must be in memory"):
        TunedSVR("precomputed").fit(chunked(X), Y)
    for labels in (np.array(["ant", "bee"])[np.arange(N) % 2], np.full(N, "ant", dtype=object)):
        with pytest.raises(ValueError, match=r"Chunk \d of the rows: y has .* which is not a number"):
            TunedSVR().fit(chunked(X), chunked(labels))
    with pytest.raises(ValueError, match=r"Chunk \d of the rows: y must be one number per sample"):
        TunedSVR().fit(chunked(X), chunked(np.column_stack([Y, Y])))
    with pytest.raises(ValueError, match=r"y must be one number per sample, got .* shape \(\d+, 2\)"):
        TunedSVR().fit(chunked(X), chunked(np.column_stack([Y, Y])).rechunk({1: 1}))
    for y in (None, 3.0):
        with pytest.raises(ValueError, match=f"y must be one target per row of X, got {y}"):
            TunedSVR().fit(chunked(X), y)
    frame = dd.from_pandas(pd.DataFrame(X[:100]), npartitions=1)
    with pytest.raises(ValueError, match=r"X has no rows\. Pass a collection with at least two rows"):
        TunedSVR().fit(frame[frame[0] > 1e9], frame[frame[0] > 1e9][0])
    shorter = dd.from_pandas(pd.Series(Y[:50]), npartitions=1)
    with pytest.raises(ValueError, match="Chunk 0 of the rows: y has 50 numbers for 100 samples"):
        TunedSVR().fit(frame, shorter)
