"""Compiled: values of a Gaussian kernel in single precision, made in the registers of the processor.

A value is 2^(a·b), with the exponent of `GaussianRows` as a product of a row of ``left`` with a column of
``right``. A matrix product followed by exponentials writes and reads each value twice; here a block of
`ROWS` × `WIDTH` exponents is summed up in registers, turned into powers there, and stored or summed up.
LLVM is told which vectors to use, since Numba vectorises inner loops only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

from kernelwise._core.compile import compiled_later
from kernelwise.solvers.compiled.pointers import at, data

ROWS, WIDTH = 4, 64  # of a block
FLUSH = 16  # blocks of rows that are summed up in single precision
# Below the least exponent 2^x counts as zero wherever it is used, but products with a denormal number would
# take a hundred times as long. The greatest is that of a sample with itself.
LEAST, GREATEST = -100.0, 0.0
ROUND = 1.5 * 2**23  # added to x, leaves the integer next to x in the lowest bits
# 2^r = 1 + r(q0 + q1 r + … + q4 r⁴) for |r| ≤ ½, to 1.1e-7 at worst, the least of all such polynomials
POWERS = np.array([1.0, 0.693147, 0.24022242, 0.055507336, 0.009671513, 0.0013264727], np.float32).tolist()


def _vectors() -> tuple[int, int]:
    """Numbers in a vector of this processor, and how many vectors of each row fit its registers."""
    features = binding.get_host_cpu_features()
    if features.get("avx512f"):
        return 16, 4
    return (8, 2) if features.get("avx2") else (4, 2)


LANES, VECTORS = _vectors()
FLOAT, INTEGER, INDEX = ir.FloatType(), ir.IntType(32), ir.IntType(64)
VECTOR, BITS = ir.VectorType(FLOAT, LANES), ir.VectorType(INTEGER, LANES)


def _spread(builder: Any, number: Any) -> Any:
    """A vector of one number."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, INDEX(0))
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), ir.Constant(BITS, [0] * LANES))


def _constant(number: float, kind: Any = VECTOR) -> Any:
    return ir.Constant(kind, [number] * LANES)


def _times_plus(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """a·b + c, in one instruction where there is one."""
    return builder.fadd(builder.fmul(a, b, flags=["contract"]), c, flags=["contract"])


def _power(builder: Any, x: Any) -> Any:
    """2^x of a vector, after moving it between `LEAST` and `GREATEST`."""
    least, greatest = _constant(LEAST), _constant(GREATEST)
    x = builder.select(builder.fcmp_ordered(">", x, least), x, least)
    x = builder.select(builder.fcmp_ordered("<", x, greatest), x, greatest)
    rounded = builder.fadd(x, _constant(ROUND))
    r = builder.fsub(x, builder.fsub(rounded, _constant(ROUND)))
    value = _constant(POWERS[-1])
    for factor in POWERS[-2::-1]:
        value = _times_plus(builder, value, r, _constant(factor))
    # Times two to the integer in the lowest bits of ``rounded``: a sum of exponents.
    shifted = builder.shl(builder.bitcast(rounded, BITS), _constant(23, BITS))
    return builder.bitcast(builder.add(builder.bitcast(value, BITS), shifted), VECTOR)


def _values(builder: Any, left: Any, panel: Any, size: Any) -> list[list[Any]]:
    """Vectors of the kernel values of `ROWS` rows with the first columns of a panel."""
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(INDEX)
    sums = [[builder.phi(VECTOR) for _ in range(VECTORS)] for _ in range(ROWS)]
    k.add_incoming(INDEX(0), before)
    column = builder.gep(panel, [builder.mul(k, INDEX(WIDTH))])
    given = [_load(builder, column, v * LANES) for v in range(VECTORS)]
    new = []
    for i, row in enumerate(sums):
        place = builder.add(builder.mul(size, INDEX(i)), k)
        factor = _spread(builder, builder.load(builder.gep(left, [place])))
        new.append([_times_plus(builder, factor, b, s) for b, s in zip(given, row, strict=True)])
    following = builder.add(k, INDEX(1))
    k.add_incoming(following, loop)
    for row, new_row in zip(sums, new, strict=True):
        for s, s_new in zip(row, new_row, strict=True):
            s.add_incoming(_constant(0.0), before)
            s.add_incoming(s_new, loop)
    builder.cbranch(builder.icmp_signed("<", following, size), loop, after)
    builder.position_at_end(after)
    return [[_power(builder, s) for s in row] for row in new]


def _load(builder: Any, pointer: Any, offset: int) -> Any:
    where = builder.bitcast(builder.gep(pointer, [INDEX(offset)]), VECTOR.as_pointer())
    return builder.load(where, align=4)


def _store(builder: Any, value: Any, pointer: Any, offset: Any) -> None:
    where = builder.bitcast(builder.gep(pointer, [offset]), VECTOR.as_pointer())
    builder.store(value, where, align=4)


def _stored(typing: Any, left: Any, panel: Any, size: Any, out: Any, stride: Any) -> Any:
    """Write the values of `ROWS` rows of ``left`` and part of a panel to ``out``, in rows of ``stride``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, panel, size, out, stride = args
        for i, row in enumerate(_values(builder, left, panel, size)):
            for v, value in enumerate(row):
                offset = builder.add(builder.mul(stride, INDEX(i)), INDEX(v * LANES))
                _store(builder, value, out, offset)
        return context.get_dummy_value()

    return types.void(left, panel, types.int64, out, types.int64), generate


def _summed(typing: Any, left: Any, panel: Any, size: Any, factors: Any, total: Any) -> Any:
    """Add the values of `ROWS` rows of ``left`` and part of a panel, times ``factors``, to ``total``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, panel, size, factors, total = args
        values = _values(builder, left, panel, size)
        sums = [_load(builder, total, v * LANES) for v in range(VECTORS)]
        for i, row in enumerate(values):
            factor = _spread(builder, builder.load(builder.gep(factors, [INDEX(i)])))
            sums = [_times_plus(builder, factor, b, s) for b, s in zip(row, sums, strict=True)]
        for v, value in enumerate(sums):
            _store(builder, value, total, INDEX(v * LANES))
        return context.get_dummy_value()

    return types.void(left, panel, types.int64, factors, total), generate


_store_block: Any = intrinsic(_stored)
_add_block: Any = intrinsic(_summed)


@compiled_later("void(float32[:, ::1], float32[:, :, ::1], float32[:, ::1])")
def fill(left: Any, panels: Any, out: Any) -> None:
    """Write the kernel values of rows and columns to ``out``, which may have fewer rows than ``left``."""
    size, stride, n_rows = left.shape[1], out.shape[1], out.shape[0]
    rows, columns, values = data(left), data(panels), data(out)
    for k in range(0, n_rows, ROWS):
        # The last rows are written again if fewer are left.
        first = k if k + ROWS <= n_rows else n_rows - ROWS
        for c in range(panels.shape[0]):
            for t in range(0, WIDTH, LANES * VECTORS):
                panel = at(columns, c * size * WIDTH + t)
                place = at(values, first * stride + c * WIDTH + t)
                _store_block(at(rows, first * size), panel, size, place, stride)


@compiled_later("void(float32[:, ::1], float32[::1], float32[:, :, ::1], float32[::1], float64[::1])")
def add(left: Any, change: Any, panels: Any, room: Any, total: Any) -> None:
    """Add Σ change_k times the kernel values of row k to ``total``; a multiple of `ROWS` rows."""
    size = left.shape[1]
    rows, factors, columns, part, sums = data(left), data(change), data(panels), data(room), data(total)
    for c in range(panels.shape[0]):
        for start in range(0, left.shape[0], ROWS * FLUSH):
            for t in range(WIDTH):
                part[t] = 0.0
            stop = start + ROWS * FLUSH
            stop = stop if stop < left.shape[0] else left.shape[0]
            for k in range(start, stop, ROWS):
                for t in range(0, WIDTH, LANES * VECTORS):
                    panel = at(columns, c * size * WIDTH + t)
                    _add_block(at(rows, k * size), panel, size, at(factors, k), at(part, t))
            for t in range(WIDTH):
                sums[c * WIDTH + t] += part[t]
