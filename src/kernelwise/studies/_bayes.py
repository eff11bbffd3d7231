"""Probabilities that a method is better than another, practically equal, or worse, over many data sets.

The Bayesian signed-rank test of A. Benavoli, G. Corani, J. Demšar and M. Zaffalon ("Time for a change", JMLR
18, 2017) by their library baycomp. Unlike a critical difference it can say that two methods are equal: that
the next set would show a difference within the region of practical equivalence.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from kernelwise.studies._table import Row

#: Accuracies that differ by at most this much, one point of per cent, are practically equal.
ROPE = 0.01
#: Probability from which the sentences say that something is so.
SURE = 0.95
MISSING = "There is no Bayesian comparison without baycomp. Get it with pip install 'kernelwise[studies]'."
N_DRAWS = 50_000


def can_compare() -> bool:
    """Whether baycomp is installed."""
    return find_spec("baycomp") is not None


def practical_probabilities(scores: np.ndarray, reference: np.ndarray) -> tuple[float, float, float]:
    """Probabilities that a method is better than the reference, practically equal, and worse.

    ``scores`` and ``reference`` have shape (n_sets,): mean accuracies between 0 and 1.
    """
    from baycomp import SignedRankTest

    better, equal, worse = SignedRankTest.probs(
        np.asarray(scores), np.asarray(reference), rope=ROPE, nsamples=N_DRAWS, random_state=0
    )
    return float(better), float(equal), float(worse)


def bayes_rows(names: Sequence[str], scores: np.ndarray, reference: int = 0) -> list[Row]:
    """A row for each method but the reference, those first that are most probably better.

    ``scores`` has shape (n_sets, n_methods).
    """
    rows = []
    for k, name in enumerate(names):
        if k != reference:
            better, equal, worse = practical_probabilities(scores[:, k], scores[:, reference])
            difference = 100 * float((scores[:, k] - scores[:, reference]).mean())
            rows.append(
                {
                    "method": name,
                    "against": names[reference],
                    "mean difference": difference,
                    "better": better,
                    "practically equal": equal,
                    "worse": worse,
                }
            )
    return sorted(rows, key=lambda row: (-row["better"], row["worse"]))


def bayes_sentences(rows: Sequence[Row]) -> str:
    """What is at least 95 % probable, in sentences."""
    kinds = ("better", "practically equal", "worse")
    sure = {kind: "; ".join(row["method"] for row in rows if row[kind] >= SURE) for kind in kinds}
    told = " ".join(f"{kind.capitalize()}: {sure[kind] or 'none'}." for kind in kinds)
    return (
        f"The probabilities of being better than '{rows[0]['against']}' by more than {100 * ROPE:g} point, "
        f"equal within {100 * ROPE:g} point, or worse are from a Bayesian signed-rank test (baycomp). These "
        f"methods have a probability of at least {100 * SURE:g} %: {told}"
    )
