"""The kernel machine for more rows than an exact one can be trained on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._core.labels import (
    check_class_sizes,
    encode_labels,
    factors_of_classes,
    is_balanced,
    positive_weights,
)
from kernelwise._core.threads import one_blas_thread
from kernelwise.estimators._classifier import DecisionClassifier
from kernelwise.estimators._nystroem import NystroemMachine
from kernelwise.estimators._parameters import OF_LABELS, OF_NYSTROEM
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.large.linear_machine import squared_hinge
from kernelwise.multiclass import STRATEGIES, check_strategy, choose_reject_label
from kernelwise.search.engine.context import Deadline
from kernelwise.search.propose.landmarks import HeldOutValues, Rows, Score


class NystroemSVC(DecisionClassifier, NystroemMachine):
    """Support vector classifier on Nyström features, in time that grows like n instead of n².

    The kernel is replaced by that of a few landmarks, k(x, L) k(L, L)⁻¹ k(L, y), and Newton's method trains a
    linear SVM with squared hinge loss on its features, over blocks of rows. A fifth of the rows is held out
    to choose the landmarks and C (of a stratified sample of 20 000, if there are more rows). The final model
    is then trained on all rows.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, whose parameters come from the data (heuristic "scale"),
        or a kernel object, used after ``initialize(X, y, heuristic="keep")``.
    C : "auto" or float, default="auto"
        As in scikit-learn's LinearSVC with squared hinge loss, the offset not regularised. "auto" is the best
        of ten values on the held-out rows.
    n_components : "auto" or int, default="auto"
        Number of landmarks. "auto" doubles it from 250 to at most 2000 while the held-out score gains 0.001.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
    reject_label : object, default=None
    class_weight : dict or "balanced", default=None
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
    predict_by : {"probability", "decision"}, default="probability"
        These five as in `SVC`.
    memory_limit : float, default=4096
        Memory for the features, in MiB. More than 256 MiB are kept in single precision; if that, too, is more
        than the limit, they are computed again in every pass over the rows.
    random_state : int, RandomState or None, default=0
        Seed of the landmarks and of the held-out rows.

    Attributes
    ----------
    kernel_ : Kernel
    C_, held_out_score_ : float
        The C of the final model, and the best score on the held-out rows.
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
        Number of features: the landmarks, without directions that are lost in rounding.
    multiclass_, machines_ : str
        The strategy of the fit, and whether its two-class models are "ovo" (pairs) or "ovr" (one-vs-rest).
    n_machines_ : int
        Number of two-class models.
    goes_by_probability_ : bool
        Whether `predict` returns the most likely class; otherwise it uses the decision values.
    sigmoids_ : ndarray of shape (n_machines, 2) or None
        Platt's sigmoid of each two-class model; None if there are no probabilities.
    beta_ : ndarray of shape (n_machines, n_landmarks)
        The coefficients of every two-class model.
    costs_ : ndarray of shape (n_classes, n_classes) or None
        Costs of wrong answers, if a `TunedSVC` has set them: rows are true classes, columns are answers.
    n_trained_ : int
        Number of samples that the model was trained on.
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {**OF_NYSTROEM, **OF_LABELS}

    @explains_missing()
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
        predict_by: str = "probability",
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
        self.predict_by = predict_by
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
        check_strategy(self.multiclass, self.decision_function_shape)
        X, y = self._check_training(X, y)
        classes, index = encode_labels(y)
        distinct, Z = self._distinct(X, index, positive_weights(sample_weight, index, classes))
        index, weight = index[distinct.rows], distinct.weight
        check_class_sizes(index, weight)
        factors = factors_of_classes(self.class_weight, index, weight, classes)
        rows = Rows(Z, index, weight, weight * factors[index], classes, is_balanced(self.class_weight))
        self.fit_rows(rows, self._accuracy(rows), Deadline())
        self.support_ = distinct.rows[self.support_]
        return self

    def fit_rows(
        self, rows: Rows, score: Score, deadline: Deadline, full: Rows | None = None
    ) -> HeldOutValues:
        """Train on prepared rows, as a tuned machine does; see `NystroemMachine.fit_rows`."""
        assert rows.classes is not None
        self.classes_, self._strategy = rows.classes, self.multiclass
        self.reject_label_ = choose_reject_label(
            self.reject_label, self.classes_, self.multiclass, "NystroemSVC"
        )
        search, chosen = self._train(rows, score, deadline, full, squared_hinge, self.machines_)
        self._sigmoids = search.sigmoids(chosen)
        return search.held_out(chosen)

    def _accuracy(self, rows: Rows) -> Score:
        def score(decision: np.ndarray, test: np.ndarray, weight: np.ndarray) -> np.ndarray:
            index = STRATEGIES[self.multiclass].decide(decision, len(self.classes_))
            return (index == rows.y[test]) @ weight / weight.sum()

        return score

    def fitted_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that fitted arrays must have, by the names of their attributes."""
        return {**super().fitted_shapes(), "_sigmoids": (self.n_machines_, 2)}
