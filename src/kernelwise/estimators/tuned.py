"""A tuned estimator: what a user passes is read and checked, a search is run, and what it finds is kept."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.sklearn_compat import CallbackSupportMixin, with_callbacks
from kernelwise._core.text import count
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import MatrixLike, RandomState, RowsLike, Samples, ScaleLike
from kernelwise._core.validation import seed_of
from kernelwise.conformal import check_coverage, fewest_rows
from kernelwise.estimators._machine import WithMachine
from kernelwise.estimators._routing import OwnFolds, Routed, asked_by_row, route_fit, route_score, router
from kernelwise.estimators.kernel_argument import matrix_check
from kernelwise.estimators.unlike import reach_of, training_range
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel, kernel_as_dict
from kernelwise.search import (
    Classification,
    FitContext,
    FitRecord,
    FitSettings,
    Found,
    OneClass,
    Regression,
    TrainingData,
    kernel_text,
    metric_by_gradients,
    new_context,
    run,
)
from kernelwise.tables import (
    Table,
    by_column,
    coded_table,
    findings_of_table,
    judge_columns,
    learn_encoder,
    spelling_findings,
    to_table,
)


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
    *("_spread", "_usual_scores", "_usual_weights"),
    *("_knows_class_weights", "_costs", "threshold_", "threshold_error_"),
    *("_gram_columns", "cv_results_", "result_", "diagnostics_", "encoder_", "_sigmoid"),
    *("training_range_", "_reach"),
)


class Checked(NamedTuple):
    """Samples and targets that have passed scikit-learn's checks and ours.

    ``y`` is as the family of the search is given it: class indices, or targets. Equal samples are one row
    only if their ``identity`` is equal, too. All but X have the shape (n_samples,).
    """

    X: Samples
    y: np.ndarray
    identity: np.ndarray
    weight: np.ndarray


class TunedMachine(CallbackSupportMixin, WithMachine):
    """The life of a fit that classes, numbers and one class share.

    A subclass checks its targets (``_check``), says what is learned (``_family``), makes scorers and machines
    for the search (``_scorer_of``, ``_machine`` and ``_nystroem``, as `kernelwise.search.settings.Trainer`
    says), and keeps what is its own (``_keep``); it has the parameters that are read here.
    """

    #: Groups are for the splitter, and it says whether it asks for them.
    __metadata_request__fit: ClassVar = {"groups": UNUSED}

    kernel: Any
    criterion: Any
    cv: Any
    scale: ScaleLike
    scoring: Any
    refit: Any = True
    solver: str
    categorical_features: Any
    backend: str | None
    tol: float
    max_iter: int
    n_jobs: int | None
    random_state: RandomState
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
    def _check(self, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Checked:
        """Check samples and targets; sets what undoes the encoding."""

    @abstractmethod
    def _family(self) -> Classification | Regression | OneClass:
        """What is learned, after `_check`."""

    @abstractmethod
    def _scorer_of(self, scoring: Any) -> Any:
        """What scikit-learn makes of a score."""

    @abstractmethod
    def _machine(self, kernel: Kernel | str, C: Any, epsilon: float | None) -> Any:
        """The chosen machine, not yet trained."""

    @abstractmethod
    def _nystroem(self, kernel: Kernel, C: float, epsilon: float | None, random_state: int) -> Any:
        """The untrained Nyström machine, used instead of ``_machine``."""

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """The constructor, and after a fit what is predicted, what was chosen and how good it is."""
        made = str(super().__repr__(N_CHAR_MAX))
        if "result_" not in vars(self):
            return made
        name = getattr(self, "target_name_", None)
        target = "" if name is None else f" to predict {name!r}"
        C = getattr(self, "C_", None)
        kernel = kernel_text(self.kernel_) if C is None else f"{kernel_text(self.kernel_)}, C = {C:g}"
        blend = getattr(self.result_, "blend", "")
        kernel = f"{blend}, the best alone: {kernel}" if blend else kernel
        score, error = self.result_.score, self.result_.standard_error
        return f"{made}  # fitted{target}: {kernel}; held-out score {score:.3g} ± {error:.2g}"

    @with_callbacks
    def _fit(
        self,
        X: RowsLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        context: FitContext | None = None,
        routed: Routed | None = None,
    ) -> Self:
        """Fit in a context: see `fit_in_context`."""
        for name in NOT_ALWAYS_SET:
            self.__dict__.pop(name, None)
        self.target_name_ = column_name(y)
        settings = self._settings()
        context = self._context() if context is None else context
        progress = Progress(self, X, y)
        context.task = progress.task
        # What BLAS rounds depends on its threads, and a search makes much of it.
        with one_blas_thread(leaves_cores=True):
            data = self._read(X, y, sample_weight, context, routed or Routed({}))
            self._keep(run(self, data, settings, self._family(), context))
        progress.end()
        return self

    def _settings(self, **more: Any) -> FitSettings:
        """The parameters as the search reads them, and ``more``; raises unless they are acceptable."""
        self._validate_params()
        names = {field.name for field in fields(FitSettings)}
        own = {name: value for name, value in self.get_params(deep=False).items() if name in names}
        settings = FitSettings(type(self).__name__, **own, **more, seed=seed_of(self.random_state))
        settings.check_solver(self._is_gram())
        return settings

    def _context(self) -> FitContext:
        """A context without journal, whose watcher is ``verbose``."""
        return new_context(self.time_budget, type(self).__name__, self.verbose)

    def _read(
        self,
        X: RowsLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        context: FitContext,
        routed: Routed,
    ) -> TrainingData:
        """Samples and targets as the search takes them; words and gaps of a table become features."""
        me, is_gram = type(self).__name__, self._is_gram()
        frame = None if is_gram else to_table(X, self.categorical_features, me)
        # What is checked of a table besides its columns are its shape and the targets.
        stand_in = cast(MatrixLike, X) if frame is None else np.zeros(frame.shape)
        features, y, identity, weight = self._check(stand_in, y, sample_weight)
        # Groups may be what codes stand for, and rows of one group are no evidence of others.
        is_detector = is_outlier_detector(self)
        may_be_coded = isinstance(self.categorical_features, str) and not (routed.split or is_detector)
        if frame is None and not is_gram and may_be_coded:
            frame = coded_table(X, np.asarray(y), is_classifier(self))
        elif frame is not None and context.encoder is None:
            named = frame.has_names and may_be_coded
            frame = judge_columns(frame, np.asarray(y), is_classifier(self), may_be_coded=named)
        if frame is not None:
            features = self._encode(frame, weight, context)
        self._name_features(features, context)
        limits = None if is_gram else training_range(features, weight)
        if limits is not None:
            self.training_range_ = limits
        data = TrainingData(
            *(features, y, identity, weight),
            names=[repr(name) for name in getattr(self, "feature_names_in_", ())] or None,
            layout=None if frame is None else self.encoder_.layout,
            check_matrix=matrix_check(self.kernel),
            to_score=asked_by_row(routed, weight, is_weighted=sample_weight is not None),
            split=routed.split,
            findings=[
                *([] if frame is None else findings_of_table(frame, self.encoder_)),
                *(spelling_findings(self.classes_, np.bincount(y)) if is_classifier(self) else ()),
            ],
        )
        if not is_gram and not is_detector:  # labels of outliers are no target
            columns = features if frame is None else by_column(frame, self.encoder_)
            data.look_through(columns, me, is_classes=is_classifier(self))
        return data

    def _encode(self, table: Table, weight: np.ndarray, context: FitContext) -> np.ndarray:
        """Learn how a table becomes features, unless that is known; returns (n_samples, n_features)."""
        self.encoder_ = learn_encoder(table, weight) if context.encoder is None else context.encoder
        if table.feature_names is not None:
            self.feature_names_in_ = table.feature_names
        return self.encoder_.transform(table)

    def _name_features(self, X: Samples, context: FitContext) -> None:
        """Take the names that the context of a fit has for the features, if it has some."""
        if context.feature_names is None:
            return
        if len(context.feature_names) != X.shape[1]:
            given = count(len(context.feature_names), "name was", "names were")
            raise ValueError(f"{given} given for {count(X.shape[1], 'feature')}.")
        self.feature_names_in_ = np.array(context.feature_names, dtype=object)

    def _keep(self, found: Found) -> None:
        """Set the attributes of a fit."""
        validator = found.validator
        self.scaler_ = found.prepared.scaler
        self.cv_results_, self.best_index_ = found.table, found.row
        self.best_params_ = _for_json(found.table["params"][found.row])
        self.best_score_ = float(found.result.score)
        self.kernel_ = found.kernel
        self._keep_choice(found)
        self.n_splits_, self.n_svm_fits_ = validator.fold_rows.n_folds, found.n_machines
        self.diagnostics_, self.result_ = found.findings, found.result
        scorer = getattr(validator.scorer, "scorer", None)
        if scorer is not None:
            self.scorer_ = scorer
        last = found.machine or found.one_class
        if last is None:
            return
        self.best_estimator_, self.refit_time_ = last.machine, last.seconds
        self.n_iter_, self._gram_columns = last.machine.n_iter_, None
        if found.prepared.is_gram:
            self._gram_columns = found.prepared.distinct.rows[last.rows]
        else:
            self._reach = reach_of(last.machine, found.prepared.Z)
        if found.machine is not None:
            self._sigmoids, self._record = found.machine.sigmoids, found.machine.record
            self._spread = found.machine.spread

    def _keep_choice(self, found: Found) -> None:
        """Keep C and, if the kernel learned one, the weights of features and the metric, in units of X."""
        self.C_, self.criterion_path_ = found.C, found.choice.criterion_path
        for name in ("relevance", "metric"):
            learned = getattr(found, name)
            if learned is not None:
                setattr(self, f"{name}_", learned)

    def _metric_of_gradients(
        self, X: np.ndarray, y: np.ndarray, *, full: bool, rounds: int
    ) -> tuple[Kernel, list[Finding]]:
        """The kernel that `MetricTransformer` learns from gradients of a plain RBF machine, and findings."""
        settings, context = self._settings(), self._context()
        data = self._read(X, y, None, context, Routed({}))
        asked = self, data, settings, self._family(), context
        return metric_by_gradients(*asked, full=full, rounds=rounds), context.findings

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the scaled features, of shape (n_machines, n_features), for a linear kernel only."""
        check_is_fitted(self, "result_")
        coefficients: np.ndarray = self.best_estimator_.coef_
        return coefficients

    @property
    def steering_(self) -> Any:
        """The score that the search maximises: ``scoring``, or the one of several that ``refit`` names."""
        return FitSettings.steering_score(self.scoring, self.refit)

    @property
    def fit_record_(self) -> FitRecord | None:
        """Facts of the fit that its report shows; None without a final machine."""
        return getattr(self, "_record", None)

    def _held_out(self, coverage: float) -> FitRecord:
        """The held-out answers that intervals and sets go by; raises if they cannot tell that coverage."""
        check_coverage(coverage)
        check_is_fitted(self, "cv_results_")
        record, me = self.fit_record_, type(self).__name__
        if record is None:
            raise AttributeError(f"{me} was fitted with refit=False and has no final model.")
        if record.fold is None:
            raise AttributeError(
                f"This {me} has no intervals and no sets of classes: version 0.1 has trained it. Train it "
                "again with this version."
            )
        n_rows, fewest = float(record.weight.sum() / record.own_weight), fewest_rows(coverage)
        if n_rows < fewest:
            raise ValueError(
                f"A coverage of {coverage:g} needs {fewest} held-out rows at least, and this {me} has "
                f"{n_rows:g}. Ask for less coverage, or train on more rows."
            )
        return record

    def _asked_score(self, X: RowsLike, y: ArrayLike, params: dict[str, Any]) -> float:
        """The score that ``scoring`` names, as in GridSearchCV."""
        check_is_fitted(self, "cv_results_")
        asked = route_score(self, params, "score")
        score = Classification.probability_score(self, X, y, asked.get("sample_weight"))
        return self.scorer_(self, X, y, **asked) if score is None else score

    def _scorers(self) -> dict[str, Any]:
        """The scorer that metadata may go to; none for the score that is ours."""
        return {} if self.steering_ is None else {"score": self._scorer_of(self.steering_)}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata goes where, as scikit-learn asks: ``groups`` to ``cv``, weights to ``scoring``."""
        is_drawn = isinstance(self.cv, str | int | np.integer)
        given = self.cv if hasattr(self.cv, "split") else None  # pairs ask for nothing
        return router(self, OwnFolds() if is_drawn else given, self._scorers())

    def _route(
        self, sample_weight: ArrayLike | None, groups: ArrayLike | None, params: dict[str, Any]
    ) -> Routed:
        return route_fit(self, sample_weight, groups, params, self._scorers)


def _for_json(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a candidate as JSON can hold them; a kernel of the user's own class stays an object."""
    kernel = params["kernel"]
    if not isinstance(kernel, Kernel) or type(kernel).__module__.partition(".")[0] != "kernelwise":
        return params
    return {**params, "kernel": kernel_as_dict(kernel)}


def column_name(y: object) -> str | None:
    """The name of a column of a data frame; None of other targets."""
    name = getattr(y, "name", None)
    return None if name is None or callable(name) else str(name)


def fit_in_context(
    model: TunedMachine,
    X: RowsLike,
    y: ArrayLike | None,
    context: FitContext,
    groups: ArrayLike | None = None,
) -> TunedMachine:
    """Fit a tuned machine under a watcher, with a journal or with names for its features.

    The deadline of the context becomes that of the model's ``time_budget``.
    """
    context.begin(model.time_budget)
    return model._fit(X, y, None, context, Routed({} if groups is None else {"groups": groups}))
