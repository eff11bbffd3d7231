"""Whether a matrix that the user has passed is a kernel: positive semi-definite."""

from __future__ import annotations

import numpy as np

from kernelwise.findings import Finding
from kernelwise.kernels.gram import gram_of
from kernelwise.search.data.canonical import sample
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice

#: Rows whose eigenvalues are looked at: a part of a positive semi-definite matrix is one, too.
MAX_ROWS = 500
#: Share of the eigenvalues, by their sizes, that may be negative.
FEW = 0.01


def indefinite_findings(judge: CrossValidator, choice: Choice) -> list[Finding]:
    """A finding if many eigenvalues of the chosen Gram matrix are negative; of matrices that were given."""
    if not judge.samples.is_gram:
        return []
    rows = np.arange(len(judge.samples))
    if len(rows) > MAX_ROWS:
        rows = sample(judge.samples.strata, MAX_ROWS, judge.random_state)
    values = np.linalg.eigvalsh(gram_of(choice.scored.kernel, judge.samples[rows].Z))
    share = float(-values[values < 0.0].sum() / np.abs(values).sum()) if values.any() else 0.0
    if share <= FEW:
        return []
    message = (
        f"The chosen kernel matrix is not positive semi-definite: {100 * share:.0f} % of its eigenvalues, by "
        "size, are negative. The solver may then find a local solution, not the best one."
    )
    return [Finding("indefinite", "info", message, "Use other distances or kernel values if you can.")]
