"""One BLAS thread for each of our own: no quarrel over cores, and sums that do not depend on n_jobs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> Any:
    """A context in which BLAS uses one thread."""
    return _controller().limit(limits=1, user_api="blas")


@lru_cache
def _controller() -> ThreadpoolController:
    # Looking through the loaded libraries takes longer than a small path or sketch.
    return ThreadpoolController()
