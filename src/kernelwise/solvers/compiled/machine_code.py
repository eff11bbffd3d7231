"""Compile the inner loops when first used, and keep the machine code on disk for later processes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock, Timer
from typing import Any

import numpy as np

from kernelwise._core.compile import check_compiler, compiled_for, kept_for_state
from kernelwise._core.threads import collection_paused

logger = logging.getLogger("kernelwise")
PATIENCE = 1.0  # seconds

_lock = Lock()


def compiled_smo(gram_dtype: np.dtype, pool_dtype: np.dtype) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return `_compile` of these dtypes, compiled by the first thread that asks for it."""
    with _lock:
        return _compile(gram_dtype, pool_dtype)[:2]


def compiled_parts(gram_dtype: np.dtype, pool_dtype: np.dtype) -> list[Any]:
    """Numba's functions behind `compiled_smo`, which know where their machine code is kept."""
    with _lock:
        return list(_compile(gram_dtype, pool_dtype)[2:])


@lru_cache
@collection_paused()
def _compile(gram_dtype: np.dtype, pool_dtype: np.dtype) -> tuple[Any, Any, Any, Any]:
    """Return `smo_path` compiled for the dtypes of the Gram matrix and of the pool, and its `smo_on_pool`.

    First as they are called, then as Numba's functions.

    The second is passed to the first as an argument: a function that others call is otherwise optimised
    again with each of them, which took a third of the time.
    """
    # Numba takes a quarter of a second to import: not before a machine is trained.
    check_compiler()
    from numba import from_dtype, types

    from kernelwise.solvers.compiled import pairs as pair_loops
    from kernelwise.solvers.compiled import path as path_loops

    gram = types.Array(from_dtype(gram_dtype), 2, "C", readonly=True)  # takes writeable arrays, too
    number, real = types.int64, types.float64
    vector, matrix = types.Array(real, 1, "C"), types.Array(real, 2, "C")
    places, pool = (types.Array(kind, 2, "C") for kind in (types.uintp, from_dtype(pool_dtype)))
    pairs = types.Tuple((number, real))(pool, real, pool, matrix, places, number, real, number)
    path = (gram, *[vector] * 6, number, real, number, number, pool, real)
    # Loading takes a moment, compiling some seconds: whoever waits that long is told why.
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
        sources = sorted(Path(__file__).parent.glob("*.py"))
        smo = kept_for_state(compiled_for(pairs, error_model="numpy"), pair_loops.smo_on_pool, sources)
        signature = (*path, types.FunctionType(pairs), places, matrix, pool, *[matrix] * 2)
        run = kept_for_state(compiled_for(signature), path_loops.smo_path, sources)
        # The entry point itself: there is one signature, and the caller keeps to it, so nothing to look up.
        entry_point = run.get_compile_result(run.nopython_signatures[0]).entry_point
        return entry_point, _addressed(smo, pairs), run, smo
    finally:
        note.cancel()


def _addressed(function: Any, signature: Any) -> Any:
    """The function by Numba's wrapper address protocol: its address is looked up once, not at each call."""
    from numba import types

    compiled = function.get_compile_result(signature)
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)

    class Addressed(types.WrapperAddressProtocol):
        keep = compiled  # the code lives as long as this does

        def __wrapper_address__(self) -> int:
            return int(address)

        def signature(self) -> Any:
            return signature

    return Addressed()
