"""The kernel machine for more rows than an exact one can be trained on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelwise._core.labels import (
    check_are_classes,
    check_class_sizes,
    encode_labels,
    factors_of_classes,
    positive_weights,
)
from kernelwise._core.validation import check_positive, check_range
from kernelwise._core.weights import with_copies
from kernelwise.estimators._machines import decision_values
from kernelwise.estimators._probability import class_probabilities, log_of
from kernelwise.kernels import as_kernel
from kernelwise.multiclass import STRATEGIES, check_strategy, choose_reject_label, decide_labels, shown_values
from kernelwise.search.canonical import canonical_order, distinct_rows
from kernelwise.search.deadline import Deadline
from kernelwise.search.landmarks import HeldOutValues, NystroemSearch, Rows, Score
from kernelwise.search.settings import seed_of


class NystroemSVC(ClassifierMixin, BaseEstimator):
    """Support vector classifier on Nyström features: time grows like n, not like n².

    The kernel is replaced by that of a few landmarks, k(x, L) k(L, L)⁻¹ k(L, y), and a linear machine with
    squared hinge loss is trained on its features by Newton's method, over blocks of rows. Landmarks and C are
    chosen on a fifth of the rows that is held out (of a stratified sample of 20 000, if there are more); the
    machine is then trained on all.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, whose parameters come from the data (heuristic "scale"),
        or a kernel object, used as it is after ``initialize(X, y, heuristic="keep")``.
    C : "auto" or float, default="auto"
        As in scikit-learn's LinearSVC with squared hinge loss, the offset not regularised. "auto" is the best
        of ten values on the held-out rows.
    n_components : "auto" or int, default="auto"
        Landmarks. "auto" doubles them from 250 to at most 2000 while the held-out score gains 0.001.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
    reject_label : object, default=None
    class_weight : dict or "balanced", default=None
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        These four as in `SVC`.
    memory_limit : float, default=4096
        MiB for the features. More than 256 MiB are kept in single precision; if that, too, is more than the
        limit, they are computed again in every pass over the rows.
    random_state : int, RandomState or None, default=0
        Of the landmarks, and of the rows that are held out.

    Attributes
    ----------
    kernel_ : Kernel
    C_, held_out_score_ : float
        The score is of machines trained without the held-out rows, and the best of those tried.
    search_results_ : dict from str to ndarray
        "n_components", "C" and "score" of everything tried.
    support_ : ndarray of shape (n_landmarks,)
        Rows of X that are the landmarks.
    support_vectors_ : array or CSR matrix of shape (n_landmarks, n_features)
    dual_coef_ : ndarray of shape (n_machines, n_landmarks)
        The decision values are ``kernel_(X, support_vectors_) @ dual_coef_.T + intercept_``.
    intercept_ : ndarray of shape (n_machines,)
    n_iter_ : ndarray of shape (n_machines,)
        Newton steps of the last training.
    n_components_ : int
        Features: landmarks less the directions that are lost in rounding.
    reject_label_ : object
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Features are not scaled: put a scaler before, or use ``TunedSVC(solver="nystroem")``. Equal rows of a
    class are one row with their total weight, and what is drawn does not depend on the order of the rows.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelwise import NystroemSVC
    >>> X, y = make_moons(1000, noise=0.1, random_state=0)
    >>> NystroemSVC(n_components=50).fit(X, y).score(X, y) > 0.98
    True
    """

    support_: np.ndarray

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: Any = "auto",
        n_components: Any = "auto",
        multiclass: str = "ovo",
        reject_label: Any = None,
        class_weight: Any = None,
        decision_function_shape: str = "ovr",
        memory_limit: float = 4096,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.n_components = n_components
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.memory_limit = memory_limit
        self.random_state = random_state

    # -- fitting ------------------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose landmarks and C, and train.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_range(X)
        y = column_or_1d(y, warn=True)
        check_are_classes(y)
        classes, index = encode_labels(y)
        distinct = distinct_rows(X, index, positive_weights(sample_weight, index, classes))
        distinct = distinct.reordered(
            canonical_order(X[distinct.rows], index[distinct.rows], distinct.weight)
        )
        index, weight = index[distinct.rows], distinct.weight
        check_class_sizes(index, weight, classes)
        factors = factors_of_classes(self.class_weight, index, weight, classes)
        rows = Rows(X[distinct.rows], index, weight, weight * factors[index], len(classes))
        self._fit_rows(rows, classes, self._accuracy(rows), Deadline())
        self.support_ = distinct.rows[self.support_]
        return self

    def _fit_rows(
        self, rows: Rows, classes: np.ndarray, score: Score, deadline: Deadline, whole: Rows | None = None
    ) -> HeldOutValues:
        """Train on rows that are distinct and in canonical order; returns what is known of those held out.

        ``whole`` are rows of which they are a sample, for the final machine.
        """
        self.classes_, self._strategy = classes, self.multiclass
        self.reject_label_ = choose_reject_label(self.reject_label, classes, self.multiclass, "NystroemSVC")
        heuristic = "scale" if isinstance(self.kernel, str) else "keep"
        samples = with_copies(rows.Z, rows.index, rows.weight)
        self.kernel_ = as_kernel(self.kernel).initialize(*samples, heuristic)
        seed = seed_of(self.random_state)
        search = NystroemSearch(
            rows, self.kernel_, self._trained_as, score, self.memory_limit, deadline, seed
        )
        chosen = search.run(self.n_components, self.C)
        solutions = search.train(chosen, whole)
        self._sigmoids = search.sigmoids(chosen)
        coefficients = np.array([solution.coefficients for solution in solutions])
        self.support_, self.support_vectors_ = chosen.landmarks, chosen.map.landmarks
        self.dual_coef_ = coefficients[:, :-1] @ chosen.map.normalization.T
        self.intercept_ = coefficients[:, -1]
        self.n_components_ = chosen.map.rank
        self.n_iter_ = np.array([solution.n_iter for solution in solutions])
        self.C_, self.held_out_score_ = float(chosen.Cs[chosen.best]), chosen.best_score
        self.search_results_ = {
            "n_components": np.repeat(
                [len(one.landmarks) for one in search.candidates], [len(one.Cs) for one in search.candidates]
            ),
            "C": np.concatenate([one.Cs for one in search.candidates]),
            "score": np.concatenate([one.scores for one in search.candidates]),
        }
        self._n_trained = search.n_trained
        return search.held_out(chosen)

    def _check_parameters(self) -> None:
        check_positive(self.memory_limit, "memory_limit", "NystroemSVC")
        check_strategy(self.multiclass, self.decision_function_shape, "NystroemSVC")
        if not (isinstance(self.C, str) and self.C == "auto"):
            check_positive(self.C, "C", "NystroemSVC")
        m = self.n_components
        is_number = isinstance(m, int | np.integer) and not isinstance(m, bool) and m >= 1
        if not is_number and not (isinstance(m, str) and m == "auto"):
            raise ValueError(
                f"'n_components' of NystroemSVC must be 'auto' or a positive integer, got {m!r}."
            )

    def _accuracy(self, rows: Rows) -> Score:
        def score(decision: np.ndarray, test: np.ndarray, weight: np.ndarray) -> np.ndarray:
            index = STRATEGIES[self.multiclass].decide(decision, rows.n_classes)
            return (index == rows.index[test]) @ weight / weight.sum()

        return score

    # -- predicting ---------------------------------------------------------------------------------------
    @property
    def _trained_as(self) -> str:
        """Machines of the last fit: "ovo" or "ovr"."""
        return STRATEGIES[self._strategy].machines

    def _machine_values(self, X: Any) -> np.ndarray:
        """Decision values of every machine, of shape (n_samples, n_machines)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr")
        return decision_values(self.kernel_, X, self.support_vectors_, self.dual_coef_, self.intercept_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of shape (n_samples,), or (n_samples, n_classes or n_machines), as in `SVC`."""
        values, n_classes = self._machine_values(X), len(self.classes_)
        return shown_values(values, n_classes, self.decision_function_shape, self._trained_as)

    def predict(self, X: Any) -> np.ndarray:
        """Predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples."""
        values = self._machine_values(X)
        values = values.ravel() if len(self.classes_) == 2 else values
        return decide_labels(values, self.classes_, self._strategy, self.reject_label_)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities of shape (n_samples, n_classes), from sigmoids on held-out decision values."""
        return class_probabilities(
            self._machine_values(X), self._sigmoids, len(self.classes_), self._trained_as
        )

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`, of shape (n_samples, n_classes)."""
        return log_of(self.predict_proba(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
