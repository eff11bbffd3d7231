"""The function form of TunedSVC."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernelwise import TunedSVC, tune
from kernelwise.result import TuningResult


def test_it_is_the_choice_of_tuned_svc(blobs):
    X, y = blobs
    result, model = tune(X, y), TunedSVC(refit=False).fit(X, y)
    assert isinstance(result, TuningResult)
    assert str(result.kernel) == str(model.kernel_)
    assert result.C == model.C_
    assert result.score == model.best_score_
    assert_array_equal(result.cv_results["mean_test_score"], model.cv_results_["mean_test_score"])
    assert len(result.history) == result.n_evaluations == len(model.cv_results_["params"])


def test_no_final_machine_is_trained(blobs):
    X, y = blobs
    result = tune(X, y, kernel="rbf", Cs=[1.0, 10.0], cv=3)
    n_kernels = len(np.unique([params["gamma"] for params in result.cv_results["params"]]))
    assert result.n_svm_fits == 2 * 3 * n_kernels


def test_printed_it_says_why(blobs):
    X, y = blobs
    text = repr(tune(X, y, kernel="rbf")).splitlines()
    assert text[0].startswith("SelectionResult(kernel=RBF(gamma=")
    assert "settings scored" in text[1]
    assert "stopped: converged" in text[1]
    assert text[2].startswith("RBF with γ = ")
    assert any(line.startswith("The search started from") for line in text)
    assert max(map(len, text)) < 400


def test_weights_and_criteria_pass_through(blobs):
    X, y = blobs
    weight = np.linspace(0.5, 2.0, len(y))
    result = tune(X, y, kernel="linear", criterion="kta", sample_weight=weight)
    model = TunedSVC("linear", criterion="kta", refit=False).fit(X, y, sample_weight=weight)
    assert result.C == model.C_
    assert result.score == model.best_score_
    assert result.why[-1] == "The kernel Linear has no parameter to choose, so the search chose only C."


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernal": "rbf"}, r"^tune has no parameter 'kernal'. Did you mean 'kernel'\?$"),
        ({"C": 1.0}, r"^tune has no parameter 'C': it chooses C from the data. .* use SVC\(C=1.0\), or Cs="),
        ({"probability": True}, "^tune has no parameter 'probability'. Its parameters are X, y, kernel, "),
    ],
)
def test_an_unknown_parameter_is_one_of_tune(blobs, settings, message):
    with pytest.raises(TypeError, match=message):
        tune(*blobs, **settings)
