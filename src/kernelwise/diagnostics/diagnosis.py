"""All checks of the data, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from kernelwise._core.notebook import block, table
from kernelwise._core.validation import check_choice
from kernelwise.diagnostics._classes import class_findings
from kernelwise.diagnostics._cost import cost_findings
from kernelwise.diagnostics._curve import curve_findings
from kernelwise.diagnostics._data import Data
from kernelwise.diagnostics._duplicates import duplicate_findings
from kernelwise.diagnostics._features import feature_findings, table_findings, value_findings
from kernelwise.diagnostics._points import Points, distinct_points
from kernelwise.diagnostics._targets import as_targets, conflict_findings, target_findings
from kernelwise.diagnostics._theorems import verdict_on
from kernelwise.diagnostics.spellings import TWO_SPELLINGS
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.search.leaks import column_findings

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
        return block("Diagnosis", table(["severity", "finding", "what was found", "what to do"], rows))

    def to_frame(self) -> Any:
        """Return the findings as a pandas DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(
            [asdict(finding) for finding in self], columns=[field.name for field in fields(Finding)]
        )


def diagnose(
    X: Any,
    y: Any,
    *,
    kernel: Any = None,
    random_state: int = 0,
    feature_names: Any = None,
    task: str = "classification",
    lines: Any = None,
    pairs: bool = True,
    scale: Any = None,
    categorical_features: Any = "from_dtype",
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
        "duplicates", "conflicts", "identical", "kernel", "closest-pair", "curve", "cost"; for a regression
        also "constant target" and "outliers"; for a table with words or gaps also "gaps", "whole numbers that
        may be words", "words that name rows" and "empty columns".

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
    if any(finding.name == "values" for finding in findings):
        return _diagnosis(findings)
    table, names = data.columns
    findings += column_findings(table, data.index, names, is_classes=True)
    data = data.scaled(scale)
    findings += feature_findings(data)
    points = distinct_points(data.X, data.index, len(data.classes))
    findings += duplicate_findings(data, points)
    if pairs:
        data, about_pairs = _pair_findings(data, points, random_state)
        findings += about_pairs
    return _diagnosis([*findings, *cost_findings(data)])


def diagnose_pairs(X: Any, y: Any, kernel: Kernel, lines: Any = None) -> list[Finding]:
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


def _of_numbers(data: Data, y: Any, scale: Any) -> Diagnosis:
    """The checks of a regression, whose samples are all of one class here."""
    y = as_targets(y, len(data.index))
    findings = [*target_findings(data, y), *value_findings(data), *table_findings(data)]
    if any(finding.name == "values" for finding in findings):
        return _diagnosis(findings)
    table, names = data.columns
    findings += column_findings(table, y, names, is_classes=False)
    data = data.scaled(scale)
    return _diagnosis([*findings, *feature_findings(data), *conflict_findings(data, y), *cost_findings(data)])


def most_serious_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by their severity; labels written in two ways come first, since other findings follow."""

    def rank(finding: Finding) -> tuple[bool, int]:
        return finding.name != TWO_SPELLINGS, SEVERITIES.index(finding.severity)

    return sorted(findings, key=rank)


def _diagnosis(findings: list[Finding]) -> Diagnosis:
    return Diagnosis(most_serious_first(findings))
