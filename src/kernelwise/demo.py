"""The main job on a data set that ships with scikit-learn: ``python -m kernelwise.demo``."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelwise.criteria import CRITERIA
from kernelwise.exceptions import BoundaryWarning
from kernelwise.optimizers import LineSearch, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult

ROW = "{:<14} {:>10} {:>10} {:>8} {:>9}   {}"


def main() -> None:
    """Choose the width of an RBF kernel by every criterion, then one width per feature, and print a table."""
    data = load_breast_cancer()
    X, y = StandardScaler().fit_transform(data.data), data.target
    print(f"breast_cancer: {len(y)} samples, {X.shape[1]} features, 2 classes; C = 10 throughout\n")
    print(ROW.format("criterion", "gamma", "score", "seconds", "accuracy", "how the search ended"))
    for name in CRITERIA:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BoundaryWarning)  # the last column says it
            result = LineSearch().minimize(TuningProblem("rbf", name, X, y))
        print(_row(name, f"{result.kernel.get_params()['gamma']:.4g}", result, X, y))

    print("\nOne width per feature, by centred alignment:")
    result = QuasiNewton().minimize(TuningProblem("diagonal", "centered-kta", X, y))
    print(_row("centered-kta", "30 widths", result, X, y))
    weights = sorted(zip(result.theta, data.feature_names, strict=True), reverse=True)
    print("The features it trusts most:", ", ".join(str(name) for _, name in weights[:5]))


def _row(name: str, width: str, result: TuningResult, X: Any, y: Any) -> str:
    accuracy = cross_val_score(SVC(C=10.0, kernel=result.kernel), X, y, cv=5).mean()
    return ROW.format(
        name, width, f"{result.score:.4g}", f"{result.seconds:.2f}", f"{accuracy:.3f}", result.stop_reason
    )


if __name__ == "__main__":
    main()
