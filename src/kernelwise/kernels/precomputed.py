"""The kernel of distances that the user has computed."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_not_below_zero, check_samples
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels.distances import PRECOMPUTED
from kernelwise.kernels.radial import Decaying, OneGamma, decayed

#: What estimators call it.
PRECOMPUTED_DISTANCE = "precomputed-distance"


class PrecomputedDistance(OneGamma, Decaying):
    """Kernel of given distances: k = exp(−γD), where D is a matrix of distances instead of samples.

    ``kernel(D)`` has the shape of D, whose row i has the distances of sample i from every column's sample. It
    need not be positive semi-definite: that depends on the distance.

    Parameters
    ----------
    gamma : float, default=1.0

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import PrecomputedDistance
    >>> PrecomputedDistance(gamma=0.5)(np.array([[0.0, 3.0], [3.0, 0.0]])).round(4)
    array([[1.    , 0.2231],
           [0.2231, 1.    ]])
    """

    title: ClassVar[str] = "Kernel of given distances"
    meaning: ClassVar[str] = "the larger the given distance of two rows, the less alike they are"
    # As of a distance that grows like ‖x − y‖: the search then takes the steps of the Laplacian kernel.
    input_powers: ClassVar = {"gamma": 0.5}
    distance: ClassVar[str] = "precomputed"
    takes_distances: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = False

    @property
    def gram_base(self) -> str | None:
        return PRECOMPUTED

    def distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        """X itself, shape (n_rows, n_columns); it is to be copied before it is changed."""
        if Y is not None and Y is not X:
            raise IncompatibleError(
                "PrecomputedDistance needs one matrix of distances and no second set of samples. Call "
                "kernel(D), and do not use criteria that hold out samples."
            )
        D = np.asarray(X)
        check_not_below_zero(D)
        return D

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        """A copy whose γ is one over the median of the positive distances, whatever the heuristic.

        "keep" keeps γ; X has the distances, shape (n_rows, n_columns), and y is not looked at.
        """
        if heuristic == "keep":
            return self._copy()
        D = self.distances(check_samples(X))
        positive = D[D > 0.0]
        return self._copy(gamma=1.0 / float(np.median(positive)) if positive.size else 1.0)

    def _gram(self, X: Samples, Y: Samples) -> np.ndarray:
        return decayed(self.distances(X, Y).copy(), self.scale)
