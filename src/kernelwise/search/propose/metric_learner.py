"""Learning the metric of a Gaussian kernel from several starts: what procedures and transformer share."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedShuffleSplit

from kernelwise._core.parameters import constructor_params
from kernelwise._core.validation import check_choice, check_integer, check_positive, check_seed
from kernelwise.criteria import as_criterion
from kernelwise.exceptions import BoundaryWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import RBF, DiagonalGaussian, Gaussian, Kernel, LowRankGaussian
from kernelwise.optimizers import ManifoldDescent, Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.engine.gram_accuracy import held_out_accuracies

METRICS = ("rbf", "diagonal", "gaussian", "low-rank")
#: Sum of the weights of the features that vary, where searches start: from wide to narrow kernels.
STARTS = (1.0, 2.0, 5.0, 10.0)
#: A metric is worth no more iterations: what is left is over-fitting, and weights on their way to zero.
MAX_ITER = 60
#: Iterations from every start under a criterion that trains machines, before the best of them goes on.
FEW_ITER = 5
#: Weight of a feature that counts for nothing, as a share of the others: the floor of the search.
FLOOR = 1e-6
#: Values of C for machines that only compare kernels.
ROUGH_CS = (0.1, 1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class LearnedMetric:
    """A kernel for standardised samples with its metric, and how it was found.

    ``start`` led to the lowest cost, and ``result`` is of the search from there; ``values`` has the cost
    where the search from each start ended.
    """

    kernel: Kernel
    start: float
    values: dict[float, float]
    result: TuningResult
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class MetricLearner:
    """Searches from isotropic kernels of several widths and keeps the end of lowest cost.

    "gaussian" and "low-rank" go on from where the search over diagonal metrics ended, so that features
    without weight have no part in them. ``kernel`` may also be "rbf" or "diagonal"; the other parameters are
    those of `kernelwise.MetricTransformer`.
    """

    kernel: str = "diagonal"
    criterion: Any = "centered-kta"
    starts: Any = STARTS
    optimizer: Optimizer | None = None
    rank: int = 2
    validation_fraction: float | None = None
    random_state: Any = 0

    def __post_init__(self) -> None:
        check_choice(self.kernel, "kernel", "metric learning", METRICS)
        as_criterion(self.criterion)
        me = "metric learning"
        if not isinstance(self.starts, list | tuple | np.ndarray) or not len(self.starts):
            raise ValueError(f"'starts' of {me} must be a list of positive numbers, got {self.starts!r}.")
        for start in self.starts:
            check_positive(start, "starts", me)
            if not 1e-6 <= start <= 1e6:
                raise ValueError(f"'starts' of {me} must be between 1e-6 and 1e6, got {start!r}.")
        if self.optimizer is not None and not isinstance(self.optimizer, Optimizer):
            raise ValueError(f"'optimizer' of {me} must be an Optimizer or None, got {self.optimizer!r}.")
        check_integer(self.rank, "rank", me, least=1)
        check_seed(self.random_state, me)
        fraction = self.validation_fraction
        if fraction is not None:
            check_positive(fraction, "validation_fraction", me)
            if fraction >= 1:
                raise ValueError(f"'validation_fraction' of {me} must be below 1, got {fraction!r}.")

    def learn(self, Z: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> LearnedMetric:
        """Learn on standardised samples of shape (n_samples, n_features)."""
        optimizer = ManifoldDescent(tol=1e-4, max_iter=MAX_ITER) if self.optimizer is None else self.optimizer
        findings = _constant_findings(Z)
        if self.validation_fraction is not None:
            optimizer = self._stopped_early(Z, y, optimizer)
            n_iterations = constructor_params(optimizer)["max_iter"]
            findings.append(catalogue.EARLY_STOPPING(n_iterations=n_iterations))
        starts = list(dict.fromkeys(map(float, self.starts)))
        runs: dict[float, TuningResult] = {}
        if self.optimizer is None and len(starts) > 1 and as_criterion(self.criterion).is_held_out:
            # Every step trains machines for all folds: a few steps tell which start leads to the lowest cost.
            short = ManifoldDescent(tol=1e-4, max_iter=FEW_ITER)
            runs = {start: self._chain(Z, y, start, short, sample_weight) for start in starts}
            starts = [min(runs, key=lambda start: runs[start].value)]
        for start in starts:
            runs[start] = self._chain(Z, y, start, optimizer, sample_weight)
        best = min(starts, key=lambda start: runs[start].value)
        values = {start: run.value for start, run in runs.items()}
        # The number of iterations is small on purpose: that it was reached is no news.
        is_ours, at_limit = self.optimizer is None, catalogue.MAX_ITER.name
        findings += [one for one in runs[best].diagnostics if not (is_ours and one.name == at_limit)]
        return LearnedMetric(runs[best].kernel, best, values, runs[best], tuple(findings))

    def _chain(
        self, Z: np.ndarray, y: np.ndarray, start: float, optimizer: Optimizer, sample_weight: Any = None
    ) -> TuningResult:
        """The end of the chain isotropic → diagonal → full or low rank."""
        varies = np.ptp(Z, axis=0) > 0
        weight = start / max(int(varies.sum()), 1)
        if self.kernel == "rbf":
            return self._search(RBF(weight / 2.0), Z, y, optimizer, sample_weight)
        # What does not vary here moves no criterion, and may vary in samples to come: it counts for nothing.
        q = np.where(varies, weight, FLOOR * weight)
        diagonal = self._search(DiagonalGaussian(q), Z, y, optimizer, sample_weight)
        if self.kernel == "diagonal":
            return diagonal
        q = np.exp(diagonal.kernel.theta)
        if self.kernel == "gaussian":
            return self._search(Gaussian(np.diag(q)), Z, y, optimizer, sample_weight)
        leading = np.argsort(-q * varies, kind="stable")[: self.rank]
        return self._search(LowRankGaussian(np.diag(np.sqrt(q))[leading]), Z, y, optimizer, sample_weight)

    def _search(
        self, kernel: Kernel, Z: np.ndarray, y: np.ndarray, optimizer: Optimizer, sample_weight: Any
    ) -> TuningResult:
        with warnings.catch_warnings():
            # Each of many searches would say so; the findings of the best one do.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", BoundaryWarning)
            return optimizer.minimize(
                TuningProblem(kernel, self.criterion, Z, y, sample_weight=sample_weight)
            )

    def _stopped_early(self, Z: np.ndarray, y: np.ndarray, optimizer: Optimizer) -> Optimizer:
        """The optimizer with the number of iterations that does best on samples the search does not see."""
        split = StratifiedShuffleSplit(1, test_size=self.validation_fraction, random_state=self.random_state)
        try:
            train, held = next(split.split(Z, y))
        except ValueError as error:
            fraction = self.validation_fraction
            raise ValueError(
                f"'validation_fraction' = {fraction!r} does not suit these samples: {error}"
            ) from error
        runs = [self._chain(Z[train], y[train], float(start), optimizer) for start in self.starts]
        run = min(runs, key=lambda run: run.value)
        size = run.kernel.theta.size
        accuracies = []
        for row in run.history.by_iteration():
            K = run.kernel.with_theta(np.ravel(row["theta"])[:size])(Z)
            accuracies.append(held_out_accuracies(K, y, ROUGH_CS, [(train, held)]).max())
        # The first of equals, which is the shortest search.
        n_iterations = max(int(np.argmax(accuracies)), 1)
        return type(optimizer)(**{**constructor_params(optimizer), "max_iter": n_iterations})


def _constant_findings(Z: np.ndarray) -> list[Finding]:
    n_constant = int((np.ptp(Z, axis=0) == 0).sum())
    if not n_constant:
        return []
    return [catalogue.CONSTANT_FEATURES(n_constant=n_constant, n_features=Z.shape[1])]
