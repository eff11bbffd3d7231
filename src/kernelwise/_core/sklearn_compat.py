"""scikit-learn's names that are not promised, or not in every version; nothing else may import such names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils import _safe_indexing as safe_indexing

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """The method itself: this scikit-learn has no callbacks."""
        return method


__all__ = ["CallbackSupportMixin", "safe_indexing", "with_callbacks"]
