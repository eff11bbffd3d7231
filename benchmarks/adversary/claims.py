"""Claims about models beside the truth: most truths are within two errors of what was to be expected."""

from __future__ import annotations

import random

from benchmarks.adversary.batches import Attempt
from benchmarks.honesty import KINDS, simulated

#: Models of an attempt, of which so many must be within two errors, and how many errors none may exceed. Of
#: 95 in a hundred that are within two, 7 of 12 are nearly always; of 60 in a hundred, half of the time.
N_MODELS, FEWEST, FAR = 12, 7, 6.0
#: Rows on which the truth is seen, and rows of a kind, at most.
N_NEW, MOST_ROWS = 3000, 500


def prepare() -> Attempt:
    """Draws of one kind of data, whose models claim something."""
    kinds = [kind for kind, (_, n) in KINDS.items() if n <= MOST_ROWS]

    def attempt(seed: str) -> str:
        draw = random.Random(seed)
        kind = draw.choice(kinds)
        outcomes = [simulated(kind, draw.randrange(2**30), N_NEW) for _ in range(N_MODELS)]
        n_within = sum(one.is_within for one in outcomes)
        far = max(abs(one.truth - one.expected) / one.error for one in outcomes)
        if n_within >= FEWEST and far <= FAR:
            return ""
        return f"{kind}: {n_within} of {N_MODELS} truths are within two errors, one is {far:.1f} away"

    return attempt
