"""The warnings and errors a user can catch by name."""

__all__ = [
    "BoundaryWarning",
    "DegenerateGramError",
    "IncompatibleError",
    "KernelwiseWarning",
    "NotEnoughMemoryError",
    "RidgeWarning",
]


class KernelwiseWarning(UserWarning):
    """Something was done differently from what was asked, or the answer needs a second look.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from kernelwise.exceptions import KernelwiseWarning
    >>> from kernelwise.kernels import Mahalanobis

    One filter serves for all of our warnings, here to make them errors:

    >>> X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0]])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", KernelwiseWarning)
    ...     try:
    ...         Mahalanobis().initialize(X)
    ...     except KernelwiseWarning as warning:
    ...         print(type(warning).__name__)
    RidgeWarning
    """


class BoundaryWarning(KernelwiseWarning):
    """The best point of a search lies on the edge of its range, or there is no peak inside it.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.exceptions import BoundaryWarning
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.optimizers import LineSearch
    >>> from kernelwise.problem import TuningProblem

    The peak is at a wider kernel than these bounds allow:

    >>> X, y = load_iris(return_X_y=True)
    >>> problem = TuningProblem(RBF(2.0), "dbtc", X, y, bounds={"gamma": (1.0, 10.0)})
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = LineSearch().minimize(problem)
    >>> caught[0].category is BoundaryWarning, result.stop_reason
    (True, 'boundary')
    """


class TrustWarning(KernelwiseWarning):
    """A model was trained, and there is a reason not to trust it: it is no better than guessing, say.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.exceptions import TrustWarning

    Labels that have nothing to do with the features:

    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = TunedSVC().fit(X, y)
    >>> TrustWarning in [warning.category for warning in caught]
    True
    """


class RidgeWarning(KernelwiseWarning):
    """A singular system was made solvable by a small addition to its diagonal, or by dropping directions.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from kernelwise.exceptions import RidgeWarning
    >>> from kernelwise.kernels import Mahalanobis

    A constant feature has no inverse variance; it gets weight zero:

    >>> X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0]])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     kernel = Mahalanobis().initialize(X, heuristic="keep")
    >>> caught[0].category is RidgeWarning, kernel.transform(X)[:, 1]
    (True, array([0., 0., 0.]))
    """


class DegenerateGramError(ValueError):
    """A criterion is not defined for a Gram matrix, because all its points coincide in feature space.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.exceptions import DegenerateGramError
    >>> from kernelwise.metrics import esdr
    >>> try:
    ...     esdr(np.ones((4, 4)), [0, 0, 1, 1])
    ... except DegenerateGramError as error:
    ...     print(str(error).split(" (")[0])
    The points of each class coincide in feature space
    """


class IncompatibleError(TypeError):
    """Parts cannot work together, or an export cannot hold a model; raised before anything is computed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.exceptions import IncompatibleError
    >>> from kernelwise.optimizers import SecondOrder
    >>> from kernelwise.problem import TuningProblem
    >>> problem = TuningProblem("diagonal", "dbtc", *load_iris(return_X_y=True))
    >>> try:
    ...     SecondOrder().minimize(problem)
    ... except IncompatibleError as error:
    ...     print(str(error).split(". ")[1])
    Use QuasiNewton or GradientDescent.
    """


class NotEnoughMemoryError(MemoryError):
    """An array would need more memory than there is; raised before it is made.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.exceptions import NotEnoughMemoryError
    >>> from kernelwise.kernels import RBF
    >>> try:
    ...     RBF(1.0)(np.zeros((10_000_000, 1)))
    ... except NotEnoughMemoryError as error:
    ...     print(str(error).split(",")[0])
    A matrix of 10000000 × 10000000 kernel values would take 7.45e+05 GiB
    """
