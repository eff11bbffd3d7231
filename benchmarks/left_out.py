"""``python -m benchmarks.left_out``: ξα and GACV beside what really happens without each row, on twenty sets.

For every set, width and C, one machine is trained on all rows and one without each row. The sets have two
classes: of more, the first against the others. Printed are, for each set:

- the mean leave-one-out error over the settings;
- of ξα with ρ = 2, with ρ = 1, and of GACV: the correlation with the leave-one-out error over the settings,
  and "lost", by how much the leave-one-out error at the setting where the estimate is lowest is above the
  lowest one, in points;
- of ξα also the mean of the estimate minus the truth, and the share of settings in which it is not below it;
- of GACV also the correlation with, and the mean difference from, the left-out hinge loss, which it is for.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import scale

from benchmarks.span import CS, WIDTHS, left_out, two_class
from kernelwise.criteria import GACV, XiAlpha
from kernelwise.datasets import load
from kernelwise.kernels import RBF
from kernelwise.search.propose.candidates import median_distance
from kernelwise.studies.beyond import SETS
from kernelwise.studies.study import few_rows

#: Those of the study `beyond`, and two more.
TWENTY = (*SETS, "dna", "pendigits")
HEAD = ("set", "rows", "error", "ξα r", "lost", "− error", "not below", "ξα, ρ = 1 r", "lost", "− error")
HEAD += ("not below", "GACV r", "lost", "r of loss", "− loss")


class Setting(NamedTuple):
    """Estimates and truth for one width and C."""

    xi_alpha: float
    xi_alpha_1: float
    gacv: float
    error: float
    loss: float


def settings_of(X: np.ndarray, signs: np.ndarray) -> list[Setting]:
    """A `Setting` for each width and C."""
    n, found = len(signs), []
    median = median_distance(RBF(1.0).squared_distances(X))
    for width, C in product(WIDTHS, CS):
        K = RBF(width / median)(X)
        signed = left_out(two_class(K, signs), np.arange(n), C)
        error, loss = float(np.mean(signed < 0)), float(np.mean(np.maximum(0.0, 1.0 - signed)))
        estimates = [criterion.value(K, signs) for criterion in (XiAlpha(C), XiAlpha(C, 1.0), GACV(C))]
        found.append(Setting(*estimates, error, loss))
    return found


def row_of(settings: list[Setting]) -> list[float]:
    """The numbers of a row of the table after the rows of the set."""
    xi_alpha, xi_alpha_1, gacv, error, loss = np.array(settings).T
    numbers = [100 * error.mean()]
    for estimate in (xi_alpha, xi_alpha_1):
        below = 100 * np.mean(estimate >= error - 1e-12)
        numbers += [*_followed(estimate, error), 100 * np.mean(estimate - error), below]
    return [*numbers, *_followed(gacv, error), _correlation(gacv, loss), float(np.mean(gacv - loss))]


def _followed(estimate: np.ndarray, error: np.ndarray) -> tuple[float, float]:
    """The correlation, and what choosing by the estimate loses, in points."""
    return _correlation(estimate, error), 100 * float(error[estimate.argmin()] - error.min())


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1])


def cells_of(name: str, rows: str, numbers: np.ndarray) -> list[str]:
    """A row of the table as texts."""
    formats = ["{:.1f} %", *(["{:.2f}", "{:.1f}", "{:+.1f} %", "{:.0f} %"] * 2), "{:.2f}", "{:.1f}"]
    formats += ["{:.2f}", "{:+.2f}"]
    return [name, rows, *(form.format(value) for form, value in zip(formats, numbers, strict=True))]


def table(names: list[str], n_rows: int) -> None:
    """Print a row for each set, and the means."""
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    found = []
    for name in names:
        X, y = few_rows(*load(name), n_rows)
        signs = np.where(y == np.unique(y)[0], 1.0, -1.0)
        found.append(row_of(settings_of(scale(X), signs)))
        print("| " + " | ".join(cells_of(name, str(len(X)), np.array(found[-1]))) + " |", flush=True)
    print("| " + " | ".join(cells_of("mean", "", np.mean(found, axis=0))) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("sets", nargs="*", default=list(TWENTY))
    parser.add_argument("--rows", type=int, default=100)
    arguments = parser.parse_args()
    table(arguments.sets, arguments.rows)
