"""The regression machine for more rows than an exact one can be trained on."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from kernelwise._core.constraints import NOT_NEGATIVE
from kernelwise._core.labels import weights_of_samples
from kernelwise._core.reading import as_numbers, read_samples
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.validation import check_target_range
from kernelwise.estimators._nystroem import NystroemMachine
from kernelwise.estimators._parameters import OF_NYSTROEM
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.estimators.settings import check_enough
from kernelwise.large.linear_machine import squared_epsilon_insensitive
from kernelwise.search.engine.context import Deadline
from kernelwise.search.propose.landmarks import HeldOutValues, Rows, Score


class NystroemSVR(RegressorMixin, NystroemMachine):
    """Support vector regression on Nyström features, in time that grows like n instead of n².

    The kernel is replaced by that of a few landmarks, k(x, L) k(L, L)⁻¹ k(L, y), and Newton's method trains a
    linear model with squared ε-insensitive loss, ``max(0, |y − f(x)| − ε)²``, on its features, over blocks of
    rows. A fifth of the rows is held out to choose the landmarks and C (of a sample of 20 000, if there are
    more rows). The final model is then trained on all rows.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, whose parameters come from the data (heuristic "scale"),
        or a kernel object, used after ``initialize(X, heuristic="keep")``.
    C : "auto" or float, default="auto"
        As in scikit-learn's LinearSVR with squared loss, the offset not regularised. "auto" is the best of
        some values on the held-out rows.
    epsilon : float, default=0.1
        Errors up to this size cost nothing; in the units of y. With 0 the model is a ridge regression.
    n_components : "auto" or int, default="auto"
        Number of landmarks. "auto" doubles it from 250 to at most 2000 while the held-out score gains 0.001.
    memory_limit : float, default=4096
        Memory for the features, in MiB. More than 256 MiB are kept in single precision; if that, too, is more
        than the limit, they are computed again in every pass over the rows.
    random_state : int, RandomState or None, default=0
        Seed of the landmarks and of the held-out rows.

    Attributes
    ----------
    kernel_ : Kernel
    C_, held_out_score_ : float
        The C of the final model, and the best R² on the held-out rows (with the variance of all rows).
    search_results_ : dict from str to ndarray
        "n_components", "C" and "score" of everything tried.
    support_ : ndarray of shape (n_landmarks,)
        Rows of X that are the landmarks.
    support_vectors_ : array or CSR matrix of shape (n_landmarks, n_features)
    dual_coef_ : ndarray of shape (1, n_landmarks)
        Predictions are ``kernel_(X, support_vectors_) @ dual_coef_[0] + intercept_[0]``.
    intercept_ : ndarray of shape (1,)
    n_iter_ : ndarray of shape (1,)
        Newton steps of the last training.
    n_components_ : int
        Number of features: the landmarks, without directions that are lost in rounding.
    beta_ : ndarray of shape (1, n_landmarks)
        The same as ``dual_coef_``.
    n_machines_, n_trained_ : int
        1, and the number of samples that the model was trained on.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Neither features nor targets are scaled: put a scaler before, and choose ``epsilon`` in the units of y.
    Equal rows with equal targets are one row with their total weight, and what is drawn does not depend on
    the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import NystroemSVR
    >>> X = np.random.default_rng(0).uniform(-3.0, 3.0, (1000, 1))
    >>> y = np.sin(X[:, 0])
    >>> NystroemSVR(n_components=50, epsilon=0.01).fit(X, y).score(X, y) > 0.999
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {**OF_NYSTROEM, "epsilon": NOT_NEGATIVE}

    @explains_missing()
    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: Any = "auto",
        epsilon: float = 0.1,
        n_components: Any = "auto",
        memory_limit: float = 4096,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.n_components = n_components
        self.memory_limit = memory_limit
        self.random_state = random_state

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose landmarks and C, and train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        self._check_parameters()
        X, y = read_samples(self, X, as_numbers(y), y_numeric=True, ensure_min_samples=2, **self._input())
        weight = weights_of_samples(sample_weight, len(y))
        check_enough(weight[weight > 0], None, "NystroemSVR")
        check_target_range(y[weight > 0])
        # Rows are the same if their targets are, too.
        distinct, Z = self._distinct(X, np.unique(y, return_inverse=True)[1], weight)
        rows = Rows(Z, np.asarray(y[distinct.rows], dtype=float), distinct.weight, distinct.weight)
        self.fit_rows(rows, explained_variance(rows), Deadline())
        self.support_ = distinct.rows[self.support_]
        return self

    def fit_rows(
        self, rows: Rows, score: Score, deadline: Deadline, full: Rows | None = None
    ) -> HeldOutValues:
        """Train on prepared rows, as a tuned machine does; see `NystroemMachine.fit_rows`."""
        loss = partial(squared_epsilon_insensitive, epsilon=self.epsilon)
        search, chosen = self._train(rows, score, deadline, full, loss)
        return search.held_out(chosen)

    def predict(self, X: Any) -> np.ndarray:
        """Predictions of shape (n_samples,)."""
        return self.machine_values(X).ravel()


def explained_variance(rows: Rows) -> Score:
    """Return a score, 1 − (mean squared error) / (variance of all targets); R² with a fixed variance."""
    mean = np.average(rows.y, weights=rows.weight)
    variance = np.average((rows.y - mean) ** 2, weights=rows.weight) or 1.0

    def score(predictions: np.ndarray, test: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return 1.0 - np.average((predictions - rows.y[test]) ** 2, axis=1, weights=weight) / variance

    return score
