"""Paper 004 (Yin and Yin 2016): the ratio of distances between and within classes.

S. Yin and J. Yin, *Tuning kernel parameters for SVM based on expected square distance ratio*, divide the mean
squared distance of two points of different classes by that of two points of one class, in feature space, and
take the width where this ratio (ESDR) is largest; then C is chosen by cross-validation. The paper compares
with two other criteria of separability, DBTC and J4, and with the grid search over widths and C.

- the procedures: `yin_select`, `yin_grid_search`
- criteria and accuracies over the width: `yin_curves`
- the criteria: :class:`kernelwise.criteria.ESDR`, :class:`kernelwise.criteria.InterClassDistance` (DBTC),
  :class:`kernelwise.criteria.J4`; all widths at once: :class:`kernelwise.DistanceSketch`
- the experiments: ``kernelwise reproduce yin``, in ``kernelwise.studies.yin``

The protocol is the paper's: features are standardised once on all samples, and the cross-validation accuracy
of the best C (and σ) is reported, as in its table 2. That number made the choice: it is no estimate for new
data, which a nested cross-validation would give.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import StandardScaler

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState
from kernelwise.criteria import CriterionLike
from kernelwise.estimators.svc import SVC
from kernelwise.exceptions import BoundaryWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import RBF
from kernelwise.selection.curves import criterion_curves
from kernelwise.selection.procedure import (
    Procedure,
    ProcedureResult,
    best_cell,
    check_values,
    cv_accuracies,
    edge_finding,
    noting_convergence,
    table_rows,
)
from kernelwise.sketch.sketch import DistanceSketch

#: The paper's values, in half steps of the exponent.
SIGMAS = tuple(2.0 ** (k / 2) for k in range(-16, 19))
CS = tuple(2.0 ** (k / 2) for k in range(-2, 33))
CRITERIA = ("esdr", "dbtc", "j4")


class _Search(Procedure):
    """Standardised samples, the values to try, and cross-validation over them."""

    def __init__(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sigmas: ArrayLike,
        Cs: ArrayLike,
        cv: FoldsLike,
        random_state: RandomState,
        n_jobs: int | None,
    ) -> None:
        super().__init__(X, y, StandardScaler())
        self.sigmas = check_values(sigmas, "sigmas", "selection.yin")
        self.Cs = check_values(Cs, "Cs", "selection.yin")
        self.split(cv, random_state)
        self.n_jobs = n_jobs

    def criterion(self, criterion: CriterionLike) -> np.ndarray:
        """The criterion for every σ, from one pass over the pairs of samples."""
        sketch = DistanceSketch.from_data(self.scaled, self.y, n_jobs=self.n_jobs)
        return np.asarray(sketch.curve(criterion, 0.5 / self.sigmas**2))

    def accuracies(self, sigmas: np.ndarray) -> np.ndarray:
        """Cross-validation accuracies of shape (n_sigmas, n_Cs)."""
        gammas = 0.5 / sigmas[::-1] ** 2
        with noting_convergence(self.findings):
            found = cv_accuracies(self.scaled, self.y, gammas, self.Cs, self.folds, n_jobs=self.n_jobs)
        return found[::-1]

    def result(
        self, method: str, sigma: float, C: float, scores: np.ndarray, accuracies: np.ndarray
    ) -> YinResult:
        """Train the machine and put everything together."""
        self.findings += edge_finding("C", C, self.Cs)
        return YinResult(
            method=method,
            sigma=sigma,
            C=C,
            cv_accuracy=float(accuracies.max()),
            scores=scores,
            accuracies=accuracies,
            sigmas=self.sigmas,
            Cs=self.Cs,
            **self.trained(SVC(C=C, kernel=RBF(0.5 / sigma**2))),
        )


def yin_select(
    X: MatrixLike,
    y: ArrayLike,
    criterion: str = "esdr",
    *,
    sigmas: ArrayLike = SIGMAS,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 10,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> YinResult:
    """Choose σ where the criterion is largest, then C by cross-validation (ESDR-CV, DBTC-CV, J4-CV).

    The procedure of paper 004, section 4.1, and of its table 2. Returns a `YinResult`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        More than two classes are pooled in the criterion and classified one against one.
    criterion : {"esdr", "dbtc", "j4"}, default="esdr"
        Or another one that :class:`kernelwise.DistanceSketch` takes.
    sigmas, Cs : array
        2⁻⁸ … 2⁹ and 2⁻¹ … 2¹⁶ in half steps by default, as in the paper.
    cv : int or splitter, default=10
        A number means shuffled stratified folds.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.

    Warns
    -----
    BoundaryWarning
        If the criterion is largest at an end of the range, or on a level part that begins there. At the
        narrow end every sample is similar to its copies alone. At the wide end the kernel is nearly linear,
        and C has to grow like σ², or like σ⁴ where a straight line does not part the classes: see ``Cs``.

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_select
    >>> X, y = make_two_gaussians(200, random_state=0)
    >>> yin_select(X, y, "dbtc").sigma
    1.0
    """
    search = _Search(X, y, sigmas, Cs, cv, random_state, n_jobs)
    scores = search.criterion(criterion)
    # Of equals the widest, as everywhere.
    k = len(scores) - 1 - int(scores[::-1].argmax())
    sigma = float(search.sigmas[k])
    ends = end_finding(criterion, scores, search.sigmas)
    search.findings += ends
    for end in ends:
        warnings.warn(str(end), BoundaryWarning, stacklevel=2)
    accuracies = search.accuracies(search.sigmas[k : k + 1])
    C = float(search.Cs[best_cell(accuracies)[1]])
    return search.result(str(criterion), sigma, C, scores, accuracies[0])


def yin_grid_search(
    X: MatrixLike,
    y: ArrayLike,
    *,
    sigmas: ArrayLike = SIGMAS,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 10,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> YinResult:
    """Choose σ and C by cross-validation over a grid; of equals, the smallest C, then the widest kernel.

    What table 2 of paper 004 compares with. Returns a `YinResult`.

    Parameters
    ----------
    X, y, sigmas, Cs, cv, random_state, n_jobs
        As in `yin_select`.

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_grid_search
    >>> X, y = make_two_gaussians(100, random_state=0)
    >>> result = yin_grid_search(X, y, sigmas=[0.1, 1.0, 10.0], Cs=[1.0, 10.0, 100.0], cv=5)

    Of cells that score alike, the smallest C and then the widest kernel:

    >>> result.sigma, result.C, round(result.cv_accuracy, 2)
    (10.0, 10.0, 1.0)
    """
    search = _Search(X, y, sigmas, Cs, cv, random_state, n_jobs)
    accuracies = search.accuracies(search.sigmas)
    narrowness, c = best_cell(accuracies[::-1])
    k = len(search.sigmas) - 1 - narrowness
    sigma = float(search.sigmas[k])
    search.findings += edge_finding("sigma", sigma, search.sigmas)
    return search.result(
        "grid search", sigma, float(search.Cs[c]), accuracies.max(axis=1), accuracies[k].copy()
    )


def yin_curves(
    X: MatrixLike,
    y: ArrayLike,
    *,
    sigmas: ArrayLike = SIGMAS,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 10,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> YinCurves:
    """Compute ESDR, DBTC, J4 and cross-validation accuracies for every σ (paper 004, figures 4 to 9).

    Returns a `YinCurves`.

    Parameters
    ----------
    X, y, sigmas, Cs, cv, random_state, n_jobs
        As in `yin_select`.

    Warns
    -----
    BoundaryWarning
        If a criterion is largest on a level part that begins at an end of the range: there it has its limit,
        and no maximum.

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_curves
    >>> X, y = make_two_gaussians(100, random_state=0)
    >>> curves = yin_curves(X, y, sigmas=[0.01, 1.0, 100.0], Cs=[1.0, 1e4], cv=5)

    Where ESDR is near 1, the narrow kernel, the accuracy is low, too:

    >>> curves.criteria["esdr"].round(2), curves.best_accuracy.round(2)
    (array([1.02, 1.7 , 2.39]), array([0.52, 0.97, 0.98]))
    """
    sigmas = check_values(sigmas, "sigmas", "selection.yin")
    Cs = check_values(Cs, "Cs", "selection.yin")
    settings: dict[str, Any] = {"cv": cv, "random_state": random_state, "n_jobs": n_jobs}
    found = criterion_curves(X, y, CRITERIA, "rbf", 0.5 / sigmas**2, Cs, **settings)
    criteria = {name: scores[::-1] for name, scores in found.scores.items()}
    findings = [one for name in CRITERIA for one in end_finding(name, criteria[name], sigmas)]
    for finding in findings:
        if finding.name == PLATEAU:
            warnings.warn(str(finding), BoundaryWarning, stacklevel=2)
    return YinCurves(sigmas, Cs, criteria, found.accuracies[::-1], (*found.findings, *findings))


#: The finding of a criterion that is level with an end of σ.
PLATEAU = catalogue.LEVEL_TO_WIDEST.name
#: Values that differ by this share are level: the rest is rounding.
LEVEL = 1e-13


def end_finding(criterion: CriterionLike, scores: np.ndarray, sigmas: np.ndarray) -> list[Finding]:
    """A finding if the largest of the scores is at an end of σ, or level with that end; else none.

    A level part that begins at an end is the limit of the criterion there, of which any width is as good as
    any other: for σ → 0 rounding makes all kernels of different samples 0, and all criteria level.
    """
    is_best = scores >= scores.max() - LEVEL * np.abs(scores).max()
    if len(scores) < 2 or not (is_best[0] or is_best[-1]):
        return []
    is_widest = bool(is_best[-1])
    first, from_end = (-1, is_best[::-1]) if is_widest else (0, is_best)
    n_level = len(from_end) if from_end.all() else int(from_end.argmin())
    values = {"criterion": criterion, "sigma": sigmas[first]}
    if n_level == 1:
        at_end = catalogue.LARGEST_AT_WIDEST if is_widest else catalogue.LARGEST_AT_NARROWEST
        return [at_end(**values)]
    level = catalogue.LEVEL_TO_WIDEST if is_widest else catalogue.LEVEL_TO_NARROWEST
    return [level(**values, until=sigmas[-n_level if is_widest else n_level - 1])]


@dataclass(frozen=True, eq=False, kw_only=True)
class YinResult(ProcedureResult):
    """σ and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : str
        Name of the criterion, or "grid search".
    sigma, C : float
        σ of exp(−‖x − x′‖²/(2σ²)) on standardised features.
    cv_accuracy : float
    scores : ndarray of shape (n_sigmas,)
        The criterion for every σ; for the grid search, the best cross-validation accuracy.
    accuracies : ndarray of shape (n_Cs,)
        Cross-validation accuracies at ``sigma`` (figure 8).
    sigmas, Cs : ndarray
        The values tried, in increasing order.
    estimator : Pipeline
        Standardising and the machine, trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_select
    >>> X, y = make_two_gaussians(100, random_state=0)
    >>> result = yin_select(X, y, "dbtc", Cs=[0.5, 4.0, 32.0], cv=5)

    σ is where the criterion is largest, C where the accuracy is:

    >>> float(result.sigmas[result.scores.argmax()]) == result.sigma
    True
    >>> float(result.Cs[result.accuracies.argmax()]) == result.C
    True
    >>> result.scores.shape, result.accuracies.shape
    ((35,), (3,))
    """

    sigma: float
    scores: np.ndarray = field(repr=False)
    accuracies: np.ndarray = field(repr=False)
    sigmas: np.ndarray = field(repr=False)
    Cs: np.ndarray = field(repr=False)

    _columns: ClassVar[tuple[str, ...]] = ("method", "sigma", "gamma", "C", "cv_accuracy", "seconds")

    @property
    def gamma(self) -> float:
        """γ = 1/(2σ²)"""
        return 0.5 / self.sigma**2


@dataclass(frozen=True, eq=False)
class YinCurves:
    """Criteria and cross-validation accuracy for every σ (figures 4 to 9).

    Attributes
    ----------
    sigmas : ndarray of shape (n_sigmas,)
    Cs : ndarray of shape (n_Cs,)
    criteria : dict
        Arrays of shape (n_sigmas,) by name of the criterion (figures 5 to 7).
    accuracies : ndarray of shape (n_sigmas, n_Cs)
        A row is figure 8.
    findings : tuple of Finding
        Criteria that are largest at an end of σ ("boundary"), or on a level part there ("plateau").

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_curves
    >>> X, y = make_two_gaussians(100, random_state=0)
    >>> curves = yin_curves(X, y, sigmas=[0.01, 1.0, 100.0], Cs=[1.0, 100.0], cv=5)
    >>> sorted(curves.criteria), curves.accuracies.shape, curves.best_accuracy.shape
    (['dbtc', 'esdr', 'j4'], (3, 2), (3,))
    >>> list(curves.to_rows()[0])
    ['sigma', 'esdr', 'dbtc', 'j4', 'cv_accuracy']
    """

    sigmas: np.ndarray
    Cs: np.ndarray
    criteria: dict[str, np.ndarray]
    accuracies: np.ndarray
    findings: tuple[Finding, ...] = ()

    @property
    def best_accuracy(self) -> np.ndarray:
        """The best accuracy over C for every σ, of shape (n_sigmas,) (figures 4 and 9)."""
        return self.accuracies.max(axis=1)

    def to_rows(self) -> list[dict[str, float]]:
        """One row for every σ: σ, the criteria, and the best cross-validation accuracy."""
        return table_rows({"sigma": self.sigmas, **self.criteria, "cv_accuracy": self.best_accuracy})
