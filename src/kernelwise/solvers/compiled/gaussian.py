"""Compiled: values of a Gaussian kernel in single precision, made in the registers of the processor.

A value is 2^(a·b), with the exponent of `GaussianRows` as a product of a row of ``left`` with a column of
``right``. A matrix product followed by exponentials writes and reads each value twice; here a block of
`ROWS` × `WIDTH` exponents is summed up in registers, turned into powers there, and stored or summed up.
LLVM is told which vectors to use, since it vectorises inner loops only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from kernelwise._core.compile import check_shapes, compiled_later
from kernelwise._core.llvm.values import Instruction, Value, at, constant

ROWS, WIDTH = 4, 64  # of a block
FLUSH = 16  # blocks of rows that are summed up in single precision
# Below the least exponent 2^x counts as zero wherever it is used, but products with a denormal number would
# take a hundred times as long. The greatest is that of a sample with itself.
LEAST, GREATEST = -100.0, 0.0
ROUND = 1.5 * 2**23  # added to x, leaves the integer next to x in the lowest bits
# 2^r = 1 + r(q0 + q1 r + … + q4 r⁴) for |r| ≤ ½, to 1.1e-7 at worst, the least of all such polynomials
POWERS = np.array([1.0, 0.693147, 0.24022242, 0.055507336, 0.009671513, 0.0013264727], np.float32).tolist()


@lru_cache
def _vectors() -> tuple[int, int]:
    """Numbers in a vector of this processor, and how many vectors of each row fit its registers."""
    from llvmlite import binding

    features = binding.get_host_cpu_features()
    if features.get("avx512f"):
        return 16, 4
    return (8, 2) if features.get("avx2") else (4, 2)


class _Block:
    """Instructions on vectors."""

    def __init__(self, to: Any) -> None:
        self.to, (self.lanes, self.n_vectors) = to, _vectors()
        self.kind, self.bits = f"<{self.lanes} x float>", f"<{self.lanes} x i32>"

    def constant(self, number: float) -> str:
        text = constant(np.float32(number)).text
        return f"<{', '.join([f'float {text}'] * self.lanes)}>"

    def spread(self, number: Value) -> str:
        """A vector of one number."""
        first = self.to.put(f"insertelement {self.kind} undef, float {number.text}, i64 0")
        return str(
            self.to.put(f"shufflevector {self.kind} {first}, {self.kind} undef, {self.bits} zeroinitializer")
        )

    def times_plus(self, a: str, b: str, c: str) -> str:
        """a·b + c, in one instruction where there is one."""
        product = self.to.put(f"fmul contract {self.kind} {a}, {b}")
        return str(self.to.put(f"fadd contract {self.kind} {product}, {c}"))

    def power(self, x: str) -> str:
        """2^x of a vector, after moving it between `LEAST` and `GREATEST`."""
        put, kind, bits, choice = self.to.put, self.kind, self.bits, f"select <{self.lanes} x i1>"
        for how, bound in (("ogt", self.constant(LEAST)), ("olt", self.constant(GREATEST))):
            x = put(f"{choice} {put(f'fcmp {how} {kind} {x}, {bound}')}, {kind} {x}, {kind} {bound}")
        rounded = put(f"fadd {kind} {x}, {self.constant(ROUND)}")
        r = put(f"fsub {kind} {x}, {put(f'fsub {kind} {rounded}, {self.constant(ROUND)}')}")
        value = self.constant(POWERS[-1])
        for factor in POWERS[-2::-1]:
            value = self.times_plus(value, r, self.constant(factor))
        # Times two to the integer in the lowest bits of ``rounded``: a sum of exponents.
        shifts = f"<{', '.join(['i32 23'] * self.lanes)}>"
        shifted = put(f"shl {bits} {put(f'bitcast {kind} {rounded} to {bits}')}, {shifts}")
        total = put(f"add {bits} {put(f'bitcast {kind} {value} to {bits}')}, {shifted}")
        return str(put(f"bitcast {bits} {total} to {kind}"))

    def place(self, address: Value, offset: Value) -> str:
        """Where a vector is in memory, as LLVM writes it."""
        element = self.to.element(address, offset)
        if self.to.has_plain_pointers:
            return f"ptr {element}"
        return f"{self.kind}* {self.to.put(f'bitcast float* {element} to {self.kind}*')}"

    def load(self, address: Value, offset: int) -> str:
        return str(self.to.put(f"load {self.kind}, {self.place(address, constant(offset))}, align 4"))

    def store(self, value: str, address: Value, offset: Value) -> None:
        self.to.put_plain(f"store {self.kind} {value}, {self.place(address, offset)}, align 4")

    def values(self, left: Value, panel: Value, size: Value) -> list[list[str]]:
        """Vectors of the kernel values of `ROWS` rows with the first columns of a panel."""
        to = self.to
        loop, after = to.new_labels(2)
        counter, zero = to.new_variable("int64"), Value(self.kind, self.constant(0.0))
        sums = [[to.new_variable(self.kind) for _ in range(self.n_vectors)] for _ in range(ROWS)]
        to.store(constant(0), counter)
        for row in sums:
            for place in row:
                to.store(zero, place)
        to.go(loop)
        to.begin(loop)
        k = to.load("int64", counter)
        column = Value(panel.type, to.element(panel, _times(to, k, constant(WIDTH))))
        given = [self.load(column, v * self.lanes) for v in range(self.n_vectors)]
        for i, row in enumerate(sums):
            number = to.element(left, _plus(to, _times(to, size, constant(i)), k))
            factor = self.spread(to.load("float32", number))
            for b, place in zip(given, row, strict=True):
                total = self.times_plus(factor, b, to.load(self.kind, place).text)
                to.store(Value(self.kind, total), place)
        following = _plus(to, k, constant(1))
        to.store(following, counter)
        to.branch(Value("bool", to.put(f"icmp slt i64 {following.text}, {size.text}")), loop, after)
        to.begin(after)
        return [[self.power(to.load(self.kind, place).text) for place in row] for row in sums]


def _times(to: Any, a: Value, b: Value) -> Value:
    return Value("int64", to.put(f"mul i64 {a.text}, {b.text}"))


def _plus(to: Any, a: Value, b: Value) -> Value:
    return Value("int64", to.put(f"add i64 {a.text}, {b.text}"))


@Instruction
def _columns_at_once(to: Any) -> Value:
    """The columns of a panel that the two instructions below take."""
    lanes, n_vectors = _vectors()
    return constant(lanes * n_vectors)


@Instruction
def _store_block(to: Any, left: Value, panel: Value, size: Value, out: Value, stride: Value) -> Value:
    """Write the values of `ROWS` rows of ``left`` and part of a panel to ``out``, in rows of ``stride``."""
    block = _Block(to)
    for i, row in enumerate(block.values(left, panel, size)):
        for v, value in enumerate(row):
            offset = _plus(to, _times(to, stride, constant(i)), constant(v * block.lanes))
            block.store(value, out, offset)
    return Value(None, "")


@Instruction
def _add_block(to: Any, left: Value, panel: Value, size: Value, factors: Value, total: Value) -> Value:
    """Add the values of `ROWS` rows of ``left`` and part of a panel, times ``factors``, to ``total``."""
    block = _Block(to)
    values = block.values(left, panel, size)
    sums = [block.load(total, v * block.lanes) for v in range(block.n_vectors)]
    for i, row in enumerate(values):
        factor = block.spread(to.load("float32", to.element(factors, constant(i))))
        sums = [block.times_plus(factor, b, s) for b, s in zip(row, sums, strict=True)]
    for v, value in enumerate(sums):
        block.store(value, total, constant(v * block.lanes))
    return Value(None, "")


def fill(left: np.ndarray, panels: np.ndarray, out: np.ndarray) -> None:
    """Write the kernel values of rows and columns to ``out``, which may have fewer rows than ``left``."""
    check_shapes((panels, (len(panels), left.shape[1], WIDTH)))
    if not ROWS <= len(out) <= len(left) or out.shape[1] < len(panels) * WIDTH:
        raise ValueError(f"{len(left)} rows and {len(panels)} panels do not fit an array of {out.shape}.")
    _fill(left, panels, out, left.shape[1], len(panels), *out.shape)


def add(left: np.ndarray, change: np.ndarray, panels: np.ndarray, total: np.ndarray) -> None:
    """Add Σ change_k times the kernel values of row k to ``total``; a multiple of `ROWS` rows."""
    check_shapes(
        (left, (len(left) // ROWS * ROWS, left.shape[1])),
        (change, left.shape[:1]),
        (panels, (len(panels), left.shape[1], WIDTH)),
        (total, (len(panels) * WIDTH,)),
    )
    _add(left, change, panels, np.empty(WIDTH, np.float32), total, *left.shape, len(panels))


@compiled_later("float32[] float32[] float32[] int64 int64 int64 int64")
def _fill(left: Any, panels: Any, out: Any, size: int, n_panels: int, n_rows: int, stride: int) -> None:
    for k in range(0, n_rows, ROWS):
        # The last rows are written again if fewer are left.
        first = k if k + ROWS <= n_rows else n_rows - ROWS
        for c in range(n_panels):
            for t in range(0, WIDTH, _columns_at_once()):
                panel = at(panels, c * size * WIDTH + t)
                place = at(out, first * stride + c * WIDTH + t)
                _store_block(at(left, first * size), panel, size, place, stride)


@compiled_later("float32[] float32[] float32[] float32[] float64[] int64 int64 int64")
def _add(
    left: Any, change: Any, panels: Any, part: Any, total: Any, n_rows: int, size: int, n_panels: int
) -> None:
    for c in range(n_panels):
        for start in range(0, n_rows, ROWS * FLUSH):
            for t in range(WIDTH):
                part[t] = 0.0
            stop = start + ROWS * FLUSH
            stop = stop if stop < n_rows else n_rows
            for k in range(start, stop, ROWS):
                for t in range(0, WIDTH, _columns_at_once()):
                    panel = at(panels, c * size * WIDTH + t)
                    _add_block(at(left, k * size), panel, size, at(change, k), at(part, t))
            for t in range(WIDTH):
                total[c * WIDTH + t] += part[t]
