"""The support vector regression that chooses its own kernel, C and ε."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import skew
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.reading import as_numbers, read_samples
from kernelwise._core.sklearn_compat import ELSEWHERE, safe_indexing
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import MatrixLike, RowsLike
from kernelwise._core.validation import LARGE_TARGETS, is_dask
from kernelwise.conformal import conformal_quantile
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._parameters import OF_TUNED, check_enough, one_of
from kernelwise.estimators._routing import Routed
from kernelwise.estimators.blend_machine import BlendSVR
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.estimators.nystroem_machines import NystroemSVR
from kernelwise.estimators.svr import SVR, pinball_score
from kernelwise.estimators.tuned import Checked, TunedMachine
from kernelwise.exceptions import IncompatibleError
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel
from kernelwise.search import FitContext, Found, Regression, make_scorers
from kernelwise.tables import Table

#: Rows on which logarithms of targets are judged, at most and at least, and the skewness of a long tail.
MOST_ROWS, FEWEST_ROWS, LONG_TAIL = 1000, 30, 1.0
#: The share of the squared error that logarithms have to take away. Targets without relation to X lose by
#: them, and those that they suit win 7 % or more (18 tables, real and made); a long tail hides both in folds.
CLEARLY = 0.05


class TunedSVR(Exportable, RegressorMixin, TunedMachine):
    """Support vector regression that chooses its kernel, the kernel's parameters, C and ε from the data.

    The search scales features and targets. It finds a few promising kernel widths (one of them by the
    alignment of the kernel with the target), and scores each width, for many values of C, by
    cross-validation. From the best width it tries neighbouring widths as long as the score improves. It does
    this for several forms of kernel and for sums of them. With the best one it tries values of ε that follow
    the held-out error, and then trains the final model on all samples.

    Parameters
    ----------
    kernel : str, Kernel or list of them, default="auto"
        "auto" compares RBF and Laplacian kernels, each with one width and with a width for every feature, and
        two sums of both at several widths, without and with weights of the features. It chooses the better
        sum if its score is within one standard error of the best, otherwise the kernel with the best score. A
        list makes the search choose among its kernels (names or objects) and their sum. You can also pass a
        name of :data:`kernelwise.kernels.KERNELS`, or a kernel object to start from. With "precomputed", X is
        the Gram matrix. With "precomputed-distance", X is a matrix of distances D between samples: the search
        chooses γ of exp(−γD), and new samples are given by their distances from all training samples.
    criterion : {"auto", "cv-error", "kta", "centered-kta"} or TargetAlignment, default="auto"
        "auto" lets cross-validation choose, and uses alignment to find widths to start from. "cv-error" uses
        cross-validation alone. With an alignment ("kta", "centered-kta"), that criterion alone chooses the
        kernel, and cross-validation then chooses C and ε. The criteria of class separability do not work for
        numbers.
    search : str or Optimizer, default=None
        The optimizer of an alignment: a name of :data:`kernelwise.optimizers.OPTIMIZERS`, or an object. None
        means quasi-Newton.
    Cs : float or array, default=None
        Values of C to try, for standardised targets. None uses a range that depends on the kernel, and the
        search extends it while the best value is at its end.
    epsilons : float or array, default=None
        Values of ε to try with every kernel, in standard deviations of y. None starts with 0.1 and, once the
        kernel is chosen, tries shares of the held-out error.
    quantile : float or increasing list of floats, default=None
        With a number q between 0 and 1, the model predicts the q-quantile of y at each row, below which about
        a share q of the targets lies, and kernel and C are chosen by the held-out pinball loss. A list gives
        a prediction for each: one search chooses the kernel for all and C for each. Predictions of a row that
        cross are put in order, which only lowers their total loss. None predicts the usual value.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds of the cross-validation. "auto" means 5 folds below 500 rows, 3 below 1500, else 2. With "auto"
        or a number, the folds do not depend on the order of the rows (except for matrices), and hold out
        whole groups if ``fit`` gets ``groups``. A splitter or a list of pairs is also possible: its test
        parts may overlap or miss rows, and a fold may train on a part of the other rows only, as with
        TimeSeriesSplit, ShuffleSplit or GroupKFold.
    scoring : str, callable, list or dict, default=None
        The score to maximise. None means 1 − (mean squared held-out error) / (variance of y), which is R²
        with the variance of all targets instead of each fold's own. For a ``quantile``, None means D²: 1 −
        (mean held-out pinball loss) / (that of the best constant), averaged over several quantiles. If there
        are several scores, ``refit`` names the one to maximise, and ``cv_results_`` has all.
    refit : True, False, "one-standard-error", callable or the name of a score, default=True
        True trains the best candidate on all samples. "one-standard-error" trains the most regularised
        candidate whose score is within one standard error of the best. A callable gets ``cv_results_`` and
        returns the number of a row. False trains no final model.
    scale : {"standard", "robust", "minmax"}, transformer or None, default="standard"
        How to scale the features. The scaling is learned from all samples before the folds are drawn. Targets
        are always standardised.
    target_transform : {None, "log", "auto"}, default=None
        "log" trains on logarithms of the targets, which suits positive numbers with a long tail, such as
        prices. Predictions and scores are in the units of y. Targets must not be negative; if some are zero,
        1 is added to all of them first. "auto" does so if the targets have a long tail and an RBF model of at
        most 1000 rows is clearly better for it: if its squared error on held-out rows is 5 % less.
    categorical_features : "from_dtype", None, or array of names, indices or booleans, default="from_dtype"
        Which columns hold words: as in `TunedSVC`.
    tol, max_iter : float, int
        As in `SVC`, for standardised targets. Models of the search are trained to ten times ``tol``.
    solver : {"auto", "exact", "nystroem"}, default="auto"
        How to train the final model. "nystroem" trains `NystroemSVR` with the chosen kernel and ε, in time
        that grows like n; it chooses its own C, for the squared ε-insensitive loss. "auto" is "exact" up to
        50 000 distinct rows. For more rows it compares both models on a sample, and takes the exact one, of a
        part of the rows and maybe with a smaller C, where that is better. A finding in ``diagnostics_`` has
        the scores. Quantiles always have the exact one.
    effort : {"fast", "normal", "best"}, default="normal"
        How hard to search. "fast" looks at 1500 rows at most instead of 2000, and tries no kernels with
        weights of features, and does not blend. "best" looks at 5000 rows, scores all forms of kernel on
        all of them, and uses five folds at least; it takes up to ten times as long. What you set yourself
        (``kernel``, ``cv``, ``time_budget``) wins. ``docs/cost.md`` has the cost and the gain of each level.
    blend : "auto", True or False, default="auto"
        Whether the final model is a blend of several settings that the search has scored, in place of the
        best one: the mean of their predictions. Each is trained on all rows, and together they are one model
        with several kernels, so that everything works as with one. ``result_.members`` lists the settings;
        ``kernel_``, ``C_`` and ``best_params_`` are still those of the single best one. "auto" blends if
        you name neither a kernel nor a criterion, unless ``effort="fast"``. See ``docs/guide/blends.md``.
    time_budget : float, default=None
        Time in seconds after which the search starts nothing new. The final model is then trained on as many
        rows as the remaining time allows. A warning and ``diagnostics_`` tell what was skipped.
    memory_limit : float, default=2048
        Memory in MiB that `fit` and `predict` take, beside the data and within a fifth. It decides how a
        model is computed. Only a limit below the default may also let the search look at fewer rows; a
        finding says so.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.
    backend : {None, "dask"}, default=None
        Where the cross-validation runs: here, in ``n_jobs`` threads, or on dask's current scheduler or
        cluster. The result is the same. "dask" needs the extra ``dask``.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the samples drawn from more than 2000 rows.
    verbose : int, default=0
        If positive, print a line to standard error for every kernel that is scored, with its score as in
        ``cv_results_``, and one for the model, with ``best_score_``.

    Attributes
    ----------
    kernel_ : Kernel or "precomputed"
        The chosen kernel, for scaled features.
    C_, epsilon_ : float
        C and ε of the model, for standardised targets; C as in `TunedSVC`, and ε is None for quantiles. Of
        several quantiles, C is the best one for all together, and ``best_estimator_.C`` has those of each.
    target_mean_, target_scale_ : float
        Mean and standard deviation of y (1 if y is constant), which standardise the targets; with a
        ``target_transform``, those of the logarithms.
    target_offset_ : float or None
        What was added to the targets before the logarithm; None without one.
    best_score_ : float
        The score of the model on rows that folds held out, ``result_.score``: all that quotes a score of the
        model has this number. It is the best of many and so a little too high; ``result_.corrected_score``
        corrects for that.
    best_index_, best_params_, cv_results_, n_splits_, refit_time_, scorer_
        As in GridSearchCV. ``cv_results_`` also has the columns ``smoothed_test_score``, the means over
        neighbouring values of C that the search compared, and ``reason``.
        The kernel in ``best_params_`` is a dict, so that JSON can hold it: ``kernel`` of every estimator, and
        :func:`kernelwise.kernels.as_kernel`, take it for the kernel. ``cv_results_`` has objects.
    criterion_path_ : dict from str to ndarray
        The alignment over the widths, or the history of its search.
    diagnostics_ : tuple of Finding
        What you should know about the data and the model; warnings are among them.
    n_svm_fits_ : int
        Number of support vector machines trained, including the final one.
    result_ : SelectionResult
        The whole result; ``result_.why`` has the reasons of the choice.
    best_estimator_ : SVR or NystroemSVR
        The final model, for scaled features and standardised targets.
    scaler_ : transformer or None
        The fitted scaling of the features.
    training_range_ : ndarray of shape (3, n_features)
        Smallest, median and largest value of each feature, after words and gaps were coded, in dense training
        samples; `unlike` goes by them.
    encoder_ : Encoder
        Turns words and gaps into features; it exists only if the samples have some.
        ``encoder_.feature_names`` are the names of these features, and ``encoder_.read(X)`` returns the
        features of new samples.
    relevance_ : ndarray of shape (n_features,)
        The share of each feature in the distances, if the chosen kernel has a weight for every feature, as in
        `TunedSVC`.
    metric_ : ndarray of shape (n_features, n_features)
        For learned metrics: Q of exp(−½ (x − y)ᵀ Q (x − y)), in the units of X.
    steering_ : object
        The score that the search maximises: ``scoring``, or the one of several that ``refit`` names.
    fit_record_ : FitRecord or None
        Predictions for held-out rows and other facts that a report shows; None with ``refit=False``.
    target_name_ : str or None
        The name of the column that is predicted, if it has one.
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **OF_TUNED,
        "epsilons": ELSEWHERE,
        "quantile": ELSEWHERE,
        "target_transform": [None, *one_of(("log", "auto"))],
    }

    @explains_missing("SVR")
    def __init__(
        self,
        kernel: Any = "auto",
        *,
        criterion: Any = "auto",
        search: Any = None,
        Cs: Any = None,
        epsilons: Any = None,
        quantile: Any = None,
        cv: Any = "auto",
        scoring: Any = None,
        refit: Any = True,
        scale: Any = "standard",
        target_transform: str | None = None,
        categorical_features: Any = "from_dtype",
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: str = "auto",
        effort: str = "normal",
        blend: bool | str = "auto",
        time_budget: float | None = None,
        memory_limit: float = MEMORY_LIMIT,
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
        self.quantile = quantile
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.scale = scale
        self.target_transform = target_transform
        self.categorical_features = categorical_features
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.effort = effort
        self.blend = blend
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    # -- fitting ------------------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **params: Any) -> Self:
        """Choose the kernel, C and ε, and train the final model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
            A dask array or dataframe is also possible. Up to 50 000 rows, the result is the same as for rows
            in memory. With more rows, scaling and cross-validation use a sample of 50 000 rows, while the
            final model, an approximation (Nyström), uses all rows, chunk by chunk.
        y : array of shape (n_samples,)
            Targets.
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        groups : array of shape (n_samples,), default=None
            Groups of rows, for the splitter ``cv``. If ``cv`` is "auto" or a number, the folds hold out whole
            groups.
        **params
            Further metadata for the splitter or the scorer, if metadata routing of scikit-learn is enabled.
        """
        routed = self._route(sample_weight, groups, params)
        Regression().criterion(self.criterion)  # refused before anything is computed
        if is_dask(X):
            from kernelwise.distributed.fit import fit_on_chunks

            if self.target_transform is not None:
                raise IncompatibleError(
                    "'target_transform' of TunedSVR needs rows in memory. Pass a numpy array, or logarithms."
                )
            if self.quantile is not None:
                raise IncompatibleError("'quantile' of TunedSVR needs rows in memory. Pass a numpy array.")
            return fit_on_chunks(self, X, y, sample_weight, routed)
        return self._fit(X, y, sample_weight, routed=routed)

    def _check(self, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Checked:
        me = "TunedSVR"
        self._family()  # whose values of ε are refused before anything is read
        how = {"y_numeric": True, "ensure_min_samples": 2, **self._input()}
        features, y = read_samples(self, X, as_numbers(cast(ArrayLike, y)), **how)
        targets = np.asarray(y, dtype=np.float64)
        weight = weights_of_samples(sample_weight, len(targets))
        check_enough(weight[weight > 0], self.cv, me)
        self.target_offset_ = self._offset(targets[weight > 0])
        if self.target_offset_ is not None:
            # Rows of weight zero count nothing, and may have any target.
            lowest = targets[weight > 0].min()
            targets = np.log(np.maximum(targets, lowest) + self.target_offset_)
        # Rows are the same only if their targets are, too.
        return Checked(features, targets, np.unique(targets, return_inverse=True)[1], weight)

    def _family(self) -> Regression:
        offset = getattr(self, "target_offset_", None)
        if self.quantile is not None and self.solver == "nystroem":
            raise IncompatibleError(
                "TunedSVR has no Nyström model of a quantile. Use solver='exact', with a 'time_budget' if "
                "there are many rows."
            )
        return Regression.at(self.epsilons, self.steering_, "TunedSVR", offset, self.quantile)

    def _fit(
        self,
        X: RowsLike,
        y: ArrayLike | None,
        sample_weight: ArrayLike | None,
        context: FitContext | None = None,
        routed: Routed | None = None,
    ) -> Self:
        self._takes_logarithms = self.target_transform == "log"
        if self.target_transform == "auto" and not self._is_gram():
            assert y is not None
            self._takes_logarithms = logarithm_finding(self, X, y) is not None
        return super()._fit(X, y, sample_weight, context, routed)

    def _offset(self, y: np.ndarray) -> float | None:
        """What is added to targets before the logarithm; None if there is none."""
        if not getattr(self, "_takes_logarithms", False):
            return None
        lowest = float(y.min())
        if lowest < 0.0:
            raise ValueError(
                f"target_transform='log' of TunedSVR needs targets that are not negative, but the lowest is "
                f"{lowest:g}. Use target_transform=None."
            )
        return 0.0 if lowest > 0.0 else 1.0

    def _scorer_of(self, scoring: Any) -> Any:
        return make_scorers(SVR(), scoring, "TunedSVR")

    def _machine(self, kernel: Kernel | str, C: Any, epsilon: float | None) -> SVR:
        own: dict[str, Any] = {"epsilon": epsilon}
        if self.quantile is not None:
            own = {"loss": "pinball", "quantile": self.quantile}
        return SVR(
            kernel,
            C=C,
            **own,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
        )

    def _blend(self, machines: list[SVR], maps: np.ndarray) -> BlendSVR:
        return BlendSVR(machines, maps)

    def _nystroem(self, kernel: Kernel, C: float, epsilon: float | None, random_state: int) -> NystroemSVR:
        assert epsilon is not None
        return NystroemSVR(kernel, epsilon=epsilon, memory_limit=self.memory_limit, random_state=random_state)

    def _keep_choice(self, found: Found) -> None:
        """Keep ε, what undoes the scaling of targets, and the learned metric."""
        family = found.validator.family
        assert isinstance(family, Regression)
        self.target_mean_, self.target_scale_ = family.mean, family.deviation
        self.epsilon_ = found.choice.scored.epsilon
        super()._keep_choice(found)

    # -- predicting ---------------------------------------------------------------------------------------
    def predict(self, X: Any) -> np.ndarray:
        """Return predictions in the units of y, of shape (n_samples,).

        A list of quantiles has predictions of shape (n_samples, n_quantiles), in increasing order.
        """
        values = self.machine_values(X)  # which says so where there is no machine
        values = np.sort(values, axis=1) if self._has_many() else values.ravel()
        return self._trained_family().in_units(values)

    def _trained_family(self) -> Regression:
        """What standardised the targets."""
        offset = getattr(self, "target_offset_", None)  # which models of earlier versions do not have
        return Regression(mean=self.target_mean_, deviation=self.target_scale_, offset=offset)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """Return intervals in the units of y that contain the targets of that share of new samples.

        An interval is the prediction plus and minus a multiple of the spread, which says how far predictions
        are off near the sample. The multiple is the one that covers this share of the rows which the folds
        of the search held out (conformal prediction), so that the coverage holds whatever the noise is like.
        ``fit_record_.holds_for`` says for which new samples it holds: with ``groups`` in `fit`, for those of
        new groups. It is a share of all samples, and not of every kind of them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        coverage : float, default=0.9
            Between 0 and 1. It needs coverage/(1 − coverage) held-out rows at least.

        Returns
        -------
        intervals : ndarray of shape (n_samples, 2)
            Lower and upper ends.
        """
        limit, family = self._spreads_within(coverage), self._trained_family()
        Z = self.machine_samples(X)
        assert self._spread is not None
        with one_blas_thread(leaves_cores=True):
            values = family.not_negative(self.best_estimator_.machine_values(Z).ravel())
            reach = limit * self._spread(Z, values)
        return family.in_units(np.stack([values - reach, values + reach], axis=1))

    def _spreads_within(self, coverage: float) -> float:
        """How many spreads from its prediction that share of held-out rows is, at most."""
        if getattr(self, "quantile", None) is not None:
            raise IncompatibleError(
                "Intervals need a model of the typical target, but this TunedSVR predicts quantiles. Fit "
                "with quantile=None, or use two quantiles as the ends, such as quantile=[0.05, 0.95]."
            )
        record, family = self._held_out(coverage), self._trained_family()
        errors = np.abs(family.standardised(record.truth) - family.standardised(record.predicted))
        return conformal_quantile(errors / record.spread, record.weight, coverage, record.times)

    def _has_many(self) -> bool:
        """Whether there is a list of quantiles."""
        quantile: Any = getattr(self, "quantile", None)  # which models of earlier versions do not have
        return np.ndim(quantile) > 0

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """Return the score that ``scoring`` names; R² if ``scoring`` is None.

        Of a quantile, that is D² of the pinball loss (`sklearn.metrics.d2_pinball_score`), and of several
        quantiles the mean of theirs.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
        **params
            Further arguments of the scorer.
        """
        if self.steering_ is None:
            predicted, scale = self.predict(X), self.target_scale_
            if (
                getattr(self, "target_offset_", None) is None
                and not 1.0 / LARGE_TARGETS < scale < LARGE_TARGETS
            ):  # R² has no unit, but its squares overflow
                y, predicted = np.asarray(as_numbers(y), dtype=float) / scale, predicted / scale
            if self.quantile is not None:
                return pinball_score(y, predicted, self.quantile, sample_weight)
            return float(r2_score(y, predicted, sample_weight=sample_weight))
        return self._asked_score(X, y, {"sample_weight": sample_weight, **params})


def logarithm_finding(model: TunedSVR, X: RowsLike, y: ArrayLike) -> Finding | None:
    """What to say of targets whose logarithms an RBF model predicts clearly better; None of others.

    The model is tuned twice on the same folds of at most `MOST_ROWS` rows, for targets that are not negative
    and have a long tail, and both are scored by R² (D² of a quantile) in the units of y.
    """
    values = np.asarray(as_numbers(y), dtype=float)
    if len(values) < FEWEST_ROWS or not values.min() >= 0.0 or not skew(values) > LONG_TAIL:
        return None
    rows = np.sort(np.random.default_rng(0).permutation(len(values))[:MOST_ROWS])
    part = X[rows] if isinstance(X, Table) else safe_indexing(X, rows)
    results = []
    for transform in (None, "log"):
        one = TunedSVR(
            "rbf",
            scale=model.scale,
            quantile=model.quantile,
            target_transform=transform,
            categorical_features=model.categorical_features,
            n_jobs=model.n_jobs,
            random_state=model.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a model that nobody gets
            results.append(one.fit(part, values[rows]).result_)
    plain, of_logarithms = (result.score for result in results)
    if not of_logarithms - plain > CLEARLY * (1.0 - plain):
        return None
    measure = "R²" if model.quantile is None else "D²"
    return catalogue.LOGARITHM_HELPS(n_rows=len(rows), score=of_logarithms, plain=plain, measure=measure)
