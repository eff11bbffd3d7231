"""All checks of the data, one after the other: `diagnose`, and the findings about X.

These are unusable values, constant features, scales that hide each other, equal points, the peak of DBTC over
the width of a Gaussian kernel, and time and memory of a fit.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from kernelwise._core.equal_points import row_hashes
from kernelwise._core.memory import amount
from kernelwise._core.text import html_block, html_table
from kernelwise._core.typing import RowsLike, ScaleLike
from kernelwise._core.validation import LARGE, check_choice
from kernelwise.diagnostics._data import Data, listed
from kernelwise.diagnostics._pairs import Points, distinct_points
from kernelwise.diagnostics._theorems import verdict_on
from kernelwise.diagnostics.targets import (
    as_targets,
    class_findings,
    conflict_findings,
    target_findings,
)
from kernelwise.estimators.kernel_argument import trains_by_rows
from kernelwise.estimators.svc import SVC
from kernelwise.exceptions import BoundaryWarning, DegenerateGramError
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel, KernelLike
from kernelwise.kernels.radial import sigma_of
from kernelwise.search.data.together import near_copies, near_copies_finding
from kernelwise.search.verdict.leaks import column_findings
from kernelwise.sketch.sketch import DistanceSketch
from kernelwise.tables import findings_of_table, is_missing, missing_codes

SEVERITIES = ("error", "warning", "info")


class Diagnosis(list[Finding]):
    """List of findings, the most serious first.

    ``print`` shows the findings, and ``to_frame()`` converts them to a table.

    Examples
    --------
    >>> from kernelwise import diagnose
    >>> diagnosis = diagnose([[0.0, 7.0], [0.1, 7.0], [1.0, 7.0], [3.0, 7.0]], [0, 1, 1, 0])

    A list, the most serious first:

    >>> diagnosis[0].severity, diagnosis[0].name
    ('warning', 'tiny-class')
    >>> [finding.name for finding in diagnosis if finding.severity == "warning"]
    ['tiny-class', 'constant', 'closest-pair', 'curve']
    """

    def __str__(self) -> str:
        counts = Counter(finding.severity for finding in self)
        head = ", ".join(f"{severity}: {counts[severity]}" for severity in SEVERITIES)
        return "\n".join([head, *(f"[{f.severity}] {f.name}: {f}" for f in self)])

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the findings."""
        rows = [(f.severity, f.name, f.message, f.advice) for f in self]
        return html_block(
            "Diagnosis", html_table(["severity", "finding", "what was found", "what to do"], rows)
        )

    def to_frame(self) -> Any:
        """Return the findings as a pandas DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(
            [asdict(finding) for finding in self], columns=[field.name for field in fields(Finding)]
        )


def diagnose(
    X: RowsLike,
    y: ArrayLike,
    *,
    kernel: KernelLike | None = None,
    random_state: int = 0,
    feature_names: Sequence[str] | np.ndarray | None = None,
    task: str = "classification",
    lines: ArrayLike | None = None,
    pairs: bool = True,
    scale: ScaleLike = None,
    categorical_features: str | ArrayLike = "from_dtype",
) -> Diagnosis:
    """Look for problems that could mislead or slow down the choice of a kernel.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n_samples, n_features)
        Words and gaps are coded as in `kernelwise.TunedSVC`.
    y : array of shape (n_samples,)
        Class labels, or numbers for a regression.
    kernel : Kernel or str, default=None
        The kernel that you plan to use, with its parameters if it is an object; None means RBF. Distances are
        computed after its linear map. The findings "closest-pair" and "curve" exist only for Gaussian
        kernels, because the theorems hold for these.
    random_state : int, default=0
        Seed of the random pairs that the curve is computed from, if there are more than 50 000 samples.
    feature_names : sequence of str, default=None
        The names of the features in findings. None means the names of a data frame, or numbers from 0.
    task : {"classification", "regression"}, default="classification"
        For a regression, the function checks the targets instead of the classes, and neither the closest pair
        nor the curve.
    lines : array of shape (n_samples,), default=None
        The line of each sample in its file, for use in findings. None means numbers of samples from 0.
    pairs : bool, default=True
        Whether to check the closest pair and the curve, which needs a pass over all pairs of samples.
    scale : {"standard", "robust", "minmax"}, transformer or None, default=None
        Scaling before distances and scales are checked. `kernelwise.TunedSVC` uses "standard".
    categorical_features : "from_dtype", None, or names, indices or a mask of columns, default="from_dtype"
        Which columns hold words, as in `kernelwise.TunedSVC`.

    Returns
    -------
    diagnosis : Diagnosis
        Names of findings: "one-class", "labels written in two ways", "tiny-class", "class of one row",
        "imbalance", "values", "constant", "scaling", "row numbers", "identifiers", "target in a column",
        "groups in several folds", "near copies" (of at most 5000 different samples), "codes for missing
        values", "duplicates", "conflicts", "identical", "kernel", "closest-pair", "curve", "cost"; for a
        regression also "constant target" and "outliers"; for a table with words or gaps also "gaps", "whole
        numbers that may be words", "words that name rows", "empty columns" and "mostly empty".

    Notes
    -----
    The closest pair is found exactly, in blocks: O(n²) time, which is about that of a kernel matrix, and
    memory for one block. If X has values that are not finite, only the classes are looked at beside them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import diagnose
    >>> for finding in diagnose(*load_iris(return_X_y=True)):
    ...     print(finding.severity, finding.name)
    info duplicates
    info closest-pair
    info curve
    info cost
    """
    check_choice(task, "task", "diagnose", ("classification", "regression"))
    how = feature_names, lines, categorical_features
    if task == "regression":
        return _of_numbers(Data.read(X, np.zeros(np.shape(y)[:1], int), kernel, *how), y, scale)
    data = Data.read(X, y, kernel, *how)
    findings = [*class_findings(data), *value_findings(data), *table_findings(data)]
    if any(finding.name == catalogue.VALUES.name for finding in findings):
        return _diagnosis(findings)
    table, names = data.columns
    findings += [*column_findings(table, data.index, names, is_classes=True), *missing_codes(table, names)]
    findings += near_copies_findings(data)
    data = data.scaled(scale)
    findings += feature_findings(data)
    points = distinct_points(data.X, data.index, len(data.classes))
    findings += duplicate_findings(data, points)
    if pairs:
        data, about_pairs = _pair_findings(data, points, random_state)
        findings += about_pairs
    return _diagnosis([*findings, *cost_findings(data)])


def diagnose_pairs(
    X: RowsLike, y: ArrayLike, kernel: Kernel, lines: ArrayLike | None = None
) -> list[Finding]:
    """The findings that `diagnose` leaves out if ``pairs`` is False: "kernel", "closest-pair" and "curve"."""
    data = Data.read(X, y, kernel, lines=lines)
    return _pair_findings(data, distinct_points(data.X, data.index, len(data.classes)))[1]


def _pair_findings(data: Data, points: Points, random_state: int = 0) -> tuple[Data, list[Finding]]:
    """What a Gaussian kernel sees in pairs of samples of two classes, and the samples after its linear map.

    Of other kernels there is nothing to say, and the samples stay as they are.
    """
    if not data.kernel.is_gaussian or len(data.classes) < 2 or len(points.first) < 2:
        return data, []
    data, warned = data.mapped()
    points = points.mapped(data.X)
    return data, [*warned, verdict_on(data, points).finding, *curve_findings(data, random_state)]


def _of_numbers(data: Data, y: ArrayLike, scale: ScaleLike) -> Diagnosis:
    """The checks of a regression, whose samples are all of one class here."""
    y = as_targets(y, len(data.index))
    findings = [*target_findings(data, y), *value_findings(data), *table_findings(data)]
    if any(finding.name == catalogue.VALUES.name for finding in findings):
        return _diagnosis(findings)
    table, names = data.columns
    findings += [*column_findings(table, y, names, is_classes=False), *missing_codes(table, names)]
    findings += near_copies_findings(data)
    data = data.scaled(scale)
    return _diagnosis([*findings, *feature_findings(data), *conflict_findings(data, y), *cost_findings(data)])


def most_serious_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by their severity; labels written in two ways come first, since other findings follow."""

    def rank(finding: Finding) -> tuple[bool, int]:
        return finding.name != catalogue.TWO_SPELLINGS.name, SEVERITIES.index(finding.severity)

    return sorted(findings, key=rank)


def _diagnosis(findings: list[Finding]) -> Diagnosis:
    return Diagnosis(most_serious_first(findings))


RATIO = 100.0  # of standard deviations


def value_findings(data: Data) -> Iterator[Finding]:
    """NaN, infinity, and numbers whose squares overflow."""
    values = data.X.data if sparse.issparse(data.X) else data.X
    bad = ~(np.abs(values) < LARGE)
    if not bad.any():
        return
    columns = data.X.indices[bad] if sparse.issparse(data.X) else np.nonzero(bad)[1]
    affected = listed(data.names[k] for k in np.unique(columns))
    n_nan, n_infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    kinds = {"NaN": n_nan, "infinite": n_infinite, f"above {LARGE:g}": int(bad.sum()) - n_nan - n_infinite}
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    yield catalogue.VALUES(n=int(bad.sum()), kinds=counted, features=affected)


def table_findings(data: Data) -> Iterator[Finding]:
    """Gaps, and what looks odd in the words of a table."""
    if data.frame is None or data.encoder is None:
        return
    names, n = data.columns[1], len(data.frame)
    gaps = [int(is_missing(column).sum()) for column in data.frame.columns]
    if any(gaps):
        with_gaps = [f"{names[k]} ({100.0 * gaps[k] / n:.0f} %)" for k in np.argsort(gaps)[::-1] if gaps[k]]
        yield catalogue.GAPS(n=len(with_gaps), columns=listed(with_gaps))
    yield from findings_of_table(data.frame, data.encoder)


def feature_findings(data: Data) -> Iterator[Finding]:
    """Constant and badly scaled features; X is finite."""
    X = data.X
    if X.shape[0] < 2:
        return
    if sparse.issparse(X):
        (low, high), deviation = min_max_axis(X, axis=0), np.sqrt(mean_variance_axis(X, axis=0)[1])
    else:
        low, high, deviation = X.min(axis=0), X.max(axis=0), X.std(axis=0)
    constant = low == high
    if constant.any():
        names = listed(data.names[k] for k in np.flatnonzero(constant))
        yield catalogue.CONSTANT(n=int(constant.sum()), features=names)
    if not constant.all() and not data.kernel.scales_features:
        yield from _scaling(data, np.flatnonzero(~constant), deviation)


def _scaling(data: Data, varying: np.ndarray, deviation: np.ndarray) -> Iterator[Finding]:
    order = varying[np.argsort(deviation[varying], kind="stable")]
    small, large = order[0], order[-1]
    if deviation[large] <= RATIO * deviation[small]:
        return
    hidden = order[deviation[order] * RATIO < deviation[large]]
    scaler = "MaxAbsScaler" if sparse.issparse(data.X) else "StandardScaler"
    # The variance of a feature such as 1e-170 and 2e-170 is zero.
    ratio = deviation[large] / deviation[small] if deviation[small] > 0 else np.inf
    yield catalogue.SCALING(
        large=data.names[large],
        large_deviation=deviation[large],
        ratio=ratio,
        small=data.names[small],
        small_deviation=deviation[small],
        n=len(hidden),
        limit=RATIO,
        hidden=listed(data.names[k] for k in hidden),
        scaler=scaler,
    )


def duplicate_findings(data: Data, points: Points) -> Iterator[Finding]:
    """Repeated samples, contradictions among them, and data that are one point."""
    n, n_points = len(data.index), len(points.first)
    copies = int(np.maximum(points.counts - 1, 0).sum())
    if copies:
        yield catalogue.DUPLICATES(n=copies, noun=data.noun, percent=100 * copies / n)
    mixed = (points.counts > 0).sum(axis=1) > 1
    if mixed.any():
        there = points.counts[mixed]
        floor = int((there.sum(axis=1) - there.max(axis=1)).sum())
        yield catalogue.CONFLICTS(
            n=int(there.sum()),
            noun=data.noun,
            n_groups=int(mixed.sum()),
            n_errors=floor,
            percent=100 * floor / n,
        )
    if n_points == 1 < n:
        yield catalogue.IDENTICAL(n=n, noun=data.noun)


def near_copies_findings(data: Data) -> Iterator[Finding]:
    """Samples that are far closer to each other than usual, if their features have one scale."""
    group = near_copies(data.scaled("standard").X, row_hashes(data.X)[0])
    if group is not None:
        yield near_copies_finding(group)


MANY = 50_000  # samples from which only some blocks of the pairs are looked at
N_BLOCKS = 200  # of every two classes


def curve_findings(data: Data, random_state: int) -> list[Finding]:
    """Peak, plateau or boundary of DBTC for every one-vs-rest problem; samples are already mapped."""
    if data.counts.min() < 2:
        return [catalogue.CURVE_NOT_SEEN(label=data.classes[int(data.counts.argmin())])]
    n_blocks = N_BLOCKS if len(data.index) > MANY else None
    sketch = DistanceSketch.from_data(data.X, data.index, n_blocks=n_blocks, random_state=random_state)
    with warnings.catch_warnings():
        # What the search warns of is said by the finding.
        warnings.simplefilter("ignore", BoundaryWarning)
        try:
            best = sketch.maximize("dbtc", strategy="ovr")
        except DegenerateGramError:
            return [catalogue.CURVE_NOWHERE()]
    names = [f"class {label!r}" for label in data.classes] if len(best.problems) > 1 else ["the two classes"]
    reasons = zip(names, best.stop_reasons, strict=True)
    flat = [f"{name}: {reason}" for name, reason in reasons if reason != "interior peak"]
    seen = "" if n_blocks is None else f" (as far as {N_BLOCKS} random blocks of pairs show)"
    if flat:
        return [catalogue.CURVE_FLAT(seen=seen, n_flat=len(flat), n=len(names), problems=listed(flat))]
    return [
        catalogue.CURVE_PEAK(
            noun=data.noun, distance=sigma_of(best.gamma), unit=data.unit, seen=seen, gamma=best.gamma
        )
    ]


# Seconds of one core (2026) for each of the n² kernel values, at C = 1, γ = "scale", n from 500 to 20 000 and
# 2 or 30 % label noise: measured 1.5–9 ns by rows with 20 features (19 ns once), 11–22 ns with 100; 16–22 ns
# with the Gram matrix of a Gaussian kernel, 65–100 ns with that of a polynomial or linear one; five classes
# took twice that. At C = 100 and 10 000 a noisy set took 18 and 100 times as long as at C = 1.
BY_ROWS, BY_GRAM, BY_OTHER_GRAM, PER_FEATURE = 3e-9, 15e-9, 80e-9, 0.1e-9
MANY_CLASSES = 2.0
LONG = 600.0


def cost_findings(data: Data) -> list[Finding]:
    """Predicted seconds and memory of one ``SVC().fit``."""
    n = data.X.shape[0]
    by_rows = trains_by_rows(data.kernel, data.X, n, SVC().memory_limit)
    seconds = predicted_seconds(data, by_rows)
    gram = f"Gram matrix of {amount(8 * n * n)}"
    how = f"rows of the kernel, not its {gram}" if by_rows else f"the {gram}"
    time = "less than 0.01 s" if seconds < 0.01 else f"about {seconds:.1g} s"
    entry = catalogue.COST if seconds <= LONG else catalogue.HIGH_COST
    return [entry(n_rows=n, noun=data.noun, time=time, how=how)]


def predicted_seconds(data: Data, by_rows: bool) -> float:
    """(a + b·d) n² with the constants above; d is the number of features that are not zero."""
    n, d = data.X.shape
    if sparse.issparse(data.X):
        d = data.X.nnz / n
    each = BY_OTHER_GRAM
    if data.kernel.is_gaussian:
        each = BY_ROWS if by_rows else BY_GRAM
    return (each + PER_FEATURE * d) * n * n * (MANY_CLASSES if len(data.classes) > 2 else 1.0)
