"""Data and a watched problem for the tests of criteria that train machines."""

from __future__ import annotations

import numpy as np

from kernelwise.kernels import KMOD, RBF, DiagonalGaussian, Polynomial
from kernelwise.problem import TuningProblem

#: Of four features, and with parameters of every kind.
KERNELS = [KMOD(2.0, 1.5), RBF(0.2), DiagonalGaussian([0.3, 0.2, 0.5, 0.1]), Polynomial(3, 0.2, 1.0)]


def make_data(n=80, n_classes=2, seed=7, n_clean=9):
    """Overlapping classes of unequal sizes, with one label in ``n_clean`` wrong."""
    random = np.random.default_rng(seed)
    y = np.arange(n) * 2 % 5 % n_classes
    X = random.normal(size=(n, 4))
    X[:, 0] += 1.5 * y
    X[:, 2] -= 1.5 * (y == 1)
    y[::n_clean] = (y[::n_clean] + 1) % n_classes  # some bounded support vectors for any C
    return X, y


class WatchedProblem(TuningProblem):
    """Raises if the active set differs from that of the first evaluation: differences would mean nothing."""

    first = None

    def _evaluate(self, theta, *, needs_gradient):
        answer = super()._evaluate(theta, needs_gradient=needs_gradient)
        now = self._states(np.exp(theta[-1]))
        if self.first is None:
            self.first = now
        np.testing.assert_array_equal(self.first, now)
        return answer

    def _states(self, C):
        """For the coefficients of all machines: 0 if zero, 1 if free, 2 if bounded."""
        betas = [beta for warm in self.memory.warm.values() for beta in warm.values()]
        weight = 1.0 if self.sample_weight is None else self.sample_weight
        n = len(self.y)  # beyond are the criterion's own points
        return np.concatenate([(b[:n] != 0) + 1 * (np.abs(b[:n]) == C * weight) for b in betas])
