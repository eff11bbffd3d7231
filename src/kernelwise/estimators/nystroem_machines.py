"""Kernel machines for more rows than an exact one can be trained on: linear machines on Nyström features."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from kernelwise._core.labels import (
    check_class_sizes,
    encode_labels,
    factors_of_classes,
    is_balanced,
    positive_weights,
    weights_of_samples,
)
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.reading import as_numbers, read_samples
from kernelwise._core.sklearn_compat import NOT_NEGATIVE, stacklevel_of_user
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import ClassWeight, MatrixLike, RandomState, Samples
from kernelwise._core.validation import check_range, check_target_range, seed_of
from kernelwise.estimators._classifier import DecisionClassifier
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._machine import KernelMachine, OutlierMachine
from kernelwise.estimators._parameters import OF_LABELS, OF_NYSTROEM, OF_NYSTROEM_ONE_CLASS, check_enough
from kernelwise.estimators.kernel_argument import kernel_from_data
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import KernelLike, as_kernel
from kernelwise.large import FeatureRows, Loss, NystroemMap, squared_epsilon_insensitive, squared_hinge
from kernelwise.multiclass import STRATEGIES, check_strategy, choose_reject_label
from kernelwise.search import NystroemSearch, Rows, ordered_landmarks, prepare
from kernelwise.solvers.box_qp import InUnits, in_units, unit_of_kernel
from kernelwise.solvers.one_class_rows import one_class_on_rows


class NystroemMachine(Portable, KernelMachine):
    """The fit of machines on Nyström features; a subclass reads the targets, and trains on distinct rows."""

    n_components: int | str
    memory_limit: float
    random_state: RandomState

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose landmarks and C, and train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        self._check_parameters()
        samples, targets, weight = self._read_training(X, y, sample_weight)
        # Rows are the same if their targets are, too.
        identity = np.unique(targets, return_inverse=True)[1]
        prepared = prepare(samples, identity, weight, scale=None, owner=type(self).__name__)
        distinct = prepared.distinct
        self._train(self._rows(prepared.Z, targets[distinct.rows], distinct.weight))
        self.support_ = distinct.rows[self.support_]
        return self

    def _check_parameters(self) -> None:
        self._validate_params()
        as_kernel(self.kernel)  # refused before anything is computed

    @abstractmethod
    def _read_training(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Samples, np.ndarray, np.ndarray]:
        """Check what is trained on, and return samples, targets (or class indices) and weights."""

    def _rows(self, Z: Samples, targets: np.ndarray, weight: np.ndarray) -> Rows:
        """Distinct rows in canonical order, as they are trained on."""
        return Rows(Z, targets, weight, weight)

    @abstractmethod
    def _train(self, rows: Rows) -> None:
        """Train on the rows and set the fitted attributes; ``support_`` are places of the rows."""


class WithHeldOutRows(NystroemMachine):
    """A linear machine with a squared loss, whose landmarks and C are chosen on rows that are held out."""

    C: float | str
    _sigmoids: np.ndarray | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.C, str):
            in_units(self.C, 1.0)

    def _train(self, rows: Rows) -> None:
        rows.score = self._score(rows)
        self.fit_rows(rows)

    @abstractmethod
    def _score(self, rows: Rows) -> Callable[..., np.ndarray]:
        """What landmarks and C are chosen by."""

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss of the linear machines."""

    def _begin(self, rows: Rows) -> str:
        """Set what is known before training, and return the strategy of the machines of three classes."""
        return "ovo"

    def fit_rows(self, rows: Rows) -> None:
        """Train on prepared rows, distinct and in canonical order."""
        self.train_on(self.searched(rows))

    def searched(
        self, rows: Rows, ceiling: Callable[[NystroemSearch], float] | None = None
    ) -> NystroemSearch:
        """Choose landmarks and C on some of the rows; the search has the values of those that it held out.

        ``ceiling(search)`` is the score of an exact machine that is trained on the same rows.
        """
        strategy = self._begin(rows)
        labels = None if rows.classes is None else rows.y
        self.n_features_in_ = rows.Z.shape[1]
        self.kernel_ = kernel_from_data(self.kernel, rows.Z, labels, rows.weight)
        how = self.memory_limit, seed_of(self.random_state), self._loss(), strategy
        search = NystroemSearch(rows, self.kernel_, *how)
        if ceiling is not None:
            search.ceiling = ceiling(search)
        search.run(self.n_components, self.C)
        return search

    def train_on(self, search: NystroemSearch) -> None:
        """Train on all rows of a search, with the landmarks and the C that it chose."""
        chosen, solutions = search.chosen, search.train()
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
        if search.rows.classes is not None:
            self._sigmoids = search.sigmoids()


class NystroemSVC(DecisionClassifier, WithHeldOutRows):
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
    memory_limit : float, default=2048
        Memory for the features, in MiB. More than 256 MiB are had in single precision; if that, too, is more
        than the limit or 512 MiB, they are computed again in every pass over the rows.
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
        kernel: KernelLike = "rbf",
        *,
        C: float | str = "auto",
        n_components: int | str = "auto",
        multiclass: str = "ovo",
        reject_label: object = None,
        class_weight: ClassWeight = None,
        decision_function_shape: str = "ovr",
        predict_by: str = "probability",
        memory_limit: float = MEMORY_LIMIT,
        random_state: RandomState = 0,
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

    def _read_training(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Samples, np.ndarray, np.ndarray]:
        check_strategy(self.multiclass, self.decision_function_shape)
        samples, labels = self._check_training(X, y)
        self.classes_, index = encode_labels(labels)
        return samples, index, positive_weights(sample_weight, index, self.classes_)

    def _rows(self, Z: Samples, targets: np.ndarray, weight: np.ndarray) -> Rows:
        check_class_sizes(targets, weight)
        factors = factors_of_classes(self.class_weight, targets, weight, self.classes_)
        return Rows(
            Z, targets, weight, weight * factors[targets], self.classes_, is_balanced(self.class_weight)
        )

    def _score(self, rows: Rows) -> Callable[..., np.ndarray]:
        def accuracy(decision: np.ndarray, test: np.ndarray, weight: np.ndarray) -> np.ndarray:
            index = STRATEGIES[self.multiclass].decide(decision, len(self.classes_))
            return (index == rows.y[test]) @ weight / weight.sum()

        return accuracy

    def _loss(self) -> Loss:
        return squared_hinge

    def _begin(self, rows: Rows) -> str:
        assert rows.classes is not None
        self.classes_, self._strategy = rows.classes, self.multiclass
        self.reject_label_ = choose_reject_label(
            self.reject_label, self.classes_, self.multiclass, "NystroemSVC"
        )
        return self.machines_

    def fitted_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that fitted arrays must have, by the names of their attributes."""
        return {**super().fitted_shapes(), "_sigmoids": (self.n_machines_, 2)}


class NystroemSVR(RegressorMixin, WithHeldOutRows):
    """Support vector regression on Nyström features, in time that grows like n instead of n².

    The kernel is replaced by that of a few landmarks, k(x, L) k(L, L)⁻¹ k(L, y), and Newton's method trains a
    linear model with squared ε-insensitive loss, ``max(0, |y − f(x)| − ε)²``, on its features, over blocks of
    rows. A fifth of the rows is held out to choose the landmarks and C (of a sample of 20 000, if there are
    more rows). The final model is then trained on all rows.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        As in `NystroemSVC`.
    C : "auto" or float, default="auto"
        As in scikit-learn's LinearSVR with squared loss, the offset not regularised. "auto" is the best of
        some values on the held-out rows.
    epsilon : float, default=0.1
        Errors up to this size cost nothing; in the units of y. With 0 the model is a ridge regression.
    n_components, memory_limit, random_state
        As in `NystroemSVC`.

    Attributes
    ----------
    kernel_ : Kernel
    C_, held_out_score_ : float
        The C of the final model, and the best R² on the held-out rows (with the variance of all rows).
    search_results_, support_, support_vectors_, n_components_
        As in `NystroemSVC`.
    dual_coef_ : ndarray of shape (1, n_landmarks)
        Predictions are ``kernel_(X, support_vectors_) @ dual_coef_[0] + intercept_[0]``.
    intercept_ : ndarray of shape (1,)
    n_iter_ : ndarray of shape (1,)
        Newton steps of the last training.
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
        kernel: KernelLike = "rbf",
        *,
        C: float | str = "auto",
        epsilon: float = 0.1,
        n_components: int | str = "auto",
        memory_limit: float = MEMORY_LIMIT,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.n_components = n_components
        self.memory_limit = memory_limit
        self.random_state = random_state

    def _read_training(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Samples, np.ndarray, np.ndarray]:
        samples, targets = read_samples(
            self, X, as_numbers(y), y_numeric=True, ensure_min_samples=2, **self._input()
        )
        weight = weights_of_samples(sample_weight, len(targets))
        check_enough(weight[weight > 0], None, "NystroemSVR")
        check_target_range(targets[weight > 0])
        return samples, np.asarray(targets, dtype=float), weight

    def _score(self, rows: Rows) -> Callable[..., np.ndarray]:
        """1 − (mean squared error) / (variance of all targets); R² with a fixed variance."""
        mean = np.average(rows.y, weights=rows.weight)
        variance = np.average((rows.y - mean) ** 2, weights=rows.weight) or 1.0

        def explained(predictions: np.ndarray, test: np.ndarray, weight: np.ndarray) -> np.ndarray:
            return 1.0 - np.average((predictions - rows.y[test]) ** 2, axis=1, weights=weight) / variance

        return explained

    def _loss(self) -> Loss:
        return partial(squared_epsilon_insensitive, epsilon=self.epsilon)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predictions of shape (n_samples,)."""
        return self.machine_values(X).ravel()


#: Of k(x, x), the mean share that features may leave out before more landmarks are taken …
LEFT_OUT = 0.05
#: … and that is too much: the machine is another one then.
TOO_MUCH = 0.5
#: Rows on which the share is measured.
MEASURED = 2000
#: Bytes of kernel values between the rows of a working set.
WORKING_SETS = 2**28
#: Of the largest score: what features in single precision may change of it.
SINGLE_ROUNDING = 1e-6


class NystroemOneClassSVM(OutlierMachine, NystroemMachine):
    """One-class support vector machine on Nyström features, in time that grows like n instead of n².

    The kernel is replaced by that of a few landmarks, k(x, L) k(L, L)⁻¹ k(L, y), and the one-class SVM of
    that kernel is solved exactly, by working sets.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        As in `NystroemSVC`.
    nu : float, default=0.5
        As in :class:`kernelwise.OneClassSVM`.
    n_components : "auto" or int, default="auto"
        Number of landmarks. "auto" doubles it from 250 to at most 2000 while the features leave out more than
        5 % of k(x, x).
    tol, max_iter : float, int
        As in :class:`kernelwise.OneClassSVM`.
    memory_limit, random_state
        As in `NystroemSVC`.

    Attributes
    ----------
    kernel_ : Kernel
    support_, support_vectors_, n_components_
        As in `NystroemSVC`.
    dual_coef_ : ndarray of shape (1, n_landmarks)
        Scores are ``kernel_(X, support_vectors_) @ dual_coef_[0]``.
    intercept_, offset_ : ndarray of shape (1,)
        As in :class:`kernelwise.OneClassSVM`.
    left_out_ : float
        The mean share of k(x, x) that the features leave out: 0 where they are exact.
    duality_gap_ : float
        Primal minus dual objective of the model on the features, relative to the objective: an upper bound of
        how far it is from the best one.
    n_iter_ : int
    fit_status_ : int
        0 if the solver converged.
    beta_ : ndarray of shape (1, n_landmarks)
        The same as ``dual_coef_``.
    n_machines_, n_trained_ : int
        1, and the number of samples that the model was trained on.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Features are not scaled: put a scaler before. Equal rows are one row with their total weight, and what is
    drawn does not depend on the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import NystroemOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(5000, 2))
    >>> machine = NystroemOneClassSVM(nu=0.05).fit(X)
    >>> machine.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_NYSTROEM_ONE_CLASS

    @explains_missing()
    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        nu: float = 0.5,
        n_components: int | str = "auto",
        tol: float = 1e-3,
        max_iter: int = -1,
        memory_limit: float = MEMORY_LIMIT,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.nu = nu
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.memory_limit = memory_limit
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Choose landmarks, and train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : Ignored
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        return super().fit(X, (), sample_weight)

    def _read_training(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Samples, np.ndarray, np.ndarray]:
        samples = read_samples(self, X, ensure_min_samples=2, **self._input())
        check_range(samples)
        weight = weights_of_samples(sample_weight, samples.shape[0])
        return samples, np.zeros(weight.size, int), weight

    def _train(self, rows: Rows) -> None:
        Z, weight = rows.Z, rows.weight
        self.kernel_ = kernel_from_data(self.kernel, Z, None, weight)
        unit = unit_of_kernel(self.kernel_, Z)
        landmarks, features = self._features(Z, weight, unit)
        gram = FeatureRows(features.blocks(Z, self.memory_limit))
        solution = one_class_on_rows(gram, weight, self.nu, self.tol, self.max_iter, WORKING_SETS, unit)
        offset = solution.inner_offset
        if features.precision(weight.size) == np.float32:
            offset -= SINGLE_ROUNDING * float(np.abs(solution.scores).max())
        self.support_, self.support_vectors_ = landmarks, Z[landmarks]
        self.dual_coef_ = (features.normalization @ gram.weights(solution.beta))[None, :]
        self.intercept_ = np.array([-offset])
        self.n_components_, self._n_trained = features.rank, weight.size
        self.duality_gap_ = abs(solution.duality_gap) / max(solution.objective, np.finfo(float).tiny)
        self.n_iter_, self.fit_status_ = max(solution.n_iter, 1), int(not solution.converged)

    def _features(self, Z: Samples, weight: np.ndarray, unit: float) -> tuple[np.ndarray, NystroemMap]:
        """Landmarks, as rows of Z, and their map, of kernel values in ``unit``; sets ``left_out_``."""
        seed = seed_of(self.random_state)
        order, some, sizes = ordered_landmarks(self.kernel_, Z, self.n_components, seed)
        kernel = self.kernel_ if unit == 1.0 else InUnits(self.kernel_, unit)
        for size in sizes:
            features = NystroemMap.from_landmarks(kernel, Z[order[:size]])
            others = np.setdiff1d(some, order[:size])
            others = others[:: max(1, others.size // MEASURED)]
            left_out = self._left_out(features, Z[others], weight[others], unit) if others.size else 0.0
            if left_out <= LEFT_OUT or size >= order.size:
                break
        self.left_out_ = max(left_out, 0.0)
        if self.left_out_ > TOO_MUCH and self.n_components == "auto":
            warnings.warn(
                f"The features of {min(size, order.size)} landmarks leave out {100 * self.left_out_:.0f} % "
                "of the kernel, which is too narrow for so few, so the model differs from the exact one. Use "
                "a wider kernel, set a larger n_components, or use OneClassSVM.",
                KernelwiseWarning,
                stacklevel=stacklevel_of_user(),
            )
        return order[:size], features

    def _left_out(self, features: NystroemMap, Z: Samples, weight: np.ndarray, unit: float) -> float:
        """The share of k(x, x) that features leave out of samples which are no landmarks."""
        values = self.kernel_.diagonal(Z) / unit
        kept = (features.transform(Z) ** 2).sum(axis=1)
        return float(weight @ (values - kept) / (weight @ values))
