"""The parameters of a kernel as a plain vector, for searches that know nothing of matrices."""

from __future__ import annotations

import numpy as np

from kernelwise.problem import TuningProblem

WIDEST_SPREAD = 28.0  # of the logarithms of the eigenvalues of Q: a condition of 10¹²


class SearchSpace:
    """View of a :class:`~kernelwise.problem.TuningProblem` as a search over plain vectors.

    Most kernels have a vector for ``theta`` already. For a symmetric positive-definite matrix Q the vector
    is the upper triangle of log Q (off-diagonal entries times √2, so that lengths agree): every vector is a
    valid Q, as every logarithm is a valid width. The criterion's own parameters, such as log C, come last.

    Parameters
    ----------
    problem : TuningProblem

    Attributes
    ----------
    start : ndarray of shape (n_parameters,)
        Where the problem's kernel and criterion are.
    bounds : ndarray of shape (n_parameters, 2)
        Lowest and highest value of each entry.
    is_matrix : bool
        Whether the kernel's parameter is a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import Gaussian
    >>> from kernelwise.optimizers import SearchSpace
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]), [0, 0, 1, 1]
    >>> space = SearchSpace(TuningProblem(Gaussian(np.eye(2)), "dbtc", X, y))

    The logarithm of the identity is zero, and every vector is a metric:

    >>> Q = space.to_theta(np.array([0.0, 5.0, 0.0]))
    >>> space.start.tolist(), bool((np.linalg.eigvalsh(Q) > 0).all())
    ([0.0, 0.0, 0.0], True)
    """

    def __init__(self, problem: TuningProblem) -> None:
        self.problem = problem
        self.is_matrix = problem.kernel.geometry == "spd"
        theta = problem.theta
        if not self.is_matrix:
            self.start, self.bounds = theta.copy(), problem.bounds
            return
        self._size = problem.kernel.theta.shape[0]
        self._rows, self._columns = np.triu_indices(self._size)
        self._length = np.where(self._rows == self._columns, 1.0, np.sqrt(2.0))
        n_own = len(problem.criterion.theta)
        self.start = self.to_vector(theta)
        self.bounds = np.concatenate(
            [self._matrix_bounds(*problem.bounds[0]), problem.bounds[len(problem.bounds) - n_own :]]
        )

    def _matrix_bounds(self, low: float, high: float) -> np.ndarray:
        """Ranges of the entries of log Q when its eigenvalues lie between ``low`` and ``high``."""
        is_diagonal = self._rows == self._columns
        spread = np.sqrt(2.0) * (high - low) / 2.0
        return np.where(is_diagonal[:, None], [low, high], [-spread, spread])

    def to_vector(self, theta: np.ndarray) -> np.ndarray:
        """The vector that stands for a point of the problem."""
        if not self.is_matrix:
            return theta.copy()
        flat = theta.ravel()
        Q, own = np.split(flat, [self._size**2])
        values, U = np.linalg.eigh(Q.reshape(self._size, self._size))
        log_Q = (U * np.log(values)) @ U.T
        return np.concatenate([self._length * log_Q[self._rows, self._columns], own])

    def to_theta(self, vector: np.ndarray) -> np.ndarray:
        """The point of the problem that a vector stands for."""
        if not self.is_matrix:
            return np.asarray(vector, dtype=float)
        values, U = np.linalg.eigh(self._symmetric(vector))
        # Smaller eigenvalues are lost in the rounding of the largest, and Q would not be positive definite.
        values = np.maximum(values, values[-1] - WIDEST_SPREAD)
        Q = (U * np.exp(values)) @ U.T
        own = vector[len(self._rows) :]
        return np.concatenate([Q.ravel(), own]) if own.size else Q

    def _symmetric(self, vector: np.ndarray) -> np.ndarray:
        S = np.zeros((self._size, self._size))
        S[self._rows, self._columns] = vector[: len(self._rows)] / self._length
        return S + np.triu(S, 1).T

    def value(self, vector: np.ndarray) -> float:
        """The cost."""
        return self.problem.value(self.to_theta(vector))

    def value_and_gradient(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """The cost and its gradient with respect to the vector."""
        value, gradient = self.problem.value_and_gradient(self.to_theta(vector))
        return value, self._pull_back(vector, gradient) if self.is_matrix else gradient

    def _pull_back(self, vector: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Gradient through Q = exp(S): U (Γ ∘ UᵀGU) Uᵀ, Γ the divided differences of exp (Daleckii–Krein)."""
        by_Q, own = np.split(gradient.ravel(), [self._size**2])
        values, U = np.linalg.eigh(self._symmetric(vector))
        gap = values[:, None] - values[None, :]
        # exp(b) · expm1(a − b)/(a − b), which is exp(b) on the diagonal: no cancellation.
        ratio = np.divide(np.expm1(gap), gap, out=np.ones_like(gap), where=gap != 0)
        divided = np.exp(values)[None, :] * ratio
        through = U @ (divided * (U.T @ by_Q.reshape(self._size, -1) @ U)) @ U.T
        return np.concatenate([self._length * through[self._rows, self._columns], own])

    def clip(self, vector: np.ndarray) -> np.ndarray:
        """The nearest vector inside the bounds."""
        return np.clip(vector, self.bounds[:, 0], self.bounds[:, 1])
