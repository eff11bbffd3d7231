"""Paper 001 (Ayat and others 2002): figures 1 to 6 and tables 1 to 3.

"kernels" is figure 1 with the kernels of table 1, "posterior" figure 2, "synthetic" the task of figures 3 to
6, medians over 20 draws, and "conditioning" has searches from badly conditioned starts. "digits" is table 3
on public sets in place of NIST's, "cancer" table 2 on the paper's set, with a coding of our own and random
splits. "signs" checks the plus signs of both tables by the printed numbers.
"""

from __future__ import annotations

import numpy as np

from kernelwise.estimators import SVC
from kernelwise.kernels import KMOD, RBF, ExponentialRBF, Kernel
from kernelwise.solvers.probability import fit_platt, platt_probability
from kernelwise.studies.ayat import rules
from kernelwise.studies.ayat.real_sets import CANCER_SET, DIGIT_SETS, cancer, digits, signs
from kernelwise.studies.ayat.searches import conditioning, synthetic
from kernelwise.studies.claims import parts_of, read_claims
from kernelwise.studies.figures import Curves, Line, Panel
from kernelwise.studies.study import Study, load_or_say
from kernelwise.studies.tables import Row

TITLE = "Paper 001 (Ayat, Cheriet, Suen 2002): kernels by the empirical error"
DATA = ("iris", *DIGIT_SETS, CANCER_SET)
QUICK_MEANS = "2 draws and splits, 10 iterations of descent, 4 digits and every fourth row of one set"
#: Kernels of figure 1; the paper does not print the parameters of its own.
KERNELS: dict[str, Kernel] = {
    "RBF, γ = 1": RBF(1.0),
    "exponential RBF, γ = 1": ExponentialRBF(1.0),
    "KMOD, γ = 1, σ = 1": KMOD(1.0, 1.0),
    "KMOD, γ = 1, σ = 3": KMOD(1.0, 3.0),
}


def kernels(study: Study) -> None:
    """Figure 1."""
    rows = decay_rows(np.linspace(0.0, 8.0, 161))
    study.table("figure1", "Figure 1: kernels of table 1 over the distance", rows, is_shown=False)
    study.figure("figure1", decay_figure(rows))


def posterior(study: Study) -> None:
    """Figure 2."""
    dataset = load_or_say("iris")
    if dataset is not None:
        study.figure("figure2", posterior_figure(dataset.X, dataset.y))


def decay_rows(distances: np.ndarray) -> list[Row]:
    """Figure 1: kernel values over the distance of two points."""
    origin, points = np.zeros((1, 1)), distances[:, None]
    return [
        {"kernel": name, "distance": float(distance), "value": float(value)}
        for name, kernel in KERNELS.items()
        for distance, value in zip(distances, kernel(points, origin)[:, 0], strict=True)
    ]


def decay_figure(rows: list[Row]) -> Curves:
    """Figure 1: near points and, on a logarithmic scale, far ones, which KMOD does not forget."""
    panels = []
    for title, scale in (("(a) all distances", "linear"), ("(b) far points", "log")):
        lines = []
        for name in KERNELS:
            chosen = [row for row in rows if row["kernel"] == name and row["value"] > 1e-12]
            lines.append(Line(name, [r["distance"] for r in chosen], [r["value"] for r in chosen]))
        panels.append(Panel(title, "distance ‖x − y‖", "correlation k(x, y)", tuple(lines), y_scale=scale))
    return Curves("Figure 1: correlation in feature space over the distance in input space.", tuple(panels))


def posterior_figure(X: np.ndarray, y: np.ndarray) -> Curves:
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


CLAIMS = read_claims(rules)
PARTS = parts_of(CLAIMS, kernels, posterior, synthetic, conditioning, digits, cancer, signs)
