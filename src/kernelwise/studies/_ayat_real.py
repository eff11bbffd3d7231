"""Tables 2 and 3 of paper 001 (Ayat and others 2002) on data that can be had: digits and breast cancer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from kernelwise.kernels import KMOD, RBF, Kernel, Polynomial
from kernelwise.selection import ayat_select, z_test
from kernelwise.selection.ayat.scale_scan import CHOICES
from kernelwise.studies._table import Row

Samples = tuple[np.ndarray, np.ndarray]

#: Kernels of table 3, with the paper's recognition rates and support vectors: not optimised, optimised.
DIGITS: dict[str, tuple[Kernel, tuple[float, int, float, int]]] = {
    "KMOD": (KMOD(), (98.56, 527, 98.98, 198)),
    "polynomial 4": (Polynomial(4), (98.40, 513, 98.81, 203)),
    "polynomial 3": (Polynomial(3), (97.88, 677, 98.25, 385)),
    "RBF": (RBF(), (98.03, 540, 98.51, 222)),
}
#: Errors in table 2, in per cent, on the breast cancer set of Rätsch's benchmark (263 patients, Ljubljana).
CANCER: dict[str, tuple[Kernel, str]] = {"KMOD": (KMOD(), "25.4 ± 4.4"), "RBF": (RBF(), "26.0 ± 4.7")}


def digit_cell(kernel_name: str, train: Samples, test: Samples, **settings: Any) -> dict[str, Any]:
    """Pairwise machines of one kernel before and after the search; ``settings`` as of `ayat_select`.

    Before: one kernel for all pairs, read off the training data (`Kernel.initialize`), and C = 1000. After:
    each pair's own, by either rule of ``choose``.
    """
    X, y = train
    start = DIGITS[kernel_name][0].initialize(X, y)
    found = {}
    for choose in CHOICES[::-1]:
        result = ayat_select(X, y, kernel=start, choose=choose, **settings).summary(*test)
        found["before"], found[choose] = result["before"], result["after"]
    return found


def digit_rows(name: str, found: dict[str, dict[str, Any]], n_test: int) -> list[Row]:
    """Table 3 from the cells of all kernels.

    Recognised means that the right class won against every other. z compares a kernel's rate with that of
    KMOD (95 %: 1.96).
    """
    rows = []
    for kernel_name, summaries in found.items():
        printed = DIGITS[kernel_name][1]
        for tuned, row in summaries.items():
            paper_rate, paper_support = printed[:2] if tuned == "before" else printed[2:]
            of_kmod = found["KMOD"][tuned]["recognition"]
            rows.append(
                {
                    "data": name,
                    "kernel": kernel_name,
                    "tuned": tuned,
                    "recognised %": 100 * row["recognition"],
                    "paper's %": paper_rate,
                    "rejected %": 100 * row["rejection"],
                    "by vote %": 100 * row["accuracy"],
                    "support": row["support_vectors"],
                    "paper's": paper_support,
                    "z": z_test(row["recognition"], of_kmod, n_test)[0],
                }
            )
    return rows


def digit_sentences(rows: list[Row]) -> Iterator[str]:
    """What tuning does to each kernel's rate and support vectors, here and in the paper."""
    found = {(row["kernel"], row["tuned"]): row for row in rows}
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        before, after = found[kernel, "before"], found[kernel, "fewest"]
        ours, theirs = (after[column] - before[column] for column in ("recognised %", "paper's %"))
        fewer, printed = ((before[column], after[column]) for column in ("support", "paper's"))
        yield (
            f"{before['data']}, {kernel}: tuning moves recognition by {ours:+.2f} points (the paper's "
            f"digits: {theirs:+.2f}) and the number of support vectors from {fewer[0]:.0f} to {fewer[1]:.0f} "
            f"({printed[0]} to {printed[1]})."
        )


def cancer_cell(kernel_name: str, X: np.ndarray, y: np.ndarray, split: int, **settings: Any) -> list[float]:
    """Error in per cent and support vectors, before and after, every choice made on the training half."""
    halves = StratifiedShuffleSplit(split + 1, test_size=0.5, random_state=0).split(X, y)
    train, test = list(halves)[split]
    scaler = StandardScaler().fit(X[train])
    Z, kernel = scaler.transform(X[train]), CANCER[kernel_name][0]
    result = ayat_select(Z, y[train], kernel=kernel.initialize(Z, y[train]), **settings)
    summary = result.summary(scaler.transform(X[test]), y[test])
    return [
        value
        for when in ("before", "after")
        for value in (100 * (1 - summary[when]["accuracy"]), float(summary[when]["support_vectors"]))
    ]


def cancer_row(kernel_name: str, found: list[list[float]]) -> Row:
    """Table 2 on the Wisconsin set: means over random halves.

    The paper's figures are for another set, Ljubljana's, which is far harder; they are shown as a reminder,
    not to be compared.
    """
    means, spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1 if len(found) > 1 else 0)
    return {
        "data": "breast_cancer_wisconsin",
        "kernel": kernel_name,
        "splits": len(found),
        "error % before": means[0],
        "error % after": means[2],
        "spread": spread[2],
        "support before": means[1],
        "support after": means[3],
        "paper's (Ljubljana)": CANCER[kernel_name][1],
    }
