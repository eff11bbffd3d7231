"""The support vector classifier that chooses its own kernel and C."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from kernelwise._core.labels import (
    check_are_classes,
    check_class_sizes,
    encode_labels,
    factors_of_classes,
    positive_weights,
)
from kernelwise._core.sklearn_compat import with_callbacks
from kernelwise._core.validation import is_dask
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._final import held_out_sigmoids
from kernelwise.estimators._fit_record import HeldOut, held_out_classes
from kernelwise.estimators._probability import class_probabilities, log_of
from kernelwise.estimators._progress import Progress
from kernelwise.estimators._tuned import TunedMachine
from kernelwise.estimators._tuned_nystroem import check_solver, train_nystroem, why_nystroem
from kernelwise.estimators.svc import SVC
from kernelwise.multiclass import STRATEGIES, check_strategy, choose_reject_label
from kernelwise.search.choice import Choice
from kernelwise.search.choose import choose
from kernelwise.search.deadline import Deadline
from kernelwise.search.held_out_scorer import HeldOutScorer
from kernelwise.search.samples import gram_rows, scaled_rows
from kernelwise.search.scoring import PathScorer
from kernelwise.search.settings import check_backend, check_settings, folds_of, seed_of, values_of_C
from kernelwise.search.task import Task


class TunedSVC(Exportable, ClassifierMixin, TunedMachine):
    """Support vector classifier that chooses its kernel's parameters and C from the data.

    Features are scaled, a few kernel widths are named by the class separability criteria of the distance
    sketch, each is scored for a path of values of C by cross-validation on one set of folds, neighbouring
    widths are tried uphill from the best, and the winner is trained on all samples.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        A name of :data:`kernelwise.kernels.KERNELS`, a kernel object to start from, "precomputed", or "auto":
        the simplest of RBF, diagonal and full Gaussian kernels within one standard error of the best.
    criterion : "auto", str or Criterion, default="auto"
        "auto" lets cross-validation choose among widths that several criteria name. A criterion, by name or
        as an object, chooses the kernel alone; cross-validation then chooses C, unless the criterion has.
    search : Optimizer, default=None
        For a criterion; None is the sketch's global maximum where there is one, else quasi-Newton.
    Cs : array, default=None
        Values of C to try. None is a range that follows the kernel (C grows like σ² where it is wide) and
        goes on beyond an end at which the best is, between 2⁻¹² and 2¹³ over the variance in feature space.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds; "auto" is 5 below 500 rows, 3 below 1500, else 2. Folds drawn here are stratified and depend
        on the rows, not on their order (except for "precomputed"). Others must hold out each sample once and
        train on all the rest.
    scoring : str or callable, default=None
        What is maximised; accuracy if None. As in `GridSearchSVC`.
    refit : True, False, "one-standard-error" or callable, default=True
        True trains the best candidate; "one-standard-error" the most regularised one within one standard
        error of it; a callable is given ``cv_results_`` and returns a row. False trains none.
    scale : {"standard", "minmax"}, transformer or None, default="standard"
        Scaling of the features, learned from all samples before the folds are drawn (it sees no labels).
        Sparse features are not centred.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
    reject_label : object, default=None
    class_weight : dict or "balanced", default=None
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
    tol, max_iter : float, int
        These six as in `SVC`.
    solver : {"auto", "exact", "nystroem"}, default="auto"
        Of the final machine. "nystroem" is `NystroemSVC` with the chosen kernel, whose time grows like n; it
        chooses a C of its own, that of the squared hinge loss. "auto" takes it for more than 50 000 distinct
        rows or, if there is a time budget, where an exact machine would exceed it (never up to 5000 rows). A
        finding in ``diagnostics_`` says so, with scores of both machines on a sample.
    time_budget : float, default=None
        Seconds after which nothing new is begun; the final machine is trained on as many rows as the time
        left allows. What was skipped is said in a warning and in ``diagnostics_``.
    memory_limit : float, default=4096
        MiB for kernel values.
    n_jobs : int, default=None
        Threads under every backend of joblib; results do not depend on it.
    backend : {None, "dask"}, default=None
        Where the paths of C of the cross-validation are run. None is here, in ``n_jobs`` threads; "dask" is
        dask's current scheduler or cluster, fold by fold, and several kernels at a time if there is no time
        budget. Same kernel and C; see ``docs/cost.md``. Needs the extra ``dask``.
    random_state : int, RandomState or None, default=0
        Of the folds, and of the samples taken from more than 5000 rows.
    verbose : int, default=0
        If positive, a line on the standard error stream for every kernel scored. Callbacks such as
        scikit-learn's ProgressBar (1.9 and later; ``set_callbacks``) see a task for each.

    Attributes
    ----------
    kernel_ : Kernel or "precomputed"
        On scaled features.
    C_, best_score_ : float
        The score is that of cross-validation, chosen among many and so a little optimistic: use
        `cross_val_score` or `compare` for an honest one.
    best_index_, best_params_, cv_results_, n_splits_, refit_time_, scorer_
        As in GridSearchCV; see also ``smoothed_test_score`` and ``reason`` in ``cv_results_``.
    criterion_path_ : dict from str to ndarray
        The criteria over the widths, or the history of the criterion's search.
    diagnostics_ : tuple of Finding
    n_svm_fits_ : int
        Machines trained, the final ones included.
    result_ : SelectionResult
        All of it, with the reason of every choice.
    relevance_ : ndarray of shape (n_features,)
        For learned metrics: the share of each feature in them; sums to 1.
    metric_ : ndarray of shape (n_features, n_features)
        For learned metrics: Q of exp(−½ (x − y)ᵀQ(x − y)), in the units of X.
    best_estimator_ : SVC or NystroemSVC
        The machine, on scaled features.
    scaler_ : transformer or None
    classes_, n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from kernelwise import TunedSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TunedSVC().fit(X, y)
    >>> model.score(X, y) > 0.98
    True
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        criterion: Any = "auto",
        search: Any = None,
        Cs: Any = None,
        cv: Any = "auto",
        scoring: Any = None,
        refit: Any = True,
        scale: Any = "standard",
        multiclass: str = "ovo",
        reject_label: Any = None,
        class_weight: Any = None,
        decision_function_shape: str = "ovr",
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: str = "auto",
        time_budget: float | None = None,
        memory_limit: float = 4096,
        n_jobs: int | None = None,
        backend: str | None = None,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.criterion = criterion
        self.search = search
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.scale = scale
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    # -- fitting ------------------------------------------------------------------------------------------
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose kernel and C, and train.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
            Or a dask array or dataframe. Up to 50 000 rows it is as if they were in memory. Of more, a sample
            of so many comes here for scaling and cross-validation, while the sketch and the final machine,
            a Nyström machine, take their sums over all chunks, where they are.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        if is_dask(X):
            from kernelwise.distributed.fit import brought_here  # imports dask

            with brought_here(self, X, y, sample_weight) as arrays:
                return self._fit(*arrays)
        return self._fit(X, y, sample_weight)

    def _task(self, X: Any, y: Any, sample_weight: Any, deadline: Deadline, progress: Progress) -> Task:
        check_settings(self)
        check_strategy(self.multiclass, self.decision_function_shape, "TunedSVC")
        check_solver(self.solver, self._is_gram())
        check_backend(self.backend, "TunedSVC")
        X, y = validate_data(self, X, y, **self._input())
        y = column_or_1d(y, warn=True)
        check_are_classes(y)
        self.classes_, index = encode_labels(y)
        weight = positive_weights(sample_weight, index, self.classes_)
        if self._is_gram():
            distinct, Z, self.scaler_ = *gram_rows(X, weight), None
        else:
            distinct, Z, self.scaler_ = scaled_rows(X, index, weight, self.scale, "TunedSVC")
        folds = folds_of(self.cv, X, y, weight, distinct, "TunedSVC")
        rows, total = distinct.rows, distinct.weight
        index = index[rows]
        check_class_sizes(index, total, self.classes_)
        factors = factors_of_classes(self.class_weight, index, total, self.classes_)
        self.scorer_ = check_scoring(SVC(), self.scoring)
        self.reject_label_ = choose_reject_label(
            self.reject_label, self.classes_, self.multiclass, "TunedSVC"
        )
        return Task(
            Z=Z,
            index=index,
            weight=total,
            bound=total * factors[index],
            score=self._scorer(X[rows], index, total),
            settings={
                "strategy": STRATEGIES[self.multiclass].machines,
                "tol": self.tol,
                "max_iter": self.max_iter,
                "n_jobs": self.n_jobs,
            },
            Cs=values_of_C(self.Cs, "TunedSVC"),
            cv=folds,
            deadline=deadline,
            random_state=seed_of(self.random_state),
            columns=rows if self._is_gram() else None,
            watch=lambda: progress.task("kernel"),
            callback=self._say,
            backend=self.backend,
            needs_all_classes=self.scoring is not None,
        )

    def _scorer(self, samples: Any, index: np.ndarray, weight: np.ndarray) -> HeldOutScorer:
        path_scorer = PathScorer(
            self.scorer_,
            self.scoring,
            self.multiclass,
            self.decision_function_shape,
            self.reject_label_,
            "raise",
        )
        return HeldOutScorer(path_scorer, self.classes_, samples, index, weight)

    def _choose(self, task: Task) -> Choice:
        return choose(task, self.kernel, self.criterion, self.search)

    def _criterion(self) -> Any:
        return self.criterion

    def _machine(self) -> SVC:
        return SVC(
            kernel=self.kernel_,
            C=self.C_,
            multiclass=self.multiclass,
            reject_label=self.reject_label,
            decision_function_shape=self.decision_function_shape,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
        )

    def _train(self, task: Task, choice: Choice) -> None:
        """Train an exact machine, or a Nyström machine where that would take too long."""
        reason = why_nystroem(self.solver, task, choice.path, choice.place)
        if reason is None:
            super()._train(task, choice)
        else:
            train_nystroem(self, task, reason)

    def _targets(self, task: Task, rows: np.ndarray) -> np.ndarray:
        return self.classes_[task.index[rows]]

    def _complete(self, task: Task, choice: Choice) -> None:
        """Fit the sigmoids on the held-out decision values."""
        self._sigmoids = held_out_sigmoids(
            task, choice.path.decision[choice.place], STRATEGIES[self.multiclass].machines
        )

    def _held_out(self, task: Task, choice: Choice) -> HeldOut:
        return held_out_classes(
            task.index[task.rows[task.pieces.rows]],
            choice.path.decision[choice.place],
            self._sigmoids,
            len(self.classes_),
            self.multiclass,
        )

    # -- predicting ---------------------------------------------------------------------------------------
    def predict(self, X: Any) -> np.ndarray:
        """Predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples."""
        machine, Z = self._machine_and(X)
        return machine.predict(Z)

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of shape (n_samples,), or (n_samples, n_classes or n_machines), as in `SVC`."""
        machine, Z = self._machine_and(X)
        return machine.decision_function(Z)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities of shape (n_samples, n_classes), from sigmoids on held-out decision values."""
        machine, Z = self._machine_and(X)
        return class_probabilities(
            machine._machine_values(Z),
            self._sigmoids,
            len(self.classes_),
            STRATEGIES[self.multiclass].machines,
        )

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`, of shape (n_samples, n_classes)."""
        return log_of(self.predict_proba(X))
