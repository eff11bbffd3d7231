"""Thresholds and costs of TunedSVC: which class is answered, everywhere that a model answers."""

from __future__ import annotations

import pickle
import re
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.metrics import balanced_accuracy_score, f1_score

import kernelwise
from kernelwise import TunedSVC
from kernelwise.estimators.costs import cost_matrix
from kernelwise.search.final.threshold import Threshold, costs_of_threshold, threshold_findings
from kernelwise.solvers.probability import most_likely


@pytest.fixture(scope="module")
def rare():
    """A class of one tenth that the other one overlaps."""
    return make_classification(400, weights=[0.9], flip_y=0.05, random_state=1, n_features=6)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def two(rare):
    return TunedSVC("rbf", costs={1: 7.0}).fit(*rare)


@pytest.fixture(scope="module")
def three(wine):
    return TunedSVC("rbf", costs=[[0, 1, 1], [50, 0, 1], [1, 20, 0]]).fit(*wine)


def test_the_answer_has_the_least_expected_cost(two, three, rare, wine):
    p = two.predict_proba(rare[0])
    assert_array_equal(two.predict(rare[0]) == 1, 7.0 * p[:, 1] > p[:, 0])
    naive = []
    for row in three.predict_proba(wine[0]):
        costs = [sum(row[i] * three.costs_[i, j] for i in range(3)) for j in range(3)]
        naive.append(int(np.argmin(costs)))
    assert_array_equal(three.predict(wine[0]), naive)
    assert (three.predict(wine[0]) != three.predict_proba(wine[0]).argmax(axis=1)).any()


def test_decision_values_agree_with_labels(two, three, rare, wine):
    assert_array_equal(two.decision_function(rare[0]) > 0, two.predict(rare[0]) == 1)
    assert_array_equal(three.decision_function(wine[0]).argmax(axis=1), three.predict(wine[0]))


def test_a_threshold_is_a_probability(rare):
    model = TunedSVC("rbf", threshold=0.2).fit(*rare)
    assert model.threshold_ == 0.2
    assert_array_equal(model.predict(rare[0]) == 1, model.predict_proba(rare[0])[:, 1] > 0.2)
    half = TunedSVC("rbf", threshold=0.5).fit(*rare)
    assert_array_equal(half.predict(rare[0]), TunedSVC("rbf").fit(*rare).predict(rare[0]))


def test_a_chosen_threshold_raises_the_score_on_held_out_rows(rare):
    X, y = rare
    model = TunedSVC("rbf", scoring="f1", threshold="auto").fit(X, y)
    (finding,) = [finding for finding in model.diagnostics_ if finding.name == "threshold"]
    chosen, half = map(float, re.search(r"scores (\S+) on .* scores (\S+)\.$", finding.message).groups())
    assert chosen > half
    assert 0.0 < model.threshold_ < 0.5  # the positive class is rare
    assert 0.0 < model.threshold_error_ < 0.5
    # On all rows, a threshold that was chosen on held-out ones is better than one half, too.
    plain = TunedSVC("rbf", scoring="f1").fit(X, y)
    assert f1_score(y, model.predict(X)) >= f1_score(y, plain.predict(X)) - 0.05


def test_the_threshold_of_balanced_accuracy_is_near_the_share_of_the_rare_class(rare):
    X, y = rare
    model = TunedSVC("rbf", scoring="balanced_accuracy", threshold="auto").fit(X, y)
    assert abs(model.threshold_ - y.mean()) < 0.15
    plain = TunedSVC("rbf", scoring="balanced_accuracy").fit(X, y)
    assert balanced_accuracy_score(y, model.predict(X)) > balanced_accuracy_score(y, plain.predict(X))


def test_costs_go_where_the_model_goes(two, three, rare, wine, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    for model, (X, _) in ((two, rare), (three, wine)):
        labels = model.predict(X)
        model.save(tmp_path / "model.kw")
        assert_array_equal(kernelwise.load(tmp_path / "model.kw").predict(X), labels)
        assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), labels)
        assert_array_equal(model.best_estimator_.predict(model.scaler_.transform(X)), labels)
        session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
        assert_array_equal(session.run(["label"], {"X": X})[0], labels)
        assert_array_equal(clone(model).fit(*(rare if model is two else wine)).predict(X), labels)
    pipeline = two.to_sklearn()
    assert_array_equal(pipeline.predict(rare[0]), two.predict(rare[0]))
    assert_allclose(pipeline.predict_proba(rare[0]), two.predict_proba(rare[0]), atol=1e-9)
    with pytest.raises(kernelwise.exceptions.IncompatibleError, match="costs of three or more classes"):
        three.to_sklearn()


def test_costs_in_c(three, wine, tmp_path):
    X = wine[0][:60]
    rows = ",\n".join("{" + ", ".join(f"{value!r}" for value in row) + "}" for row in X.tolist())
    main = f"""
#include <stdio.h>
static const double ROWS[][{X.shape[1]}] = {{{rows}}};
int main(void) {{
    for (int i = 0; i < {len(X)}; i++) printf("%d\\n", predict(ROWS[i]));
    return 0;
}}
"""
    (tmp_path / "model.c").write_text(three.to_c() + main)
    subprocess.run(
        ["cc", "-O1", "-std=c99", str(tmp_path / "model.c"), "-o", str(tmp_path / "model"), "-lm"], check=True
    )
    out = subprocess.run([str(tmp_path / "model")], capture_output=True, text=True, check=True).stdout
    assert_array_equal(np.array(out.split(), dtype=int), three.predict(X))


def test_a_nystroem_machine_has_costs(rare):
    model = TunedSVC("rbf", threshold=0.2, solver="nystroem").fit(*rare)
    assert_array_equal(model.predict(rare[0]) == 1, model.predict_proba(rare[0])[:, 1] > 0.2)


def test_a_second_fit_forgets_the_threshold(rare):
    model = TunedSVC("rbf", threshold=0.1).fit(*rare)
    model.set_params(threshold=None).fit(*rare)
    assert not hasattr(model, "threshold_")
    assert model.costs_ is None


def test_matrices():
    classes = np.array(["a", "b", "c"])
    assert_array_equal(cost_matrix({"b": 3}, classes, "X"), [[0, 1, 1], [3, 0, 3], [1, 1, 0]])
    odds = np.linspace(-4, 4, 9)[:, None]
    p = 1 / (1 + np.exp(-odds[:, 0]))
    assert_array_equal(most_likely(odds, 2, "ovo", costs_of_threshold(0.3)), p > 0.3)


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("names 7, which is not a class", {"costs": {7: 1.0}}),
        (r"a row and a column for each of 3 classes, got the shape \(1, 1\)", {"costs": [[0.0]]}),
        ("zero for right answers and positive for wrong ones", {"costs": np.ones((3, 3))}),
        ("zero for right answers and positive for wrong ones", {"costs": -1.0 + np.eye(3)}),
        ("must be numbers", {"costs": [["a", "b"], ["c"]]}),
        (r"has values from 1 to 1e\+300, which differ too much for probabilities", {"costs": {0: 1e300}}),
        ("from 1e-320 to 1, which differ too much", {"costs": {0: 1e-320}}),
        ("'costs' of TunedSVC must be a finite float, got 'x'", {"costs": {0: "x"}}),
        ("works for two classes, but the target has 3. Use 'costs'", {"threshold": 0.3}),
        ("Set only one", {"threshold": 0.3, "costs": {0: 2.0}}),
        ("needs probabilities, but predict_by='decision'", {"costs": {0: 2.0}, "predict_by": "decision"}),
        ("predicts a class for every row", {"costs": {0: 2.0}, "multiclass": "ovo-reject"}),
    ],
)
def test_bad_costs_are_refused(wine, message, settings):
    with pytest.raises(ValueError, match=message):
        TunedSVC("rbf", **settings).fit(*wine)


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("must be between 0 and 1, got 1.5", {"threshold": 1.5}),
        ("must be None, 'auto' or a number, got 'best'", {"threshold": "best"}),
        ("must be a finite float", {"threshold": np.nan}),
        ("needs a score of labels", {"threshold": "auto", "scoring": "roc_auc"}),
        ("needs a score of labels", {"threshold": "auto", "scoring": "neg_log_loss"}),
        ("same for every threshold", {"threshold": "auto", "scoring": lambda model, X, y: 0.5}),
    ],
)
def test_bad_thresholds_are_refused(rare, message, settings):
    with pytest.raises(ValueError, match=message):
        TunedSVC("rbf", **settings).fit(*rare)


@pytest.mark.parametrize(("n", "seed"), [(100, 0), (120, 2), (137, 5)])
def test_a_chosen_threshold_does_not_depend_on_the_order_of_the_names(n, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2))
    y = np.where(X[:, 0] + random.normal(size=n) > 0.7, "b", "a")
    auto = TunedSVC("rbf", scoring="balanced_accuracy", threshold="auto")
    thresholds = [clone(auto).fit(X, labels).threshold_ for labels in (y, np.where(y == "a", "c", "b"))]
    assert thresholds[0] == pytest.approx(1.0 - thresholds[1], abs=1e-9)


def test_a_threshold_at_the_end_of_its_range_is_a_warning():
    inside = threshold_findings(Threshold(0.4, 0.1, 0.8, 0.7, False), "yes")
    assert [finding.name for finding in inside] == ["threshold"]
    _, found = threshold_findings(Threshold(0.999, 0.1, 0.8, 0.7, True), "yes")
    assert (found.name, found.severity) == ("threshold at the end", "warning")
    assert "The threshold 0.999 is at the end of its range" in found.message
