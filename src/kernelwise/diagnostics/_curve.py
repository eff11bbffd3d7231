"""Whether DBTC has a peak over the width of a Gaussian kernel."""

from __future__ import annotations

import warnings

from kernelwise._core.text import count
from kernelwise.diagnostics._data import Data, listed
from kernelwise.exceptions import BoundaryWarning, DegenerateGramError
from kernelwise.findings import Finding
from kernelwise.kernels.radial import sigma_of
from kernelwise.sketch.sketch import DistanceSketch

MANY = 50_000  # samples from which only some blocks of the pairs are looked at
N_BLOCKS = 200  # of every two classes


def curve_findings(data: Data, random_state: int) -> list[Finding]:
    """Peak, plateau or boundary of DBTC for every one-vs-rest problem; samples are already mapped."""
    if data.counts.min() < 2:
        lonely = data.classes[int(data.counts.argmin())]
        unseen = (
            f"The separation of the classes was not examined, because class {lonely!r} has only one sample."
        )
        return [Finding("curve", "info", unseen)]
    n_blocks = N_BLOCKS if len(data.index) > MANY else None
    sketch = DistanceSketch.from_data(data.X, data.index, n_blocks=n_blocks, random_state=random_state)
    with warnings.catch_warnings():
        # What the search warns of is said by the finding.
        warnings.simplefilter("ignore", BoundaryWarning)
        try:
            best = sketch.maximize("dbtc", strategy="ovr")
        except DegenerateGramError:
            nowhere = (
                "No kernel width separates any samples: all squared distances are zero in double precision."
            )
            advice = "Rescale X, or check the kernel's linear map."
            return [Finding("curve", "error", nowhere, advice, "Use other units for the columns.")]
    names = [f"class {label!r}" for label in data.classes] if len(best.problems) > 1 else ["the two classes"]
    reasons = zip(names, best.stop_reasons, strict=True)
    flat = [f"{name}: {reason}" for name, reason in reasons if reason != "interior peak"]
    seen = "" if n_blocks is None else f" (as far as {N_BLOCKS} random blocks of pairs show)"
    if flat:
        message = (
            f"The distances alone do not show how wide the kernel should be{seen}: the criterion DBTC has no "
            f"peak for {len(flat)} of {count(len(names), 'two-class problem')} ({listed(flat)})."
        )
        advice = (
            "Choose the width by cross-validation or another criterion. Label noise, and equal or close "
            "points with different labels, cause such curves."
        )
        option = "Leave out --criterion, so that cross-validation chooses the width."
        return [Finding("curve", "warning", message, advice, option)]
    peak = (
        f"The classes are farthest apart if {data.noun}s count as alike up to a distance of about "
        f"{sigma_of(best.gamma):.2g}{data.unit}{seen} (the criterion DBTC has its peak at γ = "
        f"{best.gamma:.4g})."
    )
    return [Finding("curve", "info", peak)]
