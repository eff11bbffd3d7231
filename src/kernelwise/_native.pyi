"""The native core, in C++ (src/native): loops that run without Python's lock.

Arrays must be C-contiguous and of the types named here, else a TypeError is raised; arrays of other shapes
than the functions need raise a ValueError.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Single: TypeAlias = NDArray[np.float32]
Double: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.uintp]
Gram: TypeAlias = Single | Double

#: The kind of processor that the loops were chosen for, and all that this one can run, the best one last.
target: str
targets: list[str]
#: Relative: what rounding, of Σβ above all, may leave between a variable and its bound.
HAIR: float
#: Of labels ±1: a mean of f that is smaller is rounding, and no offset.
NO_OFFSET: float
#: Rows of a block of Gaussian kernel values, and columns of a panel.
ROWS: int
WIDTH: int

class SinglePool:
    """Variables that may move, and a copy of their part of K in single precision.

    With ``K``, of n rows and at least as many columns as the pool pads them to, all variables are in it, and
    K is no copy.
    """

    def __init__(self, n: int, K: Single | None = None) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def members(self) -> list[int]: ...

class DoublePool:
    """The same in double precision."""

    def __init__(self, n: int, K: Double | None = None) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def members(self) -> list[int]: ...

def solve_path(
    K: Gram,
    p: Double,
    beta: Double,
    f: Double,
    lo: Double,
    hi: Double,
    Cs: Double,
    start: int,
    tol: float,
    limit: int,
    pool: SinglePool | DoublePool,
    shift: float,
    kept: Double,
    table: Double,
) -> tuple[int, bool]:
    """Solve ½ βᵀKβ − pᵀβ with C·lo ≤ β ≤ C·hi for increasing C by pair steps; see `BoxQP.path`."""

class PathProblem:
    """A cross-validation of machines; see `kernelwise.solvers.path_problem.PathProblem`."""

    def __init__(
        self,
        *,
        members: Places,
        member_ends: Indices,
        lo: Double,
        hi: Double,
        p: Double,
        turns: Double,
        weights: Double,
        counts: Double | None,
        test: Places,
        test_ends: Indices,
        answers: Indices,
        n_answers: int,
    ) -> None: ...
    def solve(
        self,
        K: Gram,
        *,
        Cs: Double,
        rank: Indices,
        folds: Indices,
        tol: float,
        max_iter: int,
        patience: float,
        may_guess: bool,
        is_whole: bool,
        has_seed: bool,
        goes_on: bool,
        n_threads: int,
        decision: Double,
        tables: Double,
        n_done: Indices,
        last_C: Double,
        beta: Double,
        f: Double,
        callback: Callable[[int, int], None] | None,
    ) -> None:
        """Solve machines on folds for increasing C, as far as pair steps lead, and write the results."""

def patience(n: int, n_free: int, may_guess: bool) -> int:
    """Pair steps that take about as long as the linear systems that follow them."""

def has_copies(K: Gram) -> bool:
    """Whether most samples are copies of others."""

def vote(decision: Double, n_classes: int, found: NDArray[np.int32]) -> None:
    """Write class indices by votes of pairs; of equal votes, sums of decision values decide."""

def fill_kernel(shapes: NDArray[np.int64], powers: Gram, left: Gram, panels: Gram, out: Gram) -> None:
    """Write values of sums of kernels to ``out``; panels have the shape (n_panels, left.shape[1], WIDTH).

    A row of ``shapes`` is a term: the kind of its exponent, its columns, and its powers. A row of ``powers``
    is a scale and a weight, of each sum one; a value is Σ weight·2^(scale·e). The values of a sum, in
    n_panels·WIDTH columns of ``out``, follow those of the one before it. The exponent e is left · panel (kind
    0), −Σ(left − panel)² (1) or −Σ|left − panel| (2). All are of one precision; double precision has zero
    below 2⁻¹⁰²², single precision 2⁻¹⁰⁰ below that.
    """

def add_kernel(
    shapes: NDArray[np.int64], powers: Single, left: Single, change: Single, panels: Single, total: Double
) -> None:
    """Add Σ change_k times the values of row k (see `fill_kernel`) to ``total``; a multiple of ROWS rows."""

def decay(D: Double, scale: float, out: Double) -> None:
    """Write exp(−scale·D) to ``out``, zero for what would be a denormal number; D may be ``out`` itself."""

def fit_sigmoids(f: Double, target: Double, w: Double, points: Double) -> int:
    """Fit Platt's sigmoids to the rows, from ``points``, which become (A, B); how many did not converge."""

def from_products(G: Double, norms_x: Double, norms_y: Double, rounding: float) -> None:
    """Inner products to squared distances, in place."""

def mirror(D: Double, first: int, last: int) -> None:
    """What is above the diagonal also below it, in the rows from ``first`` to ``last``."""

def city_block(rows: Double, columns: Double, D: Double, first: int) -> None:
    """Write Σ_k |x_ik − y_kj| to D, from column ``first`` on."""

def add_differences(rows: Double, columns: Double, V: Double, sums: Double) -> None:
    """Add Σ_i V_ij |x_ik − y_kj| to sums_kj."""

def add_signs(rows: Double, others: Double, V: Double, sums: Double) -> None:
    """Add Σ_j V_ij sign(x_ik − y_jk) to sums_ik."""

def count_pairs(
    G: Double,
    norms_x: Double,
    norms_y: Double,
    rounding: float,
    per_bottom: float,
    upper: bool,
    words: NDArray[np.uint64],
) -> None:
    """Count pairs into the fine bins of a distance sketch; see `kernelwise.sketch.histograms`."""

def weigh_pairs(
    G: Double,
    norms_x: Double,
    norms_y: Double,
    rounding: float,
    per_bottom: float,
    upper: bool,
    weights_x: Double,
    weights_y: Double,
    moments: Double,
) -> None:
    """Add weighted pairs to the moments of the bins of a distance sketch."""

def shapley_values(U: Double, V: Double, beta: Double, nodes: Double, weights: Double, out: Double) -> None:
    """Add Shapley values of products; see `kernelwise.explanation.product_machines`."""

def shapley_interactions(
    U: Double, V: Double, beta: Double, nodes: Double, weights: Double, out: Double
) -> None:
    """Add Shapley interactions of products above the diagonal."""
