"""Which way the closest pairs of points pull a criterion when a very narrow Gaussian kernel gets wider.

For σ → 0 the Gram matrix goes to K₀, which is 1 for equal points and 0 for all others, and of all entries
that still move those of the closest pairs dominate (paper 002, Glasmachers 2006, lemma 1). So a criterion
that is differentiable at K₀ moves like k·Σ W_ij over the closest pairs, with W = ∂J/∂K at K₀ and k the kernel
value of these pairs: the sign of that sum says whether J has an optimum at the boundary σ → 0.

- Polarization is theorem 3: W_ij = y_i y_j.
- DBTC, ESDR and J4 are functions of sums over classes, and W depends on the classes of i and j only. For DBTC
  it is 1/n_c² within class c and −1/(n_a n_b) between classes. Between classes k brings the centres closer
  and leaves the scatter within classes as it is; within a class it moves them apart and makes the scatter
  smaller. All three fall in the first case and rise in the second, so theorem 3 holds for them, too.
- Alignment, which the paper leaves open, divides polarization by √ΣK², whose derivative at K₀ is zero for the
  pairs that move. Centring adds row sums, whose derivative is not zero; without equal points they follow from
  the classes.
- w of paper 003 (Laanaya and others 2011) has W = −(αy)(αy)ᵀ + 2ρ(K − K′), and at K₀ = I every α is
  positive: a minimum of w at the boundary for different labels, if ρ is small enough: 2ρ K′_pq < α_p α_q.
"""

from __future__ import annotations

import numpy as np

from kernelwise.criteria import CRITERIA, RegularizedMargin, SumsCriterion
from kernelwise.criteria.sums import ClassSums
from kernelwise.diagnostics._pairs import ClosestPair
from kernelwise.diagnostics._points import Points
from kernelwise.exceptions import DegenerateGramError

#: Criteria that are functions of sums over classes, as theorem 3 is about one.
BY_SUMS = ("polarization", "kta", "dbtc", "esdr", "j4", "centered-kta")
ROUNDING = 1e-12  # of sums that cancel


def pulls(pair: ClosestPair, points: Points) -> dict[str, int]:
    """Sign of the change of each criterion's score, the cost of paper 003 reversed, as the kernel gets wider.

    −1 is a boundary optimum at σ → 0, 1 leads away from it, and 0 leaves it to the next distances. Criteria
    are left out where the closest pairs do not decide, or where we have no proof that they do.
    """
    found = {name: by_sums(name, pair, points) for name in BY_SUMS}
    found["regularized-margin"] = _of_w(pair, points)
    return {name: sign for name, sign in found.items() if sign is not None}


def has_copies(points: Points) -> bool:
    """Whether some samples are equal."""
    return bool(points.counts.sum() > len(points.counts))


def by_sums(name: str, pair: ClosestPair, points: Points) -> int | None:
    """The sign for a criterion of sums over classes; None where it has no derivative that we know of."""
    criterion = CRITERIA[name]()
    assert isinstance(criterion, SumsCriterion)
    if criterion.needs_rows and has_copies(points):
        return None
    n = points.counts.sum(axis=0).astype(float)
    S = (points.counts.T @ points.counts).astype(float)
    R2 = None
    if criterion.needs_rows:
        R2 = np.zeros((n.size,) * 3)
        R2[(np.arange(n.size),) * 3] = n
    try:
        _, d = criterion.score_and_derivatives(ClassSums(n, n, S, S, R2))
    except DegenerateGramError:  # the samples of each class are one point
        return None
    change = pair.labels + np.diag(pair.labels.diagonal())  # of S by k: a pair within a class counts twice
    terms = d.S * change
    if d.R2 is not None:
        rows = np.einsum("aac,ac->ac", d.R2, change) + np.einsum("aba,ab->ab", d.R2, change)
        terms = terms + rows
    total = float(terms.sum())
    return 0 if abs(total) <= ROUNDING * np.abs(terms).sum() else int(np.sign(total))


def _of_w(pair: ClosestPair, points: Points) -> int | None:
    """The sign for −w with the criterion's own C and ρ, if no K′ can change it."""
    n = points.counts.sum(axis=0).astype(float)
    if len(n) != 2 or has_copies(points):
        return None
    criterion = RegularizedMargin()
    smaller = int(n.argmin())
    alpha = np.empty(2)
    alpha[smaller] = min(criterion.C, 2.0 * n.max() / n.sum())
    alpha[1 - smaller] = alpha[smaller] * n.min() / n.max()
    margin = np.outer(alpha, alpha) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    least = float(np.triu(margin * pair.labels).sum())  # with K′ = 0; W of a pair counts K′ twice
    most = least + 2.0 * criterion.rho * float(np.triu(pair.labels).sum())
    return int(np.sign(least)) if np.sign(least) == np.sign(most) != 0 else None
