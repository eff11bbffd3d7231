"""A kernel of one's own: the rational quadratic kernel, a mixture of RBF kernels of many widths."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.datasets import load_breast_cancer

from kernelwise import TunedSVC
from kernelwise.kernels import RBF, Hyperparameter, RadialKernel
from kernelwise.testing import check_kernel


class RationalQuadratic(RadialKernel):
    """k(x, y) = (1 + γ‖x − y‖²/α)^(−α), which is exp(−γ‖x − y‖²) for α → ∞.

    Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), equation 4.19, with γ = 1/(2ℓ²).

    Parameters
    ----------
    gamma : float, default=1.0
        How narrow the kernel is.
    alpha : float, default=1.0
        How thin its tails are.
    """

    hyperparameters: ClassVar = (Hyperparameter("gamma"), Hyperparameter("alpha", (1e-2, 1e3)))
    # Inputs times 2 are squared distances times 4, and so γ times 4; α does not know of units.
    input_powers: ClassVar = {"gamma": 1.0}

    def __init__(self, gamma: float = 1.0, alpha: float = 1.0) -> None:
        self.gamma = gamma
        self.alpha = alpha
        self._check()

    def _check(self) -> None:
        for name in ("gamma", "alpha"):
            if not getattr(self, name) > 0:
                raise ValueError(
                    f"{name!r} of RationalQuadratic must be positive, got {getattr(self, name)!r}."
                )

    def _profile(self, D: np.ndarray) -> np.ndarray:
        return (1.0 + (self.gamma / self.alpha) * D) ** -self.alpha

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # With u = γD/α: ∂K/∂log γ = −αK·u/(1 + u) and ∂K/∂log α = αK·(u/(1 + u) − log(1 + u)).
        D = self.squared_distances(X, Y)
        u = (self.gamma / self.alpha) * D
        V = self.alpha * W * (self._profile(D) if K is None else K)
        share = u / (1.0 + u)
        return np.array([-np.vdot(V, share), np.vdot(V, share - np.log1p(u))])

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        """Return a copy with the width that suits an RBF kernel."""
        if heuristic == "keep":
            return self._copy()
        return self._copy(gamma=RBF().initialize(X, y, heuristic).gamma)


def main() -> TunedSVC:
    """Check the kernel, then let γ, α and C be chosen."""
    check_kernel(RationalQuadratic())
    X, y = load_breast_cancer(return_X_y=True)
    model = TunedSVC(RationalQuadratic(gamma=0.03)).fit(X, y)
    print(model.kernel_, f"C={model.C_:.3g}", f"cross-validated {model.best_score_:.4f}")
    return model


if __name__ == "__main__":
    main()
