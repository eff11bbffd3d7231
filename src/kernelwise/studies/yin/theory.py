"""What paper 004 (Yin and Yin 2016) says of ESDR itself in section 3, and whether it is so.

ESDR is to be 1 for classes that are mixed completely, to go to 1 for σ → 0, and to the ESDR of the original
space for σ → ∞. Equations 11 and 12 count every sample as a neighbour of itself, so that for n samples 1 is
n/(n − 2); criterion "esdr-unbiased" leaves these pairs out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from kernelwise.criteria import as_criterion
from kernelwise.kernels import RBF, Linear, Polynomial, Sigmoid
from kernelwise.metrics import esdr, inter_class_distance
from kernelwise.selection.yin import CRITERIA
from kernelwise.studies.notions import is_significant, rank_correlation
from kernelwise.studies.tables import Row, grouped

#: Numbers of samples whose labels are drawn at random, and how often.
SIZES, N_DRAWS = (10, 30, 100, 300), 200
#: σ at the two ends, on standardised features; the paper's range is from 2⁻⁸ to 2⁹.
NARROW, WIDE = 2.0**-12, (2.0**6, 2.0**9)
#: Accuracies of banknote: what a straight line reaches easily, and nearly all rows.
OF_A_LINE, OF_ALL = 0.978, 0.999


def mixed_rows(n_draws: int = N_DRAWS) -> list[Row]:
    """ESDR of two classes that are one: standard normal points with random labels, at σ = 1."""
    unbiased = as_criterion("esdr-unbiased")
    rows = []
    for n in SIZES:
        values = []
        for draw in range(n_draws):
            random = np.random.default_rng([n, draw])
            K = RBF(0.5)(random.normal(size=(n, 2)))
            y = random.permutation(np.arange(n) % 2)
            values.append([esdr(K, y), unbiased.score(K, y)])
        plain, without = np.mean(values, axis=0)
        rows.append(
            {
                "samples": n,
                "draws": n_draws,
                "ESDR": float(plain),
                "n/(n − 2)": n / (n - 2),
                "without self-pairs": float(without),
            }
        )
    return rows


def limit_rows(name: str, X: np.ndarray, y: np.ndarray) -> Row:
    """ESDR of a set at both ends of σ, beside its limits."""
    Z = StandardScaler().fit_transform(X)
    original = esdr(Linear()(Z), y)
    row: Row = {"data": name, "original space": original}
    for sigma in WIDE:
        away = abs(esdr(RBF(0.5 / sigma**2)(Z), y) / original - 1)
        row[f"relative difference at σ = 2^{np.log2(sigma):.0f}"] = float(away)
    row["at σ = 2^-12"] = esdr(RBF(0.5 / NARROW**2)(Z), y)
    row["n/(n − 2)"] = len(y) / (len(y) - 2)
    row["repeated rows"] = len(Z) - len(np.unique(Z, axis=0))
    return row


def equation_16() -> float:
    """The largest relative difference of equation 16's two sides, for kernels that are not normalised."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), np.repeat([-1, 1], [20, 30])
    worst = 0.0
    for kernel in (Linear(), Polynomial(3), Sigmoid(0.1, 0.5)):
        K = kernel(X)
        square = K.diagonal()[:, None] - 2 * K + K.diagonal()
        a, b, c = (square[np.ix_(y == i, y == j)].mean() for i, j in ((-1, 1), (-1, -1), (1, 1)))
        expected = inter_class_distance(K, y)
        worst = max(worst, abs(a - b / 2 - c / 2 - expected) / abs(expected))
    return worst


def follow_rows(rows: list[Row]) -> list[Row]:
    """A row for every set, kind of folds and criterion, from the rows of figures 4 to 7.

    "rank correlation" is Spearman's over all σ. "opposite steps" is the share of the steps between
    neighbouring σ at which criterion and accuracy move in opposite directions. There is "signal" if the best
    accuracy is significantly above the share of the larger class.
    """
    found = []
    for (name, folds), of_set in grouped(rows, "data", "folds").items():
        best = max(of_set, key=lambda row: row["cv accuracy"])
        accuracy = np.array([row["cv accuracy"] for row in of_set])
        gain, error = best["cv accuracy"] - best["larger class"], best["± s.e."]
        for criterion in CRITERIA:
            values = np.array([row[criterion] for row in of_set])
            moves = np.sign(np.diff(values)) * np.sign(np.diff(accuracy))
            found.append(
                {
                    "data": name,
                    "folds": folds,
                    "criterion": criterion,
                    "rank correlation": rank_correlation(values, accuracy),
                    "opposite steps": float(np.mean(moves < 0)),
                    "largest value": float(values.max()),
                    "lowest accuracy": float(accuracy.min()),
                    "best accuracy": best["cv accuracy"],
                    "± s.e.": error,
                    "larger class": best["larger class"],
                    "signal": gain > 0 and is_significant(gain, error),
                    "widths": len(of_set),
                }
            )
    return found


def wide_rows(found: dict[int, dict[str, Any]]) -> list[Row]:
    """A row for every width: log₂ of the smallest C that reaches each accuracy, None if none does."""
    rows = []
    for exponent, curve in found.items():
        accuracies, Cs = np.array(curve["accuracies"]), np.array(curve["Cs"])
        smallest = [
            float(np.log2(Cs[accuracies >= level][0])) if (accuracies >= level).any() else None
            for level in (OF_A_LINE, OF_ALL)
        ]
        rows.append(
            {
                "data": "banknote",
                "log2 sigma": exponent,
                f"C for {OF_A_LINE}": smallest[0],
                f"C for {OF_ALL}": smallest[1],
                "best accuracy": float(accuracies.max()),
            }
        )
    return rows


def slope(rows: list[Row], column: str) -> float | None:
    """By how much log₂ C grows with log₂ σ: a line through all rows that have a C, or None."""
    points = [(row["log2 sigma"], row[column]) for row in rows if row[column] is not None]
    if len(points) < 2:
        return None
    sigmas, Cs = np.array(points, dtype=float).T
    return float(np.polyfit(sigmas, Cs, 1)[0])
