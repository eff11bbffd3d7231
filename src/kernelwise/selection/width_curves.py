"""What `criterion_curves` returns: curves, what each criterion chooses, and how it follows the accuracy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from kernelwise._core.text import aligned
from kernelwise.criteria import Criterion
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel


@dataclass(frozen=True)
class CriterionChoice:
    """Choice of one criterion, and how far it can be trusted here.

    Attributes
    ----------
    criterion : str
    width, C : float
        γ where the criterion is best, of equals the widest kernel, and the C of the best cross-validated
        accuracy there.
    accuracy : float
        Cross-validated, at that width and C.
    loss : float
        What the best width has more.
    own_C, own_accuracy : float
        C that the criterion chooses together with the width, and the accuracy there; NaN without one.
    rank_correlation, rank_error : float
        Of the curve with the best accuracy over C, over all widths; see `WidthCurves`.
    is_at_end : bool
        Whether the width is the smallest or largest that was tried.
    seconds : float
        Time for the criterion, without distances, Gram matrices and cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import criterion_curves
    >>> curves = criterion_curves(*load_iris(return_X_y=True), "j4", widths=[0.01, 0.1], Cs=[1.0, 10.0])
    >>> curves.choices[0].width, curves.choices[0].is_at_end
    (0.01, True)
    """

    criterion: str
    width: float
    C: float
    accuracy: float
    loss: float
    own_C: float
    own_accuracy: float
    rank_correlation: float
    rank_error: float
    is_at_end: bool
    seconds: float

    @property
    def rank_text(self) -> str:
        """The rank correlation and its error; empty where there is none."""
        if np.isnan(self.rank_correlation):
            return ""
        error = "" if np.isnan(self.rank_error) else f" ± {self.rank_error:.2f}"
        return f"{self.rank_correlation:.2f}{error}"


@dataclass(frozen=True, eq=False, kw_only=True)
class WidthCurves:
    """Criteria and cross-validated accuracies for every width of a kernel.

    The rank correlation of a criterion is Spearman's, over all widths at which it is defined, between what it
    maximises and the best cross-validated accuracy over C; 1 means that a width that the criterion prefers is
    always the more accurate one. Its error is a jackknife over the folds: the correlation is computed without
    each fold in turn, and the error is √((k − 1)/k · Σ(r_f − mean)²). It says how far the noise of the
    accuracy moves the correlation, not how the criterion would differ with other rows.

    Attributes
    ----------
    kernel : Kernel
        On the scaled samples; what a search would start from.
    widths : ndarray of shape (n_widths,)
        γ, in increasing order: the widest kernel comes first.
    Cs : ndarray of shape (n_widths, n_Cs)
    criteria : dict from str to Criterion
    scores : dict from str to ndarray of shape (n_widths,)
        The criteria with the signs of their papers; NaN where one is undefined.
    own_Cs : dict from str to ndarray of shape (n_widths,)
        C at which a criterion that searches C is best; NaN for others.
    right : ndarray of shape (n_widths, n_Cs, n_folds)
        Numbers of held-out samples that are classified correctly.
    fold_sizes : ndarray of shape (n_folds,)
    seconds : dict from str to float
    findings : tuple of Finding

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import criterion_curves
    >>> X, y = load_iris(return_X_y=True)
    >>> curves = criterion_curves(X, y, ["esdr", "span"], widths=[0.01, 0.1, 1.0], Cs=[1.0, 10.0])
    >>> curves.accuracies.shape, sorted(curves.scores)
    ((3, 2), ['esdr', 'span'])
    >>> list(curves.to_frame().columns)[:5]
    ['criterion', 'width', 'score', 'own_C', 'accuracy']
    >>> print(curves)
    criterion  width   C  accuracy   loss  rank correlation  at an end
    esdr        0.01  10     0.960  0.000       0.87 ± 0.29  yes
    span        0.01  10     0.960  0.000       0.87 ± 0.29  yes
    """

    kernel: Kernel
    widths: np.ndarray
    Cs: np.ndarray = field(repr=False)
    criteria: dict[str, Criterion]
    scores: dict[str, np.ndarray] = field(repr=False)
    own_Cs: dict[str, np.ndarray] = field(repr=False)
    right: np.ndarray = field(repr=False)
    fold_sizes: np.ndarray = field(repr=False)
    seconds: dict[str, float] = field(repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def accuracies(self) -> np.ndarray:
        """Shares of all held-out samples that are classified correctly, of shape (n_widths, n_Cs)."""
        return np.asarray(self.right.sum(axis=-1) / self.fold_sizes.sum())

    @property
    def best_accuracy(self) -> np.ndarray:
        """The best accuracy over C for every width, of shape (n_widths,)."""
        return self.accuracies.max(axis=1)

    @property
    def accuracy_error(self) -> np.ndarray:
        """Binomial standard error of ``best_accuracy``, of shape (n_widths,)."""
        best = self.best_accuracy
        return np.asarray(np.sqrt(best * (1.0 - best) / self.fold_sizes.sum()))

    def goodness(self, name: str) -> np.ndarray:
        """A criterion as what is to be maximised, of shape (n_widths,)."""
        return -self.criteria[name].sign * self.scores[name]

    def rank_correlation(self, name: str) -> tuple[float, float]:
        """Spearman's rank correlation with the best accuracy, and its jackknife error over the folds."""
        values = self.goodness(name)
        total, sizes = self.right.sum(axis=-1), self.fold_sizes
        without = (total[..., None] - self.right) / (sizes.sum() - sizes)
        n = len(sizes)
        found = np.array([_spearman(values, without[..., k].max(axis=1)) for k in range(n)])
        error = float(np.sqrt((n - 1) / n * np.sum((found - found.mean()) ** 2)))
        return _spearman(values, self.best_accuracy), error

    @property
    def choices(self) -> tuple[CriterionChoice, ...]:
        """A `CriterionChoice` for every criterion that is defined at some width."""
        return tuple(self._choice(name) for name in self.scores if np.isfinite(self.scores[name]).any())

    def _choice(self, name: str) -> CriterionChoice:
        k, best = int(np.nanargmax(self.goodness(name))), self.best_accuracy
        at, own = int(self.accuracies[k].argmax()), float(self.own_Cs[name][k])
        own_accuracy = np.nan if np.isnan(own) else float(self.accuracies[k, self.Cs[k] == own][0])
        return CriterionChoice(
            name,
            float(self.widths[k]),
            float(self.Cs[k, at]),
            float(best[k]),
            float(best.max() - best[k]),
            own,
            own_accuracy,
            *self.rank_correlation(name),
            len(self.widths) > 1 and k in (0, len(self.widths) - 1),
            self.seconds[name],
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """One row for every criterion and width: the curve, the accuracy along it, and the choice."""
        rows = []
        for choice in self.choices:
            for k, width in enumerate(self.widths):
                rows.append(
                    {
                        "criterion": choice.criterion,
                        "width": float(width),
                        "score": float(self.scores[choice.criterion][k]),
                        "own_C": float(self.own_Cs[choice.criterion][k]),
                        "accuracy": float(self.best_accuracy[k]),
                        "accuracy_error": float(self.accuracy_error[k]),
                        "is_chosen": bool(width == choice.width),
                        "rank_correlation": choice.rank_correlation,
                        "rank_error": choice.rank_error,
                    }
                )
        return rows

    def to_frame(self) -> Any:
        """The rows of `to_rows` as a pandas DataFrame (needs pandas)."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas. Install it with pip install pandas.") from error
        return pd.DataFrame(self.to_rows())

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Head and cells of a table of the choices."""
        head = ["criterion", "width", "C", "accuracy", "loss", "rank correlation", "at an end"]
        cells = [
            [
                one.criterion,
                f"{one.width:.4g}",
                f"{one.C:.4g}",
                f"{one.accuracy:.3f}",
                f"{one.loss:.3f}",
                ""
                if np.isnan(one.rank_correlation)
                else f"{one.rank_correlation:.2f} ± {one.rank_error:.2f}",
                "yes" if one.is_at_end else "",
            ]
            for one in self.choices
        ]
        return head, cells

    def __str__(self) -> str:
        head, cells = self.table()
        lines = aligned([head, *cells], [False, True, True, True, True, True, False])
        return "\n".join(line.rstrip() for line in lines)


def _spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Rank correlation where both are defined; NaN where one of the two does not vary."""
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(spearmanr(first, second).statistic)
