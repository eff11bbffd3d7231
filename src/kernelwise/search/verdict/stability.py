"""Whether other rows would have chosen otherwise: the search's own held-out labels, on rows drawn anew."""

from __future__ import annotations

import numpy as np

from kernelwise.findings import Finding, catalogue
from kernelwise.search.engine.scored_kernel import smooth
from kernelwise.search.engine.validator import CrossValidator

N_DRAWS = 20
#: Share of rows that another winner must label differently to count.
DIFFERENT = 0.04
#: More rows than this are not looked at: a choice of so many is stable, or makes no difference.
MOST_ROWS = 2000


def stability_findings(validator: CrossValidator) -> list[Finding]:
    """A finding if most draws of the held-out rows, with replacement, prefer a clearly different candidate.

    For searches that go by the share of rows labelled correctly. Candidates are compared as the search
    compares them, by scores that are averaged over neighbouring values of C. Nothing is trained for it.
    """
    labels = [scored.labels for scored in validator.scored if scored.labels is not None]
    if not validator.scorer.is_share or not labels or len(validator.in_folds) > MOST_ROWS:
        return []
    weight = validator.held_out.weight[validator.tested]
    best, *winners = _winners(
        labels, validator.held_out.y[validator.tested], np.vstack([weight, _draws(validator)])
    )
    answers = labels[best[0]][best[1]]
    shares = [weight[labels[kernel][C] != answers].sum() / weight.sum() for kernel, C in winners]
    is_different = np.array(shares) > DIFFERENT
    if is_different.sum() <= N_DRAWS / 2:
        return []
    return [
        catalogue.UNSTABLE(
            n_other=is_different.sum(),
            n_draws=N_DRAWS,
            n_rows=validator.n_held_out,
            percent=100 * np.median(np.array(shares)[is_different]),
        )
    ]


def _winners(labels: list[np.ndarray], y: np.ndarray, weights: np.ndarray) -> list[tuple[int, int]]:
    """Number of the kernel and of its C with the highest smoothed score on rows of each of these weights."""
    smoothed = [smooth((own == y).astype(float) @ weights.T) for own in labels]
    kernels = np.argmax([own.max(axis=0) for own in smoothed], axis=0)
    return [(int(kernel), int(np.argmax(smoothed[kernel][:, k]))) for k, kernel in enumerate(kernels)]


def _draws(validator: CrossValidator) -> np.ndarray:
    """Weights of answers in each draw of as many samples as are held out, shape (n_draws, n_tested).

    A row is drawn with all its answers, which share its weight.
    """
    rng = np.random.default_rng(validator.random_state)
    rows, index = np.unique(validator.fold_rows.asked[validator.tested], return_inverse=True)
    weight = validator.in_folds.weight[rows]
    drawn = rng.multinomial(round(weight.sum()), weight / weight.sum(), size=N_DRAWS)
    return drawn[:, index] / validator.fold_rows.times[validator.tested]
