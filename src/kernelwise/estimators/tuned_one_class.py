"""The one-class machine that chooses its own kernel."""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.reading import read_samples
from kernelwise._core.sklearn_compat import CallbackSupportMixin, with_callbacks
from kernelwise._core.text import count
from kernelwise._core.threads import one_blas_thread
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._finish import RESERVE
from kernelwise.estimators._finish_one_class import Trained, finish_one_class
from kernelwise.estimators._machine import WithMachine
from kernelwise.estimators._one_class_settings import check_one_class_settings
from kernelwise.estimators._parameters import OF_TUNED_ONE_CLASS
from kernelwise.estimators._prepare_fit import encode_table, name_features
from kernelwise.estimators._progress import Progress
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.exceptions import KernelwiseWarning, TrustWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.given_folds import read_splits
from kernelwise.search.data.samples import prepare
from kernelwise.search.data.settings import seed_of
from kernelwise.search.engine.context import FINAL, Deadline, FitContext
from kernelwise.search.families.one_class.candidates import candidates
from kernelwise.search.families.one_class.choose import OneClassResult, choose, table
from kernelwise.search.families.one_class.doubts import doubts
from kernelwise.search.families.one_class.tail import Tail, Threshold, fit_sigmoid, threshold_at
from kernelwise.search.families.one_class.validator import (
    NORMAL,
    OUTLIER,
    SCORINGS,
    WINNER,
    OneClassValidator,
    Rows,
    Scored,
    check_labels_of_rows,
    folds_given,
)
from kernelwise.search.verdict.wording import kernel_text
from kernelwise.tables import Encoder, findings_of_table, to_table

#: Rows that a search looks at, at most.
SEARCH_ROWS = 1000
#: The share of rows that the threshold is for if none is given: the usual error of a test.
SHARE = 0.05
#: Attributes that not every fit sets: those of an earlier one must not stay behind.
NOT_ALWAYS_SET = ("encoder_", "feature_names_in_", "_sigmoid")


class TunedOneClassSVM(CallbackSupportMixin, Portable, OutlierMixin, WithMachine):
    """One-class support vector machine that chooses its kernel from the data, with or without labels.

    The model learns where rows usually are, and scores how unusual new rows are. It scales features by median
    and interquartile range. Without labels, a rule of thumb sets the kernel: exp(−γ‖x − y‖₁), where γ is four
    divided by the median city-block distance. The search also tries two neighbouring kernels, and chooses one
    of them only if it separates held-out rows clearly better from artificial rows. If some outliers are
    labelled, the search scores more kernels and values of ν by how well they rank the labelled rows in
    cross-validation. The threshold comes from held-out scores.

    Parameters
    ----------
    kernel : str, Kernel or list of them, default="auto"
        "auto" chooses among Laplacian and RBF kernels (with labels, also RBF kernels of whitened features). A
        name of :data:`kernelwise.kernels.KERNELS` sets the form; for "laplacian" and "rbf" the search chooses
        the width. A kernel object is used unchanged. With a list, the search chooses among its kernels.
    contamination : float, default=None
        The share of outliers among the training samples, above 0 and at most 0.5: this share of their
        held-out scores is below the threshold. None sets the threshold so that 5 % of the rows that are not
        labelled as outliers are below it.
    criterion : {"auto", "pseudo-outliers", "mass-volume", "median"}, default="auto"
        What chooses the kernel if there are no labels. "mass-volume" compares held-out rows with random rows
        from a box around all rows: it is the share of pairs in which the held-out row scores higher.
        "pseudo-outliers" is the mean of that and of two similar shares, for rows moved by noise and for rows
        that mix the values of two others. "median" uses the rule of thumb. "auto" means "pseudo-outliers"; on
        the problems of ``benchmarks.novelty`` the three are equal within their errors.
    nu : float, default=None
        ν, above 0 and at most 1. None means 0.5, or the best of several values if there are labels. The
        threshold does not depend on ν.
    scoring : {None, "roc_auc", "average_precision"}, default=None
        The score to maximise if there are labels; None means ROC AUC.
    scale : {"robust", "standard", "minmax"}, transformer or None, default="robust"
        How to scale the features. "robust" subtracts medians and divides by interquartile ranges, or by
        standard deviations where a range is zero. Sparse features are only divided by standard deviations.
    categorical_features : "from_dtype", None, or array of names, indices or booleans, default="from_dtype"
        Which columns hold words: as in `TunedSVC`.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds of the cross-validation. "auto" means 5 folds below 500 rows, 3 below 1500, else 2. A splitter
        or pairs must hold out every sample exactly once.
    tol, max_iter : float, int
        As in `OneClassSVM`.
    solver : {"auto", "exact", "nystroem"}, default="auto"
        How to train the final model. "exact" trains `OneClassSVM` on all rows. "auto" does the same, on a
        sample of 5000 rows if there are more. "nystroem" trains `NystroemOneClassSVM` on all rows, which
        suits kernels that are wider than those that "auto" chooses.
    time_budget : float, default=None
        Time in seconds after which the search scores no further kernel.
    memory_limit : float, default=4096
        Memory for kernel values of the final model, in MiB.
    n_jobs : int, default=None
        Accepted for compatibility: the search uses one thread, and results do not depend on it.
    random_state : int, RandomState or None, default=0
        Seed of the folds, of the artificial rows, and of samples drawn from many rows.
    verbose : int, default=0
        If positive, print a line to standard error for every kernel that is scored.

    Attributes
    ----------
    kernel_ : Kernel
        The chosen kernel, for scaled features.
    nu_ : float
        The chosen ν.
    threshold_, threshold_error_ : float
        Rows with a score below the threshold are outliers; the error is its standard error.
    offset_ : float
        The same as ``threshold_``: decision values are scores minus this.
    contamination_ : float
        The share of rows that the threshold is set for.
    training_scores_ : ndarray of shape (n_samples,)
        Held-out scores of the training samples, by models that were not trained on them; NaN for samples of
        weight zero. A sample that occurs more often than others has a higher score. To find outliers among
        the training samples, use these scores and not those of the final model, which was trained on them.
    training_probabilities_ : ndarray of shape (n_samples,)
        Outlier probabilities of the training samples, from these scores.
    criterion_ : str
        What chose the kernel: the criterion, or the score of the labels.
    cv_results_, best_index_, best_params_, best_score_, n_splits_, refit_time_
        As in GridSearchCV, for the score that chose the kernel.
    diagnostics_ : tuple of Finding
        What you should know about the data and the model; warnings are among them.
    n_svm_fits_ : int
        Number of support vector machines trained, including the final one.
    result_ : OneClassResult
        The whole result; ``result_.why`` has the reasons of the choice.
    best_estimator_ : OneClassSVM or NystroemOneClassSVM
        The final model, for scaled features. Its coefficients sum to one, and its offset is the threshold.
    scaler_ : transformer or None
        The fitted scaling of the features.
    encoder_ : Encoder
        Turns words and gaps into features; it exists only if the samples have some.
    n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import TunedOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = TunedOneClassSVM().fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]]).tolist()
    [1, -1]
    >>> model.outlier_probability([[0.0, 0.0], [5.0, 5.0]]).round(2).tolist()
    [0.07, 1.0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_TUNED_ONE_CLASS

    @explains_missing("OneClassSVM")
    def __init__(
        self,
        kernel: Any = "auto",
        *,
        contamination: float | None = None,
        criterion: str = "auto",
        nu: float | None = None,
        scoring: str | None = None,
        scale: Any = "robust",
        categorical_features: Any = "from_dtype",
        cv: Any = "auto",
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: str = "auto",
        time_budget: float | None = None,
        memory_limit: float = 4096,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.contamination = contamination
        self.criterion = criterion
        self.nu = nu
        self.scoring = scoring
        self.scale = scale
        self.categorical_features = categorical_features
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- fitting ------------------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose a kernel, train the final model, and set the threshold.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Labels: 1 for normal samples, −1 for outliers, 0 where the label is unknown. None means that there
            are no labels. The model is not trained on known outliers; ten of them are enough to choose a
            better kernel.
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        """
        check_one_class_settings(self)  # first, since a deadline needs a time
        context = FitContext(Deadline(self.time_budget, reserve=RESERVE))
        return self._fit(X, y, sample_weight, context)

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any, context: FitContext) -> Self:
        for name in NOT_ALWAYS_SET:
            self.__dict__.pop(name, None)
        progress = Progress(self, X, y)
        context.task = progress.task
        with one_blas_thread(leaves_cores=True):
            rows, row_of, labelled, cv = self._rows(X, y, sample_weight, context)
            seed = seed_of(self.random_state)
            validator, search_rows = self._validator(rows, cv, seed, context)
            tried = candidates(
                self.kernel, validator.rows.Z, validator.rows.trained, has_labels=validator.rows.has_labels
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # one sentence about all of them follows
                choice = choose(validator, tried, self.nu, context, self._print if self.verbose > 0 else None)
            taken = choice.taken
            context.on_phase(FINAL)
            started = time.perf_counter()
            with progress.task("refit"):
                trained = finish_one_class(self, validator, taken, rows, search_rows, seed, context)
        self.kernel_, self.nu_ = taken.candidate.kernel, taken.nu
        self._keep_search(validator, taken)
        self.best_estimator_, self.n_iter_ = trained.machine, trained.machine.n_iter_
        self.n_svm_fits_ = validator.n_machines + trained.n_machines
        threshold = self._answers(rows, row_of, trained)
        self.refit_time_ = time.perf_counter() - started
        found = doubts(validator, taken, rows[trained.rows], threshold.share, self._column_names(rows))
        self.diagnostics_ = self._closing(validator, found, context)
        self.result_ = OneClassResult(
            kernel=self.kernel_,
            nu=self.nu_,
            criterion=self.criterion_,
            score=self.best_score_,
            standard_error=taken.standard_error,
            threshold=self.threshold_,
            threshold_error=self.threshold_error_,
            contamination=threshold.share,
            n_rows=len(trained.rows),
            n_outliers=float(rows.weight[trained.scores < self.threshold_].sum()),
            labelled=labelled,
            why=(*choice.why, self._why_threshold(threshold)),
            how=tuple(choice.how),
            cv_results=self.cv_results_,
            n_svm_fits=self.n_svm_fits_,
            seconds=context.deadline.elapsed,
            diagnostics=self.diagnostics_,
        )
        progress.end()
        return self

    def _rows(
        self, X: Any, y: Any, sample_weight: Any, context: FitContext
    ) -> tuple[Rows, np.ndarray, tuple[int, int], Any]:
        """Distinct scaled rows, which of them each sample is, how many are labelled, and folds."""
        me = type(self).__name__
        frame = to_table(X, self.categorical_features, me)
        X = read_samples(
            self, X if frame is None else np.zeros(frame.shape), ensure_min_samples=2, **self._input()
        )
        label = check_labels_of_rows(y, X.shape[0])
        weight = weights_of_samples(sample_weight, X.shape[0])
        if frame is not None:
            X = encode_table(self, frame, weight, context)
            context.findings.extend(findings_of_table(frame, self.encoder_))
        name_features(self, X, context)
        layout = None if frame is None else self.encoder_.layout
        prepared = prepare(X, label + 1, weight, scale=self.scale, owner=me, layout=layout)
        self.scaler_, self._gram_columns = prepared.scaler, None
        distinct = prepared.distinct
        labelled = int((label == NORMAL).sum()), int((label == OUTLIER).sum())
        rows = Rows(prepared.Z, distinct.weight, label[distinct.rows], prepared.columns)
        if np.count_nonzero(rows.trained) < 2:
            raise ValueError(
                f"{me} needs at least 2 different samples of positive weight that are not labelled outliers."
            )
        cv = self.cv
        if not isinstance(cv, str | int | np.integer):
            cv = folds_given(read_splits(cv, X, label, me, {}), distinct.row_of, me)
        return rows, distinct.row_of, labelled, cv

    def _validator(
        self, rows: Rows, cv: Any, seed: int, context: FitContext
    ) -> tuple[OneClassValidator, np.ndarray]:
        """What scores kernels, on all rows or a sample, and which rows these are."""
        chosen = np.arange(len(rows))
        if len(rows) > SEARCH_ROWS:
            chosen = _search_rows(rows, seed)
            finding = catalogue.SAMPLED_ONE_CLASS(n_sampled=len(chosen), n_rows=len(rows))
            context.findings.append(finding)
        part = rows[chosen]
        criterion = WINNER if self.criterion == "auto" else self.criterion
        scoring = (self.scoring or SCORINGS[0]) if part.has_labels else criterion
        if not part.has_labels and hasattr(part.Z, "tocsr"):
            scoring = "median"
            context.findings.append(catalogue.SPARSE_WITHOUT_LABELS())
        settings = {"tol": self.tol, "max_iter": self.max_iter}
        folds = cv[chosen] if isinstance(cv, np.ndarray) else cv
        return OneClassValidator(part, folds, scoring, seed, settings), chosen

    def _keep_search(self, validator: OneClassValidator, taken: Scored) -> None:
        self.cv_results_, self.best_index_ = table(validator, taken)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_, self.criterion_ = taken.score, validator.scoring
        self.n_splits_ = validator.n_folds

    def _answers(self, rows: Rows, row_of: np.ndarray, trained: Trained) -> Threshold:
        """Set threshold, probabilities and scores of the training samples from held-out scores."""
        scores, is_outlier = trained.scores, rows.label == OUTLIER
        usual = ~is_outlier
        if self.contamination is None:
            threshold = threshold_at(scores[usual], rows.weight[usual], SHARE)
        else:
            threshold = threshold_at(scores, rows.weight, float(self.contamination))
        self.threshold_, self.threshold_error_ = threshold.value, threshold.error
        self.contamination_ = threshold.share
        machine = self.best_estimator_
        machine.intercept_ = np.array([-threshold.value])
        # Nyström machines have coefficients of both signs, other kernels values of both.
        is_log = bool(self.kernel_.is_radial and machine.dual_coef_.min() >= 0.0)
        tail = Tail.of(scores[usual], rows.weight[usual], is_log)
        self._tail_strangeness, self._tail_share = tail.strangeness, tail.share
        self._tail_scale, self._tail_is_log = tail.scale, tail.is_log
        if is_outlier.any():
            self._sigmoid = fit_sigmoid(tail, scores, is_outlier, rows.weight, threshold.share)
        of_sample = np.where(row_of >= 0, scores[row_of], np.nan)
        self.training_scores_ = of_sample
        self.training_probabilities_ = self._probability(of_sample)
        return threshold

    def _why_threshold(self, threshold: Threshold) -> str:
        given = self.contamination is not None
        share = f"{100 * threshold.share:g} %"
        what = "the share that you gave" if given else "the default, because contamination is not set"
        return (
            f"{share} of the held-out scores are below the threshold ({what}), which is a score of "
            f"{threshold.value:.4g} ± {threshold.error:.2g}."
        )

    def _closing(
        self, validator: OneClassValidator, found: list[Finding], context: FitContext
    ) -> tuple[Finding, ...]:
        context.issue(found, TrustWarning)
        deadline = context.deadline
        if deadline.skipped:
            skipped = count(len(deadline.skipped), "more kernel")
            found = [*found, catalogue.TIME_BUDGET(seconds=deadline.seconds, skipped=skipped)]
            context.issue(found[-1:], KernelwiseWarning)
        n_stopped = sum(one.n_stopped for one in validator.scored)
        if n_stopped:
            stopped = catalogue.NOT_CONVERGED_ONE_CLASS(n_stopped=n_stopped, n_models=validator.n_machines)
            found = [*found, stopped]
            context.issue(found[-1:], ConvergenceWarning)
        return (*found, *context.findings)

    def _column_names(self, rows: Rows) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return [repr(name) for name in names]
        n = rows.Z.shape[1] if rows.columns is None else int(rows.columns.max()) + 1
        return [f"column {k}" for k in range(n)]

    def _print(self, scored: Scored) -> None:
        """Print a line on the standard error stream about a kernel that was scored."""
        one = scored.candidate
        print(
            f"[TunedOneClassSVM] {kernel_text(one.kernel)}, ν = {scored.nu:g}: score {scored.score:.4f} "
            f"({one.reason}).",
            file=sys.stderr,
        )

    # -- answers ------------------------------------------------------------------------------------------
    @property
    def offset_(self) -> float:
        """The threshold: decision values are scores minus this."""
        return self.threshold_

    def score_samples(self, X: Any) -> np.ndarray:
        """Return scores of shape (n_samples,); a lower score means a more unusual sample.

        A score is the weighted mean of the kernel with the support vectors; for kernel="auto" it is between 0
        and 1.
        """
        Z = self.machine_samples(X)
        return self.best_estimator_.score_samples(Z)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores minus the threshold, of shape (n_samples,); outliers are negative."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for usual samples and −1 for outliers, shape (n_samples,)."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Train the model, and label the training samples by models that were not trained on them.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for usual samples, −1 for outliers. A sample of weight zero is labelled by the final model,
            which was not trained on it.
        """
        self.fit(X, y, sample_weight)
        scores = self.training_scores_
        if np.isnan(scores).any():
            scores = np.where(np.isnan(scores), self.score_samples(X), scores)
        return np.where(scores >= self.offset_, 1, -1)

    def outlier_probability(self, X: Any) -> np.ndarray:
        """Return the probability that a sample is an outlier, of shape (n_samples,).

        Without labels, the probability follows from Bayes' rule. It uses the share ``contamination_`` of
        outliers, and the share of held-out rows that are at least as unusual as the sample; beyond the most
        unusual row, an exponential tail through the last tenth extends it. It assumes that outliers are at
        least as unusual, and is about one half at the threshold.

        With labels, the probability is a sigmoid of log scores. It is fitted to the held-out scores of
        labelled outliers and of the other rows, weighted to the share ``contamination_``.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        """
        return self._probability(self.score_samples(X))

    def _probability(self, scores: np.ndarray) -> np.ndarray:
        tail = Tail(self._tail_strangeness, self._tail_share, self._tail_scale, self._tail_is_log)
        if hasattr(self, "_sigmoid"):
            return tail.sigmoid(scores, self._sigmoid)
        return tail.probability(scores, self.contamination_)


def _search_rows(rows: Rows, seed: int) -> np.ndarray:
    """A sample of the rows for a search, with all known outliers or, of many, as many as other rows."""
    known, others = np.flatnonzero(rows.label == OUTLIER), np.flatnonzero(rows.label != OUTLIER)
    half = SEARCH_ROWS // 2
    if len(known) > half:
        known = known[sample(np.zeros(len(known), int), half, seed)]
    n_others = SEARCH_ROWS - len(known)
    if len(others) > n_others:
        others = others[sample(np.zeros(len(others), int), n_others, seed)]
    return np.sort(np.r_[known, others])


def fit_named(
    model: TunedOneClassSVM, X: Any, y: Any, names: list[str] | None, encoder: Encoder | None = None
) -> TunedOneClassSVM:
    """Fit rows of an array whose columns have these names, or of a table whose encoder is known.

    Findings are not issued as warnings: the command line shows them itself.
    """
    check_one_class_settings(model)
    deadline = Deadline(model.time_budget, reserve=RESERVE)
    return model._fit(X, y, None, FitContext(deadline, feature_names=names, encoder=encoder, warns=False))
