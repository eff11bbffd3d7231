"""Tables 1 and 2 of paper 003 (Laanaya and others 2011) by its own protocol, and without its test points.

The paper chooses C and σ of the plain machine by their rate on the first five of its partitions, and reports
all thirty; its Q starts from that σ, and its machine has that C. We read "rate" as the test rate, since
nothing else is measured there. The other protocol chooses both by cross-validation on the training points of
each partition. Either way every method starts from the same Q₀ and ends with the same C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from kernelwise.criteria import RadiusMargin, RegularizedMargin
from kernelwise.datasets import make_weston
from kernelwise.estimators import SVC
from kernelwise.kernels import RBF, Kernel
from kernelwise.optimizers import ManifoldDescent
from kernelwise.search.metric_learner import MetricLearner
from kernelwise.selection.laanaya import ALTERNATING, MAX_ITER, N_TRAININGS, FromIsotropic, rbf_select
from kernelwise.selection.learned_metric import CS, GAMMAS
from kernelwise.selection.procedure import best_cell
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row, load_or_say

Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
#: Training and test part of a trial.
Draw = Callable[[int], Parts]

N_CHOOSING = 5  # partitions that the paper chooses on
RHO = 0.1
#: Where algorithm 1 is also run with one inner step.
VARIED = ("weston", "heart_statlog")
#: Other values of ρ, of which the paper prints none, where its gain is largest and by its protocol.
RHOS = {("heart_statlog", "the paper's"): (0.0, 0.01, 1.0)}
PLAIN = "SVM"
PAPERS, OURS = "the paper's", "training points"
SETS = ("weston", "heart_statlog", "breast_cancer_wisconsin", "breast_cancer_libsvm_scaled")
#: Classification rates in per cent that the paper prints.
CANCER = {PLAIN: 92.24, "adaptive scaling": 92.24, "Glasmachers, Igel": 92.56, "algorithm 1": 94.75}
PRINTED: dict[str, dict[str, float]] = {
    "weston": {PLAIN: 51.28, "adaptive scaling": 90.63, "Glasmachers, Igel": 65.85, "algorithm 1": 93.36},
    "breast_cancer_wisconsin": CANCER,
    "breast_cancer_libsvm_scaled": CANCER,
    "heart_statlog": {
        PLAIN: 85.97,
        "adaptive scaling": 85.97,
        "Glasmachers, Igel": 87.03,
        "algorithm 1": 92.93,
    },
}


def kernel_of(data: str) -> str:
    """The paper takes a diagonal Q for its toy data and a full one for real data."""
    return "diagonal" if data == "weston" else "gaussian"


def learners(data: str, C: float, start: float, rhos: Sequence[float]) -> dict[str, Any]:
    """What moves the metric from Q₀: the paper's method, printed and by conjugate gradients, and rivals."""
    kernel = kernel_of(data)
    found: dict[str, Any] = {}
    if kernel == "diagonal":  # table 2 has the rivals with a choice among starts
        fixed = ManifoldDescent(constant_trace=True, tol=1e-4, max_iter=MAX_ITER)
        found["adaptive scaling"] = MetricLearner(kernel, RegularizedMargin(C, 0.0), (start,), fixed)
        found["Glasmachers, Igel"] = MetricLearner(kernel, RadiusMargin(), (start,), fixed)
    found["algorithm 1"] = FromIsotropic(kernel, C, RHO, start, ALTERNATING, MAX_ITER)
    if data in VARIED:
        # Printed so: the inner loop ends as soon as w has fallen, which its first step sees to.
        found["algorithm 1, one inner step"] = FromIsotropic(kernel, C, RHO, start, ALTERNATING, 1, MAX_ITER)
    found["conjugate gradients"] = FromIsotropic(kernel, C, RHO, start, "conjugate-gradient", MAX_ITER)
    for rho in rhos:
        found[f"algorithm 1, ρ = {rho:g}"] = FromIsotropic(kernel, C, rho, start, ALTERNATING, MAX_ITER)
    return found


def grid_rates(draw: Draw, trial: int) -> np.ndarray:
    """Test rates in per cent of plain machines over the grid, of shape (n_gammas, n_Cs)."""
    Z, y, Z_test, y_test = standardised(draw, trial)
    return np.array(
        [[rate(RBF(gamma / Z.shape[1]), C, Z, y, Z_test, y_test) for C in CS] for gamma in sorted(GAMMAS)]
    )


def trial_rates(
    data: str, draw: Draw, trial: int, chosen: Any, rhos: Sequence[float] = ()
) -> dict[str, float]:
    """Test rates of all methods on one partition; ``chosen`` is (γ times features, C), or None for ours."""
    Z, y, Z_test, y_test = standardised(draw, trial)
    d = Z.shape[1]
    if chosen is None:
        X, labels = draw(trial)[:2]
        plain = rbf_select(X, labels)
        chosen = plain.kernel.theta_values[0] * d, plain.C
    gamma, C = map(float, chosen)
    n_varying = int((np.ptp(Z, axis=0) > 0).sum())
    found = {PLAIN: rate(RBF(gamma / d), C, Z, y, Z_test, y_test)}
    for name, learner in learners(data, C, 2.0 * gamma / d * n_varying, rhos).items():
        found[name] = rate(learner.learn(Z, y).kernel, C, Z, y, Z_test, y_test)
    return found


def standardised(draw: Draw, trial: int) -> Parts:
    """The parts of a trial, scaled as the training part says."""
    X, y, X_test, y_test = draw(trial)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test


def rate(kernel: Kernel, C: float, Z: np.ndarray, y: np.ndarray, Z_test: np.ndarray, y_test: Any) -> float:
    return 100.0 * SVC(C=C, kernel=kernel).fit(Z, y).score(Z_test, y_test)


def paper_choice(study: Study, data: str, draw: Draw) -> tuple[float, float]:
    """γ times the number of features, and C, of the best plain machine on the first partitions."""
    grids = [study.cell(f"grid/{data}/{t}", grid_rates, draw, t) for t in range(study.choose(N_CHOOSING, 2))]
    g, c = best_cell(np.mean(grids, axis=0))
    return sorted(GAMMAS)[g], CS[c]


def protocol_rows(study: Study, data: str, draw: Draw) -> list[Row]:
    """Both protocols on one set."""
    n_trials = study.choose(30, 2)
    rows: list[Row] = []
    for protocol, chosen in ((PAPERS, paper_choice(study, data, draw)), (OURS, None)):
        rhos = RHOS.get((data, protocol), ())
        cells = [
            study.cell(f"protocol/{data}/{protocol}/{t}", trial_rates, data, draw, t, chosen, rhos)
            for t in range(n_trials)
        ]
        plain = np.array([cell[PLAIN] for cell in cells])
        for name in (PLAIN, *learners(data, 1.0, 1.0, rhos)):
            rates = np.array([cell[name] for cell in cells])
            gain = rates - plain
            rows.append(
                {
                    "data": data,
                    "method": name,
                    "chosen by": protocol,
                    "rate %": float(rates.mean()),
                    "± s.e.": error_of_mean(rates),
                    "less SVM": float(gain.mean()),
                    "± s.e. of that": error_of_mean(gain),
                    "paper's %": PRINTED[data].get(name) if protocol == PAPERS else None,
                    "trials": n_trials,
                }
            )
    return rows


def protocol_sentences(rows: list[Row]) -> Iterator[str]:
    """What the paper's method gains on each set by either protocol, and why the algorithm matters."""
    for data in dict.fromkeys(row["data"] for row in rows):
        parts = []
        for protocol in (PAPERS, OURS):
            found = {
                row["method"]: row for row in rows if (row["data"], row["chosen by"]) == (data, protocol)
            }
            gains = [
                f"{name} {found[name]['less SVM']:+.2f} ± {found[name]['± s.e. of that']:.2f}"
                for name in ("algorithm 1", "algorithm 1, one inner step", "conjugate gradients")
                if name in found
            ]
            how = "the paper's protocol" if protocol == PAPERS else "choices on training points only"
            parts.append(f"{how}: SVM {found[PLAIN]['rate %']:.2f} %, {', '.join(gains)}")
        yield f"{data}, gain over the plain machine from its width and C, by {'; by '.join(parts)}."
    yield (
        "Algorithm 1 is not determined by the paper. With α fixed the inner loop lowers a bound that has its "
        "minimum far from the start, and the printed step is still on its way when it is stopped. What it "
        f"returns depends on the number of inner steps (at most {MAX_ITER} here, or 1, which is the inner "
        f"stop as printed) and of trainings (at most {N_TRAININGS}, or {MAX_ITER}); the paper states "
        "neither of them, nor ρ. There are two versions of breast cancer, with 9 and with 10 features."
    )


def error_of_mean(values: np.ndarray) -> float:
    """Standard error of the mean of values of shape (n,)."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def draws(random_parts: Callable[..., Parts]) -> dict[str, Draw]:
    """The partitions of every set that is there."""
    found: dict[str, Draw] = {"weston": weston_parts}
    for name in SETS[1:]:
        data = load_or_say(name)
        if data is not None:
            found[name] = partial(random_parts, data.X, data.y, 100, 100)
    return found


def weston_parts(trial: int) -> Parts:
    return *make_weston(100, random_state=trial), *make_weston(1000, random_state=1000 + trial)
