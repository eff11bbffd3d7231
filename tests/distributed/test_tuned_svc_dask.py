"""TunedSVC on dask collections: few rows as if in memory, of many a sample here and sums over chunks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from tests.distributed.conftest import chunked

from kernelwise import NystroemSVR, TunedSVC
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF
from kernelwise.large import LinearMachine, NystroemMap
from kernelwise.search import Classification, FitContext, Rows
from kernelwise.sketch import DistanceSketch
from kernelwise.sketch.pass_over_pairs import SortedSamples

da = pytest.importorskip("dask.array", reason="dask (extra 'dask') is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask (extra 'dask') is not installed")
from dask import delayed  # noqa: E402

from kernelwise.distributed.chunks import ChunkedRows  # noqa: E402
from kernelwise.distributed.fit import (  # noqa: E402
    ChunkedSamples,
    ChunkedTrainingRows,
    FullRows,
    sampled,
)

N = 1500
X, INDEX = make_classification(N, n_features=6, n_informative=4, n_classes=3, flip_y=0.02, random_state=0)
X *= [1.0, 5.0, 1.0, 0.1, 1.0, 1.0]
Y = np.array(["ant", "bee", "cat"])[INDEX]


@pytest.fixture
def few_here(monkeypatch):
    monkeypatch.setattr("kernelwise.distributed.fit.MANY", 600)
    monkeypatch.setattr("kernelwise.search.final.approximate.EXACT_WORK", 0.0)


def test_few_rows_are_as_if_in_memory():
    frame = pd.DataFrame(X[:400], columns=list("abcdef"))
    expected = TunedSVC().fit(frame, Y[:400])
    found = TunedSVC().fit(
        dd.from_pandas(frame, npartitions=3), dd.from_pandas(pd.Series(Y[:400]), npartitions=3)
    )
    assert found.kernel_ == expected.kernel_
    assert found.C_ == expected.C_
    assert found.feature_names_in_.tolist() == list("abcdef")
    np.testing.assert_array_equal(found.decision_function(frame), expected.decision_function(frame))


def test_many_rows_stay_where_they_are(few_here):
    model = TunedSVC().fit(chunked(X), chunked(Y))
    assert not any(isinstance(value, FullRows | ChunkedRows | FitContext) for value in vars(model).values())
    assert model.best_estimator_._n_trained == N
    assert model.score(X, Y) > 0.9
    said = {finding.name: str(finding) for finding in model.diagnostics_}
    assert "of 1500 rows" in said["chunks"]
    assert "because 1500 rows are more than" in said["nystroem"]
    # The machine is the best one on all rows with these landmarks and C, one against one.
    machine = model.best_estimator_
    map_ = NystroemMap.from_landmarks(machine.kernel_, machine.support_vectors_)
    pair = INDEX < 2
    blocks = map_.mapped(model.scaler_.transform(X[pair]))
    alone = LinearMachine(blocks, np.where(INDEX[pair] == 0, 1.0, -1.0)).solve(machine.C_)
    np.testing.assert_allclose(
        machine.machine_values(model.scaler_.transform(X[pair]))[:, 0], alone.values, atol=1e-5
    )


def test_an_exact_machine_of_many_rows_is_one_of_a_sample(few_here):
    with pytest.warns(KernelwiseWarning, match="final model is trained on that sample only"):
        model = TunedSVC(solver="exact", Cs=[1.0]).fit(chunked(X), chunked(Y))
    assert model._record.n_rows <= 610


def test_what_cannot_be():
    with pytest.raises(ValueError, match="precomputed matrix must be in memory"):
        TunedSVC("precomputed").fit(chunked(X), Y)


@pytest.mark.parametrize("weight", [None, np.random.default_rng(0).random(N)])
def test_sums_over_chunks(weight):
    rows = ChunkedRows.from_data(chunked(X), Y, None if weight is None else chunked(weight))
    scaler = StandardScaler().fit(X)
    Z = scaler.transform(X)
    full = FullRows(rows, "auto", scaler, 0)
    training = full.training_rows(Classification(rows.classes, class_weight="balanced"))
    order = np.concatenate(
        [first + np.argsort(INDEX[first : first + 400], kind="stable") for first in range(0, N, 400)]
    )
    np.testing.assert_array_equal(training.y, INDEX[order])
    np.testing.assert_array_equal(training.weight, np.ones(N) if weight is None else weight[order])
    totals = np.bincount(INDEX, weights=weight)
    np.testing.assert_allclose(training.bound, training.weight * (totals.sum() / 3 / totals)[training.y])
    map_ = NystroemMap.from_landmarks(RBF(0.1), Z[:40])
    blocks, expected = training.blocks(map_, 1.0), map_.mapped(Z[order])
    rng = np.random.default_rng(1)
    v, w = rng.normal(size=map_.rank + 1), rng.normal(size=N) * (np.arange(N) > 450)
    assert blocks.shape == expected.shape
    np.testing.assert_allclose(
        blocks.apply(v), expected.apply(v), atol=1e-12 * np.abs(expected.apply(v)).max()
    )
    for name in ("dot", "square"):
        sums = getattr(expected, name)(w)
        np.testing.assert_allclose(getattr(blocks, name)(w), sums, atol=1e-12 * np.abs(sums).max())
        assert not getattr(blocks, name)(np.zeros(N)).any()
    sketch = full.sketch(RBF())
    exact = DistanceSketch.from_data(Z, Y, sample_weight=weight)
    np.testing.assert_allclose(sketch.derivatives(0.1), exact.derivatives(0.1), rtol=1e-10)


def test_a_sample_is_stratified_and_of_rows_that_count():
    random = np.random.default_rng(0)
    y = random.permutation(np.repeat([0, 1, 2], [3, 997, 4000]))
    Z = np.column_stack([np.arange(5000.0), y])
    found = sampled(ChunkedRows.from_data(chunked(Z, 700), chunked(y, 700)), 500, 0)
    assert np.unique(found.y, return_counts=True)[1].tolist() == [2, 100, 400]
    assert len(np.unique(found.X[:, 0])) == 502
    weight = (np.arange(5000) % 10 == 0) * 2.0
    weight[y == 0] = 1.0
    rows = ChunkedRows.from_data(chunked(Z, 700), chunked(y, 700), chunked(weight, 700))
    some = sampled(rows, 100, 0)
    assert (some.weight > 0).all()
    np.testing.assert_array_equal(some.weight, weight[some.X[:, 0].astype(int)])
    np.testing.assert_array_equal(some.X[:, 1], some.y)
    np.testing.assert_array_equal(some.y, np.sort(some.y))


def test_folds_of_a_splitter_are_those_of_the_rows_as_they_come():
    y = (X[:, 0] + X[:, 2] > 0).astype(int)
    expected = TunedSVC(cv=KFold(4), Cs=[1.0]).fit(X[:300], y[:300])
    found = TunedSVC(cv=KFold(4), Cs=[1.0]).fit(chunked(X[:300], 90), y[:300])
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )


def test_few_distinct_rows_of_many_are_all_trained_on(monkeypatch):
    monkeypatch.setattr("kernelwise.distributed.fit.MANY", 600)
    coarse = np.random.default_rng(0).integers(0, 3, size=(N, 4)).astype(float)
    y = (coarse.sum(axis=1) > 4).astype(int)
    model = TunedSVC(cv=2, Cs=[1.0]).fit(chunked(coarse), chunked(y))
    assert model._record.n_rows == N
    assert "nystroem" in {finding.name for finding in model.diagnostics_}


def test_what_a_sample_cannot_have_is_refused(few_here):
    with pytest.raises(ValueError, match="must be 'auto' or a number of folds for 1500 rows"):
        TunedSVC(cv=KFold(3)).fit(chunked(X), chunked(Y))
    with pytest.raises(ValueError, match="Class 'cat' has no sample of positive weight"):
        TunedSVC().fit(chunked(X), chunked(Y), sample_weight=chunked((Y != "cat") * 1.0))


def test_lengths_are_compared_in_every_chunk():
    frame = pd.DataFrame(X[:100])
    empty = dd.from_map(lambda k: frame if k else frame[:0], [0, 1])
    y = dd.from_map(lambda k: pd.Series(INDEX[:100] if k else INDEX[:50]), [0, 1])
    with pytest.raises(ValueError, match="Chunk 0 of the rows"):
        DistanceSketch.from_data(empty, y)
    weight = dd.from_map(lambda k: pd.Series(np.zeros(3 if k else 0)), [0, 1])
    y = dd.from_map(lambda k: pd.Series(INDEX[:100] if k else INDEX[:0]), [0, 1])
    with pytest.raises(ValueError, match="sample_weight has shape"):
        DistanceSketch.from_data(empty, y, sample_weight=weight)


@pytest.mark.parametrize("dtype", ["string", "category"])
def test_words_are_refused_before_a_chunk_is_read(dtype):
    frame = pd.DataFrame({"a": X[:100, 0], "town": pd.Series(["Ulm", "Bonn"] * 50, dtype=dtype)})
    collection, y = dd.from_pandas(frame, npartitions=2), dd.from_pandas(pd.Series(Y[:100]), npartitions=2)
    with pytest.raises(ValueError, match=r"Column 'town' of X holds words, .* or pass X\.compute\(\)"):
        TunedSVC().fit(collection, y)


def test_one_weight_for_all():
    found = DistanceSketch.from_data(chunked(X), chunked(Y), sample_weight=2.0)
    expected = DistanceSketch.from_data(X, Y, sample_weight=2.0)
    np.testing.assert_allclose(found.derivatives(0.1), expected.derivatives(0.1), rtol=1e-10)


@pytest.mark.parametrize(("double", "atol"), [(256, 1e-8), (0, 1e-4)])
def test_a_regression_is_trained_on_rows_in_chunks(double, atol, monkeypatch):
    """Sums over chunks are those of rows in memory: targets take the place of class indices."""
    monkeypatch.setattr("kernelwise.large.DOUBLE", double)
    Z = StandardScaler().fit_transform(X)
    y = Z[:, 0] + np.sin(Z[:, 1])
    samples = [delayed(sorted_samples)(Z[first : first + 400]) for first in range(0, N, 400)]
    chunks = ChunkedSamples(samples, np.array([400, 400, 400, 300]))
    sample = Rows(Z[::5], y[::5], np.ones(300), np.ones(300))
    sample.score = lambda predictions, *_: np.zeros(len(predictions))
    machines = []
    for everything in (ChunkedTrainingRows(chunks, y, np.ones(N), np.ones(N)), Rows(Z, y, *np.ones((2, N)))):
        machine = NystroemSVR(RBF(0.1), n_components=30, C=5.0)
        machine.fit_rows(replace(sample, full=everything))
        machines.append(machine)
    assert machines[0].n_trained_ == N
    np.testing.assert_allclose(machines[0].predict(Z), machines[1].predict(Z), atol=atol)


def sorted_samples(Z):
    return SortedSamples.from_data(Z, np.zeros(len(Z), int), np.ones(len(Z)), 1, centre=0.0)
