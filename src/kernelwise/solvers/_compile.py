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


def compiled_smo(gram_dtype: np.dtype, pool_dtype: np.dtype) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return `_compile` of these dtypes, compiled by the first thread that asks for it."""
    with _lock:
        return _compile(gram_dtype, pool_dtype)


@lru_cache
def _compile(gram_dtype: np.dtype, pool_dtype: np.dtype) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return `smo_path` compiled for the dtypes of the Gram matrix and of the pool, and its `smo_on_pool`.

    The second is passed to the first as an argument: a function that others call is otherwise optimised
    again with each of them, which took a third of the time.
    """
    # Numba takes a quarter of a second to import: not before a machine is trained.
    from numba import from_dtype, njit, types

    from . import _pair_loops, _path_loops

    gram = types.Array(from_dtype(gram_dtype), 2, "C", readonly=True)  # takes writeable arrays, too
    number, real = types.int64, types.float64
    vector, matrix = types.Array(real, 1, "C"), types.Array(real, 2, "C")
    members = types.Array(types.uintp, 1, "C")
    pool, short = (types.Array(from_dtype(pool_dtype), ndim, "C") for ndim in (1, 2))
    pairs = types.Tuple((number, real))(pool, number, real, short, *[vector] * 3, real, number)
    path = (gram, *[vector] * 6, real, number, members, number, pool, number, real)
    # Loading takes a moment, compiling some seconds: whoever waits that long is told why.
    note = Timer(
        PATIENCE, logger.warning, ["kernelwise compiles its solver, once on this machine: some seconds."]
    )
    note.daemon = True
    note.start()
    try:
        smo = njit(pairs, cache=True, nogil=True, error_model="numpy")(_pair_loops.smo_on_pool)
        signature = (*path, types.FunctionType(pairs), *[matrix] * 3)
        return njit(signature, cache=True, nogil=True)(_path_loops.smo_path), smo
    finally:
        note.cancel()
