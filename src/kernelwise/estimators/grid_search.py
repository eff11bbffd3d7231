"""Grid search over kernels and C from shared Gram matrices."""

from __future__ import annotations

import numbers
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.pipeline import make_pipeline
from sklearn.utils import Tags, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.labels import check_are_classes, encode_labels, none_if_ones, positive_weights
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.reading import check_one_per_sample, check_table, read_samples
from kernelwise._core.threads import number_of_threads, one_blas_thread
from kernelwise._core.typing import ClassWeight, MatrixLike, ScaleLike
from kernelwise._core.validation import check_distances, check_gram, check_range, check_samples
from kernelwise.estimators._grid import USED, Job, check_grid, group_candidates, plan_blocks, run, tabulate
from kernelwise.estimators._parameters import OF_GRID
from kernelwise.estimators._routing import route_fit, route_score, router
from kernelwise.estimators.kernel_argument import KernelFunction, is_precomputed, takes_distances
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.estimators.svc import SVC
from kernelwise.kernels import KernelLike
from kernelwise.multiclass import check_strategy, choose_reject_label
from kernelwise.search import (
    ClassAnswers,
    Classification,
    PathScorer,
    as_scaler,
    check_kind_of_folds,
    cv_results,
    fit_transformer,
    make_scorers,
    read_splits,
)

#: The grid of LIBSVM's grid.py, used where none is given.
DEFAULT_CS = (2.0 ** np.arange(-5, 16, 2)).tolist()
DEFAULT_GAMMAS = (2.0 ** np.arange(-15, 4, 2)).tolist()


class GridSearchSVC(ClassifierMixin, BaseEstimator):
    """Grid search over SVC with the result of ``GridSearchCV(SVC(), param_grid)``, in less time.

    Folds, candidates, their order and ``cv_results_`` are those of scikit-learn's GridSearchCV. The search is
    faster because it computes squared distances (or inner products) once, a Gram matrix once for each kernel,
    and solves candidates that differ only in C one after the other, each from the solution of the one before.
    It trains on copies of a row with one label as on one row with the sum of their weights, which has the
    same solution.

    A score may differ by a sample whose decision value is within the solver's tolerance of zero. It may
    differ by more where all coefficients are at their bounds, as with ``class_weight="balanced"`` and a small
    C. Any intercept of an interval is then optimal. This class uses the middle of the interval, which is
    LIBSVM's own rule; LIBSVM uses an end of it where rounding leaves a coefficient slightly off its bound
    (``python -m benchmarks.grid_agrees`` counts these cases).

    Parameters
    ----------
    param_grid : dict or list of dict, default=None
        Lists of values for some of ``C``, ``gamma``, ``kernel``, ``degree``, ``coef0`` and ``class_weight``,
        with the meaning that they have in `SVC`. ``gamma="scale"`` and ``class_weight="balanced"`` use the
        training part of each fold. A Kernel object as ``kernel`` ignores the other kernel parameters. None
        means ``kernels`` × ``Cs`` or, without these, LIBSVM's grid: log₂C = -5, -3, …, 15 and log₂γ = -15,
        -13, …, 3.
    kernel : str, Kernel or callable, default="rbf"
        The kernel of candidates that do not name one. With "precomputed", X is the Gram matrix; with
        "precomputed-distance", it is the matrix of distances.
    kernels, Cs : list, default=None
        Another way to write ``param_grid={"kernel": kernels, "C": Cs}``.
    scaler : {"standard", "minmax"} or transformer, default=None
        How to scale the features before the kernel; None does not scale them. With a scaler,
        ``best_estimator_`` is a Pipeline of the scaler and an `SVC`, and ``best_params_`` keeps the names of
        the SVC's parameters.
    scaling : {"per-fold", "shared"}, default="per-fold"
        "per-fold" fits the scaler to the training part of each fold, as ``GridSearchCV(make_pipeline(scaler,
        SVC()))`` does: the test parts have no influence on it, and distances are computed once for each fold.
        "shared" fits one scaler to all of X. Distances are then computed only once, but the scaler knows the
        test parts, so the scores are slightly biased.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
        As in `SVC`. A sample that "ovo-reject" rejects counts as wrong.
    reject_label : object, default=None
        As in `SVC`.
    class_weight : dict or "balanced", default=None
        The class weights of candidates that do not name any.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        As in `SVC`.
    tol, max_iter : float, int
        As in `SVC`.
    cv : int, splitter or iterable of (train, test), default=None
        As in GridSearchCV: None means five stratified folds.
    scoring : str, callable, list, tuple or dict, default=None
        As in GridSearchCV; None means accuracy. Scorers get labels and decision values, not probabilities.
        "accuracy", "balanced_accuracy" and "roc_auc" of two classes take almost no time; any other scorer is
        called whenever its result may change with C.
    refit : bool, str or callable, default=True
        As in GridSearchCV.
    n_jobs : int, default=None
        Number of threads, under every backend of joblib. Results do not depend on it.
    error_score : float or "raise", default=nan
        The score of a fold that cannot be trained, for example because its training part has only one class.
    return_train_score : bool, default=False
        Whether to compute training scores, which takes several times as long.
    verbose : int, default=0
        If positive, print a line to standard error for each finished kernel.
    memory_limit : float, default=2048
        Memory for n × n matrices, in MiB. The search uses fewer threads, but at least one, to stay below it.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        As in `SVC`, for all candidates.

    Attributes
    ----------
    cv_results_ : dict
        As in GridSearchCV. The candidates of a path over C share its time equally.
    best_estimator_, best_score_, best_params_, best_index_, scorer_, n_splits_, refit_time_, multimetric_
        As in GridSearchCV.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : ndarray of shape (n_machines,)
        Number of steps of each two-class model of the final fit.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import GridSearchSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchSVC({"gamma": [0.01, 0.1, 1.0], "C": [1.0, 10.0, 100.0]}).fit(X, y)
    >>> search.best_params_
    {'C': 1.0, 'gamma': 0.1}
    """

    #: Groups are for the splitter, and it says whether it asks for them.
    __metadata_request__fit: ClassVar = {"groups": UNUSED}

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_GRID

    @explains_missing()
    def __init__(
        self,
        param_grid: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        *,
        kernel: KernelLike | KernelFunction = "rbf",
        kernels: Sequence[KernelLike | KernelFunction] | None = None,
        Cs: Sequence[float] | None = None,
        scaler: ScaleLike = None,
        scaling: str = "per-fold",
        multiclass: str = "ovo",
        reject_label: object = None,
        class_weight: ClassWeight = None,
        decision_function_shape: str = "ovr",
        tol: float = 1e-3,
        max_iter: int = -1,
        cv: Any = None,
        scoring: Any = None,
        refit: bool | str | Callable[[dict[str, Any]], int] = True,
        n_jobs: int | None = None,
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        verbose: int = 0,
        memory_limit: float = MEMORY_LIMIT,
        loss: str = "hinge",
    ) -> None:
        self.param_grid = param_grid
        self.kernel = kernel
        self.kernels = kernels
        self.Cs = Cs
        self.scaler = scaler
        self.scaling = scaling
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.tol = tol
        self.max_iter = max_iter
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.n_jobs = n_jobs
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.verbose = verbose
        self.memory_limit = memory_limit
        self.loss = loss

    @one_blas_thread(leaves_cores=True)
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Score every candidate on every fold, and train the best one on all samples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row: for the models, for the scaler and the scorers if
            they accept weights, for ``gamma="scale"`` and for ``class_weight="balanced"``. GridSearchCV
            ignores weights in the scaler and in the last two; to get its result, pass numbers and scaled
            samples.
        groups : array of shape (n_samples,), default=None
            Groups of rows, for the splitter ``cv``.
        **params
            Further metadata for the splitter or the scorers, if metadata routing of scikit-learn is enabled.
        """
        self._validate_params()
        routed = route_fit(self, sample_weight, groups, params, self._scorers)
        grid = check_grid(self._grid())
        self._check_settings()
        candidates = list(ParameterGrid(grid))
        kinds = group_candidates(candidates, self.kernel, self.class_weight)
        self.scorer_ = make_scorers(SVC(), self.scoring, "GridSearchSVC")
        if isinstance(self.scorer_, dict):
            self._check_refit(self.scorer_)

        check_table(X, "X")
        check_one_per_sample(y)
        samples, _ = indexable(X, y)
        tags = self.__sklearn_tags__().input_tags
        accept = "csr" if tags.sparse else False
        Z, labels = read_samples(self, X, y, accept_sparse=accept, dtype=np.float64)
        labels = column_or_1d(labels, warn=True)
        check_are_classes(labels)
        self.classes_, index = encode_labels(labels)
        weight = positive_weights(sample_weight, index, self.classes_)
        splits = read_splits(self.cv, samples, labels, weight, "GridSearchSVC", routed.split)
        self.n_splits_ = len(splits)

        scaler = self._scaler()
        if tags.pairwise:
            Z = (check_distances if takes_distances(self._kernels()[0]) else check_gram)(Z)
        else:
            check_range(Z)
        if scaler is not None and self.scaling == "shared":
            shared = fit_transformer(clone(scaler), Z, labels, none_if_ones(weight))
            Z, scaler = check_samples(shared.transform(Z)), None
        blocks = plan_blocks(Z, index, weight, splits, scaler, self.return_train_score, tags.pairwise)
        given = None if sample_weight is None else weight
        job = self._job(samples, labels, splits, given, routed.score)
        cells = list(run(job, kinds, blocks, number_of_threads(self.n_jobs), self.memory_limit, self.verbose))
        self.cv_results_ = cv_results(candidates, *tabulate(cells, kinds, len(splits), self.error_score))
        self._choose(samples, labels, given)
        return self

    def _job(
        self,
        samples: MatrixLike,
        y: np.ndarray,
        splits: list[tuple[np.ndarray, np.ndarray]],
        weight: np.ndarray | None,
        routed: dict[str, dict[str, Any]] | None,
    ) -> Job:
        reject_label = choose_reject_label(self.reject_label, self.classes_, self.multiclass, "GridSearchSVC")
        answers = ClassAnswers(self.multiclass, self.decision_function_shape, reject_label)
        scorer = PathScorer(self.scorer_, self.scoring, answers, self.error_score)
        weights = {}
        if weight is not None and routed is None:
            weights = dict.fromkeys(scorer.weighted(), weight)
        return Job(
            samples=samples,
            y=y,
            classes=self.classes_,
            splits=splits,
            scorer=scorer,
            score_weights=weights,
            metadata={} if routed is None else routed,
            family=Classification(self.classes_, self.multiclass, loss=self.loss),
            settings={"tol": self.tol, "max_iter": self.max_iter},
            with_train=self.return_train_score,
            error_score=self.error_score,
        )

    def _scorers(self) -> dict[str, Any]:
        """Scorers that metadata may go to, by name; none for accuracy, the default."""
        if self.scoring is None:
            return {}
        found = make_scorers(SVC(), self.scoring, "GridSearchSVC")
        return found if isinstance(found, dict) else {"score": found}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata goes where, as scikit-learn asks: ``groups`` to ``cv``, weights to ``scoring``."""
        return router(self, check_cv(self.cv, classifier=True), self._scorers())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        scaler = self._scaler()
        tags.input_tags.pairwise = all(map(is_precomputed, self._kernels()))
        tags.input_tags.sparse = not tags.input_tags.pairwise and (
            scaler is None or get_tags(scaler).input_tags.sparse
        )
        return tags

    def _grid(self) -> Any:
        """What ParameterGrid takes."""
        if self.param_grid is not None:
            return self.param_grid
        grid: dict[str, Any] = {"C": DEFAULT_CS if self.Cs is None else self.Cs}
        if self.kernels is not None:
            grid["kernel"] = self.kernels
        elif isinstance(self.kernel, str) and self.kernel in USED:
            grid["gamma"] = DEFAULT_GAMMAS
        return grid

    def _kernels(self) -> list[Any]:
        """The kernels of the grid."""
        grid = self._grid()
        grids = [grid] if isinstance(grid, dict) else grid
        return [kernel for part in grids for kernel in part.get("kernel", [self.kernel])]

    def _check_settings(self) -> None:
        """Raise unless the settings go together: two grids do not, nor Gram matrices and samples."""
        if self.cv is not None:
            check_kind_of_folds(self.cv, "None", "GridSearchSVC")
        check_strategy(self.multiclass, self.decision_function_shape)
        if not isinstance(self.refit, bool | np.bool_ | str) and not callable(self.refit):
            raise ValueError(
                f"'refit' of GridSearchSVC must be a bool, a name or callable, got {self.refit!r}."
            )
        is_one = self.scoring is None or isinstance(self.scoring, str)
        if is_one and isinstance(self.refit, str) and self.refit not in ("score", self.scoring):
            raise ValueError(
                "'refit' of GridSearchSVC must be True, False or callable with one score, got "
                f"{self.refit!r}."
            )
        if self.param_grid is not None and (self.kernels is not None or self.Cs is not None):
            raise ValueError("Pass either 'param_grid' or 'kernels' and 'Cs' to GridSearchSVC, not both.")
        kernels = self._kernels()
        given = [is_precomputed(kernel) for kernel in kernels]
        if any(given) and not all(given):
            raise ValueError(
                "'precomputed' cannot be searched together with other kernels, because X is either a Gram "
                "matrix or samples."
            )
        if len({takes_distances(kernel) for kernel in kernels}) > 1:
            raise ValueError(
                "'precomputed' cannot be searched together with distances, because X is one or the other."
            )
        if any(given) and self.scaler is not None:
            raise ValueError("A precomputed matrix cannot be scaled. Set scaler=None.")

    def _scaler(self) -> Any:
        return as_scaler(self.scaler, "scaler", "GridSearchSVC")

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Labels predicted by ``best_estimator_``, of shape (n_samples,)."""
        return self._best().predict(X)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Decision values of ``best_estimator_``, of shape (n_samples,) or (n_samples, n_classes)."""
        return self._best().decision_function(X)

    def score(self, X: MatrixLike, y: ArrayLike, **params: Any) -> float:
        """Score of ``best_estimator_`` by ``scorer_``; of several metrics, by the one ``refit`` names.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        **params
            For the scorer, such as ``sample_weight``.
        """
        best = self._best()
        if self.multimetric_ and not isinstance(self.refit, str):
            raise ValueError("With several metrics, score needs the name of one of them in 'refit'.")
        several = isinstance(self.scorer_, dict)
        name = self.refit if several and isinstance(self.refit, str) else "score"
        if self.scoring is not None:
            params = route_score(self, params, name)
        value = (self.scorer_[name] if several else self.scorer_)(best, X, y, **params)
        return value[self.refit] if isinstance(value, dict) else value

    def _best(self) -> Any:
        check_is_fitted(self, "cv_results_")
        if not self.refit:
            raise AttributeError(f"{type(self).__name__} was fitted with refit=False and has no final model.")
        return self.best_estimator_

    def _check_refit(self, metrics: Collection[str]) -> None:
        if self.refit is not False and not callable(self.refit) and self.refit not in metrics:
            raise ValueError(
                f"With several metrics 'refit' of {type(self).__name__} must be a callable, False or one of "
                f"{', '.join(map(repr, metrics))}, got {self.refit!r}."
            )

    def _trained(self, X: MatrixLike, y: np.ndarray, weight: np.ndarray | None) -> Any:
        """The best candidate, trained; weights go to its scaler, too."""
        shared = SVC().get_params().keys() & self.get_params(deep=False).keys() - {"verbose"}
        svc = SVC(**{name: getattr(self, name) for name in shared})
        svc.set_params(**clone(self.best_params_, safe=False))
        scaler = self._scaler()
        if scaler is None:
            return svc.fit(X, y, sample_weight=weight)
        machine = make_pipeline(clone(scaler), svc)
        if weight is None:
            return machine.fit(X, y)
        fit_transformer(machine[0], X, y, none_if_ones(weight))
        svc.fit(machine[0].transform(X), y, sample_weight=weight)
        return machine

    def _choose(self, X: MatrixLike, y: np.ndarray, sample_weight: np.ndarray | None) -> None:
        """Set the ``best_`` attributes, and train the best candidate if asked to."""
        prefix = "mean_test_"
        metrics = [name.removeprefix(prefix) for name in self.cv_results_ if name.startswith(prefix)]
        self.multimetric_ = isinstance(self.scorer_, dict) or metrics != ["score"]
        if self.multimetric_:
            self._check_refit(metrics)
            if self.refit is False:
                return
        metric = self.refit if self.multimetric_ and isinstance(self.refit, str) else "score"
        self.best_index_ = select_best(self.refit, metric, self.cv_results_)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        if not callable(self.refit):
            self.best_score_ = self.cv_results_[f"{prefix}{metric}"][self.best_index_]
        if self.refit:
            started = time.perf_counter()
            self.best_estimator_ = self._trained(X, y, sample_weight)
            self.refit_time_ = time.perf_counter() - started
            machine = self.best_estimator_ if self.scaler is None else self.best_estimator_[-1]
            self.n_iter_ = machine.n_iter_


def select_best(refit: Any, metric: str, results: dict[str, Any]) -> int:
    """Index of the best candidate: the first of rank one, or what the callable ``refit`` returns."""
    if not callable(refit):
        return int(results[f"rank_test_{metric}"].argmin())
    best = refit(results)
    if not isinstance(best, numbers.Integral):
        raise TypeError(
            f"The callable 'refit' must return an integer, the index of a candidate; got {best!r}."
        )
    if not 0 <= int(best) < len(results["params"]):
        raise IndexError(
            f"The callable 'refit' returned {best}, but there are {len(results['params'])} candidates."
        )
    return int(best)
