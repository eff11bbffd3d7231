"""The warnings and errors a user can catch by name."""

__all__ = [
    "BoundaryWarning",
    "DegenerateGramError",
    "IncompatibleError",
    "KernelwiseWarning",
    "NotEnoughMemoryError",
    "RidgeWarning",
    "TrustWarning",
]


class KernelwiseWarning(UserWarning):
    """Warning that kernelwise did something else than asked, or that a result needs a second look.

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
    """Warning that the best point of a search is at the edge of its range, or that there is no peak.

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
    """Warning that there is a reason not to trust a model, such as a score no better than guessing.

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
    """Warning that a singular system was solved by adding to its diagonal or by dropping directions.

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
    """Error: a criterion is undefined for a Gram matrix whose points all coincide in feature space.

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
    """Error: parts cannot work together, or an export cannot hold a model.

    It is raised before anything is computed.

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
    """Error: an array would need more memory than is available; raised before the array is made.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.exceptions import NotEnoughMemoryError
    >>> from kernelwise.kernels import RBF
    >>> try:
    ...     RBF(1.0)(np.zeros((10_000_000, 1)))
    ... except NotEnoughMemoryError as error:
    ...     print(str(error).split(",")[0])
    A matrix of 10000000 × 10000000 kernel values would need 7.45e+05 GiB
    """
