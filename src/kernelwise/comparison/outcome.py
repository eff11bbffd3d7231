"""The outcome of a nested comparison, as rows, as sentences and as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise._core.text import aligned, count, html_block, html_list, html_table, in_words
from kernelwise.comparison.methods import BY_NAME
from kernelwise.reports.comparison import FEW_FOLDS, clear_from, is_clear

#: Heads of the columns.
HEADS = {"accuracy": "accuracy", "r2": "R²", "log_loss": "log-loss", "rmse": "RMSE", "mae": "MAE"}
HEADS |= {"roc_auc": "ROC AUC", "average_precision": "av. precision"}
HEADS |= {"coverage": "coverage", "width": "width", "set_size": "set size"}
#: Differences of folds that cancel may leave this much.
ROUNDING = 1e-12


class ComparisonStopped(KeyboardInterrupt):
    """Stop of a comparison by Ctrl-C, with what was finished.

    Attributes
    ----------
    table : Comparison
        Of the outer folds that all methods have finished, or of the methods that have finished the first.
    n_splits : int
        Outer folds that there would have been.
    """

    def __init__(self, table: Comparison, n_splits: int) -> None:
        super().__init__(table, n_splits)
        self.table, self.n_splits = table, n_splits


@dataclass(frozen=True)
class Comparison:
    """Scores, times and work of several methods on the same outer folds.

    Attributes
    ----------
    methods : tuple of str
        The first is what the others are compared with; the last may be the baseline.
    scores : ndarray of shape (n_methods, n_splits)
        Accuracy, R² of a regression, or ROC AUC of unusual rows, on the outer test parts.
    seconds, cpu_seconds : ndarray of shape (n_methods, n_splits)
        Wall and processor time of choosing and training.
    n_machines : ndarray of shape (n_methods, n_splits)
        Times that a model was trained; a forest is one model.
    skipped : dict from str to str
        Methods that could not be run, and why.
    score : {"accuracy", "r2", "roc_auc"}
        What the scores are.
    errors : dict from str to ndarray of shape (n_methods, n_splits)
        For classes "log_loss": the mean of −log p of the true class, NaN for a method without probabilities.
        For a regression "rmse" and "mae": root mean squared and mean absolute error, in units of y. For
        unusual rows "average_precision", which is no error: the higher, the better. If a coverage was asked
        for, also "coverage", the share of held-out rows that is covered, and the mean "width" of intervals or
        "set_size" of sets of classes; NaN for a method that has none.
    baseline : str
        The method that ignores X; empty if there is none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from kernelwise import compare
    >>> methods = {"wide": SVC(gamma=0.01), "usual": SVC()}
    >>> comparison = compare(*load_iris(return_X_y=True), methods, n_splits=3)
    >>> comparison.scores.shape, [row["method"] for row in comparison.rows()]
    ((3, 3), ['wide', 'usual', 'most frequent class'])

    ``losses`` has a sentence for each method that did better than the first one:

    >>> len(comparison.losses())
    1
    """

    methods: tuple[str, ...]
    scores: np.ndarray
    seconds: np.ndarray
    cpu_seconds: np.ndarray
    n_machines: np.ndarray
    skipped: dict[str, str]
    score: str = "accuracy"
    errors: dict[str, np.ndarray] = field(default_factory=dict)
    baseline: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per method: score, standard error, difference from the first method, time, models.

        The standard errors are over the outer splits, whose training parts overlap, so they are only a guide.
        """
        root = np.sqrt(self.scores.shape[1])
        spread = {"ddof": 1 if self.scores.shape[1] > 1 else 0}
        table = []
        for k, name in enumerate(self.methods):
            difference = self.scores[k] - self.scores[0]
            table.append(
                {
                    "method": name,
                    self.score: float(self.scores[k].mean()),
                    "standard_error": float(self.scores[k].std(**spread) / root),
                    "difference": float(difference.mean()),
                    "difference_error": float(difference.std(**spread) / root),
                    "splits": self.scores.shape[1],
                    **{error: float(values[k].mean()) for error, values in self.errors.items()},
                    "seconds": float(self.seconds[k].mean()),
                    "cpu_seconds": float(self.cpu_seconds[k].mean()),
                    "machines": float(self.n_machines[k].mean()),
                }
            )
        return table

    @property
    def rivals(self) -> tuple[str, ...]:
        """Methods that are not support vector machines, if the first one is."""
        rivals = {name for name, method in BY_NAME.items() if method.is_rival}
        first = self.methods[0]
        is_machine = first in BY_NAME and first not in rivals
        return tuple(name for name in self.methods[1:] if is_machine and name in rivals)

    def verdict(self) -> list[str]:
        """Sentences on whether a support vector machine suits the data, if forests or boosting were run.

        They say who has the better score, and who the better probabilities. A difference counts from two
        standard errors, and from more where there are few folds (`clear_from`).
        """
        return [*_by_score(self), *_by_probabilities(self)] if self.rivals else []

    def losses(self) -> list[str]:
        """Sentences on every method that was better than the first one, and on every skipped method."""
        first = self.methods[0]
        sentences = [
            f"{row['method']} was {self.amount(row['difference'])} better than {first} "
            f"(standard error {self.amount(row['difference_error'], unit='')})."
            for row in self.rows()[1:]
            if row["difference"] > ROUNDING
        ]
        return sentences + [f"{name} was not run: {why}" for name, why in self.skipped.items()]

    def notes(self) -> list[str]:
        """Sentences that explain surprising numbers of the table."""
        machines = dict(zip(self.methods, self.n_machines.mean(axis=1), strict=True))
        grid, halving = (machines.get(name, np.nan) for name in ("GridSearchCV", "HalvingGridSearchCV"))
        n_splits = self.scores.shape[1]
        few = (
            f"With {count(n_splits, 'outer fold')} the standard errors say little, and only large "
            f"differences count as clear: {FEW_FOLDS} or more would tell more."
        )
        notes = [few] if n_splits < FEW_FOLDS else []
        if not halving >= grid:
            return notes
        return [
            *notes,
            f"HalvingGridSearchCV trained {halving:.0f} models, GridSearchCV {grid:.0f}: with so few rows, "
            "halving saves nothing.",
        ]

    def amount(self, value: float, unit: str = " points") -> str:
        """A difference of scores in words: points of per cent for an accuracy."""
        return f"{100 * value:.2f}{unit}" if self.score == "accuracy" else f"{value:.4f}"

    def columns(self) -> tuple[list[str], list[list[str]]]:
        """Heads and cells of the printed table."""
        shown, errors = HEADS[self.score], [HEADS[name] for name in self.errors]
        head = ["method", shown, "s.e.", "difference", "s.e.", *errors, "seconds", "CPU s", "models"]
        cells = [
            [
                row["method"],
                f"{row[self.score]:.4f}",
                f"{row['standard_error']:.4f}",
                signed(row["difference"]),
                f"{row['difference_error']:.4f}",
                *(error_text(row[name], name) for name in self.errors),
                f"{row['seconds']:.3f}",
                f"{row['cpu_seconds']:.3f}",
                f"{row['machines']:.0f}",
            ]
            for row in self.rows()
        ]
        return head, cells

    def __str__(self) -> str:
        head, cells = self.columns()
        lines = aligned([head, *cells], [False] + [True] * (len(head) - 1))
        return "\n".join([*lines, *self.verdict(), *self.losses(), *self.notes()])

    def _repr_html_(self) -> str:
        """What a notebook shows: the table, and what it says."""
        said = [*self.verdict(), *self.losses(), *self.notes()]
        return html_block("Nested comparison", html_table(*self.columns()), html_list(said))


def signed(value: float) -> str:
    """A difference with its sign and four digits; nothing but rounding is zero."""
    return f"{round(value, 4) + 0.0:+.4f}"


def error_text(value: float, name: str) -> str:
    """An error as it is printed; a method without probabilities has no log-loss."""
    if np.isnan(value):
        return ""
    if name == "coverage":
        return f"{100 * value:.1f} %"
    return f"{value:.4f}" if name in ("log_loss", "average_precision") else f"{value:.4g}"


def _by_score(comparison: Comparison) -> list[str]:
    rows = {row["method"]: row for row in comparison.rows()}
    first, guess = comparison.methods[0], rows.pop(comparison.baseline, None)
    best = max(list(rows.values())[1:], key=lambda row: row["difference"])
    rivals = [rows[name] for name in comparison.rivals]
    if best["method"] in comparison.rivals and is_clear(best, 1):
        error = comparison.amount(best["difference_error"], unit="")
        return [
            f"A support vector machine is not the best model here: {best['method']} is "
            f"{comparison.amount(best['difference'])} better than {first} (standard error {error})."
        ]
    if any(is_clear(row, 1) for row in rivals) or (guess is not None and not is_clear(guess, -1)):
        return []  # another search of a support vector machine is better still; or nobody has learned much
    names = in_words([row["method"] for row in rivals], "or")
    if all(is_clear(row, -1) for row in rivals):
        return [f"A support vector machine suits this data: {first} is clearly better than {names}."]
    return [
        f"A support vector machine is a reasonable choice here: {first} is not clearly worse than {names}."
    ]


def _by_probabilities(comparison: Comparison) -> list[str]:
    losses: Any = comparison.errors.get("log_loss")
    if losses is None:
        return []
    means = {name: losses[comparison.methods.index(name)].mean() for name in comparison.rivals}
    best = min(means, key=lambda name: np.nan_to_num(means[name], nan=np.inf))
    gain = losses[0] - losses[comparison.methods.index(best)]
    error = float(gain.std(ddof=min(1, len(gain) - 1)) / np.sqrt(len(gain)))
    if not gain.mean() > clear_from(len(gain)) * error + 1e-12:  # also where somebody has no log-loss
        return []
    return [
        f"The probabilities of {best} are better than those of {comparison.methods[0]}: the log-loss is "
        f"{means[best]:.3f} instead of {losses[0].mean():.3f} (standard error of the difference {error:.3f})."
    ]
