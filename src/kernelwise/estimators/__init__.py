"""Support vector machines under scikit-learn's contract."""

from .svc import SVC

__all__ = ["SVC"]
