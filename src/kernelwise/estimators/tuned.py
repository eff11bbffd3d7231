"""A tuned machine: samples, folds, a validator, a choice, and the final machine, in this order."""

from __future__ import annotations

import sys
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.sklearn_compat import CallbackSupportMixin, with_callbacks
from kernelwise._core.threads import one_blas_thread
from kernelwise.estimators._closing import closing_findings
from kernelwise.estimators._cv_results import row_index, tabulate
from kernelwise.estimators._finish import RESERVE, finish
from kernelwise.estimators._machine import WithMachine
from kernelwise.estimators._prepare_fit import prepare_fit
from kernelwise.estimators._routing import OwnFolds, Routed, route_fit, route_score, router
from kernelwise.estimators.fit_record import FitRecord
from kernelwise.estimators.settings import check_settings, scores_by_name, steering_score, values_of_C
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.kernels.metric import feature_relevance, has_weights
from kernelwise.search.choose import choose
from kernelwise.search.data.samples import Prepared, Samples
from kernelwise.search.data.scaling import factors, variances
from kernelwise.search.engine.context import FINAL, Deadline, FitContext
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.family import Family
from kernelwise.search.propose.column_weights import deviations
from kernelwise.search.result import Choice, selection_result
from kernelwise.search.scoring.scorers import Scorer
from kernelwise.search.verdict.reasons import why_tried
from kernelwise.search.verdict.stability import stability_findings
from kernelwise.search.verdict.summary import announce
from kernelwise.search.verdict.wording import kernel_text, number


class IfLearned:
    """Attribute that exists only after some fits; reading it otherwise raises an error that says why.

    The attribute of an instance hides this descriptor. The error names the kernel, and ``advice`` says what
    else there is.
    """

    def __init__(self, what: str, advice: str) -> None:
        self.what = what
        self.advice = advice

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        me = type(instance).__name__
        if "kernel_" not in vars(instance):
            raise AttributeError(f"{me!r} object has no attribute {self.name!r}: it is not fitted.")
        raise AttributeError(
            f"This {me} has no {self.name}: the kernel that was chosen ({kernel_text(instance.kernel_)}) "
            f"{self.what}. {self.advice}"
        )


class Progress:
    """Tells an estimator's callbacks what is being done; without callbacks in scikit-learn, nobody."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.arguments: dict[str, Any] = {"estimator": estimator, "X": X, "y": y}
        self.root: Any = None
        if hasattr(estimator, "_init_callback_context"):
            # How many kernels will be tried is not known before.
            self.root = estimator._init_callback_context(max_subtasks=None)
            self.root.call_on_fit_task_begin(**self.arguments)

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """What is done inside is one task."""
        if self.root is None:
            yield
            return
        context = self.root.subcontext(task_name=name)
        context.call_on_fit_task_begin(**self.arguments)
        yield
        context.call_on_fit_task_end(**self.arguments)

    def end(self) -> None:
        """All is done."""
        if self.root is not None:
            self.root.call_on_fit_task_end(**self.arguments)


#: Attributes that not every fit sets: those of an earlier one must not stay behind.
NOT_ALWAYS_SET = (
    *("best_estimator_", "n_iter_", "refit_time_", "relevance_", "metric_", "_record", "_sigmoids"),
    *("_knows_class_weights", "_costs", "threshold_", "threshold_error_"),
    *("_gram_columns", "cv_results_", "result_", "diagnostics_", "encoder_", "_sigmoid"),
)


class Checked(NamedTuple):
    """Samples and targets that have passed scikit-learn's checks and ours.

    ``y`` is as the family of the search is given it: class indices, or targets. Equal samples are one row
    only if their ``identity`` is equal, too. All but X have the shape (n_samples,).
    """

    X: Any
    y: np.ndarray
    identity: np.ndarray
    weight: np.ndarray


class TunedMachine(CallbackSupportMixin, WithMachine):
    """The life of a fit that classes, numbers and one class share.

    A subclass checks its targets (``_check``), names the family of the search (``_family``) and its scorer
    (``_scorer``), and makes the final machine (``_machine``); it has the parameters that are read here.
    """

    #: Groups are for the splitter, and it says whether it asks for them.
    __metadata_request__fit: ClassVar = {"groups": UNUSED}

    kernel: Any
    criterion: Any
    search: Any
    cv: Any
    Cs: Any
    refit: Any
    scale: Any
    scoring: Any
    solver: str
    categorical_features: Any
    backend: str | None
    tol: float
    max_iter: int
    n_jobs: int | None
    random_state: Any
    time_budget: float | None
    verbose: int
    result_: Any
    scorer_: Any
    relevance_: Any = IfLearned(
        "has no weights of features",
        "Use kernel='diagonal' for weights, or sklearn.inspection.permutation_importance for any model.",
    )
    metric_: Any = IfLearned("has learned no metric", "Use kernel='diagonal' or kernel='gaussian'.")

    @abstractmethod
    def _check(self, X: Any, y: Any, sample_weight: Any) -> Checked:
        """Check samples and targets."""

    @abstractmethod
    def _family(self, y: np.ndarray, weight: np.ndarray) -> Family:
        """What is learned of rows with these targets; sets what undoes the encoding."""

    @abstractmethod
    def _scorer(self, X: Any, samples: Samples, family: Any, scoring: Any) -> tuple[Any, Scorer]:
        """What a score asks for: the family that scores it, and the scorer of held-out values.

        ``X`` are the rows as the user passed them.
        """

    @abstractmethod
    def _machine(self) -> Any:
        """The chosen machine, not yet trained."""

    @abstractmethod
    def _nystroem(self, random_state: int) -> Any:
        """The untrained Nyström machine, used instead of ``_machine``."""

    @abstractmethod
    def _targets(self, y: np.ndarray) -> np.ndarray:
        """What the machine is trained to answer for encoded targets."""

    @with_callbacks
    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        context: FitContext | None = None,
        routed: Routed | None = None,
    ) -> Self:
        """Fit in a context: see `fit_in_context`."""
        for name in NOT_ALWAYS_SET:
            self.__dict__.pop(name, None)
        self._check_settings()
        context = self._context() if context is None else context
        progress = Progress(self, X, y)
        context.task = progress.task
        # What BLAS rounds depends on its threads, and a search makes much of it.
        with one_blas_thread(leaves_cores=True):
            validator, prepared, leaks = prepare_fit(self, X, y, sample_weight, context, routed or Routed({}))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # one sentence about all of them follows
                choice = self._choose(validator)
            self._keep(validator, choice)
            result = self._result(validator, choice)
            self._settle_answers(validator, choice)
            finished = None
            if self.refit is not False:
                context.on_phase(FINAL)
                with progress.task("refit"):
                    finished = self._finish(validator, choice)
                    self._keep_machine(finished, prepared)
            result = self._announce(result, validator, choice, finished)
        self.diagnostics_ = self._findings(result, validator, choice, finished, leaks)
        self.result_ = replace(result, diagnostics=self.diagnostics_)
        progress.end()
        return self

    # What follows is that of machines with a C; another family may do one step or the other in its own way.
    def _check_settings(self) -> None:
        """Raise unless the parameters are acceptable."""
        check_settings(self)

    def _values(self, family: Any) -> np.ndarray | None:
        """Values of C that every kernel is scored at; None lets them follow the kernel."""
        return values_of_C(self.Cs, type(self).__name__)

    def _choose(self, validator: CrossValidator) -> Choice:
        """The kernel and the C that are taken."""
        return choose(validator, self.kernel, self.criterion, self.search)

    def _settle_answers(self, validator: CrossValidator, choice: Choice) -> None:
        """Set what answers go by beside the machine; nothing, unless a subclass says otherwise."""

    def _finish(self, validator: CrossValidator, choice: Choice) -> Any:
        """The final machine, and what is known of it."""
        return finish(self, validator, choice)

    def _result(self, validator: CrossValidator, choice: Choice) -> Any:
        """The result of the search, before anything is known of the final machine."""
        criterion = validator.family.criterion(self.criterion)
        return selection_result(validator, choice, criterion, self.cv_results_, self.best_index_)

    def _announce(self, result: Any, validator: CrossValidator, choice: Choice, finished: Any) -> Any:
        """The result with what the final machine, if there is one, says of it."""
        if finished is None:
            return announce(result, validator, choice, None)
        # A Nyström model, which has no rows of its own, holds out other rows than the search.
        has_labels = finished.record.scored is not None and finished.rows.size
        labels = finished.record.predicted if has_labels else None
        return announce(result, validator, choice, finished.label_scores, labels, finished.luck)

    def _findings(
        self, result: Any, validator: CrossValidator, choice: Choice, finished: Any, leaks: list[Finding]
    ) -> tuple[Finding, ...]:
        """What a user of the model has to know, with warnings; ``leaks`` are findings about columns."""
        validator.context.findings.extend(stability_findings(validator))
        by_likelihood = getattr(self, "_costs", None) is None
        return closing_findings(validator, choice, result, self.fit_record_, leaks, by_likelihood)

    def _context(self) -> FitContext:
        """A context without journal, whose watcher is ``verbose``."""
        context = FitContext(Deadline(self.time_budget, reserve=RESERVE))
        if self.verbose > 0:
            context.on_scored = self._report
        return context

    def _keep(self, validator: CrossValidator, choice: Choice) -> None:
        """Set the attributes of the search."""
        self.cv_results_ = tabulate(validator, self.refit if scores_by_name(self.scoring) else None)
        self.best_index_ = row_index(validator, choice, self.refit, self.cv_results_, type(self).__name__)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.kernel_ = choice.scored.kernel
        self.n_splits_, self.n_svm_fits_ = validator.fold_rows.n_folds, validator.n_machines
        self._describe(validator, choice)

    def _describe(self, validator: CrossValidator, choice: Choice) -> None:
        """Keep C and, if the kernel learned one, the weights of features and the metric, in units of X."""
        self.C_, self.criterion_path_ = choice.C, choice.criterion_path
        kernel, samples = choice.scored.kernel, validator.samples
        if not isinstance(kernel, Kernel) or samples.is_gram:
            return
        if has_weights(kernel):
            variance = variances(samples.Z, samples.weight)
            shares = feature_relevance(kernel, variance, deviations(samples, variance))
            self.relevance_ = shares if samples.columns is None else np.bincount(samples.columns, shares)
        if kernel.learns_metric:
            n_features = samples.Z.shape[1]
            factor = factors(self.scaler_, n_features)
            self.metric_ = kernel.metric(n_features) * np.outer(factor, factor)

    def _keep_machine(self, finished: Any, prepared: Prepared) -> None:
        """Set the attributes of the final machine."""
        self.best_estimator_, self._sigmoids = finished.machine, finished.sigmoids
        self._record, self._gram_columns = finished.record, None
        if prepared.is_gram:
            self._gram_columns = prepared.distinct.rows[finished.rows]
        self.n_iter_ = finished.machine.n_iter_
        self.n_svm_fits_ += finished.n_machines
        self.refit_time_ = finished.seconds

    def _report(self, scored: ScoredKernel) -> None:
        """Print a line on the standard error stream about a kernel that was scored."""
        print(
            f"[{type(self).__name__}] {kernel_text(scored.kernel)}: score {scored.best_score:.4f} with "
            f"{scored.symbol} = {number(scored.Cs[scored.best])} ({scored.n_machines} models, "
            f"{scored.seconds:.2f} s). "
            f"{why_tried(scored.reason)}",
            file=sys.stderr,
        )

    @property
    def steering_(self) -> Any:
        """The score that the search maximises: ``scoring``, or the one of several that ``refit`` names."""
        return steering_score(self.scoring, self.refit)

    @property
    def fit_record_(self) -> FitRecord | None:
        """Facts of the fit that its report shows; None without a final machine."""
        return getattr(self, "_record", None)

    def _asked_score(self, X: Any, y: Any, params: dict[str, Any]) -> float:
        """The score that ``scoring`` names, as in GridSearchCV."""
        check_is_fitted(self, "cv_results_")
        return self.scorer_(self, X, y, **route_score(self, params, "score"))

    @abstractmethod
    def _scoring(self) -> Any:
        """The scorer that ``scoring`` names."""

    def _scorers(self) -> dict[str, Any]:
        """The scorer that metadata may go to; none for the score that is ours."""
        return {} if self.steering_ is None else {"score": self._scoring()}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata goes where, as scikit-learn asks: ``groups`` to ``cv``, weights to ``scoring``."""
        is_drawn = isinstance(self.cv, str | int | np.integer)
        given = self.cv if hasattr(self.cv, "split") else None  # pairs ask for nothing
        return router(self, OwnFolds() if is_drawn else given, self._scorers())

    def _route(self, sample_weight: Any, groups: Any, params: dict[str, Any]) -> Routed:
        return route_fit(self, sample_weight, groups, params, self._scorers)


def fit_in_context(model: TunedMachine, X: Any, y: Any, context: FitContext, groups: Any = None) -> Any:
    """Fit a tuned machine under a watcher, with a journal or with names for its features.

    The deadline of the context becomes that of the model's ``time_budget``.
    """
    context.deadline = Deadline(model.time_budget, reserve=RESERVE)
    context.findings = []  # those of an earlier fit are in its model
    return model._fit(X, y, None, context, Routed({} if groups is None else {"groups": groups}))
