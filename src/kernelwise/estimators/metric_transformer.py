"""A learned metric as a map of the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.labels import check_are_classes, guess_task
from kernelwise._core.reading import as_numbers, read_samples
from kernelwise._core.sklearn_compat import ELSEWHERE, FLAG, SEED, at_least, one_of
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import MatrixLike, RandomState
from kernelwise._core.validation import check_labels, check_range, seed_of
from kernelwise.criteria import Criterion
from kernelwise.criteria.columns import screened_weights, some_rows, standardised_columns
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.estimators.tuned_svc import TunedSVC
from kernelwise.estimators.tuned_svr import TunedSVR
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import DiagonalGaussian, Kernel
from kernelwise.kernels.metric import correlations, directions, relevance
from kernelwise.optimizers import Optimizer
from kernelwise.search import MetricLearner

KERNELS = ("diagonal", "gaussian", "low-rank")
METHODS = ("criterion", "gradient", "alignment")
#: Sum of the weights of standardised features that an alignment finds, and the share of the largest one that
#: the others keep: a weight must be positive.
TOTAL, NOTHING = 2.0, 1e-9
TASKS = ("auto", "classification", "regression")


class MetricTransformer(
    OneToOneFeatureMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Transformer that learns a metric and maps samples so that a plain RBF kernel uses this metric.

    ``rbf_kernel(transform(X), gamma=0.5)`` is the learned kernel. So any model with an RBF kernel and this γ,
    trained on the mapped samples, uses the learned metric.

    Parameters
    ----------
    kernel : {"diagonal", "gaussian", "low-rank"}, default="diagonal"
        The form of the metric: a weight for each feature, a full matrix, or a map to ``rank`` dimensions.
    criterion : Criterion or str, default="centered-kta"
        The differentiable criterion that the metric optimises.
    method : {"criterion", "gradient", "alignment"}, default="criterion"
        "criterion" optimises the criterion. "gradient" trains a model with a plain RBF kernel and computes
        the average outer product of the gradients of its decision function, so that directions count in which
        the prediction changes. It is fast, also works for numbers as targets, and ignores ``criterion``,
        ``starts``, ``optimizer``, ``rank`` and ``validation_fraction``. Cross-validation decides how far the
        metric goes from the plain one. "alignment" trains nothing: the weight of a feature is the centred
        alignment of its own kernel with the target, less what it is by chance
        (`kernelwise.metrics.column_alignment`). Each feature is asked twice, the second time among samples
        that are alike in the features found before, and features that are not found get no weight. It is
        for many features of which few matter, for classes and numbers, and uses about 500 samples.
    task : {"auto", "classification", "regression"}, default="auto"
        For "gradient" and "alignment": whether the targets are classes or numbers. "auto" treats words as
        classes, and numbers with a fraction as numbers. It treats whole numbers as classes if there are at
        most 30 different ones and each occurs at least twice; ``diagnostics_`` then has a note.
    rounds : int, default=1
        For "gradient": how often to repeat. Each further round starts from a model with the metric of the
        round before.
    starts : sequence of float, default=(1, 2, 5, 10)
        Sums of the weights from which searches start; the search that ends at the lowest cost wins. For
        criteria that train models in every step ("cv-error"), five iterations from each start decide which
        search continues.
    optimizer : Optimizer, default=None
        None means conjugate gradients on the manifold of metrics, with at most 60 iterations.
    rank : int, default=2
        The number of dimensions of "low-rank".
    standardize : bool, default=True
        Whether the search standardises the features. ``starts`` are meant for standardised features.
    validation_fraction : float, default=None
        Share of the samples to hold out. The search then stops at the number of iterations with the lowest
        classification error on these samples. None holds out no samples.
    n_directions : int, default=3
        How many of the metric's leading directions to keep in ``directions_``.
    random_state : int, RandomState or None, default=0
        Seed of the held-out share.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_features,)
        Weight of each feature times its variance; these sum to 1. Constant features have relevance 0.
    metric_ : ndarray of shape (n_features, n_features)
        Q of the kernel exp(−½ (x − y)ᵀ Q (x − y)), in the units of the input.
    directions_ : tuple of Direction
        Leading eigenvectors of the metric of standardised features, by name of feature.
    correlations_ : ndarray of shape (n_features, n_features)
        Q_kl / √(Q_kk Q_ll); off the diagonal it is zero unless the metric is full or of low rank.
    kernel_ : Kernel
        The learned kernel, for standardised features.
    mean_, scale_ : ndarray of shape (n_features,)
        Mean and standard deviation of the features.
    start_ : float
        The best start; only for method="criterion".
    result_ : TuningResult
        The search from that start; only for method="criterion".
    diagnostics_ : tuple of Finding
        What you should know about the data and the search.
    task_ : {"classification", "regression"}
        Whether the targets were treated as classes or as numbers.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.estimators import MetricTransformer
    >>> X, y = make_weston(100, n_noise=4, random_state=0)
    >>> MetricTransformer(starts=(2.0,)).fit(X, y).relevance_.round(2)
    array([0.72, 0.27, 0.  , 0.  , 0.  , 0.  ])

    By the alignment of each feature, where most are noise:

    >>> X, y = make_weston(200, n_noise=198, random_state=0)
    >>> MetricTransformer(method="alignment").fit(X, y).relevance_[:3].round(1)
    array([0.7, 0.3, 0. ])

    From the gradients of a model; here the difference of the first two features is all that matters:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(150, 3))
    >>> y = np.sin(2.0 * (X[:, 0] - X[:, 1]))
    >>> metric = MetricTransformer("gaussian", method="gradient", rounds=2).fit(X, y)
    >>> metric.correlations_[0, 1].round(1), metric.relevance_.round(1)
    (np.float64(-1.0), array([0.5, 0.5, 0. ]))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SEED,
        **dict.fromkeys(("criterion", "starts", "optimizer", "validation_fraction"), ELSEWHERE),
        "kernel": one_of(KERNELS),
        "method": one_of(METHODS),
        "task": one_of(TASKS),
        "rounds": at_least(1),
        "rank": at_least(1),
        "n_directions": at_least(0),
        "standardize": FLAG,
    }

    @explains_missing()
    def __init__(
        self,
        kernel: str = "diagonal",
        criterion: Criterion | str = "centered-kta",
        *,
        method: str = "criterion",
        task: str = "auto",
        rounds: int = 1,
        starts: Sequence[float] = MetricLearner.starts,
        optimizer: Optimizer | None = None,
        rank: int = 2,
        standardize: bool = True,
        validation_fraction: float | None = None,
        n_directions: int = 3,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.criterion = criterion
        self.method = method
        self.task = task
        self.rounds = rounds
        self.starts = starts
        self.optimizer = optimizer
        self.rank = rank
        self.standardize = standardize
        self.validation_fraction = validation_fraction
        self.n_directions = n_directions
        self.random_state = random_state

    @one_blas_thread(leaves_cores=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Classes or, for "gradient" and "alignment", also numbers.
        """
        self._validate_params()
        if self.method == "criterion" and self.task == "regression":
            raise ValueError(
                "method='criterion' of MetricTransformer needs classes; use method='gradient' for "
                "task='regression'."
            )
        if self.method == "alignment" and self.kernel != "diagonal":
            raise ValueError(
                "method='alignment' of MetricTransformer learns 'diagonal' metrics; use another method for "
                f"kernel={self.kernel!r}."
            )
        if self.method == "gradient" and self.kernel == "low-rank":
            raise ValueError(
                "method='gradient' of MetricTransformer learns 'diagonal' and 'gaussian' metrics; use "
                "method='criterion' for kernel='low-rank'."
            )
        learner = MetricLearner(
            self.kernel,
            self.criterion,
            self.starts,
            self.optimizer,
            self.rank,
            self.validation_fraction,
            self.random_state,
        )
        samples, targets = read_samples(self, X, y, dtype=float, ensure_min_samples=2)
        check_range(samples)
        self.task_, taken = self._task_of(targets)
        if self.task_ == "regression":
            targets = as_numbers(targets)
        else:
            check_are_classes(targets)
            check_labels(targets, len(samples), min_per_class=2)
        scaler = StandardScaler(with_mean=self.standardize, with_std=self.standardize).fit(samples)
        self.mean_ = scaler.mean_ if self.standardize else np.zeros(samples.shape[1])
        self.scale_ = scaler.scale_ if self.standardize else np.ones(samples.shape[1])
        Z = (samples - self.mean_) / self.scale_
        if self.method == "gradient":
            findings = self._learn_by_gradients(Z, targets)
            self.diagnostics_ = (*findings, *taken)
        elif self.method == "alignment":
            self.kernel_, finding = _by_alignment(Z, targets, are_classes=self.task_ == "classification")
            self.diagnostics_ = (finding, *taken)
        else:
            found = learner.learn(Z, targets)
            self.kernel_, self.start_, self.result_ = found.kernel, found.start, found.result
            self.diagnostics_ = found.findings
        self._describe(Z)
        return self

    def _task_of(self, y: np.ndarray) -> tuple[str, tuple[Finding, ...]]:
        """What the targets are, with a finding where that had to be guessed."""
        if self.method == "criterion" or self.task == "classification":
            return "classification", ()
        if self.task == "regression":
            return "regression", ()
        task, n = guess_task(y)
        if not n:
            return task, ()
        are_classes = task == "classification"
        other = "regression" if are_classes else "classification"
        return task, (catalogue.WHOLE_NUMBER_TARGETS(n=n, are_classes=are_classes, other=other),)

    def _learn_by_gradients(self, Z: np.ndarray, y: np.ndarray) -> list[Finding]:
        tuned = TunedSVR if self.task_ == "regression" else TunedSVC
        model = tuned("rbf", scale=None, random_state=seed_of(self.random_state))
        full = self.kernel == "gaussian"
        self.kernel_, findings = model._metric_of_gradients(Z, y, full=full, rounds=self.rounds)
        return findings

    def _describe(self, Z: np.ndarray) -> None:
        Q = self.kernel_.metric(Z.shape[1])
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(Z.shape[1])])
        self.relevance_ = relevance(Q, Z.var(axis=0))
        self.metric_ = Q / np.outer(self.scale_, self.scale_)
        self.directions_ = directions(Q, names, self.n_directions)
        self.correlations_ = correlations(Q)
        self._n_features_out = self.kernel_.transform(Z[:1]).shape[1]

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Map samples, shape (n_samples, n_features) to (n_samples, n_mapped)."""
        check_is_fitted(self)
        X = read_samples(self, X, dtype=float, reset=False)
        return self.kernel_.transform((X - self.mean_) / self.scale_)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Names of the mapped features, shape (n_mapped,): those of the input for a diagonal metric."""
        mixin = OneToOneFeatureMixin if self.kernel == "diagonal" else ClassNamePrefixFeaturesOutMixin
        return mixin.get_feature_names_out(self, input_features)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _by_alignment(Z: np.ndarray, y: np.ndarray, *, are_classes: bool) -> tuple[Kernel, Finding]:
    """A kernel whose weights of features follow from their alignment with the target, and what was found.

    The weights of standardised features add up to `TOTAL`; those of features that are not found are nearly 0.
    """
    index = np.unique(y, return_inverse=True)[1] if are_classes else np.zeros(len(y), int)
    rows = some_rows(np.hstack(standardised_columns(Z, np.ones(len(Z)))), index)
    target = index if are_classes else y
    q = screened_weights(Z[rows], target[rows], np.ones(len(rows)), are_classes=are_classes)
    n_found = int((q > 0.0).sum())
    if not n_found:
        q = np.ones_like(q)
    variance = Z.var(axis=0)
    q = np.maximum(q, NOTHING * q.max()) * TOTAL / q.sum() / np.where(variance > 0.0, variance, 1.0)
    return DiagonalGaussian(q), catalogue.SCREENED_COLUMNS(n_found=n_found, n_columns=len(q))
