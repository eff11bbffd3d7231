"""Figures 1 to 6 of paper 001 (Ayat and others 2002)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.estimators import SVC
from kernelwise.kernels import KMOD, RBF, ExponentialRBF, Kernel
from kernelwise.solvers.platt import fit_platt, platt_probability
from kernelwise.studies._ayat_synthetic import Method
from kernelwise.studies._figures import Curves, Line, Mark, Panel
from kernelwise.studies._table import Row

#: Kernels of figure 1; the paper does not print the parameters of its own.
KERNELS: dict[str, Kernel] = {
    "RBF, γ = 1": RBF(1.0),
    "exponential RBF, γ = 1": ExponentialRBF(1.0),
    "KMOD, γ = 1, σ = 1": KMOD(1.0, 1.0),
    "KMOD, γ = 1, σ = 3": KMOD(1.0, 3.0),
}
#: Columns of a history, and what they are called in the figures.
COLUMNS = {
    "objective": "objective",
    "validation_error": "validation error",
    "test_error": "test error",
    "n_support": "support vectors",
    "margin": "margin",
}
#: Figures 3 to 6, by the methods that draw them.
FIGURES = {
    "figure3": ("descent", ("objective", "test_error", "n_support", "margin")),
    "figure4": ("quasi-Newton", ("objective", "n_support", "validation_error", "test_error")),
    "figure5": ("margin", ("objective", "test_error", "n_support")),
    "figure6": ("VC bound", ("objective", "test_error", "n_support")),
}


def decay_rows(distances: np.ndarray) -> list[Row]:
    """Figure 1: kernel values over the distance of two points."""
    origin, points = np.zeros((1, 1)), distances[:, None]
    return [
        {"kernel": name, "distance": float(distance), "value": float(value)}
        for name, kernel in KERNELS.items()
        for distance, value in zip(distances, kernel(points, origin)[:, 0], strict=True)
    ]


def decay(rows: list[Row]) -> Curves:
    """Figure 1: near points and, on a logarithmic scale, far ones, which KMOD does not forget."""
    panels = []
    for title, scale in (("(a) all distances", "linear"), ("(b) far points", "log")):
        lines = []
        for name in KERNELS:
            chosen = [row for row in rows if row["kernel"] == name and row["value"] > 1e-12]
            lines.append(Line(name, [r["distance"] for r in chosen], [r["value"] for r in chosen]))
        panels.append(Panel(title, "distance ‖x − y‖", "correlation k(x, y)", tuple(lines), y_scale=scale))
    return Curves("Figure 1: correlation in feature space over the distance in input space.", tuple(panels))


def posterior(X: np.ndarray, y: np.ndarray) -> Curves:
    """Figure 2: a linear machine on the petals of iris, virginica against the others, and its sigmoid."""
    petals, is_last = X[:, 2:4], y == y.max()
    machine = SVC(kernel="linear", C=1.0).fit(petals, is_last)
    outputs = machine.decision_function(petals)
    A, B = fit_platt(outputs, is_last)
    classes = (("the others", ~is_last), ("virginica", is_last))
    points = tuple(
        Line(name, petals[rows, 0].tolist(), petals[rows, 1].tolist(), "o") for name, rows in classes
    )
    (w,), b = machine.coef_, float(machine.intercept_[0])
    ends = np.array([petals[:, 0].min(), petals[:, 0].max()])
    # The frontier w·x + b = 0, within the range of the data only.
    inside = np.clip(-(w[0] * ends + b) / w[1], petals[:, 1].min(), petals[:, 1].max())
    frontier = Line("frontier", (-(w[1] * inside + b) / w[0]).tolist(), inside.tolist())
    f = np.linspace(outputs.min(), outputs.max(), 200)
    seen = tuple(
        Line(name, outputs[rows].tolist(), is_last[rows].astype(float).tolist(), "o")
        for name, rows in classes
    )
    sigmoid = Line("sigmoid", f.tolist(), platt_probability(f, A, B).tolist())
    panels = (
        Panel("(a) separation frontier", "petal length, cm", "petal width, cm", (*points, frontier)),
        Panel("(b) posterior probability", "output f of the machine", "p(virginica | f)", (*seen, sigmoid)),
    )
    return Curves("Figure 2: a linear machine on iris and the sigmoid fitted to its outputs.", panels)


def history(figure: str, methods: list[Method], curves: list[Row], std: float) -> Curves | None:
    """Figures 3 to 6: one search of each draw, with the paper's end marked."""
    name, columns = FIGURES[figure]
    method = next((method for method in methods if method.name == name), None)
    chosen = [row for row in curves if row["method"] == name and row["std"] == std]
    if method is None or not chosen:
        return None
    paper = {"test_error": method.paper_error, "n_support": float(method.paper_support)}
    panels = []
    for column in columns:
        lines = tuple(_line(chosen, column, draw) for draw in dict.fromkeys(row["draw"] for row in chosen))
        value = paper.get(column, np.nan)
        marks = (Mark("the paper's end", value),) if np.isfinite(value) else ()
        scale = "log" if name in ("margin", "VC bound") and column == "objective" else "linear"
        label = COLUMNS[column]
        panels.append(Panel(label, "iteration", label, lines, marks, y_scale=scale))
    caption = f"Figure {figure.removeprefix('figure')}: {name}, KMOD, two Gaussians, from C = 1000."
    return Curves(caption, tuple(panels), n_columns=2)


def _line(rows: list[Row], column: str, draw: Any) -> Line:
    chosen = [row for row in rows if row["draw"] == draw]
    return Line(f"draw {draw}", [row["iteration"] for row in chosen], [row[column] for row in chosen])
