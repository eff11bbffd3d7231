"""The support vector regression that chooses its own kernel, C and ε."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.utils.validation import validate_data

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.sklearn_compat import with_callbacks
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._fit_record import HeldOut
from kernelwise.estimators._progress import Progress
from kernelwise.estimators._tuned import TunedMachine
from kernelwise.estimators.svr import SVR
from kernelwise.search.choice import Choice
from kernelwise.search.deadline import Deadline
from kernelwise.search.regression import BY_SCORE, as_regression_criterion, choose_regression
from kernelwise.search.regression_scorer import RegressionScorer
from kernelwise.search.regression_task import FIRST_EPSILON, RegressionTask
from kernelwise.search.samples import gram_rows, scaled_rows
from kernelwise.search.settings import (
    check_enough,
    check_settings,
    folds_of,
    seed_of,
    values_of_C,
    values_of_epsilon,
)


class TunedSVR(Exportable, RegressorMixin, TunedMachine):
    """Support vector regression that chooses its kernel's parameters, C and ε from the data.

    Features and targets are scaled, a few kernel widths are named (one of them by the alignment of the kernel
    with the target), each is scored for a path of values of C by cross-validation on one set of folds,
    neighbouring widths are tried uphill from the best, then values of ε that follow the held-out error, and
    the winner is trained on all samples.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, a kernel object to start from, "precomputed", or "auto":
        the simplest of "rbf", "diagonal" and "gaussian" within one standard error of the best.
    criterion : {"auto", "cv-error", "kta", "centered-kta"} or TargetAlignment, default="auto"
        "auto" lets cross-validation choose, from starts that alignment helps to find; "cv-error" is
        cross-validation alone, uphill from the start from the data. The alignments choose the kernel alone;
        cross-validation then chooses C and ε. Class separability has no meaning here.
    search : Optimizer, default=None
        For an alignment; None is quasi-Newton.
    Cs : array, default=None
        Values of C to try, for standardised targets. None is a range that follows the kernel and goes on
        beyond an end at which the best is.
    epsilons : float or array, default=None
        Values of ε to try with every kernel, in standard deviations of y. None is 0.1 at first, then, with
        the kernel chosen, shares of the held-out error.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds; "auto" is 5 below 500 rows, 3 below 1500, else 2. Folds drawn here depend on the rows, not on
        their order (except for "precomputed"). Others must hold out each sample once and train on the rest.
    scoring : str or callable, default=None
        What is maximised. None is 1 − (mean squared held-out error) / (variance of y), which is R² with the
        variance of all targets in place of each fold's own.
    refit : True, False, "one-standard-error" or callable, default=True
        True trains the best candidate; "one-standard-error" the most regularised one within one standard
        error of it; a callable is given ``cv_results_`` and returns a row. False trains none.
    scale : {"standard", "minmax"}, transformer or None, default="standard"
        Scaling of the features, learned from all samples before the folds are drawn. Targets are always
        standardised.
    tol, max_iter : float, int
        As in `SVC`, for standardised targets. Machines of the search are trained to ten times ``tol``.
    time_budget : float, default=None
        Seconds after which nothing new is begun; the final machine is trained on as many rows as the time
        left allows. What was skipped is said in a warning and in ``diagnostics_``.
    memory_limit : float, default=4096
        MiB for kernel values of the final machine.
    n_jobs : int, default=None
        Threads; results do not depend on it.
    random_state : int, RandomState or None, default=0
        Of the folds, and of the samples taken from more than 2000 rows.
    verbose : int, default=0
        If positive, a line on the standard error stream for every kernel scored.

    Attributes
    ----------
    kernel_ : Kernel or "precomputed"
        On scaled features.
    C_, epsilon_ : float
        For standardised targets.
    target_mean_, target_scale_ : float
        What standardises them: mean and standard deviation of y (1 if it is constant).
    best_score_ : float
        Of cross-validation, chosen among many and so a little optimistic.
    best_index_, best_params_, cv_results_, n_splits_, refit_time_, scorer_
        As in GridSearchCV; see also ``smoothed_test_score`` and ``reason`` in ``cv_results_``.
    criterion_path_ : dict from str to ndarray
        The alignment over the widths, or the history of its search.
    diagnostics_ : tuple of Finding
    n_svm_fits_ : int
        Machines trained, the final one included.
    result_ : SelectionResult
        All of it, with the reason of every choice.
    best_estimator_ : SVR
        The machine, on scaled features and for standardised targets.
    scaler_ : transformer or None
    relevance_ : ndarray of shape (n_features,)
        For learned metrics: share of each feature in the mean squared distance.
    metric_ : ndarray of shape (n_features, n_features)
        For learned metrics: Q of exp(−½ (x − y)ᵀ Q (x − y)), in the units of X.
    n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelwise import TunedSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = TunedSVR().fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.4
    True
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        criterion: Any = "auto",
        search: Any = None,
        Cs: Any = None,
        epsilons: Any = None,
        cv: Any = "auto",
        scoring: Any = None,
        refit: Any = True,
        scale: Any = "standard",
        tol: float = 1e-3,
        max_iter: int = -1,
        time_budget: float | None = None,
        memory_limit: float = 4096,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.criterion = criterion
        self.search = search
        self.Cs = Cs
        self.epsilons = epsilons
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- fitting ------------------------------------------------------------------------------------------
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose kernel, C and ε, and train.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        as_regression_criterion(self.criterion)  # refused before anything is computed
        return self._fit(X, y, sample_weight)

    def _task(
        self, X: Any, y: Any, sample_weight: Any, deadline: Deadline, progress: Progress
    ) -> RegressionTask:
        me = "TunedSVR"
        check_settings(self)
        epsilons = values_of_epsilon(self.epsilons, me)
        X, y = validate_data(self, X, y, y_numeric=True, ensure_min_samples=2, **self._input())
        y = np.asarray(y, dtype=np.float64)
        weight = weights_of_samples(sample_weight, len(y))
        check_enough(weight[weight > 0], self.cv, me)
        # Rows are the same if their targets are, too.
        index = np.unique(y, return_inverse=True)[1]
        if self._is_gram():
            distinct, Z, self.scaler_ = *gram_rows(X, weight), None
        else:
            distinct, Z, self.scaler_ = scaled_rows(X, index, weight, self.scale, me)
        folds = folds_of(self.cv, X, y, weight, distinct, me)
        rows, total = distinct.rows, distinct.weight
        target = self._standardised(y[rows], total)
        self.scorer_ = check_scoring(SVR(), self.scoring)
        scorer = None if self.scoring is None else self.scorer_
        return RegressionTask(
            Z=Z,
            index=np.zeros(len(rows), int),
            weight=total,
            bound=total,
            score=RegressionScorer(scorer, X[rows], target, total, self.target_mean_, self.target_scale_),
            settings={"tol": self.tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs},
            Cs=values_of_C(self.Cs, me),
            cv=folds,
            deadline=deadline,
            random_state=seed_of(self.random_state),
            columns=rows if self._is_gram() else None,
            watch=lambda: progress.task("kernel"),
            callback=self._say,
            target=target,
            epsilons=[FIRST_EPSILON] if epsilons is None else epsilons,
            has_given_epsilons=epsilons is not None,
        )

    def _standardised(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Targets of mean zero and variance one; keeps what undoes it."""
        self.target_mean_ = float(np.average(y, weights=weight))
        centred = y - self.target_mean_
        largest = float(np.abs(centred).max())  # by which squares neither overflow nor vanish
        if np.ptp(y) == 0.0 or largest == 0.0:
            self.target_scale_ = 1.0
            return np.zeros_like(y)
        self.target_scale_ = largest * float(np.sqrt(np.average((centred / largest) ** 2, weights=weight)))
        return centred / self.target_scale_

    def _choose(self, task: RegressionTask) -> Choice:
        return choose_regression(task, self.kernel, as_regression_criterion(self.criterion), self.search)

    def _criterion(self) -> Any:
        criterion = as_regression_criterion(self.criterion)
        return "auto" if criterion in BY_SCORE else criterion

    def _describe(self, task: RegressionTask, choice: Choice) -> None:
        """ε, and the learned metric."""
        assert choice.path.epsilon is not None
        self.epsilon_ = choice.path.epsilon
        super()._describe(task, choice)

    def _machine(self) -> SVR:
        return SVR(
            self.kernel_,
            C=self.C_,
            epsilon=self.epsilon_,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
        )

    def _targets(self, task: RegressionTask, rows: np.ndarray) -> np.ndarray:
        return task.target[rows]

    def _held_out(self, task: RegressionTask, choice: Choice) -> HeldOut:
        standardised = choice.path.decision[choice.place, :, 0].astype(float)
        truth = task.target[task.rows[task.pieces.rows]]
        return HeldOut(self._own_units(truth), self._own_units(standardised), np.empty(0))

    def _own_units(self, target: np.ndarray) -> np.ndarray:
        return self.target_mean_ + self.target_scale_ * target

    # -- predicting ---------------------------------------------------------------------------------------
    def predict(self, X: Any) -> np.ndarray:
        """Predictions in the units of y, of shape (n_samples,)."""
        machine, Z = self._machine_and(X)
        return self._own_units(machine.predict(Z))
