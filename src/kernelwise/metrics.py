"""The criteria as plain functions of a Gram matrix, for any kernel: quantum, string, graph or your own.

Each returns the paper's quantity: larger means better separated. Papers are called by their numbers:
:mod:`kernelwise.selection` has the list.

Examples
--------
>>> import numpy as np
>>> from kernelwise.metrics import esdr, kernel_target_alignment
>>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
>>> y = ["near", "near", "far", "far"]
>>> K = X @ X.T
>>> esdr(K, y)
33.0
>>> round(kernel_target_alignment(K, y, centered=True), 4)
0.9412
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.labels import guess_task
from kernelwise._core.typing import MatrixLike, is_sparse
from kernelwise._core.validation import (
    check_choice,
    check_integer,
    check_labels,
    check_not_negative,
    check_samples,
    check_targets,
    check_weights,
)
from kernelwise.criteria import (
    ESDR,
    J4,
    InterClassDistance,
    KernelFisher,
    KernelTargetAlignment,
    Polarization,
)
from kernelwise.criteria.columns import (
    LEAST,
    MAX_ROWS,
    align_columns,
    copies,
    some_rows,
    standardised_columns,
    target_gram,
)

__all__ = [
    "column_alignment",
    "esdr",
    "inter_class_distance",
    "j4",
    "kernel_fisher",
    "kernel_target_alignment",
    "polarization",
]


def inter_class_distance(
    K: ArrayLike,
    y: ArrayLike,
    *,
    strategy: str = "pooled",
    sample_weight: ArrayLike | None = None,
    class_weight: str | None = None,
    unbiased: bool = False,
    trim: float = 0.0,
) -> float:
    """Squared distance between class centres in feature space (DBTC; paper 000, Abe 2007, equation 7).

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Symmetric Gram matrix.
    y : array of shape (n_samples,)
        Class labels, two or more classes.
    strategy : {"pooled", "ovr", "ovo"}, default="pooled"
        For more than two classes: all at once, or the average over one-vs-rest or one-vs-one problems.
    sample_weight : array of shape (n_samples,), default=None
        A weight of 2 counts as a repeated row.
    class_weight : {None, "balanced"}, default=None
        "balanced" gives every class the same total weight.
    unbiased : bool, default=False
        Average over pairs of different rows only; a row of weight 2 and its copy are a pair.
    trim : float, default=0.0
        Share of the closest pairs that is left out of the averages; only with ``unbiased``.

    Returns
    -------
    d2 : float
        Zero or more (unless ``unbiased``); at most 4 for a kernel with k(x, x) = 1.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import inter_class_distance
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])

    With a linear kernel feature space is input space; the centres are 0.5 and 4.5:

    >>> inter_class_distance(X @ X.T, [0, 0, 1, 1])
    16.0
    """
    return InterClassDistance(strategy, class_weight, unbiased, trim).score(K, y, sample_weight)


def esdr(
    K: ArrayLike,
    y: ArrayLike,
    *,
    strategy: str = "pooled",
    sample_weight: ArrayLike | None = None,
    class_weight: str | None = None,
    unbiased: bool = False,
    trim: float = 0.0,
) -> float:
    """Expected square distance ratio (paper 004, equation 8); 1 where the classes are mixed completely.

    Parameters
    ----------
    K, y, strategy, sample_weight, class_weight, unbiased, trim
        As in `inter_class_distance`.

    Returns
    -------
    ratio : float
        Tends to n/(n − 2) for two classes as a kernel gets narrower: the 1 of all distances equal, but for
        the pairs of a point with itself.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import esdr
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])

    Squared distances between the classes are 9, 16, 16 and 25, and within them 0 and 1:

    >>> esdr(X @ X.T, [0, 0, 1, 1])
    33.0
    >>> 16.5 / 0.5
    33.0
    """
    return ESDR(strategy, class_weight, unbiased, trim).score(K, y, sample_weight)


def j4(
    K: ArrayLike,
    y: ArrayLike,
    *,
    strategy: str = "pooled",
    sample_weight: ArrayLike | None = None,
    class_weight: str | None = None,
    unbiased: bool = False,
    trim: float = 0.0,
) -> float:
    """Ratio of between-class to within-class scatter, tr S_b / tr S_w (paper 004, equation 14).

    Parameters
    ----------
    K, y, strategy, sample_weight, class_weight, unbiased, trim
        As in `inter_class_distance`.

    Returns
    -------
    ratio : float
        Zero or more.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import inter_class_distance, j4
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> K, y = X @ X.T, [0, 0, 1, 1]
    >>> j4(K, y)
    16.0

    tr S_b is n₁n₂/n² of the distance between the centres (equation 15), and tr S_w the variance ¼ of a class:

    >>> inter_class_distance(K, y) * 2 * 2 / 4**2 / 0.25
    16.0
    """
    return J4(strategy, class_weight, unbiased, trim).score(K, y, sample_weight)


def polarization(
    K: ArrayLike,
    y: ArrayLike,
    *,
    strategy: str = "pooled",
    sample_weight: ArrayLike | None = None,
    class_weight: str | None = None,
) -> float:
    """Kernel polarization, Σ_ij y_i y_j K_ij (paper 002, section 2).

    Parameters
    ----------
    K, y, strategy, sample_weight, class_weight
        As in `inter_class_distance`.

    Returns
    -------
    P : float
        Zero or more for a positive semi-definite K.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import polarization
    >>> K = np.array([[1.0, 0.5], [0.5, 1.0]])

    Equal points of different classes count against it:

    >>> polarization(np.kron(K, np.ones((2, 2))), [0, 0, 1, 1]), polarization(np.ones((4, 4)), [0, 0, 1, 1])
    (4.0, 0.0)
    """
    return Polarization(strategy, class_weight).score(K, y, sample_weight)


def kernel_target_alignment(
    K: ArrayLike,
    y: ArrayLike,
    *,
    centered: bool = False,
    strategy: str = "pooled",
    sample_weight: ArrayLike | None = None,
    class_weight: str | None = None,
) -> float:
    """Kernel-target alignment ⟨K, yyᵀ⟩ / (‖K‖ ‖yyᵀ‖), between −1 and 1 (paper 002, section 2).

    Parameters
    ----------
    K, y, strategy, sample_weight, class_weight
        As in `inter_class_distance`.
    centered : bool, default=False
        Centre K and yyᵀ in feature space first (Cortes, Mohri and Rostamizadeh 2012): it matters where the
        classes are not of one size.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import kernel_target_alignment
    >>> y = np.array([1, 1, 1, 1, -1, -1])

    A kernel that knows the labels is aligned with them, whatever its scale:

    >>> round(kernel_target_alignment(7.0 * np.outer(y, y), y), 12)
    1.0

    A constant added to it is seen by the plain alignment only:

    >>> K = np.outer(y, y) + 5.0
    >>> [round(kernel_target_alignment(K, y, centered=centered), 4) for centered in (False, True)]
    [0.2988, 1.0]
    """
    return KernelTargetAlignment(centered, strategy, class_weight).score(K, y, sample_weight)


def kernel_fisher(
    K: ArrayLike,
    y: ArrayLike,
    *,
    regularization: float = 0.03,
    strategy: str = "pooled",
    sample_weight: ArrayLike | None = None,
    class_weight: str | None = None,
) -> float:
    """Kernel Fisher criterion: the distance of class centres in units of the scatter along it.

    It is mᵀ(S_w + λI)⁻¹m, what kernel Fisher discriminant analysis maximises over directions (Mika and others
    1999); `j4` divides traces instead (paper 004, equation 14).

    Parameters
    ----------
    K, y, strategy, sample_weight, class_weight
        As in `inter_class_distance`.
    regularization : float, default=0.03
        λ over the mean of K_ii.

    Returns
    -------
    ratio : float
        Zero or more.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import kernel_fisher
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])

    The centres are 4 apart, the variance within classes is ¼, and the mean of x² is 10.5:

    >>> round(kernel_fisher(X @ X.T, [0, 0, 1, 1], regularization=0.1), 6)
    12.307692
    >>> round(16 / (0.25 + 0.1 * 10.5), 6)
    12.307692
    """
    return KernelFisher(regularization, strategy, class_weight).score(K, y, sample_weight)


def column_alignment(
    X: MatrixLike,
    y: ArrayLike,
    *,
    task: str = "auto",
    sample_weight: ArrayLike | None = None,
    margin: float = 0.0,
    max_rows: int = MAX_ROWS,
) -> np.ndarray:
    """Centred alignment of each column's own kernel with the target, less what it is by chance.

    For classes it is `kernel_target_alignment` (paper 002, section 2) with ``centered=True`` of the kernel
    exp(−(z − z')²) of one standardised column z; for numbers, the alignment with the kernel exp(−(t − t')²/2)
    of the standardised target t. What it is by chance is its mean over the targets in all possible orders,
    which has a closed form. A column that has nothing to do with the target has 0 on average. Columns that
    matter only together, such as two whose signs have to agree, look like that, too.

    Parameters
    ----------
    X : array of shape (n_samples, n_columns)
    y : array of shape (n_samples,)
        Class labels or numbers.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether y has classes or numbers. "auto" treats words as classes and numbers with a fraction as
        numbers. It treats whole numbers as classes if there are at most 30 different ones and each occurs at
        least twice.
    sample_weight : array of shape (n_samples,), default=None
        A weight of 2 counts as a repeated row.
    margin : float, default=0.0
        How many standard deviations over all orders to subtract as well. With 3, nearly all columns that have
        nothing to do with the target are below zero.
    max_rows : int, default=500
        Of more different rows, about so many are used: the time grows like their square. They are chosen by
        their content, so that the order of the rows does not matter, and each class keeps its share.

    Returns
    -------
    alignment : ndarray of shape (n_columns,)
        At most 1; 0 for a constant column. Neither the units of columns nor the names of classes matter.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.metrics import column_alignment
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> y = np.where(np.abs(X[:, 2]) < 0.7, "near", "far")
    >>> column_alignment(X, y).round(2) + 0.0
    array([ 0.  ,  0.  ,  0.42, -0.01])
    """
    me = "column_alignment"
    check_choice(task, "task", me, ("auto", "classification", "regression"))
    check_not_negative(margin, "margin", me)
    check_integer(max_rows, "max_rows", me, least=LEAST)
    samples = check_samples(X)
    if is_sparse(samples):
        raise ValueError("column_alignment needs all values of X. Pass X.toarray().")
    w = check_weights(sample_weight, len(samples))
    are_classes = task == "classification" or (
        task == "auto" and guess_task(np.asarray(y))[0] != "regression"
    )
    targets = check_labels(y, len(w))[1] if are_classes else check_targets(y, len(w))
    used = w > 0.0
    samples, targets, w = samples[used].astype(float), targets[used], w[used]
    if copies(w).sum() < LEAST:
        raise ValueError(f"column_alignment needs at least {LEAST} samples, got {len(w)}. Add samples.")
    if np.ptp(targets) == 0:
        raise ValueError("y is constant: no column is aligned with it. Check y.")
    strata = targets if are_classes else np.zeros(len(w), int)
    rows = some_rows(np.hstack(standardised_columns(samples, w)), strata, max_rows)
    T = target_gram(targets[rows], w[rows], are_classes=are_classes)
    return align_columns(samples[rows], T, w[rows]).beyond(margin)
