"""What the closest pair of points says about criteria at narrow widths (paper 002, theorems 2 and 3)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise._core.validation import check_labels, check_samples
from kernelwise.criteria.alignment import target
from kernelwise.diagnostics._data import Data
from kernelwise.diagnostics._pairs import ClosestPair, closest_pair
from kernelwise.diagnostics._points import Points, distinct_points
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.kernels.starts import start_gamma


def pull(pair: ClosestPair) -> float:
    """Sign of the change of polarization when a very narrow Gaussian kernel gets wider.

    P = Σ T_ij K_ij with T = 1 for equal and −1/(c − 1) for different labels. For σ → 0 equal points keep
    K_ij = 1, and of all others the closest dominate (lemma 1), so that the sign is that of Σ T_ij over the
    pairs of samples at the smallest positive distance: negative means a maximum of P at the boundary σ → 0
    (theorem 3, where that is one pair), positive a minimum, and zero leaves it to the next distance.

    Alignment, which paper 002 leaves open, follows. A ∝ P/√S with S = ΣK², so A′ has the sign of SP′ − PS′/2:
    P′ is of the order of the closest pairs' k′, S′ = 2ΣKK′ of the order of kk′, which is less since k → 0,
    and S and P have limits. In centred alignment, for two classes without copies, one closest pair (p, q) and
    a target t = HyyᵀH, S → n − 1 and S′ → −4k′/n, which leaves the sign of (n − 1)t_pq + (1 − ȳ²): for
    different labels t_pq = −(1 − ȳ²), and for equal ones it is positive.
    """
    T = target(len(pair.labels))
    return float(np.triu(T * pair.labels).sum())


@dataclass(frozen=True)
class BoundaryVerdict:
    """What the theorems say about data at narrow widths (paper 002, theorems 2 and 3).

    Attributes
    ----------
    pair : ClosestPair or None
        None if the squared distances of the closest points are zero in double precision.
    sign : {-1, 0, 1}
        Of the change of polarization when a very narrow kernel gets wider: −1 for a boundary optimum at
        σ → 0, 1 for none, 0 if the closest pairs leave it open.
    affected : tuple of str
        Criteria that are known to have a boundary optimum at σ → 0 on these data: names as in
        :data:`kernelwise.criteria.CRITERIA`.
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
    affected: tuple[str, ...]
    finding: Finding


def boundary_verdict(X: Any, y: Any, kernel: Any = None) -> BoundaryVerdict:
    """Find the closest pair of different points and say which criteria it misleads (paper 002).

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n_samples, n_features), finite
    y : array of shape (n_samples,)
        At least two classes.
    kernel : Kernel or str, default=None
        Of the Gaussian family; distances are taken after its linear map. None is RBF.

    Examples
    --------
    >>> from kernelwise.diagnostics import boundary_verdict
    >>> verdict = boundary_verdict([[0.0], [0.1], [1.0], [3.0]], [0, 1, 1, 0])
    >>> verdict.pair.samples, verdict.affected
    ((0, 1), ('polarization', 'kta', 'radius-margin', 'centered-kta'))
    """
    data = Data.read(check_samples(X), y, kernel)
    if not data.kernel.is_gaussian:
        raise ValueError(
            f"The theorems are about Gaussian kernels, not {type(data.kernel).__name__}. Use RBF or another "
            "of that family."
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
        message = "Some points differ by so little that their squared distance is zero in double precision."
        option = "Give the columns other units."
        return BoundaryVerdict(None, 0, (), Finding("closest-pair", "warning", message, "Rescale X.", option))
    is_single = _is_single(data, points, pair)
    affected = ("polarization", "kta", *(("radius-margin", "centered-kta") if is_single else ()))
    sign = int(np.sign(pull(pair)))
    message = f"{_evidence(data, pair)} {_verdict(data, points, pair)}"
    if data.lines is not None:
        message = _plain(data, pair, sign)
    if sign >= 0:
        return BoundaryVerdict(pair, sign, (), Finding("closest-pair", "info", message))
    option = "Leave --criterion out: cross-validation then chooses the width."
    finding = Finding("closest-pair", "warning", message, _advice(data), option)
    return BoundaryVerdict(pair, sign, affected, finding)


def _is_single(data: Data, points: Points, pair: ClosestPair) -> bool:
    """Whether the assumptions of theorem 2 hold."""
    has_copies = len(points.first) < len(data.index)
    return pair.n_ties == 1 and not has_copies and len(data.classes) == 2 and len(data.index) > 2


def _plain(data: Data, pair: ClosestPair, sign: int) -> str:
    """Evidence and verdict for somebody with a file, who knows neither the criteria nor the paper."""
    kind = "" if sign >= 0 else "of different classes, "
    where = f"{kind}{data.where(*pair.samples)}, {pair.distance:.4g} apart"
    if sign >= 0:
        return f"The closest two different rows ({where}) do no harm to any --criterion."
    return (
        f"The closest two different rows ({where}) mislead a search by --criterion kta or radius-margin: it "
        "would count no two rows as alike (a kernel width of zero)."
    )


def _evidence(data: Data, pair: ClosestPair) -> str:
    first, second = pair.samples
    a, b = (data.classes[data.index[sample]] for sample in pair.samples)
    labels = f"equal labels ({a!r})" if a == b else f"different labels ({a!r} and {b!r})"
    where = f"{data.where(first, second)}, {pair.distance:.4g} apart"
    text = f"The closest two different points ({where}) have {labels}"
    if pair.n_equal + pair.n_different == 1:
        return text + "."
    return (
        f"{text}; of {count(pair.n_equal + pair.n_different, 'pair')} of {data.noun}s at this distance, "
        f"{pair.n_equal} have equal and {pair.n_different} different labels."
    )


def _verdict(data: Data, points: Points, pair: ClosestPair) -> str:
    """What follows, by theorem 2 or 3 of Glasmachers (2006) or by counting."""
    sign = pull(pair)
    if sign == 0:
        return (
            "They cancel, so that the next distances decide whether polarization and alignment have a "
            "maximum at σ → 0."
        )
    optimum = "have a boundary optimum at" if sign < 0 else "lead away from"
    if _is_single(data, points, pair):
        return (
            f"So radius-margin and polarization {optimum} σ → 0 (Glasmachers 2006, theorems 2 and 3), and so "
            "do alignment and centred alignment."
        )
    return (
        f"So polarization and alignment {optimum} σ → 0 (Glasmachers 2006, theorem 3, with all these pairs "
        f"counted); for radius-margin theorem 2 {_missing(data, pair, len(points.first) < len(data.index))}."
    )


def _missing(data: Data, pair: ClosestPair, has_copies: bool) -> str:
    """The assumption of theorem 2 that does not hold."""
    if has_copies:
        return "does not hold as it stands, because repeated points stay equal at every width"
    if pair.n_ties > 1:
        return "assumes one closest pair"
    if len(data.classes) > 2:
        a, b = (data.classes[data.index[sample]] for sample in pair.samples)
        some = f"the one-vs-rest problems of {a!r} and {b!r} only"
        return f"says so of {'all one-vs-rest problems' if a == b else some}"
    return "assumes more than two samples"


def _advice(data: Data) -> str:
    with warnings.catch_warnings():
        # Repeated points have a finding of their own.
        warnings.simplefilter("ignore", KernelwiseWarning)
        gamma = start_gamma(data.X, data.index, "jaakkola")
    return (
        f"Start a search for the width from Jaakkola's heuristic (γ = {gamma:.4g} in exp(−γD)) and distrust "
        "an optimum at the narrow end of its range."
    )
