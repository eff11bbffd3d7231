"""A criterion of one's own: the Hilbert–Schmidt independence criterion between samples and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_wine

from kernelwise import TunedSVC
from kernelwise.criteria import Criterion
from kernelwise.optimizers import SecondOrder
from kernelwise.testing import check_criterion


class HSIC(Criterion):
    """Σ_ij p_i p_j K_ij T_ij, T the centred kernel of the labels: zero where samples say nothing about them.

    The empirical criterion of Gretton, Bousquet, Smola and Schölkopf (ALT 2005): tr(KHLH) over n², with
    L_ij = 1 for equal labels and 0 for others. p are the shares of the samples, all 1/n without weights.
    """

    name = "hsic"
    reference = "A. Gretton and others, Measuring statistical dependence, ALT 2005"
    # The score is linear in K, so that its derivative is known before K is.
    is_linear = True

    def __init__(self) -> None:
        pass

    def score(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        """HSIC of a Gram matrix of shape (n_samples, n_samples): larger is better."""
        return float(np.vdot(_target(y, sample_weight), K))

    def value_and_adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> tuple[float, np.ndarray]:
        """The cost −HSIC, and its derivative by K of shape (n_samples, n_samples)."""
        W = -_target(y, sample_weight)
        return float(np.vdot(W, K)), W


def _target(y: Any, sample_weight: Any) -> np.ndarray:
    """p_i p_j T_ij, shape (n_samples, n_samples)."""
    y = np.asarray(y)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    p = weight / weight.sum()
    L = (y[:, None] == y).astype(float)
    mean = L @ p
    return np.outer(p, p) * (L - mean[:, None] - mean + p @ mean)


def main() -> TunedSVC:
    """Check the criterion, then let it choose the width, and cross-validation C."""
    check_criterion(HSIC(), n_classes=2)
    check_criterion(HSIC(), n_classes=3)
    X, y = load_wine(return_X_y=True)
    model = TunedSVC("rbf", criterion=HSIC(), search=SecondOrder()).fit(X, y)
    print(model.kernel_, f"C={model.C_:.3g}", f"cross-validated {model.best_score_:.4f}")
    return model


if __name__ == "__main__":
    main()
