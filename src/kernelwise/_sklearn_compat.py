"""The scikit-learn names without a promise of stability; nothing else may import such names."""

from sklearn.utils import _safe_indexing as safe_indexing

__all__ = ["safe_indexing"]
