"""Whether w is convex in Q, and whether a full Q captures correlations between features (paper 003).

The paper (Laanaya and others 2011) says the first in section 2.3.1 and takes the rates of its table 2 for the
second, without a diagonal Q beside the full one. Here both are learned from the same start, with the width
and C of the plain machine chosen as the paper does, on heart, where the paper's gain is largest, and on two
sets whose answer is known: a band across one direction of six, the mean of all features or the first of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from kernelwise.criteria import RegularizedMargin
from kernelwise.datasets import make_weston
from kernelwise.kernels import RBF, Gaussian
from kernelwise.selection.laanaya import ALTERNATING, MAX_ITER, FromIsotropic
from kernelwise.studies._laanaya_protocol import (
    PLAIN,
    RHO,
    Draw,
    Parts,
    error_of_mean,
    paper_choice,
    rate,
    standardised,
)
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row

N_BAND = 6
#: Half of standard normal values are nearer to 0.
HALF = 0.6744897501960817
#: The direction across the band, by the name of the set.
BANDS = {
    "band across the mean of 6 features": np.full(N_BAND, N_BAND**-0.5),
    "band across the first of 6 features": np.eye(N_BAND)[0],
}
METHODS = {"algorithm 1": ALTERNATING, "conjugate gradients": "conjugate-gradient"}
FREEDOMS = {"diagonal": "diagonal", "full": "gaussian"}


def band_parts(direction: np.ndarray, trial: int) -> Parts:
    """100 training and 1000 test points of N(0, I); the classes are the half near the plane and the rest."""
    random = np.random.default_rng(trial)
    X = random.normal(size=(1100, len(direction)))
    y = np.where(np.abs(X @ direction) < HALF, 1, -1)
    return X[:100], y[:100], X[100:], y[100:]


def trial_cell(draw: Draw, trial: int, chosen: Any, direction: Any) -> dict[str, list[float | None]]:
    """Of each method the test rate, and the share of the trace of Q that lies along the direction."""
    Z, y, Z_test, y_test = standardised(draw, trial)
    d = Z.shape[1]
    gamma, C = map(float, chosen)
    found: dict[str, list[float | None]] = {PLAIN: [rate(RBF(gamma / d), C, Z, y, Z_test, y_test), None]}
    start = 2.0 * gamma / d * int((np.ptp(Z, axis=0) > 0).sum())
    for name, method in METHODS.items():
        for freedom, kernel in FREEDOMS.items():
            learned = FromIsotropic(kernel, C, RHO, start, method, MAX_ITER).learn(Z, y).kernel
            Q = learned.metric(d)
            share = None if direction is None else float(direction @ Q @ direction / np.trace(Q))
            found[f"{name}, {freedom} Q"] = [rate(learned, C, Z, y, Z_test, y_test), share]
    return found


def correlation_rows(study: Study, real: dict[str, Draw]) -> list[Row]:
    """Rates of a diagonal and of a full Q on every set, and the difference partition by partition."""
    n_trials = study.choose(30, 2)
    bands: dict[str, Draw] = {name: partial(band_parts, u) for name, u in BANDS.items()}
    rows: list[Row] = []
    for data, draw in (bands | study.choose(real, {})).items():
        chosen = paper_choice(study, data, draw)
        cells = [
            study.cell(f"correlation/{data}/{t}", trial_cell, draw, t, chosen, BANDS.get(data))
            for t in range(n_trials)
        ]
        for name in cells[0]:
            rates, shares = zip(*(cell[name] for cell in cells), strict=True)
            row: Row = {"data": data, "method": name, "rate %": float(np.mean(rates))}
            row |= {"± s.e.": error_of_mean(np.array(rates)), "less diagonal": None, "± s.e. of that": None}
            diagonal = name.replace(" full Q", " diagonal Q")
            if diagonal != name:
                gain = np.array(rates) - [cell[diagonal][0] for cell in cells]
                row |= {"less diagonal": float(gain.mean()), "± s.e. of that": error_of_mean(gain)}
            row["share of the direction"] = None if None in shares else float(np.mean(shares))
            rows.append({**row, "trials": n_trials})
    return rows


def above_chord(seed: int, rho: float) -> bool:
    """Whether w at a random Q is above the mean of w at Q ± h in one entry: then w is not convex in it."""
    random = np.random.default_rng(seed)
    X, y = make_weston(60, n_noise=2, random_state=seed)
    Z = StandardScaler().fit_transform(X)
    d = Z.shape[1]
    A = random.normal(size=(d, d))
    Q = A @ A.T / d * 2.0 ** random.uniform(-4, 4)
    k, j = random.integers(d, size=2)
    step = np.zeros((d, d))
    step[k, j] = step[j, k] = random.uniform(0.2, 0.9) * np.linalg.eigvalsh(Q)[0]
    w = RegularizedMargin(10.0, rho, RBF(1.0 / d)(Z))
    low, middle, high = (w.value(Gaussian(Q + s * step)(Z), y) for s in (-1, 0, 1))
    return bool(middle - (low + high) / 2 > 1e-6 * abs(middle))


def convexity_rows(study: Study) -> list[Row]:
    """How often w is above its chord, without the ρ-term, with it, and for the ρ-term almost alone."""
    n_draws = study.choose(200, 20)
    compute: Callable[..., Any] = above_chord
    return [
        {
            "data": "2 of 4 features",
            "ρ": rho,
            "draws": n_draws,
            "above the chord": sum(
                study.cell(f"convexity/{rho:g}/{t}", compute, t, rho) for t in range(n_draws)
            ),
        }
        for rho in (0.0, RHO, 100.0)
    ]
