"""The warnings and errors a user can catch by name."""


class KernelwiseWarning(UserWarning):
    """Something was done differently from what was asked, or the answer needs a second look."""


class BoundaryWarning(KernelwiseWarning):
    """The best point of a search lies on the edge of its range, or there is no peak inside it."""


class RidgeWarning(KernelwiseWarning):
    """A singular system was made solvable by a small addition to its diagonal, or by dropping directions."""


class DegenerateGramError(ValueError):
    """A criterion is not defined for a Gram matrix, because all its points coincide in feature space."""


class IncompatibleError(TypeError):
    """Parts cannot work together, or an export cannot hold a model; raised before anything is computed."""


class NotEnoughMemoryError(MemoryError):
    """An array would need more memory than there is; raised before it is made."""
