"""The line C = C̃σ² of Keerthi and Lin (2003): a search of one dimension in place of a grid.

S. S. Keerthi and C.-J. Lin, *Asymptotic behaviors of support vector machines with Gaussian kernel*, show that
with C = C̃σ² and σ → ∞ the machine with the kernel exp(−‖x − x′‖²/(2σ²)) becomes the linear machine with C̃.
So they find C̃ for the linear machine first, and then search σ along the line log C = log C̃ + log σ². Paper
004 (Yin and Yin 2016) cites it; its figure 8 shows the same from the other side, a wide kernel that needs a
large C.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import StandardScaler

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState
from kernelwise.estimators.svc import SVC
from kernelwise.kernels import RBF
from kernelwise.kernels.distances import DISTANCES, PRODUCTS, base_array
from kernelwise.kernels.gram import Grams
from kernelwise.search.engine.gram_accuracy import pooled_accuracies
from kernelwise.selection.procedure import (
    Procedure,
    ProcedureResult,
    check_values,
    edge_finding,
    noting_convergence,
)

#: Widths, in half steps of the exponent, and values of C̃.
SIGMAS = tuple(2.0 ** (k / 2) for k in range(-8, 13))
LINEAR_CS = tuple(2.0**k for k in range(-8, 9))


def keerthi_lin_select(
    X: MatrixLike,
    y: ArrayLike,
    *,
    sigmas: ArrayLike = SIGMAS,
    Cs: ArrayLike = LINEAR_CS,
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> KeerthiLinResult:
    """Choose C̃ of the linear machine, then σ along the line C = C̃σ², both by cross-validation.

    The heuristic of Keerthi and Lin (2003); see figure 8 of paper 004 for what it rests on. Of equals, the
    smallest C̃ and the widest kernel are taken. Returns a `KeerthiLinResult`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Features are standardised once, on all samples.
    y : array of shape (n_samples,)
    sigmas : array of shape (n_sigmas,)
        Widths σ of exp(−‖x − x′‖²/(2σ²)); 2⁻⁴ … 2⁶ in half steps by default.
    Cs : array of shape (n_Cs,)
        Values of C̃; 2⁻⁸ … 2⁸ by default. The paper leaves both ranges open.
    cv : int or splitter, default=5
        A number means shuffled stratified folds.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.

    Notes
    -----
    Where no straight line parts the classes at all, the linear machine answers the larger class with every
    C̃: the smallest of these equals is taken, and the line is of no use. A finding then says that the best C
    of the linear machine is the smallest of those tried.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import keerthi_lin_select
    >>> X, y = load_iris(return_X_y=True)
    >>> chosen = keerthi_lin_select(X, y)
    >>> chosen.C == chosen.C_linear * chosen.sigma**2, len(chosen.accuracies)
    (True, 21)
    """
    search = Procedure(X, y, StandardScaler())
    sigmas = check_values(sigmas, "sigmas", "keerthi_lin_select")
    Cs = check_values(Cs, "Cs", "keerthi_lin_select")
    search.split(cv, random_state)
    with noting_convergence(search.findings):
        products = base_array(PRODUCTS, search.scaled)
        linear = pooled_accuracies(products, search.y, Cs, search.folds, n_jobs=n_jobs)
        C_linear = float(Cs[int(linear.argmax())])
        grams, accuracies = Grams(search.scaled, [DISTANCES]), np.empty(len(sigmas))
        for k, sigma in enumerate(sigmas):
            with grams.gram(RBF(0.5 / sigma**2)) as K:
                on_line = [C_linear * sigma**2]
                accuracies[k] = pooled_accuracies(K, search.y, on_line, search.folds, n_jobs=n_jobs)[0]
    sigma = float(sigmas[len(sigmas) - 1 - int(accuracies[::-1].argmax())])
    C = C_linear * sigma**2
    search.findings += [*edge_finding("C of the linear machine", C_linear, Cs)]
    search.findings += [*edge_finding("sigma", sigma, sigmas)]
    return KeerthiLinResult(
        method="line",
        sigma=sigma,
        C=C,
        C_linear=C_linear,
        cv_accuracy=float(accuracies.max()),
        accuracies=accuracies,
        linear_accuracies=linear,
        sigmas=sigmas,
        Cs=Cs,
        **search.trained(SVC(C=C, kernel=RBF(0.5 / sigma**2))),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class KeerthiLinResult(ProcedureResult):
    """σ and C on the line C = C̃σ², how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : str
        "line".
    sigma, C, C_linear : float
        σ of exp(−‖x − x′‖²/(2σ²)) on standardised features, C = C̃σ², and C̃.
    cv_accuracy : float
    accuracies : ndarray of shape (n_sigmas,)
        Along the line.
    linear_accuracies : ndarray of shape (n_Cs,)
        Of the linear machine.
    sigmas, Cs : ndarray
        The values tried, in increasing order.
    estimator : Pipeline
        Standardising and the machine, trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import keerthi_lin_select
    >>> found = keerthi_lin_select(*load_iris(return_X_y=True), sigmas=[0.5, 1.0, 64.0], Cs=[0.1, 1.0])

    At the wide end the line has the accuracy of the linear machine:

    >>> float(found.accuracies[-1]) == float(found.linear_accuracies.max())
    True
    """

    sigma: float
    C_linear: float
    accuracies: np.ndarray = field(repr=False)
    linear_accuracies: np.ndarray = field(repr=False)
    sigmas: np.ndarray = field(repr=False)
    Cs: np.ndarray = field(repr=False)

    _columns: ClassVar[tuple[str, ...]] = ("method", "sigma", "C", "C_linear", "cv_accuracy", "seconds")
