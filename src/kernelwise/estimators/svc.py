"""The support vector classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.equal_points import number_points
from kernelwise._core.labels import encode_labels, factors_of_classes, positive_weights
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.text import count
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import ClassWeight, RandomState, RowsLike, Samples
from kernelwise.estimators import _classifier
from kernelwise.estimators._classifier import DecisionClassifier
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._machine import NamedKernelMachine
from kernelwise.estimators._parameters import OF_SVC, check_svc, warn_if_alike, warn_if_far_from_zero
from kernelwise.estimators._svc_training import (
    TrainedMachines,
    fit_sigmoids,
    last_beta,
    libsvm_layout,
    train_machines,
)
from kernelwise.estimators.kernel_argument import KernelFunction, is_plain_function
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.kernels import KernelLike
from kernelwise.multiclass import STRATEGIES, choose_reject_label, fuzzy_membership
from kernelwise.search import folds_for_sigmoids


class SVC(Exportable, DecisionClassifier, NamedKernelMachine):
    """Support vector classifier like scikit-learn's, with any kernel, warm starts and cheap probabilities.

    Parameters
    ----------
    C : float, default=1.0
        Upper bound of the coefficients. A larger C means less regularisation.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf" and "sigmoid" are as in scikit-learn, with ``gamma``, ``degree`` and
        ``coef0``. "precomputed" means that X is the Gram matrix, "precomputed-distance" that X is a matrix of
        distances D for the kernel exp(−γD). Another name of :data:`kernelwise.kernels.KERNELS` gets its
        parameters from the data (heuristic "scale"). A kernel object keeps its parameters; only missing ones
        are set from the data. A function ``kernel(X, Y)`` may take samples of any kind, if each value depends
        on one sample of X and one of Y.
    degree, coef0 : int, float, default=3, 0.0
        Parameters of "poly" (degree at least 1, coef0 not negative) and "sigmoid".
    gamma : {"scale", "auto"} or float, default="scale"
        γ of "rbf", "poly" and "sigmoid". "scale" means 1 / (n_features · Var(X)), "auto" means 1 /
        n_features. The variance of "scale" counts the sample weights of `fit`; that of scikit-learn does not.
        For "precomputed-distance", "scale" means one over the median distance.
    shrinking : bool, default=True
        Accepted for compatibility: the solver always works on the variables that may still move.
    probability : bool, default=False
        Whether `predict_proba` is available; it needs five-fold cross-validation in `fit`.
    tol : float, default=1e-3
        Tolerance of LIBSVM's stopping rule.
    class_weight : dict or "balanced", default=None
        Factors of C for each class. In one-vs-rest models, too, a factor belongs to the class itself.
        "balanced" counts sample weights; that of scikit-learn counts rows.
    verbose : bool, default=False
        Whether to print one line after training.
    max_iter : int, default=-1
        Largest number of steps of each two-class model; -1 means a large finite number.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        For three or more classes: one value per class, or the pairwise values of ``multiclass="ovo"``.
    break_ties : bool, default=False
        Whether `predict` decides between classes with equal votes by `decision_function` instead of their
        order.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds for probabilities.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
        "ovo" trains a model for each pair of classes and lets them vote, as in scikit-learn. "ovr" trains a
        model for each class against the rest, and the largest decision value wins. "ovr-fuzzy" trains the
        same models, and the largest `membership` wins, which gives the same class. "ovo-reject" trains
        pairwise models and predicts a class only where all of its models agree; it rejects the other samples.
    reject_label : object, default=None
        What `predict` returns for samples that "ovo-reject" rejects. It must not be a class, and must be of
        the same type as the classes. None means -1, if the classes are numbers without -1; otherwise set it.
    predict_by : {"probability", "decision"}, default="probability"
        How `predict` chooses labels if there are probabilities: by the largest probability, or by LIBSVM's
        rule, which uses votes and the signs of decision values. You can change it after `fit`. Without
        probabilities, `predict` uses LIBSVM's rule.
    memory_limit : float, default=2048
        Memory in MiB that `fit` and `predict` take, beside the data and within a fifth. If the Gram matrix
        does not fit, the solver computes its rows when it needs them. Solutions are the same to ``tol``.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit, if it had the same classes and as many
        samples.
    n_jobs : int, default=None
        Number of threads for three or more classes, for probabilities and for predictions, fewer where memory
        is short. Results do not depend on it. None is one thread, but for predictions as many as BLAS has.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        "squared_hinge" minimises ½‖w‖² + ½C Σ w_i ξ_i², the 2-norm support vector machine. It is trained on K
        + diag(1/(C w_i)) without an upper bound (Glasmachers 2006, paper 002, equation 1). The criterion
        "radius-margin" uses the margin and the C of this model. More samples become support vectors.
        "logistic" minimises ½‖w‖² + C Σ w_i log(1 + exp(−y_i f(x_i))), kernel logistic regression, by at most
        200 steps of Newton's method. All samples are support vectors.

    Attributes
    ----------
    classes_, class_weight_, shape_fit_, n_features_in_, feature_names_in_, fit_status_
        As in scikit-learn.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    support_vectors_ : samples, n_SV of them
        The support vectors; empty if the kernel is precomputed.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Coefficients in LIBSVM's layout, dense for sparse input, too. For three or more classes and
        one-vs-rest, the shape is (n_classes, n_SV).
    intercept_, n_iter_ : ndarray of shape (n_machines,)
        Intercept and number of steps of each two-class model.
    coef_ : ndarray of shape (n_machines, n_features)
        Weights of the features; only for the linear kernel.
    reject_label_ : object
        Label of rejected samples; None if the strategy rejects none.
    kernel_ : Kernel or None
        The kernel used, with its parameters; None if it is precomputed or a function.
    multiclass_, machines_ : str
        The strategy of the fit, and whether its two-class models are "ovo" (pairs) or "ovr" (one-vs-rest).
    n_machines_ : int
        Number of two-class models.
    goes_by_probability_ : bool
        Whether `predict` returns the most likely class; otherwise it uses the decision values.
    sigmoids_ : ndarray of shape (n_machines, 2) or None
        Platt's sigmoid of each two-class model; None if there are no probabilities.
    beta_ : ndarray of shape (n_machines, n_SV)
        The coefficients of every two-class model.
    costs_ : ndarray of shape (n_classes, n_classes) or None
        Costs of wrong answers, if a `TunedSVC` has set them: rows are true classes, columns are answers.
    n_trained_ : int
        Number of samples that the model was trained on.

    Notes
    -----
    `predict_proba` fits Platt's sigmoid to held-out decision values of each two-class model. It couples pairs
    of classes by the second method of Wu, Lin & Weng (2004), or normalises one-vs-rest. The folds depend on
    the rows and on ``random_state``, not on the order of the rows; equal rows of a class stay together. If a
    class has fewer than five samples, there are as many folds as the smallest class has samples. The only
    sample of a class is in every training part, and enters the sigmoids with its training value.

    Probabilities include class weights: they hold for a population in which the classes have these weights.
    With probabilities, `predict` returns the class of the largest probability (or rejects the sample), and
    `decision_function` returns log odds. Without them, or with ``predict_by="decision"``, both are as in
    scikit-learn.

    With the logistic loss, decision values are log odds already. Sigmoids are fitted all the same: a C that
    labels well often makes log odds too small (``docs/how-it-chooses.md`` has the figures).

    Samples of zero or negative weight are left out, as in scikit-learn.

    Examples
    --------
    >>> from kernelwise import SVC
    >>> from kernelwise.kernels import RBF
    >>> SVC(kernel=RBF(gamma=0.5)).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.4], [2.6]])
    array([0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_SVC

    @explains_missing()
    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelLike | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: RandomState = None,
        multiclass: str = "ovo",
        reject_label: object = None,
        predict_by: str = "probability",
        memory_limit: float = MEMORY_LIMIT,
        warm_start: bool = False,
        n_jobs: int | None = None,
        loss: str = "hinge",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.predict_by = predict_by
        self.memory_limit = memory_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.loss = loss

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or (n_samples, n_samples)
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            The upper bound of sample i is C·w_i times the weight of its class; with the other losses that is
            the C of the sample. A weight of 2 is the same as a repeated row, also for
            ``gamma="scale"`` and ``class_weight="balanced"``. scikit-learn ignores weights there; to get its
            result, pass numbers, such as ``gamma=1 / (X.shape[1] * X.var())``.
        """
        self._validate_params()
        check_svc(self)
        X, y = self._check_training(X, y)
        classes, index = encode_labels(y)
        return self._train(X, index, classes, positive_weights(sample_weight, index, classes))

    @one_blas_thread(leaves_cores=True)
    def fit_indices(
        self, X: Samples, index: np.ndarray, classes: np.ndarray, sample_weight: np.ndarray
    ) -> Self:
        """Train on checked samples and their class indices, of shape (n_samples,), as a tuned model does."""
        self.n_features_in_ = X.shape[1]
        return self._train(X, index, classes.copy(), sample_weight)  # a machine has its own

    def _train(self, X: RowsLike, index: np.ndarray, classes: np.ndarray, sample_weight: np.ndarray) -> Self:
        """Train on class indices, and set the fitted attributes."""
        self.reject_label_ = choose_reject_label(self.reject_label, classes, self.multiclass, "SVC")
        self.class_weight_ = factors_of_classes(self.class_weight, index, sample_weight, classes)
        weight = sample_weight * self.class_weight_[index]
        source = self._source(X, index, index.size, sample_weight)
        warn_if_alike(source, self.kernel_ if self._is_gram() else self.kernel_ or self.kernel)
        warn_if_far_from_zero(self.kernel_, X)
        how: dict[str, Any] = {
            name: getattr(self, name) for name in ("C", "tol", "max_iter", "n_jobs", "loss")
        }
        how["strategy"] = STRATEGIES[self.multiclass].machines
        start = last_beta(self, index.size, classes) if self.warm_start else None
        machines = train_machines(source, index, len(classes), weight, start=start, **how)
        self._keep(machines, X, classes, index)
        self._sigmoids = None
        if self.probability:
            is_table = not (self._is_gram() or is_plain_function(self.kernel))
            points = number_points(np.asarray(source)) if self._is_gram() else None
            table = cast(Samples, X) if is_table else None
            folds = folds_for_sigmoids(table, index, sample_weight, self.random_state, points)
            self._sigmoids = fit_sigmoids(source, machines, folds, index, self.class_weight_, **how)
        return self

    def predict(self, X: RowsLike) -> np.ndarray:
        """Return predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples.

        With probabilities, the label is the class with the largest probability (the first one of equals),
        unless ``predict_by="decision"``.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2 and not self.goes_by_probability_:
            return self.classes_[self.decision_function(X).argmax(axis=1)]
        return super().predict(X)

    @available_if(_classifier.has_membership)
    def membership(self, X: RowsLike) -> np.ndarray:
        """Fuzzy memberships of shape (n_samples, n_classes), at most 1 (paper 000, Abe 2007, section 4).

        The membership of class i is the smallest of 1, D_i(x) and −D_j(x) over the other classes j, with
        one-vs-rest decision values D. It is positive for the predicted class if all two-class models agree on
        this class. If they do not agree, no membership is positive.
        """
        values = self.machine_values(X)
        if self.machines_ != "ovr":
            raise NotFittedError(
                f"membership is not available when fitted with multiclass={self._strategy!r}"
            )
        return fuzzy_membership(values.ravel() if len(self.classes_) == 2 else values)

    @available_if(_classifier.has_probability)
    def predict_proba(self, X: RowsLike) -> np.ndarray:
        """Class probabilities of shape (n_samples, n_classes), only with ``probability=True``."""
        check_is_fitted(self)
        if self.sigmoids_ is None:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return super().predict_proba(X)

    @available_if(_classifier.has_probability)
    def predict_log_proba(self, X: RowsLike) -> np.ndarray:
        """Logarithms of `predict_proba`, of shape (n_samples, n_classes)."""
        return super().predict_log_proba(X)

    def _keep(self, machines: TrainedMachines, X: Any, classes: np.ndarray, index: np.ndarray) -> None:
        """Set the fitted attributes."""
        support = np.flatnonzero(machines.beta.any(axis=0))
        support = support[np.argsort(index[support], kind="stable")]
        self.classes_, self._strategy, self._n_trained = classes, self.multiclass, index.size
        self.support_ = support.astype(np.int32)
        self.n_support_ = np.bincount(index[support], minlength=len(classes)).astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if self._is_gram() else safe_indexing(X, support)
        self.intercept_, self.n_iter_ = machines.intercept, machines.n_iter
        self.fit_status_ = int(not machines.converged.all())
        self._beta = machines.beta[:, support]
        self.dual_coef_ = self._beta
        if self.machines_ == "ovo" and len(classes) > 2:
            self.dual_coef_ = libsvm_layout(self._beta, index[support], len(classes))
        if self.verbose:
            n_models, n_steps = count(len(self.n_iter_), "model"), self.n_iter_.sum()
            print(f"[SVC] {n_models}, {n_steps} steps, {support.size} support vectors")

    @property
    def beta_(self) -> np.ndarray:
        """Signed coefficients β, of shape (n_machines, n_SV): ``dual_coef_`` has LIBSVM's layout."""
        return self._beta

    def fitted_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes that fitted arrays must have, by the names of their attributes."""
        shapes = super().fitted_shapes()
        n_machines, n_support = shapes["dual_coef_"]
        n_coefficients = len(self.classes_) - 1 if self.machines_ == "ovo" else n_machines
        shapes |= {
            "classes_": (len(self.n_support_),),
            "_beta": (n_machines, n_support),
            "dual_coef_": (n_coefficients, n_support),
            "n_iter_": (n_machines,),
        }
        return shapes if self._sigmoids is None else shapes | {"_sigmoids": (n_machines, 2)}
