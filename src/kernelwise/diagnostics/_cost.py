"""Time and memory of a fit, before it."""

from __future__ import annotations

from scipy import sparse

from kernelwise._core.memory import amount
from kernelwise.diagnostics._data import Data
from kernelwise.estimators.kernel_choice import trains_by_rows
from kernelwise.estimators.svc import SVC
from kernelwise.findings import Finding

# Seconds of one core (2026) for each of the n² kernel values, at C = 1, γ = "scale", n from 500 to 20 000 and
# 2 or 30 % label noise: measured 1.5–9 ns by rows with 20 features (19 ns once), 11–22 ns with 100; 16–22 ns
# with the Gram matrix of a Gaussian kernel, 65–100 ns with that of a polynomial or linear one; five classes
# took twice that. At C = 100 and 10 000 a noisy set took 18 and 100 times as long as at C = 1.
BY_ROWS, BY_GRAM, BY_OTHER_GRAM, PER_FEATURE = 3e-9, 15e-9, 80e-9, 0.1e-9
MANY_CLASSES = 2.0
LONG = 600.0


def cost_findings(data: Data) -> list[Finding]:
    """Predicted seconds and memory of one ``SVC().fit``."""
    n = data.X.shape[0]
    by_rows = trains_by_rows(data.kernel, data.X, n, SVC().memory_limit)
    seconds = predicted_seconds(data, by_rows)
    gram = f"Gram matrix of {amount(8 * n * n)}"
    how = f"rows of the kernel, not its {gram}" if by_rows else f"the {gram}"
    time = "less than 0.01 s" if seconds < 0.01 else f"about {seconds:.1g} s"
    message = (
        f"Training one model on these {n} {data.noun}s takes {time}, and a search trains hundreds of models. "
        f"The estimate is for one core, C = 1 and {how}; it may be wrong by a factor of five. At C = 10 000 "
        "training can take a hundred times as long."
    )
    if seconds <= LONG:
        return [Finding("cost", "info", message)]
    return [
        Finding(
            "cost",
            "warning",
            message,
            "Choose the kernel on a part of the samples.",
            "Set --time-budget.",
        )
    ]


def predicted_seconds(data: Data, by_rows: bool) -> float:
    """(a + b·d) n² with the constants above; d is the number of features that are not zero."""
    n, d = data.X.shape
    if sparse.issparse(data.X):
        d = data.X.nnz / n
    each = BY_OTHER_GRAM
    if data.kernel.is_gaussian:
        each = BY_ROWS if by_rows else BY_GRAM
    return (each + PER_FEATURE * d) * n * n * (MANY_CLASSES if len(data.classes) > 2 else 1.0)
