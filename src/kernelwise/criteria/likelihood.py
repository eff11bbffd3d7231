"""The likelihood of held-out labels under a sigmoid (Glasmachers and Igel 2010)."""

from __future__ import annotations

from kernelwise.criteria.cross_validation_error import CrossValidationError


class CrossValidationLikelihood(CrossValidationError):
    """Mean negative log-likelihood in cross-validation, from one sigmoid of held-out decision values.

    With decision values f_i of machines that did not see sample i, and p_i = 1/(1 + exp(A f_i + B)),

        cost = −(1/n) max_{A ≤ 0, B} Σ_i log(p_i if y_i = 1 else 1 − p_i),

    the maximum-likelihood criterion of Glasmachers and Igel (2010) for the 1-norm machine: they search the
    kernel and C together along its gradient. A and B are optimal, and so the derivative needs that of the
    decision values only. With A ≤ 0, larger values never make the positive class less likely, and a machine
    whose held-out answers are worse than chance has the likelihood of the class shares.

    E of paper 001 (Ayat and others 2002, section 3.2), :class:`CrossValidationError`, is the mean probability
    of error by the same kind of sigmoid.

    The paper's prior distribution over kernel and C, an option there, is not part of it: the bounds of a
    search are what limits them here. ``CrossValidationError(loss="likelihood")`` is the same with Platt's
    smoothed targets in place of the labels, which keeps the cost above zero where folds make no error.

    Parameters
    ----------
    C, cv, search_C, strategy, tol, random_state
        As in :class:`CrossValidationError`. The paper is about two classes; more are averaged over the
        two-class problems.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import CrossValidationLikelihood
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)

    A width that suits the data, and one that is too narrow:

    >>> [round(CrossValidationLikelihood(C=10.0).value(RBF(gamma)(scale(X)), y), 3) for gamma in (0.02, 1.0)]
    [0.067, 0.399]

    References
    ----------
    T. Glasmachers, C. Igel: Maximum likelihood model selection for 1-norm soft margin SVMs with multiple
    parameters. IEEE Transactions on Pattern Analysis and Machine Intelligence 32(8), 1522–1528, 2010.
    """

    name = "cv-likelihood"
    reference = "T. Glasmachers and C. Igel, IEEE Trans. Pattern Anal. Mach. Intell. 32(8), 2010"

    def __init__(
        self,
        C: float = 1.0,
        cv: int = 5,
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int | None = None,
    ) -> None:
        super().__init__(C, cv, "plain-likelihood", "exact", search_C, strategy, tol, random_state)
