"""Compile the inner loops when first used, and keep the machine code on disk for later processes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from threading import Lock, Timer
from typing import Any

import numpy as np

logger = logging.getLogger("kernelwise")
PATIENCE = 1.0  # seconds

_lock = Lock()


def compiled_smo(gram_dtype: np.dtype, pool_dtype: np.dtype) -> Callable[..., Any]:
    """Return `_compile` of these dtypes, compiled by the first thread that asks for it."""
    with _lock:
        return _compile(gram_dtype, pool_dtype)


@lru_cache
def _compile(gram_dtype: np.dtype, pool_dtype: np.dtype) -> Callable[..., Any]:
    """Return `smo_path` compiled for the dtypes of the Gram matrix and of the pool's copy."""
    # Numba takes a quarter of a second to import: not before a machine is trained.
    from numba import from_dtype, njit, types

    from . import _path_loops

    gram = types.Array(from_dtype(gram_dtype), 2, "C", readonly=True)  # takes writeable arrays, too
    vector = types.Array(types.float64, 1, "C")
    members = types.Array(types.uintp, 1, "C")
    pool = types.Array(from_dtype(pool_dtype), 1, "C")
    matrix = types.Array(types.float64, 2, "C")
    signature = (gram, *[vector] * 6, types.float64, types.int64, members, types.int64, pool, types.int64)
    # Loading takes a moment, compiling some seconds: whoever waits that long is told why.
    note = Timer(
        PATIENCE, logger.warning, ["kernelwise compiles its solver, once on this machine: some seconds."]
    )
    note.daemon = True
    note.start()
    try:
        return njit((*signature, matrix, matrix, matrix), cache=True, nogil=True)(_path_loops.smo_path)
    finally:
        note.cancel()
