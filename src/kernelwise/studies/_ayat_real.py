"""Tables 2 and 3 of paper 001 (Ayat and others 2002) on data that can be had: breast cancer and digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from kernelwise.estimators import TunedSVC
from kernelwise.kernels import KMOD, RBF, Kernel, Polynomial
from kernelwise.selection import ayat_select, mcnemar_test, z_test
from kernelwise.studies._ayat_rivals import made
from kernelwise.studies._table import Row

Samples = tuple[np.ndarray, np.ndarray]

#: Kernels of table 3, with the paper's recognition rates and support vectors: not optimised, optimised.
DIGITS: dict[str, tuple[Kernel, tuple[float, int, float, int]]] = {
    "KMOD": (KMOD(), (98.56, 527, 98.98, 198)),
    "polynomial 4": (Polynomial(4), (98.40, 513, 98.81, 203)),
    "polynomial 3": (Polynomial(3), (97.88, 677, 98.25, 385)),
    "RBF": (RBF(), (98.03, 540, 98.51, 222)),
}
BEFORE, TUNED_SVC = "before", "TunedSVC"
#: What is minimised, and which point of the search is taken: settings of `ayat_select`.
RULES: dict[str, dict[str, str]] = {
    "E, lowest": {"choose": "lowest"},
    "E, fewest": {"choose": "fewest"},
    "likelihood": {"loss": "likelihood", "choose": "lowest"},
}


class Plan(NamedTuple):
    """Of a set of digits: every which training row, and the rules by kernel, in full and quickly."""

    step: int
    rules: dict[str, tuple[str, ...]]
    quick: dict[str, tuple[str, ...]]


_BOTH = ("E, lowest", "likelihood")
#: Of the 256 features of usps a sixth of the training rows and two kernels, for time.
DIGIT_SETS = {
    "optdigits": Plan(
        1,
        {"KMOD": tuple(RULES), "RBF": tuple(RULES), "polynomial 4": _BOTH, "polynomial 3": _BOTH},
        {"KMOD": _BOTH, "RBF": _BOTH},
    ),
    "usps": Plan(6, {"KMOD": _BOTH, "RBF": _BOTH}, {}),
}
#: Errors of table 2, in per cent.
CANCER_SET, N_TEST = "breast_cancer_ljubljana", 77
CANCER_PAPER = {"KMOD": "25.4 ± 4.4", "RBF": "26.0 ± 4.7"}
CANCER = (*((kernel, rule) for kernel in CANCER_PAPER for rule in RULES), ("RBF", TUNED_SVC))


def digit_cell(kernel_name: str, rule: str, train: Samples, test: Samples) -> dict[str, Any]:
    """Pairwise machines of one kernel before and after the search by one rule.

    Before: one kernel for all pairs, read off the training data (`Kernel.initialize`), and C = 1000. After:
    each pair's own.
    """
    X, y = train
    result = ayat_select(X, y, kernel=DIGITS[kernel_name][0].initialize(X, y), **RULES[rule])  # type: ignore[arg-type]
    summary = result.summary(*test)
    n_iterations = [pair.search.n_iterations for pair in result.pairs]
    return {
        "iterations": [min(n_iterations), max(n_iterations)],
        **{
            when: {**summary[when], "recognised": result.recognised(*test, tuned=is_tuned).astype(int)}
            for when, is_tuned in ((BEFORE, False), ("after", True))
        },
    }


def digit_rows(name: str, found: dict[tuple[str, str], dict[str, Any]]) -> list[Row]:
    """Table 3 from the cells of all kernels and rules.

    Recognised means that the right class won against every other. z and McNemar's p compare with KMOD by the
    same rule (95 %: |z| > 1.96, p < 0.05); "p of tuning" compares with the same kernel before. Iterations
    are the fewest and the most of a pair; of radial kernels the first is the scan.
    """
    rows = []
    for kernel, rule in _rows_of(found):
        cell = found[kernel, rule if rule != BEFORE else next(r for k, r in found if k == kernel)]
        row, before = cell[BEFORE if rule == BEFORE else "after"], cell[BEFORE]
        of_kmod = found["KMOD", rule if rule != BEFORE else next(r for k, r in found if k == "KMOD")]
        kmod = of_kmod[BEFORE if rule == BEFORE else "after"]["recognised"]
        rows.append(
            {
                "data": name,
                "kernel": kernel,
                "tuned": rule,
                "recognised %": 100 * row["recognition"],
                "rejected %": 100 * row["rejection"],
                "by vote %": 100 * row["accuracy"],
                "support": row["support_vectors"],
                "iterations": None if rule == BEFORE else "{} to {}".format(*cell["iterations"]),
                "z against KMOD": z_test(row["recognised"], kmod)[0],
                "p against KMOD": mcnemar_test(row["recognised"], kmod).p_value,
                "p of tuning": mcnemar_test(row["recognised"], before["recognised"]).p_value,
            }
        )
    return rows


def _rows_of(found: dict[tuple[str, str], Any]) -> Iterator[tuple[str, str]]:
    for kernel in dict.fromkeys(kernel for kernel, _ in found):
        yield kernel, BEFORE
        yield from (key for key in found if key[0] == kernel)


def digit_sentences(rows: list[Row]) -> Iterator[str]:
    """What tuning does to each kernel's rate and support vectors."""
    found = {(row["data"], row["kernel"], row["tuned"]): row for row in rows}
    for (data, kernel, rule), after in found.items():
        if rule != BEFORE:
            before = found[data, kernel, BEFORE]
            yield (
                f"{data}, {kernel}, {rule}: tuning changes the recognition rate by "
                f"{after['recognised %'] - before['recognised %']:+.2f} points (McNemar's p "
                f"{after['p of tuning']:.2g}) and the number of support vectors from "
                f"{before['support']:.0f} to {after['support']:.0f}."
            )


def cancer_parts(X: np.ndarray, y: np.ndarray, split: int) -> tuple[Samples, Samples]:
    """Training and test part of a random split, scaled as the training part says."""
    parts = StratifiedShuffleSplit(split + 1, test_size=N_TEST, random_state=0).split(X, y)
    train, test = list(parts)[split]
    scaler = StandardScaler().fit(X[train])
    return (scaler.transform(X[train]), y[train]), (scaler.transform(X[test]), y[test])


def rival_cell(name: str, X: np.ndarray, y: np.ndarray, split: int) -> float:
    """Error in per cent of another classifier of table 2."""
    train, test = cancer_parts(X, y, split)
    return 100 * (1 - float(made(name).fit(*train).score(*test)))


def cancer_cell(kernel_name: str, rule: str, X: np.ndarray, y: np.ndarray, split: int) -> list[float | None]:
    """Error in per cent and support vectors, before and after, every choice made on 200 training rows."""
    (Z, labels), test = cancer_parts(X, y, split)
    if rule == TUNED_SVC:
        model = TunedSVC("rbf", random_state=0).fit(Z, labels)
        return [None, None, 100 * (1 - model.score(*test)), None]
    start = DIGITS[kernel_name][0].initialize(Z, labels)
    result = ayat_select(Z, labels, kernel=start, refit=True, **RULES[rule])  # type: ignore[arg-type]
    summary = result.summary(*test)
    return [
        value
        for when in (BEFORE, "after")
        for value in (100 * (1 - summary[when]["accuracy"]), float(summary[when]["support_vectors"]))
    ]


def cancer_row(kernel_name: str, rule: str, found: list[list[float | None]], y: np.ndarray) -> Row:
    """Table 2: means over random splits, and the spread of the error after tuning over them."""
    values = np.array(found, dtype=float)
    means = [None if np.isnan(column).all() else float(column.mean()) for column in values.T]
    return {
        "kernel": kernel_name,
        "tuned": rule,
        "splits": len(found),
        "error % before": means[0],
        "error % after": means[2],
        "spread": float(np.std(values[:, 2], ddof=1 if len(found) > 1 else 0)),
        "support before": means[1],
        "support after": means[3],
        "smaller class %": 100 * float(np.unique(y, return_counts=True)[1].min() / len(y)),
        "paper's": CANCER_PAPER[kernel_name],
    }
