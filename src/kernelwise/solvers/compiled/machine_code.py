"""The inner loops, compiled when they are first used, or loaded."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._core.compile import MachineCode, lock, machine_code
from kernelwise._core.kept_code import Sources
from kernelwise.solvers.compiled.many_paths import many_paths
from kernelwise.solvers.compiled.pairs import smo_on_pool
from kernelwise.solvers.compiled.path import smo_path
from kernelwise.solvers.compiled.pool import change_members, subtract_rows

VECTORS = "float64[] " * 6  # p, β, f, the bounds for C = 1, and C
# n, n_Cs, n_kept and stride; start, tol, limit and size
SIZES = "int64 int64 int64 int64 int64 float64 int64 int64"
WORK = "int64 int64 float64 float64 int64 int64 int64 uint64[] float64[]"
MACHINES = "uint64[] int64[] " + "float64[] " * 5 + "uint64[] int64[] float64[] float64[]"
FOLD = "int64[] int64[] int64[] float64[] int64[] int64 float64 int64"

_sources = Sources(sorted(Path(__file__).parent.glob("*.py")))


def compiled_smo(
    gram_dtype: np.dtype, pool_dtype: np.dtype
) -> tuple[MachineCode, tuple[float, int, int, int]]:
    """`smo_path`, and what it takes of these dtypes, compiled by the first thread that asks for it.

    That is the precision of the pool, and where `change_members`, `smo_on_pool` and `subtract_rows` are.
    """
    with lock:
        return _entry(gram_dtype, pool_dtype)


def compiled_parts(gram_dtype: np.dtype, pool_dtype: np.dtype) -> list[MachineCode]:
    """The machine code behind `compiled_smo`.

    The path calls the other functions by their addresses, so that it is compiled once for all dtypes.
    """
    gram, pool = gram_dtype.name, pool_dtype.name
    return [
        _compiled(smo_path, f"int64 int64 {VECTORS} {SIZES} {WORK} float64[] float64[] int64[]"),
        _compiled(change_members, f"{gram}* int64 {pool}* int64 float64 int64* int64 int64 int64"),
        _compiled(smo_on_pool, f"{pool}* {pool}* int64 float64 int64 float64* int64* float64 int64"),
        _compiled(subtract_rows, f"{gram}* int64 int64 int64* float64* int64 float64*"),
    ]


def compiled_many_paths(
    gram_dtype: np.dtype, pool_dtype: np.dtype
) -> tuple[MachineCode, tuple[int, float, int, int, int]]:
    """`many_paths`, and what it takes of these dtypes: where `smo_path` is, and what `compiled_smo` says."""
    with lock:
        path, functions = _entry(gram_dtype, pool_dtype)
        return compiled_many(gram_dtype)[0], (path.address, *functions)


def compiled_many(gram_dtype: np.dtype) -> list[MachineCode]:
    """The machine code of `many_paths`, as of `compiled_parts`."""
    gram = gram_dtype.name
    work = f"int64 float64 {'int64 ' * 5} {gram}[] uint64[] float64[] int64[] uint64[] {'float64[] ' * 4}"
    results = f"float64[] float64[] float64[] int64[] {'int64 ' * 9}"
    return [_compiled(many_paths, f"{gram}[] {gram}[] {MACHINES} {FOLD} {work} {results}")]


@lru_cache
def _entry(gram_dtype: np.dtype, pool_dtype: np.dtype) -> tuple[MachineCode, tuple[float, int, int, int]]:
    run, *others = compiled_parts(gram_dtype, pool_dtype)
    change, smo, subtract = (code.address for code in others)
    return run, (float(np.finfo(pool_dtype).eps), change, smo, subtract)


@lru_cache
def _compiled(function: Any, types: str) -> MachineCode:
    """A function compiled for a list of types, or loaded; its machine code belongs to all files here."""
    return machine_code(function, types.split(), _sources)
