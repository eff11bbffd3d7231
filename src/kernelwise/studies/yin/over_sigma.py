"""Criteria and accuracy over σ in paper 004 (Yin and Yin 2016): figures 2 to 9, and what it says of them.

Of ESDR itself section 3 says that it is 1 for classes that are mixed completely, goes to 1 for σ → 0, and to
the ESDR of the original space for σ → ∞. Equations 11 and 12 count every sample as a neighbour of itself, so
that for n samples 1 is n/(n − 2); criterion "esdr-unbiased" leaves these pairs out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from kernelwise.criteria import as_criterion
from kernelwise.datasets import gaussian_esdr, gaussian_grid_parameters
from kernelwise.kernels import RBF, Linear, Polynomial, Sigmoid
from kernelwise.metrics import esdr, inter_class_distance
from kernelwise.selection.yin import CRITERIA
from kernelwise.studies.figures import Band, Curves, Line, Mark, Panel
from kernelwise.studies.notions import error_of_share, has_signal, majority, rank_correlation
from kernelwise.studies.tables import Row, grouped
from kernelwise.studies.yin.repeated import PAPERS, TOGETHER

Found = dict[str, Any]
LOG_SIGMA, LOG_C = "log₂ σ (standardised features)", "log₂ C"
ACCURACY = "best CV accuracy"
#: Figure 8 is "for a large σ", which the paper does not name.
LARGE_SIGMA = 2.0**6
NAMES = {PAPERS: "the paper's folds", TOGETHER: "copies kept together"}


def curve_rows(found: dict[tuple[str, str], Found], labels: dict[str, np.ndarray]) -> list[Row]:
    """A row for every set, kind of folds and σ, with the standard error of the accuracy.

    There is "signal" if the best accuracy over all σ is significantly above the share of the larger class.
    """
    rows = []
    for (name, folds), curves in found.items():
        y = labels[name]
        larger = majority(y)
        top = float(np.max(curves["accuracies"]))
        signal = has_signal(top, larger, error_of_share(top, len(y)))
        for k, sigma in enumerate(curves["sigmas"]):
            best = max(curves["accuracies"][k])
            rows.append(
                {
                    "data": name,
                    "folds": folds,
                    "log2 sigma": float(np.log2(sigma)),
                    **{criterion: scores[k] for criterion, scores in curves["criteria"].items()},
                    "cv accuracy": best,
                    "± s.e.": error_of_share(best, len(y)),
                    "larger class": larger,
                    "signal": signal,
                }
            )
    return rows


def by_sigma(rows: list[Row], paper: dict[str, float]) -> Curves:
    """Figures 4 to 7: accuracy and the three criteria over σ, with what chance and the larger class make.

    ``rows`` as from `curve_rows`; ``paper`` has the paper's accuracy of the full grid.
    """
    panels = []
    for name, of_set in grouped(rows, "data").items():
        lines, bands = [], []
        for folds, curve in grouped(of_set, "folds").items():
            x, best, error = (
                [row[column] for row in curve] for column in ("log2 sigma", "cv accuracy", "± s.e.")
            )
            lines.append(Line(f"accuracy, {NAMES[folds]}", x, best))
            bands.append(Band("one standard error to either side", x, *spread(best, error)))
        marks = (
            Mark("share of the larger class", curve[0]["larger class"]),
            Mark("the paper's best accuracy", paper[name]),
        )
        panels.append(
            Panel(f"{name}: figure 4", LOG_SIGMA, ACCURACY, tuple(lines), marks, bands=(bands[-1],))
        )
        for number, criterion in enumerate(CRITERIA, start=5):
            label = criterion.upper()
            line = Line(label, x, [row[criterion] for row in curve])
            panels.append(Panel(f"{name}: figure {number}", LOG_SIGMA, label, (line,)))
    caption = (
        "Figures 4 to 7: the best cross-validation accuracy over C, ESDR, DBTC and J4 over the width. A "
        "criterion is a good guide if it is highest where the accuracy is. Where the accuracy stays within "
        "a standard error (the band) of the share of the larger class, there is nothing to follow."
    )
    return Curves(caption, tuple(panels), n_columns=4)


def spread(values: Sequence[float], errors: Sequence[float]) -> tuple[list[float], list[float]]:
    """One standard error below and above the values."""
    pairs = list(zip(values, errors, strict=True))
    return [value - error for value, error in pairs], [value + error for value, error in pairs]


def by_C_rows(curves: Found) -> list[Row]:
    """Figure 8: the accuracy over C at the σ next to the large one."""
    k = int(np.abs(np.log(np.array(curves["sigmas"]) / LARGE_SIGMA)).argmin())
    log_sigma = float(np.log2(curves["sigmas"][k]))
    return [
        {"log2 sigma": log_sigma, "log2 C": float(np.log2(C)), "cv accuracy": accuracy}
        for C, accuracy in zip(curves["Cs"], curves["accuracies"][k], strict=True)
    ]


def by_C(curves: Found) -> Curves:
    """Figure 8."""
    rows = by_C_rows(curves)
    x, y = ([row[column] for row in rows] for column in ("log2 C", "cv accuracy"))
    line = Line(f"log₂ σ = {rows[0]['log2 sigma']:g}", x, y)
    panel = Panel("banknote: figure 8", LOG_C, "CV accuracy", (line,))
    caption = "Figure 8: with a wide kernel, accuracy still rises where the range of C ends."
    return Curves(caption, (panel,))


def circles() -> Curves:
    """Figure 2: five rows of five images; each class as circles of one, two and three standard deviations."""
    turn = np.linspace(0.0, 2.0 * np.pi, 61)
    panels = []
    for i in range(1, 6):
        for j in range(1, 6):
            pair = gaussian_grid_parameters(i, j)
            lines = []
            for name, mu, var in (("class 1", pair.mu1, pair.var1), ("class 2", pair.mu2, pair.var2)):
                x: list[float] = []
                y: list[float | None] = []
                for radius in np.sqrt(var[0]) * np.arange(1, 4):
                    x += [*(mu[0] + radius * np.cos(turn)), mu[0]]
                    y += [*(mu[1] + radius * np.sin(turn)), None]  # a gap between two circles
                lines.append(Line(name, x, y))
            panels.append(Panel(f"image ({i}, {j})", "x₁", "x₂", tuple(lines)))
    caption = (
        "Figure 2: two Gaussian classes in the plane as circles of one, two and three standard deviations, "
        "exp(row − 3) and exp(column − 3)."
    )
    return Curves(caption, tuple(panels), n_columns=5)


def closed_form_rows(sigmas: Sequence[float]) -> list[Row]:
    """Figure 3: a row for every image and σ."""
    rows = []
    for i in range(1, 6):
        for j in range(1, 6):
            values = np.atleast_1d(gaussian_esdr(np.array(sigmas), *gaussian_grid_parameters(i, j)))
            rows += [
                {"row": i, "column": j, "log2 sigma": float(np.log2(sigma)), "esdr": float(value)}
                for sigma, value in zip(sigmas, values, strict=True)
            ]
    return rows


def closed_form(rows: list[Row]) -> Curves:
    """Figure 3: five rows of five images."""
    panels = []
    for image, chosen in grouped(rows, "row", "column").items():
        x, y = ([row[column] for row in chosen] for column in ("log2 sigma", "esdr"))
        line = Line("ESDR (equations 8, 17, 18)", x, y)
        panels.append(Panel(f"image {image}", "log₂ σ", "ESDR", (line,), (Mark("limit for σ → 0", 1.0),)))
    caption = (
        "Figure 3: ESDR of two Gaussian classes; variances exp(2(row − 3)) and exp(2(column − 3)), means (0, "
        "0) and (1, 1)."
    )
    return Curves(caption, tuple(panels), n_columns=5)


def image_rows(found: dict[tuple[int, int], Found]) -> list[Row]:
    """Figure 9: a row for every image and σ."""
    return [
        {
            "row": image[0],
            "column": image[1],
            "log2 sigma": float(np.log2(sigma)),
            **{criterion: scores[k] for criterion, scores in curves["criteria"].items()},
            "cv accuracy": max(curves["accuracies"][k]),
        }
        for image, curves in found.items()
        for k, sigma in enumerate(curves["sigmas"])
    ]


def images(found: dict[tuple[int, int], Found]) -> Curves:
    """Figure 9: accuracy over σ, with ESDR of the same samples below it."""
    panels = []
    for label, column in (("accuracy", ACCURACY), ("ESDR of the samples", "ESDR")):
        for image, curves in found.items():
            best = [max(row) for row in curves["accuracies"]]
            y = best if column == ACCURACY else curves["criteria"]["esdr"]
            line = Line(label, np.log2(curves["sigmas"]).tolist(), y)
            panels.append(Panel(f"image {image}", LOG_SIGMA, column, (line,)))
    caption = "Figure 9: the best accuracy over C of 100 samples of each class, and their ESDR."
    return Curves(caption, tuple(panels), n_columns=2)


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
    neighbouring σ at which criterion and accuracy move in opposite directions.
    """
    found = []
    for (name, folds), of_set in grouped(rows, "data", "folds").items():
        best = max(of_set, key=lambda row: row["cv accuracy"])
        accuracy = np.array([row["cv accuracy"] for row in of_set])
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
                    "± s.e.": best["± s.e."],
                    "larger class": best["larger class"],
                    "signal": best["signal"],
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
