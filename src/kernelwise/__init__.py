"""kernelwise chooses the kernel of a support vector machine, its parameters and C."""

from kernelwise.estimators import SVC, GridSearchSVC

__version__ = "0.1.0.dev0"

__all__ = ["SVC", "GridSearchSVC", "__version__"]
