"""`SVR(loss="pinball")` and `TunedSVR(quantile=)`: what they predict, choose, show, and leave behind."""

from __future__ import annotations

import ctypes
import pickle
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import d2_pinball_score, mean_pinball_loss, r2_score

import kernelwise
from kernelwise import SVR, TunedSVR
from kernelwise.exceptions import IncompatibleError, TrustWarning
from kernelwise.explanation import explain
from kernelwise.kernels import RBF

SEVERAL = [0.1, 0.5, 0.9]


def noisy(n=200, seed=0):
    """Targets whose noise grows with the first column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, 100.0 + 10.0 * (np.sin(2.0 * X[:, 0]) + (0.2 + 0.3 * (X[:, 0] + 2.0)) * rng.normal(size=n))


@pytest.fixture(scope="module")
def one():
    return TunedSVR("rbf", quantile=0.9).fit(*noisy())


@pytest.fixture(scope="module")
def several():
    return TunedSVR("rbf", quantile=SEVERAL).fit(*noisy())


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.8])
def test_linear_machines_are_linear_quantile_regressions(quantile):
    X, y = noisy(80)
    ours = SVR("linear", C=1e4, loss="pinball", quantile=quantile, tol=1e-7).fit(X, y)
    theirs = QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, y)
    losses = [mean_pinball_loss(y, model.predict(X), alpha=quantile) for model in (ours, theirs)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_several_quantiles_are_single_ones_in_order():
    X, y = noisy(60)
    Cs = [100.0, 30.0, 300.0]
    many = SVR(RBF(3.0), C=Cs, loss="pinball", quantile=SEVERAL).fit(X, y)
    values = many.machine_values(X)
    assert (np.diff(values, axis=1) < 0.0).any()
    np.testing.assert_array_equal(many.predict(X), np.sort(values, axis=1))
    for m, (C, quantile) in enumerate(zip(Cs, SEVERAL, strict=True)):
        single = SVR(RBF(3.0), C=C, loss="pinball", quantile=quantile).fit(X, y)
        np.testing.assert_allclose(values[:, m], single.predict(X), rtol=1e-12)


def test_machines_are_scored_by_their_loss():
    X, y = noisy(100)
    machine = SVR(loss="pinball", quantile=0.8, C=10.0).fit(X, y)
    assert machine.score(X, y) == pytest.approx(d2_pinball_score(y, machine.predict(X), alpha=0.8))
    plain = SVR(C=10.0).fit(X, y)
    assert plain.score(X, y) == pytest.approx(r2_score(y, plain.predict(X)))


def test_order_lowers_the_total_loss():
    rng = np.random.default_rng(0)
    y, crossing = rng.normal(size=500), rng.normal(size=(500, 3))
    before, after = (
        sum(mean_pinball_loss(y, P[:, m], alpha=q) for m, q in enumerate(SEVERAL))
        for P in (crossing, np.sort(crossing, axis=1))
    )
    assert after < before


def test_scores_are_those_of_scikit_learn(one, several):
    X, y = noisy(300, seed=1)
    assert one.score(X, y) == pytest.approx(d2_pinball_score(y, one.predict(X), alpha=0.9))
    expected = np.mean(
        [d2_pinball_score(y, p, alpha=q) for q, p in zip(SEVERAL, several.predict(X).T, strict=True)]
    )
    assert several.score(X, y) == pytest.approx(expected)


def test_about_so_many_new_rows_lie_below(one, several):
    X, y = noisy(2000, seed=1)
    assert (y <= one.predict(X)).mean() == pytest.approx(0.9, abs=0.05)
    P = several.predict(X)
    assert P.shape == (2000, 3)
    assert (np.diff(P, axis=1) >= 0.0).all()
    np.testing.assert_allclose((y[:, None] <= P).mean(axis=0), SEVERAL, atol=0.06)


def test_the_quoted_score_is_that_of_held_out_answers(one, several):
    """1 − loss / (loss of the best constant), of all held-out rows."""
    for model, quantiles in ((one, [0.9]), (several, SEVERAL)):
        record = model.fit_record_
        predicted = record.predicted.reshape(len(record.truth), -1)
        expected = np.mean(
            [d2_pinball_score(record.truth, predicted[:, m], alpha=q) for m, q in enumerate(quantiles)]
        )
        assert model.best_score_ == pytest.approx(expected, abs=2e-3)  # folds are not all of one size


def test_shares_of_held_out_rows_are_as_asked():
    """A kernel can follow training rows with little noise, and new rows then lie beyond on both sides."""
    X, _ = noisy(300)
    y = np.sin(2.0 * X[:, 0]) * X[:, 1] + 0.02 * np.random.default_rng(0).normal(size=300)
    model = TunedSVR("rbf", quantile=SEVERAL).fit(X, y)
    record = model.fit_record_
    np.testing.assert_allclose((record.truth[:, None] <= record.predicted).mean(axis=0), SEVERAL, atol=0.03)
    X, _ = noisy(3000, seed=1)
    y = np.sin(2.0 * X[:, 0]) * X[:, 1] + 0.02 * np.random.default_rng(1).normal(size=3000)
    np.testing.assert_allclose((y[:, None] <= model.predict(X)).mean(axis=0), SEVERAL, atol=0.06)


def test_few_rows_beyond_a_quantile_are_told():
    with pytest.warns(TrustWarning, match="About 5 of 100 rows lie beyond the 0.95 quantile"):
        model = TunedSVR("rbf", quantile=[0.5, 0.95]).fit(*noisy(100))
    assert "extreme quantile" in [finding.name for finding in model.diagnostics_]


def test_each_quantile_has_its_own_C(several):
    machine = several.best_estimator_
    assert len(machine.C) == 3
    assert set(machine.C) <= set(several.cv_results_["param_C"])
    assert any(sentence.startswith("Each quantile has its own C") for sentence in several.result_.how)


def test_a_rule_of_the_user_takes_one_C_for_all():
    model = TunedSVR("rbf", quantile=SEVERAL, refit=lambda results: 2).fit(*noisy(80))
    assert model.best_estimator_.C == model.cv_results_["param_C"][2]


@pytest.mark.parametrize("quantile", [0.8, SEVERAL])
def test_order_units_copies_and_threads_do_not_matter(quantile):
    X, y = noisy(120)
    order, copies = np.random.default_rng(0).permutation(120), np.random.default_rng(1).integers(1, 3, 120)
    plain = TunedSVR("rbf", quantile=quantile, n_jobs=1).fit(X, y)
    shuffled = TunedSVR("rbf", quantile=quantile, n_jobs=2).fit(X[order], y[order])
    np.testing.assert_allclose(plain.predict(X), shuffled.predict(X), rtol=1e-9)
    scaled = TunedSVR("rbf", quantile=quantile).fit(1000.0 * X, 1e-3 * y)
    np.testing.assert_allclose(plain.predict(X), 1e3 * scaled.predict(1000.0 * X), rtol=1e-6)
    weighted = TunedSVR("rbf", quantile=quantile).fit(X, y, sample_weight=copies)
    repeated = TunedSVR("rbf", quantile=quantile).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


def test_a_mirrored_target_has_the_mirrored_quantiles():
    X, y = noisy(100)
    up = TunedSVR("rbf", quantile=[0.25, 0.75]).fit(X, y)
    down = TunedSVR("rbf", quantile=[0.25, 0.75]).fit(X, -y)
    np.testing.assert_allclose(up.predict(X), -down.predict(X)[:, ::-1], rtol=1e-6)


def test_quantiles_of_logarithms_are_quantiles():
    X, y = noisy(200)
    y = np.exp(y / 10.0 - 9.0)
    model = TunedSVR("rbf", quantile=SEVERAL, target_transform="log").fit(X, y)
    P = model.predict(X)
    np.testing.assert_allclose((y[:, None] <= P).mean(axis=0), SEVERAL, atol=0.06)
    record = model.fit_record_
    columns = zip(SEVERAL, record.predicted.T, strict=True)
    expected = np.mean([d2_pinball_score(record.truth, column, alpha=q) for q, column in columns])
    assert model.best_score_ == pytest.approx(expected, abs=2e-3)


def test_a_constant_target_is_its_own_quantile():
    X, _ = noisy(30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TunedSVR("rbf", quantile=SEVERAL).fit(X, np.full(30, 7.0))
    np.testing.assert_allclose(model.predict(X), 7.0)


def test_models_survive_files_and_pickles(one, several, tmp_path):
    X, _ = noisy(50, seed=2)
    for model in (one, several, several.best_estimator_):
        model.save(tmp_path / "model.npz")
        for copy in (kernelwise.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(copy.predict(X), model.predict(X))


def test_onnx_graphs_predict_the_same(one, several):
    runtime = pytest.importorskip("onnxruntime")
    X, _ = noisy(50, seed=2)
    for model in (one, several):
        session = runtime.InferenceSession(model.to_onnx().SerializeToString())
        np.testing.assert_allclose(session.run(["prediction"], {"X": X})[0], model.predict(X), rtol=1e-9)


def test_c_files_predict_the_same(several, tmp_path):
    X, _ = noisy(50, seed=2)
    crossing = SVR(RBF(3.0), C=100.0, loss="pinball", quantile=SEVERAL).fit(*noisy(60))
    for model in (several, crossing):
        model.to_c(tmp_path / "model.c")
        library = tmp_path / f"{type(model).__name__}.so"
        command = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", "-o", library, tmp_path / "model.c", "-lm"]
        subprocess.run(command, check=True)
        predict, found = ctypes.CDLL(str(library)).predict, np.empty((50, 3))
        for row, out in zip(X, found, strict=True):
            predict(row.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p))
        np.testing.assert_allclose(found, model.predict(X), rtol=1e-9)


def test_pipelines_have_one_quantile(one, several):
    X, _ = noisy(50, seed=2)
    np.testing.assert_allclose(one.to_sklearn().predict(X), one.predict(X), rtol=1e-9)
    with pytest.raises(IncompatibleError, match="predicts one number for each row"):
        several.to_sklearn()


def test_pipelines_of_enormous_targets_end():
    """LIBSVM's steps are 10¹² long on the rows that it is shown, and C has the unit of the target."""
    X, y = noisy(60)
    model = TunedSVR("rbf", quantile=0.9, Cs=[1.0], cv=3).fit(X, 1e150 * y)
    np.testing.assert_allclose(model.to_sklearn().predict(X), model.predict(X), rtol=1e-9)


def test_columns_explain_every_quantile(one, several):
    X, _ = noisy(20, seed=2)
    single = explain(one, X)
    np.testing.assert_allclose(single.values.sum(axis=1) + single.base_values, one.predict(X))
    many = explain(several, X)
    assert many.output_names == ["quantile 0.1", "quantile 0.5", "quantile 0.9"]
    scaled = several.target_mean_ + several.target_scale_ * several.machine_values(X)
    np.testing.assert_allclose(many.values.sum(axis=1) + many.base_values, scaled)


def test_reports_name_the_loss_and_the_share_below(one, several, tmp_path):
    for model in (one, several):
        model.report(tmp_path / "report.html", *noisy())
        page = (tmp_path / "report.html").read_text()
        assert "D² of the pinball loss" in page
        assert "Rows below the 0.9 quantile, held out" in page
        assert "RMSE" not in page


def test_many_rows_have_an_exact_machine():
    """There is no Nyström machine of a quantile."""
    with pytest.raises(IncompatibleError, match="has no Nyström model of a quantile"):
        TunedSVR("rbf", quantile=0.9, solver="nystroem").fit(*noisy(50))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"quantile": 1.5}, "'quantile' of TunedSVR must be between 0 and 1, got 1.5"),
        ({"quantile": [0.9, 0.1]}, "in increasing order"),
        ({"quantile": []}, "in increasing order"),
        ({"quantile": "median"}, "must be between 0 and 1"),
        ({"quantile": 0.9, "epsilons": [0.1]}, "takes 'epsilons' or 'quantile', but not both"),
        ({"quantile": SEVERAL, "scoring": "r2"}, "'scoring' of TunedSVR must be None for several"),
    ],
)
def test_what_cannot_be_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        TunedSVR("rbf", **changed).fit(*noisy(30))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"C": [1.0, 2.0]}, "with one for each of several quantiles"),
        ({"C": [1.0, 2.0], "loss": "pinball", "quantile": SEVERAL}, "with one for each of several quantiles"),
        ({"loss": "pinball", "quantile": 0.0}, "'quantile' of SVR must be between 0 and 1"),
        ({"loss": "quantile"}, "The 'loss' parameter of SVR must be one of"),
        ({"quantile": 0.9}, "quantile=0.9 of SVR needs loss='pinball'"),
        ({"quantile": SEVERAL}, "of SVR needs loss='pinball'"),
    ],
)
def test_what_no_machine_has_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        SVR("rbf", **changed).fit(*noisy(30))


def test_a_score_of_the_users_chooses_for_one_quantile():
    model = TunedSVR("rbf", quantile=0.5, scoring="neg_mean_absolute_error").fit(*noisy(100))
    record = model.fit_record_
    assert -model.best_score_ == pytest.approx(np.abs(record.truth - record.predicted).mean(), rel=0.02)
