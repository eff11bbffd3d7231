"""The main job on a data set that ships with scikit-learn: ``python -m kernelwise.demo``."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise import SVC, DistanceSketch, GridSearchSVC, TunedSVC
from kernelwise._core.typing import Predictor
from kernelwise.comparison.cells import n_machines
from kernelwise.exceptions import BoundaryWarning
from kernelwise.kernels.metric import most_relevant
from kernelwise.search.wording import model_text

ROW = "{:<34} {:>8} {:>9} {:>8}"
GRID = {"gamma": 2.0 ** np.arange(-15, 4), "C": 2.0 ** np.arange(-5, 16)}

NEXT = """
For a CSV file of your own, in which a column named "class" holds what to predict:
  kernelwise tune data.csv --target class --model model.kw --report report.html
  kernelwise predict model.kw new.csv --out predictions.csv"""


def main() -> None:
    """Tune a model on one half of the data and test it on the other, beside a default and a grid."""
    data = load_breast_cancer()
    X, X_test, y, y_test = train_test_split(
        data.data, data.target, test_size=0.5, stratify=data.target, random_state=0
    )
    n_samples, n_features = data.data.shape
    print(f"breast_cancer: {n_samples} samples, {n_features} features; half for training, half for testing\n")
    TunedSVC().fit(X[:60], y[:60])  # loads the compiled solver, so that the first row does not pay for it

    print(ROW.format("", "accuracy", "models", "seconds"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = _run("TunedSVC()", TunedSVC(), X, y, X_test, y_test)
        _run('TunedSVC(kernel="rbf")', TunedSVC("rbf"), X, y, X_test, y_test)
        metric = _run('TunedSVC(kernel="diagonal")', TunedSVC("diagonal"), X, y, X_test, y_test)
        _run("SVC() on scaled features", make_pipeline(StandardScaler(), SVC()), X, y, X_test, y_test)
        grid = GridSearchSVC(GRID, scaler="standard", cv=5)
        _run("GridSearchSVC, 19 x 21 values", grid, X, y, X_test, y_test)

    print(f"The test half has {len(y_test)} rows: one row changes the accuracy by {1 / len(y_test):.4f}.")
    for sentence in dict.fromkeys(str(one.message) for one in said):  # several models may say the same
        print(f"Warning: {sentence}")

    print(f"\nTunedSVC() chose: {model.result_.blend or model_text(model.kernel_, model.C_)}")
    for sentence in model.result_.why:
        print(f"  {sentence}")
    relevant = most_relevant(data.feature_names, metric.relevance_, 5)
    print(f'\nThe features that count most in TunedSVC(kernel="diagonal"): {relevant}')

    print(
        "\nFor researchers, the width at which each criterion is best, from one pass over all pairs of rows:"
    )
    sketch = DistanceSketch.from_data(StandardScaler().fit_transform(X), y)
    for name in ("dbtc", "kta", "polarization", "esdr", "j4"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BoundaryWarning)  # the line says it
            best = sketch.maximize(name, "pooled")
        print(f"  {name:<14} gamma = {best.gamma:.4g} ({best.stop_reason})")
    print(NEXT)


def _run(
    name: str,
    model: Predictor,
    X: np.ndarray,
    y: np.ndarray,
    X_test: np.ndarray,
    y_test: np.ndarray,
) -> Any:
    """Fit, print one row, and return the fitted model."""
    started = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - started
    accuracy = f"{model.score(X_test, y_test):.4f}"
    print(ROW.format(name, accuracy, n_machines(model), f"{seconds:.2f}"))
    return model


if __name__ == "__main__":
    main()
