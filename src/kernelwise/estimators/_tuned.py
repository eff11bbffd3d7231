"""What tuned machines for classes and for regression have in common."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelwise._core.sklearn_compat import CallbackSupportMixin
from kernelwise.estimators._closing import report, say
from kernelwise.estimators._cv_table import one_standard_error, path_at, place_of, tabulate_paths
from kernelwise.estimators._final import RESERVE, affordable_rows
from kernelwise.estimators._fit_record import HeldOut, record_of
from kernelwise.estimators._progress import Progress
from kernelwise.kernels import DiagonalGaussian, Gaussian, LowRankGaussian
from kernelwise.kernels.metric import metric_of, relevance
from kernelwise.search.choice import Choice
from kernelwise.search.deadline import Deadline
from kernelwise.search.result import SelectionResult, selection_result
from kernelwise.search.scaling import apply_scaler, factors, variances
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.settings import row_of

#: Attributes that not every fit sets: those of an earlier one must not stay behind.
NOT_ALWAYS_SET = ("best_estimator_", "n_iter_", "refit_time_", "relevance_", "metric_", "_record")


class TunedMachine(CallbackSupportMixin, BaseEstimator):
    """Searches kernel and C on a task, keeps what was found, and trains.

    A subclass makes the task (``_task``), chooses on it (``_choose``) and says what machine to train
    (``_machine``) on what targets (``_targets``); it has the parameters that are read here.
    """

    kernel: Any
    refit: Any
    time_budget: float | None
    verbose: int
    result_: SelectionResult

    @abstractmethod
    def _task(self, X: Any, y: Any, sample_weight: Any, deadline: Deadline, progress: Progress) -> Any:
        """The samples, checked, without repetitions, scaled and in canonical order."""

    @abstractmethod
    def _choose(self, task: Any) -> Choice: ...

    @abstractmethod
    def _machine(self) -> Any:
        """The chosen machine, not yet trained."""

    @abstractmethod
    def _targets(self, task: Any, rows: np.ndarray) -> np.ndarray:
        """What the machine is trained to say of some rows."""

    @abstractmethod
    def _held_out(self, task: Any, choice: Choice) -> HeldOut:
        """What the chosen machines said of rows that they had not seen."""

    @abstractmethod
    def _criterion(self) -> Any:
        """The criterion that the result names; "auto" if cross-validation alone chose."""

    def _describe(self, task: Any, choice: Choice) -> None:
        """Weight of every feature and the metric itself, in the units of X, if the kernel has learned one."""
        if isinstance(self.kernel_, DiagonalGaussian | Gaussian | LowRankGaussian):
            n_features = task.Z.shape[1]
            Q = metric_of(self.kernel_, n_features)
            self.relevance_ = relevance(Q, variances(task.Z, task.weight))
            factor = factors(self.scaler_, n_features)
            self.metric_ = Q * np.outer(factor, factor)

    def _complete(self, task: Any, choice: Choice) -> None:
        """What there is to do once the machine is trained."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        for name in NOT_ALWAYS_SET:
            self.__dict__.pop(name, None)
        deadline = Deadline(self.time_budget, reserve=RESERVE)
        progress = Progress(self, X, y)
        task = self._task(X, y, sample_weight, deadline, progress)
        task.paths.journal = getattr(self, "_journal", None)
        if hasattr(self, "_whole"):  # the rows are a sample of it
            task.whole = self._whole(self.scaler_, task.random_state)
            task.findings.append(task.whole.finding())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # one sentence about all of them follows
            choice = self._choose(task)
        result = self._keep(task, choice)
        if self.refit is not False:
            with progress.task("refit"):
                self._train(task, choice)
        self.diagnostics_ = report(task)
        self.result_ = replace(result, diagnostics=self.diagnostics_)
        progress.end()
        return self

    def _keep(self, task: Any, choice: Choice) -> SelectionResult:
        """Set the attributes of the search, and return all of it."""
        paths = task.paths.paths
        self.cv_results_ = tabulate_paths(paths)
        self.best_index_ = place_of(paths, choice.path, choice.place)
        if callable(self.refit) or self.refit == "one-standard-error":
            rule = self.refit if callable(self.refit) else one_standard_error
            n_rows = len(self.cv_results_["params"])
            self.best_index_ = row_of(rule(self.cv_results_), n_rows, type(self).__name__)
            choice.path, choice.place = path_at(paths, self.best_index_)
            choice.why.append("The rule 'refit' chose among the scored candidates.")
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.kernel_, self.C_ = choice.path.kernel, float(choice.path.Cs[choice.place])
        self.n_splits_, self.n_svm_fits_ = task.n_folds, task.paths.n_machines
        self.criterion_path_ = choice.criterion_path
        self._describe(task, choice)
        return selection_result(task, choice, self._criterion(), self.cv_results_, self.C_, self.best_score_)

    def _train(self, task: Any, choice: Choice) -> None:
        """Train the chosen machine on all rows that its time allows."""
        started = time.perf_counter()
        rows = affordable_rows(task, choice.path, choice.place)
        samples = task.Z[np.ix_(rows, rows)] if task.is_gram else task.Z[rows]
        self.best_estimator_ = self._machine().fit(
            samples, self._targets(task, rows), sample_weight=task.bound[rows]
        )
        self._complete(task, choice)
        self._record = record_of(
            self.best_estimator_, task.bound[rows], self._held_out(task, choice), task.pieces.weight
        )
        self._gram_columns = None if task.columns is None else task.columns[rows]
        self.n_iter_ = self.best_estimator_.n_iter_
        self.n_svm_fits_ += np.size(self.n_iter_)
        self.refit_time_ = time.perf_counter() - started

    def report(self, path: Any, X: Any = None, y: Any = None, **options: Any) -> None:
        """Write what was chosen, and why, as one HTML file that needs no network.

        Parameters
        ----------
        path : path-like
            The file is written whole or not at all.
        X, y : arrays of shape (n_samples, n_features) and (n_samples,), default=None
            The training samples. With them the report has decision regions and findings about the data.
        **options
            ``test``, ``comparison``, ``command``, ``source``, ``seed``: see `kernelwise.reports.report_data`.
        """
        from kernelwise.reports import report_data, write_report  # they know this class

        write_report(report_data(self, X, y, **options), path)

    def _machine_and(self, X: Any) -> tuple[Any, Any]:
        """The trained machine, and samples as it wants them."""
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(f"{type(self).__name__} was fitted with refit=False and has no machine.")
        X = validate_data(self, X, reset=False, **self._input())
        if self._is_gram():
            return self.best_estimator_, X[:, self._gram_columns]
        return self.best_estimator_, apply_scaler(self.scaler_, X)

    def _is_gram(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _input(self) -> dict[str, Any]:
        """What samples are turned into."""
        return {"dtype": np.float64, "accept_sparse": False if self._is_gram() else "csr"}

    def _say(self, path: KernelPath) -> None:
        if self.verbose > 0:
            say(path, type(self).__name__)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_gram()
        tags.input_tags.sparse = not self._is_gram()
        return tags
