"""Where :class:`ManifoldDescent` moves: pymanopt's manifolds, kept inside bounds.

The search is that of paper 003 (Laanaya and others 2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pymanopt.manifolds import Euclidean, SymmetricPositiveDefinite

# No step changes an eigenvalue or a width by more than this factor, e¹⁰: the exponential map cannot overflow.
LONGEST = 10.0
# What counts as on the edge: rounding in the eigenvalues of a matrix that was put there.
NEAR = 1e-8


class BoundedSPD(SymmetricPositiveDefinite):
    """Symmetric positive-definite matrices, affine-invariant metric, eigenvalues between bounds.

    No eigenvalue is smaller than the share ``floor`` of the largest.
    """

    def __init__(self, size: int, low: float, high: float, floor: float) -> None:
        super().__init__(size)
        self.low, self.high, self.floor = low, high, floor

    def exp(self, point: np.ndarray, tangent_vector: np.ndarray) -> np.ndarray:
        """Q^½ exp(Q^-½ T Q^-½) Q^½ (paper 003, after eq. 4), eigenvalues then put inside the bounds."""
        # L = Q^½·(a rotation), which the symmetric form does not see.
        L = np.linalg.cholesky(point)
        half = np.linalg.solve(L, tangent_vector)
        M = np.linalg.solve(L, half.T)
        values, V = np.linalg.eigh((M + M.T) / 2.0)
        Z = (L @ V) * np.exp(np.clip(values, -LONGEST, LONGEST) / 2.0)
        return self.into_bounds(Z @ Z.T)

    # The line search evaluates the point it would go to, bounds included: no cost can rise unseen.
    retraction = exp

    def into_bounds(self, Q: np.ndarray) -> np.ndarray:
        """Q with its eigenvalues inside the bounds; Q itself if they are."""
        values, U = np.linalg.eigh((Q + Q.T) / 2.0)
        inside = np.clip(values, None, self.high)
        inside = np.maximum(inside, self._lowest(inside[-1]))
        if np.array_equal(inside, values):
            return (Q + Q.T) / 2.0
        return (U * inside) @ U.T

    def _lowest(self, largest: float) -> float:
        return max(self.low, self.floor * largest)

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        """Q·sym(∂Q)·Q, without what would only push eigenvalues out of their bounds."""
        return super().euclidean_to_riemannian_gradient(point, self._inward(point, euclidean_gradient))

    def _inward(self, point: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        values, U = np.linalg.eigh(point)
        lowest = self._lowest(values[-1])
        at_low = values <= lowest * (1.0 + NEAR)
        at_high = values >= self.high * (1.0 - NEAR)
        # Where all eigenvalues are equal, none is at a floor that the others set.
        if at_low.all() or not (at_low.any() or at_high.any()):
            return gradient
        G = U.T @ ((gradient + gradient.T) / 2.0) @ U
        pushed = _remove_positive(G, at_low, 1.0)
        _remove_positive(G, at_high, -1.0)
        if lowest > self.low:
            # The floor rises with the largest eigenvalue, and lifts those that lie on it.
            G[-1, -1] += self.floor * pushed
        return U @ G @ U.T

    def transport(self, point_a: np.ndarray, point_b: np.ndarray, tangent_vector_a: np.ndarray) -> np.ndarray:
        """Parallel transport E T Eᵀ with E = (B A⁻¹)^½, an isometry; pymanopt takes E = I."""
        L = np.linalg.cholesky(point_a)
        inverse = np.linalg.inv(L)
        values, V = np.linalg.eigh(inverse @ point_b @ inverse.T)
        E = L @ (V * np.sqrt(values)) @ V.T @ inverse
        return E @ tangent_vector_a @ E.T


def _remove_positive(G: np.ndarray, edge: np.ndarray, sign: float) -> float:
    """Take the positive part of sign·G in the block ``edge`` out of G; returns its trace."""
    block = np.ix_(edge, edge)
    values, V = np.linalg.eigh(sign * G[block])
    outward = np.maximum(values, 0.0)
    G[block] -= sign * (V * outward) @ V.T
    return float(outward.sum())


class PapersSPD(BoundedSPD):
    """The same exponential map under the Frobenius metric: paper 003's step, which has ∂Q itself in it."""

    def inner_product(self, point: np.ndarray, tangent_vector_a: Any, tangent_vector_b: Any) -> float:
        return float(np.vdot(tangent_vector_a, tangent_vector_b))

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        return self.projection(point, self._inward(point, euclidean_gradient))


class Box(Euclidean):
    """Vectors between bounds: logarithms of positive parameters, entries of a low-rank map, log C.

    The affine-invariant metric of positive numbers is the plain one of their logarithms. No exponential is
    smaller than the share ``floor`` of the largest; 0 is for none.
    """

    def __init__(self, bounds: np.ndarray, floor: float = 0.0) -> None:
        super().__init__(len(bounds))
        self.bounds, self.floor = bounds, floor

    def exp(self, point: np.ndarray, tangent_vector: np.ndarray) -> np.ndarray:
        largest = float(np.abs(tangent_vector).max(initial=0.0))
        return self.into_bounds(point + tangent_vector * min(1.0, LONGEST / max(largest, LONGEST)))

    retraction = exp

    def into_bounds(self, vector: np.ndarray) -> np.ndarray:
        vector = np.minimum(vector, self.bounds[:, 1])
        return np.maximum(vector, self._lowest(vector))

    def _lowest(self, vector: np.ndarray) -> np.ndarray:
        if not self.floor:
            return self.bounds[:, 0]
        return np.maximum(self.bounds[:, 0], vector.max() + np.log(self.floor))

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        out_low = (point <= self._lowest(point)) & (euclidean_gradient > 0)
        out_high = (point >= self.bounds[:, 1]) & (euclidean_gradient < 0)
        inward = np.where(out_low | out_high, 0.0, euclidean_gradient)
        if self.floor:
            # The floor rises with the largest entry, and lifts those that lie on it.
            lifted = out_low & (point > self.bounds[:, 0])
            inward[point.argmax()] += euclidean_gradient[lifted].sum()
        return inward


class PapersBox(Box):
    """Logarithms θ of weights q under the Frobenius metric of q: the paper's step with a diagonal Q."""

    def inner_product(self, point: np.ndarray, tangent_vector_a: Any, tangent_vector_b: Any) -> float:
        return float(np.sum(np.exp(2.0 * point) * tangent_vector_a * tangent_vector_b))

    def norm(self, point: np.ndarray, tangent_vector: np.ndarray) -> float:
        return float(np.sqrt(self.inner_product(point, tangent_vector, tangent_vector)))

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        # dq = q dθ, so that −∂w/∂q inside the exponential map is −(∂w/∂θ)/q² in θ.
        return super().euclidean_to_riemannian_gradient(point, euclidean_gradient) * np.exp(-2.0 * point)
