"""The support vector classifier that chooses its own kernel and C."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import column_or_1d

from kernelwise._core.constraints import ELSEWHERE
from kernelwise._core.labels import check_are_classes, check_class_sizes, encode_labels, positive_weights
from kernelwise._core.reading import read_samples
from kernelwise._core.validation import is_dask
from kernelwise.estimators._choose_weights import choose_class_weight
from kernelwise.estimators._chosen import says_what_it_chooses
from kernelwise.estimators._classifier import DecisionClassifier
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._finish import check_solver
from kernelwise.estimators._parameters import OF_LABELS, OF_TUNED
from kernelwise.estimators._threshold import choose_threshold, threshold_findings
from kernelwise.estimators.answers import (
    AUTO,
    check_answers,
    check_threshold,
    check_threshold_score,
    cost_matrix,
    costs_of_threshold,
)
from kernelwise.estimators.fit_record import Finished, HeldOut, held_out_classes, held_out_sigmoids
from kernelwise.estimators.nystroem_svc import NystroemSVC
from kernelwise.estimators.svc import SVC
from kernelwise.estimators.tuned import Checked, TunedMachine
from kernelwise.findings import Finding
from kernelwise.multiclass import STRATEGIES, check_strategy, choose_reject_label
from kernelwise.search.cross_validate import CrossValidator
from kernelwise.search.families import Classification
from kernelwise.search.held_out_answers import BothAnswers, ClassAnswers, ProbabilityAnswers
from kernelwise.search.held_out_scorer import HeldOutScorer
from kernelwise.search.result import Choice
from kernelwise.search.samples import Prepared, Samples
from kernelwise.search.score_names import BOTH, ODDS, check_score, shown_to
from kernelwise.search.scores import is_share
from kernelwise.search.scoring import PathScorer, one_scorer
from kernelwise.search.settings import check_backend


class TunedSVC(Exportable, DecisionClassifier, TunedMachine):
    """Support vector classifier that chooses its kernel, the kernel's parameters and C from the data.

    Features are scaled, a few kernel widths are named by the class separability criteria of the distance
    sketch, each is scored for a path of values of C by cross-validation on one set of folds, and neighbouring
    widths are tried uphill from the best. That is done for several forms of kernel and for their sum, and the
    winner is trained on all samples.

    Parameters
    ----------
    kernel : str, Kernel or list of them, default="auto"
        "auto" chooses among RBF and Laplacian kernels, each with one width and with a width for every
        feature, and their sum: the one of lowest held-out log-loss within one standard error of the best
        score. A list is a choice among its kernels (names or objects) and their sum. Otherwise a name of
        :data:`kernelwise.kernels.KERNELS`, a kernel object to start from, "precomputed" if X is the
        Gram matrix, or "precomputed-distance" if X is a matrix of distances D between samples: then γ of
        exp(−γD) is chosen, and new samples are given by their distances from all training samples.
    criterion : "auto", str or Criterion, default="auto"
        "auto" lets cross-validation choose among widths that several criteria name. A criterion, by name or
        as an object, chooses the kernel alone; cross-validation then chooses C, unless the criterion has.
    search : str or Optimizer, default=None
        For a criterion: a name of :data:`kernelwise.optimizers.OPTIMIZERS` or an object. None is the sketch's
        global maximum where there is one, else quasi-Newton, or a grid if the criterion has no derivative.
    Cs : array, default=None
        Values of C to try. None is a range that follows the kernel (C grows like σ² where it is wide) and
        goes on beyond an end at which the best is, between 2⁻¹² and 2¹³ over the variance in feature space.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds; "auto" is 5 below 500 rows, 3 below 1500, else 2. Folds drawn here are stratified and depend
        on the rows, not on their order (except for matrices), and hold out whole groups if ``fit`` is given
        ``groups``. A splitter or pairs may be any: test parts may overlap or miss rows, and a fold may train
        on some of the rest only, as with TimeSeriesSplit, ShuffleSplit or GroupKFold.
    scoring : str, callable, list or dict, default=None
        What is maximised; accuracy if None. As in `GridSearchSVC`, and scores of probabilities, such as
        "neg_log_loss": those of a row come from sigmoids that have not seen it. Of several, ``refit`` names
        the one that is maximised; ``cv_results_`` has all.
    refit : True, False, "one-standard-error", callable or the name of a score, default=True
        True trains the best candidate; "one-standard-error" the most regularised one within one standard
        error of it; a callable is given ``cv_results_`` and returns a row. False trains none.
    scale : {"standard", "robust", "minmax"}, transformer or None, default="standard"
        Scaling of the features, learned from all samples before the folds are drawn (it sees no labels).
        Sparse features are not centred.
    categorical_features : "from_dtype", None, or array of names, indices or booleans, default="from_dtype"
        Which columns hold words. "from_dtype" takes the columns of text and categories of a data frame (of
        pandas, polars or pyarrow); columns of numbers and booleans are numbers. None takes none, and refuses
        text. Words and missing values are coded so that every column weighs like a standardised number; see
        ``docs/guide/frames.md``.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
    reject_label : object, default=None
    class_weight : dict, "balanced" or a list of them, default=None
        The search is run under each weight of a list, such as ``[None, "balanced"]``, and the one of the
        highest score is taken.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
    predict_by : {"probability", "decision"}, default="probability"
    threshold : None, float or "auto", default=None
        Of two classes: ``classes_[1]`` is answered where its probability is above this, between 0 and 1.
        "auto" is the threshold whose labels have the highest ``scoring`` on held-out rows, such as "f1";
        None is one half.
    costs : array of shape (n_classes, n_classes) or dict, default=None
        What a wrong answer costs: the true class is the row, the answer the column, in the order of
        ``classes_``, and the diagonal is zero. A dict has a class as key and the cost of any wrong answer to
        its rows as value. The class of least expected cost is answered.
    tol, max_iter : float, int
        These seven, without threshold and costs, are as in `SVC`. "balanced" counts weights, a weight of 2
        being two rows, and balances the training part of each fold, as the final machine balances all rows.
        The search scores labels by "decision", whatever the labels of `predict` go by: sigmoids for every
        kernel and C would take longer than the machines. ``result_.score`` is of the labels of `predict`.
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
        The score is that of cross-validation, chosen among many and so a little optimistic:
        ``result_.corrected_score`` is corrected for that; `cross_val_score` and `compare` are honest.
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
        If features have weights: the share of each in the distances; sums to 1. A column of words or with
        gaps has one share. Where a kernel without weights won, to ask for it is an AttributeError that says
        so.
    metric_ : ndarray of shape (n_features, n_features)
        For learned metrics: Q of exp(−½ (x − y)ᵀQ(x − y)), in the units of X; of the features that
        ``encoder_`` makes, if there is one.
    best_estimator_ : SVC or NystroemSVC
        The machine, on scaled features.
    scaler_ : transformer or None
    best_class_weight_ : dict, "balanced" or None
        ``class_weight``, or what was chosen of a list.
    threshold_, threshold_error_ : float
        The probability above which ``classes_[1]`` is answered, if ``threshold`` is given, and the standard
        error of one that was chosen.
    encoder_ : Encoder
        How words and gaps became features; only if the samples have some. ``encoder_.feature_names`` are the
        names of these features, and ``encoder_.read(X)`` returns those of new samples.
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **OF_TUNED,
        **OF_LABELS,
        "threshold": ELSEWHERE,
        "costs": ELSEWHERE,
    }

    @says_what_it_chooses("SVC")
    def __init__(
        self,
        kernel: Any = "auto",
        *,
        criterion: Any = "auto",
        search: Any = None,
        Cs: Any = None,
        cv: Any = "auto",
        scoring: Any = None,
        refit: Any = True,
        scale: Any = "standard",
        categorical_features: Any = "from_dtype",
        multiclass: str = "ovo",
        reject_label: Any = None,
        class_weight: Any = None,
        decision_function_shape: str = "ovr",
        predict_by: str = "probability",
        threshold: Any = None,
        costs: Any = None,
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
        self.categorical_features = categorical_features
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.predict_by = predict_by
        self.threshold = threshold
        self.costs = costs
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **params: Any) -> Self:
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
        groups : array of shape (n_samples,), default=None
            For the splitter ``cv``. Folds that are drawn here, with "auto" or a number, hold out whole
            groups.
        **params
            Further metadata of the splitter or the scorer, if scikit-learn is set to route it.
        """
        routed = self._route(sample_weight, groups, params)
        if is_dask(X):
            if isinstance(self.class_weight, list | tuple):
                raise ValueError(
                    "'class_weight' of TunedSVC is a list, which is for samples in memory, and X is a dask "
                    "collection. Give one of its weights."
                )
            from kernelwise.distributed.fit import fit_on_chunks

            return fit_on_chunks(self, X, y, sample_weight, routed)
        if isinstance(self.class_weight, list | tuple):
            return choose_class_weight(self, X, y, sample_weight, groups, params)
        return self._fit(X, y, sample_weight, routed=routed)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> Checked:
        check_strategy(self.multiclass, self.decision_function_shape)
        check_answers(self, STRATEGIES[self.multiclass].rejects)
        check_solver(self.solver, self._is_gram(), "TunedSVC")
        check_backend(self.backend, "TunedSVC")
        X, y = read_samples(self, X, y, **self._input())
        y = column_or_1d(y, warn=True)
        check_are_classes(y)
        self.classes_, index = encode_labels(y)
        check_threshold(self.threshold, self.classes_, "TunedSVC")
        check_threshold_score(self.threshold, self.steering_, "TunedSVC")
        if self.costs is not None:
            cost_matrix(self.costs, self.classes_, "TunedSVC")
        weight = positive_weights(sample_weight, index, self.classes_)
        return Checked(X, index, index, weight)

    def _family(self, y: np.ndarray, weight: np.ndarray) -> Classification:
        check_class_sizes(y, weight)
        self.best_class_weight_ = self.class_weight
        return Classification(self.classes_, self.multiclass, self.class_weight)

    def _scorer(self, X: Any, samples: Samples, family: Any, scoring: Any) -> tuple[Any, HeldOutScorer]:
        check_score(scoring, self.classes_.tolist(), "TunedSVC")
        scorer = one_scorer(SVC(), scoring, "TunedSVC")
        family = replace(family, shown=shown_to(scorer))
        self.reject_label_ = choose_reject_label(
            self.reject_label, self.classes_, self.multiclass, "TunedSVC"
        )
        how = self.multiclass, self.decision_function_shape, self.reject_label_
        by_decision = BothAnswers if family.shown == BOTH else ClassAnswers
        answers: Any = by_decision(*how, breaks_ties=True)
        if family.shown == ODDS:
            answers = ProbabilityAnswers(*how)
        path_scorer = PathScorer(scorer, scoring, answers)
        of_rows = X, self.classes_[samples.y], samples.weight, self.classes_
        return family, HeldOutScorer(path_scorer, *of_rows, is_share(scoring))

    def _scoring(self) -> Any:
        return one_scorer(SVC(), self.steering_, "TunedSVC")

    def _machine(self) -> SVC:
        return SVC(
            kernel=self.kernel_,
            C=self.C_,
            multiclass=self.multiclass,
            reject_label=self.reject_label,
            decision_function_shape=self.decision_function_shape,
            predict_by=self.predict_by,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
        )

    def _nystroem(self, random_state: int) -> NystroemSVC:
        return NystroemSVC(
            kernel=self.kernel_,
            multiclass=self.multiclass,
            reject_label=self.reject_label,
            decision_function_shape=self.decision_function_shape,
            predict_by=self.predict_by,
            memory_limit=self.memory_limit,
            random_state=random_state,
        )

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return self.classes_[y]

    def _sigmoids_of(self, held: Samples, decision: np.ndarray) -> tuple[np.ndarray, list[Finding]]:
        strategy = STRATEGIES[self.multiclass].machines
        return held_out_sigmoids(held, decision, len(self.classes_), strategy)

    def _held_out(self, y: np.ndarray, decision: np.ndarray, odds: Any) -> HeldOut:
        by_probability = self.predict_by == "probability"
        how = len(self.classes_), self.multiclass, by_probability, self._costs
        return held_out_classes(y, decision, odds, *how)

    def _settle_answers(self, judge: CrossValidator, choice: Choice) -> None:
        threshold, costs = self.threshold, self.costs
        if threshold == AUTO:
            found = choose_threshold(judge, choice)
            threshold, self.threshold_error_ = found.value, found.error
            judge.context.findings.extend(threshold_findings(found, self.classes_.tolist()[1]))
        if threshold is not None:
            self.threshold_, costs = float(threshold), costs_of_threshold(float(threshold))
        if costs is not None:
            self._costs = cost_matrix(costs, self.classes_, "TunedSVC")

    def _keep_machine(self, finished: Finished, prepared: Prepared) -> None:
        super()._keep_machine(finished, prepared)
        self.best_estimator_._costs = self._costs  # it answers as this model does

    @property
    def multiclass_(self) -> str:
        """Strategy of the last fit."""
        return self.best_estimator_.multiclass_

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """The score that ``scoring`` asks for, accuracy if that is None.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
        **params
            Further arguments of the scorer that ``scoring`` names.
        """
        if self.steering_ is None:
            return super().score(X, y, sample_weight, **params)
        return self._asked_score(X, y, {"sample_weight": sample_weight, **params})
