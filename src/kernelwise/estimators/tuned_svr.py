"""The support vector regression that chooses its own kernel, C and ε."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from kernelwise._core.constraints import ELSEWHERE
from kernelwise._core.labels import weights_of_samples
from kernelwise._core.reading import as_numbers, read_samples
from kernelwise._core.validation import LARGE_TARGETS, is_dask
from kernelwise.estimators._chosen import says_what_it_chooses
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._finish import check_solver
from kernelwise.estimators._parameters import OF_TUNED
from kernelwise.estimators.fit_record import HeldOut
from kernelwise.estimators.nystroem_svr import NystroemSVR
from kernelwise.estimators.svr import SVR
from kernelwise.estimators.tuned import Checked, TunedMachine
from kernelwise.findings import Finding
from kernelwise.search.cross_validate import CrossValidator
from kernelwise.search.families import Regression
from kernelwise.search.held_out_answers import NumberAnswers
from kernelwise.search.held_out_scorer import HeldOutScorer
from kernelwise.search.result import Choice
from kernelwise.search.samples import Samples
from kernelwise.search.scoring import PathScorer, one_scorer
from kernelwise.search.settings import check_backend, check_enough, values_of_epsilon


class TunedSVR(Exportable, RegressorMixin, TunedMachine):
    """Support vector regression that chooses its kernel, the kernel's parameters, C and ε from the data.

    Features and targets are scaled, a few kernel widths are named (one of them by the alignment of the kernel
    with the target), each is scored for a path of values of C by cross-validation on one set of folds, and
    neighbouring widths are tried uphill from the best. That is done for several forms of kernel, and sums of
    them are scored; values of ε that follow the held-out error are tried with the winner, which is then
    trained on all samples.

    Parameters
    ----------
    kernel : str, Kernel or list of them, default="auto"
        "auto" chooses among RBF and Laplacian kernels, each with one width and with a width for every
        feature, and two sums of both at several widths, plain and with weights of the features: the better
        sum, if it is within one standard error of the best score, else the best.
        A list is a choice among its kernels (names or objects) and their sum. Otherwise a name of
        :data:`kernelwise.kernels.KERNELS`, a kernel object to start from, "precomputed" if X is the
        Gram matrix, or "precomputed-distance" if X is a matrix of distances D between samples: then γ of
        exp(−γD) is chosen, and new samples are given by their distances from all training samples.
    criterion : {"auto", "cv-error", "kta", "centered-kta"} or TargetAlignment, default="auto"
        "auto" lets cross-validation choose, from starts that alignment helps to find; "cv-error" is
        cross-validation alone, uphill from the start from the data. The alignments choose the kernel alone;
        cross-validation then chooses C and ε. Class separability has no meaning here.
    search : str or Optimizer, default=None
        For an alignment: a name of :data:`kernelwise.optimizers.OPTIMIZERS` or an object; None is
        quasi-Newton.
    Cs : array, default=None
        Values of C to try, for standardised targets. None is a range that follows the kernel and goes on
        beyond an end at which the best is.
    epsilons : float or array, default=None
        Values of ε to try with every kernel, in standard deviations of y. None is 0.1 at first, then, with
        the kernel chosen, shares of the held-out error.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds; "auto" is 5 below 500 rows, 3 below 1500, else 2. Folds drawn here depend on the rows, not on
        their order (except for matrices), and hold out whole groups if ``fit`` is given ``groups``. A
        splitter or pairs may be any: test parts may overlap or miss rows, and a fold may train on some of the
        rest only, as with TimeSeriesSplit, ShuffleSplit or GroupKFold.
    scoring : str, callable, list or dict, default=None
        What is maximised; of several, ``refit`` names it, and ``cv_results_`` has all. None is 1 − (mean
        squared held-out error) / (variance of y), which is R² with the variance of all targets in place of
        each fold's own.
    refit : True, False, "one-standard-error", callable or the name of a score, default=True
        True trains the best candidate; "one-standard-error" the most regularised one within one standard
        error of it; a callable is given ``cv_results_`` and returns a row. False trains none.
    scale : {"standard", "robust", "minmax"}, transformer or None, default="standard"
        Scaling of the features, learned from all samples before the folds are drawn. Targets are always
        standardised.
    categorical_features : "from_dtype", None, or array of names, indices or booleans, default="from_dtype"
        Which columns hold words: as in `TunedSVC`.
    tol, max_iter : float, int
        As in `SVC`, for standardised targets. Machines of the search are trained to ten times ``tol``.
    solver : {"auto", "exact", "nystroem"}, default="auto"
        Of the final machine. "nystroem" is `NystroemSVR` with the chosen kernel and ε, whose time grows like
        n; it chooses a C of its own, that of the squared ε-insensitive loss. "auto" takes it for more than
        50 000 distinct rows or, if there is a time budget, where an exact machine would exceed it (never up
        to 5000 rows). A finding in ``diagnostics_`` says so, with scores of both machines on a sample.
    time_budget : float, default=None
        Seconds after which nothing new is begun; the final machine is trained on as many rows as the time
        left allows. What was skipped is said in a warning and in ``diagnostics_``.
    memory_limit : float, default=4096
        MiB for kernel values of the final machine.
    n_jobs : int, default=None
        Threads; results do not depend on it.
    backend : {None, "dask"}, default=None
        Where the paths of C of the cross-validation are run: here, in ``n_jobs`` threads, or on dask's
        current scheduler or cluster. Same kernel, C and ε. Needs the extra ``dask``.
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
    best_estimator_ : SVR or NystroemSVR
        The machine, on scaled features and for standardised targets.
    scaler_ : transformer or None
    encoder_ : Encoder
        How words and gaps became features; only if the samples have some. ``encoder_.feature_names`` are the
        names of these features, and ``encoder_.read(X)`` returns those of new samples.
    relevance_ : ndarray of shape (n_features,)
        If features have weights: the share of each in the distances, as in `TunedSVC`.
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {**OF_TUNED, "epsilons": ELSEWHERE}

    @says_what_it_chooses("SVR")
    def __init__(
        self,
        kernel: Any = "auto",
        *,
        criterion: Any = "auto",
        search: Any = None,
        Cs: Any = None,
        epsilons: Any = None,
        cv: Any = "auto",
        scoring: Any = None,
        refit: Any = True,
        scale: Any = "standard",
        categorical_features: Any = "from_dtype",
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: str = "auto",
        time_budget: float | None = None,
        memory_limit: float = 4096,
        n_jobs: int | None = None,
        backend: str | None = None,
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
        self.categorical_features = categorical_features
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **params: Any) -> Self:
        """Choose kernel, C and ε, and train.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
            Or a dask array or dataframe. Up to 50 000 rows it is as if they were in memory. Of more, a sample
            of so many comes here for scaling and cross-validation, and the final machine, a Nyström machine,
            takes its sums over all chunks, where they are.
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
        Regression().criterion(self.criterion)  # refused before anything is computed
        if is_dask(X):
            from kernelwise.distributed.fit import fit_on_chunks

            return fit_on_chunks(self, X, y, sample_weight, routed)
        return self._fit(X, y, sample_weight, routed=routed)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> Checked:
        me = "TunedSVR"
        values_of_epsilon(self.epsilons, me)
        check_solver(self.solver, self._is_gram(), me)
        check_backend(self.backend, me)
        X, y = read_samples(self, X, as_numbers(y), y_numeric=True, ensure_min_samples=2, **self._input())
        y = np.asarray(y, dtype=np.float64)
        weight = weights_of_samples(sample_weight, len(y))
        check_enough(weight[weight > 0], self.cv, me)
        # Rows are the same only if their targets are, too.
        return Checked(X, y, np.unique(y, return_inverse=True)[1], weight)

    def _family(self, y: np.ndarray, weight: np.ndarray) -> Regression:
        family = Regression.of(y, weight, values_of_epsilon(self.epsilons, "TunedSVR"), self.steering_)
        self.target_mean_, self.target_scale_ = family.mean, family.deviation
        return family

    def _scorer(
        self, X: Any, samples: Samples, family: Regression, scoring: Any
    ) -> tuple[Regression, HeldOutScorer]:
        answers = NumberAnswers(family.mean, family.deviation)
        path_scorer = PathScorer(one_scorer(SVR(), scoring, "TunedSVR"), scoring, answers)
        of_rows = X, samples.y, samples.weight
        return family, HeldOutScorer(path_scorer, *of_rows, classes=np.empty(0), is_share=False)

    def _describe(self, judge: CrossValidator, choice: Choice) -> None:
        """Keep ε, and the learned metric."""
        assert choice.scored.epsilon is not None
        self.epsilon_ = choice.scored.epsilon
        super()._describe(judge, choice)

    def _scoring(self) -> Any:
        return one_scorer(SVR(), self.steering_, "TunedSVR")

    def _machine(self) -> SVR:
        return SVR(
            self.kernel_,
            C=self.C_,
            epsilon=self.epsilon_,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
        )

    def _nystroem(self, random_state: int) -> NystroemSVR:
        return NystroemSVR(
            self.kernel_,
            epsilon=self.epsilon_,
            memory_limit=self.memory_limit,
            random_state=random_state,
        )

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return y

    def _sigmoids_of(self, held: Samples, decision: np.ndarray) -> tuple[None, list[Finding]]:
        return None, []

    def _held_out(self, y: np.ndarray, decision: np.ndarray, odds: Any) -> HeldOut:
        predicted = self._own_units(decision[:, 0].astype(float))
        return HeldOut(self._own_units(y), predicted, np.empty(0))

    def _own_units(self, target: np.ndarray) -> np.ndarray:
        return self.target_mean_ + self.target_scale_ * target

    # -- predicting ---------------------------------------------------------------------------------------
    def predict(self, X: Any) -> np.ndarray:
        """Predictions in the units of y, of shape (n_samples,)."""
        return self._own_units(self.machine_values(X).ravel())

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """The score that ``scoring`` asks for, R² if that is None.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
        **params
            Further arguments of the scorer that ``scoring`` names.
        """
        if self.steering_ is None:
            predicted, scale = self.predict(X), self.target_scale_
            if not 1.0 / LARGE_TARGETS < scale < LARGE_TARGETS:  # R² has no unit, but its squares overflow
                y, predicted = np.asarray(as_numbers(y), dtype=float) / scale, predicted / scale
            return float(r2_score(y, predicted, sample_weight=sample_weight))
        return self._asked_score(X, y, {"sample_weight": sample_weight, **params})
