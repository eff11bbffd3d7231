"""Compile the inner loops when first used, and keep the machine code on disk for later processes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock, Timer
from typing import Any

import numpy as np

from kernelwise._core.compile import PLAIN, check_compiler, compiled_for, kept_for_state
from kernelwise._core.threads import collection_paused

logger = logging.getLogger("kernelwise")
PATIENCE = 1.0  # seconds

_lock = Lock()


def compiled_smo(
    gram_dtype: np.dtype, pool_dtype: np.dtype
) -> tuple[Callable[..., Any], tuple[float, int, int, int]]:
    """`smo_path`, and what it takes of these dtypes, compiled by the first thread that asks for it.

    That is the precision of the pool, and where `change_members`, `smo_on_pool` and `subtract_rows` are.
    """
    with _lock:
        return _entry(gram_dtype, pool_dtype)


def compiled_parts(gram_dtype: np.dtype, pool_dtype: np.dtype) -> list[Any]:
    """Numba's functions behind `compiled_smo`, which know where their machine code is kept."""
    with _lock:
        return _compile(gram_dtype, pool_dtype)


@lru_cache
def _entry(gram_dtype: np.dtype, pool_dtype: np.dtype) -> tuple[Any, tuple[float, int, int, int]]:
    run, change, smo, subtract = _compile(gram_dtype, pool_dtype)
    # The entry point itself: there is one signature, and the caller keeps to it, so nothing to look up.
    entry_point = run.get_compile_result(run.nopython_signatures[0]).entry_point
    precision = float(np.finfo(pool_dtype).eps)
    return entry_point, (precision, _address(change), _address(smo), _address(subtract))


@lru_cache
@collection_paused()
def _compile(gram_dtype: np.dtype, pool_dtype: np.dtype) -> list[Any]:
    """Numba's `smo_path`, `change_members`, `smo_on_pool` and `subtract_rows`, each for its own types.

    The path calls the others by their addresses: a function that others call is otherwise optimised again
    with each of them, and the path would be compiled for every pair of dtypes.
    """
    # Numba takes a quarter of a second to import: not before a machine is trained.
    check_compiler()
    # Loading takes a moment, compiling a second or two: whoever waits that long is told why.
    note = Timer(
        PATIENCE,
        logger.warning,
        [
            f"kernelwise compiles a part of its solver ({gram_dtype}), once on this computer, which takes "
            "some seconds."
        ],
    )
    note.daemon = True
    note.start()
    try:
        return [
            _path(),
            _change_members(gram_dtype, pool_dtype),
            _smo_on_pool(pool_dtype),
            _subtract_rows(gram_dtype),
        ]
    finally:
        note.cancel()


@lru_cache
def _path() -> Any:
    from numba import types

    from kernelwise.solvers.compiled.path import smo_path

    number, real, address = types.int64, types.float64, types.uintp
    vector, matrix = types.Array(real, 1, "C"), types.Array(real, 2, "C")
    where = number, real, number, number  # start, tol, limit, size
    work = address, address, real, real, address, address, address, types.Array(types.uintp, 2, "C")
    return _kept(smo_path, (address, number, *[vector] * 6, *where, *work, *[matrix] * 3))


@lru_cache
def _change_members(gram_dtype: np.dtype, pool_dtype: np.dtype) -> Any:
    from numba import types

    from kernelwise.solvers.compiled.pool import change_members

    number, places = types.int64, types.CPointer(types.uintp)
    gram, pool = _pointer_to(gram_dtype), _pointer_to(pool_dtype)
    parameters = gram, number, pool, number, types.float64, places, number, number, number
    return _kept(change_members, number(*parameters), no_cpython_wrapper=True)


@lru_cache
def _smo_on_pool(pool_dtype: np.dtype) -> Any:
    from numba import types

    from kernelwise.solvers.compiled.pairs import smo_on_pool

    number, real, pool = types.int64, types.float64, _pointer_to(pool_dtype)
    room, places = types.CPointer(real), types.CPointer(types.uintp)
    parameters = pool, pool, number, real, number, room, places, real, number
    return _kept(smo_on_pool, number(*parameters), no_cpython_wrapper=True)


@lru_cache
def _subtract_rows(gram_dtype: np.dtype) -> Any:
    from numba import types

    from kernelwise.solvers.compiled.pool import subtract_rows

    number, vector, places = types.int64, types.CPointer(types.float64), types.CPointer(types.uintp)
    parameters = _pointer_to(gram_dtype), number, number, places, vector, number, vector
    return _kept(subtract_rows, number(*parameters), no_cpython_wrapper=True, fastmath={"contract"})


def _pointer_to(dtype: np.dtype) -> Any:
    from numba import from_dtype, types

    return types.CPointer(from_dtype(dtype))


def _kept(function: Any, signature: Any, **options: Any) -> Any:
    """A function compiled for one signature, or loaded; its machine code belongs to all files beside it."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return kept_for_state(compiled_for(signature, **PLAIN, **options), function, sources)


def _address(function: Any) -> int:
    """Where the machine code of a function with one signature is, to be called as C calls functions."""
    compiled = function.get_compile_result(function.nopython_signatures[0])
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))
