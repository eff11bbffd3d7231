"""Verdict of the closest pair of points on criteria at narrow widths (paper 002, theorems 2 and 3).

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

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.text import count
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import check_labels, check_samples
from kernelwise.criteria import CRITERIA, RegularizedMargin, SumsCriterion
from kernelwise.criteria.sums import ClassSums
from kernelwise.diagnostics._data import Data
from kernelwise.diagnostics._pairs import ClosestPair, Points, closest_pair, distinct_points
from kernelwise.exceptions import DegenerateGramError, KernelwiseWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import KernelLike
from kernelwise.kernels.starts import start_gamma

#: What the criteria are called in sentences.
WORDS = {"kta": "alignment", "centered-kta": "centred alignment", "dbtc": "DBTC", "esdr": "ESDR", "j4": "J4"}
WORDS |= {"regularized-margin": "the regularised margin w"}


@dataclass(frozen=True)
class BoundaryVerdict:
    """Verdict on which criteria prefer a kernel width of zero on given data (paper 002, theorems 2 and 3).

    Attributes
    ----------
    pair : ClosestPair or None
        None if the squared distances of the closest points are zero in double precision.
    sign : {-1, 0, 1}
        Of the change of polarization when a very narrow kernel gets wider: −1 for a boundary optimum at
        σ → 0, 1 for none, 0 if the closest pairs leave it open.
    signs : dict from str to {-1, 0, 1}
        The same for every criterion whose behaviour at σ → 0 follows from the closest pairs, by its name in
        :data:`kernelwise.criteria.CRITERIA`: theorem 3 holds for alignment, DBTC, ESDR, J4 and the
        regularised margin w (of small ρ), too.
    affected : tuple of str
        The criteria with −1.
    finding : Finding
        The evidence and the verdict in words.

    Examples
    --------
    >>> from kernelwise.diagnostics import boundary_verdict

    Of four points on a line the closest two are 0.1 apart and of different classes:

    >>> verdict = boundary_verdict([[0.0], [0.1], [1.0], [3.0]], [0, 1, 1, 0])
    >>> verdict.sign, round(verdict.pair.distance, 3), "radius-margin" in verdict.affected
    (-1, 0.1, True)

    Of the same class, they do no harm:

    >>> boundary_verdict([[0.0], [0.1], [1.0], [3.0]], [0, 0, 1, 1]).affected
    ()
    """

    pair: ClosestPair | None
    sign: int
    signs: dict[str, int]
    affected: tuple[str, ...]
    finding: Finding


def boundary_verdict(X: MatrixLike, y: ArrayLike, kernel: KernelLike | None = None) -> BoundaryVerdict:
    """Find the closest pair of different points, and tell which criteria it misleads (paper 002).

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n_samples, n_features), finite
    y : array of shape (n_samples,)
        At least two classes.
    kernel : Kernel or str, default=None
        A kernel of the Gaussian family; distances are computed after its linear map. None means RBF.

    Examples
    --------
    >>> from kernelwise.diagnostics import boundary_verdict
    >>> verdict = boundary_verdict([[0.0], [0.1], [1.0], [3.0]], [0, 1, 1, 0])
    >>> verdict.pair.samples, verdict.affected[:4]
    ((0, 1), ('polarization', 'kta', 'dbtc', 'esdr'))
    >>> verdict.affected[4:]
    ('j4', 'centered-kta', 'regularized-margin', 'radius-margin')
    """
    data = Data.read(check_samples(X), y, kernel)
    if not data.kernel.is_gaussian:
        raise ValueError(
            f"The theorems hold for Gaussian kernels, not for {type(data.kernel).__name__}. Use RBF or "
            "another Gaussian kernel."
        )
    check_labels(y, len(data.index))
    points = distinct_points(data.X, data.index, len(data.classes))
    data, _ = data.mapped()
    points = points.mapped(data.X)
    if len(points.first) < 2:
        raise ValueError("All samples are the same point, so there is no closest pair. Check X.")
    return verdict_on(data, points)


def verdict_on(data: Data, points: Points) -> BoundaryVerdict:
    """The closest pair of different points, its labels, and the verdict; samples are already mapped."""
    pair = closest_pair(points)
    if pair is None:
        return BoundaryVerdict(None, 0, {}, (), catalogue.TOO_CLOSE())
    signs = pulls(pair, points)
    if _is_single(data, points, pair):
        signs["radius-margin"] = signs["polarization"]  # theorem 2
    affected = tuple(name for name, sign in signs.items() if sign < 0)
    evidence = f"{_evidence(data, pair)} {_verdict(data, points, pair, signs)}"
    if data.lines is not None:
        evidence = _plain(data, pair, affected)
    finding = catalogue.CLOSEST_PAIR(evidence=evidence)
    if affected:
        finding = catalogue.CLOSEST_PAIR_MISLEADS(evidence=evidence, gamma=_usual_gamma(data))
    return BoundaryVerdict(pair, signs["polarization"], signs, affected, finding)


def _is_single(data: Data, points: Points, pair: ClosestPair) -> bool:
    """Whether the assumptions of theorem 2 hold."""
    is_plain = not has_copies(points) and len(data.classes) == 2 and len(data.index) > 2
    return pair.n_ties == 1 and is_plain


def _plain(data: Data, pair: ClosestPair, affected: tuple[str, ...]) -> str:
    """Evidence and verdict for somebody with a file, who knows neither the criteria nor the paper."""
    kind = "of different classes, " if affected and not pair.n_equal else ""
    where = f"{kind}{data.where(*pair.samples)}, {pair.distance:.4g}{data.unit} apart"
    if not affected:
        return f"The closest two different rows ({where}) are not so close that they mislead a --criterion."
    names = _joined(affected, "or")
    return (
        f"The closest two different rows ({where}) mislead --criterion {names}: it would choose a kernel "
        "width of zero, at which no two rows are alike."
    )


def _evidence(data: Data, pair: ClosestPair) -> str:
    first, second = pair.samples
    a, b = (data.classes[data.index[sample]] for sample in pair.samples)
    labels = f"equal labels ({a!r})" if a == b else f"different labels ({a!r} and {b!r})"
    where = f"{data.where(first, second)}, {pair.distance:.4g}{data.unit} apart"
    text = f"The closest two different points ({where}) have {labels}"
    if pair.n_equal + pair.n_different == 1:
        return text + "."
    return (
        f"{text}; of {count(pair.n_equal + pair.n_different, 'pair')} of {data.noun}s at this distance, "
        f"{pair.n_equal} have equal and {pair.n_different} different labels."
    )


def _verdict(data: Data, points: Points, pair: ClosestPair, signs: dict[str, int]) -> str:
    """What follows, by theorem 2 or 3 of Glasmachers (2006) or by counting."""
    if not any(signs.values()):
        return (
            "These pairs cancel each other, so pairs farther apart decide whether polarization and the other "
            "criteria have an optimum at a kernel width of zero (σ → 0)."
        )
    if _is_single(data, points, pair):
        optimum = "have an optimum" if signs["polarization"] < 0 else "have no optimum"
        others = [name for name in signs if name not in ("radius-margin", "polarization")]
        return (
            f"Therefore radius-margin and polarization {optimum} at a kernel width of zero (σ → 0; "
            f"Glasmachers 2006, theorems 2 and 3). The same holds for {_in_words(others)}."
        )
    parts = []
    for sign, optimum in ((-1, "an optimum"), (1, "no optimum")):
        names = [name for name, found in signs.items() if found == sign]
        if names:
            has = "have" if len(names) > 1 else "has"
            parts.append(f"{_in_words(names)} {has} {optimum} at a kernel width of zero")
    missing = _missing(data, pair, has_copies(points))
    return (
        f"Therefore {', and '.join(parts)} (σ → 0; Glasmachers 2006, theorem 3, with all these pairs "
        f"counted). For radius-margin, theorem 2 {missing}."
    )


def _in_words(names: Iterable[str]) -> str:
    return _joined([WORDS.get(name, name) for name in names], "and")


def _joined(names: Sequence[str], word: str) -> str:
    """Names as part of a sentence: "a, b and c"."""
    return f" {word} ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])


def _missing(data: Data, pair: ClosestPair, are_copies: bool) -> str:
    """The assumption of theorem 2 that does not hold."""
    if are_copies:
        return "does not apply, because repeated points stay equal at every width"
    if pair.n_ties > 1:
        return "does not apply, because it assumes one closest pair"
    if len(data.classes) > 2:
        a, b = (data.classes[data.index[sample]] for sample in pair.samples)
        some = f"only the one-vs-rest problems of {a!r} and {b!r}"
        return f"gives the same for {'all one-vs-rest problems' if a == b else some}"
    return "does not apply, because it assumes more than two samples"


def _usual_gamma(data: Data) -> float:
    """γ by Jaakkola's heuristic."""
    with warnings.catch_warnings():
        # Repeated points have a finding of their own.
        warnings.simplefilter("ignore", KernelwiseWarning)
        return start_gamma(data.X, data.index, "jaakkola")


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
