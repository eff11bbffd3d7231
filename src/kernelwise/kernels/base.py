"""What every kernel is: a small value object with a Gram matrix and a pulled-back gradient."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.memory import check_gram_memory
from kernelwise._core.parameters import Parametrized
from kernelwise._core.typing import MatrixLike, Samples, is_sparse
from kernelwise._core.validation import check_pair, check_samples
from kernelwise.exceptions import IncompatibleError


class Kernel(Parametrized, ABC):
    """Base class of kernels: functions k_θ(x, y) with named parameters.

    Kernels are values: :meth:`with_theta` and :meth:`initialize` return changed copies. A subclass writes
    ``_gram``, ``_diagonal`` and ``_gradient_dot`` and lists its free parameters, in declaration order, in
    ``hyperparameters``. It may say more about itself, such as ``is_gaussian`` or :meth:`sklearn_params`; what
    it leaves out is only not made use of.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> kernel = RBF(gamma=0.5)
    >>> kernel(X).shape, kernel(X, X[:2]).shape
    ((3, 3), (3, 2))

    A search sees the vector ``theta`` and makes copies; here γ is doubled:

    >>> kernel.with_theta(kernel.theta + np.log(2.0))
    RBF(gamma=1)

    The derivative of ΣK by log γ, without an array of derivatives:

    >>> kernel.gradient_dot(X, np.ones((3, 3))).round(4)
    array([-1.2479])
    """

    #: "euclidean" if ``theta`` is a free vector, "spd" if it is a symmetric positive-definite matrix.
    geometry: ClassVar[str] = "euclidean"
    #: How a parameter scales with the inputs: ``{"gamma": 1.0}`` means γ·‖x‖² is invariant; see `rescaled`.
    input_powers: ClassVar[dict[str, float]] = {}
    #: What people call the kernel; the name of the class unless it says otherwise.
    title: ClassVar[str]
    #: What the kernel does, for somebody who does not know its name; see also ``reach``.
    meaning: ClassVar[str] = ""
    #: Whether the kernel is the inner product itself, so that a machine has one weight per feature.
    is_linear: ClassVar[bool] = False
    #: Whether the kernel is a function of a distance after a linear map, and 1 at distance zero.
    is_radial: ClassVar[bool] = False
    #: The distance D after a linear map whose function exp(−s·D) the kernel is: "sqeuclidean", "euclidean",
    #: "cityblock", "precomputed" (X itself), or None. The kernel then has s as ``scale``, D as ``distances``.
    distance: ClassVar[str | None] = None
    #: Whether D is the squared Euclidean distance.
    is_gaussian: ClassVar[bool] = False
    #: Whether s of exp(−s·D) is the only free parameter, so that one sketch of D serves all widths.
    has_one_width: ClassVar[bool] = False
    #: Whether the free parameters are a metric Q; see `kernelwise.kernels.metric.MetricKernel`.
    learns_metric: ClassVar[bool] = False
    #: Whether the kernel divides out the units of the features by itself.
    scales_features: ClassVar[bool] = False
    #: Whether X is not samples, but the matrix of distances between its rows and the training samples.
    takes_distances: ClassVar[bool] = False
    #: Whether samples may be CSR matrices; a kernel that says no is never given one.
    takes_sparse: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "title" not in vars(cls):
            cls.title = cls.__name__

    @property
    def reach(self) -> float | None:
        """The distance at which the kernel is exp(−1/2), σ of a Gaussian; None if no one number says it."""
        return None

    def __call__(self, X: MatrixLike, Y: MatrixLike | None = None) -> np.ndarray:
        """Gram matrix of shape (n_rows, n_columns); columns are the samples ``X`` when ``Y`` is None."""
        X, Y = check_pair(X, Y)
        self.check_takes(X, Y)
        self._check_features(X.shape[1])
        check_gram_memory(1, X.shape[0], Y.shape[0], X.dtype.itemsize)
        return self._gram(X, Y)

    def diagonal(self, X: MatrixLike) -> np.ndarray:
        """k(x, x) for every row of ``X``: the diagonal of ``kernel(X)`` without computing the rest."""
        X = check_samples(X)
        self.check_takes(X)
        self._check_features(X.shape[1])
        return self._diagonal(X)

    def gradient_dot(
        self, X: MatrixLike, W: ArrayLike, Y: MatrixLike | None = None, *, K: np.ndarray | None = None
    ) -> np.ndarray:
        """Contract a weight matrix with the derivative of the kernel matrix.

        Computes ``g[p] = sum_ij W[i, j] * dK[i, j] / dtheta[p]`` without forming the derivative array, which
        is what makes one width per feature affordable.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_rows, n_features)
        W : ndarray of shape (n_rows, n_columns)
            Sensitivity of a criterion to each kernel entry; need not be symmetric.
        Y : array or CSR matrix of shape (n_columns, n_features), default=None
            Column samples; ``X`` when omitted. Held-out criteria pass training rows here.
        K : ndarray of shape (n_rows, n_columns), default=None
            ``kernel(X, Y)`` if it is at hand; it is not changed. Saves computing it here.

        Returns
        -------
        gradient : ndarray of the shape of ``theta``
            With respect to ``theta``, that is, to the logarithm of each positive parameter.
        """
        X, Y = check_pair(X, Y)
        self.check_takes(X, Y)
        self._check_features(X.shape[1])
        W = np.asarray(W, dtype=float)
        if W.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(
                f"W has shape {W.shape}, expected {(X.shape[0], Y.shape[0])}: one weight per kernel entry."
            )
        return self._gradient_dot(X, Y, W, K)

    def input_gradient(self, X: MatrixLike, A: ArrayLike, Y: MatrixLike | None = None) -> np.ndarray:
        """Gradients by the samples of sums of kernel values: Σ_j A_ij ∂k(x_i, y_j)/∂x_i.

        With coefficients β as every row of ``A`` they are those of the decision function of a machine.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        A : ndarray of shape (n_rows, n_columns)
        Y : array of shape (n_columns, n_features), default=None
            ``X`` when omitted.

        Returns
        -------
        gradient : ndarray of shape (n_rows, n_features)
            Where the kernel has a kink, at equal samples or equal features, that side counts as zero.
        """
        X, Y = check_pair(X, Y)
        if is_sparse(X) or is_sparse(Y):
            raise IncompatibleError("Gradients with respect to samples need dense samples. Pass X.toarray().")
        self._check_features(X.shape[1])
        A = np.asarray(A, dtype=float)
        if A.shape != (X.shape[0], Y.shape[0]):
            raise ValueError(f"A has shape {A.shape}, expected {(X.shape[0], Y.shape[0])}.")
        return self._input_gradient(np.asarray(X, dtype=float), A, np.asarray(Y, dtype=float))

    def _input_gradient(self, X: np.ndarray, A: np.ndarray, Y: np.ndarray) -> np.ndarray:
        raise IncompatibleError(f"{type(self).__name__} does not say how it changes with the samples.")

    def check_takes(self, *samples: Samples) -> None:
        """Raise if samples are sparse and the kernel takes no such samples."""
        for X in samples:
            if is_sparse(X) and not self.takes_sparse:
                raise IncompatibleError(
                    f"X is sparse, and {type(self).__name__} takes dense samples only. Pass X.toarray()."
                )

    @abstractmethod
    def _gram(self, X: Samples, Y: Samples) -> np.ndarray: ...

    @abstractmethod
    def _diagonal(self, X: Samples) -> np.ndarray: ...

    @abstractmethod
    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray: ...

    def transform(self, X: Samples) -> Any:
        """Samples after the kernel's linear map, shape (n_samples, n_mapped); ``X`` itself without a map."""
        return X

    def linear_map(self, n_features: int) -> np.ndarray | None:
        """The map of :meth:`transform` as an array L, or None if it is the identity.

        ``transform(X)`` is X·L with L of shape (n_features, n_mapped) or, where each feature has a weight,
        X∘L with L of shape (n_features,).
        """
        if type(self).transform is Kernel.transform:
            return None
        return np.asarray(self.transform(np.eye(n_features)))

    @property
    def gram_base(self) -> str | None:
        """The array that :meth:`profile` takes; None if there is none that other kernels can share.

        "squared distances", "inner products" or "city-block distances"; it is computed once for all kernels
        with the same base.
        """
        return None

    def profile(self, base: np.ndarray) -> np.ndarray:
        """Kernel values from the array that `gram_base` names, of any shape, which is overwritten."""
        return self._profile(base)

    def profile_into(self, base: np.ndarray, out: np.ndarray) -> None:
        """The same, written to ``out`` of the same shape; the base stays as it is."""
        np.copyto(out, base)
        values = self.profile(out)
        if values is not out:
            out[:] = values

    def _profile(self, base: np.ndarray) -> np.ndarray:
        raise IncompatibleError(f"{type(self).__name__} is not a function of distances or inner products.")

    @property
    def scale(self) -> float:
        """The factor s of a kernel exp(−s·D)."""
        raise IncompatibleError(f"{type(self).__name__} has no scale: it is not exp(−s·D) of a distance D.")

    def distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        """D of a kernel exp(−s·D), after its linear map, shape (n_rows, n_columns)."""
        raise IncompatibleError(f"{type(self).__name__} has no distances: it is not exp(−s·D).")

    def of_unit_width(self) -> tuple[Kernel, float] | None:
        """The kernel of the same shape whose largest weight is one, and what its distances are to be times.

        None if the kernel has no shape but its width. Distances of kernels that differ by `rescaled` only are
        then computed once.
        """
        return None

    def parts(self) -> list[tuple[float, Kernel]]:
        """Weights and kernels whose weighted sum the kernel is: 1 and itself, unless it is a sum."""
        return [(1.0, self)]

    def metric(self, n_features: int) -> np.ndarray:
        """Q of a Gaussian kernel exp(−½ (x − y)ᵀ Q (x − y)), shape (n_features, n_features)."""
        raise IncompatibleError(f"{type(self).__name__} has no metric: it is not a Gaussian kernel.")

    @property
    def feature_weights(self) -> np.ndarray | None:
        """Diagonal of a diagonal metric that is free, shape (n_features,); None for all other kernels."""
        return None

    def with_feature_weights(self, q: ArrayLike) -> Self:
        """Return a copy with other `feature_weights`, shape (n_features,)."""
        raise IncompatibleError(f"{type(self).__name__} has no weights of features.")

    @property
    def needs_data(self) -> bool:
        """Whether a parameter is missing that :meth:`initialize` takes from data."""
        return False

    def sklearn_params(self) -> dict[str, Any] | None:
        """Parameters with which scikit-learn's SVC computes the kernel, after :meth:`linear_map`.

        ``kernel``, ``gamma``, ``degree`` and ``coef0`` as far as they count; None if SVC cannot.
        """
        return None

    def _check_features(self, n_features: int) -> None:
        """Raise if the parameters do not fit samples with that many features."""

    def _check(self) -> None:
        """Raise if a parameter is out of its domain; called by the constructor and by ``set_params``."""

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        """Return a copy whose parameters suit the data.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Class labels, needed by Jaakkola's heuristic.
        heuristic : {"jaakkola", "median", "scale", "keep"}, default=None
            "jaakkola": σ is the median, over the points of all classes, of the distance to the nearest
            point of another class; "median": σ is the median distance between points; "scale": scikit-learn's
            γ = 1 / (n_features · Var(X)); "keep": only what cannot be had without data is set.
            None is "jaakkola" with labels and "median" without.
        """
        return self._copy()

    def rescaled(self, factor: float) -> Self:
        """The kernel of the inputs times √factor: narrower by that much for a factor above 1.

        Raises ValueError for a kernel that does not say how (``input_powers``).
        """
        if not self.input_powers:
            raise ValueError(f"{type(self).__name__} does not say how its parameters scale with the inputs.")
        scaled = {}
        for name, power in self.input_powers.items():
            value = getattr(self, name)
            scaled[name] = (np.asarray(value) if isinstance(value, list | tuple) else value) * factor**power
        return self._copy(**scaled)
