"""``kernelwise warmup``: all machine code compiled now, so that nobody waits for it later."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any


def warmup() -> None:
    """Compile kernelwise's code now, so that later runs are faster.

    Use this command when you build a container image, or before tests. Otherwise kernelwise compiles each
    part when it is first used, which takes up to a second. It keeps the compiled code beside the package, in
    a folder of the user, or in KERNELWISE_CACHE_DIR if that is set. Another version of kernelwise or
    llvmlite, or another kind of processor, needs a new run.

    \b
    Example: kernelwise warmup
    """
    from kernelwise.cli.errors import UserError

    found = list(parts())  # imports what they belong to, which any command does
    started, kept = time.perf_counter(), set()
    for name, compile_part in found:
        began = time.perf_counter()
        kept |= {code.folder for code in compile_part()}
        print(f"{time.perf_counter() - began:6.2f} s  {name}")
    print(f"{time.perf_counter() - started:6.2f} s  total")
    if None in kept:
        raise UserError(
            "kernelwise found no folder to keep the compiled code in, so every process will compile it "
            "again. Set KERNELWISE_CACHE_DIR to a folder with write permission."
        )
    for folder in sorted(kept):
        print(f"The compiled code is in {folder}")


def parts() -> Iterator[tuple[str, Callable[[], list[Any]]]]:
    """What is compiled, by name: functions that compile, or load, and return what is compiled."""
    import numpy as np

    from kernelwise.explanation import compiled as shapley
    from kernelwise.kernels import city_block, distances
    from kernelwise.sketch import bins
    from kernelwise.solvers.compiled import gaussian
    from kernelwise.solvers.compiled.machine_code import compiled_many, compiled_parts

    yield "distances", partial(_functions_of, distances)
    yield "city-block distances", partial(_functions_of, city_block)
    yield "distance sketches", partial(_functions_of, bins)
    yield "Shapley values", partial(_functions_of, shapley)
    yield "rows of Gaussian kernels", partial(_functions_of, gaussian)
    for gram in ("float64", "float32"):
        for pool in ("float32", "float64"):
            name = f"solver, Gram matrix in {gram}, work in {pool}"
            yield name, partial(compiled_parts, np.dtype(gram), np.dtype(pool))
        yield f"solver of many classes, Gram matrix in {gram}", partial(compiled_many, np.dtype(gram))


def _functions_of(module: ModuleType) -> list[Any]:
    from kernelwise._core.compile import CompiledLater

    found = [value for value in vars(module).values() if isinstance(value, CompiledLater)]
    return [one.machine_code() for one in found]
