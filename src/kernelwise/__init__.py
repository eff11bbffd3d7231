"""kernelwise chooses the kernel of a support vector machine, its parameters and C."""

from .estimators import SVC

__version__ = "0.1.0.dev0"

__all__ = ["SVC"]
